//! Who plays against the user, and who gives hints.

use std::time::{Duration, SystemTime};

use alfil_arena::player::{Choice, Entrant, LEVELS, Played, Player, TreeSettings};
use alfil_core::seed::derive;
use alfil_game::FullGame;
use alfil_nn::Cpu;
use anyhow::{Context, ensure};
use indicatif::ProgressBar;

use crate::evaluator::{kind, strongest};
use crate::match_command::entrant;

const CANNOT: &str = "the engine cannot play on";

/// The opponent, and an adviser of full strength who is made when first asked.
pub struct Engines<G: FullGame> {
    opponent: Box<dyn Player<G>>,
    /// Whether the opponent has been told of this game, and has not failed in it.
    is_ready: bool,
    adviser: Option<Box<dyn Player<G>>>,
    /// What judges positions for the opponent, if it was chosen by level, and for the adviser.
    evaluator: String,
    /// What the chance of each game follows from.
    seed: u64,
    games: u64,
    /// Who the opponent is, for people.
    pub described: String,
}

/// What was asked for.
pub struct Wish<'a> {
    /// How strong a tree search is.
    pub level: u64,
    /// What judges its positions.
    pub evaluator: Option<&'a str>,
    /// Any other player.
    pub player: Option<&'a str>,
}

impl<G: FullGame> Engines<G> {
    /// A wished-for player, or a tree search: with the bundled network if it is stronger than the handcrafted
    /// evaluation, else with that.
    pub fn new(wish: &Wish<'_>) -> anyhow::Result<Engines<G>> {
        let evaluator = wish.evaluator.unwrap_or(strongest(G::NAME)).to_owned();
        let entrant = match wish.player {
            Some(line) => entrant::<G>(line)?,
            None => searcher(&evaluator, Some(TreeSettings::at_level(wish.level)))?,
        };
        let described = match wish.player {
            Some(_) => entrant.name.clone(),
            None => format!("level {} of {}, a tree search with {}", wish.level, LEVELS.end(), entrant.name),
        };
        // Another game every time: only the low digits matter.
        let seed = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        let opponent = entrant.player()?;
        Ok(Engines { opponent, is_ready: false, adviser: None, evaluator, seed, games: 0, described })
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        self.is_ready = false;
    }

    /// The opponent's move. `legal` are the moves that there are. After a failure it begins anew, as far as it can.
    pub fn choose(&mut self, game: &Played<G>, legal: &[G::Move]) -> anyhow::Result<Choice<G::Move>> {
        if !self.is_ready {
            self.games += 1;
            self.opponent.new_game(derive(self.seed, &[self.games])).context(CANNOT)?;
        }
        let choice = think(self.opponent.as_mut(), game, legal);
        self.is_ready = choice.is_ok();
        choice
    }

    /// The adviser's move.
    pub fn advise(&mut self, game: &Played<G>, legal: &[G::Move]) -> anyhow::Result<Choice<G::Move>> {
        let adviser = match &mut self.adviser {
            Some(adviser) => adviser,
            none => none.insert(searcher(&self.evaluator, None)?.player()?),
        };
        think(adviser.as_mut(), game, legal)
    }
}

/// A tree search with an evaluator, which it is named by; at full strength without settings.
fn searcher<G: FullGame>(evaluator: &str, settings: Option<TreeSettings>) -> anyhow::Result<Entrant<G>> {
    let name = match evaluator {
        "trained" => "the bundled network".to_owned(),
        "handcrafted" => "the handcrafted evaluation".to_owned(),
        other => other.to_owned(),
    };
    let kind = kind(evaluator, G::NAME)?;
    let full = || TreeSettings { play: kind.play_settings(), ..TreeSettings::default() };
    let settings = settings.unwrap_or_else(full);
    Entrant::tree(&name, &name, &kind, &Cpu, settings).with_context(|| format!("cannot use {name}"))
}

/// Shows on a terminal that somebody is thinking.
fn think<G: FullGame>(
    player: &mut dyn Player<G>,
    game: &Played<G>,
    legal: &[G::Move],
) -> anyhow::Result<Choice<G::Move>> {
    let spinner = ProgressBar::new_spinner().with_message("thinking");
    spinner.enable_steady_tick(Duration::from_millis(100));
    let choice = player.choose(game);
    spinner.finish_and_clear();
    let choice = choice.context(CANNOT)?;
    ensure!(legal.contains(&choice.m), "{CANNOT}: it chose a move that is not legal");
    Ok(choice)
}
