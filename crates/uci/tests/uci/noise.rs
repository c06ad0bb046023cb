//! Random and mutated input: no panic, no hang, and an answer at the end.

use alfil_uci::command::Command;
use alfil_uci::options::{DECLARATIONS, Options};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::gui::Gui;

const LINES: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "ponderhit",
    "d",
    "debug on",
    "register later",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3",
    "position fen r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1 moves e1g1",
    "position fen 8/8/8/3k4/8/8/8/KQ6 w - - 99 1",
    "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "setoption name MultiPV value 3",
    "setoption name UCI_ShowWDL value true",
    "setoption name UCI_Chess960 value true",
    "setoption name Clear Hash",
    "setoption name MoveOverhead value 10",
    "setoption name DrawScore value -20",
    "setoption name Temperature value 0.5",
    "setoption name BookFile value <empty>",
    "go nodes 5",
    "go nodes 3 searchmoves e2e4",
    "go depth 1",
    "go movetime 1",
    "go wtime 5 btime 5 winc 1 binc 1",
];

/// A command, possibly mutated.
fn line(random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut line = LINES[random.random_range(0..LINES.len())].as_bytes().to_vec();
    for _ in 0..random.random_range(0..6) {
        match random.random_range(0..6) {
            0 if !line.is_empty() => {
                let at = random.random_range(0..line.len());
                line[at] = random.random();
            }
            1 if !line.is_empty() => drop(line.remove(random.random_range(0..line.len()))),
            2 => line.insert(random.random_range(0..=line.len()), random.random()),
            3 => line.truncate(random.random_range(0..=line.len())),
            4 => {
                let other = LINES[random.random_range(0..LINES.len())].as_bytes();
                line.push(b' ');
                line.extend_from_slice(&other[..random.random_range(0..=other.len())]);
            }
            _ => {
                line.extend_from_slice(format!(" {}", random.random::<i64>() >> random.random_range(0..64)).as_bytes())
            }
        }
    }
    line.retain(|byte| *byte != b'\n');
    line
}

/// Whether a line would end the conversation, or ask for much time or memory.
fn is_costly(line: &[u8]) -> bool {
    match Command::parse(&String::from_utf8_lossy(line)) {
        Command::Quit | Command::Bench => true,
        Command::SetOption { name, .. } => ["hash", "threads"].iter().any(|costly| name.eq_ignore_ascii_case(costly)),
        _ => false,
    }
}

#[test]
fn a_million_lines_are_parsed_without_a_panic() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut options = Options::default();
    for _ in 0..1_000_000 {
        let line = line(&mut random);
        if let Command::SetOption { name, value } = Command::parse(&String::from_utf8_lossy(&line)) {
            let found = DECLARATIONS.iter().find(|declaration| declaration.name.eq_ignore_ascii_case(&name));
            // Errors are fine.
            let _ = found.map(|declaration| declaration.set(&mut options, &value));
        }
    }
}

#[test]
fn the_engine_survives_a_million_lines() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let gui = Gui::small();
    let mut lines = 0;
    while lines < 1_000_000 {
        let mut block = Vec::new();
        while block.len() < 20_000 {
            let line = line(&mut random);
            if !is_costly(&line) {
                block.extend_from_slice(&line);
                block.push(b'\n');
                lines += 1;
            }
        }
        gui.say_bytes(block);
        // Whatever it is doing, it can be stopped and answers.
        gui.say("stop");
        gui.say("isready");
        gui.say("this marks the end of the block");
        gui.wait("info string not understood: this marks the end of the block");
    }
    gui.say("setoption name UCI_Chess960 value false");
    gui.say("position startpos");
    gui.say("go nodes 10");
    gui.say("quit");
    let heard = gui.end();
    assert!(heard.last().unwrap().starts_with("bestmove"));
}

#[test]
fn endless_lines_are_cut_off() {
    let gui = Gui::small();
    gui.say_bytes(vec![b'x'; 5 << 20]);
    gui.say_bytes(b"\nisready\n".to_vec());
    gui.wait("readyok");
    gui.end();
}
