//! A child process with line-based input and output.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::find::parse;
use crate::player::PlayerError;

/// Bytes of a line that are kept; the rest of it is skipped.
const LONGEST_LINE: u64 = 1 << 16;

/// Lines that wait to be read. With more, the program has to wait.
const LINES_KEPT: usize = 256;

/// Lines that wait to be written. A program that lets more pile up counts as stalled.
const LINES_UNREAD: usize = 64;

/// How long a program may take to end by itself.
const QUIT_TIME: Duration = Duration::from_millis(200);

/// How often a wait looks whether it should stop.
const STOP_INTERVAL: Duration = Duration::from_millis(20);

/// The programs that are running, by the number of their process.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Kills all engines and the processes that they have started: for a program that ends at once, without dropping its players.
pub fn kill_engines() {
    // Not one of them is reaped while the set is locked, so that no number has been used again.
    running().iter().for_each(|id| kill_group(*id));
}

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running program. One thread reads from it and one writes to it, so that neither can block us.
pub(super) struct Process {
    child: Child,
    to: SyncSender<String>,
    from: Receiver<String>,
    /// How it ended, once it has been reaped.
    status: Option<ExitStatus>,
}

impl Process {
    /// Starts a program: its name or path, and arguments separated by blanks.
    pub fn start(command: &str) -> io::Result<Process> {
        let (program, arguments) = parse(command)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        lead_group(&mut command);
        die_with_us(&mut command);
        let (to, unsent) = sync_channel(LINES_UNREAD);
        let (unread, from) = sync_channel(LINES_KEPT);
        let mut process = Process { child: command.spawn()?, to, from, status: None };
        running().insert(process.child.id());
        if let Some(input) = process.child.stdin.take() {
            thread::Builder::new().spawn(move || write_lines(input, &unsent))?;
        }
        if let Some(output) = process.child.stdout.take() {
            thread::Builder::new().spawn(move || read_lines(output, &unread))?;
        }
        Ok(process)
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

    /// The next line, or none if `deadline` passes first. Fails as soon as `stop` is true.
    pub fn receive(&mut self, deadline: Instant, stop: &dyn Fn() -> bool) -> Result<Option<String>, PlayerError> {
        loop {
            if stop() {
                return Err(PlayerError::Stopped);
            }
            // Checked even if lines are waiting: a flood of them must not delay the end forever.
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                return Ok(None);
            };
            match self.from.recv_timeout(left.min(STOP_INTERVAL)) {
                Ok(line) => {
                    tracing::debug!(line, "from the engine");
                    return Ok(Some(line));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash()),
            }
        }
    }

    /// How it ended.
    fn crash(&mut self) -> PlayerError {
        let status = if self.ends_within(QUIT_TIME) { self.kill() } else { None };
        PlayerError::Crashed(match status {
            Some(status) => format!("it ended with {status}"),
            None => "it closed its output".to_owned(),
        })
    }

    /// Whether it ends by itself within a time.
    fn ends_within(&mut self, longest: Duration) -> bool {
        let end = Instant::now() + longest;
        while !has_ended(&mut self.child) {
            if Instant::now() >= end {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// Kills what is left of it and of the processes that it has started.
    fn kill(&mut self) -> Option<ExitStatus> {
        let mut running = running();
        if running.remove(&self.child.id()) {
            // Before the child is reaped: until then its number, which is that of the group, is not used again.
            kill_group(self.child.id());
            // Both can only fail if it has ended meanwhile.
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
        self.status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // `quit` lets engines save what they have to.
        if self.to.try_send("quit\n".to_owned()).is_ok() {
            self.ends_within(QUIT_TIME);
        }
        self.kill();
    }
}

/// Whether a child has ended. Does not reap it.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    // SAFETY: all zeros is a value of this plain structure, and waitid writes to nothing else.
    unsafe {
        let mut found: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // An error means that there is no such child to wait for.
        libc::waitid(libc::P_PID, child.id(), &mut found, options) != 0 || found.si_pid() != 0
    }
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_some())
}

/// Kills all processes of the group that a child leads.
#[cfg(unix)]
fn kill_group(id: u32) {
    // SAFETY: kill is a plain system call. It fails if the group is gone.
    unsafe { libc::kill(-(id as i32), libc::SIGKILL) };
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

/// Has the program lead a group of processes, which can be killed together. It also keeps ctrl-C at the terminal from the
/// program: it is meant for us, and the program's end would count as a crash.
#[cfg(unix)]
fn lead_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
}

#[cfg(not(unix))]
fn lead_group(_: &mut Command) {}

/// Has the program killed when the thread that starts it ends, even if we are killed. Not all engines end when their
/// input is closed (gnuchess 6.2 does not), and those left over would take time from later matches.
#[cfg(target_os = "linux")]
fn die_with_us(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    // SAFETY: prctl is a plain system call, which may be made between fork and exec; it touches no memory of ours.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
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
