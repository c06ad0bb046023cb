//! The progress of a run.

use alfil_core::checksum::checksum;
use alfil_core::wording::shorten;
use alfil_nn::Size;
use alfil_selfplay::replay::{Cursor, DatasetFolder};
use serde::{Deserialize, Serialize};

use super::{Metrics, RunDirectory, RunError};

/// What is written. Version 1, which commit de99b77 wrote, has no checksum.
const VERSION: u32 = 2;

/// Between the contents of the file and their checksum, which is its last entry.
const CHECKSUM: &str = ",\n  \"checksum\": \"";

/// Bytes of a file at most: there is a number for each promoted network, and little else.
const LARGEST: u64 = 16 << 20;

/// Steps or games of a run at most: far more than any machine can do.
const MOST: u64 = 1 << 40;

/// The progress of a run. It is written when a piece of work is finished, after its results: whatever was begun and is
/// not in it is done again, with the same result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    version: u32,
    /// The generation under way, from 1.
    pub generation: u32,
    /// Its phase.
    pub phase: Phase,
    /// The generation whose network plays: 0 is the untrained one.
    pub champion: u32,
    /// All promoted networks, oldest first.
    pub promoted: Vec<u32>,
    /// Games with numbers below this are in the window.
    pub games: u64,
    /// Whether the games in the folder for self-play were played in overlap mode.
    pub overlap: bool,
    /// Training steps before this generation.
    pub steps: u64,
    /// Training steps at the end of this generation, as soon as that is known; before that, of the one before it. Those are
    /// more than `steps` if a damaged checkpoint has cost some.
    pub target: u64,
    /// Seconds of work so far, without pauses.
    pub seconds: f64,
    /// Milliseconds of work before this generation, by which its settings are chosen where they change with time. A whole
    /// number, so that a resumed run has exactly the same.
    #[serde(default)]
    pub began: u64,
    /// The size of the network that learns, if it is no longer that which the run began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Training steps of the networks that it has replaced.
    #[serde(default)]
    pub earlier: u64,
    /// CPU seconds in that time; none if earlier versions, which did not count them, worked on the run.
    #[serde(default)]
    pub cpu_seconds: Option<f64>,
    /// Seconds of work that ratings took.
    #[serde(default)]
    pub rating_seconds: f64,
    /// Whether the promoted network is rated in this generation, once that is decided. Kept where `rating.share` makes it
    /// depend on measured time.
    #[serde(default)]
    pub rates: Option<bool>,
    /// Whether a rating was due in an earlier generation and has to wait for its share of the time.
    #[serde(default)]
    pub rating_waits: bool,
    /// The folders of games that the run learns from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<DatasetFolder>,
    /// How far it has come in them: where the training of this generation begins or, when it is finished, that of the next one.
    #[serde(default, skip_serializing_if = "Cursor::is_start")]
    pub cursor: Cursor,
    /// What has been measured in this generation so far.
    pub pending: Metrics,
}

/// What is done for a generation, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Self-play games are played.
    Selfplay,
    /// The network learns from them.
    Learn,
    /// The candidate plays a match against the last promoted network.
    Gate,
    /// The promoted network is rated.
    Rate,
}

impl State {
    /// The beginning of a run.
    pub fn new() -> State {
        State {
            version: VERSION,
            generation: 1,
            phase: Phase::Selfplay,
            champion: 0,
            promoted: vec![0],
            games: 0,
            overlap: false,
            steps: 0,
            target: 0,
            seconds: 0.0,
            began: 0,
            size: None,
            earlier: 0,
            cpu_seconds: Some(0.0),
            rating_seconds: 0.0,
            rates: None,
            rating_waits: false,
            folders: Vec::new(),
            cursor: Cursor::default(),
            pending: Metrics::default(),
        }
    }

    /// Hours of work before this generation.
    pub fn hours(&self) -> f64 {
        self.began as f64 / 3_600_000.0
    }

    /// Reads the state of a run.
    pub fn load(directory: &RunDirectory) -> Result<State, RunError> {
        let path = directory.state();
        let bytes = alfil_core::disk::read(&path, LARGEST).map_err(|why| RunError::io("read", &path, why))?;
        State::parse(&bytes).map_err(|why| match why {
            Problem::Newer(found) => RunError::Newer { path: path.clone(), found, known: VERSION },
            Problem::Damaged(why) => {
                RunError::Damaged { path, why: format!("{why}; restore it from a copy, or begin another run") }
            }
        })
    }

    fn parse(bytes: &[u8]) -> Result<State, Problem> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
            checksum: Option<serde_json::Value>,
        }
        let damaged = |why: serde_json::Error| Problem::Damaged(shorten(&why.to_string()));
        let Versioned { version, checksum } = serde_json::from_slice(bytes).map_err(damaged)?;
        match version {
            1 if checksum.is_none() => {}
            VERSION if is_sealed(bytes) => {}
            newer if newer > VERSION => return Err(Problem::Newer(newer)),
            _ => return Err(Problem::Damaged("its checksum does not match".to_owned())),
        }
        let state = State { version: VERSION, ..serde_json::from_slice(bytes).map_err(damaged)? };
        match state.contradiction() {
            Some(why) => Err(Problem::Damaged(why.to_owned())),
            None => Ok(state),
        }
    }

    /// What no run can have come to.
    fn contradiction(&self) -> Option<&'static str> {
        let newest = if self.phase == Phase::Rate { self.generation } else { self.generation.saturating_sub(1) };
        let is_time = |seconds: f64| (0.0..=MOST as f64).contains(&seconds);
        let checks = [
            (self.generation > 0, "its generation is 0"),
            (self.promoted.first() == Some(&0), "its first network was not promoted"),
            (self.promoted.is_sorted_by(|a, b| a < b), "its promoted networks are not in order"),
            (self.promoted.last() == Some(&self.champion), "its champion is not the last network that was promoted"),
            (self.champion <= newest, "its champion is of a later generation"),
            (self.steps <= self.target, "it has taken more steps than it should have"),
            (
                [self.target, self.games, self.earlier, self.cursor.epoch].iter().all(|count| *count <= MOST),
                "it has more steps, games or epochs than any run",
            ),
            (is_time(self.seconds) && is_time(self.rating_seconds) && self.began <= MOST, "its time is wrong"),
            (self.cpu_seconds.is_none_or(is_time), "its CPU time is wrong"),
        ];
        checks.iter().find(|(holds, _)| !holds).map(|(_, why)| *why)
    }

    /// Writes the state of a run.
    pub fn save(&self, directory: &RunDirectory) -> Result<(), RunError> {
        let path = directory.state();
        let text = serde_json::to_string_pretty(self).map_err(|why| RunError::io("write", &path, why.into()))?;
        let text = sealed(text.trim_end_matches("\n}").as_bytes());
        alfil_core::disk::write_whole(&path, &text).map_err(|why| RunError::io("write", &path, why))
    }
}

/// Why a text is not the state of a run.
#[derive(Debug)]
enum Problem {
    Newer(u32),
    Damaged(String),
}

/// The text of an object without its end, with the checksum of all that as its last entry.
fn sealed(text: &[u8]) -> Vec<u8> {
    [text, format!("{CHECKSUM}{:016x}\"\n}}\n", checksum(text)).as_bytes()].concat()
}

fn is_sealed(bytes: &[u8]) -> bool {
    let length = bytes.len().checked_sub(sealed(&[]).len());
    length.is_some_and(|length| sealed(&bytes[..length]) == bytes)
}

impl Default for State {
    fn default() -> State {
        State::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state as it is in a file.
    fn bytes(state: &State) -> Vec<u8> {
        let text = serde_json::to_string_pretty(state).unwrap();
        sealed(text.trim_end_matches("\n}").as_bytes())
    }

    fn example() -> State {
        State { generation: 9, champion: 8, promoted: vec![0, 3, 8], games: 500, target: 70, steps: 70, ..State::new() }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = include_bytes!("../../tests/version2/state.json");
        // Earlier versions did not count CPU time.
        assert_eq!(State::parse(bytes).unwrap(), State { cpu_seconds: None, ..example() });
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.to_vec();
            flipped[at / 8] ^= 1 << (at % 8);
            assert!(State::parse(&flipped).is_err(), "bit {at} of {}", String::from_utf8_lossy(&flipped));
        }
    }

    #[test]
    fn a_state_that_contradicts_itself_is_refused_whatever_its_version() {
        let wrong = [
            State { generation: 0, ..example() },
            State { champion: 0, ..example() },
            State { champion: 9, promoted: vec![0, 9], ..example() },
            State { promoted: vec![3, 8], ..example() },
            State { promoted: vec![0, 3, 3, 8], ..example() },
            State { promoted: Vec::new(), ..example() },
            State { steps: 71, ..example() },
            State { target: 1_000_000_000_000_000_000, ..example() },
            State { games: 1 << 60, ..example() },
            State { seconds: -1.0, ..example() },
            State { cpu_seconds: Some(-1.0), ..example() },
            State { rating_seconds: 1e300, ..example() },
        ];
        for state in wrong {
            for version in [1, 2] {
                let state = State { version, ..state.clone() };
                assert!(matches!(State::parse(&bytes(&state)), Err(Problem::Damaged(_))), "{state:?}");
            }
        }
        let old = State { version: 1, ..example() };
        assert_eq!(State::parse(serde_json::to_string(&old).unwrap().as_bytes()).unwrap(), example());
        let rated = State { phase: Phase::Rate, generation: 8, ..example() };
        assert_eq!(State::parse(&bytes(&rated)).unwrap(), rated);
    }

    #[test]
    fn later_versions_may_add_entries_and_are_named_where_they_cannot_be_read() {
        let text = String::from_utf8(bytes(&example())).unwrap();
        let (contents, _) = text.split_once(CHECKSUM).unwrap();
        let more = sealed(format!("{contents},\n  \"mood\": [\"good\"]").as_bytes());
        assert_eq!(State::parse(&more).unwrap(), example());
        let newer = bytes(&State { version: 3, ..example() });
        assert!(matches!(State::parse(&newer), Err(Problem::Newer(3))));
    }
}
