//! What is fastest on this machine.
//!
//! Which algorithm wins depends on how fast the processor multiplies and how fast its caches deliver weights, which no
//! table of processors tells. So the convolutions of a tower are timed with weights of the right size, for some
//! milliseconds, and the result is kept in Alfil's cache folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::aligned::Aligned;
use super::instructions::Instructions;
use super::matrix::panel_width;
use super::plan::{Choice, Plan, Precision};
use super::product::Numbers;
use super::tile::TileSize;
use super::winograd::{Context, Finish, Geometry, Winograd, Workspace};
use super::{Algorithm, processor};
use crate::architecture::{Activation, Architecture};

/// Positions that are tried together.
const GROUPS: [usize; 5] = [1, 2, 4, 8, 16];

/// Measurements of each, of which the fastest counts: other programs only make it slower.
const ROUNDS: usize = 3;

/// An algorithm must be faster by this factor to be chosen in place of a more exact one, or as a second one beside the
/// one for large batches, which costs memory.
const WORTHWHILE: f64 = 1.05;

/// Towers with more bytes of weights are measured in part: caches hold none of them whole.
const MOST_BYTES: usize = 64 << 20;

/// The time that the tower takes for a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// How.
    #[serde(flatten)]
    pub choice: Choice,
    /// Seconds per position in the tower.
    pub seconds: f64,
}

/// What was measured for a network, and what follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// How batches of each size are to be computed.
    pub plan: Plan,
    /// The measurements.
    pub measured: Vec<Measurement>,
}

impl Calibration {
    /// What is fastest for networks of this architecture: as it was measured before, or measured now.
    pub fn of(architecture: &Architecture, instructions: Instructions, precision: Precision) -> Calibration {
        let known = file().as_deref().map(read).unwrap_or_default().remove(&key(architecture, instructions, precision));
        let known = known.filter(|known| known.plan.is_sound(instructions));
        known.unwrap_or_else(|| Calibration::again(architecture, instructions, precision))
    }

    /// The same, measured now whatever was measured before, perhaps while other programs kept the machine busy.
    pub fn again(architecture: &Architecture, instructions: Instructions, precision: Precision) -> Calibration {
        let key = key(architecture, instructions, precision);
        let calibration = Calibration::measure(architecture, instructions, precision);
        tracing::info!(key, ?calibration, "measured what is fastest for this network");
        if let Some(file) = file() {
            keep(&file, read(&file), key, &calibration);
        }
        calibration
    }

    /// Measures what is fastest for networks of this architecture.
    pub fn measure(architecture: &Architecture, instructions: Instructions, precision: Precision) -> Calibration {
        let measured: Vec<Measurement> = candidates(instructions, precision)
            .into_iter()
            .flat_map(|algorithm| measure(architecture, instructions, algorithm))
            .collect();
        Calibration { plan: plan(&measured, &[]), measured }
    }

    /// What is fastest without some of the algorithms.
    pub(super) fn plan_without(&self, excluded: &[Algorithm]) -> Plan {
        plan(&self.measured, excluded)
    }
}

/// The algorithms that come into question, the most exact first. F(2x2) needs 1.8 times the products of F(4x4), but less
/// than half of the weights. Direct convolution, with 4 times the products and a quarter of the weights, loses to both
/// wherever it was measured (docs/decisions/0003-own-cpu-engine.md).
fn candidates(instructions: Instructions, precision: Precision) -> Vec<Algorithm> {
    let all = [
        Algorithm::EXACT,
        Algorithm { tile: TileSize::Two, numbers: Numbers::Single },
        Algorithm { tile: TileSize::Four, numbers: Numbers::Half },
        Algorithm { tile: TileSize::Two, numbers: Numbers::Half },
        Algorithm::BRAIN[1],
        Algorithm::BRAIN[0],
    ];
    let is_allowed =
        |numbers| numbers == Numbers::Single || precision == Precision::Reduced && instructions.are_for(numbers);
    all.into_iter().filter(|algorithm| is_allowed(algorithm.numbers)).collect()
}

/// The time per position of an algorithm for each size of a group.
fn measure(architecture: &Architecture, instructions: Instructions, algorithm: Algorithm) -> Vec<Measurement> {
    let geometry = Geometry::new(architecture.height, architecture.width);
    let channels = architecture.filters.next_multiple_of(panel_width(instructions.lanes()));
    let layers = architecture.tower_layers().max(1);
    let sampled = layers.min((MOST_BYTES / (channels * channels * algorithm.bytes())).max(2));
    let tower: Vec<Winograd> = (0..sampled).map(|_| Winograd::for_measurement(algorithm, channels, channels)).collect();
    let most = GROUPS[GROUPS.len() - 1];
    let boards = || Aligned::zeros(most * geometry.bordered() * channels);
    let (mut main, mut inner) = (boards(), boards());
    let mut workspace = Workspace::new(&geometry, std::iter::once((algorithm.tile, most)), channels);
    GROUPS
        .into_iter()
        .map(|group| {
            // Weights matter less the more positions there are, and time is short.
            let sampled = sampled.div_ceil(group).max(4).min(sampled);
            let mut context =
                Context { instructions, geometry: &geometry, positions: group, workspace: &mut workspace };
            let mut pass = || {
                let began = Instant::now();
                for layer in &tower[..sampled] {
                    layer.run(&mut context, &main, &mut inner, Finish::Activate(Activation::Relu));
                    std::mem::swap(&mut main, &mut inner);
                }
                began.elapsed().as_secs_f64()
            };
            let fastest = (0..ROUNDS).map(|_| pass()).fold(f64::INFINITY, f64::min);
            let seconds = fastest / (sampled * group) as f64 * layers as f64;
            Measurement { choice: Choice { algorithm, group }, seconds }
        })
        .collect()
}

/// The fastest choices, of at most two algorithms, which are not among `excluded`.
fn plan(measured: &[Measurement], excluded: &[Algorithm]) -> Plan {
    let best = |batch: usize, among: &[Algorithm]| {
        let mut best: Option<Measurement> = None;
        let candidates = measured.iter().filter(|m| m.choice.group <= batch && among.contains(&m.choice.algorithm));
        for candidate in candidates {
            // The more exact ones come first. Within an algorithm every gain counts.
            let needed = match best {
                Some(best) if best.choice.algorithm != candidate.choice.algorithm => WORTHWHILE,
                _ => 1.0,
            };
            if best.is_none_or(|best| best.seconds > needed * candidate.seconds) {
                best = Some(*candidate);
            }
        }
        best
    };
    let all = measured.iter().map(|m| m.choice.algorithm).filter(|algorithm| !excluded.contains(algorithm));
    let all: Vec<Algorithm> = all.collect();
    let largest = GROUPS[GROUPS.len() - 1];
    let Some(large) = best(largest, &all) else { return Plan::only(Choice { algorithm: Algorithm::EXACT, group: 1 }) };
    let mut used = vec![large.choice.algorithm];
    if let (Some(other), Some(same)) = (best(1, &all), best(1, &used))
        && same.seconds > WORTHWHILE * other.seconds
    {
        used.push(other.choice.algorithm);
    }
    let steps: Vec<(usize, Measurement)> =
        GROUPS.into_iter().filter_map(|batch| Some((batch, best(batch, &used)?))).collect();
    let fastest = steps.iter().map(|(_, m)| m.seconds).fold(f64::INFINITY, f64::min);
    let preferred = steps.iter().find(|(_, m)| m.seconds <= WORTHWHILE * fastest).map_or(1, |(batch, _)| *batch);
    Plan::new(steps.into_iter().map(|(batch, m)| (batch, m.choice)).collect(), preferred)
}

/// The file in the cache folder, with the version of its contents and of what they are about.
const FILE: &str = "calibration-1.json";

/// A larger file is ignored.
const LARGEST_FILE: u64 = 1 << 20;

/// When there are more entries, all are forgotten: they can be measured again. Two processes that measure at the same time may
/// forget what the other found, which is then measured again too.
const MOST_ENTRIES: usize = 500;

fn key(architecture: &Architecture, instructions: Instructions, precision: Precision) -> String {
    let Architecture { height, width, filters, blocks, .. } = architecture;
    let processor = processor::name();
    let precision = precision.text();
    format!("{processor}, {}, {width}x{height}, {filters}x{}, {precision}", instructions.name(), blocks.len())
}

fn file() -> Option<PathBuf> {
    alfil_core::disk::cache_folder().map(|folder| folder.join(FILE))
}

fn read(file: &Path) -> BTreeMap<String, Calibration> {
    let bytes = alfil_core::disk::read(file, LARGEST_FILE).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Keeps a calibration for the next time. A folder that cannot be written is no reason not to play.
fn keep(file: &Path, mut known: BTreeMap<String, Calibration>, key: String, calibration: &Calibration) {
    if known.len() >= MOST_ENTRIES {
        known.clear();
    }
    known.insert(key, calibration.clone());
    let Ok(bytes) = serde_json::to_vec(&known) else { return };
    let folder = file.parent().map_or(Ok(()), alfil_core::disk::make_folder);
    if let Err(error) = folder.and_then(|()| alfil_core::disk::write_whole(file, &bytes)) {
        tracing::info!(%error, "cannot keep the calibration");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tile: TileSize, numbers: Numbers, seconds: [f64; 5]) -> impl Iterator<Item = Measurement> {
        let algorithm = Algorithm { tile, numbers };
        GROUPS
            .into_iter()
            .zip(seconds)
            .map(move |(group, seconds)| Measurement { choice: Choice { algorithm, group }, seconds })
    }

    #[test]
    fn the_fastest_is_chosen_for_each_batch() {
        let measured: Vec<_> = at(TileSize::Four, Numbers::Single, [9.0, 6.0, 4.0, 3.0, 3.5])
            .chain(at(TileSize::Two, Numbers::Single, [6.0, 5.5, 5.5, 5.5, 5.5]))
            .collect();
        let plan = plan(&measured, &[]);
        let choice = |batch| (plan.choice(batch).algorithm.tile, plan.choice(batch).group);
        assert_eq!(choice(1), (TileSize::Two, 1));
        assert_eq!(choice(2), (TileSize::Two, 2));
        assert_eq!(choice(3), (TileSize::Four, 4));
        assert_eq!(choice(16), (TileSize::Four, 8));
        assert_eq!(choice(1000), (TileSize::Four, 8));
        assert_eq!(plan.preferred(), 8);
    }

    #[test]
    fn a_gain_of_nearly_nothing_is_not_worth_precision_or_memory() {
        let measured: Vec<_> = at(TileSize::Four, Numbers::Single, [5.1, 5.1, 5.1, 5.1, 5.0])
            .chain(at(TileSize::Two, Numbers::Brain, [4.9, 4.9, 4.9, 4.9, 4.9]))
            .chain(at(TileSize::Four, Numbers::Brain, [1.0, 1.0, 1.0, 1.0, 1.0]))
            .collect();
        assert_eq!(plan(&measured, &[]).algorithms(), [Algorithm::BRAIN[0]]);
        let plan = plan(&measured, &[Algorithm::BRAIN[0]]);
        assert_eq!(plan.algorithms(), [Algorithm::EXACT]);
        assert_eq!(plan.preferred(), 1);
    }

    #[test]
    fn what_was_measured_is_read_again_and_nonsense_ignored() {
        let folder = std::env::temp_dir().join(format!("alfil-calibration-{}", std::process::id()));
        let file = folder.join("deep").join(FILE);
        let measured: Vec<_> = at(TileSize::Four, Numbers::Half, [5.0, 4.0, 3.0, 2.0, 1.0]).collect();
        let calibration = Calibration { plan: plan(&measured, &[]), measured };
        keep(&file, read(&file), "key".to_owned(), &calibration);
        assert_eq!(read(&file).get("key"), Some(&calibration));
        let text = std::fs::read_to_string(&file).unwrap();
        for damaged in [text.replace("\"group\":16", "\"group\":0"), text.replace("\"group\":16", "\"group\":999")] {
            std::fs::write(&file, &damaged).unwrap();
            let known = read(&file);
            assert!(known.get("key").is_none_or(|known| !known.plan.is_sound(Instructions::best())));
        }
        for damaged in [&text[..text.len() / 2], "", "[]", "{\"key\":{\"plan\":{\"steps\":[],\"preferred\":1}}}"] {
            std::fs::write(&file, damaged).unwrap();
            assert_eq!(read(&file), BTreeMap::new(), "{damaged}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_measurement_chooses_what_it_measured() {
        let architecture = Architecture::new::<alfil_game::tictactoe::Stones>("8x1".parse().unwrap());
        for instructions in Instructions::available() {
            let calibration = Calibration::measure(&architecture, instructions, Precision::Reduced);
            assert!(calibration.plan.is_sound(instructions));
            assert!(calibration.measured.iter().all(|m| m.seconds > 0.0 && m.seconds.is_finite()));
            let full = Calibration::measure(&architecture, instructions, Precision::Full);
            assert!(full.plan.algorithms().iter().all(|algorithm| algorithm.numbers == Numbers::Single));
        }
    }
}
