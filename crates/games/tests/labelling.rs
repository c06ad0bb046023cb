//! Folders of games get what a teacher says about their positions, whatever happens on the way.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::player::{LabelSettings, Played, PlayerLine};
use alfil_core::disk::faults;
use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::tictactoe::{Stones, TicTacToe};
use alfil_game::{FullGame, Game, Mover, Wdl};
use alfil_games::{FolderError, Import, ImportError, LabelError, Labelled, Labelling, Make};
use alfil_nn::Architecture;
use alfil_selfplay::replay::{Draw, DrawSettings, Replay, Sampling, ValueTarget, Window, WindowSettings, build};
use alfil_selfplay::{GameRecord, chunks, read_chunk, write_chunk};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("labelling-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A folder of games in two chunks.
    fn games<G: FullGame>(&self, games: u64) -> PathBuf {
        let (made, split) = (self.file("made"), self.file("games"));
        Make::<G> { rules: G::Rules::default(), games, seed: 1, folder: &made }.run(&mut |_| {}, &never()).unwrap();
        let records = records::<G>(&made);
        let (first, second) = records.split_at(records.len() / 2);
        std::fs::create_dir_all(&split).unwrap();
        write_chunk::<G>(&split.join("a.games"), first).unwrap();
        write_chunk::<G>(&split.join("b.games"), second).unwrap();
        split
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

fn records<G: Game>(folder: &Path) -> Vec<GameRecord> {
    chunks(folder).unwrap().iter().flat_map(|path| read_chunk::<G>(path).unwrap()).collect()
}

/// The files of a folder with their contents.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())).collect()
}

#[derive(Clone, Copy)]
struct Task<'a> {
    teacher: &'a str,
    settings: LabelSettings,
    share: f64,
    threads: usize,
    /// Stops after this many games.
    stop_after: u64,
}

const TASK: Task<'static> = Task {
    teacher: "alphabeta:depth=2",
    settings: LabelSettings { lines: 1, temperature: 0.5 },
    share: 1.0,
    threads: 2,
    stop_after: u64::MAX,
};

impl Task<'_> {
    fn run<G: FullGame>(&self, games: &Path, folder: &Path) -> Result<Labelled, LabelError> {
        let teacher = self.teacher.parse::<PlayerLine>().unwrap().teacher::<G>(&self.settings).unwrap();
        let (settings, share, threads) = (self.settings, self.share, self.threads);
        let labelling =
            Labelling { games, rules: G::Rules::default(), teacher: &teacher, settings, share, threads, folder };
        let stop = never();
        labelling.run(&mut |progress| stop.store(progress.games >= self.stop_after, Relaxed), &stop)
    }
}

/// Checks the labels of a folder by asking the teacher about each position.
fn check_with_player<G: FullGame>(task: Task<'_>, games: &Path, labelled: &Path) {
    let teacher = task.teacher.parse::<PlayerLine>().unwrap().teacher::<G>(&task.settings).unwrap();
    let mut player = teacher.player().unwrap();
    for (before, after) in records::<G>(games).iter().zip(records::<G>(labelled)) {
        assert_eq!((before.number, before.score(), &before.start), (after.number, after.score(), &after.start));
        assert_eq!((before.end, &before.tags, before.plies.len()), (after.end, &after.tags, after.plies.len()));
        player.new_game(after.number).unwrap();
        let mut game = Played::new(after.begin::<G>(&G::Rules::default()).unwrap());
        let mut moves = Vec::new();
        for ply in &after.plies {
            game.now().generate(&mut moves);
            let label = player.label(&game, &task.settings, &|| false).unwrap();
            let off = ply.wdl().0.value() - label.wdl.0.value();
            assert!(off.abs() < 1e-3 && (ply.wdl().0.draw - label.wdl.0.draw).abs() < 3e-3, "{off}");
            for (m, share) in moves.iter().zip(ply.policy(&moves).unwrap()) {
                let right = label.policy.iter().find(|(other, _)| other == m).map_or(0.0, |(_, share)| *share);
                assert!((share - right).abs() < 1e-4, "{share} instead of {right}");
            }
            assert_eq!(ply.copies, 1);
            game.play(*moves.iter().find(|&&m| m.into() == ply.code).unwrap());
        }
    }
}

fn alpha_beta_labels<G: FullGame>(name: &str, teacher: &str, lines: usize) {
    let folder = Folder::new(name);
    let (games, to) = (folder.games::<G>(6), folder.file("labelled"));
    let task = Task { teacher, settings: LabelSettings { lines, temperature: 0.5 }, ..TASK };
    let labelled = task.run::<G>(&games, &to).unwrap();
    assert_eq!(labelled.positions, labelled.labels);
    check_with_player::<G>(task, &games, &to);
}

#[test]
fn games_of_chess_get_the_labels_of_alpha_beta() {
    alpha_beta_labels::<Chess>("chess", "alphabeta:depth=2", 1);
    alpha_beta_labels::<Chess>("chess-lines", "alphabeta:depth=1,eval=material", 3);
}

#[test]
fn games_of_connect4_get_the_labels_of_alpha_beta_and_of_a_network() {
    alpha_beta_labels::<Connect4>("connect4", "alphabeta:depth=3", 7);
    alpha_beta_labels::<Connect4>("network", "trained:visits=4", 1);
}

#[test]
fn other_positions_are_not_learnt_from() {
    let folder = Folder::new("share");
    let (games, whole, part) = (folder.games::<TicTacToe>(60), folder.file("whole"), folder.file("part"));
    TASK.run::<TicTacToe>(&games, &whole).unwrap();
    let task = Task { share: 0.4, ..TASK };
    let labelled = task.run::<TicTacToe>(&games, &part).unwrap();
    let share = labelled.labels as f64 / labelled.positions as f64;
    assert!((0.3..0.5).contains(&share), "{share}");
    for (whole, part) in records::<TicTacToe>(&whole).iter().zip(records::<TicTacToe>(&part)) {
        let mut sides = Vec::new();
        part.replay::<TicTacToe>(&(), |game, _, _| sides.push(game.side())).unwrap();
        for ((all, ply), side) in whole.plies.iter().zip(&part.plies).zip(sides) {
            if ply.copies == 0 {
                let result = Wdl::from_score(part.score().to_mover(side).0);
                assert_eq!((ply.has_policy(), ply.wdl()), (false, Mover(result)));
            } else {
                // Which of several best moves is found first depends on what the teacher remembers of the game.
                assert_eq!((ply.has_policy(), ply.wdl()), (true, all.wdl()));
            }
        }
    }
    for threads in [1, 3] {
        let again = folder.file(&format!("again{threads}"));
        Task { threads, ..task }.run::<TicTacToe>(&games, &again).unwrap();
        assert_eq!(contents(&again), contents(&part), "{threads} threads");
    }
    // What a trainer draws with search_value = 1 are the labels and nothing else.
    let (mut replay, _) = Replay::open(&part).unwrap();
    let target = ValueTarget { search_value: 1.0, ..ValueTarget::default() };
    let sampling = Sampling { held_out: 0.0, symmetries: false };
    let settings = DrawSettings { samples: 100, sampling, from_held_out: false, target, seed: 1 };
    let mut draw = Draw::new(&Window::of(&replay, &WindowSettings::default()), settings);
    let drawn = draw.next::<Stones>(&mut replay, 100).unwrap();
    let samples = build::<Stones>(&Architecture::new::<Stones>("8x1".parse().unwrap()), &(), &drawn);
    assert_eq!((drawn.len(), samples.len()), (100, 100));
    for (number, sample) in drawn.iter().enumerate() {
        let ply = &sample.record.plies[sample.ply as usize];
        assert!(ply.copies == 1 && samples.has_policy(number));
        assert!((samples.wdl()[number].0.value() - ply.value().0).abs() < 1e-6);
    }
}

#[test]
fn positions_after_which_the_rules_end_the_game_are_not_labelled() {
    let folder = Folder::new("over");
    let file = folder.file("games.pgn");
    let repeated = "Nf3 Nf6 Ng1 Ng8 ".repeat(4);
    std::fs::write(&file, format!("[Result \"1/2-1/2\"]\n\n{repeated} e4 e5 1/2-1/2\n")).unwrap();
    let games = folder.file("games");
    let import = Import::<Chess> {
        files: &[file],
        rules: Default::default(),
        filter: Default::default(),
        except: &[],
        folder: &games,
    };
    import.run(&mut |_| {}, &never()).unwrap();
    let labelled = Task { teacher: "alphabeta:depth=1", ..TASK }.run::<Chess>(&games, &folder.file("out")).unwrap();
    assert_eq!((labelled.games, labelled.positions), (1, 18));
    assert!((8..17).contains(&labelled.labels), "{labelled:?}");
}

#[test]
fn a_stopped_labelling_goes_on_to_the_same_folder() {
    let folder = Folder::new("stopped");
    let (games, whole, rough) = (folder.games::<TicTacToe>(40), folder.file("whole"), folder.file("rough"));
    let task = Task { share: 0.7, threads: 1, ..TASK };
    let all = task.run::<TicTacToe>(&games, &whole).unwrap();
    let mut stops = 0;
    let mut stop_after = 0;
    loop {
        stop_after += 7;
        match (Task { stop_after, ..task }).run::<TicTacToe>(&games, &rough) {
            Ok(labelled) => {
                assert_eq!(labelled, all);
                break;
            }
            Err(LabelError::Stopped { games, of }) => {
                assert!((stop_after..=stop_after + 1).contains(&games) && of == all.games, "{games} of {of}");
                assert!(!rough.exists());
                stops += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(stops > 3, "{stops}");
    assert_eq!(contents(&rough), contents(&whole));
    assert_eq!(contents(&whole).into_keys().collect::<Vec<_>>(), ["a.games", "b.games", "label.json"]);
}

#[test]
fn damaged_chunks_of_an_interrupted_labelling_are_made_again() {
    let folder = Folder::new("damaged");
    let (games, whole, rough) = (folder.games::<TicTacToe>(40), folder.file("whole"), folder.file("rough"));
    TASK.run::<TicTacToe>(&games, &whole).unwrap();
    let stopped = Task { stop_after: 30, ..TASK }.run::<TicTacToe>(&games, &rough).unwrap_err();
    assert!(matches!(stopped, LabelError::Stopped { .. }), "{stopped}");
    for name in ["a.games", "incomplete.chunk"] {
        let path = folder.file("rough.unfinished").join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    TASK.run::<TicTacToe>(&games, &rough).unwrap();
    assert_eq!(contents(&rough), contents(&whole));
}

/// Lets each file operation fail in turn, once or from there on, and compares what it has resumed to.
fn fail_everywhere<E: std::fmt::Display>(name: &str, work: impl Fn(&Folder) -> Result<(), E>) {
    let whole = Folder::new(&format!("{name}-whole"));
    work(&whole).unwrap_or_else(|error| panic!("{error}"));
    let expected = contents(&whole.file("out"));
    for lasting in [false, true] {
        for operation in 0.. {
            let folder = Folder::new(&format!("{name}-{operation}-{lasting}"));
            let faults = faults::inject(&folder.0, operation, lasting);
            let ended = work(&folder);
            let failed = faults.failed();
            drop(faults);
            if let Some(failed) = &failed {
                let sentence = ended.err().map(|error| error.to_string()).unwrap_or_default();
                assert!(
                    sentence.starts_with("cannot ") && sentence.ends_with(faults::SENTENCE),
                    "{failed:?}: {sentence}"
                );
                assert!(sentence.contains(&folder.0.display().to_string()), "{failed:?}: {sentence}");
                // The last operation makes sure that the name of the whole folder is on the disk.
                if !folder.file("out").exists() {
                    work(&folder).unwrap_or_else(|error| panic!("{failed:?}: {error}"));
                }
            }
            assert_eq!(contents(&folder.file("out")), expected, "{failed:?}");
            if failed.is_none() {
                assert!(operation > 8, "{operation}");
                break;
            }
        }
    }
}

#[test]
fn labellings_survive_every_fault_of_the_disk() {
    let source = Folder::new("faults");
    let games = source.games::<TicTacToe>(6);
    let task = Task { teacher: "turns:depth=1", ..TASK };
    fail_everywhere("label", |folder| task.run::<TicTacToe>(&games, &folder.file("out")).map(drop));
    // Stopped in between, so that there is something to go on from.
    fail_everywhere("stop", |folder| {
        match (Task { stop_after: 2, ..task }).run::<TicTacToe>(&games, &folder.file("out")) {
            Err(LabelError::Stopped { .. }) => {}
            other => return other.map(drop),
        }
        task.run::<TicTacToe>(&games, &folder.file("out")).map(drop)
    });
}

#[test]
fn made_games_survive_every_fault_of_the_disk() {
    fail_everywhere("make", |folder| {
        let out = folder.file("out");
        Make::<TicTacToe> { rules: (), games: 300, seed: 3, folder: &out }.run(&mut |_| {}, &never()).map(drop)
    });
}

#[test]
fn made_games_are_varied_and_follow_from_the_seed() {
    let folder = Folder::new("make");
    let make = |name: &str, seed| {
        let to = folder.file(name);
        let made = Make::<Connect4> { rules: (), games: 300, seed, folder: &to }.run(&mut |_| {}, &never()).unwrap();
        (made, records::<Connect4>(&to))
    };
    let (made, records) = make("one", 1);
    assert_eq!((made.games + made.dropped, made.games), (300, records.len() as u64));
    assert_eq!(make("again", 1), (made, records.clone()));
    assert_ne!(make("other", 2).1, records);
    let numbers: std::collections::HashSet<u64> = records.iter().map(|record| record.number).collect();
    assert_eq!(numbers.len(), records.len(), "no game twice");
    assert!(records.iter().flat_map(|record| &record.plies).all(|ply| !ply.has_policy()), "nothing to imitate");
    // The value is the result.
    assert!(records.iter().all(|record| record.plies[0].wdl().0 == Wdl::from_score(record.score().0)));
}

#[test]
fn an_interrupted_make_goes_on_to_the_same_folder() {
    let folder = Folder::new("make-stopped");
    let (whole, rough) = (folder.file("whole"), folder.file("rough"));
    let make = |to: &Path, stop_after: u64| {
        let stop = never();
        let make = Make::<TicTacToe> { rules: (), games: 1000, seed: 1, folder: to };
        make.run(&mut |games| stop.store(games >= stop_after, Relaxed), &stop)
    };
    let made = make(&whole, u64::MAX).unwrap();
    assert!(make(&rough, 500).unwrap_err().to_string().starts_with("stopped after 512 of 1000 games"));
    assert_eq!(make(&rough, u64::MAX).unwrap(), made);
    assert_eq!(contents(&rough), contents(&whole));
}

#[test]
fn what_was_begun_otherwise_is_left_alone() {
    let folder = Folder::new("settings");
    let (games, to) = (folder.games::<TicTacToe>(20), folder.file("out"));
    let stopped = Task { stop_after: 3, ..TASK }.run::<TicTacToe>(&games, &to).unwrap_err();
    assert!(matches!(stopped, LabelError::Stopped { .. }), "{stopped}");
    let before = contents(&folder.file("out.unfinished"));
    let refusal = |task: Task<'_>| task.run::<TicTacToe>(&games, &to).unwrap_err().to_string();
    let other = refusal(Task { teacher: "alphabeta:depth=3", ..TASK });
    let expected = "was begun with teacher \\\"alphabeta:depth=2\\\", and now it is teacher \\\"alphabeta:depth=3\\\"";
    assert!(other.contains(expected), "{other}");
    assert!(refusal(Task { share: 0.5, ..TASK }).contains("share 1.0, and now it is share 0.5: finish it"));
    let soft = LabelSettings { lines: 2, temperature: 0.5 };
    assert!(refusal(Task { settings: soft, ..TASK }).contains("lines 1, and now it is lines 2"));
    let fewer = folder.file("fewer");
    std::fs::create_dir_all(&fewer).unwrap();
    std::fs::copy(games.join("a.games"), fewer.join("a.games")).unwrap();
    let changed = TASK.run::<TicTacToe>(&fewer, &to).unwrap_err().to_string();
    assert!(changed.contains("was begun with games "), "{changed}");

    let make = Make::<TicTacToe> { rules: (), games: 9, seed: 1, folder: &to }.run(&mut |_| {}, &never());
    assert!(make.unwrap_err().to_string().contains("is the unfinished work of another command"));
    let pgn = folder.file("x.pgn");
    std::fs::write(&pgn, "1. 1 1-0\n").unwrap();
    let import = Import::<TicTacToe> { files: &[pgn], rules: (), filter: Default::default(), except: &[], folder: &to };
    let refused = import.run(&mut |_| {}, &never()).unwrap_err();
    assert!(matches!(refused, ImportError::Folder(FolderError::Foreign(_))), "{refused}");
    assert_eq!(contents(&folder.file("out.unfinished")), before);

    let none = TASK.run::<TicTacToe>(&folder.file("none"), &folder.file("other")).unwrap_err().to_string();
    assert!(none.starts_with("there are no games in "), "{none}");
    let wrong = TASK.run::<Connect4>(&games, &folder.file("other")).unwrap_err().to_string();
    assert!(wrong.contains("games of tictactoe, not of connect4"), "{wrong}");
    TASK.run::<TicTacToe>(&games, &to).unwrap();
    assert!(TASK.run::<TicTacToe>(&games, &to).unwrap_err().to_string().contains("is not empty"));
}

/// An engine for tic-tac-toe that takes the first free cell after `on_go`.
#[cfg(unix)]
fn engine(folder: &Folder, on_go: &str) -> String {
    let text = format!(
        r#"here='{here}'
while read -r line; do
  case "$line" in
    uci) echo "option name UCI_Variant type combo default tictactoe var tictactoe"; echo uciok;;
    isready) echo readyok;;
    position*) moves="${{line#*moves}}";;
    quit) exit 0;;
    go*)
      for cell in 9 8 7 6 5 4 3 2 1; do
        case " $moves " in *" $cell "*) ;; *) best=$cell;; esac
      done
      {on_go}
      echo "info score cp 30 pv $best"
      echo "bestmove $best";;
  esac
done
"#,
        here = folder.0.display()
    );
    let path = folder.file("engine.sh");
    std::fs::write(&path, text).unwrap();
    format!("uci:/bin/sh {},nodes=1,name=fake", path.display())
}

#[test]
#[cfg(unix)]
fn a_teacher_that_fails_is_started_once_more() {
    let folder = Folder::new("teacher");
    let games = folder.games::<TicTacToe>(6);
    let once = "if [ ! -e \"$here/crashed\" ]; then touch \"$here/crashed\"; exit 3; fi";
    let line = engine(&folder, once);
    let task = Task { teacher: &line, threads: 1, ..TASK };
    task.run::<TicTacToe>(&games, &folder.file("once")).unwrap();
    assert!(folder.file("crashed").exists());
    let whole = contents(&folder.file("once"));
    engine(&folder, "");
    task.run::<TicTacToe>(&games, &folder.file("never")).unwrap();
    assert_eq!(contents(&folder.file("never")), whole, "the crash has left no trace");

    // It labels some games, and then nothing more.
    let later = "echo x >> \"$here/count\"; [ $(wc -l < \"$here/count\") -lt 20 ] || exit 3";
    let said = [
        (later, "it crashed: it ended with exit status: 3"),
        ("best=x", "it played 'x', which is not a legal move"),
        ("echo bestmove $best; best=", "it gave no score"),
    ];
    for (number, (on_go, why)) in said.iter().enumerate() {
        engine(&folder, on_go);
        let to = folder.file(&format!("out{number}"));
        let failed = task.run::<TicTacToe>(&games, &to).unwrap_err().to_string();
        assert!(failed.starts_with("the teacher 'fake' failed in game "), "{failed}");
        assert!(failed.ends_with(&format!("and again after a new start: {why}")), "{failed}");
    }
    assert!(folder.file("out0.unfinished").join("incomplete.chunk").exists(), "finished games are kept");
    engine(&folder, "");
    task.run::<TicTacToe>(&games, &folder.file("out0")).unwrap();
    assert_eq!(contents(&folder.file("out0")), whole);
}

/// What Stockfish itself says about the positions of a game, asked without any code of ours: thousandths of win, draw and loss, and
/// its move.
fn ask_stockfish(program: &str, fen: &str, moves: &[String], nodes: u32) -> Vec<([f32; 3], String)> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    write!(to, "uci\nsetoption name UCI_ShowWDL value true\nucinewgame\n").unwrap();
    let start = if fen.is_empty() { "startpos".to_owned() } else { format!("fen {fen}") };
    let answers = (0..moves.len()).map(|ply| {
        write!(to, "position {start} moves {}\ngo nodes {nodes}\n", moves[..ply].join(" ")).unwrap();
        let mut wdl = None;
        loop {
            let line = from.next().unwrap().unwrap();
            if let Some((_, rest)) = line.split_once(" wdl ") {
                let shares: Vec<f32> = rest.split(' ').take(3).map(|share| share.parse().unwrap()).collect();
                wdl = Some(shares.try_into().unwrap());
            }
            if let Some(rest) = line.strip_prefix("bestmove ") {
                return (wdl.unwrap(), rest.split(' ').next().unwrap().to_owned());
            }
        }
    });
    let answers = answers.collect();
    writeln!(to, "quit").unwrap();
    child.wait().unwrap();
    answers
}

#[test]
fn labels_of_stockfish_are_what_it_says() {
    let program = "/usr/games/stockfish";
    if !Path::new(program).exists() {
        alfil_skipped::skip("labels of Stockfish", program);
        return;
    }
    const NODES: u32 = 100;
    let folder = Folder::new("stockfish");
    let (games, to) = (folder.games::<Chess>(3), folder.file("out"));
    let line = format!("uci:{program},nodes={NODES}");
    let labelled = Task { teacher: &line, ..TASK }.run::<Chess>(&games, &to).unwrap();
    assert_eq!(labelled.labels, labelled.positions);
    for record in records::<Chess>(&to) {
        let (mut moves, mut labels) = (Vec::new(), Vec::new());
        record
            .replay::<Chess>(&Default::default(), |game, legal, ply| {
                let name = |at: usize| game.move_text(legal[at]);
                moves.push(name(legal.iter().position(|&m| u16::from(m) == ply.code).unwrap()));
                let policy = ply.policy(legal).unwrap();
                labels.push((ply.wdl().0, name(policy.iter().position(|share| *share == 1.0).unwrap())));
            })
            .unwrap();
        let said = ask_stockfish(program, &record.start, &moves, NODES);
        for ((wdl, best), (shares, expected)) in labels.iter().zip(said) {
            assert_eq!(*best, expected);
            let off = |found: f32, share: f32| (found - share / 1000.0).abs();
            assert!(off(wdl.win, shares[0]) < 0.003 && off(wdl.draw, shares[1]) < 0.003, "{wdl:?} for {shares:?}");
        }
    }
    // A soft policy is made of several lines, and the same again.
    let task = Task { teacher: &line, settings: LabelSettings { lines: 3, temperature: 0.5 }, share: 0.2, ..TASK };
    task.run::<Chess>(&games, &folder.file("soft")).unwrap();
    Task { threads: 1, ..task }.run::<Chess>(&games, &folder.file("again")).unwrap();
    assert_eq!(contents(&folder.file("again")), contents(&folder.file("soft")));
    let soft = records::<Chess>(&folder.file("soft"));
    let shares: Vec<usize> = soft.iter().flat_map(|record| &record.plies).map(|ply| ply.shares().count()).collect();
    assert!(shares.iter().all(|count| *count <= 3) && shares.contains(&3), "{shares:?}");
}
