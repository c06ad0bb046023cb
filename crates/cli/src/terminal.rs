//! The standard error output: messages, and progress bars where it is a terminal.
//!
//! Nothing here fails or panics when nobody reads: the work goes on without its messages.

use std::io::{self, Write};
use std::sync::mpsc::channel;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use alfil_core::wording::one_line;
use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, TermLike, WeakProgressBar};

/// Draws all bars, so that lines can be written above them.
static ALL: LazyLock<MultiProgress> = LazyLock::new(|| MultiProgress::with_draw_target(target()));

/// Bars that may be on the terminal.
static BARS: Mutex<Vec<WeakProgressBar>> = Mutex::new(Vec::new());

/// How often a bar is drawn at most, per second.
const FRAMES: u8 = 20;

/// How long the end of the program waits for its bars to be cleared.
const PATIENCE: Duration = Duration::from_millis(200);

/// Columns that bars leave free for the `^C` that a terminal writes where the cursor stands. It would begin a new line
/// otherwise, and the bar would be redrawn and cleared one line too low.
const ROOM: u16 = 4;

/// Prints a line. What files and other programs have put into it cannot control the terminal.
pub fn say(text: &str) {
    drop(writeln!(io::stderr(), "{}", one_line(text)));
}

/// A bar below those that are there; hidden if there is no terminal.
pub fn bar(bar: ProgressBar) -> ProgressBar {
    let bar = ALL.add(bar);
    note(&bar);
    bar
}

/// All bars together; hidden if there is no terminal. [`note`] takes those that are added here.
pub fn bars() -> MultiProgress {
    ALL.clone()
}

/// Remembers a bar, so that it is cleared when the program ends.
pub fn note(bar: &ProgressBar) {
    let mut bars = BARS.lock().unwrap_or_else(PoisonError::into_inner);
    bars.retain(|bar| bar.upgrade().is_some());
    bars.push(bar.downgrade());
}

/// Clears all bars: for ends of the program that drop nothing. A thread that waits for a reader of its output may have
/// locked them, so that this does not wait for long.
pub fn clear() {
    let (done, wait) = channel();
    std::thread::spawn(move || {
        let bars = BARS.lock().unwrap_or_else(PoisonError::into_inner);
        bars.iter().filter_map(WeakProgressBar::upgrade).for_each(|bar| bar.finish_and_clear());
        done.send(())
    });
    let _ = wait.recv_timeout(PATIENCE);
}

fn target() -> ProgressDrawTarget {
    let term = Term::buffered_stderr();
    if !term.is_term() {
        return ProgressDrawTarget::hidden();
    }
    ProgressDrawTarget::term_like_with_hz(Box::new(Terminal(term)), FRAMES)
}

/// A terminal with free columns at its right end. It may go away at any time: indicatif would panic then.
#[derive(Debug)]
struct Terminal(Term);

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        self.0.size().1.saturating_sub(ROOM).max(1)
    }

    fn height(&self) -> u16 {
        self.0.size().0
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n).or(Ok(()))
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n).or(Ok(()))
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n).or(Ok(()))
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n).or(Ok(()))
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        self.0.write_line(s).or(Ok(()))
    }

    fn write_str(&self, s: &str) -> io::Result<()> {
        self.0.write_str(s).or(Ok(()))
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line().or(Ok(()))
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush().or(Ok(()))
    }
}
