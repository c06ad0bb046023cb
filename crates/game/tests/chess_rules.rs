//! Chess against outside authorities: published perft counts and the move generator of the `chess` crate.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::str::FromStr;

use alfil_game::chess::{Chess, Rules};
use alfil_game::perft::perft;
use alfil_game::{Game, read_rules};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn check_suite(suite: &str) {
    let mut checked = 0;
    for line in suite.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut fields = line.split(';').map(str::trim);
        let game = Chess::from_position(fields.next().unwrap(), &Rules::default()).unwrap();
        for (depth, expected) in (1..).zip(fields) {
            assert_eq!(perft(&game, depth), expected.parse::<u64>().unwrap(), "{line} at depth {depth}");
            checked += 1;
        }
    }
    println!("{checked} perft counts");
    assert!(checked > 0);
}

#[test]
fn perft_of_the_usual_suite() {
    check_suite(include_str!("fixtures/perft.txt"));
}

#[test]
fn perft_of_chess960() {
    check_suite(include_str!("fixtures/perft960.txt"));
}

fn their_moves(board: &chess::Board) -> BTreeSet<String> {
    chess::MoveGen::new_legal(board).map(|m| m.to_string()).collect()
}

fn their_perft(board: &chess::Board, depth: u32) -> u64 {
    let moves = chess::MoveGen::new_legal(board);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.map(|m| their_perft(&board.make_move_new(m), depth - 1)).sum()
}

#[test]
fn the_chess_crate_counts_the_same() {
    for line in include_str!("fixtures/perft.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fen = line.split(';').next().unwrap().trim();
        let ours = Chess::from_position(fen, &Rules::default()).unwrap();
        assert_eq!(perft(&ours, 4), their_perft(&chess::Board::from_str(fen).unwrap(), 4), "{fen}");
    }
}

#[test]
fn the_chess_crate_finds_the_same_moves_in_10_000_random_games() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut moves = Vec::new();
    let mut positions = 0u64;
    for number in 0..10_000 {
        let mut game = Chess::new(&Rules::default());
        let mut board = chess::Board::default();
        while game.legal_moves(&mut moves).is_none() {
            let ours: BTreeSet<String> = moves.iter().map(|&m| game.move_text(m)).collect();
            assert_eq!(ours, their_moves(&board), "game {number}: {}", game.position());
            let m = moves[random.random_range(0..moves.len())];
            board = board.make_move_new(chess::ChessMove::from_str(&game.move_text(m)).unwrap());
            game.play(m);
            positions += 1;
        }
        // They agree on mate and stalemate as well.
        game.generate(&mut moves);
        assert_eq!(
            board.status() != chess::BoardStatus::Ongoing,
            moves.is_empty(),
            "game {number}: {}",
            game.position()
        );
    }
    println!("{positions} positions");
    assert!(positions > 1_000_000);
}

#[test]
fn rules_are_read_from_text() {
    let Rules { chess960, ply_cap } = read_rules::<Chess>("ply_cap = 80, chess960=true").unwrap();
    assert!(chess960 && ply_cap == 80);
    assert_eq!(read_rules::<Chess>(" ").unwrap(), Rules::default());
    let error = |text| read_rules::<Chess>(text).unwrap_err().to_string();
    assert!(error("ply_cap=0").contains("a number from 1 to 100000"));
    assert!(error("ply_cap").contains("has no value"));
    assert!(error("board=9x9").contains("only chess960 and ply_cap"));
    assert!(
        read_rules::<alfil_game::connect4::Connect4>("gravity=up").unwrap_err().to_string().contains("always the same")
    );
}
