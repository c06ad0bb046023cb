//! Every command of the protocol, in conversations.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use alfil_game::chess::{Chess, Rules};
use alfil_game::connect4::Connect4;
use alfil_game::{Game, registry};
use alfil_uci::UciError;
use alfil_uci::options::Options;

use super::gui::{Gui, Input, TIMEOUT};

#[test]
fn it_introduces_itself() {
    let gui = Gui::small();
    gui.say("uci");
    let heard = gui.wait("uciok");
    assert!(heard.iter().any(|line| line.starts_with("id name Alfil")));
    for option in [
        "UCI_Variant",
        "Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "UCI_Chess960",
        "UCI_ShowWDL",
        "UCI_LimitStrength",
        "UCI_Elo",
        "SyzygyPath",
        "OwnBook",
        "BookFile",
        "WeightsFile",
        "Device",
        "MoveOverhead",
        "CPuct",
        "FpuReduction",
        "PolicyTemperature",
        "Temperature",
        "DrawScore",
        "VerboseMoveStats",
        "NodesPerMove",
    ] {
        assert!(heard.iter().any(|line| line.starts_with(&format!("option name {option} type "))), "{option}");
    }
    gui.say("setoption name UCI_Variant value tictactoe");
    gui.say("isready");
    let heard = gui.wait("readyok");
    assert!(heard[0].contains("handcrafted evaluation"), "without a network it says so: {heard:?}");
    gui.say("quit");
    gui.end();
}

#[test]
fn it_answers_every_kind_of_go_with_a_legal_move() {
    let gui = Gui::small();
    let mut game = Chess::new(&Rules::default());
    for go in [
        "go wtime 1000 btime 1000",
        "go wtime 300 btime 300 winc 10 binc 10 movestogo 5",
        "go movetime 50",
        "go nodes 300",
        "go depth 2",
        "go nodes 100 searchmoves a2a3 h2h3",
        "go wtime 0 btime 0",
        "go wtime -100 btime -5",
        "go movetime 0",
        "go nodes 0",
        "go wtime 1 btime 1 winc 0 binc 0 movestogo 1",
    ] {
        gui.say("position startpos");
        let best = gui.best(go);
        assert!(game.parse_move(&best).is_ok(), "{go}: {best}");
        if go.contains("searchmoves") {
            assert!(["a2a3", "h2h3"].contains(&best.as_str()), "{best}");
        }
    }
    // A whole game, with the tree following it.
    gui.say("ucinewgame");
    let mut moves = String::new();
    for _ in 0..20 {
        gui.say(&format!("position startpos moves{moves}"));
        let best = gui.best("go nodes 150");
        let m = game.parse_move(&best).unwrap();
        game.play(m);
        moves = format!("{moves} {best}");
        if game.outcome().is_some() {
            break;
        }
    }
    gui.end();
}

#[test]
fn it_answers_during_a_search() {
    let gui = Gui::small();
    gui.say("position startpos");
    gui.say("go infinite");
    gui.say("isready");
    let heard = gui.wait("readyok");
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")));
    gui.say("stop");
    gui.wait("bestmove");
    // Neither a full tree nor a proof ends an infinite search.
    gui.say("position fen 7k/8/5K2/8/8/8/8/R7 w - - 0 1");
    gui.say("go infinite");
    let heard = gui.overhear(Duration::from_millis(300));
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    gui.say("stop");
    gui.wait("bestmove");
    // Nothing to stop.
    gui.say("stop");
    gui.say("ponderhit");
    gui.say("isready");
    let heard = gui.wait("readyok");
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    // Another go while it thinks: both are answered, in order.
    gui.say("go infinite");
    let best = gui.best("go nodes 10");
    assert!(!best.is_empty());
    gui.wait("bestmove");
    gui.say("go infinite");
    gui.say("quit");
    gui.end();
}

#[test]
fn it_ponders() {
    let gui = Gui::small();
    gui.say("position startpos moves e2e4 e7e5");
    gui.say("go ponder wtime 1000 btime 1000");
    let heard = gui.overhear(Duration::from_millis(200));
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    gui.say("ponderhit");
    gui.wait("bestmove");
    gui.say("go ponder wtime 1000 btime 1000");
    gui.say("stop");
    gui.wait("bestmove");
    gui.end();
}

#[test]
fn positions_and_results_are_reported() {
    let gui = Gui::small();
    gui.say("setoption name UCI_ShowWDL value true");
    gui.say("setoption name MultiPV value 3");
    gui.say("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    gui.say("go nodes 2000");
    let heard = gui.wait("bestmove");
    assert!(heard.iter().any(|line| line.contains("score mate 1") && line.contains("wdl 1000 0 0")), "{heard:#?}");
    assert!(heard.iter().any(|line| line.contains("multipv 3")));
    assert_eq!(heard.last().unwrap(), "bestmove a1a8");
    gui.say("go mate 1");
    assert_eq!(gui.wait("bestmove").last().unwrap(), "bestmove a1a8");
    // Mated, stalemated.
    for fen in ["R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        gui.say(&format!("position fen {fen}"));
        assert_eq!(gui.best("go nodes 10"), "0000");
    }
    // Drawn by rule, but the program wants a move.
    for fen in ["7k/8/8/8/8/8/R7/K7 w - - 100 80", "7k/8/8/8/8/8/8/K7 w - - 0 80", "7k/8/8/8/8/8/N7/K7 w - - 0 80"] {
        gui.say(&format!("position fen {fen}"));
        let best = gui.best("go nodes 50");
        assert!(Chess::from_position(fen, &Rules::default()).unwrap().parse_move(&best).is_ok(), "{fen}: {best}");
    }
    gui.say("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    assert!(Chess::new(&Rules::default()).parse_move(&gui.best("go nodes 50")).is_ok());
    gui.say("position startpos moves e2e4");
    gui.say("d");
    assert!(gui.wait("FEN ").last().unwrap().contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"));
    gui.say("eval");
    gui.wait("value ");
    gui.say("setoption name VerboseMoveStats value true");
    gui.say("go nodes 50");
    assert_eq!(
        gui.wait("bestmove").iter().filter(|line| line.contains(" N ") && line.contains("info string")).count(),
        20
    );
    gui.end();
}

#[test]
fn castling_is_written_as_the_program_expects() {
    let gui = Gui::small();
    let fen = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
    gui.say(&format!("position fen {fen} moves e1g1"));
    gui.say("d");
    gui.wait("FEN r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 b kq");
    gui.say("setoption name UCI_Chess960 value true");
    gui.say(&format!("position fen {fen}"));
    assert_eq!(gui.best("go nodes 20 searchmoves e1h1"), "e1h1");
    gui.say("position fen bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1 moves g2g3");
    gui.say("d");
    gui.wait("FEN ");
    gui.end();
}

#[test]
fn nonsense_is_explained_and_changes_nothing() {
    let gui = Gui::small();
    for (line, complaint) in [
        ("setoption name Hsh value 5", "did you mean Hash?"),
        ("setoption name Hash value lots", "use a number from 1 to"),
        ("setoption name WeightsFile value /no/such/net", ""),
        ("position fen nonsense", "the position is not set up"),
        ("position startpos moves e2e5", "not a legal move"),
        ("xyzzy", "not understood: xyzzy"),
        ("position", "not understood"),
    ] {
        gui.say(line);
        if !complaint.is_empty() {
            let heard = gui.wait("info string");
            assert!(heard.last().unwrap().contains(complaint), "{heard:?}");
        }
    }
    gui.say("isready");
    let heard = gui.wait("readyok");
    assert!(heard.iter().any(|line| line.contains("cannot use the network /no/such/net")), "{heard:?}");
    gui.say("joho go nodes 5");
    gui.wait("bestmove");
    gui.end();
}

#[test]
fn the_end_of_the_input_ends_it_after_the_move() {
    let gui = Gui::small();
    gui.say_bytes(b"position startpos\r\ngo nodes 500\r\n".to_vec());
    assert!(gui.end().last().unwrap().starts_with("bestmove"));
    let gui = Gui::small();
    gui.say_bytes(b"go infinite\n".to_vec());
    assert!(gui.end().last().unwrap().starts_with("bestmove"));
}

/// Searches with limits that are far away: the tree has room for minutes.
fn long_searches() -> impl Iterator<Item = (&'static str, Options)> {
    ["go movetime 600000", "go nodes 2000000000", "go depth 1000", "go mate 500", "go wtime 36000000 btime 36000000"]
        .into_iter()
        .map(|go| (go, Options { hash: 256, ..Options::default() }))
}

#[test]
fn the_end_of_the_input_ends_a_search_that_is_far_from_its_limit() {
    for (go, options) in long_searches() {
        let gui = Gui::new(options);
        gui.say(go);
        gui.wait("info depth");
        assert!(gui.end().last().unwrap().starts_with("bestmove"), "{go}");
    }
}

#[test]
fn an_output_that_cannot_be_written_ends_it() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for (go, options) in long_searches() {
        let (to, input) = Input::new();
        let (ended, end) = channel();
        std::thread::spawn(move || ended.send(alfil_uci::run(input, Closed, options, None)));
        // The input stays open.
        to.send(format!("{go}\n").into_bytes()).unwrap();
        match end.recv_timeout(TIMEOUT) {
            Ok(Err(UciError::Io(error))) => assert_eq!(error.kind(), io::ErrorKind::BrokenPipe),
            other => panic!("{go}: {other:?}"),
        }
    }
}

#[test]
fn weaker_and_random_play_is_legal() {
    let gui = Gui::new(Options { hash: 8, limit_strength: true, elo: 800, ..Options::default() });
    // The network is sure of its first move, but not of the best one here.
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5 e1g1 d7d6";
    let mut game = Chess::new(&Rules::default());
    moves.split(' ').for_each(|text| game.play(game.parse_move(text).unwrap()));
    let (mut seen, mut said) = (std::collections::HashSet::new(), 0);
    // A move that is chosen nine times of ten would still not be the only one.
    while seen.len() < 2 && said < 500 {
        said += 1;
        gui.say("ucinewgame");
        gui.say(&format!("position startpos moves {moves}"));
        let best = gui.best("go wtime 60000 btime 60000");
        assert!(game.parse_move(&best).is_ok());
        seen.insert(best);
    }
    assert!(seen.len() > 1, "{seen:?}");
    gui.say("setoption name UCI_LimitStrength value false");
    gui.say("setoption name NodesPerMove value 1");
    gui.say("go wtime 60000 btime 60000");
    let heard = gui.wait("bestmove");
    assert!(heard.iter().any(|line| line.contains(" nodes 1 ")), "{heard:?}");
    gui.end();
}

#[test]
fn it_plays_other_games_and_has_only_their_options() {
    let gui = Gui::new(Options { game: "connect4".to_owned(), hash: 8, ..Options::default() });
    gui.say("uci");
    let heard = gui.wait("uciok");
    let variants = registry::names().join(" var ");
    let variant = format!("option name UCI_Variant type combo default connect4 var {variants}");
    assert!(heard.contains(&variant), "{heard:#?}");
    for chess_only in ["UCI_Chess960", "SyzygyPath"] {
        assert!(!heard.iter().any(|line| line.contains(chess_only)), "{chess_only}");
    }
    let (mut game, mut moves) = (Connect4::new(&()), String::new());
    while game.outcome().is_none() {
        gui.say(&format!("position startpos moves{moves}"));
        let best = gui.best("go nodes 60");
        let m = game.parse_move(&best).unwrap();
        game.play(m);
        moves = format!("{moves} {best}");
    }
    gui.say(&format!("position startpos moves{moves}"));
    gui.say("d");
    assert!(gui.wait("the game is over").iter().any(|line| *line == format!("FEN {}", game.position())));
    gui.end();
}

#[test]
fn the_game_can_be_changed_at_any_time() {
    let gui = Gui::small();
    // Before anything else, and by a name in capitals.
    gui.say("setoption name UCI_Variant value Connect4");
    gui.say("position fen 7/7/7/7/oo5/oxxx3 x");
    assert_eq!(gui.best("go nodes 100"), "5");
    // In the middle of a search, which is stopped and answered first; other options are kept.
    gui.say("setoption name MultiPV value 2");
    gui.say("position startpos");
    gui.say("go infinite");
    gui.say("setoption name UCI_Variant value chess");
    gui.wait("bestmove ");
    assert!(Chess::new(&Rules::default()).parse_move(&gui.best("go nodes 50")).is_ok());
    gui.say("go nodes 50");
    assert!(gui.wait("bestmove").iter().any(|line| line.contains("multipv 2")));
    gui.say("setoption name UCI_Variant value go");
    assert!(gui.wait("info string").last().unwrap().contains("UCI_Variant cannot be 'go': use chess, "));
    gui.say("position startpos moves e2e4");
    gui.best("go nodes 5");
    gui.say("setoption name UCI_Variant value tictactoe");
    gui.say("go nodes 5");
    gui.say("quit");
    assert!(gui.end().last().unwrap().starts_with("bestmove"));
}

#[test]
fn the_rules_of_a_game_can_be_chosen() {
    let options =
        Options { game: "hexchess".to_owned(), rules: "stalemate=3/4".to_owned(), hash: 8, ..Options::default() };
    let gui = Gui::new(options.clone());
    gui.say("uci");
    assert!(gui.wait("uciok").contains(&"option name Rules type string default stalemate=3/4".to_owned()));
    gui.say("setoption name Rules value ply_cap=2");
    gui.say("position startpos moves g4g5 g7g6");
    gui.say("d");
    assert_eq!(gui.wait("the game is over").last().unwrap(), "the game is over: ply cap");
    // Impossible rules are reported, and change nothing.
    gui.say("setoption name Rules value stalemate=never");
    assert!(gui.wait("info string").last().unwrap().contains("stalemate is 1/2 or 3/4"));
    gui.say("position startpos moves g4g5 g7g6");
    gui.say("d");
    gui.wait("the game is over: ply cap");
    gui.say("setoption name Rules value <empty>");
    gui.say("position startpos moves g4g5 g7g6");
    gui.say("d");
    gui.say("isready");
    assert!(!gui.wait("readyok").iter().any(|line| line.starts_with("the game is over")));
    // Another game does not know the rules of this one.
    gui.say("setoption name Rules value ply_cap=2");
    gui.say("setoption name UCI_Variant value connect4");
    assert!(gui.wait("info string").last().unwrap().contains("playing by the usual rules"));
    gui.say("position startpos");
    gui.best("go nodes 5");
    gui.end();
    let output = std::io::sink();
    let error =
        alfil_uci::run(std::io::empty(), output, Options { rules: "map".to_owned(), ..options }, None).unwrap_err();
    assert!(error.to_string().contains("'map' is not valid for the rules of hexchess"), "{error}");
}

#[test]
fn other_rules_change_the_evaluation() {
    let game = |rules: &str| {
        let (game, weights_file) = ("headquarters".to_owned(), "handcrafted".to_owned());
        Gui::new(Options { game, weights_file, rules: rules.to_owned(), hash: 8, ..Options::default() })
    };
    let thought = |gui: &Gui| {
        gui.say("position startpos");
        gui.say("go nodes 300");
        let heard = gui.wait("bestmove");
        let last = heard[heard.len() - 2].clone();
        let (score, line) = (last.split(" score ").nth(1).unwrap(), last.split(" pv ").nth(1).unwrap());
        (score.split(" nps").next().unwrap().to_owned(), line.to_owned())
    };
    let (changed, fresh) = (game(""), game("distance=50"));
    let before = thought(&changed);
    changed.say("setoption name Rules value distance=50");
    let after = thought(&changed);
    assert_ne!(before, after);
    assert_eq!(after, thought(&fresh));
    changed.end();
    fresh.end();
}

#[test]
fn turns_of_several_moves_count_as_one() {
    let gui = Gui::new(Options { game: "headquarters".to_owned(), hash: 8, ..Options::default() });
    gui.say("go nodes 60");
    assert!(!gui.wait("bestmove").last().unwrap().contains("ponder"), "the next order is the engine's own");
    // Two captures, with a turn of two moves of the other side between them, which is behind a wall.
    gui.say("position fen 2#3 e1:20,f1:10,d1:10 f1:15,a1:10,b1:10 red 1");
    gui.say("go nodes 3000");
    let heard = gui.wait("bestmove");
    assert!(heard[heard.len() - 2].contains(" score mate 2 "), "{heard:#?}");
    gui.end();
}

#[test]
fn a_search_without_limits_ends_with_the_input() {
    let gui = Gui::small();
    gui.say("go");
    gui.wait("info depth");
    assert!(gui.end().last().unwrap().starts_with("bestmove"));
    // Options may limit it as well.
    let gui = Gui::new(Options { nodes_per_move: 20, hash: 8, ..Options::default() });
    gui.best("go");
    gui.end();
}

#[test]
fn alpha_beta_is_an_engine_too() {
    let gui = Gui::new(Options { engine: "alphabeta".to_owned(), hash: 4, threads: 2, ..Options::default() });
    let game = Chess::new(&Rules::default());
    gui.say("position startpos");
    for go in [
        "go wtime 1000 btime 1000",
        "go movetime 50",
        "go nodes 3000",
        "go depth 3",
        "go movetime 0",
        "go nodes 0",
        "go depth 0",
    ] {
        let best = gui.best(go);
        assert!(game.parse_move(&best).is_ok(), "{go}: {best}");
    }
    assert_eq!(gui.best("go depth 3 searchmoves a2a3"), "a2a3");
    gui.say("setoption name MultiPV value 3");
    gui.say("go depth 4");
    let heard = gui.wait("bestmove");
    for number in 1..=3 {
        let line = format!(" multipv {number} pv ");
        assert!(heard.iter().any(|heard| heard.starts_with("info depth 4 ") && heard.contains(&line)), "{heard:#?}");
    }
    gui.say("setoption name MultiPV value 1");
    gui.say("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    gui.say("go depth 4");
    let heard = gui.wait("bestmove");
    assert!(
        heard.iter().any(|line| line.contains(" score mate 1 ")) && heard.contains(&"bestmove a1a8".to_owned()),
        "{heard:#?}"
    );
    // A mate that was found ends no infinite search, and stop does.
    gui.say("go infinite");
    let heard = gui.overhear(Duration::from_millis(200));
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    gui.say("stop");
    gui.wait("bestmove");
    gui.say("position startpos");
    gui.say("go ponder wtime 60000 btime 60000");
    let heard = gui.overhear(Duration::from_millis(100));
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    gui.say("ponderhit");
    gui.wait("bestmove");
    // Philidor's legacy; and where there is no mate, the search for one ends as well.
    gui.say("position fen r6k/6pp/8/6N1/2Q5/8/6PP/7K w - - 0 1");
    gui.say("go mate 4");
    let heard = gui.wait("bestmove");
    assert!(heard.iter().any(|line| line.contains(" score mate 4 ")), "{heard:#?}");
    gui.say("position startpos");
    gui.best("go mate 1");
    // Among moves that are about equal the choice is random where that is asked for, and one line is reported.
    gui.say("setoption name Temperature value 10");
    let drawn: HashSet<String> = (0..40).map(|_| gui.best("go depth 2")).collect();
    assert!(drawn.len() > 1, "{drawn:?}");
    gui.say("go depth 2");
    let heard = gui.wait("bestmove");
    assert!(!heard.iter().any(|line| line.contains("multipv")), "{heard:#?}");
    gui.say("setoption name Temperature value 0");
    // Back to the tree, and to other games.
    gui.say("setoption name Engine value tree");
    gui.say("setoption name WeightsFile value handcrafted");
    assert!(game.parse_move(&gui.best("go nodes 50")).is_ok());
    gui.say("setoption name Engine value alphabeta");
    gui.say("setoption name UCI_Variant value hexchess");
    gui.say("position startpos");
    assert_ne!(gui.best("go depth 2"), "0000");
    gui.say("setoption name Engine value minimax");
    gui.wait("info string Engine cannot be 'minimax': use tree, alphabeta");
    gui.end();
}
