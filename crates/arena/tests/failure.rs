//! Contests whose evaluator fails: they end with one sentence, keep what is finished, and resume from there.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::contest::{Archive, Match, Progress, Record};
use alfil_arena::exam::Exam;
use alfil_arena::ladder::{Ladder, Standings};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine, TreeSettings};
use alfil_core::lines::unseal;
use alfil_failing_device::{FailingDevice, SENTENCE, alone, no_thread_is_left, threads, without_threads};
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_nn::{Architecture, Network};
use alfil_search::Adjudicator;
use alfil_search::evaluators::Kind;

use common::{Folder, entrant, settings};

const PANIC: &str = "a thread of an evaluator panicked: the test wants it";

fn network(device: &FailingDevice, visits: u32) -> Entrant<TicTacToe> {
    let network = Network::random::<Stones>(Architecture::new::<Stones>("8x1".parse().unwrap()), 1);
    let settings = TreeSettings { visits: Some(visits), ..TreeSettings::default() };
    let name = format!("network {visits}");
    Entrant::tree(&name, &name, &Kind::Network(Arc::new(network)), device, settings).unwrap()
}

/// A match with the journal in this file; its new pairs, or the error.
fn play(device: &FailingDevice, journal: &Path) -> Result<Vec<[Record; 2]>, String> {
    let (a, b) = (network(device, 20), entrant("random"));
    let mut openings = Openings::random(7, &());
    let archive = Archive { journal: Some(journal.to_owned()), pgn: None };
    let contest = Match {
        a: &a,
        b: &b,
        openings: &mut openings,
        settings: settings(40, 3),
        adjudicator: Adjudicator::default(),
        archive,
    };
    let mut pairs = Vec::new();
    let mut note = |progress: Progress<'_>| pairs.extend(progress.pair.cloned());
    contest.run(&mut note, &AtomicBool::new(false)).map_err(|error| error.to_string())?;
    pairs.sort_by_key(|pair: &[Record; 2]| pair[0].pair);
    Ok(pairs)
}

/// The games of a journal in order, without the notes, which contain times.
fn kept(journal: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(journal).unwrap();
    let untimed = |line: &str| {
        let mut record: serde_json::Value = serde_json::from_str(&unseal(line).unwrap().0).unwrap();
        record.as_object_mut().unwrap().remove("notes");
        record.to_string()
    };
    let mut lines: Vec<String> = text.lines().skip(1).map(untimed).collect();
    lines.sort();
    lines
}

#[test]
fn a_match_resumes_after_its_evaluator_failed() {
    alone("a_match_resumes_after_its_evaluator_failed", || {
        let folder = Folder::new("failure-match");
        let (whole, broken) = (folder.file("whole.journal"), folder.file("broken.journal"));
        play(&FailingDevice::never(), &whole).unwrap();
        let before = threads();
        assert_eq!(play(&FailingDevice::after(900), &broken).unwrap_err(), SENTENCE);
        assert!(no_thread_is_left(before));
        let finished = kept(&broken);
        assert!(!finished.is_empty() && finished.len() < kept(&whole).len(), "{}", finished.len());
        assert_eq!(play(&FailingDevice::panicking_after(300), &broken).unwrap_err(), PANIC);
        assert!(no_thread_is_left(before));
        assert!(kept(&broken).len() >= finished.len(), "nothing finished is lost");
        play(&FailingDevice::never(), &broken).unwrap();
        assert_eq!(kept(&broken), kept(&whole), "the same games as without a failure");
    })
    .unwrap();
}

fn climb(device: &FailingDevice, state: &Path) -> Result<Standings, String> {
    let ladder = Ladder {
        players: vec![entrant("random"), network(device, 4), network(device, 20)],
        anchor: 0,
        anchor_elo: 0.0,
        games: 24,
        newcomer: None,
        concurrency: 2,
        seed: 1,
        openings: Openings::random(1, &()),
        state: Some(state.to_owned()),
    };
    ladder.run(&mut |_| {}, &AtomicBool::new(false)).map_err(|error| error.to_string())
}

#[test]
fn a_ladder_resumes_after_its_evaluator_failed() {
    alone("a_ladder_resumes_after_its_evaluator_failed", || {
        let folder = Folder::new("failure-ladder");
        let (whole, broken) = (folder.file("whole"), folder.file("broken"));
        let expected = climb(&FailingDevice::never(), &whole).unwrap();
        let before = threads();
        assert_eq!(climb(&FailingDevice::after(600), &broken).unwrap_err(), SENTENCE);
        assert!(no_thread_is_left(before));
        let finished = std::fs::read_to_string(&broken).unwrap();
        assert!(finished.lines().count() > 1, "{finished}");
        let found = climb(&FailingDevice::never(), &broken).unwrap();
        assert!(std::fs::read_to_string(&broken).unwrap().starts_with(&finished), "nothing finished is lost");
        let rows = |standings: &Standings| standings.json()["players"].to_string();
        assert_eq!(rows(&found), rows(&expected));
    })
    .unwrap();
}

#[test]
fn an_exam_ends_when_the_evaluator_fails() {
    alone("an_exam_ends_when_the_evaluator_fails", || {
        let (never, mut quiet) = (AtomicBool::new(false), |_: u64, _: u64| {});
        let exam = Exam::<TicTacToe>::new(60, None, &(), 1, &mut quiet, &never).unwrap().unwrap();
        let before = threads();
        let mut asked = 0;
        let player = network(&FailingDevice::after(200), 20);
        let failed = exam.mark(&player, 2, &mut |positions, _| asked = positions, &never).unwrap_err();
        assert_eq!(failed.to_string(), SENTENCE);
        assert!(asked > 0 && asked < 60 && !never.load(Relaxed), "{asked}");
        assert!(no_thread_is_left(before));
    })
    .unwrap();
}

#[test]
fn threads_that_cannot_be_started_are_a_failure() {
    without_threads("threads_that_cannot_be_started_are_a_failure", || {
        let folder = Folder::new("failure-threads");
        let failed = play(&FailingDevice::never(), &folder.file("journal")).unwrap_err();
        assert!(failed.starts_with("the match cannot start a thread: "), "{failed}");
        let (never, mut quiet) = (AtomicBool::new(false), |_: u64, _: u64| {});
        let failed = Exam::<TicTacToe>::new(60, None, &(), 1, &mut quiet, &never).err().unwrap().to_string();
        assert!(failed.starts_with("the exam cannot start a thread: "), "{failed}");
        // The pipes of an engine need threads too.
        let engine = "uci:/bin/cat,nodes=1".parse::<PlayerLine>().unwrap();
        let failed = engine.entrant::<TicTacToe>().err().unwrap().to_string();
        assert!(failed.starts_with("cannot use the engine '/bin/cat': it could not be started: "), "{failed}");
    })
    .unwrap();
}
