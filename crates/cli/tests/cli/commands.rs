//! Games, networks, search, the engine and the benches.

use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

use alfil_failing_device::{STACK_SIZE, TOO_LARGE};
use alfil_game::chess::Chess;
use alfil_selfplay::{GameRecord, chunks, read_chunk};

use super::support::{Folder, alfil, complaint, json, stdout};

#[test]
fn perft_ends_with_the_count_alone() {
    assert_eq!(stdout(&["game", "perft", "chess", "4"]).lines().last(), Some("197281"));
    assert_eq!(stdout(&["game", "perft", "chess", "0"]).lines().last(), Some("1"));
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert_eq!(json(&["game", "perft", "chess", "3", "--position", kiwipete, "--json"])["nodes"], 97_862);
}

#[test]
fn games_are_listed() {
    let text = stdout(&["game", "list"]);
    assert!(text.contains("chess/az119") && text.contains("tictactoe"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80));
    assert_eq!(json(&["game", "list", "--json"])[0]["encodings"][0]["policy"], 4_672);
}

#[test]
fn a_position_is_shown_with_its_moves() {
    let text = stdout(&["game", "show", "chess", "--moves", "e4 c7c5 Nf3"]);
    assert!(text.contains("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"), "{text}");
    assert!(text.contains("Black to move") && text.contains("22 legal moves"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let over = json(&["game", "show", "chess", "--moves", "f3 e5 g4 Qh4", "--json"]);
    assert_eq!(over["outcome"]["reason"], "checkmate");
    assert_eq!(over["outcome"]["first"], 0.0);
}

#[test]
fn connect_four_is_solved() {
    let report = json(&["game", "solve", "connect4", "--moves", "7422341735647741166133573473242566", "--json"]);
    assert_eq!(report["result"], "win");
    assert_eq!(report["moves"][0]["plies"], 7);
}

#[test]
fn games_are_checked() {
    let report = json(&["game", "check", "tictactoe", "--games", "5", "--json"]);
    assert_eq!(report["passed"], true);
    assert!(report["checks"].as_array().unwrap().len() >= 12);
}

#[test]
fn a_pgn_file_is_checked_and_bad_games_are_counted() {
    let sorts = concat!(env!("CARGO_MANIFEST_DIR"), "/../game/tests/fixtures/all-sorts.pgn");
    let output = alfil(&["pgn", "check", sorts, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["games"], 5);
    assert_eq!((&report["bad"][0]["game"], &report["bad_games"]), (&2.into(), &4.into()));
}

/// A file of nothing but bad games takes no more memory than a short one: 400,000 of them took over 300 MB once.
#[cfg(unix)]
#[test]
fn the_memory_of_a_pgn_check_is_bounded() {
    use std::os::unix::process::CommandExt;

    let folder = Folder::new("many-bad-games");
    let path = folder.file("bad.pgn");
    std::fs::write(&path, "x\n\n".repeat(400_000)).unwrap();
    for flags in [&[][..], &["--json"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
        command.args(["pgn", "check", &path]).args(flags);
        let bound = libc::rlimit { rlim_cur: 128 << 20, rlim_max: 128 << 20 };
        // SAFETY: setrlimit may be called between fork and exec, and reads only its argument.
        unsafe {
            command.pre_exec(move || {
                Some(libc::setrlimit(libc::RLIMIT_AS, &bound))
                    .filter(|done| *done == 0)
                    .map(drop)
                    .ok_or_else(std::io::Error::last_os_error)
            })
        };
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        if flags.is_empty() {
            assert!(text.lines().count() == 400_001 && text.contains("\n0 good games, 400000 bad"), "{}", text.len());
        } else {
            let report: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!((report["bad"].as_array().unwrap().len(), &report["bad_games"]), (1000, &400_000.into()));
        }
    }
}

#[test]
fn networks_are_made_evaluated_converted_and_checked() {
    let folder = Folder::new("net");
    let (ours, leela, back) = (folder.file("a.safetensors"), folder.file("a.pb.gz"), folder.file("b.safetensors"));
    let make = ["net", "random", "--game", "chess", "--encoding", "chess/lc0-112", "--arch", "8x1s2", "-o", &ours];
    assert!(stdout(&make).contains("8x1s2 for chess/lc0-112"));
    stdout(&["net", "export", &ours, "-o", &leela]);
    stdout(&["net", "import", &leela, "-o", &back]);
    assert_eq!(json(&["net", "info", &back, "--json"])["size"], "8x1s2");

    let report = json(&["net", "eval", &back, "--moves", "e4 e5 Nf3 Nc6 Bb5 Nf6", "--json"]);
    let moves = report["moves"].as_array().unwrap();
    let priors: Vec<f64> = moves.iter().map(|m| m["prior"].as_f64().unwrap()).collect();
    assert!((priors.iter().sum::<f64>() - 1.0).abs() < 1e-5);
    assert!(priors.is_sorted_by(|a, b| a >= b));
    assert!(moves.iter().any(|m| m["move"] == "e1g1"), "castling is the king's move of two squares");
    assert_eq!(report["wdl"].as_array().unwrap().len(), 3);
    assert!(report["moves_left"].is_null());

    let check = json(&["net", "check", &back, "--positions", "20", "--json"]);
    assert_eq!(check["agree"], true);
}

#[test]
fn evaluation_is_measured() {
    let quick =
        ["bench", "eval", "--arch", "8x1,16x1", "--batch", "1,3", "--rounds", "1", "--seconds", "0.01", "--json"];
    let rows = json(&quick);
    assert_eq!(rows.as_array().unwrap().len(), 4);
    assert!(rows.as_array().unwrap().iter().all(|row| row["cpu"].as_f64().unwrap() > 0.0 && row["ratio"].is_null()));
    let against = [&quick[..], &["--against", "torch"]].concat();
    assert_eq!(alfil(&["bench", "eval", "--device", "cuda"]).status.code(), Some(2), "a device needs a rival");
    if cfg!(feature = "torch") {
        assert!(json(&against)[0]["ratio"].as_f64().unwrap() > 0.0);
    } else {
        assert!(complaint(&against).contains("built without libtorch"));
    }
}

#[test]
fn bad_networks_get_one_clear_sentence() {
    let folder = Folder::new("bad");
    let bad = folder.file("bad.safetensors");
    std::fs::write(&bad, "nonsense that is no network").unwrap();
    assert!(complaint(&["net", "info", &bad]).contains("it is not a network file"));
    assert!(complaint(&["net", "info", &bad]).contains("bad.safetensors"));
    if cfg!(feature = "torch") {
        let tiny = folder.file("tiny.safetensors");
        stdout(&["net", "random", "--game", "tictactoe", "--arch", "8x1", "-o", &tiny]);
        assert!(complaint(&["net", "eval", &tiny, "--device", "tpu"]).contains("'tpu' is not a device"));
        complaint(&["net", "eval", &tiny, "--device", "cuda:99"]);
        let output = alfil(&["net", "eval", &tiny, "--device", "auto"]);
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("device: c"));
    }
    assert!(complaint(&["net", "info", "/no/such.pb.gz"]).contains("/no/such.pb.gz"));
    let output = folder.file("x");
    let huge = ["net", "random", "--game", "chess", "--arch", "2048x256", "-o", &output];
    assert!(complaint(&huge).contains("too large"));
    let unknown = ["net", "random", "--game", "chess", "--encoding", "chess/az7", "--arch", "8x1", "-o", &output];
    assert!(complaint(&unknown).contains("it has chess/az21, chess/az119, chess/attacks, chess/lc0-112"));
    let unwritable = ["net", "random", "--game", "tictactoe", "--arch", "8x1", "-o", "/no/such/folder/x"];
    assert!(complaint(&unwritable).contains("cannot write /no/such/folder/x"));
    let fine = folder.file("c4.safetensors");
    stdout(&["net", "random", "--game", "connect4", "--arch", "8x1", "-o", &fine]);
    assert!(complaint(&["net", "export", &fine, "-o", &output]).contains("chess/lc0-112 version 1 is needed"));
    assert!(complaint(&["net", "eval", &fine, "--moves", "1212121"]).contains("the game is over"));
}

#[test]
fn a_position_is_searched_and_the_tree_drawn() {
    let folder = Folder::new("search");
    let graph = folder.file("tree.dot");
    let mate = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    let text = stdout(&["search", "chess", "--position", mate, "--dot", &graph]);
    assert!(text.contains("Ra8#") && text.contains("wins in 1 plies"), "{text}");
    let dot = std::fs::read_to_string(&graph).unwrap();
    assert!(dot.starts_with("digraph tree {") && dot.trim_end().ends_with('}') && dot.contains("Ra8#"), "{dot}");
    let tiny = folder.file("tiny.safetensors");
    stdout(&["net", "random", "--game", "tictactoe", "--arch", "8x1", "-o", &tiny]);
    // All commands know the same evaluators.
    for evaluator in ["trained", "connect4", "handcrafted", "material"] {
        json(&["search", "connect4", "--evaluator", evaluator, "--visits", "9", "--json"]);
        json(&["analyse", evaluator, "--game", "connect4", "--movetime", "10ms", "--hash", "8", "--json"]);
    }
    assert!(
        complaint(&["analyse", "trained", "--game", "tictactoe"]).contains("no network for tictactoe is bundled with")
    );
    for evaluator in ["uniform", "rollout", "rollout:3", "material", "handcrafted", tiny.as_str()] {
        for rule in ["play", "self-play", "uct", "simple-puct", "gumbel"] {
            let arguments =
                ["search", "tictactoe", "--evaluator", evaluator, "--rule", rule, "--visits", "50", "--json"];
            let report = json(&arguments);
            assert_eq!(report["visits"], 50, "{evaluator} {rule}");
            assert_eq!(report["moves"].as_array().unwrap().len(), 9);
        }
    }
    let timed =
        json(&["search", "chess", "--movetime", "0.05", "--threads", "2", "--batch", "4", "--hash", "8", "--json"]);
    assert!(timed["visits"].as_u64().unwrap() > 0);
    assert!(
        complaint(&["search", "chess", "--evaluator", "nothing"]).contains("no evaluator or network file 'nothing'")
    );
    assert!(complaint(&["search", "chess", "--evaluator", "rollout:x"]).contains("from 1 to 10000 games"));
    assert!(complaint(&["search", "connect4", "--moves", "1212121"]).contains("the game is over"));
    assert!(complaint(&["search", "chess", "--evaluator", &tiny]).contains("made for tictactoe/stones"));
    assert!(complaint(&["search", "chess", "--movetime", "0"]).contains("'0' is not a duration"));
    assert!(complaint(&["search", "chess", "--dot", "/no/such/folder/x"]).contains("/no/such/folder/x"));
}

#[test]
fn the_engine_speaks_and_positions_are_analysed() {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_alfil"))
        .args(["uci", "--hash", "8", "--show-wdl"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    engine.stdin.take().unwrap().write_all(b"uci\nposition startpos moves e2e4\ngo nodes 200\n").unwrap();
    let text = String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap();
    assert!(text.contains("uciok") && text.contains(" wdl ") && text.contains("\nbestmove "), "{text}");
    assert!(complaint(&["uci", "/no/such.pb.gz"]).contains("cannot use the network /no/such.pb.gz"));
    assert!(complaint(&["uci", "--hash", "0"]).contains("Hash cannot be '0'"));

    // What is proven ends the search long before its time.
    let mate = ["analyse", "--position", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "--movetime", "10m", "--hash", "8"];
    let text = stdout(&mate);
    assert!(text.contains("#1  1. Ra8#"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let report = json(&[&mate[..], &["--json"]].concat());
    assert_eq!(report["lines"][0]["mate"], 1);
    let other = ["analyse", "--game", "connect4", "--moves", "4 4 3 3 2", "--movetime", "10m", "--hash", "8"];
    let best = json(&[&other[..], &["--json"]].concat())["lines"][0].clone();
    assert!(best["mate"] == -1 && best["moves"].as_str().unwrap().starts_with("1... "), "{best}");
    // Five moves are two turns of the side to move, where a turn is several moves.
    let two = "15/15/15/15/15/15/15/15/15/15 c3:20,m9:10,l8:10,n8:10 m8:20,k2:10,l2:10 red 9";
    let two = ["analyse", "--game", "headquarters", "--position", two, "--movetime", "10m", "--hash", "64"];
    let text = stdout(&two);
    assert!(text.contains("] 100% won   0% drawn   0% lost\n      #2  "), "{text}");
    let best = json(&[&two[..], &["--json"]].concat())["lines"][0].clone();
    assert_eq!((&best["mate"], &best["wdl"]), (&2.into(), &serde_json::json!([1.0, 0.0, 0.0])), "{best}");
    assert!(complaint(&["analyse", "--movetime", "5x"]).contains("'5x' is not a duration"));
    assert!(complaint(&["analyse", "--moves", "f3 e5 g4 Qh4"]).contains("the game is over"));
}

#[test]
fn the_engine_says_if_it_can_start_no_thread() {
    let engine = Command::new(env!("CARGO_BIN_EXE_alfil"))
        .args(["uci", "--hash", "1"])
        .env(STACK_SIZE, TOO_LARGE)
        .stdin(Stdio::piped())
        .output()
        .unwrap();
    let [said, complaint] = [engine.stdout, engine.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(said.starts_with("info string the engine cannot start a thread: "), "{said}");
    assert!(complaint.starts_with("alfil: the engine cannot start a thread: "), "{complaint}");
    assert_eq!(engine.status.code(), Some(2));
}

/// The nodes that fixed searches on one thread pass through. Another number means that the search has changed: if that was meant,
/// the new number belongs here.
const SIGNATURE: u64 = 63_930;

#[test]
fn the_search_has_its_signature() {
    let bench = json(&["bench", "tree", "--visits", "2000", "--rounds", "1", "--json"]);
    assert_eq!(bench["signature"], SIGNATURE);
    assert!(bench["nps_2"].as_f64().unwrap() > 0.0 && bench["bytes_per_node"].as_f64().unwrap() < 300.0, "{bench}");
}

#[test]
fn whole_turns_are_searched_with_fewer_nodes_than_minimax() {
    for game in ["headquarters", "connect4"] {
        let report = json(&["bench", "turns", game, "--depths", "1,3,4", "--actions", "3", "--json"]);
        let nodes = |depth: usize| report["depths"][depth]["turns"][0]["nodes"].as_u64().unwrap();
        let minimax = |depth: usize| report["depths"][depth]["minimax_nodes"].as_u64();
        assert_eq!(Some(nodes(0)), minimax(0), "one turn ahead there is nothing to prune");
        assert!(Some(nodes(1)) < minimax(1) && nodes(1) < nodes(2) && minimax(2).is_none(), "{report}");
        assert!((6..=12).contains(&report["depths"][1]["turns"].as_array().unwrap().len()), "{report}");
    }
    let table = stdout(&["bench", "turns", "tictactoe", "--depths", "2"]);
    assert!(table.contains("depth 2") && table.contains("minimax          82"), "{table}");
    assert!(table.starts_with("tictactoe, alpha-beta: nodes"), "a turn is one move: {table}");
    let short = ["bench", "turns", "headquarters", "--depths", "1", "--rules", "turn_cap=2"];
    let table = stdout(&short);
    assert!(table.starts_with("headquarters, alpha-beta over whole turns of 5 moves per piece: nodes"), "{table}");
    assert_eq!(table.lines().filter(|line| line.trim_start().starts_with(['1', '2', '3'])).count(), 2, "{table}");
    assert!(complaint(&["bench", "turns", "chss"]).contains("did you mean chess?"));
}

#[test]
fn self_play_is_measured() {
    let folder = Folder::new("bench-selfplay");
    let tiny = folder.file("tiny.safetensors");
    stdout(&["net", "random", "--game", "connect4", "--arch", "8x1", "-o", &tiny]);
    let arguments = ["bench", "selfplay", &tiny, "--visits", "8", "--games", "4", "--seconds", "0.1", "--rounds", "1"];
    let report = json(&[&arguments[..], &["--json"]].concat());
    assert!(report["positions_per_second_1"].as_f64().unwrap() > 0.0);
    let share = report["evaluator_share"].as_f64().unwrap();
    assert!(share > 0.0 && share <= 1.0, "{share}");

    let games = folder.file("games");
    for search in ["gumbel", "puct"] {
        let report =
            json(&["selfplay", &tiny, "-o", &games, "--games", "12", "--search", search, "--visits", "8", "--json"]);
        assert_eq!(report["games"], 12);
    }
    let text = stdout(&["selfplay", "rollout", "--game", "tictactoe", "-o", &folder.file("other"), "--games", "5"]);
    assert!(text.contains("5 ") && text.lines().all(|line| line.len() <= 100), "{text}");
    // With all options, several times into the same folder: different games every time.
    let starts = folder.file("starts");
    std::fs::write(&starts, "# a quiet middle game\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\n").unwrap();
    let many = folder.file("many");
    let arguments = "--visits 4 --games 6 --cheap 0.5 --resign-below -0.5 --endings 0.5 --random-plies 2 --cache 4";
    let mut arguments: Vec<&str> = arguments.split(' ').collect();
    arguments.extend([
        "--temperature-plies",
        "4",
        "--set",
        "selfplay.starts_share=0.5",
        "--starts-file",
        &starts,
        "-o",
        &many,
    ]);
    for expected in ["resigned", "cache", "games/s"] {
        let text = stdout(&[&["selfplay", "handcrafted"], &arguments[..]].concat());
        assert!(text.contains(expected) && text.lines().all(|line| line.len() <= 100), "{text}");
    }
    let records: Vec<GameRecord> =
        chunks(many.as_ref()).unwrap().iter().flat_map(|path| read_chunk::<Chess>(path).unwrap()).collect();
    assert_eq!(records.iter().map(|record| record.number).collect::<HashSet<_>>(), (0..18).collect());
    assert!(records.iter().all(|record| !record.start.is_empty()));
    assert!(
        complaint(&["selfplay", "uniform", "--game", "tictactoe", "-o", &many]).contains("they are games of chess")
    );
    std::fs::write(&starts, "nonsense").unwrap();
    assert!(
        complaint(&["selfplay", "uniform", "-o", &games, "--starts-share", "1", "--starts-file", &starts])
            .contains("line 1 of ")
    );
    let endings = ["selfplay", &tiny, "-o", &games, "--endings", "0.5"];
    assert!(complaint(&endings).contains("connect4 has no random endings"));
    assert!(
        complaint(&["selfplay", "uniform", "-o", &games, "--cheap", "7"]).contains("cheap_share must be from 0 to 1")
    );
    let trained =
        ["selfplay", "trained", "--game", "connect4", "-o", &games, "--games", "2", "--visits", "2", "--json"];
    assert_eq!(json(&trained)["stopped"], false);
    assert!(complaint(&["selfplay", &tiny, "--game", "chess", "-o", &games]).contains("connect4/stones"));
    assert!(complaint(&["selfplay", "nothing", "-o", &games]).contains("'nothing'"));
    let huge = complaint(&["selfplay", "uniform", "-o", &games, "--set", "machine.cache=1048576"]);
    assert!(
        !cfg!(target_os = "linux") || huge.contains("machine.cache cannot be 1048576: this machine has "),
        "{huge}"
    );
    assert!(complaint(&["selfplay", "uniform", "-o", "/proc/nothing"]).contains("cannot make the folder"));
}

#[test]
fn training_is_measured() {
    let quick = "bench train --encoding tictactoe/stones --arch 8x1 --batch 8 --games 20 --seconds 0 --rounds 1";
    let quick: Vec<&str> = quick.split(' ').collect();
    if cfg!(not(feature = "torch")) {
        assert!(complaint(&quick).contains("built without libtorch"));
        return;
    }
    let report = json(&[&quick[..], &["--json", "--replicas", "2"]].concat());
    assert_eq!((&report["replicas"], &report["games"]), (&2.into(), &20.into()));
    for key in ["samples_per_second_1", "samples_per_second", "scaling", "batches_per_second", "pipeline_share"] {
        assert!(report[key].as_f64().unwrap() > 0.0, "{key}: {report}");
    }
    assert!((0.0..1.0).contains(&report["waiting_share"].as_f64().unwrap()), "{report}");
    let text = stdout(&quick);
    assert!(text.contains("built ahead") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(complaint(&["bench", "train", "--encoding", "ches"]).contains("there is no encoding 'ches'"));
    assert!(complaint(&["bench", "train", "--device", "tpu"]).contains("machine.device cannot be 'tpu'"));
}

#[test]
fn a_batch_is_memorised() {
    // Most games of tic-tac-toe begin with the same positions: their targets must not contradict each other.
    let overfit = "net overfit --encoding tictactoe/stones --arch 16x2 --batch 64 --device cpu --steps";
    let overfit = |more: &[&'static str]| [&overfit.split(' ').collect::<Vec<_>>(), more].concat();
    if cfg!(not(feature = "torch")) {
        assert!(complaint(&overfit(&["2"])).contains("built without libtorch"));
        return;
    }
    let report = json(&overfit(&["200", "--json"]));
    assert_eq!(report["passed"], true, "{report}");
    assert!(report["engine_policy"].as_f64().unwrap() < 0.05, "{report}");
    let short = alfil(&overfit(&["2"]));
    assert_eq!(short.status.code(), Some(1));
    let text = String::from_utf8(short.stdout).unwrap();
    assert!(text.lines().last().unwrap().starts_with("WRONG: after 2 steps"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn bad_input_gets_one_clear_sentence() {
    assert!(complaint(&["game", "show", "ches"]).contains("did you mean chess?"));
    assert!(complaint(&["game", "show", "chess", "--position", "nonsense"]).contains("six fields"));
    assert!(complaint(&["game", "show", "chess", "--moves", "e5"]).contains("'e5' is not a legal move here"));
    assert!(complaint(&["game", "show", "connect4", "--moves", "48"]).contains("a column from 1 to 7"));
    assert!(complaint(&["game", "solve", "chess"]).contains("no exact solver"));
    assert!(complaint(&["game", "solve", "connect4", "--moves", "1212121"]).contains("the game is over"));
    assert!(complaint(&["pgn", "check", "/no/such/file"]).contains("cannot read /no/such/file"));
    assert!(complaint(&["pgn", "check", "/"]).contains("cannot read /"));
    for (flags, sentence) in [
        (&["match", "--games", "1e3"][..], "invalid value '1e3' for '--games <GAMES>': it should be a whole number"),
        (&["search", "chess", "--visits", "-1"], "invalid value '-1' for '--visits <VISITS>': "),
        (&["match", "--gmaes", "3"], "unexpected argument '--gmaes' found; a similar argument exists: '--games'"),
        (&["lader"], "unrecognized subcommand 'lader'; a similar subcommand exists: 'ladder'"),
        (&["exam"], "the following required arguments were not provided: <PLAYER>..."),
        (&["game", "show"], "the following required arguments were not provided: <GAME>"),
        (&["ladder", "random", "--anchor", "random=1e300"], "--anchor should be from -10000 to 10000 Elo"),
    ] {
        let text = complaint(flags);
        assert!(text.starts_with(&format!("alfil: {sentence}")), "{text}");
    }
    assert_eq!(alfil(&["search", "--help"]).status.code(), Some(0));
}

#[test]
fn usage_errors_exit_with_2() {
    for arguments in [&[][..], &["gmae"], &["game", "perft", "chess", "x"], &["game", "perft", "chess", "99"]] {
        assert_eq!(alfil(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_doctor_sees_this_machine() {
    let output = alfil(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["threads"].as_u64().unwrap() >= 1);
    assert_eq!(report["libtorch"].is_object(), cfg!(feature = "torch"));
    assert!(report["difference"].as_f64().unwrap() < 1e-4, "{report}");
    assert_eq!(report["ready"].as_bool().unwrap(), output.status.success());
    let troubles = report["troubles"].to_string();
    assert_eq!(troubles.contains("no libtorch"), cfg!(not(feature = "torch")), "{troubles}");
    let text = String::from_utf8(alfil(&["doctor"]).stdout).unwrap();
    assert!(text.lines().last().unwrap().starts_with("verdict"), "{text}");
    assert!(text.lines().count() < 20, "{text}");
}

#[test]
fn a_run_has_a_report() {
    let folder = Folder::new("report");
    let run = alfil_train::RunDirectory::new(folder.file("my run"));
    run.create().unwrap();
    let path = run.path().display().to_string();
    let text = complaint(&["report", &path]);
    assert!(text.contains("there is no run ") && text.contains("data/runs"), "{text}");
    std::fs::write(run.config(), "game = \"connect4\"").unwrap();
    alfil_train::run::State::new().save(&run).unwrap();
    assert!(stdout(&["report", &path]).contains("report.html"));
    let elsewhere = folder.file("elsewhere.html");
    stdout(&["report", &path, "-o", &elsewhere]);
    assert_eq!(std::fs::read(elsewhere).unwrap(), std::fs::read(run.report()).unwrap());
}

/// Starts a command, interrupts it as soon as `begun` is true of its process, and returns what it printed.
#[cfg(target_os = "linux")]
fn interrupted(arguments: &[&str], begun: impl Fn(u32) -> bool) -> String {
    use super::support::{comes, ends, interrupt};

    let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
    let mut child = command.args(arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let number = child.id();
    let has_begun = comes(|| {
        assert!(child.try_wait().unwrap().is_none(), "{arguments:?}");
        begun(number)
    });
    assert!(has_begun, "{arguments:?}");
    interrupt(&child);
    ends(&mut child);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether a process heeds ctrl-C and has worked for a second since it began, by its own CPU time.
#[cfg(target_os = "linux")]
fn is_at_work(process: u32) -> bool {
    let tell = |what: &str| std::fs::read_to_string(format!("/proc/{process}/{what}")).unwrap();
    let status = tell("status");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
    let heeds = u64::from_str_radix(caught, 16).unwrap() >> (libc::SIGINT - 1) & 1 == 1;
    // After the name, which may have blanks in it: user and system time, in hundredths of seconds, are the 12th and 13th word.
    let stat = tell("stat");
    let words: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let hundredths: u64 = words[11..13].iter().map(|word| word.parse::<u64>().unwrap()).sum();
    heeds && hundredths >= 100
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_commands_print_what_they_have_found() {
    let text = interrupted(&["analyse", "--movetime", "10m", "--hash", "512"], is_at_work);
    assert!(text.contains("% won") && text.trim_end().ends_with(": stopped"), "{text}");
    let search = ["search", "chess", "--movetime", "10m", "--hash", "512", "--json"];
    let report: serde_json::Value = serde_json::from_str(&interrupted(&search, is_at_work)).unwrap();
    assert!(report["stopped"] == true && report["visits"].as_u64().unwrap() > 0, "{report}");
    let exam = ["exam", "random", "oracle", "--positions", "1000000"];
    let text = interrupted(&exam, is_at_work);
    assert!(text.ends_with("stopped before the end\n"), "{text}");
    let study = ["study", "branching", "chess", "--games", "1000000"];
    let text = interrupted(&study, is_at_work);
    let games = text.lines().last().unwrap().strip_prefix("stopped after ").unwrap().split(' ').next().unwrap();
    assert!((1..1_000_000).contains(&games.parse().unwrap()), "{text}");

    let folder = Folder::new("interrupted-games");
    let games = folder.file("games");
    let play = ["selfplay", "uniform", "--game", "tictactoe", "-o", &games, "--games", "100000000", "--visits", "2"];
    let begun = |_| {
        let has_games = !chunks(games.as_ref()).unwrap().is_empty();
        if has_games {
            let second = complaint(&play);
            assert!(second.contains("another process is filling the folder"), "{second}");
        }
        has_games
    };
    let text = interrupted(&play, begun);
    assert!(text.lines().last().unwrap().starts_with("stopped after "), "{text}");
}

#[test]
fn what_a_command_does_can_be_traced() {
    let play = ["match", "random", "random", "--game", "tictactoe", "--games", "4", "--concurrency", "1", "--json"];
    let plain = alfil(&play);
    let traced = alfil(&[&play[..], &["--trace", "info"]].concat());
    assert_eq!(traced.stdout, plain.stdout);
    assert!(plain.stderr.is_empty());
    let lines = String::from_utf8(traced.stderr).unwrap();
    assert_eq!(lines.matches("pair finished pair=").count(), 2, "{lines}");
    assert!(complaint(&["game", "list", "--trace", "loud"]).contains("'loud'"));
}

#[test]
fn a_network_is_probed() {
    let few = ["probe", "trained", "--game", "chess", "--positions", "12", "--pairs", "12", "--visits", "8"];
    let also = ["--also", "visits=16,search=puct", "--json"];
    let report = json(&[&few[..], &also].concat());
    for part in ["gap", "bias", "correlation"] {
        let [value, low, high] = ["value", "low", "high"].map(|key| report[part][key].as_f64().unwrap());
        assert!(low <= value && value <= high && report[part]["count"] == 12, "{report}");
    }
    let searches = report["searches"].as_array().unwrap();
    assert_eq!(searches.iter().map(|search| &search["visits"]).collect::<Vec<_>>(), [8, 16]);
    assert!(searches.iter().all(|search| search["blunders"]["count"] == 12), "{report}");
    assert_eq!(report["stopped"], false);
    assert_eq!(json(&[&few[..], &also].concat()), report, "it follows from the seed");
    let text = stdout(&few);
    assert_eq!(
        text.lines().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(),
        ["gap", "bias", "correlation", "blunders"]
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn what_cannot_be_probed_is_one_sentence() {
    assert!(complaint(&["probe", "chess.safetensor"]).contains("there is no evaluator or network file"));
    let solved = complaint(&["probe", "trained", "--game", "connect4"]);
    assert!(solved.contains("connect4 has no handcrafted estimates to probe with"), "{solved}");
    let typo = complaint(&["probe", "trained", "--also", "visit=3"]);
    assert!(typo.contains("--also visit=3: there is no key 'visit': did you mean visits?"), "{typo}");
    let range = complaint(&["probe", "trained", "--also", "visits=1"]);
    assert!(range.contains("--also visits=1: visits must be from 2 to 1000000"), "{range}");
    assert!(complaint(&["probe", "trained", "--positions", "0", "--pairs", "0"]).contains("nothing to measure"));
}
