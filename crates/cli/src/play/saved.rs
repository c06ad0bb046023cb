//! Games in files: a few lines of plain text.
//!
//! ```text
//! alfil connect4
//! start 7/7/7/7/7/7 x
//! moves 4 4 3
//! resigned o
//! ```

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use alfil_game::{Game, MoveError, PositionError, Side, line};

use super::sitting::Sitting;
use crate::outcome::side_name;

/// What a saved game begins with.
const HEADER: &str = "alfil ";

/// Bytes that no saved game reaches.
const LARGEST: u64 = 1 << 20;

/// Why a game cannot be saved or loaded.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    #[error("cannot read {0}: {1}")]
    Read(String, io::Error),
    #[error("cannot write {0}: {1}")]
    Write(String, io::Error),
    #[error("{0} is there already and is no saved game: choose another name")]
    Taken(String),
    #[error("{0} is no saved game: it should begin with 'alfil' and the game's name")]
    NoGame(String),
    #[error("{path} holds a game of {found}, not of {expected}")]
    OtherGame { path: String, found: String, expected: &'static str },
    #[error("the start of {0} is damaged: {1}")]
    Start(String, PositionError),
    #[error("move {1} of {0} is damaged: {2}")]
    Move(String, usize, MoveError),
    #[error("{0} has a line that means nothing here: '{1}'")]
    Line(String, String),
}

/// Writes a game whole or not at all. Only another saved game is written over.
pub fn save<G: Game>(path: &Path, sitting: &Sitting<G>) -> Result<(), SavedError> {
    let shown = path.display().to_string();
    if path.exists() && !read(path)?.starts_with(HEADER) {
        return Err(SavedError::Taken(shown));
    }
    alfil_nn::write_whole(path, to_text(sitting).as_bytes()).map_err(|why| SavedError::Write(shown, why))
}

/// Reads a game that was saved.
pub fn load<G: Game>(path: &Path) -> Result<Sitting<G>, SavedError> {
    from_text(&path.display().to_string(), &read(path)?)
}

fn read(path: &Path) -> Result<String, SavedError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes));
    read.map_err(|why| SavedError::Read(path.display().to_string(), why))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn to_text<G: Game>(sitting: &Sitting<G>) -> String {
    let played = sitting.played();
    let mut text = format!("{HEADER}{}\nstart {}\n", G::NAME, played.start().position());
    // Writing to a string cannot fail.
    if !played.moves().is_empty() {
        let _ = writeln!(text, "moves {}", played.moves_text());
    }
    if let Some(side) = sitting.resigned() {
        let _ = writeln!(text, "resigned {}", side_name::<G>(side));
    }
    text
}

fn from_text<G: Game>(path: &str, text: &str) -> Result<Sitting<G>, SavedError> {
    let path = || path.to_owned();
    let short = |text: &str| text.chars().take(60).flat_map(char::escape_debug).collect::<String>();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let name = lines.next().and_then(|line| line.strip_prefix(HEADER)).ok_or_else(|| SavedError::NoGame(path()))?;
    if name != G::NAME {
        return Err(SavedError::OtherGame { path: path(), found: short(name), expected: G::NAME });
    }
    let rules = G::Rules::default();
    let mut sitting = Sitting::new(G::new(&rules));
    for text in lines {
        match text.split_once(' ').unwrap_or((text, "")) {
            ("start", position) if sitting.played().moves().is_empty() => {
                let start = G::from_position(position, &rules).map_err(|why| SavedError::Start(path(), why))?;
                sitting = Sitting::new(start);
            }
            ("moves", moves) => play(&mut sitting, moves).map_err(|(n, why)| SavedError::Move(path(), n, why))?,
            ("resigned", side) if side == G::SIDES[0] => sitting.resign(Side::First),
            ("resigned", side) if side == G::SIDES[1] => sitting.resign(Side::Second),
            _ => return Err(SavedError::Line(path(), short(text))),
        }
    }
    Ok(sitting)
}

/// Plays the moves of a text; the error says which is none.
fn play<G: Game>(sitting: &mut Sitting<G>, text: &str) -> Result<(), (usize, MoveError)> {
    for word in text.split_whitespace() {
        let number = sitting.played().moves().len() + 1;
        let over = sitting.legal_moves(&mut Vec::new()).map(|_| MoveError::Illegal(word.to_owned()));
        let moves = over.map_or_else(|| line(&mut sitting.played().now().clone(), word), Err);
        moves.map_err(|why| (number, why))?.into_iter().for_each(|m| sitting.play(m));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;
    use alfil_game::connect4::Connect4;

    use super::*;

    #[test]
    fn games_read_back_exactly() {
        let start = Chess::from_position("4k3/8/8/8/8/8/4P3/4K3 w - - 3 40", &Default::default()).unwrap();
        let mut sitting = Sitting::new(start);
        play(&mut sitting, "e2e4 e8d7").unwrap();
        sitting.resign(Side::Second);
        let text = to_text(&sitting);
        assert_eq!(text, "alfil chess\nstart 4k3/8/8/8/8/8/4P3/4K3 w - - 3 40\nmoves e2e4 e8d7\nresigned black\n");
        let back: Sitting<Chess> = from_text("x", &text).unwrap();
        assert_eq!(to_text(&back), text);
        assert_eq!(back.played().now().position(), sitting.played().now().position());
        let empty = to_text(&Sitting::new(Connect4::new(&())));
        assert!(from_text::<Connect4>("x", &empty).unwrap().played().moves().is_empty());
    }

    #[test]
    fn whatever_is_damaged_is_said() {
        let complaint = |text: &str| from_text::<Connect4>("x", text).unwrap_err().to_string();
        assert_eq!(complaint(""), "x is no saved game: it should begin with 'alfil' and the game's name");
        assert_eq!(complaint("alfil chess\n"), "x holds a game of chess, not of connect4");
        assert!(complaint("alfil connect4\nstart 8/8 x").starts_with("the start of x is damaged: "));
        assert_eq!(complaint("alfil connect4\nmoves 4 9").split(':').next(), Some("move 2 of x is damaged"));
        assert!(complaint("alfil connect4\nmoves 1 2 1 2 1 2 1 2").starts_with("move 8 of x is damaged"));
        assert_eq!(complaint("alfil connect4\nresigned z"), "x has a line that means nothing here: 'resigned z'");
    }
}
