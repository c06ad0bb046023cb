//! The UCI conversation.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use alfil_game::registry;

use super::process::Process;
use super::reply::{Line, MOST_OPTIONS, best_move, line, option_choices, option_default, option_name};
use crate::player::{Opinion, PlayerError};
use alfil_core::wording::{did_you_mean, shorten};

/// An engine that is ready to play.
pub(crate) struct Uci {
    process: Process,
    /// How long it may take to answer anything except `go`.
    patience: Duration,
    /// The rules that were sent last; `None` if it has no such option, or the user's options set the rules.
    rules: Option<String>,
}

/// The option that selects the game of an engine for several games.
const VARIANT: &str = "UCI_Variant";

/// The option that sets the rules in Alfil and in engines that follow its protocol.
const RULES: &str = "Rules";

/// An option that an engine says it has.
struct Offer {
    name: String,
    default: String,
    /// The values that it can take, if it is a choice.
    choices: Vec<String>,
}

impl Offer {
    fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// What an engine plays.
pub(crate) struct Answer {
    /// Its move, as it wrote it.
    pub best: String,
    /// What it said last about each line that it looked at, by number.
    pub lines: Vec<Line>,
    /// What it said last about its best line that was not only a bound.
    pub exact: Option<Line>,
}

impl Answer {
    /// Its opinion of the move.
    pub fn opinion(&self) -> Option<Opinion> {
        self.lines.first().filter(|line| line.number == 1).map(|line| line.opinion)
    }
}

impl Uci {
    /// Starts an engine and sets its options, which it must have, and those of the `wishes` that it has. One that knows several
    /// games is set to `game`, or to what the options call it; one that does not know it is refused. Like every wait for an answer,
    /// this fails as soon as `stop` is true.
    pub fn start(
        command: &str,
        game: &str,
        options: &[(String, String)],
        wishes: &[(String, String)],
        patience: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Uci, PlayerError> {
        let process = Process::start(command).map_err(|error| PlayerError::Start(error.to_string()))?;
        let mut engine = Uci { process, patience, rules: None };
        let mut offers = engine.handshake(stop)?;
        let (variants, options): (Vec<_>, Vec<_>) =
            options.iter().partition(|(name, _)| name.eq_ignore_ascii_case(VARIANT));
        let variant = variants.first().map_or(game, |(_, value)| value);
        if is_told(&offers, variant)? {
            engine.set_option(VARIANT, variant)?;
            // Its options may depend on the game.
            let mut needed = options.iter().map(|(name, _)| name.as_str()).chain([RULES]);
            if needed.any(|name| !offers.iter().any(|offer| offer.is_named(name))) {
                offers = engine.handshake(stop)?;
            }
        }
        let is_told_by_options = options.iter().any(|(name, _)| name.eq_ignore_ascii_case(RULES));
        if !is_told_by_options && offers.iter().any(|offer| offer.is_named(RULES)) {
            engine.rules = Some(String::new());
        }
        for (name, value) in wishes.iter().filter(|(name, _)| offers.iter().any(|offer| offer.is_named(name))) {
            engine.set_option(name, value)?;
        }
        for (name, value) in options {
            if !offers.iter().any(|offer| offer.is_named(name)) {
                let nearest = did_you_mean(name, offers.iter().map(|offer| offer.name.as_str()));
                return Err(PlayerError::NoOption { name: shorten(name), nearest });
            }
            engine.set_option(name, value)?;
        }
        engine.synchronise(stop)?;
        Ok(engine)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), PlayerError> {
        let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
        self.process.send(&format!("setoption name {name}{value}"))
    }

    /// Announces that the next position is from another game.
    pub fn new_game(&mut self, stop: &dyn Fn() -> bool) -> Result<(), PlayerError> {
        self.process.send("ucinewgame")?;
        self.synchronise(stop)
    }

    /// Sets the rules that it plays by, unless they are set already.
    pub fn play_by(&mut self, rules: String) -> Result<(), PlayerError> {
        if self.rules.as_ref().is_some_and(|told| *told != rules) {
            self.set_option(RULES, &rules)?;
            self.rules = Some(rules);
        }
        Ok(())
    }

    /// Has it choose a move within `time`. `None` if it took longer.
    pub fn go(
        &mut self,
        position: &str,
        go: &str,
        time: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Answer>, PlayerError> {
        self.process.send(position)?;
        // A late answer to an earlier `go` must not be taken for the answer to this one.
        self.synchronise(stop)?;
        self.process.send(go)?;
        let deadline = Instant::now() + time;
        let (mut lines, mut exact) = (BTreeMap::new(), None);
        while let Some(text) = self.process.receive(deadline, stop)? {
            if let Some(best) = best_move(&text) {
                return Ok(Some(Answer { best: best.to_owned(), lines: lines.into_values().collect(), exact }));
            }
            let Some(line) = line(&text) else { continue };
            if line.number == 1 && !line.is_bound {
                exact = Some(line.clone());
            }
            lines.insert(line.number, line);
        }
        Ok(None)
    }

    /// Asks for its options.
    fn handshake(&mut self, stop: &dyn Fn() -> bool) -> Result<Vec<Offer>, PlayerError> {
        self.process.send("uci")?;
        let mut offers = Vec::new();
        self.wait_for("uciok", stop, |line| {
            if let Some(name) = option_name(line).filter(|_| offers.len() < MOST_OPTIONS) {
                let default = option_default(line).unwrap_or_default().to_owned();
                offers.push(Offer { name: name.to_owned(), default, choices: option_choices(line) });
            }
        })?;
        Ok(offers)
    }

    fn synchronise(&mut self, stop: &dyn Fn() -> bool) -> Result<(), PlayerError> {
        self.process.send("isready")?;
        self.wait_for("readyok", stop, |_| {})
    }

    fn wait_for(&mut self, word: &str, stop: &dyn Fn() -> bool, mut see: impl FnMut(&str)) -> Result<(), PlayerError> {
        let deadline = Instant::now() + self.patience;
        while let Some(line) = self.process.receive(deadline, stop)? {
            if line == word {
                return Ok(());
            }
            see(&line);
        }
        Err(PlayerError::Stalled(self.patience))
    }
}

/// Whether an engine with these options has to be set to this game; an error if it cannot play it.
fn is_told(offers: &[Offer], game: &str) -> Result<bool, PlayerError> {
    let refuse = |why: String| Err(PlayerError::NoVariant { game: shorten(game), why });
    match offers.iter().find(|offer| offer.is_named(VARIANT)) {
        None if game == registry::DEFAULT => Ok(false),
        None => refuse(format!("it has no option {VARIANT}")),
        Some(offer) if offer.default.eq_ignore_ascii_case(game) => Ok(false),
        Some(Offer { choices, .. }) if choices.is_empty() => Ok(true),
        Some(Offer { choices, .. }) if choices.iter().any(|choice| choice.eq_ignore_ascii_case(game)) => Ok(true),
        Some(Offer { choices, .. }) => refuse(format!("its option {VARIANT} has {}", shorten(&choices.join(", ")))),
    }
}
