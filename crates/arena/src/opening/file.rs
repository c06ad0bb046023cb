//! Openings from a file.

use std::io;
use std::path::{Path, PathBuf};

use alfil_game::pgn::PgnReader;
use alfil_game::{FullGame, play_line};

use crate::player::Played;
use alfil_core::checksum::checksum;
use alfil_core::wording::shorten;

/// Larger files are not books of openings.
const LARGEST: u64 = 256 << 20;

/// Why a file gives no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// It could not be read.
    #[error("cannot read the openings {path}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: io::Error,
    },
    /// A line or game of it is wrong.
    #[error("{path}, {place}: {reason}")]
    Entry {
        /// The file.
        path: PathBuf,
        /// Which line or game.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// It has no openings.
    #[error("{0} has no openings in it")]
    Empty(PathBuf),
}

/// The openings of a file, at least one, and a checksum of its contents.
pub(super) fn read<G: FullGame>(path: &Path, rules: &G::Rules) -> Result<(Vec<Played<G>>, u64), OpeningError> {
    let fail = |why| OpeningError::Io { path: path.to_owned(), why };
    let bytes = alfil_core::disk::read(path, LARGEST).map_err(fail)?;
    let text = String::from_utf8_lossy(&bytes);
    let is_pgn = text.trim_start().starts_with('[') || has_extension(path, "pgn");
    let list = if is_pgn { read_pgn(path, &bytes, rules)? } else { read_lines(path, &text, rules)? };
    if list.is_empty() {
        return Err(OpeningError::Empty(path.to_owned()));
    }
    Ok((list, checksum(&bytes)))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// One opening per line; lines that begin with # are comments.
fn read_lines<G: FullGame>(path: &Path, text: &str, rules: &G::Rules) -> Result<Vec<Played<G>>, OpeningError> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let entries = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let read = |(text, number): (&str, usize)| {
        let opening = read_line(text, rules).and_then(unfinished);
        opening.map_err(|reason| OpeningError::Entry { path: path.to_owned(), place: format!("line {number}"), reason })
    };
    entries.map(read).collect()
}

fn unfinished<G: FullGame>(opening: Played<G>) -> Result<Played<G>, String> {
    match opening.now().outcome() {
        Some(outcome) => Err(format!("the game is over ({})", outcome.reason)),
        None => Ok(opening),
    }
}

/// Moves from the start position, or a position as other programs may have written it.
fn read_line<G: FullGame>(text: &str, rules: &G::Rules) -> Result<Played<G>, String> {
    let start = G::new(rules);
    let not_moves = match play(&start, text) {
        Ok(opening) => return Ok(opening),
        Err(error) => error,
    };
    match G::from_loose_position(text, rules) {
        Ok(start) => Ok(Played::new(start)),
        // A line that begins with a legal move is meant as moves.
        Err(_) if !not_moves.at_once => Err(not_moves.reason),
        Err(error) => Err(format!("'{}' is neither moves nor a position: {error}", shorten(text))),
    }
}

struct NotMoves {
    reason: String,
    /// Whether the first word was already wrong.
    at_once: bool,
}

fn play<G: FullGame>(start: &G, text: &str) -> Result<Played<G>, NotMoves> {
    let mut game = start.clone();
    let wrong = |reason, game: &G| NotMoves { reason, at_once: game.ply() == start.ply() };
    let moves = play_line(&mut game, text).map_err(|error| wrong(error.to_string(), &game))?;
    let mut played = Played::new(start.clone());
    moves.into_iter().for_each(|m| played.play(m));
    Ok(played)
}

/// All moves of each game are its opening.
fn read_pgn<G: FullGame>(path: &Path, bytes: &[u8], rules: &G::Rules) -> Result<Vec<Played<G>>, OpeningError> {
    let wrong = |number: usize, reason| {
        let place = format!("game {number}");
        OpeningError::Entry { path: path.to_owned(), place, reason }
    };
    let mut list = Vec::new();
    for (game, number) in PgnReader::new(bytes).with_rules(rules.clone()).zip(1..) {
        let game = game.map_err(|error| OpeningError::Entry {
            path: path.to_owned(),
            place: "in it".to_owned(),
            reason: error.to_string(),
        })?;
        let [theirs, ours] = [&game.start, &G::new(rules)].map(|game| game.chosen_rules());
        if theirs != ours {
            let words = |rules: &str| if rules.is_empty() { "the usual ones".to_owned() } else { shorten(rules) };
            let reason = format!("its rules are {}, those here are {}", words(&theirs), words(&ours));
            return Err(wrong(number, reason));
        }
        let mut opening = Played::new(game.start);
        game.moves.into_iter().for_each(|m| opening.play(m));
        list.push(unfinished(opening).map_err(|reason| wrong(number, reason))?);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use alfil_game::Game;
    use alfil_game::chess::Chess;
    use alfil_game::connect4::Connect4;
    use alfil_game::hexchess::HexChess;
    use alfil_game::read_rules;

    use super::*;

    fn read_text<G: FullGame>(name: &str, text: &str) -> Result<Vec<Played<G>>, String> {
        read_by(&G::Rules::default(), name, text)
    }

    fn read_by<G: FullGame>(rules: &G::Rules, name: &str, text: &str) -> Result<Vec<Played<G>>, String> {
        let path = std::env::temp_dir().join(format!("alfil-openings-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let read = read::<G>(&path, rules).map(|(list, _)| list).map_err(|error| error.to_string());
        std::fs::remove_file(&path).unwrap();
        read
    }

    #[test]
    fn moves_positions_and_games_are_openings() {
        let epd = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
        let lines = format!("# a book\n\ne4 c5\r\n{epd} bm Nf3; id \"x\";\n{epd} 4 7\n{epd}\n");
        let list = read_text::<Chess>("a.epd", &lines).unwrap();
        let ends: Vec<_> = list.iter().map(|opening| opening.now().position()).collect();
        assert_eq!(ends[0], "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(ends[1..], [format!("{epd} 0 1"), format!("{epd} 4 7"), format!("{epd} 0 1")]);
        let pgn = "[White \"A\"]\n\n1. e4 e5 *\n\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 {x} *\n";
        let list = read_text::<Chess>("a.txt", pgn).unwrap();
        assert_eq!(list.iter().map(|opening| opening.moves().len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(list[1].start().position(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        let list = read_text::<Connect4>("c", "4453\n7/7/7/7/7/xoxo3 x\n").unwrap();
        assert_eq!((list[0].moves().len(), list[1].now().ply()), (4, 4));
        let pgn = "[Variant \"connect4\"]\n\n1. 4 4 2. 5 {x} *\n\n[FEN \"7/7/7/7/7/xoxo3 x\"]\n\n3. 7 *\n";
        let list = read_text::<Connect4>("d.pgn", pgn).unwrap();
        assert_eq!(list.iter().map(|opening| opening.now().ply()).collect::<Vec<_>>(), [3, 5]);
    }

    #[test]
    fn openings_of_games_by_other_rules_are_refused() {
        let pgn = "[Rules \"stalemate=3/4\"]\n\n1. f6 *\n";
        let rules = read_rules::<HexChess>("stalemate=3/4").unwrap();
        assert_eq!(read_by::<HexChess>(&rules, "g.pgn", pgn).unwrap()[0].start().chosen_rules(), "stalemate=3/4");
        assert_eq!(
            read_by::<HexChess>(&rules, "h.pgn", "1. f6 *\n").unwrap()[0].start().chosen_rules(),
            "stalemate=3/4"
        );
        let error = read_text::<HexChess>("i.pgn", pgn).unwrap_err();
        assert!(error.ends_with("game 1: its rules are stalemate=3/4, those here are the usual ones"), "{error}");
    }

    #[test]
    fn mistakes_are_found_by_line() {
        let wrong = |name, text| read_text::<Chess>(name, text).unwrap_err();
        assert!(wrong("b", "e4\ne4 e4\n").ends_with(", line 2: 'e4' is not a legal move here"));
        assert!(wrong("c", "nonsense").contains("line 1: 'nonsense' is neither moves nor a position"));
        assert!(wrong("d", "f3 e5 g4 Qh4").contains("the game is over (checkmate)"));
        assert!(wrong("e.pgn", "1. e4 Ke4 *").contains("move 1...Ke4 is not legal"));
        assert!(wrong("f", "\n# nothing\n").contains("no openings"));
    }
}
