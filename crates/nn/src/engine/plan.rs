//! How batches are computed.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use super::instructions::Instructions;
use super::tile::TileSize;
use super::winograd::Geometry;

alfil_core::choices! {
    /// How exactly networks are computed.
    pub enum Precision {
        /// With 32-bit numbers throughout.
        Full = "full",
        /// With 16-bit numbers in the tower where that is faster and changes outputs by less than matches can show.
        Reduced = "reduced",
    }
}

impl Precision {
    /// Its name in settings.
    pub const fn text(self) -> &'static str {
        match self {
            Precision::Full => "full",
            Precision::Reduced => "reduced",
        }
    }

    /// The one with this name.
    pub fn named(text: &str) -> Option<Precision> {
        [Precision::Full, Precision::Reduced].into_iter().find(|precision| precision.text() == text)
    }
}

/// Tiles of 16 outputs that are worked on together where nothing was measured: enough to keep the processor busy with
/// each weight, few enough to stay in the second-level cache.
const TILES_AT_ONCE: usize = 32;

/// No group is larger.
pub(super) const LARGEST_GROUP: usize = 64;

/// How a batch is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// How convolutions are computed.
    pub algorithm: Algorithm,
    /// Positions worked on together.
    pub group: usize,
}

/// How batches of each size are computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// For batches up to a size, in ascending order. The last choice is for all that are larger as well.
    steps: Vec<(usize, Choice)>,
    /// Batches larger than this are hardly faster per position.
    preferred: usize,
}

impl Plan {
    /// An algorithm for batches of all sizes, in groups that suit most machines.
    pub(super) fn usual(algorithm: Algorithm, geometry: &Geometry) -> Plan {
        let group = (TILES_AT_ONCE / geometry.tiles(TileSize::Four)).max(1);
        Plan::only(Choice { algorithm, group })
    }

    /// For batches up to each size; there must be a choice.
    pub(super) fn new(steps: Vec<(usize, Choice)>, preferred: usize) -> Plan {
        Plan { steps, preferred }
    }

    /// One choice for all batches.
    pub fn only(choice: Choice) -> Plan {
        Plan { steps: vec![(1, choice)], preferred: 1 }
    }

    /// Whether it can be carried out with these instructions. Plans are read from files.
    pub(super) fn is_sound(&self, instructions: Instructions) -> bool {
        let sound = |(_, choice): &(usize, Choice)| {
            (1..=LARGEST_GROUP).contains(&choice.group) && instructions.allow(choice.algorithm.numbers)
        };
        !self.steps.is_empty()
            && self.steps.iter().all(sound)
            && self.steps.is_sorted_by_key(|(largest, _)| *largest)
            && (1..=LARGEST_GROUP).contains(&self.preferred)
    }

    /// The choice for a batch of this many positions.
    pub fn choice(&self, positions: usize) -> Choice {
        let enough = self.steps.iter().find(|(largest, _)| positions <= *largest);
        enough.or(self.steps.last()).map_or(Choice { algorithm: Algorithm::EXACT, group: 1 }, |(_, choice)| *choice)
    }

    /// Batches larger than this are hardly faster per position.
    pub fn preferred(&self) -> usize {
        self.preferred
    }

    /// All choices.
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice> {
        self.steps.iter().map(|(_, choice)| *choice)
    }

    /// The algorithms that it needs, each once.
    pub(super) fn algorithms(&self) -> Vec<Algorithm> {
        let mut algorithms: Vec<Algorithm> = self.choices().map(|choice| choice.algorithm).collect();
        algorithms.sort();
        algorithms.dedup();
        algorithms
    }
}
