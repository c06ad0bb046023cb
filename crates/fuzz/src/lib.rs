//! Generated input for tests of everything that reads: valid input that is then damaged, since random bytes seldom get
//! past the first check.
//!
//! The targets are in `tests/fuzz`, one file per family of readers. As tests they run for a few seconds each, `scripts/test` with
//! a fixed seed; `scripts/fuzz` lets them run longer, with new seeds. A failure prints `BOLERO_RANDOM_SEED`, which repeats it.

use std::time::Duration;

use bolero::TypeGenerator;

/// How long a target runs as a test, at most.
pub const TIME: Duration = Duration::from_secs(2);

/// How often a target runs as a test, at most.
pub const ITERATIONS: usize = 20_000;

/// A change to a file or a text.
#[derive(Clone, Debug, TypeGenerator)]
pub enum Edit {
    /// Inverts a bit.
    Flip {
        /// Where, as a share of the length.
        at: u16,
        /// Which bit.
        bit: u8,
    },
    /// Replaces a byte.
    Set {
        /// Where.
        at: u16,
        /// The new byte.
        byte: u8,
    },
    /// Replaces a decimal digit and everything of the number after it.
    Number {
        /// Where the search for a digit begins.
        at: u16,
        /// The new number, an index of [`NUMBERS`].
        number: u8,
    },
    /// Removes some bytes.
    Remove {
        /// Where.
        at: u16,
        /// How many.
        count: u8,
    },
    /// Repeats some bytes.
    Repeat {
        /// Where.
        at: u16,
        /// How many.
        count: u8,
    },
    /// Puts a byte in.
    Insert {
        /// Where.
        at: u16,
        /// The byte.
        byte: u8,
    },
    /// Puts in a part of another place.
    Copy {
        /// From where.
        from: u16,
        /// To where.
        to: u16,
        /// How many bytes.
        count: u8,
    },
    /// Cuts the end off.
    End {
        /// Where.
        at: u16,
    },
}

/// Numbers at the ends of ranges.
pub const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1e400",
    "-1e400",
    "1e-400",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "nan",
    "1000000",
    "0.1",
];

/// The input after these changes. It may be the same.
pub fn edited(input: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for edit in edits {
        let place = |at: u16| usize::from(at) * bytes.len() / (usize::from(u16::MAX) + 1);
        let range = |at: u16, count: u8| place(at)..(place(at) + usize::from(count)).min(bytes.len());
        match *edit {
            Edit::Flip { at, bit } => {
                let at = place(at);
                bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << (bit % 8));
            }
            Edit::Set { at, byte } => {
                let at = place(at);
                bytes.get_mut(at).into_iter().for_each(|old| *old = byte);
            }
            Edit::Number { at, number } => {
                let at = place(at);
                let first = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found);
                if let Some(first) = first {
                    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
                    let count = bytes[first..].iter().take_while(|byte| is_number(byte)).count();
                    let number = NUMBERS[usize::from(number) % NUMBERS.len()];
                    bytes.splice(first..first + count, number.bytes());
                }
            }
            Edit::Remove { at, count } => {
                bytes.drain(range(at, count));
            }
            Edit::Repeat { at, count } => {
                let range = range(at, count);
                let part = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, part);
            }
            Edit::Insert { at, byte } => {
                let at = place(at);
                bytes.insert(at, byte);
            }
            Edit::Copy { from, to, count } => {
                let (part, to) = (bytes[range(from, count)].to_vec(), place(to));
                bytes.splice(to..to, part);
            }
            Edit::End { at } => {
                let at = place(at);
                bytes.truncate(at);
            }
        }
    }
    bytes
}

/// The text after these changes. What is no longer UTF-8 is replaced.
pub fn edited_text(text: &str, edits: &[Edit]) -> String {
    String::from_utf8_lossy(&edited(text.as_bytes(), edits)).into_owned()
}

/// Few changes, including none.
pub fn edits() -> impl bolero::ValueGenerator<Output = Vec<Edit>> {
    bolero::generator::produce::<Vec<Edit>>().with().len(0..5usize)
}

/// Words from a list, with blanks between them.
pub fn sentence(words: &[&str], choices: &[u8]) -> String {
    let chosen: Vec<&str> = choices.iter().map(|choice| words[usize::from(*choice) % words.len()]).collect();
    chosen.join(" ")
}
