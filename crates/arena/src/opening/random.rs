//! Random moves after which neither side is clearly better.

use std::collections::HashSet;

use alfil_core::seed::derive;
use alfil_game::{FullGame, Knowledge};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, GameNode};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::player::Played;

/// Plies of an opening in a long game. Short games have fewer.
const PLIES: u32 = 8;

/// Beyond this many hundredths of a pawn, one side is clearly better.
const BALANCED: i32 = 100;

/// Depth of the shallow search, in plies. Captures are followed to their end.
const DEPTH: u32 = 2;

/// Attempts to find an opening that is balanced and new, before the most balanced one is taken.
const ATTEMPTS: u32 = 50;

pub(super) struct RandomOpenings<G: FullGame> {
    seed: u64,
    rules: G::Rules,
    made: Vec<Played<G>>,
    seen: HashSet<u64>,
    searcher: AlphaBeta<GameNode<G>>,
    moves: Vec<G::Move>,
}

impl<G: FullGame> RandomOpenings<G> {
    pub fn new(seed: u64, rules: G::Rules) -> RandomOpenings<G> {
        // Nothing is remembered from one opening to the next: each follows from the seed and its number.
        let searcher =
            AlphaBeta::new(AlphaBetaSettings { table: false, table_bytes: 0, ..AlphaBetaSettings::default() });
        RandomOpenings { seed, rules, made: Vec::new(), seen: HashSet::new(), searcher, moves: Vec::new() }
    }

    /// Openings are made in order, whichever is asked for first: one is new only with respect to those before it.
    pub fn get(&mut self, number: u64) -> Played<G> {
        while self.made.len() as u64 <= number {
            let next = self.make(self.made.len() as u64);
            self.seen.insert(next.now().key());
            self.made.push(next);
        }
        self.made[number as usize].clone()
    }

    fn make(&mut self, number: u64) -> Played<G> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(derive(self.seed, &[number]));
        let mut best: Option<(i32, Played<G>)> = None;
        for _ in 0..ATTEMPTS {
            let Some(opening) = self.attempt(&mut random) else { continue };
            if self.seen.contains(&opening.now().key()) {
                // Small games run out of openings: a known one is better than none.
                best.get_or_insert((i32::MAX, opening));
                continue;
            }
            let node = GameNode { game: opening.now().clone(), knowledge: Knowledge::Full };
            let lead = self.searcher.search(&node, DEPTH).value.abs();
            if lead <= BALANCED {
                return opening;
            }
            if best.as_ref().is_none_or(|(least, _)| lead < *least) {
                best = Some((lead, opening));
            }
        }
        best.map_or_else(|| Played::new(G::new(&self.rules)), |(_, opening)| opening)
    }

    /// `None` if the game is over at its end.
    fn attempt(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<Played<G>> {
        let mut game = Played::new(G::new(&self.rules));
        // At most a sixth of the longest game, so that enough of it is left.
        for _ in 0..(game.now().ply_cap() / 6).clamp(1, PLIES) {
            game.now().legal_moves(&mut self.moves);
            let m = *self.moves.get(random.random_range(0..self.moves.len().max(1)))?;
            game.play(m);
        }
        game.now().outcome().is_none().then_some(game)
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::Estimates;
    use alfil_game::Game;
    use alfil_game::chess::Chess;
    use alfil_game::connect4::Connect4;
    use alfil_game::tictactoe::TicTacToe;

    use super::*;

    #[test]
    fn openings_depend_on_the_seed_are_balanced_and_differ() {
        let texts = |seed, order: &[u64]| {
            let mut openings = RandomOpenings::<Chess>::new(seed, Default::default());
            order.iter().map(|number| openings.get(*number).moves_text()).collect::<Vec<_>>()
        };
        let forwards = texts(7, &[0, 1, 2, 3]);
        let mut backwards = texts(7, &[3, 2, 1, 0]);
        backwards.reverse();
        assert_eq!(forwards, backwards);
        assert_ne!(forwards, texts(8, &[0, 1, 2, 3]));
        let mut openings = RandomOpenings::<Chess>::new(7, Default::default());
        let mut keys = HashSet::new();
        for number in 0..40 {
            let opening = openings.get(number);
            assert_eq!(opening.moves().len(), PLIES as usize);
            assert!(opening.now().evaluate(Knowledge::Material).abs() <= 200, "{}", opening.now());
            assert!(keys.insert(opening.now().key()));
        }
    }

    #[test]
    fn small_games_have_openings_too_even_when_they_run_out() {
        let mut openings = RandomOpenings::<TicTacToe>::new(1, ());
        assert!((0..100).all(|number| openings.get(number).now().outcome().is_none()));
        let mut openings = RandomOpenings::<Connect4>::new(1, ());
        assert!((0..20).all(|number| openings.get(number).now().outcome().is_none()));
    }
}
