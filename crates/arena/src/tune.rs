//! Numbers of a player that make it stronger, found by playing: SPSA, simultaneous perturbation stochastic
//! approximation (Spall, 1992).
//!
//! In each iteration all numbers are changed at once, each up or down at random. The player with these numbers plays a
//! few pairs of games against the one with the opposite changes, and all numbers move a little towards the winner.
//! Finished iterations are in a file, from which an interrupted tuning resumes.

use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_core::seed::derive;
use alfil_core::wording::{cut, shorten};
use alfil_game::FullGame;
use alfil_search::Adjudicator;
use serde::{Deserialize, Serialize};

use crate::contest::{Archive, ContestError, Match, MatchEnd, MatchSettings, StateError};
use crate::line_file::LineFile;
use crate::opening::Openings;
use crate::player::{BuildError, LineError, PlayerLine};

/// A number of a player that is tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its key in the player's line.
    pub key: String,
    /// Where it begins.
    pub start: f64,
    /// The range that it stays in.
    pub least: f64,
    /// The other end of the range.
    pub most: f64,
    /// Whether it takes whole numbers only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

impl Parameter {
    /// Half the difference between the two players of an iteration. Whole numbers differ by 1 at least.
    fn change(&self, share: f64) -> f64 {
        let range = self.most - self.least;
        let least = if self.whole { 0.5 } else { 0.0 };
        (share * range).max(least).min(range / 2.0)
    }

    /// A value that can be played with.
    fn playable(&self, value: f64) -> f64 {
        let value = if self.whole { value.round() } else { value };
        value.clamp(self.least, self.most)
    }

    /// Whether a player takes only whole numbers here. Our own say so by what they refuse; of an option of another program the
    /// numbers tell, by being written without a point.
    fn is_whole_for(&self, player: &str) -> bool {
        let reads = |number: &str| with_keys(player, [format!("{}={number}", self.key)]).parse::<PlayerLine>().is_ok();
        let start = self.start;
        self.whole
            && (self.key.starts_with("option.") || reads(&format!("{start:.0}")) && !reads(&format!("{start:.6}")))
    }
}

/// Why a parameter cannot be tuned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' should be a key, a number to begin with and a range around it, as in cpuct=1.7:0.5..4")]
pub struct ParameterError(String);

impl FromStr for Parameter {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Parameter, ParameterError> {
        let read = || {
            let (key, rest) = text.split_once('=')?;
            let (start, range) = rest.split_once(':')?;
            let (least, most) = range.split_once("..")?;
            let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
            let (start, least, most) = (number(start)?, number(least)?, number(most)?);
            let key = key.trim().to_owned();
            let is_sound = !key.is_empty() && least < most && (least..=most).contains(&start);
            // Where the key allows it: `tune` asks the player.
            let whole = ![start, least, most].iter().any(|number| number.fract() != 0.0)
                && !rest.replace("..", " ").contains('.');
            is_sound.then_some(Parameter { key, start, least, most, whole })
        };
        read().ok_or_else(|| ParameterError(shorten(text)))
    }
}

/// How to tune.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TuneSettings {
    /// Iterations in all, those of earlier runs included.
    pub iterations: u64,
    /// Pairs of games per iteration.
    pub pairs: u64,
    /// Games at a time.
    pub concurrency: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// The change of a number in the first iteration, as a share of its range. It falls slowly.
    pub change: f64,
    /// How far a number moves in the first iteration if one side wins all games, as a share of its range. It falls.
    pub step: f64,
}

/// Spall's exponents: how fast steps and changes fall.
const STEP_EXPONENT: f64 = 0.602;
const CHANGE_EXPONENT: f64 = 0.101;

/// Why tuning cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The line with the numbers names no player.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The player cannot be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The match cannot be played.
    #[error(transparent)]
    Contest(#[from] ContestError),
    /// A game was lost by a fault, which says nothing about the numbers.
    #[error("a game of iteration {0} was lost by a fault: {1}")]
    Fault(u64, String),
}

/// What identifies a tuning. The number of iterations and of games at a time may change from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "alfil-tune")]
    version: u32,
    game: String,
    player: String,
    openings: String,
    parameters: Vec<Parameter>,
    pairs: u64,
    seed: u64,
    change: f64,
    step: f64,
}

/// A finished iteration. Later versions may say more, which is ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Counted from 0.
    pub number: u64,
    /// Games won, drawn and lost by the player whose numbers were changed as the signs say.
    pub games: [u64; 3],
    /// The numbers after it.
    pub values: Vec<f64>,
}

/// The state of a tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneReport {
    /// What is tuned.
    pub parameters: Vec<Parameter>,
    /// All finished iterations.
    pub iterations: Vec<Iteration>,
}

impl TuneReport {
    /// The numbers as they are now.
    pub fn values(&self) -> Vec<f64> {
        let starts = || self.parameters.iter().map(|parameter| parameter.start).collect();
        self.iterations.last().map_or_else(starts, |last| last.values.clone())
    }

    /// The mean of each number over the last half of the iterations, and the standard deviation around it: how far
    /// the number still wanders, which is not how sure it is.
    pub fn late(&self) -> Vec<(f64, f64)> {
        let late = &self.iterations[self.iterations.len() / 2..];
        let count = late.len().max(1) as f64;
        (0..self.parameters.len())
            .map(|index| {
                let mean = late.iter().map(|iteration| iteration.values[index]).sum::<f64>() / count;
                let square = |iteration: &Iteration| (iteration.values[index] - mean).powi(2);
                (mean, (late.iter().map(square).sum::<f64>() / count).sqrt())
            })
            .collect()
    }

    /// A player's line with numbers in place of the parameters.
    pub fn line(&self, player: &str, values: &[f64]) -> String {
        line(player, &self.parameters, values)
    }
}

fn line(player: &str, parameters: &[Parameter], values: &[f64]) -> String {
    let written = parameters.iter().zip(values).map(|(parameter, &value)| match parameter.whole {
        true => format!("{}={:.0}", parameter.key, parameter.playable(value)),
        false => format!("{}={value:.6}", parameter.key),
    });
    with_keys(player, written)
}

/// A player's line with more keys.
fn with_keys(player: &str, written: impl IntoIterator<Item = String>) -> String {
    let separator = if player.contains(':') { ',' } else { ':' };
    format!("{player}{separator}{}", written.into_iter().collect::<Vec<_>>().join(","))
}

/// The direction of each change in an iteration.
fn signs(seed: u64, iteration: u64, parameters: usize) -> Vec<f64> {
    let sign = |index: u64| if derive(seed, &[iteration, index]) & 1 == 0 { 1.0 } else { -1.0 };
    (0..parameters as u64).map(sign).collect()
}

/// The numbers of both players of an iteration, as changes up and down. At an end of a range both are shifted inwards: if one were
/// only cut off there, the two would differ by less than the change that the result is taken to be for.
fn changed(parameters: &[Parameter], values: &[f64], signs: &[f64], share: f64) -> [Vec<f64>; 2] {
    [1.0, -1.0].map(|way| {
        let change = |((parameter, value), sign): ((&Parameter, &f64), &f64)| {
            let change = parameter.change(share);
            let between = value.max(parameter.least + change).min(parameter.most - change);
            parameter.playable(between + way * sign * change)
        };
        parameters.iter().zip(values).zip(signs).map(change).collect()
    })
}

/// The numbers after an iteration, of which the first player took this share of the points more than the other.
fn moved(parameters: &[Parameter], values: &[f64], signs: &[f64], lead: f64, step: f64) -> Vec<f64> {
    let move_one = |((parameter, value), sign): ((&Parameter, &f64), &f64)| {
        let Parameter { least, most, .. } = parameter;
        (value + sign * lead * step * (most - least)).clamp(*least, *most)
    };
    parameters.iter().zip(values).zip(signs).map(move_one).collect()
}

/// Tunes a player of a game until all iterations are played or `stop` is set. `tell` gets the state after every
/// iteration.
pub fn tune<G: FullGame>(
    player: &str,
    mut parameters: Vec<Parameter>,
    settings: TuneSettings,
    mut openings: Openings<G>,
    state: &Path,
    tell: &mut dyn FnMut(&TuneReport),
    stop: &AtomicBool,
) -> Result<TuneReport, TuneError> {
    parameters.iter_mut().for_each(|parameter| parameter.whole = parameter.is_whole_for(player));
    let header = |version| Header {
        version,
        game: G::NAME.to_owned(),
        player: player.to_owned(),
        openings: openings.identity().to_owned(),
        parameters: parameters.clone(),
        pairs: settings.pairs,
        seed: settings.seed,
        change: settings.change,
        step: settings.step,
    };
    let describe = |first: &str| {
        let theirs = serde_json::from_str::<Header>(first).ok()?;
        Some(format!("the tuning of {}", cut(&theirs.player, 200).escape_debug()))
    };
    let (mut file, lines) = LineFile::open(state, header, describe).map_err(ContestError::State)?;
    let mut report = TuneReport { parameters, iterations: Vec::new() };
    for (number, line) in lines.iter().enumerate() {
        let read = serde_json::from_str::<Iteration>(line).ok();
        let is_next = |read: &Iteration| {
            let in_range =
                |(value, Parameter { least, most, .. }): (&f64, &Parameter)| (*least..=*most).contains(value);
            read.number == number as u64
                && read.values.len() == report.parameters.len()
                && read.values.iter().zip(&report.parameters).all(in_range)
        };
        let damaged = || ContestError::State(file.damaged(number + 2));
        report.iterations.push(read.filter(is_next).ok_or_else(damaged)?);
    }
    tell(&report);
    for number in report.iterations.len() as u64..settings.iterations {
        let values = report.values();
        let signs = signs(settings.seed, number, values.len());
        let count = number as f64 + 1.0;
        // A tenth of the iterations, as Spall advises, so that the first steps are not the only ones.
        let delay = settings.iterations as f64 / 10.0;
        let step = settings.step * ((1.0 + delay) / (count + delay)).powf(STEP_EXPONENT);
        let change = settings.change / count.powf(CHANGE_EXPONENT);
        let entrants = changed(&report.parameters, &values, &signs, change)
            .map(|values| Ok::<_, TuneError>(report.line(player, &values).parse::<PlayerLine>()?.entrant::<G>()?));
        let [a, b] = entrants;
        let (a, b) = (a?, b?);
        openings.begin_at(number * settings.pairs);
        let contest = Match {
            a: &a,
            b: &b,
            openings: &mut openings,
            settings: MatchSettings {
                games: 2 * settings.pairs,
                concurrency: settings.concurrency,
                seed: derive(settings.seed, &[number]),
                sprt: None,
            },
            adjudicator: Adjudicator::default(),
            archive: Archive::default(),
        };
        let played = contest.run(&mut |_| {}, stop)?;
        if played.ended == Some(MatchEnd::Stopped) || stop.load(Relaxed) {
            break;
        }
        if let Some((_, fault)) = played.faults.first() {
            return Err(TuneError::Fault(number + 1, fault.what.clone()));
        }
        let lead = (played.wins as f64 - played.losses as f64) / played.games().max(1) as f64;
        let values = moved(&report.parameters, &values, &signs, lead, step);
        let iteration = Iteration { number, games: [played.wins, played.draws, played.losses], values };
        file.append([&iteration]).map_err(ContestError::State)?;
        report.iterations.push(iteration);
        tell(&report);
    }
    Ok(report)
}

impl From<StateError> for TuneError {
    fn from(error: StateError) -> TuneError {
        TuneError::Contest(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As for a player that takes decimals.
    fn parameter(text: &str) -> Parameter {
        Parameter { whole: false, ..text.parse().unwrap() }
    }

    #[test]
    fn whole_numbers_are_written_as_such() {
        let whole = |player: &str, text: &str| text.parse::<Parameter>().unwrap().is_whole_for(player);
        assert!(whole("trained", "visits=100:50..200") && whole("alphabeta:movetime=0.1", "depth=4:1..9"));
        assert!(!whole("trained", "cpuct=1:0..4") && !whole("trained", "cpuct=1.5:0..4"));
        assert!(whole("uci:engine,nodes=9", "option.Contempt=10:0..90"));
        assert!(!whole("uci:engine,nodes=9", "option.CPuct=1.0:0..4"));
        let visits = [Parameter { whole: true, ..parameter("visits=100:50..200") }];
        assert_eq!(line("trained", &visits, &[99.6]), "trained:visits=100");
        // However small the change, the two players differ.
        for value in [50.0, 50.3, 99.5, 100.0, 200.0] {
            let [up, down] = changed(&visits, &[value], &[1.0], 1e-9);
            assert_eq!(up[0] - down[0], 1.0, "{value}");
            assert!(up[0].fract() == 0.0 && down[0] >= 50.0 && up[0] <= 200.0);
        }
    }

    #[test]
    fn at_an_end_of_the_range_the_players_differ_by_the_whole_change() {
        for value in [0.0, 0.2, 2.0, 3.9, 4.0] {
            let [up, down] = changed(&[parameter("cpuct=1:0..4")], &[value], &[-1.0], 0.1);
            assert!((down[0] - up[0] - 0.8).abs() < 1e-9, "{value}: {up:?} {down:?}");
            assert!((0.0..=4.0).contains(&up[0]) && (0.0..=4.0).contains(&down[0]));
        }
    }

    #[test]
    fn parameters_are_read_and_nonsense_refused() {
        let expected = Parameter { key: "option.CPuct".to_owned(), start: 1.7, least: 0.5, most: 4.0, whole: false };
        assert_eq!(parameter("option.CPuct=1.7:0.5..4"), expected);
        for wrong in ["", "cpuct", "cpuct=1", "cpuct=1:2..3", "cpuct=1:3..0", "=1:0..2", "cpuct=nan:0..2", "a=1:0..inf"]
        {
            assert!(wrong.parse::<Parameter>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn lines_have_the_numbers() {
        let parameters = [parameter("cpuct=1:0..4"), parameter("fpu=0.5:0..1")];
        assert_eq!(line("trained", &parameters, &[1.5, 0.25]), "trained:cpuct=1.500000,fpu=0.250000");
        assert_eq!(line("trained:visits=20", &parameters[..1], &[2.0]), "trained:visits=20,cpuct=2.000000");
    }

    /// Games whose result follows from the numbers: the closer to the best ones, the more points.
    #[test]
    fn numbers_move_to_where_the_player_is_strongest() {
        let parameters = vec![parameter("a=1:0..10"), parameter("b=90:0..100")];
        let best = [7.0, 30.0];
        let strength = |values: &[f64]| -> f64 {
            let distance = |((value, best), Parameter { least, most, .. }): ((&f64, &f64), &Parameter)| {
                ((value - best) / (most - least)).powi(2)
            };
            -4.0 * values.iter().zip(&best).zip(&parameters).map(distance).sum::<f64>()
        };
        let mut values = vec![1.0, 90.0];
        let mut random = 12345u64;
        for iteration in 0..2_000 {
            let signs = signs(3, iteration, 2);
            let [up, down] = changed(&parameters, &values, &signs, 0.05);
            let expected = 0.5 + (strength(&up) - strength(&down)) / 2.0;
            // Eight games.
            let won = (0..8).filter(|game| {
                random = derive(random, &[*game]);
                (random >> 11) as f64 / (1u64 << 53) as f64 <= expected
            });
            let lead = (2.0 * won.count() as f64 - 8.0) / 8.0;
            let step = 0.03 / (1.0 + iteration as f64 / 200.0).powf(STEP_EXPONENT);
            values = moved(&parameters, &values, &signs, lead, step);
            assert!(values.iter().zip(&parameters).all(|(value, p)| (p.least..=p.most).contains(value)));
        }
        assert!((values[0] - 7.0).abs() < 1.0 && (values[1] - 30.0).abs() < 10.0, "{values:?}");
    }
}
