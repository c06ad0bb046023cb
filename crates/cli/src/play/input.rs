//! Where the user's lines come from.

use std::io::{self, BufRead, IsTerminal, Read, StdinLock};

use anyhow::ensure;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{CompletionType, Editor};

use super::completion::{Completion, Words};

/// Restores the terminal's present settings, which editing a line changes, for a process that ends in the middle of
/// one.
#[cfg(unix)]
pub fn restore_terminal() -> impl Fn() + Send + 'static {
    let mut now = std::mem::MaybeUninit::<libc::termios>::uninit();
    // SAFETY: the pointer is valid for writes of a termios, and the result says whether one was written.
    let now = unsafe { (libc::tcgetattr(libc::STDIN_FILENO, now.as_mut_ptr()) == 0).then(|| now.assume_init()) };
    move || {
        if let Some(now) = &now {
            // SAFETY: the termios was read from the same terminal. Best effort: the process ends.
            unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSADRAIN, now) };
        }
    }
}

#[cfg(not(unix))]
pub fn restore_terminal() -> impl Fn() + Send + 'static {
    || {}
}

/// Lines of this many bytes or more are refused.
const LONGEST: u64 = 4096;

/// The user at a terminal, or a script.
pub enum Input {
    /// With editing, completion and a history.
    Terminal(Box<Editor<Completion, DefaultHistory>>),
    /// Plain lines, and no prompt that would mix with what is printed.
    Plain(StdinLock<'static>),
}

impl Input {
    /// A terminal only if there is one to read from and to write to.
    pub fn new() -> anyhow::Result<Input> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(Input::Plain(io::stdin().lock()));
        }
        let mut editor = Editor::new()?;
        editor.set_helper(Some(Completion::default()));
        editor.set_completion_type(CompletionType::List);
        editor.set_auto_add_history(true);
        Ok(Input::Terminal(Box::new(editor)))
    }

    /// The next line; none once the user has left with ctrl-C or ctrl-D, or the script has ended.
    pub fn line(&mut self, prompt: &str, words: Words) -> anyhow::Result<Option<String>> {
        let editor = match self {
            Input::Plain(input) => return plain_line(input),
            Input::Terminal(editor) => editor,
        };
        if let Some(completion) = editor.helper_mut() {
            completion.words = words;
        }
        match editor.readline(prompt) {
            Ok(line) => Ok(Some(line)),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn plain_line(input: &mut impl BufRead) -> anyhow::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = input.take(LONGEST).read_until(b'\n', &mut bytes)?;
    ensure!((read as u64) < LONGEST, "a line of {LONGEST} bytes or more is neither a move nor a command");
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_and_have_a_bound() {
        let mut input = "e4\n\nlast".as_bytes();
        let mut next = || plain_line(&mut input).unwrap();
        assert_eq!(
            [next(), next(), next(), next()],
            [Some("e4\n".into()), Some("\n".into()), Some("last".into()), None]
        );
        assert!(plain_line(&mut [b'x'; 5000].as_slice()).is_err());
    }
}
