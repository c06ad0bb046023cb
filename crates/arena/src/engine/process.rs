//! A child process with line-based input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::find::find;
use crate::player::PlayerError;

/// Bytes of a line that are kept; the rest of it is skipped.
const LONGEST_LINE: u64 = 1 << 16;

/// Lines that wait to be read. With more, the program has to wait.
const LINES_KEPT: usize = 256;

/// Lines that wait to be written. A program that lets more pile up counts as stalled.
const LINES_UNREAD: usize = 64;

/// How long a program may take to end by itself.
const QUIT_TIME: Duration = Duration::from_millis(200);

/// A running program. One thread reads from it and one writes to it, so that neither can block us.
pub(super) struct Process {
    child: Child,
    to: SyncSender<String>,
    from: Receiver<String>,
}

impl Process {
    /// Starts a program: its name or path, and arguments separated by blanks.
    pub fn start(command: &str) -> std::io::Result<Process> {
        let (program, arguments) = if Path::new(command).is_file() {
            (PathBuf::from(command), Vec::new())
        } else {
            let mut words = command.split_whitespace();
            (find(words.next().unwrap_or_default())?, words.collect())
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        ignore_interrupts(&mut command);
        die_with_us(&mut command);
        let mut child = command.spawn()?;
        let (to, unsent) = sync_channel(LINES_UNREAD);
        let (unread, from) = sync_channel(LINES_KEPT);
        if let Some(input) = child.stdin.take() {
            thread::spawn(move || write_lines(input, &unsent));
        }
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read_lines(output, &unread));
        }
        Ok(Process { child, to, from })
    }

    /// Sends a line without waiting for it to be read.
    pub fn send(&mut self, line: &str) -> Result<(), PlayerError> {
        tracing::debug!(line, "to the engine");
        match self.to.try_send(format!("{line}\n")) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(PlayerError::Stalled(Duration::ZERO)),
            Err(TrySendError::Disconnected(_)) => Err(self.crash()),
        }
    }

    /// The next line, or none if `deadline` passes first.
    pub fn receive(&mut self, deadline: Instant) -> Result<Option<String>, PlayerError> {
        // Checked even if lines are waiting: a flood of them must not delay the end forever.
        let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
            return Ok(None);
        };
        match self.from.recv_timeout(left) {
            Ok(line) => {
                tracing::debug!(line, "from the engine");
                Ok(Some(line))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.crash()),
        }
    }

    /// How it ended.
    fn crash(&mut self) -> PlayerError {
        PlayerError::Crashed(match self.wait(QUIT_TIME) {
            Some(status) => format!("it ended with {status}"),
            None => "it closed its output".to_owned(),
        })
    }

    fn wait(&mut self, longest: Duration) -> Option<std::process::ExitStatus> {
        let end = Instant::now() + longest;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // `quit` lets engines with child processes end those too.
        let longest = if self.to.try_send("quit\n".to_owned()).is_ok() { QUIT_TIME } else { Duration::ZERO };
        if self.wait(longest).is_none() {
            // Both can only fail if it has ended meanwhile.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Keeps ctrl-C at the terminal from the program: it is meant for us, and the program's end would count as a crash.
#[cfg(unix)]
fn ignore_interrupts(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
}

#[cfg(not(unix))]
fn ignore_interrupts(_: &mut Command) {}

/// Has the program killed when the thread that starts it ends, even if we are killed. Not all engines end when their
/// input is closed (gnuchess 6.2 does not), and those left over would take time from later matches.
#[cfg(target_os = "linux")]
fn die_with_us(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    // SAFETY: prctl is a plain system call, which may be made between fork and exec; it touches no memory of ours.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn die_with_us(_: &mut Command) {}

fn write_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(output: ChildStdout, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Err(_) | Ok(0) => return,
            Ok(_) if line.ends_with(b"\n") => {}
            Ok(_) => {
                if output.skip_until(b'\n').is_err() {
                    return;
                }
            }
        }
        if lines.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
            return;
        }
    }
}
