//! What mistakes of many players have in common.

use std::collections::BTreeMap;
use std::path::Path;

use alfil_core::disk;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::chess::labels::{LABELS, labels, mover_names, names, seen_by_mover};
use crate::chess::{Mistake, Motif, Tactic, VectorKind, Vectors, feature_names, has};
use crate::cluster::{Groups, KMeans, LabelScore, Matrix, SparseMerge, label_scores};
use crate::extract::Share;
use crate::{Extracted, InsightError, Phase};

/// The version of the format.
const VERSION: u32 = 2;

/// A larger file is no model.
const LARGEST: u64 = 5 << 20;

/// The model that is part of the program (models/README.md says how it was made), and what messages call it.
const BUNDLED: &str = include_str!("../../../../models/mistakes.json");
const BUNDLED_NAME: &str = "of the program";

/// Moves in an opening from which on its rate is kept.
pub(super) const OPENING: u64 = 100;

/// Share of members from which a cluster is called by a phase or a label of the position, and by a motif.
const PHASE_SHARE: f64 = 0.6;
const MOTIF_SHARE: f64 = 0.3;

/// How often a motif or label has to be more frequent in a cluster than among all mistakes to be part of its name.
const LIFT: f64 = 1.5;

/// Sample positions that are kept of a cluster.
const SAMPLES: usize = 3;

/// Moves and mistakes by what they have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// All moves and mistakes.
    pub all: Share,
    /// By the phase of the game.
    pub phases: BTreeMap<Phase, Share>,
    /// By the piece that moved.
    pub pieces: BTreeMap<String, Share>,
    /// By opening.
    pub openings: BTreeMap<String, Share>,
    /// Mistakes that missed a motif.
    pub missed: BTreeMap<String, u64>,
    /// Mistakes that allowed one.
    pub allowed: BTreeMap<String, u64>,
    /// Mistakes by cluster.
    pub clusters: Vec<u64>,
}

/// Clusters of mistakes, and how often each kind of mistake is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    version: u32,
    /// What it was made from, in words.
    pub corpus: String,
    /// What vectors it was made from.
    pub vectors: VectorKind,
    /// The names of the numbers that it was made from.
    features: Vec<String>,
    merge: SparseMerge,
    means: Vec<f32>,
    deviations: Vec<f32>,
    centres: Vec<Vec<f32>>,
    /// The clusters, in the order of their sizes.
    pub clusters: Vec<Cluster>,
    /// How often each kind of mistake is made.
    pub base: Counts,
}

/// Mistakes that are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// What its mistakes have in common, in words.
    pub name: String,
    /// Positions near its centre.
    pub samples: Vec<Sample>,
}

/// A mistake that shows what a cluster is like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The position before the move.
    pub position: String,
    /// The move as people write it.
    pub played: String,
    /// A better one; empty if none is known.
    pub better: String,
}

/// A model, and what shows how it was made.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The cluster of each mistake.
    pub of: Vec<usize>,
    /// The vectors in which they were found.
    pub points: Matrix,
    /// Every label with its scores in each cluster.
    pub scores: Vec<(String, Vec<LabelScore>)>,
    /// The same for clusters of the same sizes whose mistakes are drawn by chance.
    by_chance: Vec<(String, Vec<LabelScore>)>,
}

impl Fitted {
    /// How well the clusters tell the labels of positions apart, from 0 to 1: what vectors are compared by.
    pub fn differentiation(&self) -> f64 {
        self.mean_differentiation(&self.scores)
    }

    /// What it would be for clusters of the same sizes whose mistakes are drawn by chance: small ones differ as well.
    pub fn differentiation_by_chance(&self) -> f64 {
        self.mean_differentiation(&self.by_chance)
    }

    fn mean_differentiation(&self, scores: &[(String, Vec<LabelScore>)]) -> f64 {
        let mut sizes = vec![0.0; self.model.clusters.len()];
        self.of.iter().for_each(|group| sizes[*group] += 1.0);
        let all: f64 = sizes.iter().sum();
        let of_label = |scores: &[LabelScore]| -> f64 {
            scores.iter().zip(&sizes).map(|(score, size)| score.differentiation * size).sum()
        };
        let positions = &scores[..scores.len().min(names().len())];
        positions.iter().map(|(_, scores)| of_label(scores)).sum::<f64>()
            / (all.max(1.0) * positions.len().max(1) as f64)
    }
}

impl Model {
    /// Finds `search.groups` clusters among mistakes by their vectors. `extracted` counts the moves that they were among, `corpus`
    /// says whose they are.
    pub fn fit(
        mistakes: &[Mistake<'_>],
        vectors: &Vectors,
        extracted: &Extracted,
        corpus: String,
        search: KMeans,
    ) -> Fitted {
        let merge = SparseMerge::fit(&vectors.rows, search.seed);
        let merged = merge.apply_all(&vectors.rows);
        let (means, deviations) = normal(&merged);
        let mut points = Matrix::new(merged.columns());
        merged.rows().for_each(|row| points.push(&scaled(row, &means, &deviations)));
        let found = search.fit(&points);
        // The largest cluster first.
        let sizes = found.sizes();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|group| std::cmp::Reverse(sizes[*group]));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let of: Vec<usize> = found.of.iter().map(|old| place[*old]).collect();
        let centres: Vec<Vec<f32>> = order.iter().map(|old| found.centres.row(*old).to_vec()).collect();
        let mut drawn = of.clone();
        drawn.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(search.seed));
        let [scores, by_chance] = [&of, &drawn].map(|of| scores(mistakes, of, centres.len()));
        let seen: Vec<_> = mistakes.iter().map(|mistake| seen_by_mover(&mistake.position)).collect();
        let clusters = centres.iter().enumerate().map(|(group, centre)| Cluster {
            name: name(mistakes, &seen, &of, group),
            samples: samples(mistakes, &points, &of, group, centre),
        });
        let mut clusters: Vec<Cluster> = clusters.collect();
        tell_apart(&mut clusters);
        let mut model = Model {
            version: VERSION,
            corpus,
            vectors: vectors.kind.clone(),
            features: vectors.names.clone(),
            merge,
            means,
            deviations,
            clusters,
            centres,
            base: Counts::default(),
        };
        model.base = model.count(mistakes, vectors, extracted);
        model.base.openings.retain(|_, counted| counted.moves >= OPENING);
        Fitted { model, of, points, scores, by_chance }
    }

    /// The cluster of a mistake with this vector.
    pub fn cluster(&self, vector: &[f32]) -> usize {
        let point = scaled(&self.merge.apply(vector), &self.means, &self.deviations);
        let mut centres = Matrix::new(point.len());
        self.centres.iter().for_each(|centre| centres.push(centre));
        Groups::nearest(&centres, &point)
    }

    /// Counts mistakes, and the moves that they were among. The vectors are those of the mistakes, of the model's kind.
    pub fn count(&self, mistakes: &[Mistake<'_>], vectors: &Vectors, extracted: &Extracted) -> Counts {
        let mut counts = Counts {
            all: Share { moves: extracted.moves, errors: extracted.errors },
            phases: extracted.phases.clone(),
            pieces: extracted.pieces.clone(),
            openings: extracted.openings.clone(),
            clusters: vec![0; self.clusters.len()],
            ..Counts::default()
        };
        for (mistake, vector) in mistakes.iter().zip(vectors.rows.rows()) {
            if let Some(count) = counts.clusters.get_mut(self.cluster(vector)) {
                *count += 1;
            }
            for (tactics, counted) in [(&mistake.missed, &mut counts.missed), (&mistake.allowed, &mut counts.allowed)] {
                for tactic in tactics {
                    *counted.entry(tactic.motif.name().to_owned()).or_default() += 1;
                }
            }
        }
        counts
    }

    /// The model that is part of the program.
    pub fn bundled() -> Result<Model, InsightError> {
        Model::parse(BUNDLED).map_err(|why| InsightError::Model { path: BUNDLED_NAME.into(), why })
    }

    /// Reads a model.
    pub fn read(path: &Path) -> Result<Model, InsightError> {
        let text = disk::read_text(path, LARGEST).map_err(InsightError::read(path))?;
        Model::parse(&text).map_err(|why| InsightError::Model { path: path.to_owned(), why })
    }

    /// Reads the text of a model.
    pub fn parse(text: &str) -> Result<Model, String> {
        let model: Model = serde_json::from_str(text).map_err(|why| why.to_string())?;
        let columns = model.merge.columns();
        let fits = |row: &Vec<f32>| row.len() == columns && row.iter().all(|value| value.is_finite());
        let is_known = model.vectors != VectorKind::Hand || model.features == feature_names();
        if model.version != VERSION || !is_known || model.merge.from() != model.features.len() {
            return Err("it was made by another version of the program: alfil insight fit makes a new one".to_owned());
        }
        let rows = model.centres.iter().chain([&model.means, &model.deviations]);
        if model.centres.is_empty() || model.clusters.len() != model.centres.len() || !rows.into_iter().all(fits) {
            return Err("its numbers do not belong together".to_owned());
        }
        Ok(model)
    }

    /// The text of the model; [`parse`](Model::parse) reads it back.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Writes a model, unless it would be too large to be read.
    pub fn write(&self, path: &Path) -> Result<(), InsightError> {
        let text = self.text();
        if text.len() as u64 > LARGEST {
            let why = format!("it has {} bytes, and the most is {LARGEST}: fewer clusters take less", text.len());
            return Err(InsightError::Model { path: path.to_owned(), why });
        }
        disk::write_whole(path, text.as_bytes()).map_err(InsightError::write(path))
    }
}

/// The mean of each column, and its standard deviation; 1 for a constant.
fn normal(points: &Matrix) -> (Vec<f32>, Vec<f32>) {
    let rows = points.len().max(1) as f64;
    let column = |of: &dyn Fn(f64, usize) -> f64, at: usize| -> f64 {
        points.rows().map(|row| of(f64::from(row[at]), at)).sum::<f64>() / rows
    };
    let means: Vec<f64> = (0..points.columns()).map(|at| column(&|value, _| value, at)).collect();
    let square = |value: f64, at: usize| (value - means[at]).powi(2);
    let deviations = (0..points.columns()).map(|at| match column(&square, at).sqrt() as f32 {
        deviation if deviation > 0.0 => deviation,
        _ => 1.0,
    });
    (means.iter().map(|mean| *mean as f32).collect(), deviations.collect())
}

fn scaled(row: &[f32], means: &[f32], deviations: &[f32]) -> Vec<f32> {
    row.iter().zip(means).zip(deviations).map(|((value, mean), deviation)| (value - mean) / deviation).collect()
}

/// Every label of the positions before the mistakes, and motifs and phases, with their scores in each cluster.
fn scores(mistakes: &[Mistake<'_>], of: &[usize], groups: usize) -> Vec<(String, Vec<LabelScore>)> {
    let all: Vec<_> = mistakes.iter().map(|mistake| labels(&mistake.position)).collect();
    let score = |name: String, values: Vec<i8>| (name, label_scores(&values, of, groups));
    let positions = names().into_iter().enumerate();
    let mut scores: Vec<_> =
        positions.map(|(at, name)| score(name, all.iter().map(|labels| labels[at]).collect())).collect();
    scores.push(score("phase".to_owned(), mistakes.iter().map(|mistake| mistake.phase as i8).collect()));
    for (what, tactics) in [("missed", missed as Tactics), ("allowed", allowed)] {
        for motif in Motif::ALL {
            let found = mistakes.iter().map(|mistake| i8::from(has(tactics(mistake), motif))).collect();
            scores.push(score(format!("{what} {}", motif.name()), found));
        }
    }
    scores
}

/// Which tactics of a mistake are meant.
type Tactics = for<'a, 'b> fn(&'a Mistake<'b>) -> &'a [Tactic];

fn missed<'a>(mistake: &'a Mistake<'_>) -> &'a [Tactic] {
    &mistake.missed
}

fn allowed<'a>(mistake: &'a Mistake<'_>) -> &'a [Tactic] {
    &mistake.allowed
}

/// Numbers clusters that would have the same name.
fn tell_apart(clusters: &mut [Cluster]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for cluster in clusters {
        let times = seen.entry(cluster.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            cluster.name = format!("{} ({times})", cluster.name);
        }
    }
}

/// What the mistakes of a cluster have in common, in words that players use.
fn name(mistakes: &[Mistake<'_>], seen: &[[i8; LABELS]], of: &[usize], group: usize) -> String {
    let share_by_index = |holds: &dyn Fn(usize) -> bool, inside: bool| -> f64 {
        let members = || (0..of.len()).filter(|index| !inside || of[*index] == group);
        members().filter(|index| holds(*index)).count() as f64 / members().count().max(1) as f64
    };
    let share = |holds: &dyn Fn(&Mistake<'_>) -> bool, inside| share_by_index(&|index| holds(&mistakes[index]), inside);
    let mut parts: Vec<(f64, String)> = Vec::new();
    for (what, tactics) in [("missed", missed as Tactics), ("allowed", allowed)] {
        for motif in Motif::ALL {
            let holds = |mistake: &Mistake<'_>| has(tactics(mistake), motif);
            let (inside, all) = (share(&holds, true), share(&holds, false));
            if inside >= MOTIF_SHARE && inside >= LIFT * all {
                parts.push((inside / all.max(1e-9), format!("{what} {}", motif.name())));
            }
        }
    }
    parts.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    // What is on the board, where it is there far more often than elsewhere.
    let mut on_board: Vec<(f64, String)> = Vec::new();
    for (at, label) in mover_names().into_iter().enumerate() {
        let is_there = |index: usize| seen[index][at] != 0;
        let (inside, all) = (share_by_index(&is_there, true), share_by_index(&is_there, false));
        if inside >= PHASE_SHARE && inside >= LIFT * all {
            on_board.push((inside / all.max(1e-9), label));
        }
    }
    on_board.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    parts.extend(on_board);
    let phase = Phase::ALL.into_iter().find(|phase| share(&|mistake| mistake.phase == *phase, true) >= PHASE_SHARE);
    let phase = phase.map_or("any phase", Phase::name).to_owned();
    let queens = |mistake: &Mistake<'_>| {
        use shakmaty::Position;
        !mistake.position.shakmaty().board().queens().is_empty()
    };
    let queens = match share(&queens, true) {
        share if share <= 0.1 => Some("no queens".to_owned()),
        _ => None,
    };
    std::iter::once(phase)
        .chain(queens)
        .chain(parts.into_iter().take(2).map(|(_, part)| part))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The members of a cluster that are nearest to its centre.
fn samples(mistakes: &[Mistake<'_>], points: &Matrix, of: &[usize], group: usize, centre: &[f32]) -> Vec<Sample> {
    let mut members: Vec<(f64, &Mistake<'_>)> = mistakes
        .iter()
        .zip(points.rows())
        .zip(of)
        .filter(|(_, of)| **of == group)
        .map(|((mistake, point), _)| (point.iter().zip(centre).map(|(a, b)| f64::from((a - b).powi(2))).sum(), mistake))
        .collect();
    members.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let sample = |(_, mistake): (f64, &Mistake<'_>)| Sample {
        position: mistake.record.position.clone(),
        played: mistake.record.played.clone(),
        better: mistake.record.better.split(' ').next().unwrap_or_default().to_owned(),
    };
    members.into_iter().take(SAMPLES).map(sample).collect()
}
