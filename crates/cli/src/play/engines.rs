//! The user's opponent, and the player that gives hints.

use std::path::Path;
use std::time::{Duration, SystemTime};

use alfil_arena::player::{Choice, Entrant, LEVELS, Played, Player, TreeSettings};
use alfil_core::seed::derive;
use alfil_game::FullGame;
use alfil_nn::Cpu;
use anyhow::{Context, ensure};
use indicatif::ProgressBar;

use crate::evaluator::{kind, strongest};
use crate::match_command::entrant;
use crate::terminal;

const CANNOT: &str = "the engine cannot continue";

/// The opponent, and an adviser of full strength that is created when first asked.
pub struct Engines<G: FullGame> {
    opponent: Box<dyn Player<G>>,
    /// Whether the opponent has begun this game, and has not failed in it.
    is_ready: bool,
    adviser: Option<Box<dyn Player<G>>>,
    /// What evaluates positions for the opponent, if it was chosen by level, and for the adviser.
    evaluator: String,
    /// The seed of the opponent's random numbers, together with the number of the game.
    seed: u64,
    games: u64,
    /// The opponent, described for the user.
    pub described: String,
}

/// The opponent that was asked for.
pub struct OpponentChoice<'a> {
    /// The strength of a tree search, from 1 to 10.
    pub level: u64,
    /// What evaluates its positions.
    pub evaluator: Option<&'a str>,
    /// Any other player, instead of a tree search.
    pub player: Option<&'a str>,
    /// A file with an opening book.
    pub book: Option<&'a Path>,
}

impl<G: FullGame> Engines<G> {
    /// The player that was asked for, or a tree search: with the bundled network if it is stronger than the handcrafted
    /// evaluation, else with that.
    pub fn new(wish: &OpponentChoice<'_>) -> anyhow::Result<Engines<G>> {
        let evaluator = wish.evaluator.unwrap_or(strongest(G::NAME)).to_owned();
        let entrant = match wish.player {
            Some(line) => entrant::<G>(line)?,
            None => searcher(&evaluator, Some(TreeSettings::at_level(wish.level)))?,
        };
        let described = match wish.player {
            Some(_) => entrant.name.clone(),
            None => format!("level {} of {}, a tree search with {}", wish.level, LEVELS.end(), entrant.name),
        };
        let entrant = match wish.book {
            Some(path) => entrant.with_book(path).with_context(|| format!("cannot use the book {}", path.display()))?,
            None => entrant,
        };
        // Different games every time.
        let seed = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        let opponent = entrant.player()?;
        Ok(Engines { opponent, is_ready: false, adviser: None, evaluator, seed, games: 0, described })
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        self.is_ready = false;
    }

    /// The opponent's move. `legal` are the legal moves. After a failure the opponent begins a new game, if it can.
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

/// A tree search that is named after its evaluator; at full strength without settings.
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

/// Lets a player choose a move, with a spinner on the terminal.
fn think<G: FullGame>(
    player: &mut dyn Player<G>,
    game: &Played<G>,
    legal: &[G::Move],
) -> anyhow::Result<Choice<G::Move>> {
    let spinner = terminal::bar(ProgressBar::new_spinner().with_message("thinking"));
    spinner.enable_steady_tick(Duration::from_millis(100));
    let choice = player.choose(game, &|| false);
    spinner.finish_and_clear();
    let choice = choice.context(CANNOT)?;
    ensure!(legal.contains(&choice.m), "{CANNOT}: it chose a move that is not legal");
    Ok(choice)
}
