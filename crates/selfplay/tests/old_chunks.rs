//! Chunks of earlier versions: every game in them can be read and played again.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use alfil_game::FullGame;
use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::headquarters::Headquarters;
use alfil_game::hexchess::HexChess;
use alfil_game::tictactoe::TicTacToe;
use alfil_selfplay::read_chunk;

/// Reads the chunk that commit de99b77 wrote, and follows its games move by move.
fn follow<G: FullGame>(games: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/de99b77/{}.games", G::NAME));
    let records = read_chunk::<G>(&path).unwrap();
    assert_eq!(records.len(), games);
    let rules = G::Rules::default();
    for record in &records {
        let mut game: G = record.begin(&rules).unwrap();
        record.replay::<G>(&rules, |_, _, ply| game.play(G::Move::try_from(ply.code).ok().unwrap())).unwrap();
        assert_eq!(game.outcome().unwrap().score, record.score());
    }
}

#[test]
fn games_of_version_3_can_be_played_again() {
    follow::<Chess>(4);
    follow::<HexChess>(2);
    follow::<Connect4>(6);
    follow::<TicTacToe>(40);
    follow::<Headquarters>(2);
}
