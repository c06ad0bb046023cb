//! What was measured, one line per generation.

use std::collections::BTreeMap;

use alfil_core::disk::{AppendFile, read, write_whole};
use alfil_core::lines::{seal, unseal};
use alfil_nn::learning::{Loss, Losses};
use alfil_selfplay::probe::Measured;
use serde::{Deserialize, Deserializer, Serialize};

use super::{RunDirectory, RunError};
use crate::fleet::FleetMetrics;

/// Bytes of the file at most.
const LARGEST: u64 = 1 << 30;

/// What a line says of its version. Those of version 1 say nothing.
const VERSION: u32 = 2;

/// A line.
#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    #[serde(flatten)]
    metrics: &'a Metrics,
}

/// Why a line cannot be used.
enum Unusable {
    Newer(u32),
    Damaged,
}

/// All that was measured in a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Which generation.
    pub generation: u32,
    /// Seconds since the run began, without pauses.
    pub seconds: f64,
    /// CPU seconds since then, of this program and of engines that have ended; none if a part of the run did not
    /// count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// Seconds of this generation, without pauses; 0 where that is not known.
    pub elapsed: f64,
    /// Its self-play games.
    #[serde(skip_serializing_if = "SelfplayMetrics::is_none")]
    pub selfplay: SelfplayMetrics,
    /// The folders of games that it learnt from, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<FolderMetrics>,
    /// Its training.
    pub learning: LearningMetrics,
    /// What the exported network and the search of self-play see of material, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeMetrics>,
    /// The candidate's match, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateMetrics>,
    /// Whether the candidate was promoted.
    pub promoted: bool,
    /// How strong the promoted network is, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingMetrics>,
    /// What other machines have done, if they play for the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetMetrics>,
}

/// Self-play of a generation. An interrupted generation has the speeds and the false resignations of its last part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct SelfplayMetrics {
    /// In overlap mode only the time that was spent waiting for games.
    pub seconds: f64,
    pub games: u64,
    pub positions: u64,
    /// Won, drawn and lost by the first player.
    pub results: [u64; 3],
    /// Mean plies per game.
    pub length: f64,
    pub resigned: u64,
    pub adjudicated: u64,
    /// Games that a side won by the rules; the rest was drawn. None in metrics of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub won_by_rules: Option<u64>,
    pub played_through: u64,
    pub false_resignations: u64,
    pub positions_per_second: f64,
    pub evaluations_per_second: f64,
    /// Mean number of positions that were evaluated together.
    pub batch: f64,
    /// The share of evaluations that came from the cache.
    pub cache_hits: f64,
    /// The share of time spent in the evaluator.
    pub evaluator_share: f64,
    /// Mean entropy of the policy targets, in nats.
    pub policy_entropy: f64,
    /// Mean divergence KL(target || prior) of the policy targets from the priors of the network that played, in nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_divergence: Option<Measured>,
}

/// Folders of games that a generation learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FolderMetrics {
    /// Epochs so far: 1.5 is half of the second one.
    pub epochs: f64,
    /// Games in the folders.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// The share of the positions learnt from that came from the folders.
    pub share: f64,
    /// Losses on held-out games of the folders alone, where others come from self-play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Losses>,
}

/// Training of a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct LearningMetrics {
    pub seconds: f64,
    /// Steps since the beginning.
    pub steps: u64,
    pub rate: f64,
    /// Positions in the window.
    pub window: u64,
    pub samples_per_second: f64,
    /// The share of time that was spent waiting for batches.
    pub waiting: f64,
    /// Means over the steps since the last interruption; none if there were no steps.
    pub training: Option<Losses>,
    /// On games that are never learnt from, with the averaged weights, before the statistics of the batch norms are
    /// gathered for the exported network.
    pub held_out: Option<Losses>,
    /// On games that are never learnt from: for ten ranges of the value that the exported network expects, the number
    /// of positions, the mean expected value and the mean result.
    pub calibration: Vec<[f64; 3]>,
    /// The value that the exported network expects in positions with an obvious value, by name.
    pub probes: BTreeMap<String, f64>,
}

/// What the exported network and the search of self-play see of material: see [`alfil_selfplay::probe`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProbeMetrics {
    /// How long it took.
    pub seconds: f64,
    /// On hanging pieces, the mean of |value after the capture - value before it|.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<Measured>,
    /// The same with its sign: positive where hanging pieces are not seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<Measured>,
    /// The correlation of the value with material after captures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<Measured>,
    /// The share of moves of self-play's search that lose much by alpha-beta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blunders: Option<Measured>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct GateMetrics {
    pub seconds: f64,
    /// Games that the candidate won, drew and lost.
    pub results: [u64; 3],
    pub elo: f64,
    /// Negative infinity if nothing was scored.
    #[serde(deserialize_with = "null_as_negative_infinity")]
    pub low: f64,
    /// Infinity if everything was won.
    #[serde(deserialize_with = "null_as_infinity")]
    pub high: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct RatingMetrics {
    pub seconds: f64,
    /// The generation whose network was rated.
    pub network: u32,
    pub elo: f64,
    /// Negative infinity if nothing was scored.
    #[serde(deserialize_with = "null_as_negative_infinity")]
    pub low: f64,
    /// Infinity if everything was won.
    #[serde(deserialize_with = "null_as_infinity")]
    pub high: f64,
    pub games: u64,
    /// The Elo of all players of the pool.
    pub standings: Vec<(String, f64)>,
    /// All networks that have been rated so far, from all games together: generation, Elo, low and high end of its
    /// interval.
    pub curve: Vec<(u32, f64, f64, f64)>,
    /// Whether the networks of the last half of the run get stronger; none if too few of them have been rated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trend: Option<TrendMetrics>,
    /// Shares of moves that keep the value of the game: with search, and by the policy alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exam: Option<ExamMetrics>,
}

/// The slope of the rating curve over the last half of the run, by its own clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrendMetrics {
    /// Where the last half begins and ends, in hours.
    pub hours: (f64, f64),
    /// Networks in it that have been rated.
    pub networks: u32,
    /// The Elo of the line where it begins.
    pub start: f64,
    /// The slope of the line, in Elo per hour.
    pub per_hour: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
}

impl TrendMetrics {
    /// What the slope means: `rising` if its interval lies above 0, `falling` if it lies below 0, otherwise `flat`.
    pub fn word(&self) -> &'static str {
        match self {
            TrendMetrics { low, .. } if *low > 0.0 => "rising",
            TrendMetrics { high, .. } if *high < 0.0 => "falling",
            _ => "flat",
        }
    }

    /// The Elo of the line after this many hours; none outside the last half.
    pub fn at(&self, hours: f64) -> Option<f64> {
        let (begin, end) = self.hours;
        (begin..=end).contains(&hours).then_some(self.start + self.per_hour * (hours - begin))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct ExamMetrics {
    pub positions: u64,
    pub search: f64,
    pub policy: f64,
}

impl LearningMetrics {
    /// How much larger a loss is on games that are never learnt from; none if either was not measured.
    pub fn excess(&self, loss: Loss) -> Option<f64> {
        Some(self.held_out.as_ref()?[loss] - self.training.as_ref()?[loss])
    }
}

impl SelfplayMetrics {
    /// Whether no games were played.
    fn is_none(&self) -> bool {
        *self == SelfplayMetrics::default()
    }

    /// The shares of games won by the rules, drawn by the rules, resigned and adjudicated, where they are known.
    pub fn ends(&self) -> [Option<f64>; 4] {
        let SelfplayMetrics { games, won_by_rules: won, resigned, adjudicated, .. } = *self;
        let early = resigned.saturating_add(adjudicated);
        let drawn = won.map(|won| games.saturating_sub(early).saturating_sub(won));
        let share = |ended: u64| (games > 0).then(|| ended as f64 / games as f64);
        [won, drawn, Some(resigned), Some(adjudicated)].map(|ended| ended.and_then(share))
    }
}

impl Metrics {
    /// The names of the parts of [`phases`](Metrics::phases).
    pub const PHASES: [&str; 5] = ["self-play", "training", "probe", "gate", "rating"];

    /// Seconds of each part of the work. What is missing in an interrupted generation was done before the interruption.
    pub fn phases(&self) -> [f64; 5] {
        let probe = self.probe.map_or(0.0, |probe| probe.seconds);
        let gate = self.gate.map_or(0.0, |gate| gate.seconds);
        let rating = self.rating.as_ref().map_or(0.0, |rating| rating.seconds);
        [self.selfplay.seconds, self.learning.seconds, probe, gate, rating]
    }

    /// Whether the generation played games, or learnt from folders alone.
    pub fn plays_games(&self) -> bool {
        self.games.is_none_or(|games| games.share < 1.0)
    }

    /// Positions that were played per hour of the run; none if no games are played or its time is not known.
    pub fn positions_per_hour(&self) -> Option<f64> {
        (self.elapsed > 0.0 && self.plays_games()).then(|| self.selfplay.positions as f64 * 3_600.0 / self.elapsed)
    }

    /// Reads the metrics of a run; a half-written last line is left out.
    pub fn load(directory: &RunDirectory) -> Result<Vec<Metrics>, RunError> {
        let path = directory.metrics();
        let error = |number, why| match why {
            Unusable::Newer(found) => RunError::Newer { path: path.clone(), found, known: VERSION },
            Unusable::Damaged => RunError::Damaged {
                path: path.clone(),
                why: format!("line {number} cannot be read, or is not as it was written; remove that line"),
            },
        };
        let lines = (1..).zip(lines(directory)?);
        lines.map(|(number, line)| Metrics::parse(&line).map_err(|why| error(number, why))).collect()
    }

    /// The metrics of a run as far as they can be read: a run goes on without the others.
    pub(crate) fn load_readable(directory: &RunDirectory) -> Result<Vec<Metrics>, RunError> {
        Ok(lines(directory)?.iter().filter_map(|line| Metrics::parse(line).ok()).collect())
    }

    /// Reads a line. Those of earlier versions have no checksum.
    fn parse(line: &[u8]) -> Result<Metrics, Unusable> {
        #[derive(Deserialize)]
        struct Versioned {
            #[serde(default)]
            version: u32,
        }
        let text = std::str::from_utf8(line).map_err(|_| Unusable::Damaged)?;
        let (json, _) = unseal(text.trim_end()).ok_or(Unusable::Damaged)?;
        match serde_json::from_str(&json).map_err(|_| Unusable::Damaged)? {
            Versioned { version } if version > VERSION => Err(Unusable::Newer(version)),
            Versioned { .. } => serde_json::from_str(&json).map_err(|_| Unusable::Damaged),
        }
    }

    /// Removes what was measured from a generation on: it is going to be measured again. Lines that cannot be read
    /// stay: the run does not need them.
    pub(crate) fn truncate_from(generation: u32, directory: &RunDirectory) -> Result<(), RunError> {
        let mut lines = lines(directory)?;
        lines.retain(|line| Metrics::parse(line).map_or(true, |metrics| metrics.generation < generation));
        let path = directory.metrics();
        write_whole(&path, &lines.concat()).map_err(|why| RunError::io("write", &path, why))
    }

    pub(crate) fn append(&self, directory: &RunDirectory) -> Result<(), RunError> {
        let path = directory.metrics();
        let failed = |why| RunError::io("write", &path, why);
        let line = Line { version: VERSION, metrics: self };
        let line = seal(&serde_json::to_string(&line).map_err(|why| failed(why.into()))?);
        AppendFile::open(&path).and_then(|mut file| file.append(line.as_bytes())).map_err(failed)
    }
}

/// The complete lines of the file, with their line ends.
fn lines(directory: &RunDirectory) -> Result<Vec<Vec<u8>>, RunError> {
    let path = directory.metrics();
    let bytes = match read(&path, LARGEST) {
        Ok(bytes) => bytes,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(RunError::io("read", &path, why)),
    };
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    Ok(lines.map(<[u8]>::to_vec).collect())
}

// JSON has no infinite numbers: they are written as null.

fn null_as_negative_infinity<'de, D: Deserializer<'de>>(number: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(number)?.unwrap_or(f64::NEG_INFINITY))
}

fn null_as_infinity<'de, D: Deserializer<'de>>(number: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(number)?.unwrap_or(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_is_named_by_its_interval() {
        let trend = |low, high| TrendMetrics { low, high, ..TrendMetrics::default() }.word();
        assert_eq!([trend(1.0, 9.0), trend(-9.0, -1.0), trend(-1.0, 9.0)], ["rising", "falling", "flat"]);
        assert_eq!(trend(f64::NAN, f64::NAN), "flat");
        let line = TrendMetrics { hours: (2.0, 4.0), start: 100.0, per_hour: 10.0, ..TrendMetrics::default() };
        assert_eq!([1.9, 2.0, 3.5, 4.1].map(|hours| line.at(hours)), [None, Some(100.0), Some(115.0), None]);
    }

    #[test]
    fn a_gate_with_all_games_won_or_lost_reads_back() {
        for (low, high) in [(12.0, f64::INFINITY), (f64::NEG_INFINITY, -12.0)] {
            let gate = GateMetrics { results: [40, 0, 0], low, high, ..GateMetrics::default() };
            let metrics = Metrics { gate: Some(gate), ..Metrics::default() };
            let text = serde_json::to_string(&metrics).unwrap();
            assert_eq!(serde_json::from_str::<Metrics>(&text).unwrap(), metrics);
        }
    }
}
