//! Who plays against the user, and who gives hints.

use std::path::Path;
use std::time::{Duration, SystemTime};

use alfil_arena::player::{Choice, LEVELS, Played, Player};
use alfil_game::Game;
use alfil_nn::Network;
use alfil_search::seed::derive;
use anyhow::{Context, ensure};
use indicatif::ProgressBar;

use crate::match_command::entrant;

/// The opponent, and an adviser of full strength who is made when first asked.
pub struct Engines<G: Game> {
    opponent: Box<dyn Player<G>>,
    adviser: Option<Box<dyn Player<G>>>,
    /// The line that names the adviser.
    adviser_line: String,
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
    /// With which network.
    pub net: Option<&'a Path>,
    /// Any other player.
    pub player: Option<&'a str>,
}

impl<G: Game> Engines<G> {
    /// A wished-for player, or a tree search with the best evaluator that there is for the game.
    pub fn new(wish: &Wish<'_>) -> anyhow::Result<Engines<G>> {
        let (strongest, evaluator): (String, String) = match wish.net {
            Some(path) => (path.display().to_string(), format!("the network {}", path.display())),
            None if Network::shipped(G::NAME).is_some() => ("trained".into(), "the network that comes along".into()),
            None => ("handcrafted".into(), "the handcrafted evaluation".into()),
        };
        let line = wish.player.map_or_else(|| format!("{strongest}:level={}", wish.level), str::to_owned);
        let entrant = entrant::<G>(&line)?;
        let described = match wish.player {
            Some(_) => entrant.name.clone(),
            None => format!("level {} of {}, a tree search with {evaluator}", wish.level, LEVELS.end()),
        };
        // Another game every time: only the low digits matter.
        let seed = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        let (opponent, adviser_line) = (entrant.player(), strongest);
        Ok(Engines { opponent, adviser: None, adviser_line, seed, games: 0, described })
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) -> anyhow::Result<()> {
        self.games += 1;
        self.opponent.new_game(derive(self.seed, &[self.games])).context("the engine cannot play on")
    }

    /// The opponent's move. `legal` are the moves that there are.
    pub fn choose(&mut self, game: &Played<G>, legal: &[G::Move]) -> anyhow::Result<Choice<G::Move>> {
        think(self.opponent.as_mut(), game, legal)
    }

    /// The adviser's move.
    pub fn advise(&mut self, game: &Played<G>, legal: &[G::Move]) -> anyhow::Result<Choice<G::Move>> {
        let adviser = match &mut self.adviser {
            Some(adviser) => adviser,
            none => none.insert(entrant::<G>(&self.adviser_line)?.player()),
        };
        think(adviser.as_mut(), game, legal)
    }
}

/// Shows on a terminal that somebody is thinking.
fn think<G: Game>(player: &mut dyn Player<G>, game: &Played<G>, legal: &[G::Move]) -> anyhow::Result<Choice<G::Move>> {
    let spinner = ProgressBar::new_spinner().with_message("thinking");
    spinner.enable_steady_tick(Duration::from_millis(100));
    let choice = player.choose(game);
    spinner.finish_and_clear();
    let choice = choice.context("the engine cannot play on")?;
    ensure!(legal.contains(&choice.m), "the engine cannot play on: it chose a move that is not legal");
    Ok(choice)
}
