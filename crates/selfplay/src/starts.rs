//! Where games begin.

use std::path::{Path, PathBuf};

use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_core::text_file::read_text;
use alfil_game::{Endings, PositionError};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Files of positions larger than this, in bytes, are refused.
const LARGEST: u64 = 1 << 28;

/// Attempts to find random opening moves that do not end the game.
const TRIES: u32 = 100;

settings! {
    /// Where games begin. All other games begin at the game's start position.
    pub struct Starts {
        /// Games that do not begin at an ending begin with 0 to this many random plies, each number equally likely,
        /// which are not recorded. They make games differ: 2 were enough for Gumbel games of Connect Four (AlphaZero.jl
        /// #217).
        pub random_plies: u32 = 0, in 0..=1000;
        /// The share of games that begin at a position of starts_file.
        pub listed_share: f32 = 0.0, in 0.0..=1.0, key "starts_share";
        /// A file of positions to begin from, one per line in the game's notation, all equally likely.
        pub file: String = String::new(), key "starts_file";
        /// The share of games that begin at a random ending, where the game has them: a curriculum.
        pub endings_share: f32 = 0.0, in 0.0..=1.0;
    }
    check Starts::check;
}

/// Why positions to begin from cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StartsError {
    /// The file cannot be read.
    #[error("cannot read the positions in {path}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// A line is not a position.
    #[error("line {line} of {path}: {why}")]
    Position {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        why: PositionError,
    },
    /// The game is over in a position.
    #[error("line {line} of {path}: the game is over there ({reason})")]
    Over {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// By what rule.
        reason: &'static str,
    },
    /// There is no position.
    #[error("there are no positions in {0}")]
    Empty(PathBuf),
}

/// A game about to begin.
pub(crate) struct Start<G> {
    /// The position as records keep it: empty for the start position.
    pub text: String,
    pub game: G,
}

impl Starts {
    /// The positions of the file, if games are to begin there.
    pub fn listed<G: Endings>(&self, rules: &G::Rules) -> Result<Vec<String>, StartsError> {
        if self.listed_share > 0.0 { Starts::read::<G>(Path::new(&self.file), rules) } else { Ok(Vec::new()) }
    }

    /// Reads positions of `G` under these rules, one per line; empty lines and those that begin with `#` are left out.
    pub fn read<G: Endings>(path: &Path, rules: &G::Rules) -> Result<Vec<String>, StartsError> {
        let text = read_text(path, LARGEST).map_err(|why| StartsError::Io { path: path.to_owned(), why })?;
        let mut positions = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let game = G::from_position(text, rules).map_err(|why| StartsError::Position {
                path: path.to_owned(),
                line,
                why,
            })?;
            if let Some(outcome) = game.outcome() {
                return Err(StartsError::Over { path: path.to_owned(), line, reason: outcome.reason });
            }
            positions.push(text.to_owned());
        }
        if positions.is_empty() { Err(StartsError::Empty(path.to_owned())) } else { Ok(positions) }
    }

    /// Whether `G` has random endings to begin from under these rules.
    pub fn has_endings<G: Endings>(rules: &G::Rules) -> bool {
        ending::<G>(rules, &mut Xoshiro256PlusPlus::seed_from_u64(0)).is_some()
    }

    fn check(&self, found: &mut Findings) {
        if self.listed_share > 0.0 && self.file.is_empty() {
            found.error("starts_file", "must name a file, since starts_share is more than 0");
        }
        if self.listed_share + self.endings_share > 1.0 {
            found.error("endings_share", "and starts_share add up to more than 1");
        }
    }

    /// Where a game begins; `listed` are the positions of the file.
    pub(crate) fn begin<G: Endings>(
        &self,
        listed: &[String],
        rules: &G::Rules,
        random: &mut Xoshiro256PlusPlus,
    ) -> Start<G> {
        let kind = if self.endings_share + self.listed_share > 0.0 { random.random::<f32>() } else { 1.0 };
        if kind < self.endings_share
            && let Some(start) = ending::<G>(rules, random).and_then(|game| read(game.position(), rules))
        {
            return start;
        }
        let listed = if kind < self.endings_share + self.listed_share && !listed.is_empty() {
            read(listed[random.random_range(0..listed.len())].clone(), rules)
        } else {
            None
        };
        let start = listed.unwrap_or_else(|| Start { text: String::new(), game: G::new(rules) });
        let plies = if self.random_plies > 0 { random.random_range(0..=self.random_plies) } else { 0 };
        if plies == 0 {
            return start;
        }
        (0..TRIES).find_map(|_| wander(&start.game, plies, rules, random)).unwrap_or(start)
    }
}

fn ending<G: Endings>(rules: &G::Rules, random: &mut Xoshiro256PlusPlus) -> Option<G> {
    G::random_ending(rules, &mut |limit| random.random_range(0..limit))
}

/// The game that begins at a position, if that is valid and not over. Its history is forgotten, as it will be when the
/// record is read.
fn read<G: Endings>(text: String, rules: &G::Rules) -> Option<Start<G>> {
    let game = G::from_position(&text, rules).ok()?;
    game.outcome().is_none().then_some(Start { text, game })
}

/// The position after `plies` random moves, if the game is not over there.
fn wander<G: Endings>(game: &G, plies: u32, rules: &G::Rules, random: &mut Xoshiro256PlusPlus) -> Option<Start<G>> {
    let mut game = game.clone();
    let mut moves = Vec::new();
    for _ in 0..plies {
        if game.legal_moves(&mut moves).is_some() {
            return None;
        }
        game.play(moves[random.random_range(0..moves.len())]);
    }
    read(game.position(), rules)
}
