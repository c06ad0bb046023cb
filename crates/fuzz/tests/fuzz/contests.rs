//! Journals, ladders, openings and the lines that name players.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use alfil_arena::contest::{Archive, ContestError, Match, MatchSettings, SavedMatch};
use alfil_arena::ladder::{Ladder, SavedLadder};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine};
use alfil_arena::suite;
use alfil_fuzz::{Edit, ITERATIONS, TIME, edited, edited_text, edits};
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{FullGame, for_each_game};
use alfil_primer::Board;
use alfil_primer::queens::Queens;
use alfil_primer::tree::{GameTree, Order};
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

/// Reads the file as those do who watch a contest. Whether it can be read.
fn look(path: &Path) -> bool {
    let sprt = "elo0=0,elo1=10".parse().ok();
    let of_match =
        SavedMatch::read(path).map(|saved| saved.map(|saved| saved.report(["a", "b"], sprt).json().to_string()));
    let of_ladder = SavedLadder::read(path).map(|saved| saved.map(|saved| saved.rows()));
    of_match.is_ok() && of_ladder.is_ok()
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
        // Those who only look read what the contest itself can read.
        let seen = look(&path);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert!(seen || contest(&path, true).is_err());
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
fn suites() {
    const SUITES: [&str; 3] = [
        "# a suite\n6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id \"mate\";\n",
        "8/6kp/6p1/8/1p6/pp6/5PPP/1R4K1 w - - 0 1 am Txb3, Kf1; c0 \"x\"\n",
        "7/7/7/3o3/3o3/x2o1xx x bm 4\n",
    ];
    fn read<G: FullGame>(text: &str) {
        for problem in suite::read_text::<G>(text, "it", &G::Rules::default()).unwrap_or_default() {
            let mut legal = Vec::new();
            assert!(problem.game.legal_moves(&mut legal).is_none());
            assert!(problem.best.iter().chain(&problem.avoid).all(|m| legal.contains(m)));
            assert!(problem.name.chars().all(|c| !c.is_control()), "{:?}", problem.name);
        }
    }
    let input = (produce::<u8>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(|(number, edits)| {
        let text = edited_text(SUITES[usize::from(*number) % SUITES.len()], edits);
        for_each_game!(G => read::<G>(&text));
    });
}

#[test]
fn exercises() {
    const TEXTS: [&str; 5] =
        ["[-1,3,-1,-1,2]", "P01:((1.45 0.2) P2:(0.25 0.34) 2.32)", "130x20", "a1", "((((1 2) 3) (4 -5)) 6)"];
    let input = (produce::<u8>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(|(number, edits)| {
        let text = edited_text(TEXTS[usize::from(*number) % TEXTS.len()], edits);
        if let Ok(queens) = Queens::read(&text) {
            assert!(queens.solve().all.iter().all(|full| full.size() == queens.size()));
        }
        if let Ok(tree) = GameTree::read(&text) {
            assert_eq!(tree.alpha_beta(Order::Left).value, tree.minimax(Order::Right).value);
        }
        let board = Board::read(&text).unwrap_or(Board::CHESS);
        if let Ok(square) = board.square(&text) {
            assert_eq!(square.to_string(), text);
        }
    });
}

#[test]
fn player_lines() {
    const LINES: [&str; 10] = [
        "random:name=a",
        "oracle",
        "alphabeta:depth=3,eval=material,quiescence=off",
        "turns:depth=3,actions=4",
        "alphabeta:movetime=0.1,nodes=1000,threads=2,hash=1,book=/no/book",
        "sss:depth=2",
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
