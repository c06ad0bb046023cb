//! The words of a PGN file.

use std::io::{self, BufRead, BufReader, Read};

/// The most bytes of a tag; a longer one is an error.
const LONGEST_TAG: usize = 4_096;

/// The most bytes of a word; longer ones are not moves and are skipped.
const LONGEST_WORD: usize = 256;

/// Why the reading of a game stopped.
pub(super) enum Stop {
    /// This game is bad.
    Bad(String),
    /// The file cannot be read.
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Io(error)
    }
}

/// A tag as it is written, the value with its backslashes.
pub(super) struct Tag {
    pub name: Vec<u8>,
    pub value: Vec<u8>,
}

/// A part of the text of moves.
pub(super) enum Token {
    /// A move, a result or anything else; [`Scanner::text`] has it.
    Word,
    /// A comment; [`Scanner::text`] has it, up to one byte more than was asked for.
    Comment,
}

/// Where in a game the scanner is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Between,
    Tags,
    Moves,
}

/// Reads the tags, words and comments of one game after the other, with one of them at a time in memory.
pub(super) struct Scanner<R> {
    input: BufReader<R>,
    text: Vec<u8>,
    part: Part,
    /// Variations that have begun and not ended.
    depth: usize,
}

impl<R: Read> Scanner<R> {
    pub fn new(input: R) -> Scanner<R> {
        Scanner { input: BufReader::with_capacity(1 << 16, input), text: Vec::new(), part: Part::Between, depth: 0 }
    }

    /// The word or comment that was read last.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Goes to the beginning of the next game. False at the end of the file.
    pub fn find_game(&mut self) -> io::Result<bool> {
        // The bytes of a byte order mark, which no game begins with.
        while self.peek()?.is_some_and(|byte| matches!(byte, b'\xef' | b'\xbb' | b'\xbf')) {
            self.bump();
        }
        self.pass_blanks()?;
        (self.part, self.depth) = (Part::Tags, 0);
        Ok(self.peek()?.is_some())
    }

    /// The next tag. None where the moves begin.
    pub fn tag(&mut self) -> Result<Option<Tag>, Stop> {
        while self.part == Part::Tags && self.peek()? == Some(b'[') {
            self.bump();
            let quoted = self.read_to(b"\"]\n")? == b'"';
            let name = self.text.trim_ascii().to_vec();
            let is_closed = if quoted { self.read_value()? } else { true };
            if is_closed {
                while self.peek()?.is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b']')) {
                    self.bump();
                }
            }
            self.pass_blanks()?;
            if quoted {
                return Ok(Some(Tag { name, value: std::mem::take(&mut self.text) }));
            }
        }
        self.part = if self.part == Part::Tags { Part::Moves } else { self.part };
        Ok(None)
    }

    /// Reads to the closing quote, or to the end of the line if there is none. Returns whether there was a quote.
    fn read_value(&mut self) -> Result<bool, Stop> {
        self.text.clear();
        loop {
            match self.next_of_tag()? {
                b'"' => return Ok(true),
                b'\n' => return Ok(false),
                b'\\' => {
                    let escaped = self.next_of_tag()?;
                    self.text.extend_from_slice(&[b'\\', escaped]);
                }
                byte => self.text.push(byte),
            }
        }
    }

    /// Reads to one of these bytes and returns it.
    fn read_to(&mut self, ends: &[u8]) -> Result<u8, Stop> {
        self.text.clear();
        loop {
            match self.next_of_tag()? {
                byte if ends.contains(&byte) => return Ok(byte),
                byte => self.text.push(byte),
            }
        }
    }

    /// The next byte of a tag; an error if the tag does not end.
    fn next_of_tag(&mut self) -> Result<u8, Stop> {
        match self.peek()? {
            Some(byte) if self.text.len() < LONGEST_TAG => {
                self.bump();
                Ok(byte)
            }
            _ => {
                self.pass_line()?;
                Err(Stop::Bad("unterminated tag".to_owned()))
            }
        }
    }

    /// The next word or comment outside of variations. None at the end of the game. Of a comment, at most one byte more than
    /// `comment` are kept.
    pub fn token(&mut self, comment: usize) -> Result<Option<Token>, Stop> {
        while self.part == Part::Moves {
            let Some(byte) = self.peek()? else {
                self.part = Part::Between;
                break;
            };
            match byte {
                b'{' => {
                    self.read_comment(comment)?;
                    if self.depth == 0 {
                        return Ok(Some(Token::Comment));
                    }
                }
                b'\n' => {
                    self.bump();
                    self.begin_line()?;
                }
                b';' => self.pass_to_line_end()?,
                b'(' => {
                    self.bump();
                    self.depth += 1;
                }
                b')' => {
                    self.bump();
                    self.depth = self.depth.saturating_sub(1);
                }
                b'$' => {
                    self.bump();
                    self.read_word()?;
                }
                b'*' => {
                    self.bump();
                    self.text.clear();
                    self.text.push(b'*');
                    if self.depth == 0 {
                        return Ok(Some(Token::Word));
                    }
                }
                byte if ends_word(byte) => self.bump(),
                _ => {
                    let is_whole = self.read_word()?;
                    let is_number = self.text.iter().all(u8::is_ascii_digit) && self.peek()? == Some(b'.');
                    if self.depth == 0 && is_whole && !is_number {
                        return Ok(Some(Token::Word));
                    }
                }
            }
        }
        Ok(None)
    }

    /// After the end of a line: an empty one, or a tag, ends the game, and a per cent sign hides a line.
    fn begin_line(&mut self) -> io::Result<()> {
        if self.peek()? == Some(b'\r') {
            self.bump();
        }
        match self.peek()? {
            Some(b'%') => self.pass_to_line_end()?,
            Some(b'\n' | b'[') => self.part = Part::Between,
            _ => {}
        }
        Ok(())
    }

    /// Reads a word, up to the longest. Returns whether that is all of it.
    fn read_word(&mut self) -> io::Result<bool> {
        self.text.clear();
        let mut is_whole = true;
        while let Some(byte) = self.peek()?.filter(|&byte| !ends_word(byte)) {
            self.bump();
            is_whole = self.text.len() < LONGEST_WORD;
            if is_whole {
                self.text.push(byte);
            }
        }
        Ok(is_whole)
    }

    fn read_comment(&mut self, most: usize) -> Result<(), Stop> {
        self.bump();
        self.text.clear();
        loop {
            match self.peek()? {
                None => return Err(Stop::Bad("unterminated comment".to_owned())),
                Some(b'}') => break,
                Some(byte) if self.text.len() <= most => self.text.push(byte),
                Some(_) => {}
            }
            self.bump();
        }
        self.bump();
        Ok(())
    }

    /// Skips the rest of the game.
    pub fn pass_game(&mut self) -> io::Result<()> {
        while self.part == Part::Tags {
            match self.tag() {
                Ok(_) | Err(Stop::Bad(_)) => {}
                Err(Stop::Io(error)) => return Err(error),
            }
        }
        while self.part == Part::Moves {
            match self.token(0) {
                Ok(_) => {}
                // An unterminated comment, which reaches to the end of the file.
                Err(Stop::Bad(_)) => self.part = Part::Between,
                Err(Stop::Io(error)) => return Err(error),
            }
        }
        Ok(())
    }

    fn pass_blanks(&mut self) -> io::Result<()> {
        let mut line_begins = true;
        while let Some(byte) = self.peek()? {
            match byte {
                b'%' if line_begins => self.pass_to_line_end()?,
                _ if byte.is_ascii_whitespace() => {
                    line_begins = byte == b'\n';
                    self.bump();
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn pass_to_line_end(&mut self) -> io::Result<()> {
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            self.bump();
        }
        Ok(())
    }

    fn pass_line(&mut self) -> io::Result<()> {
        self.pass_to_line_end()?;
        self.pass_blanks()
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.input.fill_buf() {
                Ok(buffered) => return Ok(buffered.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn bump(&mut self) {
        self.input.consume(1);
    }
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b'(' | b')' | b'$' | b';' | b'.' | b'*')
}
