//! Whichever file operation fails, a contest ends with an error that names the file, and resumes to the same result.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use alfil_arena::contest::{Archive, ContestError};
use alfil_arena::ladder::Ladder;
use alfil_arena::opening::Openings;
use alfil_core::disk::faults;
use alfil_game::tictactoe::TicTacToe;
use common::{Folder, entrant, play, settings, timeless};

/// Lets each operation of a contest fail in turn, once or from there on, and compares what it has resumed to.
fn fail_everywhere<T: Debug + PartialEq>(name: &str, contest: impl Fn(&Folder) -> Result<T, ContestError>) {
    let expected = contest(&Folder::new(&format!("{name}-whole"))).unwrap();
    for lasting in [false, true] {
        for operation in 0.. {
            let folder = Folder::new(&format!("{name}-{operation}-{lasting}"));
            let faults = faults::inject(&folder.0, operation, lasting);
            let ended = contest(&folder);
            let failed = faults.failed();
            drop(faults);
            let Some(failed) = failed else {
                assert_eq!(ended.unwrap(), expected);
                assert!(operation > 20, "{operation}");
                break;
            };
            let sentence = ended.unwrap_err().to_string();
            assert!(sentence.starts_with("cannot ") && sentence.ends_with(faults::SENTENCE), "{failed:?}: {sentence}");
            assert!(sentence.contains(&failed.path.display().to_string()), "{failed:?}: {sentence}");
            assert_eq!(contest(&folder).unwrap(), expected, "{failed:?}");
        }
    }
}

/// A PGN without its comments, which tell times.
fn games(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect()
}

fn sorted(path: &Path) -> Vec<String> {
    let mut lines: Vec<String> = timeless(path).iter().map(ToString::to_string).collect();
    lines.sort();
    lines
}

#[test]
fn matches_resume() {
    let (a, b) = (entrant::<TicTacToe>("random"), entrant("random:name=other"));
    fail_everywhere("match", |folder| {
        let (journal, pgn) = (folder.file("journal"), folder.file("pgn"));
        let archive = Archive { journal: Some(journal.clone()), pgn: Some(pgn.clone()) };
        let (_, report) = play(&a, &b, settings(8, 2), archive)?;
        Ok((report.pairs, report.wins, report.draws, sorted(&journal), games(&pgn)))
    });
}

#[test]
fn ladders_resume() {
    fail_everywhere("ladder", |folder| {
        let state = folder.file("state");
        let ladder = Ladder {
            players: ["random", "uct:rollouts=4", "oracle"].map(entrant::<TicTacToe>).to_vec(),
            anchor: 0,
            anchor_elo: 0.0,
            games: 12,
            newcomer: None,
            concurrency: 2,
            seed: 1,
            openings: Openings::random(1, &Default::default()),
            state: Some(state.clone()),
        };
        let standings = ladder.run(&mut |_| {}, &AtomicBool::new(false))?;
        let ratings: Vec<_> = standings.rows.iter().map(|row| (row.name.clone(), row.rating.elo, row.games)).collect();
        Ok((ratings, sorted(&state)))
    });
}
