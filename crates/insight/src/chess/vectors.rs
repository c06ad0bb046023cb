//! Mistakes as rows of numbers, of one kind or another.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use alfil_game::chess::{Chess, Move};
use alfil_game::{Encoded, Encoding, EncodingFn, EncodingList, Game};
use alfil_nn::{Batch, Bundled, Engine, FileError, Model, Network, Outputs};
use serde::{Deserialize, Serialize};

use super::{Mistake, feature_names, features};
use crate::InsightError;
use crate::cluster::Matrix;

/// Mistakes that a network sees at once.
const TOGETHER: usize = 64;

/// Numbers of a network's vector besides what its tower says of the two positions.
const OTHERS: [&str; 5] =
    ["value before", "value after", "value lost", "prior of the move", "prior of the better move"];

/// What the numbers of a vector are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorKind {
    /// Made by hand: labels of the position, material, piece, phase, scores and tactics.
    Hand,
    /// What a network of policy and value thinks before and after the move.
    Network {
        /// The network's name or file, as it was given.
        name: String,
        /// The checksum of its file.
        checksum: String,
    },
}

impl fmt::Display for VectorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VectorKind::Hand => f.write_str("made by hand"),
            VectorKind::Network { name, .. } => write!(f, "of the network {name}"),
        }
    }
}

/// Mistakes as vectors, a row for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// What their numbers are.
    pub kind: VectorKind,
    /// The names of their numbers.
    pub names: Vec<String>,
    /// The vectors.
    pub rows: Matrix,
}

impl Vectors {
    /// The vectors of mistakes.
    pub fn of(kind: &VectorKind, mistakes: &[Mistake<'_>]) -> Result<Vectors, InsightError> {
        match kind {
            VectorKind::Hand => Ok(Vectors::by_hand(mistakes)),
            VectorKind::Network { name, checksum } => {
                let found = NetworkVectors::open(name)?;
                if found.checksum != *checksum {
                    let why = "it is not the network that the model was made with: its checksum is another".to_owned();
                    return Err(InsightError::Network { name: name.clone(), why });
                }
                Ok(found.vectors(mistakes))
            }
        }
    }

    /// Vectors made by hand.
    pub fn by_hand(mistakes: &[Mistake<'_>]) -> Vectors {
        let names = feature_names();
        let mut rows = Matrix::new(names.len());
        mistakes.iter().for_each(|mistake| rows.push(&features(mistake)));
        Vectors { kind: VectorKind::Hand, names, rows }
    }
}

/// A network that makes vectors.
///
/// A vector has the mean of each channel of the tower over the board before the move, and after it (as the other side sees it);
/// the value before and after for the mover, and how much is lost; and the priors of the move and of the better one.
pub struct NetworkVectors {
    name: String,
    checksum: String,
    network: Network,
    model: Arc<Model>,
}

impl NetworkVectors {
    /// The network that is meant where none is named.
    pub fn default_name() -> &'static str {
        Bundled::default_of(Chess::NAME).map_or("chess", |bundled| bundled.name)
    }

    /// Opens a network by its name or its file.
    pub fn open(name: &str) -> Result<NetworkVectors, InsightError> {
        let fail = |why: String| InsightError::Network { name: name.to_owned(), why };
        let network = Network::open(Path::new(name)).map_err(|why| fail(why.why().to_string()))?;
        NetworkVectors::new(name, network)
    }

    /// Uses a network.
    pub fn new(name: &str, network: Network) -> Result<NetworkVectors, InsightError> {
        let fail = |why: String| InsightError::Network { name: name.to_owned(), why };
        let bytes = network.to_bytes().map_err(|why| fail(why.to_string()))?;
        let made = <Chess as Encoded>::Encodings::with(&network.origin.encoding, MakeModel(&network));
        let model = made.ok_or_else(|| fail("it does not play chess".to_owned()))?;
        Ok(NetworkVectors {
            name: name.to_owned(),
            checksum: format!("{:016x}", alfil_core::checksum::checksum(&bytes)),
            model: Arc::new(model.map_err(|why| fail(why.to_string()))?),
            network,
        })
    }

    /// The vectors of mistakes.
    pub fn vectors(&self, mistakes: &[Mistake<'_>]) -> Vectors {
        let channels = self.network.architecture.filters;
        let place = |when: &'static str| (1..=channels).map(move |channel| format!("{when} {channel}"));
        let names: Vec<String> = place("before").chain(place("after")).chain(OTHERS.map(str::to_owned)).collect();
        let reading = ReadTower { vectors: self, mistakes };
        let rows = <Chess as Encoded>::Encodings::with(&self.network.origin.encoding, reading);
        Vectors {
            kind: VectorKind::Network { name: self.name.clone(), checksum: self.checksum.clone() },
            // The encoding was found when the model was made.
            rows: rows.unwrap_or_else(|| Matrix::new(names.len())),
            names,
        }
    }
}

struct MakeModel<'a>(&'a Network);

impl EncodingFn<Chess> for MakeModel<'_> {
    type Output = Result<Model, FileError>;

    fn call<E: Encoding<Game = Chess>>(self) -> Result<Model, FileError> {
        Model::new::<E>(self.0)
    }
}

struct ReadTower<'a> {
    vectors: &'a NetworkVectors,
    mistakes: &'a [Mistake<'a>],
}

impl EncodingFn<Chess> for ReadTower<'_> {
    type Output = Matrix;

    fn call<E: Encoding<Game = Chess>>(self) -> Matrix {
        let ReadTower { vectors, mistakes } = self;
        let channels = vectors.network.architecture.filters;
        let mut engine = Engine::new(Arc::clone(&vectors.model));
        let mut batch = Batch::new(&vectors.network.architecture);
        let (mut outputs, mut means) = (Outputs::default(), Vec::new());
        let mut rows = Matrix::new(2 * channels + OTHERS.len());
        for mistakes in mistakes.chunks(TOGETHER) {
            batch.clear();
            let mut moves = Vec::new();
            for mistake in mistakes {
                for position in [&mistake.position, &mistake.after] {
                    position.generate(&mut moves);
                    batch.push::<E>(position, &moves);
                }
            }
            engine.evaluate_with_means(&batch, &mut outputs, &mut means);
            for ((index, mistake), means) in mistakes.iter().enumerate().zip(means.chunks_exact(2 * channels)) {
                mistake.position.generate(&mut moves);
                let priors = outputs.priors(2 * index);
                let prior = |m: Option<&Move>| {
                    let at = moves.iter().position(|legal| Some(legal) == m);
                    at.and_then(|at| priors.get(at)).copied().unwrap_or(0.0)
                };
                let (before, after) = (outputs.values[2 * index], -outputs.values[2 * index + 1]);
                let others =
                    [before, after, before - after, prior(Some(&mistake.played)), prior(mistake.better.first())];
                rows.push(&[means, &others[..]].concat());
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::{Attacks, Az21};
    use alfil_game::connect4;
    use alfil_nn::{Architecture, Size};

    use super::*;
    use crate::ErrorRecord;

    fn network<E: Encoding>() -> Network {
        Network::random::<E>(Architecture::new::<E>("8x2".parse::<Size>().unwrap()), 3)
    }

    /// Mistakes in the positions of a short game.
    fn records() -> Vec<ErrorRecord> {
        let mut now = Chess::new(&Default::default());
        let mut records = Vec::new();
        for (ply, played) in ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"].into_iter().enumerate() {
            records.push(ErrorRecord {
                game: 1,
                ply: ply as u32 + 1,
                side: String::new(),
                player: String::new(),
                opening: String::new(),
                position: now.position(),
                played: played.to_owned(),
                loss: 100,
                before: 0,
                after: -100,
                better: String::new(),
                reply: String::new(),
            });
            now.play(now.parse_move(played).unwrap());
        }
        records
    }

    #[test]
    fn networks_of_all_encodings_make_vectors() {
        let records = records();
        let mistakes: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
        for network in [network::<Az21>(), network::<Attacks>()] {
            let network = NetworkVectors::new("random", network).unwrap();
            let vectors = network.vectors(&mistakes);
            assert_eq!((vectors.rows.len(), vectors.rows.columns(), vectors.names.len()), (7, 21, 21));
            for row in vectors.rows.rows() {
                let [before, after, lost, prior, better] = row[16..] else { panic!("{row:?}") };
                assert!(row.iter().all(|number| number.is_finite()) && (before - after - lost).abs() < 1e-6);
                assert!(prior > 0.0 && prior < 1.0 && better == 0.0, "{prior} {better}");
            }
            // The same position has the same numbers, whatever it is beside.
            assert_eq!(network.vectors(&mistakes[3..4]).rows.row(0), vectors.rows.row(3));
        }
        assert!(NetworkVectors::new("random", network::<connect4::Stones>()).is_err());
    }

    #[test]
    fn other_networks_are_not_taken_for_the_one_of_a_model() {
        let other = VectorKind::Network { name: "chess".to_owned(), checksum: "0".to_owned() };
        assert!(Vectors::of(&other, &[]).unwrap_err().to_string().contains("its checksum is another"));
        let none = VectorKind::Network { name: "no such network".to_owned(), checksum: String::new() };
        assert!(matches!(Vectors::of(&none, &[]), Err(InsightError::Network { .. })));
    }
}
