//! Promises of [`Game`].

use std::collections::{HashMap, HashSet};

use super::sample::Sample;
use crate::{Game, Notation};

type Outcome = Result<u64, String>;

/// Fails with a message that names the position.
macro_rules! ensure {
    ($holds:expr, $game:expr, $($message:tt)+) => {
        if !$holds {
            return Err(format!("{}: in {}", format_args!($($message)+), $game.position()));
        }
    };
}
pub(super) use ensure;

pub(super) fn moves<G: Game>(sample: &Sample<G>) -> Outcome {
    if let Some(error) = &sample.unreadable {
        return Err(error.clone());
    }
    let (mut generated, mut legal) = (Vec::new(), Vec::new());
    let mut cases = 0;
    for game in sample.positions() {
        game.generate(&mut generated);
        let outcome = game.legal_moves(&mut legal);
        ensure!(outcome == game.verdict(&generated), game, "legal_moves and verdict differ");
        ensure!(outcome.is_some() == legal.is_empty(), game, "outcome {outcome:?} with {} moves", legal.len());
        if let Some(outcome) = outcome {
            let points = outcome.score.0.points();
            ensure!((0.0..=1.0).contains(&points), game, "a score of {points}");
            ensure!(!outcome.reason.is_empty(), game, "an outcome without a reason");
        } else {
            ensure!(legal == generated, game, "legal_moves drops moves of a game that goes on");
        }
        let codes: HashSet<u16> = legal.iter().map(|&m| m.into()).collect();
        ensure!(codes.len() == legal.len(), game, "two legal moves have the same 16-bit code");
        let back = legal.iter().find(|&&m| G::Move::try_from(m.into()).ok() != Some(m));
        ensure!(back.is_none(), game, "{back:?} is another move after turning it into its code and back");
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn termination<G: Game>(sample: &Sample<G>) -> Outcome {
    for played in &sample.games {
        let mut before = played.start.ply();
        for game in played.positions().skip(1) {
            ensure!(game.ply() == before + 1, game, "a move took the ply from {before} to {}", game.ply());
            before = game.ply();
        }
        if let Some(end) = played.positions().last() {
            ensure!(end.outcome().is_some(), end, "no end after {} plies with a cap of {}", end.ply(), end.ply_cap());
        }
    }
    Ok(sample.games.len() as u64)
}

pub(super) fn notation<G: Notation>(sample: &Sample<G>) -> Outcome {
    let (mut moves, mut read_moves) = (Vec::new(), Vec::new());
    let mut cases = 0;
    for game in sample.positions() {
        let text = game.position();
        let read = G::from_position(&text, &sample.rules).map_err(|error| error.to_string())?;
        ensure!(read.position() == text, game, "read back as {}", read.position());
        ensure!(read.same_position(&game), game, "another position after reading back");
        game.generate(&mut moves);
        read.generate(&mut read_moves);
        ensure!(read_moves == moves, game, "other moves after reading back");
        for &m in &moves {
            for text in [game.move_text(m), game.move_name(m)] {
                match game.parse_move(&text) {
                    Ok(read) => ensure!(read == m, game, "the move {text} reads back as {read:?}"),
                    Err(error) => return Err(format!("{error}: {text} in {}", game.position())),
                }
                let width = text.chars().count();
                ensure!(
                    G::MOVE_WIDTH.is_none_or(|expected| expected == width),
                    game,
                    "the move {text} is {width} wide"
                );
            }
        }
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn clones<G: Game>(sample: &Sample<G>) -> Outcome {
    let mut moves = Vec::new();
    let mut cases = 0;
    for game in sample.positions() {
        if game.legal_moves(&mut moves).is_some() {
            continue;
        }
        let before = format!("{game:?}");
        for &m in &moves {
            let mut clone = game.clone();
            ensure!(format!("{clone:?}") == before, game, "a clone differs");
            clone.play(m);
            ensure!(!clone.same_position(&game), game, "{m:?} changes nothing");
        }
        ensure!(format!("{game:?}") == before, game, "moves of its clones changed the game");
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn keys<G: Game>(sample: &Sample<G>) -> Outcome {
    /// All pairs of positions are compared, so their number is limited.
    const PAIRED: usize = 1_000;
    let mut by_key: HashMap<u64, G> = HashMap::new();
    let mut cases = 0;
    for game in sample.positions() {
        let other = by_key.entry(game.key()).or_insert_with(|| game.clone());
        ensure!(other.same_position(&game), game, "the same key as {}", other.position());
        if let Ok(read) = G::from_position(&game.position(), &sample.rules) {
            ensure!(read.key() == game.key(), game, "another key when reached by another way");
        }
        cases += 1;
    }
    let step = (cases as usize / PAIRED).max(1);
    let spread: Vec<G> = sample.positions().step_by(step).collect();
    for (i, game) in spread.iter().enumerate() {
        for other in &spread[..i] {
            let same = game.same_position(other);
            ensure!(same == (game.key() == other.key()), game, "keys and equality disagree with {}", other.position());
        }
    }
    Ok(cases)
}
