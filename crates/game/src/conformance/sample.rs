//! Random games to check promises on.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::{Examples, Game};

/// A game as it was played.
pub(super) struct Played<G: Game> {
    pub start: G,
    pub moves: Vec<G::Move>,
}

pub(super) struct Sample<G: Game> {
    pub rules: G::Rules,
    /// From the start position, the test positions and the probes.
    pub games: Vec<Played<G>>,
    /// A test position that could not be read.
    pub unreadable: Option<String>,
}

impl<G: Examples> Sample<G> {
    /// Plays uniformly random games to their end, or one ply beyond the cap if they do not end.
    pub(super) fn play(rules: &G::Rules, effort: Effort) -> Sample<G> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(effort.seed);
        let mut starts = vec![G::new(rules); effort.games];
        let mut unreadable = None;
        for text in G::TEST_POSITIONS.iter().chain(G::PROBES.iter().map(|(_, position)| position)) {
            match G::from_position(text, rules) {
                Ok(start) => starts.extend(std::iter::repeat_n(start, effort.games.div_ceil(2))),
                Err(error) => unreadable = Some(error.to_string()),
            }
        }
        let mut legal = Vec::new();
        let mut play = |start: G| {
            let mut game = start.clone();
            let mut moves = Vec::new();
            while game.ply() <= game.ply_cap() && game.legal_moves(&mut legal).is_none() {
                // A game with no moves and no outcome breaks a promise that another check reports.
                let Some(&m) = legal.get(random.random_range(0..legal.len().max(1))) else { break };
                game.play(m);
                moves.push(m);
            }
            Played { start, moves }
        };
        Sample { rules: rules.clone(), games: starts.into_iter().map(&mut play).collect(), unreadable }
    }
}

impl<G: Game> Sample<G> {
    /// Every position of every game, each once in a game.
    pub(super) fn positions(&self) -> impl Iterator<Item = G> {
        self.games.iter().flat_map(Played::positions)
    }
}

impl<G: Game> Played<G> {
    pub(super) fn positions(&self) -> impl Iterator<Item = G> {
        let mut game = self.start.clone();
        std::iter::once(game.clone()).chain(self.moves.iter().map(move |&m| {
            game.play(m);
            game.clone()
        }))
    }
}
