//! Chess as python-chess has it: moves, their names, and how games end.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Stdio};

use alfil_game::chess::{Chess, Rules};
use alfil_game::{Game, Notation};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Positions of each kind that are compared.
const POSITIONS: usize = 1500;

/// Reads a FEN per line; writes what python-chess says of each as [`facts`] does.
const PROGRAM: &str = "
import sys, chess
for line in sys.stdin:
    chess960, fen = line.rstrip('\\n').split('|')
    board = chess.Board(fen, chess960=chess960 == '1')
    moves = sorted(board.san(move) for move in board.legal_moves)
    end = 'checkmate' if board.is_checkmate() else 'stalemate' if board.is_stalemate() else \\
        'insufficient' if board.is_insufficient_material() else ''
    print(' '.join(moves) + '|' + end)
";

/// The names of the legal moves, and how the game has ended.
fn facts(game: &Chess) -> String {
    let mut moves = Vec::new();
    game.generate(&mut moves);
    let end = match game.verdict(&moves) {
        Some(outcome) if moves.is_empty() || outcome.reason.contains("insufficient") => {
            outcome.reason.split(' ').next().unwrap()
        }
        _ => "",
    };
    let mut names: Vec<String> = moves.iter().map(|&m| game.move_name(m)).collect();
    names.sort();
    format!("{}|{end}", names.join(" "))
}

#[test]
fn python_chess_agrees() {
    let python = Command::new("python3").args(["-c", "import chess"]).stderr(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        return alfil_skipped::skip("chess beside a second move generator", "python-chess (pip install chess)");
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut positions: Vec<(bool, Chess)> = Vec::new();
    for chess960 in [false, true] {
        let rules = Rules { chess960, ..Rules::default() };
        let mut moves = Vec::new();
        while positions.len() < POSITIONS * (1 + usize::from(chess960)) {
            let mut game = if chess960 {
                Chess::from_position(&shuffled(&mut random), &rules).unwrap()
            } else {
                Chess::new(&rules)
            };
            while game.legal_moves(&mut moves).is_none() {
                game.play(moves[random.random_range(0..moves.len())]);
                // Without the history that draws by repetition need.
                let position = Chess::from_position(&game.position(), &rules).unwrap();
                if random.random_range(0..4) == 0 {
                    positions.push((chess960, position));
                }
            }
            positions.push((chess960, game));
        }
    }
    let mut python = Command::new("python3");
    python.args(["-c", PROGRAM]);
    let mut child = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let text: String =
        positions.iter().map(|(chess960, game)| format!("{}|{}\n", u8::from(*chess960), game.position())).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), positions.len());
    let mut ended = 0;
    for ((_, game), said) in positions.iter().zip(said.lines()) {
        assert_eq!(facts(game), said, "{}", game.position());
        ended += usize::from(!said.ends_with('|'));
    }
    assert!(ended > 10, "{ended} games have ended");
}

/// A start position of Chess960.
fn shuffled(random: &mut Xoshiro256PlusPlus) -> String {
    loop {
        let mut pieces = *b"rnbqkbnr";
        for at in (1..8).rev() {
            pieces.swap(at, random.random_range(0..=at));
        }
        let places = |piece: u8| pieces.iter().enumerate().filter(move |(_, other)| **other == piece).map(|(at, _)| at);
        let (bishops, rooks): (Vec<usize>, Vec<usize>) = (places(b'b').collect(), places(b'r').collect());
        let king = places(b'k').next().unwrap();
        if (bishops[0] + bishops[1]) % 2 == 1 && rooks[0] < king && king < rooks[1] {
            let black = String::from_utf8(pieces.to_vec()).unwrap();
            return format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_uppercase());
        }
    }
}
