//! Promises of the parts of the contract that only some games have.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::rules::ensure;
use super::sample::Sample;
use crate::book::{BookMaker, CountedBook};
use crate::{
    Book, Endings, Estimates, Examples, First, Judgement, Knowledge, Notation, Pictures, ReferenceError, References,
    Rules, Score, Step, Turns, read_foreign_rules, read_rules,
};

type Outcome = Result<u64, String>;

pub(super) fn variants<G: Notation>(sample: &Sample<G>) -> Outcome {
    let mut cases = 0;
    for game in sample.positions() {
        let rules = match game.variant() {
            None => sample.rules.clone(),
            Some(variant) => match G::variant_rules(variant, &sample.rules) {
                Some(rules) => rules,
                None => return Err(format!("the variant '{variant}' is one of another game: in {}", game.position())),
            },
        };
        let read = G::from_loose_position(&game.position(), &rules).map_err(|error| error.to_string())?;
        ensure!(read.same_position(&game), game, "another position when a file of games is read");
        ensure!(read.variant() == game.variant(), game, "another variant when a file of games is read");
        ensure!(read.move_number() == game.move_number(), game, "another number of the move after reading back");
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn estimates<G: Estimates + Examples>(sample: &Sample<G>) -> Outcome {
    let (mut moves, mut gains) = (Vec::new(), Vec::new());
    let mut cases = 0;
    for game in sample.positions() {
        for knowledge in [Knowledge::Material, Knowledge::Full] {
            let estimate = game.evaluate(knowledge);
            let exchanged = game.swapped().map_or(estimate, |other| other.evaluate(knowledge));
            ensure!(exchanged == estimate, game, "an estimate of {estimate}, and {exchanged} for the other side");
        }
        if let Some(after) = game.passed() {
            ensure!(after.side() != game.side(), game, "the same side moves after passing");
        }
        game.generate(&mut moves);
        let loss = moves.iter().find(|&&m| game.gain(m) < 0);
        ensure!(loss.is_none(), game, "{loss:?} gains less than nothing");
        let end = game.verdict(&moves);
        if !game.may_be_over() {
            ensure!(end.is_none() || moves.is_empty(), game, "it is over although it cannot be");
            if !game.is_in_check() {
                game.generate_gains(&mut gains);
                gains.sort_unstable();
                let mut expected: Vec<G::Move> = moves.iter().copied().filter(|&m| game.gain(m) > 0).collect();
                expected.sort_unstable();
                ensure!(gains == expected, game, "moves that gain are {expected:?}, generated are {gains:?}");
            }
        }
        let mut lean = game.lean();
        ensure!(lean.same_position(&game) && lean.key() == game.key(), game, "another position when made lean");
        ensure!(lean.verdict(&moves) == end, game, "another result when made lean");
        if let Some(&m) = moves.first() {
            let mut after = game.clone();
            after.play(m);
            lean.play(m);
            ensure!(
                lean.same_position(&after) && lean.key() == after.key(),
                game,
                "another position after a lean move"
            );
            ensure!(lean.repeated_after() == after.repeated_after(), game, "other repetitions after a lean move");
        }
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn pictures<G: Pictures>(sample: &Sample<G>) -> Outcome {
    for played in sample.games.iter().filter(|played| !played.moves.is_empty()) {
        let Some(first) = played.start.diagram() else { continue };
        let moves_show = played.positions().any(|game| game.diagram().as_ref() != Some(&first));
        ensure!(moves_show, played.start, "the picture is the same after every move");
    }
    let mut cases = 0;
    for game in sample.positions() {
        let Some(picture) = game.diagram() else { continue };
        let names: HashSet<&str> = picture.cells.iter().map(|cell| cell.name.as_str()).collect();
        let places: HashSet<[i32; 2]> =
            picture.cells.iter().map(|cell| [cell.x, cell.y].map(|place| (10.0 * place).round() as i32)).collect();
        ensure!(names.len() == picture.cells.len(), game, "two cells of the picture have the same name");
        ensure!(places.len() == picture.cells.len(), game, "two cells of the picture are in the same place");
        let read = G::from_position(&game.position(), &sample.rules).map_err(|error| error.to_string())?;
        ensure!(read.diagram().as_ref() == Some(&picture), game, "another picture after reading back");
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn steps<G: Pictures>(sample: &Sample<G>) -> Outcome {
    let mut moves = Vec::new();
    let mut cases = 0;
    for game in sample.positions() {
        let cells: HashSet<String> =
            game.diagram().map_or(HashSet::new(), |picture| picture.cells.into_iter().map(|cell| cell.name).collect());
        let alarm = game.alarm();
        ensure!(alarm.iter().all(|cell| cells.contains(cell)), game, "an alarm at {alarm:?}, where no cell is");
        game.legal_moves(&mut moves);
        // Every way to make each move, as far as a step that is also one of another move.
        let (mut ways, mut beginnings) = (HashSet::new(), HashSet::new());
        for &m in &moves {
            let mut begun = vec![Vec::new()];
            for step in game.steps(m) {
                beginnings.extend(begun.iter().cloned());
                let next = match step {
                    Step::Touch(touched) => touched.into_iter().map(|cell| (true, cell)).collect(),
                    Step::Choose { name, .. } => vec![(false, name)],
                };
                let is_drawn = next.iter().all(|(touched, cell)| !touched || cells.contains(cell));
                ensure!(is_drawn && !next.is_empty(), game, "{m:?} touches {next:?}, which is not drawn");
                let more = |way: Vec<(bool, String)>| {
                    next.iter().map(move |one| way.iter().chain([one]).cloned().collect::<Vec<_>>()).collect::<Vec<_>>()
                };
                begun = begun.into_iter().flat_map(more).collect();
            }
            for way in begun {
                ensure!(!ways.contains(&way), game, "{m:?} has the same steps as another move: {way:?}");
                ways.insert(way);
            }
        }
        let whole = ways.iter().find(|way| beginnings.contains(*way));
        ensure!(whole.is_none(), game, "one move begins with all steps of another: {whole:?}");
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn swapped<G: Examples>(sample: &Sample<G>) -> Outcome {
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

pub(super) fn turns<G: Turns>(sample: &Sample<G>) -> Outcome {
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

pub(super) fn endings<G: Endings>(sample: &Sample<G>) -> Outcome {
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

pub(super) fn chosen<G: Endings>(sample: &Sample<G>) -> Outcome {
    let whole = sample.rules.text();
    let read = read_rules::<G>(&whole).map_err(|error| error.to_string())?;
    let again = read.text();
    let start = G::new(&sample.rules);
    ensure!(again == whole, start, "the rules '{whole}' read back as '{again}'");
    let text = start.chosen_rules();
    let rules = read_foreign_rules::<G>(&text, &G::Rules::default()).map_err(|error| error.to_string())?;
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

pub(super) fn oracle<G: References>(sample: &Sample<G>) -> Outcome {
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

pub(super) fn references<G: References>(sample: &Sample<G>) -> Outcome {
    let start = G::new(&sample.rules);
    // A path that cannot exist: a game without tables says so, whatever it has looks for the files.
    let nowhere = "\0";
    let tables = matches!(G::tablebase(nowhere), Err(ReferenceError::NoTablebase(_)));
    ensure!(tables == G::TABLEBASE.is_none(), start, "TABLEBASE is {:?}", G::TABLEBASE);
    let book = matches!(G::book(nowhere.as_ref()), Err(ReferenceError::Read { .. }));
    ensure!(book, start, "a book is made of nothing");
    let mut maker = BookMaker::new(usize::MAX);
    for game in &sample.games {
        let moves = game.moves.iter().copied();
        let counted = maker.add(&game.start, moves, First(Score::DRAW), |game, m| (game.key(), m.into()));
        ensure!(counted.is_ok(), start, "a book of the sample is too large");
    }
    let book = CountedBook::read::<G>(&maker.finish::<G>(1));
    let book = book.map_err(|error| format!("a book of the sample cannot be read: {error}"))?;
    let mut cases = 1;
    for played in &sample.games {
        let mut game = played.start.clone();
        for m in &played.moves {
            let found = book.moves(&game).unwrap_or_default();
            ensure!(found.iter().any(|found| found.m == *m), game, "the book of the sample does not have {m:?}");
            game.play(*m);
            cases += 1;
        }
    }
    Ok(cases)
}
