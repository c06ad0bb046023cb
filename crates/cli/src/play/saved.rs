//! Saved games, as PGN files.

use std::io;
use std::path::Path;

use alfil_arena::Sitting;
use alfil_game::FullGame;
use alfil_game::pgn::{PgnError, PgnReader};

/// Bytes that are read of a saved game at most.
const LARGEST: u64 = 1 << 20;

/// Why a game cannot be saved or loaded.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    #[error("cannot read {0}: {1}")]
    Read(String, io::Error),
    #[error("cannot write {0}: {1}")]
    Write(String, io::Error),
    #[error("{0} exists and is not a single saved game of {1}: choose another name")]
    Taken(String, &'static str),
    #[error("{0} is not a saved game: it should be a PGN file, as save FILE writes it")]
    NoGame(String),
    #[error("{0} is damaged or of another game: {1}")]
    Damaged(String, PgnError),
}

/// Writes a game completely or not at all. Only another saved game is overwritten.
pub fn save<G: FullGame>(path: &Path, sitting: &Sitting<G>) -> Result<(), SavedError> {
    let shown = path.display().to_string();
    if path.exists() && !read(path).is_ok_and(|text| is_saved::<G>(&text)) {
        return Err(SavedError::Taken(shown, G::NAME));
    }
    let written = to_pgn(sitting).and_then(|text| alfil_core::disk::write_whole(path, &text));
    written.map_err(|why| SavedError::Write(shown, why))
}

/// Reads a game that was saved.
pub fn load<G: FullGame>(path: &Path, rules: &G::Rules) -> Result<Sitting<G>, SavedError> {
    from_pgn(&path.display().to_string(), &read(path)?, rules)
}

fn read(path: &Path) -> Result<Vec<u8>, SavedError> {
    alfil_core::disk::read(path, LARGEST).map_err(|why| SavedError::Read(path.display().to_string(), why))
}

/// Whether a text is exactly what `save` writes for a game: nothing that was added to it by hand is lost.
fn is_saved<G: FullGame>(text: &[u8]) -> bool {
    let again = from_pgn::<G>("", text, &G::Rules::default()).map(|sitting| to_pgn(&sitting));
    again.is_ok_and(|again| again.is_ok_and(|again| again == text))
}

fn to_pgn<G: FullGame>(sitting: &Sitting<G>) -> io::Result<Vec<u8>> {
    let mut game = sitting.pgn();
    game.tags.push(("Event".to_owned(), "alfil play".to_owned()));
    let mut text = Vec::new();
    game.write(&mut text)?;
    Ok(text)
}

fn from_pgn<G: FullGame>(path: &str, text: &[u8], rules: &G::Rules) -> Result<Sitting<G>, SavedError> {
    let no_game = || SavedError::NoGame(path.to_owned());
    if !text.trim_ascii_start().starts_with(b"[") {
        return Err(no_game());
    }
    let mut games = PgnReader::<G, _>::new(text).with_rules(rules.clone());
    let game = games.next().ok_or_else(no_game)?.map_err(|why| SavedError::Damaged(path.to_owned(), why))?;
    Ok(Sitting::from_pgn(game))
}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::chess::Chess;
    use alfil_game::connect4::Connect4;
    use alfil_game::{Outcome, Side, play_line};

    use super::*;

    #[test]
    fn games_read_back_exactly() {
        let start = Chess::from_position("4k3/8/8/8/8/8/4P3/4K3 w - - 3 40", &Default::default()).unwrap();
        let moves = play_line(&mut start.clone(), "e2e4 e8d7").unwrap();
        let mut sitting = Sitting::new(start);
        moves.into_iter().for_each(|m| sitting.play(m));
        let unfinished = to_pgn(&sitting).unwrap();
        let end = |text: &[u8]| from_pgn::<Chess>("x", text, &Default::default()).unwrap().legal_moves(&mut Vec::new());
        assert_eq!(end(&unfinished), None);
        sitting.resign(Side::Second);
        let text = to_pgn(&sitting).unwrap();
        let back: Sitting<Chess> = from_pgn("x", &text, &Default::default()).unwrap();
        assert_eq!(end(&text), Some(Outcome::win(Side::First, "resignation")));
        assert_eq!(to_pgn(&back).unwrap(), text);
        assert_eq!(back.played().now().position(), sitting.played().now().position());
        let drawn = b"[Event \"?\"]\n\n1. e4 e5 1/2-1/2\n";
        assert_eq!(end(drawn), Some(Outcome::draw("agreement")));
        let empty = to_pgn(&Sitting::new(Connect4::new(&()))).unwrap();
        assert!(from_pgn::<Connect4>("x", &empty, &()).unwrap().played().moves().is_empty());
    }

    #[test]
    fn only_saved_games_are_overwritten() {
        let mut sitting = Sitting::new(Connect4::new(&()));
        play_line(&mut Connect4::new(&()), "443").unwrap().into_iter().for_each(|m| sitting.play(m));
        let saved = String::from_utf8(to_pgn(&sitting).unwrap()).unwrap();
        assert!(is_saved::<Connect4>(saved.as_bytes()) && !is_saved::<Chess>(saved.as_bytes()));
        let others = [
            String::new(),
            "[package]\nname = \"x\"\n".to_owned(),
            "[1, 2, 3]\n".to_owned(),
            saved.repeat(2),
            saved.replace("alfil play", "alfil match"),
            saved.replace("2. 3", "{a trap} 2. 3"),
        ];
        for other in others {
            assert!(!is_saved::<Connect4>(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn damaged_files_get_a_message() {
        let complaint = |text: &str| from_pgn::<Connect4>("x", text.as_bytes(), &()).unwrap_err().to_string();
        assert_eq!(complaint(""), "x is not a saved game: it should be a PGN file, as save FILE writes it");
        assert!(complaint("shopping list").starts_with("x is not a saved game"));
        assert!(complaint("[Variant \"hex\"]\n\n1. 4 *\n").contains("the variant 'hex' is not connect4"));
        assert!(complaint("[Variant \"connect4\"]\n[FEN \"8/8 x\"]\n\n*\n").contains("is not a connect4 position"));
        assert!(complaint("[Variant \"connect4\"]\n\n1. 1 1 2. 1 1 3. 1 1 4. 1 *\n").contains("move 4.1 is not legal"));
    }
}
