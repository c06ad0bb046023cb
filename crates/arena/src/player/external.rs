//! Another program as a player.

use std::time::{Duration, Instant};

use alfil_game::Notation;

use super::{Choice, Judged, Label, LabelSettings, Played, Player, PlayerError};
use crate::engine::{Answer, Go, Uci};
use alfil_core::wording::shorten;

/// Which program, and how it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalSettings {
    /// Its name or path, and arguments separated by blanks.
    pub command: String,
    /// UCI options by name, all of which it must have.
    pub options: Vec<(String, String)>,
    /// UCI options that are set before those, if it has them.
    pub wishes: Vec<(String, String)>,
    /// The limits of its search.
    pub go: Go,
    /// How long to wait for it.
    pub patience: Timeouts,
}

impl ExternalSettings {
    /// The program with no options.
    pub fn new(command: &str, go: Go) -> ExternalSettings {
        let (options, wishes) = (Vec::new(), Vec::new());
        ExternalSettings { command: command.to_owned(), options, wishes, go, patience: Timeouts::default() }
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

    /// What the program says about the position. After any error, the next game begins with a new process.
    fn ask<G: Notation>(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Answer, PlayerError> {
        self.try_to_ask(game, stop).inspect_err(|_| self.engine = None)
    }

    fn try_to_ask<G: Notation>(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Answer, PlayerError> {
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
        Ok(answer)
    }

    /// The move that the program means. One that is not legal ends its process, like any other error.
    fn read_move<G: Notation>(&mut self, game: &Played<G>, text: &str) -> Result<G::Move, PlayerError> {
        game.now().parse_move(text).map_err(|_| {
            self.engine = None;
            PlayerError::Illegal(shorten(text))
        })
    }
}

fn start<G: Notation>(settings: &ExternalSettings, stop: &dyn Fn() -> bool) -> Result<Uci, PlayerError> {
    let ExternalSettings { command, options, wishes, patience, .. } = settings;
    Uci::start(command, G::NAME, options, wishes, patience.ready, stop)
}

impl<G: Notation> Player<G> for ExternalPlayer {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerError> {
        self.left = self.settings.go.clock.map_or(Duration::ZERO, |(base, _)| base);
        self.grace = self.settings.patience.flag;
        self.knows_game = false;
        Ok(())
    }

    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError> {
        let answer = self.ask(game, stop)?;
        Ok(Choice { m: self.read_move(game, &answer.best)?, opinion: answer.opinion() })
    }

    /// What it said last and was not only a bound. Moves that are not legal end the line.
    fn judge(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Judged<G::Move>, PlayerError> {
        let answer = self.ask(game, stop)?;
        let best = self.read_move(game, &answer.best)?;
        let found = answer.exact.as_ref().or(answer.lines.first().filter(|line| line.number == 1));
        let found = found.ok_or(PlayerError::NoScore)?;
        let mut after = game.now().clone();
        let legal = found.moves.iter().map_while(|text| {
            let m = after.parse_move(text).ok()?;
            after.play(m);
            Some(m)
        });
        let mut line: Vec<G::Move> = legal.collect();
        // A limit may have cut the search off between its last line and its move: the score belongs to the line.
        if line.is_empty() {
            line.push(best);
        }
        Ok(Judged { score: found.opinion.score, line })
    }

    /// Its own shares of win, draw and loss, if it tells them; the policy from as many of its lines as are asked for.
    fn label(
        &mut self,
        game: &Played<G>,
        settings: &LabelSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Label<G::Move>, PlayerError> {
        let answer = self.ask(game, stop)?;
        let best = self.read_move(game, &answer.best)?;
        let opinion = answer.opinion().ok_or(PlayerError::NoScore)?;
        let mut moves = vec![(best, opinion.score)];
        if settings.lines > 1 {
            moves.clear();
            for line in &answer.lines {
                let Some(first) = line.moves.first() else { continue };
                moves.push((self.read_move(game, first)?, line.opinion.score));
            }
        }
        let wdl = answer.lines.first().and_then(|line| line.wdl).unwrap_or_else(|| opinion.score.wdl());
        Label::soft(wdl, moves, settings)
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
