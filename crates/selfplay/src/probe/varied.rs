//! Varied play: games that look like games, with pieces left hanging by chance.

use alfil_game::{FullGame, Knowledge};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, GameNode};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::hanging::{HangingPiece, find};
use super::material::QuietMaterial;

/// Shares of random moves after the opening: a game has one of these.
const RANDOM: [f64; 3] = [0.05, 0.15, 0.3];

/// Random plies that a game begins with, at most.
const OPENING: u32 = 10;

/// One game in this many begins at a random ending, where the game has them.
const ENDINGS: u32 = 4;

/// Plies of a game at most.
const LONGEST: u32 = 160;

/// A game in which a side is ahead by more than this, in hundredths of its smallest piece, is no longer played: whatever happens
/// then changes no value.
const DECIDED: i32 = 1_200;

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
        let positions = play::<G>(rules, &mut random);
        let (mut moves, mut quiet) = (Vec::new(), QuietMaterial::new());
        let (mut pairs, mut choices) = (Vec::new(), Vec::new());
        for game in positions {
            game.generate(&mut moves);
            pairs.extend(find(&game, &moves, &mut quiet));
            if moves.len() > 1 {
                choices.push(game);
            }
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

/// The positions of a game after its opening: some moves are random, the others look a ply ahead.
fn play<G: FullGame>(rules: &G::Rules, random: &mut Xoshiro256PlusPlus) -> Vec<G> {
    let is_ending = random.random_range(0..ENDINGS) == 0;
    let ending = is_ending.then(|| G::random_ending(rules, &mut |limit| random.random_range(0..limit))).flatten();
    let opening = if ending.is_some() { 0 } else { random.random_range(0..=OPENING) };
    let errors = RANDOM.choose(random).copied().unwrap_or(1.0);
    let mut game = ending.unwrap_or_else(|| G::new(rules));
    let settings = AlphaBetaSettings { ordering: true, quiescence: true, ..AlphaBetaSettings::PLAIN };
    let mut player = AlphaBeta::new(settings);
    let (mut positions, mut moves) = (Vec::new(), Vec::new());
    for ply in 0..LONGEST {
        if game.legal_moves(&mut moves).is_some() || game.evaluate(Knowledge::Material).abs() > DECIDED {
            break;
        }
        let is_opening = ply < opening;
        if !is_opening {
            positions.push(game.clone());
        }
        let best = match is_opening || random.random_bool(errors) {
            true => None,
            false => {
                player.search(&GameNode { game: game.clone(), knowledge: Knowledge::Full }, 1).line.first().copied()
            }
        };
        let Some(m) = best.or_else(|| moves.choose(random).copied()) else { break };
        game.play(m);
    }
    positions
}

/// Whether the game estimates positions, both by material and by all that it knows: some position of a random game is not even.
pub(super) fn has_estimates<G: FullGame>(rules: &G::Rules) -> bool {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let (mut game, mut moves) = (G::new(rules), Vec::new());
    let (mut material, mut full) = (false, false);
    while game.legal_moves(&mut moves).is_none() {
        material |= game.evaluate(Knowledge::Material) != 0;
        full |= game.evaluate(Knowledge::Full) != 0;
        match moves.choose(&mut random) {
            Some(m) if !(material && full) => game.play(*m),
            _ => break,
        }
    }
    material && full
}
