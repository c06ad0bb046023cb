//! Another program as a player.

use std::time::{Duration, Instant};

use alfil_game::Notation;

use super::{Choice, Played, Player, PlayerError};
use crate::engine::{Go, Uci};
use alfil_core::wording::shorten;

/// Which program, and how it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalSettings {
    /// Its name or path, and arguments separated by blanks.
    pub command: String,
    /// UCI options by name.
    pub options: Vec<(String, String)>,
    /// The limits of its search.
    pub go: Go,
    /// How long to wait for it.
    pub patience: Timeouts,
}

impl ExternalSettings {
    /// The program with no options.
    pub fn new(command: &str, go: Go) -> ExternalSettings {
        ExternalSettings { command: command.to_owned(), options: Vec::new(), go, patience: Timeouts::default() }
    }

    /// The threads that it keeps busy, as far as its options say.
    pub(super) fn threads(&self) -> u32 {
        let named = self.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
        named.and_then(|(_, value)| value.parse().ok()).unwrap_or(1)
    }
}

/// How long to wait for a program, beyond its thinking time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Time to be ready, at the start and between moves. Large networks take seconds to load.
    pub ready: Duration,
    /// Time beyond that for a move. Other games may keep the machine busy.
    pub late: Duration,
    /// Time beyond a running clock in a whole game, for the communication.
    pub flag: Duration,
    /// Time for a move with no time limit, only nodes or depth.
    pub untimed: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            ready: Duration::from_secs(20),
            late: Duration::from_secs(5),
            flag: Duration::from_millis(250),
            untimed: Duration::from_secs(600),
        }
    }
}

/// A program that speaks UCI, in the game's own notation for positions and moves. It is started for its first move, and
/// again after a game in which it failed. It ends with the thread that started it, so a game is played on one thread.
pub struct ExternalPlayer {
    settings: ExternalSettings,
    engine: Option<Uci>,
    /// Whether it has been told of the game that is played.
    knows_game: bool,
    /// What is left of the clock.
    left: Duration,
    /// What is left, for the whole game, of the time beyond the clock.
    grace: Duration,
}

impl ExternalPlayer {
    /// A player that starts its program when it is needed.
    pub fn new(settings: ExternalSettings) -> ExternalPlayer {
        ExternalPlayer { settings, engine: None, knows_game: false, left: Duration::ZERO, grace: Duration::ZERO }
    }

    /// Starts the program once, to see whether it can be used for a game.
    pub fn try_out<G: Notation>(settings: &ExternalSettings) -> Result<(), PlayerError> {
        start::<G>(settings, &|| false).map(drop)
    }

    fn ask<G: Notation>(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let ExternalSettings { go, patience, .. } = &self.settings;
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => none.insert(start::<G>(&self.settings, stop)?),
        };
        if !std::mem::replace(&mut self.knows_game, true) {
            engine.new_game(stop)?;
        }
        let time = match (go.movetime, go.clock) {
            (_, Some(_)) => self.left + self.grace,
            (Some(time), None) => time + patience.late,
            (None, None) => patience.untimed,
        };
        engine.play_by(game.start().chosen_rules())?;
        let began = Instant::now();
        let answer = engine.go(&position(game), &go.command(self.left), time, stop)?;
        let answer =
            answer.ok_or(if go.clock.is_some() { PlayerError::OutOfTime } else { PlayerError::Stalled(time) })?;
        if let Some((_, increment)) = go.clock {
            let took = began.elapsed();
            self.grace = self.grace.saturating_sub(took.saturating_sub(self.left));
            self.left = self.left.saturating_sub(took) + increment;
        }
        let illegal = |_| PlayerError::Illegal(shorten(&answer.best));
        Ok(Choice { m: game.now().parse_move(&answer.best).map_err(illegal)?, opinion: answer.opinion })
    }
}

fn start<G: Notation>(settings: &ExternalSettings, stop: &dyn Fn() -> bool) -> Result<Uci, PlayerError> {
    Uci::start(&settings.command, G::NAME, &settings.options, settings.patience.ready, stop)
}

impl<G: Notation> Player<G> for ExternalPlayer {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerError> {
        self.left = self.settings.go.clock.map_or(Duration::ZERO, |(base, _)| base);
        self.grace = self.settings.patience.flag;
        self.knows_game = false;
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        // After any error, the next game begins with a new process.
        self.ask(game, stop).inspect_err(|_| self.engine = None)
    }
}

/// The position command.
fn position<G: Notation>(game: &Played<G>) -> String {
    let start = game.start().position();
    let mut text = if start == G::new(&G::Rules::default()).position() {
        "position startpos".to_owned()
    } else {
        format!("position fen {start}")
    };
    if !game.moves().is_empty() {
        text += " moves ";
        text += &game.moves_text();
    }
    text
}
