//! The rules for tactics on positions that were labelled with Stockfish's help (docs/insight.md says how).
#![allow(clippy::unwrap_used)]

use alfil_game::chess::Chess;
use alfil_game::{Game, play_line};
use alfil_insight::chess::{Motif, has, tactics};

/// Motif, label, position and line.
const POSITIONS: &str = include_str!("motifs.csv");

/// Positions with a motif, and as many without it.
const EACH: u32 = 20;

#[test]
fn precision_and_recall_are_at_least_nine_tenths() {
    for motif in Motif::ALL {
        let (mut right, mut wrong, mut missed, mut quiet) = (0, 0, 0, 0);
        for row in POSITIONS.lines().skip(1).filter(|row| row.split(',').next() == Some(motif.name())) {
            let [_, label, position, line] = row.split(',').collect::<Vec<_>>().try_into().unwrap();
            let position = Chess::from_position(position, &Default::default()).unwrap();
            let line = play_line(&mut position.clone(), line).unwrap();
            match (label == "yes", has(&tactics(&position, &line), motif)) {
                (true, true) => right += 1,
                (false, true) => wrong += 1,
                (true, false) => missed += 1,
                (false, false) => quiet += 1,
            }
        }
        let name = motif.name();
        assert_eq!((right + missed, wrong + quiet), (EACH, EACH), "{name}");
        assert!(10 * right >= 9 * (right + wrong), "precision of {name}: {right} right, {wrong} wrong");
        assert!(10 * right >= 9 * EACH, "recall of {name}: {right} of {EACH}");
    }
}

#[test]
fn lines_that_are_not_legal_have_no_motifs() {
    let start = Chess::new(&Default::default());
    let line = play_line(&mut start.clone(), "e4 e5 Nf3").unwrap();
    assert!(
        tactics(&start, &[]).is_empty() && tactics(&start, &line[1..]).is_empty() && tactics(&start, &line).is_empty()
    );
}

#[test]
fn mates_say_how_long_they_take() {
    // Legal's mate from the capture on, and its last move.
    let mut position = Chess::new(&Default::default());
    play_line(&mut position, "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5 Bxd1").unwrap();
    for (moves, name) in [("", "mate in 2"), ("Bxf7+ Ke7", "mate in 1")] {
        let mut now = position.clone();
        play_line(&mut now, moves).unwrap();
        let line = play_line(&mut now.clone(), "Bxf7+ Ke7 Nd5#".strip_prefix(moves).unwrap()).unwrap();
        let found = tactics(&now, &line);
        assert!(found.iter().any(|tactic| tactic.to_string() == name), "{found:?}");
    }
}
