//! What games of varied play give to measure on: in them, pieces are left hanging by chance.

use alfil_game::FullGame;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::hanging::{HangingPiece, find};
use super::material::QuietMaterial;
use crate::VariedGame;

/// Pairs, and positions, that are taken from a game at most: those of one game are alike.
const PER_GAME: usize = 2;

/// What a game of varied play gives.
pub(super) struct Harvest<G> {
    pub pairs: Vec<HangingPiece<G>>,
    /// Positions in which there is a choice of moves.
    pub positions: Vec<G>,
}

impl<G: FullGame> Harvest<G> {
    /// Plays the game that follows from a seed.
    pub fn of_game(rules: &G::Rules, seed: u64) -> Harvest<G> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let VariedGame { start: mut game, moves: played, opening, .. } =
            VariedGame::<G>::play(rules, true, &mut random);
        let (mut moves, mut quiet) = (Vec::new(), QuietMaterial::new());
        let (mut pairs, mut choices) = (Vec::new(), Vec::new());
        for (ply, m) in played.into_iter().enumerate() {
            if ply >= opening {
                game.generate(&mut moves);
                pairs.extend(find(&game, &moves, &mut quiet));
                if moves.len() > 1 {
                    choices.push(game.clone());
                }
            }
            game.play(m);
        }
        while pairs.len() > PER_GAME {
            pairs.swap_remove(random.random_range(0..pairs.len()));
        }
        while choices.len() > PER_GAME {
            choices.swap_remove(random.random_range(0..choices.len()));
        }
        Harvest { pairs, positions: choices }
    }
}
