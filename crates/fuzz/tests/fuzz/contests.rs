//! Journals, ladders, openings and the lines that name players.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use alfil_arena::contest::{Archive, ContestError, Match, MatchSettings};
use alfil_arena::ladder::Ladder;
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine};
use alfil_fuzz::{Edit, ITERATIONS, TIME, edited, edited_text, edits};
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{FullGame, for_each_game};
use alfil_search::Adjudicator;
use bolero::{check, generator::produce};

use super::Folder;

fn player(line: &str) -> Entrant<TicTacToe> {
    line.parse::<PlayerLine>().unwrap().entrant().unwrap()
}

/// Plays a match with this journal, or only reads the journal.
fn play(journal: &Path, only_read: bool) -> Result<String, ContestError> {
    let (a, b) = (player("random"), player("random:name=other"));
    let contest = Match {
        a: &a,
        b: &b,
        openings: &mut Openings::random(1, &()),
        settings: MatchSettings { games: 8, concurrency: 1, seed: 1, sprt: None },
        adjudicator: Adjudicator::default(),
        archive: Archive { journal: Some(journal.to_owned()), pgn: None },
    };
    Ok(contest.run(&mut |_| (), &AtomicBool::new(only_read))?.json().to_string())
}

/// Rates players with this file, or only reads it.
fn climb(state: &Path, only_read: bool) -> Result<String, ContestError> {
    let ladder = Ladder {
        players: ["random", "alphabeta:depth=1", "alphabeta:depth=2"].map(player).into(),
        anchor: 0,
        anchor_elo: 0.0,
        games: 6,
        newcomer: None,
        concurrency: 1,
        seed: 1,
        openings: Openings::random(1, &()),
        state: Some(state.to_owned()),
    };
    Ok(ladder.run(&mut |_| (), &AtomicBool::new(only_read))?.json().to_string())
}

/// A file that contests go on from: what is read once reads the same again, and what cannot be read is left as it is.
fn resumes(name: &str, contest: fn(&Path, bool) -> Result<String, ContestError>) {
    let folder = Folder::new(name);
    let path = folder.file("state");
    contest(&path, false).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let complete = contest(&path, true).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), whole);
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        let bytes = edited(&whole, edits);
        std::fs::write(&path, &bytes).unwrap();
        match contest(&path, true) {
            Ok(report) => {
                let kept = std::fs::read(&path).unwrap();
                assert!(bytes != whole || report == complete);
                assert_eq!(contest(&path, true).unwrap(), report);
                assert_eq!(std::fs::read(&path).unwrap(), kept);
            }
            Err(_) => assert_eq!(std::fs::read(&path).unwrap(), bytes, "a file that cannot be read was changed"),
        }
    });
}

#[test]
fn journals() {
    resumes("journal", play);
}

#[test]
fn ladders() {
    resumes("ladder", climb);
}

#[test]
fn openings() {
    const FILES: [&str; 4] = [
        "# a book\ne4 c5 Nf3\nrnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3;\n",
        "[White \"A\"]\n\n1. e4 e5 *\n\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 {x} *\n",
        "4453\n7/7/7/7/7/xoxo3 x\n",
        "1 2 3\nd7 c4\n",
    ];
    fn read<G: FullGame>(path: &Path) {
        if let Ok(openings) = Openings::<G>::from_file(path, &G::Rules::default()) {
            assert!(openings.identity().starts_with("file "));
        }
    }
    let folder = Folder::new("openings");
    let path = folder.file("book");
    let input = (produce::<u8>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(|(number, edits)| {
        let file = FILES[usize::from(*number) % FILES.len()];
        std::fs::write(&path, edited(file.as_bytes(), edits)).unwrap();
        for_each_game!(G => read::<G>(&path));
    });
}

#[test]
fn player_lines() {
    const LINES: [&str; 8] = [
        "random:name=a",
        "oracle",
        "alphabeta:depth=3,eval=material,quiescence=off",
        "turns:depth=3,actions=4",
        "uct:rollouts=500,temperature=0.5",
        "handcrafted:level=3,threads=2",
        "trained:visits=800,policytemp=1.2",
        "uci:/bin/engine --flag,movetime=0.1,option.Hash=64,tc=1+0.1",
    ];
    let input = (produce::<u8>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(|(number, edits)| {
        let line = edited_text(LINES[usize::from(*number) % LINES.len()], edits);
        match line.parse::<PlayerLine>() {
            Ok(player) => assert_eq!(line.parse::<PlayerLine>().unwrap(), player),
            Err(why) => assert!(why.to_string().chars().all(|c| !c.is_control()), "{why:?}"),
        }
    });
}
