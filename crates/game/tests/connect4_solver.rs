//! The Connect Four solver against plain exhaustive search and published results.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use alfil_game::connect4::{Connect4, Solver};
use alfil_game::{Game, Judgement, Mover, Oracle, Score, Swap, play_line};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The definition of a judgement, with nothing clever about it.
fn exhaustive(game: &Connect4, seen: &mut HashMap<String, Judgement>) -> Judgement {
    let mut moves = Vec::new();
    if let Some(outcome) = game.legal_moves(&mut moves) {
        return Judgement { score: outcome.score.to_mover(game.side()), plies: 0 };
    }
    let position = game.position();
    if let Some(known) = seen.get(&position) {
        return *known;
    }
    let judge = |m| {
        let mut after = game.clone();
        after.play(m);
        let Judgement { score, plies } = exhaustive(&after, seen);
        Judgement { score: Mover(score.0.swap()), plies: plies + 1 }
    };
    let best = moves.into_iter().map(judge).max_by(Judgement::preference).unwrap();
    seen.insert(position, best);
    best
}

/// A random game that is not over after `stones` plies.
fn random_position(stones: u32, random: &mut Xoshiro256PlusPlus) -> Connect4 {
    let mut moves = Vec::new();
    loop {
        let mut game = Connect4::new(&());
        while game.legal_moves(&mut moves).is_none() {
            if game.ply() == stones {
                return game;
            }
            game.play(moves[random.random_range(0..moves.len())]);
        }
    }
}

#[test]
fn judgements_equal_exhaustive_search() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut solver = Solver::default();
    let mut results = [0; 3];
    for number in 0..600 {
        let game = random_position(28 + number % 13, &mut random);
        let expected = exhaustive(&game, &mut HashMap::new());
        let found = solver.judge(&game);
        assert!(found.preference(&expected).is_eq(), "{}: {found:?}, not {expected:?}", game.position());
        if found.score != Mover(Score::DRAW) {
            assert_eq!(found.plies, expected.plies, "{}", game.position());
        }
        results[(found.score.0.points() * 2.0) as usize] += 1;
    }
    println!("losses, draws, wins: {results:?}");
    assert!(results.iter().all(|&count| count > 50), "too one-sided to mean anything: {results:?}");
}

#[test]
fn published_values_hold() {
    // Columns played, and the published value: 22 minus the winner's stones, negative if the mover loses.
    for (moves, value) in [
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("23163416124767223154467471272416755633", 0),
        ("65214673556155731566316327373221417", -1),
    ] {
        let mut game = Connect4::new(&());
        play_line(&mut game, moves).unwrap();
        let judgement = Solver::default().judge(&game);
        let expected = if value > 0 {
            Score::WIN
        } else if value < 0 {
            Score::LOSS
        } else {
            Score::DRAW
        };
        assert_eq!(judgement.score, Mover(expected), "{moves}");
        if value != 0 {
            // Both sides place 21 stones at most, so the winner's last stone is the (22 - |value|)th.
            let first_wins = game.ply().is_multiple_of(2) == (value > 0);
            let last_ply = 2 * (22 - i32::abs(value)) - i32::from(first_wins);
            assert_eq!(game.ply() as i32 + judgement.plies as i32, last_ply, "{moves}");
        }
    }
}

#[test]
fn a_thousand_positions_of_16_and_more_stones_are_solved() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut solver = Solver::default();
    let started = std::time::Instant::now();
    for number in 0..1_000 {
        let game = random_position(16 + number % 12, &mut random);
        let judgement = solver.judge(&game);
        assert!(judgement.plies <= 42 - game.ply());
    }
    println!("1,000 positions of 16 to 27 stones in {:.1?}", started.elapsed());
}
