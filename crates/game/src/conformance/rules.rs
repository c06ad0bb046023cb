//! Promises of [`Game`].

use std::collections::{HashMap, HashSet};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::sample::Sample;
use crate::{Game, Judgement};

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
            ensure!(end.outcome().is_some(), end, "no end after {} plies, the cap being {}", end.ply(), end.ply_cap());
        }
    }
    Ok(sample.games.len() as u64)
}

pub(super) fn notation<G: Game>(sample: &Sample<G>) -> Outcome {
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

pub(super) fn pictures<G: Game>(sample: &Sample<G>) -> Outcome {
    for played in sample.games.iter().filter(|played| !played.moves.is_empty()) {
        let first = played.start.diagram();
        let moves_show = played.positions().any(|game| game.diagram() != first);
        ensure!(moves_show, played.start, "the picture is the same after every move");
    }
    let mut cases = 0;
    for game in sample.positions() {
        let picture = game.diagram();
        let names: HashSet<&str> = picture.cells.iter().map(|cell| cell.name.as_str()).collect();
        let places: HashSet<[i32; 2]> =
            picture.cells.iter().map(|cell| [cell.x, cell.y].map(|place| (10.0 * place).round() as i32)).collect();
        ensure!(names.len() == picture.cells.len(), game, "two cells of the picture have the same name");
        ensure!(places.len() == picture.cells.len(), game, "two cells of the picture are in the same place");
        let read = G::from_position(&game.position(), &sample.rules).map_err(|error| error.to_string())?;
        ensure!(read.diagram() == picture, game, "another picture after reading back");
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
    /// Pairs are compared, so the number of positions in which equality is looked for is limited.
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

pub(super) fn swapped<G: Game>(sample: &Sample<G>) -> Outcome {
    let (mut moves, mut other_moves) = (Vec::new(), Vec::new());
    let mut cases = 0;
    for game in sample.positions() {
        let Some(other) = game.swapped() else { continue };
        ensure!(other.side() != game.side(), game, "the same side moves after the exchange");
        ensure!(!other.same_position(&game), game, "the exchange changes nothing");
        let again = other.swapped();
        ensure!(again.is_some_and(|again| again.same_position(&game)), game, "exchanging twice changes the position");
        game.generate(&mut moves);
        other.generate(&mut other_moves);
        ensure!(moves.len() == other_moves.len(), game, "{} moves, {} exchanged", moves.len(), other_moves.len());
        if moves.is_empty() {
            let score = |game: &G, moves: &[G::Move]| game.verdict(moves).map(|end| end.score.to_mover(game.side()));
            ensure!(score(&game, &moves) == score(&other, &other_moves), game, "the exchange changes the result");
        }
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn turns<G: Game>(sample: &Sample<G>) -> Outcome {
    /// Few enough for every position of the sample.
    const KEPT: usize = 2;
    let (mut turns, mut moves) = (Vec::new(), Vec::new());
    let mut cases = 0;
    for game in sample.positions() {
        let outcome = game.turns(KEPT, &mut turns);
        ensure!(outcome == game.outcome(), game, "turns and outcome differ");
        ensure!(
            outcome.is_some() == turns.is_empty(),
            game,
            "{} turns, and the game's outcome {outcome:?}",
            turns.len()
        );
        for turn in &turns {
            let mut after = game.clone();
            for m in turn.moves() {
                let goes_on = after.legal_moves(&mut moves).is_none() && after.side() == game.side();
                ensure!(goes_on && moves.contains(&m), game, "a turn with {m:?}, which cannot be played");
                after.play(m);
            }
            let ended = after.side() != game.side() || after.outcome().is_some();
            ensure!(ended, game, "a turn that does not end: {turn:?}");
        }
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn endings<G: Game>(sample: &Sample<G>) -> Outcome {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut cases = 0;
    for _ in 0..200 {
        let Some(game) = G::random_ending(&sample.rules, &mut |limit| random.random_range(0..limit)) else { break };
        ensure!(game.outcome().is_none(), game, "an ending that is over");
        let read = G::from_position(&game.position(), &sample.rules).map_err(|error| error.to_string())?;
        ensure!(read.same_position(&game), game, "another position after reading back");
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn chosen<G: Game>(sample: &Sample<G>) -> Outcome {
    let whole = G::rules_text(&sample.rules);
    let read = G::rules(&whole).map_err(|error| error.to_string())?;
    let again = G::rules_text(&read);
    let start = G::new(&sample.rules);
    ensure!(again == whole, start, "the rules '{whole}' read back as '{again}'");
    let text = start.chosen_rules();
    let rules = G::rules_from_elsewhere(&text, &G::Rules::default()).map_err(|error| error.to_string())?;
    let mut cases = 0;
    for game in sample.positions() {
        let read = G::from_position(&game.position(), &rules).map_err(|error| error.to_string())?;
        ensure!(read.chosen_rules() == text, game, "the rules '{text}' read back as '{}'", read.chosen_rules());
        ensure!(read.ply_cap() == game.ply_cap(), game, "another cap by the rules '{text}'");
        if let Some(fresh) = game.without_history() {
            ensure!(fresh.same_position(&game), game, "another position without history: {}", fresh.position());
            ensure!(fresh.chosen_rules() == text && fresh.ply() == 0, game, "more than history is left out");
        }
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn oracle<G: Game>(sample: &Sample<G>) -> Outcome {
    let Some(mut oracle) = G::oracle() else { return Ok(0) };
    let mut cases = 0;
    let quick_from = oracle.quick_from();
    for game in sample.positions().filter(|game| game.ply() >= quick_from && game.outcome().is_none()) {
        let judgement = oracle.judge(&game);
        let moves = oracle.judge_moves(&game);
        let best = moves.into_iter().map(|(_, judgement)| judgement).max_by(Judgement::preference);
        ensure!(
            best.is_some_and(|best| best.preference(&judgement).is_eq()),
            game,
            "judged {judgement:?}, its best move {best:?}"
        );
        cases += 1;
    }
    Ok(cases)
}
