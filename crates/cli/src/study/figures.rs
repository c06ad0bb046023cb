//! Figures of a game, from a sample.

use serde_json::{Value, json};

use super::histogram::Histogram;
use super::sample::Sample;

/// Plies that are counted together.
pub const STEP: usize = 10;

/// Plies that a smaller share of the games reaches are not shown one by one: they would show only noise.
pub const FEW: f64 = 0.05;

/// A game's name, or that of a collection, with a sample of its games.
pub struct Figures {
    pub game: String,
    pub sample: Sample,
}

impl Figures {
    /// Legal moves in all positions.
    pub fn branching(&self) -> Histogram {
        self.sample.by_ply.iter().collect()
    }

    /// Legal moves in the positions from ply `from` up to but not including ply `to`.
    pub fn branching_between(&self, from: usize, to: usize) -> Histogram {
        self.sample.by_ply.iter().take(to).skip(from).collect()
    }

    /// Games that reach this ply.
    pub fn games_at(&self, ply: usize) -> u64 {
        self.sample.by_ply.get(ply).map_or(0, Histogram::total)
    }

    /// Plies that at least the share [`FEW`] of the games reaches.
    pub fn common_plies(&self) -> usize {
        let least = FEW * self.sample.lengths.total() as f64;
        self.sample.by_ply.iter().take_while(|histogram| histogram.total() as f64 >= least).count()
    }

    /// The decimal logarithm of the size of the game tree, by Allis's estimate (1994): mean length times the logarithm
    /// of the mean branching factor.
    pub fn log10_tree(&self) -> f64 {
        self.sample.lengths.mean() * self.branching().mean().max(1.0).log10()
    }

    /// All figures.
    pub fn json(&self) -> Value {
        let moves = |histogram: &Histogram| {
            json!({
                "positions": histogram.total(),
                "mean": histogram.mean(),
                "median": histogram.quantile(0.5),
                "max": histogram.largest(),
            })
        };
        let steps = (0..self.sample.by_ply.len()).step_by(STEP).map(|from| {
            let mut step = moves(&self.branching_between(from, from + STEP));
            step["from"] = from.into();
            step["games"] = self.games_at(from).into();
            step
        });
        let lengths = &self.sample.lengths;
        json!({
            "game": self.game,
            "branching": moves(&self.branching()),
            "by_ply": steps.collect::<Vec<_>>(),
            "length": {
                "mean": lengths.mean(),
                "median": lengths.quantile(0.5),
                "quartiles": [lengths.quantile(0.25), lengths.quantile(0.75)],
                "max": lengths.largest(),
            },
            "ends": self.sample.ends,
            "log10_tree": self.log10_tree(),
        })
    }
}
