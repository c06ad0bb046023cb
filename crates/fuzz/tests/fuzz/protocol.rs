//! UCI from both ends: our engine with any conversation, and any engine's replies.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alfil_arena::player::{ExternalPlayer, ExternalSettings, Go, Label, LabelSettings, Played, Player, Timeouts};
use alfil_fuzz::{Edit, ITERATIONS, TIME, edited, edited_text, edits};
use alfil_game::Game;
use alfil_game::chess::Chess;
use alfil_train::live::Snapshot;
use alfil_uci::command::Command;
use alfil_uci::options::Options;
use bolero::{check, generator::produce};

use super::Folder;

/// Lines of a program. Searches are short, and the memory is small.
const LINES: [&str; 40] = [
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "ponderhit",
    "d",
    "eval",
    "",
    "position startpos",
    "position startpos moves e2e4 e7e5",
    "position startpos moves e2e4 e2e4",
    "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
    "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1 moves a1a8",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen 7/7/7/7/7/xoxo3 x",
    "position startpos moves 4 4",
    "position startpos moves b2 a1",
    "go nodes 8",
    "go nodes 1 searchmoves e2e4",
    "go movetime 2",
    "go movetime 1 ponder",
    "go wtime 20 btime 20 winc 1 binc 1",
    "go depth 1 nodes 8",
    "go mate 1 nodes 8",
    "go ponder nodes 8",
    "go infinite",
    "setoption name MultiPV value 3",
    "setoption name UCI_ShowWDL value true",
    "setoption name VerboseMoveStats value true",
    "setoption name UCI_LimitStrength value true",
    "setoption name UCI_Variant value connect4",
    "setoption name UCI_Variant value tictactoe",
    "setoption name UCI_Variant value chess",
    "setoption name UCI_Chess960 value true",
    "setoption name Threads value 2",
    "setoption name Rules value ply_cap=80",
    "setoption name Clear Hash",
    "setoption name Temperature value 1",
    "setoption name BookFile value /nonexistent",
    "debug on",
];

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whatever is said, every search ends with one move, every question is answered, and the engine ends with its input.
#[test]
fn conversations() {
    let input = (produce::<Vec<u8>>().with().len(0..20usize), produce::<u8>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(2 * TIME).with_generator(input).for_each(
        |(choices, which, edits)| {
            let mut lines: Vec<String> =
                choices.iter().map(|choice| LINES[usize::from(*choice) % LINES.len()].to_owned()).collect();
            // One of them is damaged, unless a longer search or a larger tree could come of it.
            if let Some(line) = choices.len().checked_sub(1).map(|last| &mut lines[usize::from(*which) % (last + 1)]) {
                let damaged = edited_text(line, edits);
                let is_short = !matches!(
                    Command::parse(&damaged),
                    Command::Go(_) | Command::SetOption { .. } | Command::Bench | Command::Quit
                );
                if is_short && !damaged.contains(['\n', '\r']) {
                    *line = damaged;
                }
            }
            let count =
                |wanted: fn(&Command) -> bool| lines.iter().filter(|line| wanted(&Command::parse(line))).count();
            let (searches, questions) = (count(|c| matches!(c, Command::Go(_))), count(|c| *c == Command::IsReady));
            let output = Output::default();
            let options = Options { hash: 1, ..Options::default() };
            alfil_uci::run(Cursor::new(lines.join("\n")), output.clone(), options, None).unwrap();
            let said = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
            let answers = |word: &str| said.lines().filter(|line| line.split(' ').next() == Some(word)).count();
            assert_eq!((answers("bestmove"), answers("readyok")), (searches, questions), "{lines:#?}\n{said}");
            assert!(said.chars().all(|c| !c.is_control() || c == '\n'), "{said:?}");
        },
    );
}

/// An engine that says anything gives a legal move or a sound label, or an error, and in time.
#[cfg(unix)]
#[test]
fn replies() {
    const REPLIES: &str = "id name X\nid author Y\noption name Hash type spin default 16 min 1 max 1024\n\
        option name UCI_Variant type combo default chess var chess var shogi\nuciok\nreadyok\nreadyok\n\
        info depth 12 seldepth 18 multipv 1 score cp 35 wdl 400 500 100 nodes 9 nps 1 pv e2e4\ninfo score mate 3 depth 7\n\
        info depth 11 multipv 2 score cp -5 wdl 200 600 200 pv d2d4 d7d5\nbestmove e2e4 ponder e7e5\nreadyok\nbestmove d2d4\n";
    let folder = Folder::new("replies");
    let path = folder.file("replies");
    // It prints the file, whatever it is told.
    let command = format!("cat {}", path.display());
    let short = Duration::from_millis(200);
    let settings = ExternalSettings {
        patience: Timeouts { ready: short, late: short, flag: short, untimed: short },
        ..ExternalSettings::new(&command, Go { nodes: Some(1), ..Go::default() })
    };
    let game = Played::new(Chess::new(&Default::default()));
    let mut legal = Vec::new();
    game.now().generate(&mut legal);
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits| {
        std::fs::write(&path, edited(REPLIES.as_bytes(), edits)).unwrap();
        let mut player = ExternalPlayer::new(settings.clone());
        if Player::<Chess>::new_game(&mut player, 1).is_ok() {
            match player.choose(&game, &|| false) {
                Ok(choice) => assert!(legal.contains(&choice.m)),
                Err(why) => assert!(why.to_string().chars().all(|c| !c.is_control()), "{why:?}"),
            }
        }
        let several = LabelSettings { lines: 2, ..LabelSettings::default() };
        if let Ok(Label { wdl, policy }) = ExternalPlayer::new(settings.clone()).label(&game, &several, &|| false) {
            let sum = |shares: &[f32]| shares.iter().sum::<f32>();
            let shares: Vec<f32> = policy.iter().map(|(_, share)| *share).collect();
            assert!((sum(&shares) - 1.0).abs() < 1e-3 && (sum(&<[f32; 3]>::from(wdl.0)) - 1.0).abs() < 1e-3);
            assert!(policy.iter().all(|(m, _)| legal.contains(m)) && policy.len() <= 2);
        }
    });
}

#[test]
fn what_a_run_tells() {
    const TOLD: &str = r#"{"version":1,"generation":3,"phase":"selfplay","unit":"games","done":5,"of":9,"per_second":1.5,"left":2.5,"figures":[["won",2.0]],"games":[{"number":7,"start":"x","moves":["e2e4"],"expected":[0.5],"search":{"wdl":[0.2,0.5,0.3],"moves":[["e2e4",30,0.5]]},"result":null}]}"#;
    let whole = Snapshot::read(TOLD).unwrap();
    assert_eq!((whole.done, whole.games[0].moves.len()), (5, 1));
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(edits()).for_each(|edits: &Vec<Edit>| {
        if let Some(snapshot) = Snapshot::read(&edited_text(TOLD, edits)) {
            assert!(snapshot.games.iter().all(|game| game.moves.len() <= TOLD.len()));
        }
    });
}
