//! Programs of all kinds as players, most of them bad.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use alfil_arena::contest::{Archive, Match, MatchEnd, MatchReport};
use alfil_arena::opening::Openings;
use alfil_arena::player::{
    Entrant, ExternalPlayer, ExternalSettings, Go, Label, LabelSettings, Played, PlayerError, PlayerLine, Timeouts,
};
use alfil_game::chess::Chess;
use alfil_game::hexchess::HexChess;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{FullGame, Game, Mover, Wdl, read_rules};
use alfil_search::Adjudicator;
use common::{Folder, ends, entrant, play, play_by, settings};

/// An engine for tic-tac-toe that takes the first free cell, and runs `on_go` when it is told to go.
fn script(folder: &Folder, name: &str, on_go: &str) -> ExternalSettings {
    script_that_offers(VARIANTS, folder, name, on_go)
}

/// What it prints among its options.
const VARIANTS: &str = "echo 'option name UCI_Variant type combo default tictactoe var tictactoe';";

fn script_that_offers(offers: &str, folder: &Folder, name: &str, on_go: &str) -> ExternalSettings {
    let text = format!(
        r#"#!/bin/sh
here='{here}'
while read -r line; do
  case "$line" in
    uci) echo "id name fake"; echo "option name Mood type string default good"; {offers} echo uciok;;
    isready) echo readyok;;
    setoption*) echo "$line" >> "$here/{name}.options"; set="$line";;
    position*) moves="${{line#*moves}}";;
    quit) exit 0;;
    go*)
      echo "$line" >> "$here/{name}.go"
      best=none
      for cell in 9 8 7 6 5 4 3 2 1; do
        case " $moves " in *" $cell "*) ;; *) best=$cell;; esac
      done
      {on_go}
      echo "bestmove $best";;
  esac
done
"#,
        here = folder.0.display()
    );
    let path = folder.file(name);
    std::fs::write(&path, text).unwrap();
    let go = Go { movetime: Some(Duration::from_millis(50)), ..Go::default() };
    ExternalSettings::new(&format!("/bin/sh {}", path.display()), go)
}

/// With a short wait, for engines that will not answer.
fn impatient(settings: ExternalSettings) -> ExternalSettings {
    let late = Duration::from_millis(450);
    ExternalSettings { patience: Timeouts { late, ..Timeouts::default() }, ..settings }
}

fn engine<G: FullGame>(settings: &ExternalSettings) -> Entrant<G> {
    let settings = settings.clone();
    Entrant::new("engine", "engine", move || Box::new(ExternalPlayer::new(settings.clone())))
}

fn against_random(engine: &Entrant<TicTacToe>, games: u64) -> MatchReport {
    play(engine, &entrant("random"), settings(games, 2), Archive::default()).unwrap().1
}

#[test]
fn an_honest_engine_plays_with_its_options_and_opinions() {
    let folder = Folder::new("honest");
    let mut honest = script(&folder, "honest", "echo info depth 3 score cp 25 pv x");
    honest.options = vec![("mood".to_owned(), "very bad".to_owned())];
    ExternalPlayer::try_out::<TicTacToe>(&honest).unwrap();
    let (pairs, report) =
        play(&engine::<TicTacToe>(&honest), &entrant("random"), settings(6, 2), Archive::default()).unwrap();
    assert!(report.faults.is_empty(), "{report}");
    assert!(pairs[0].iter().all(|record| record.notes.iter().any(|note| note.starts_with("+0.25/3 "))));
    let options = std::fs::read_to_string(folder.file("honest.options")).unwrap();
    assert_eq!(options.lines().next(), Some("setoption name mood value very bad"));
    let gos = std::fs::read_to_string(folder.file("honest.go")).unwrap();
    assert!(gos.lines().all(|line| line == "go movetime 50"), "{gos}");
}

#[test]
fn engines_for_several_games_are_told_which_one() {
    let folder = Folder::new("variants");
    for (name, default, told) in [("other", "chess", true), ("same", "tictactoe", false)] {
        let offer = format!("echo 'option name UCI_Variant type combo default {default} var chess var tictactoe';");
        let settings = script_that_offers(&offer, &folder, name, "");
        assert!(against_random(&engine(&settings), 2).faults.is_empty());
        let options = std::fs::read_to_string(folder.file(&format!("{name}.options"))).unwrap_or_default();
        assert_eq!(options.lines().next() == Some("setoption name UCI_Variant value tictactoe"), told, "{options}");
    }
}

#[test]
fn options_of_a_game_are_known_once_it_is_chosen() {
    let folder = Folder::new("options");
    let offer = "echo 'option name UCI_Variant type combo default chess var chess var tictactoe'; \
                 case \"$set\" in *tictactoe) echo 'option name Rules type string';; esac;";
    let mut settings = script_that_offers(offer, &folder, "rules", "");
    settings.options = vec![("Rules".to_owned(), "x".to_owned())];
    ExternalPlayer::try_out::<TicTacToe>(&settings).unwrap();
    let refused = ExternalPlayer::try_out::<Chess>(&settings).unwrap_err();
    assert_eq!(refused.to_string(), "it has no option 'Rules'");
}

#[test]
fn engines_are_told_the_rules_if_they_can_be() {
    let folder = Folder::new("told");
    let variants = "echo 'option name UCI_Variant type combo default hexchess var hexchess';";
    let told = |name: &str, offers: &str, option: Option<&str>, rules: &str| {
        let mut settings = script_that_offers(&format!("{variants} {offers}"), &folder, name, "");
        settings.options = option.map(|value| ("Rules".to_owned(), value.to_owned())).into_iter().collect();
        let engine = engine::<HexChess>(&settings);
        // Its moves are for another game, which does not matter here.
        play_by(
            &read_rules::<HexChess>(rules).unwrap(),
            &engine,
            &entrant("random"),
            common::settings(2, 1),
            Archive::default(),
        )
        .unwrap();
        std::fs::read_to_string(folder.file(&format!("{name}.options"))).unwrap_or_default()
    };
    let offer = "echo 'option name Rules type string default';";
    assert!(told("knows", offer, None, "stalemate=3/4").starts_with("setoption name Rules value stalemate=3/4\n"));
    assert_eq!(told("usual", offer, None, ""), "");
    assert_eq!(told("ignorant", "", None, "stalemate=3/4"), "");
    let own = told("own", offer, Some("stalemate=1/2"), "stalemate=3/4");
    assert!(own.lines().all(|line| line == "setoption name Rules value stalemate=1/2"), "{own}");
}

#[test]
fn engines_that_do_not_know_the_game_are_refused() {
    let folder = Folder::new("unknown");
    let refused = |offer: &str| {
        let settings = script_that_offers(offer, &folder, "engine", "");
        ExternalPlayer::try_out::<Chess>(&settings).unwrap();
        ExternalPlayer::try_out::<TicTacToe>(&settings).unwrap_err().to_string()
    };
    assert_eq!(refused(""), "it does not play tictactoe: it has no option UCI_Variant");
    let variants = "echo 'option name UCI_Variant type combo default chess var chess var shogi';";
    assert_eq!(refused(variants), "it does not play tictactoe: its option UCI_Variant has chess, shogi");
}

#[test]
fn a_running_clock_runs() {
    let folder = Folder::new("clock");
    let mut slow = script(&folder, "slow", "sleep 0.06");
    slow.go = Go { clock: Some((Duration::from_secs(60), Duration::from_millis(10))), ..Go::default() };
    let report = against_random(&engine(&slow), 2);
    assert!(report.faults.is_empty(), "{report}");
    let gos = std::fs::read_to_string(folder.file("slow.go")).unwrap();
    assert!(gos.lines().any(|line| line == "go wtime 60000 btime 60000 winc 10 binc 10"), "{gos}");
    let later = gos.lines().find(|line| !line.contains(" wtime 60000 ")).unwrap();
    let left: u32 = later.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!(left < 59_960, "{later}");
    let mut late = script(&folder, "late", "exec sleep 100");
    late.go = Go { clock: Some((Duration::from_millis(100), Duration::ZERO)), ..Go::default() };
    let report = against_random(&engine(&late), 2);
    assert!(
        report.faults.iter().all(|(_, fault)| fault.what == "it ran out of time") && report.losses == 2,
        "{report}"
    );
}

#[test]
fn bad_engines_lose_every_game_and_the_match_goes_on() {
    let folder = Folder::new("bad");
    let crashed = "it crashed: it ended with exit status: 3";
    let stalled = "it gave no answer within 0.5 s";
    let bad = [
        ("crash", "exit 3", crashed),
        ("stall", "exec sleep 100", stalled),
        ("illegal", "best=e9e9", "it played 'e9e9', which is not a legal move"),
        ("occupied", "best=${moves##* }", "which is not a legal move"),
        ("none", "best='(none)'", "it played '(none)', which is not a legal move"),
        ("odd", "best=$(printf '\\033[31m\\377')", "it played '\\u{1b}[31m\u{fffd}', which"),
        ("flood", "while :; do echo info string flood; done", stalled),
        ("endless", "exec cat /dev/zero", stalled),
    ];
    for (name, on_go, what) in bad {
        let settings = script(&folder, name, on_go);
        let settings = if what == stalled { impatient(settings) } else { settings };
        let report = against_random(&engine(&settings), 2);
        assert_eq!((report.losses, report.faults.len()), (2, 2), "{name}: {report}");
        assert!(report.faults.iter().all(|(_, fault)| fault.what.contains(what)), "{name}: {:?}", report.faults);
    }
}

#[test]
fn noise_does_no_harm() {
    let folder = Folder::new("noise");
    let noise = [
        ("lines", "yes 'info string noise' | head -n 20000"),
        ("long", "head -c 3000000 /dev/zero | tr '\\0' x; echo"),
        ("bytes", "head -c 5000 /dev/urandom | tr -d 'b'; echo"),
        ("words", "echo bestmov 1; echo info score cp; echo info depth -4 score mate x; echo readyok; echo uciok"),
        // What it prints between moves is not an answer to the next question.
        ("echo", "echo \"bestmove $best\"; best=99"),
    ];
    for (name, on_go) in noise {
        let report = against_random(&engine(&script(&folder, name, on_go)), 2);
        assert!(report.faults.is_empty(), "{name}: {report}");
    }
}

#[test]
fn labels_have_what_the_engine_says_of_its_lines() {
    let folder = Folder::new("labels");
    let info = |line: u32, score: &str, m: &str| format!("echo 'info depth 4 multipv {line} score {score} pv {m} 9';");
    let offer = "echo 'option name UCI_Variant type combo default tictactoe var tictactoe'; \
                 echo 'option name MultiPV type spin default 1'; echo 'option name UCI_ShowWDL type check default false';";
    let on_go = [
        info(1, "cp 10 wdl 1000 0 0", "3"),
        info(1, "cp 50 wdl 400 500 100", "5"),
        info(2, "cp 0 wdl 200 600 200", "1"),
        info(3, "mate -2", "2"),
        "best=5".to_owned(),
    ];
    let settings = script_that_offers(offer, &folder, "lines", &on_go.concat());
    let game = Played::new(TicTacToe::new(&()));
    let label = |line: &str, settings: LabelSettings| {
        let entrant = line.parse::<PlayerLine>().unwrap().teacher::<TicTacToe>(&settings).unwrap();
        let mut player = entrant.player().unwrap();
        player.new_game(1).unwrap();
        player.label(&game, &settings, &|| false)
    };
    let line = format!("uci:{},movetime=0.05", settings.command);
    let Label { wdl: Mover(wdl), policy } = label(&line, LabelSettings { lines: 4, temperature: 0.5 }).unwrap();
    assert!([wdl.win - 0.4, wdl.draw - 0.5, wdl.loss - 0.1].iter().all(|off| off.abs() < 1e-6), "{wdl:?}");
    let named = |text: &str| game.now().parse_move(text).unwrap();
    assert_eq!(policy.iter().map(|(m, _)| *m).collect::<Vec<_>>(), ["5", "1", "2"].map(named));
    assert!((policy[0].1 / policy[1].1 - 1f32.exp()).abs() < 1e-4 && policy[2].1 == 0.0, "{policy:?}");
    let options = std::fs::read_to_string(folder.file("lines.options")).unwrap();
    assert!(options.contains("setoption name UCI_ShowWDL value true\nsetoption name MultiPV value 4\n"), "{options}");
    assert_eq!(label(&line, LabelSettings::default()).unwrap().policy, [(named("5"), 1.0)]);

    // Without shares the score has to do; without a score there is no label; and what is no move is an error.
    let plain = |name: &str, on_go: &str| format!("uci:{},movetime=0.05", script(&folder, name, on_go).command);
    let scored = label(&plain("scored", "echo info score mate 1 pv 9"), LabelSettings::default()).unwrap();
    assert_eq!((scored.wdl, scored.policy), (Mover(Wdl::WIN), vec![(named("1"), 1.0)]));
    let refused = |name: &str, on_go: &str| label(&plain(name, on_go), LabelSettings::default()).unwrap_err();
    assert_eq!(refused("silent", ""), PlayerError::NoScore);
    assert_eq!(refused("wrong", "best=x"), PlayerError::Illegal("x".to_owned()));
    let several = LabelSettings { lines: 2, ..LabelSettings::default() };
    let no_option = plain("single", "").parse::<PlayerLine>().unwrap().teacher::<TicTacToe>(&several);
    assert!(no_option.err().unwrap().to_string().ends_with("it has no option 'MultiPV'"));
}

#[test]
fn a_crashed_engine_is_started_again_for_the_next_game() {
    let folder = Folder::new("again");
    let once = "if [ ! -e \"$here/crashed\" ]; then touch \"$here/crashed\"; exit 3; fi";
    let engine = engine::<TicTacToe>(&script(&folder, "once", once));
    let (_, report) = play(&engine, &entrant("random"), settings(6, 1), Archive::default()).unwrap();
    assert_eq!((report.games(), report.faults.len()), (6, 1), "{report}");
    assert_eq!(report.faults[0].0, 1, "in the first game");
}

#[test]
fn unusable_engines_are_refused_before_the_match() {
    let folder = Folder::new("refused");
    let refused = |settings: &ExternalSettings| ExternalPlayer::try_out::<TicTacToe>(settings).unwrap_err();
    let mut typo = script(&folder, "typo", "");
    typo.options = vec![("Moo".to_owned(), String::new())];
    assert_eq!(refused(&typo).to_string(), "it has no option 'Moo' (did you mean Mood?)");
    let patient = |command: &str| ExternalSettings::new(command, Go::default());
    assert!(matches!(refused(&patient("/no/such/engine")), PlayerError::Start(_)));
    assert!(matches!(refused(&patient("/bin/false")), PlayerError::Crashed(_)));
    for command in ["/bin/sleep 100", "yes bestmove 1"] {
        let patience = Timeouts { ready: Duration::from_millis(300), ..Timeouts::default() };
        assert!(matches!(refused(&ExternalSettings { patience, ..patient(command) }), PlayerError::Stalled(_)));
    }
}

#[test]
fn no_process_is_left_behind() {
    let folder = Folder::new("reaped");
    // It has said who it is before its time begins.
    let offers = format!("{VARIANTS} echo $$ > \"$here/pid\";");
    let settings = script_that_offers(&offers, &folder, "pid", "exec sleep 100");
    against_random(&engine(&impatient(settings)), 2);
    let pid = std::fs::read_to_string(folder.file("pid")).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists());
}

/// Starts a process that outlives the engine unless somebody ends it, and notes its number.
const GRANDCHILD: &str = "sleep 300 & echo $! > \"$here/grandchild\"";

#[test]
fn processes_that_an_engine_has_started_end_with_it() {
    let folder = Folder::new("grandchildren");
    for (name, then) in [("obedient", ""), ("crashed", "exit 3"), ("stalled", "wait"), ("deaf", "exec sleep 300")] {
        let settings = impatient(script_that_offers(&format!("{VARIANTS} {GRANDCHILD};"), &folder, name, then));
        against_random(&engine(&settings), 2);
        let grandchild = std::fs::read_to_string(folder.file("grandchild")).unwrap();
        assert!(ends(grandchild.trim()), "{name}");
    }
}

#[test]
fn a_stopped_match_does_not_wait_for_an_engine() {
    let folder = Folder::new("stopped");
    // Untimed, so that it may take minutes.
    for (name, on_go, on_ready) in
        [("thinking", "sleep 60; touch \"$here/answered\"", ""), ("loading", "", "sleep 60; ")]
    {
        let mut settings = script(&folder, name, on_go);
        settings.go = Go { nodes: Some(1), ..Go::default() };
        let path = folder.file(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let ready = format!("isready) touch \"$here/{name}.asked\"; {on_ready} echo readyok;;");
        std::fs::write(&path, text.replace("isready) echo readyok;;", &ready)).unwrap();
        let asked = folder.file(&format!("{name}.{}", if on_go.is_empty() { "asked" } else { "go" }));
        let stop = AtomicBool::new(false);
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !asked.exists() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                stop.store(true, Relaxed);
            });
            let mut openings = Openings::<TicTacToe>::random(1, &());
            let (a, b) = (engine(&settings), entrant("random"));
            let (openings, settings, archive) = (&mut openings, common::settings(2, 1), Archive::default());
            let contest = Match { a: &a, b: &b, openings, settings, adjudicator: Adjudicator::default(), archive };
            contest.run(&mut |_| {}, &stop).unwrap()
        });
        assert_eq!((report.ended, report.games()), (Some(MatchEnd::Stopped), 0), "{name}");
    }
    assert!(!folder.file("answered").exists(), "it waited for the engine");
    assert!(!folder.file("loading.go").exists(), "it waited for the engine");
}

#[test]
fn real_engines_play_chess() {
    let engines = [
        ("/usr/games/stockfish", "uci:/usr/games/stockfish,nodes=200,option.Skill Level=0,option.Hash=1"),
        ("/usr/games/gnuchess", "uci:/usr/games/gnuchess --uci,depth=1"),
    ];
    for (path, line) in engines {
        if !Path::new(path).exists() {
            alfil_skipped::skip("a match with a UCI engine", path);
            continue;
        }
        let engine = line.parse::<PlayerLine>().unwrap().entrant::<Chess>().unwrap();
        let (pairs, report) = play(&engine, &entrant("random"), settings(2, 2), Archive::default()).unwrap();
        assert!(report.faults.is_empty() && report.wins >= 1, "{report}");
        assert!(pairs[0][0].notes.iter().any(|note| note.contains('/')), "{:?}", pairs[0][0].notes);
    }
}
