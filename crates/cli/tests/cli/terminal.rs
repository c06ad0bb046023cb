//! Progress bars and messages on a terminal, on none, and on one that goes away.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::ptr::null_mut;

use super::support::{Folder, alfil, comes, complaint, ends};

const COLUMNS: usize = 80;

/// A terminal that a program runs on.
struct Terminal {
    keyboard: File,
    child: Child,
    /// What the program has written so far.
    written: Vec<u8>,
}

impl Terminal {
    fn run(arguments: &[&str]) -> Terminal {
        let (mut ours, mut theirs) = (0, 0);
        let size = libc::winsize { ws_row: 24, ws_col: COLUMNS as u16, ws_xpixel: 0, ws_ypixel: 0 };
        let size = (&raw const size).cast_mut();
        // SAFETY: the two numbers have room for the results; the other pointers are null or point to the size.
        let opened = unsafe { libc::openpty(&mut ours, &mut theirs, null_mut(), null_mut(), size) };
        assert_eq!(opened, 0);
        // SAFETY: both were opened by the call above, and nobody else owns them.
        let [keyboard, theirs] = [ours, theirs].map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
        // Reading must not wait for a program that says nothing.
        // SAFETY: fcntl changes only how the file is read.
        assert_eq!(unsafe { libc::fcntl(ours, libc::F_SETFL, libc::O_NONBLOCK) }, 0);
        let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
        let copy = || Stdio::from(theirs.try_clone().unwrap());
        command.args(arguments).env("TERM", "xterm").stdin(copy()).stdout(copy()).stderr(copy());
        // SAFETY: both may be called between fork and exec. The terminal becomes the program's own, so that ^C reaches it.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        Terminal { keyboard: keyboard.into(), child: command.spawn().unwrap(), written: Vec::new() }
    }

    fn read(&mut self) {
        let mut bytes = [0; 4096];
        loop {
            match self.keyboard.read(&mut bytes) {
                Ok(0) => return,
                Ok(count) => self.written.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Nothing more for now, or the program has ended.
                Err(_) => return,
            }
        }
    }

    /// Waits until a text has been written.
    fn until(&mut self, text: &str) {
        let appears = comes(|| {
            self.read();
            String::from_utf8_lossy(&self.written).contains(text)
        });
        if !appears {
            self.child.kill().unwrap();
            panic!("'{text}' does not appear in {:#?}", screen(&self.written));
        }
    }

    fn press_ctrl_c(&mut self) {
        self.keyboard.write_all(b"\x03").unwrap();
    }

    /// What is on the screen when the program has ended.
    fn end(mut self) -> Vec<String> {
        let ends = comes(|| {
            // What is not read keeps it from ending.
            self.read();
            self.child.try_wait().unwrap().is_some()
        });
        if !ends {
            self.child.kill().unwrap();
            panic!("it did not end: {:#?}", screen(&self.written));
        }
        self.read();
        screen(&self.written)
    }
}

/// What a terminal shows after these bytes, with everything that has scrolled out at its top.
fn screen(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0usize, 0usize);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\r' => column = 0,
            '\n' => row += 1,
            '\u{1b}' => {
                let sequence: String = characters.by_ref().take_while(|c| *c != '[').collect();
                assert!(sequence.is_empty(), "{sequence:?}");
                let mut number = String::new();
                let kind = characters.by_ref().find(|c| {
                    c.is_ascii_alphabetic() || {
                        number.push(*c);
                        false
                    }
                });
                let count = number.parse().unwrap_or(1usize);
                match kind {
                    Some('A') => row = row.saturating_sub(count),
                    Some('B') => row += count,
                    Some('C') => column += count,
                    Some('D') => column = column.saturating_sub(count),
                    Some('K') if number == "2" => lines[row].clear(),
                    Some('K') => lines[row].truncate(column),
                    _ => {}
                }
            }
            other => {
                // The cursor goes to the next line only when something is written there.
                if column >= COLUMNS {
                    (row, column) = (row + 1, 0);
                    lines.resize(lines.len().max(row + 1), Vec::new());
                }
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = other;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    let lines = lines.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn ctrl_c_leaves_nothing_of_a_bar() {
    let folder = Folder::new("bar");
    let games = folder.file("games");
    let play = ["selfplay", "uniform", "--game", "connect4", "-o", &games, "--games", "100000000"];
    let mut terminal = Terminal::run(&play);
    terminal.until("evaluations/s");
    terminal.press_ctrl_c();
    let lines = terminal.end();
    assert!(lines.last().is_some_and(|line| line.starts_with("stopped after ")), "{lines:#?}");
    let stale =
        |line: &&String| ["/100000000 games", "evaluations/s", "% full", "^C"].iter().any(|part| line.contains(part));
    assert_eq!(lines.iter().find(stale), None, "{lines:#?}");
}

#[test]
fn a_second_ctrl_c_leaves_nothing_of_a_bar() {
    // One game takes longer than the test waits for.
    let player = "handcrafted:movetime=600";
    let mut terminal = Terminal::run(&["match", player, player, "--game", "chess", "--games", "2"]);
    terminal.until("0/2");
    terminal.press_ctrl_c();
    terminal.until("^C");
    terminal.press_ctrl_c();
    let lines = terminal.end();
    assert!(!lines.iter().any(|line| line.contains("0/2")), "{lines:#?}");
}

/// What a message says cannot control the terminal, whichever file or flag it comes from.
#[test]
fn messages_cannot_control_the_terminal() {
    let folder = Folder::new("escapes");
    let hostile = "a\u{1b}[2J\u{9b}31m\u{7}b\rc";
    let file = folder.file("hostile.toml");
    std::fs::write(&file, r#"machine.device = "tpu\u001b[31m""#).unwrap();
    let texts = [
        complaint(&["config", "check", &folder.file(hostile)]),
        complaint(&["game", "show", hostile]),
        complaint(&["match", hostile, "random"]),
        complaint(&["search", "chess", "--evaluator", hostile]),
        complaint(&["search", "chess", "--moves", hostile]),
        complaint(&["config", "check", &file]),
        complaint(&[hostile]),
    ];
    for text in texts {
        assert!(text.trim_end().chars().all(|c| !c.is_control()), "{text:?}");
    }
}

/// A program whose messages nobody reads goes on or ends, and does not panic.
#[test]
fn closed_outputs_are_no_panic() {
    let folder = Folder::new("closed");
    let games = folder.file("games");
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    for (arguments, code) in [
        (&["game", "show", "nothing"][..], 2),
        (&["nothing"], 2),
        (&["--help"], 0),
        (&["game", "list"], 0),
        (&["selfplay", "uniform", "--game", "tictactoe", "-o", &games, "--games", "3"], 0),
        (&["match", "random", "random", "--game", "tictactoe", "--games", "2"], 0),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_alfil"));
        let mut child = command.args(arguments).stdout(closed()).stderr(closed()).spawn().unwrap();
        ends(&mut child);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments:?}");
    }
    // The games of the fifth are there.
    assert!(alfil(&["selfplay", "uniform", "--game", "chess", "-o", &games, "--games", "1"]).status.code() == Some(2));
}
