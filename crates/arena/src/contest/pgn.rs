//! Games of chess as PGN.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use alfil_game::chess::pgn::PgnGame;
use alfil_game::chess::{Chess, Rules};
use alfil_game::{First, Game, Swap, line};

use super::{Record, StateError, Who};

/// A PGN file that grows by whole games.
pub(super) struct PgnFile {
    path: PathBuf,
    file: File,
    names: [String; 2],
}

impl PgnFile {
    /// Opens or makes a file that holds these games. A shorter one, which was cut short, is completed; one with other
    /// games is left alone.
    pub fn open(path: &Path, names: [String; 2], pairs: &[[Record; 2]]) -> Result<PgnFile, StateError> {
        let fail = |why| StateError::Io { path: path.to_owned(), why };
        let games = text(pairs, &names).map_err(fail)?;
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fail)?;
        let mut found = Vec::new();
        // More than these games is fine as long as the beginning is ours: a longer match was played before.
        (&mut file).take(games.len() as u64).read_to_end(&mut found).map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        let is_ours = games.as_bytes().starts_with(&found) && (length == 0 || !games.is_empty());
        if !is_ours {
            return Err(StateError::OtherGames(path.to_owned()));
        }
        file.write_all(&games.as_bytes()[found.len()..]).and_then(|()| file.sync_all()).map_err(fail)?;
        Ok(PgnFile { path: path.to_owned(), file, names })
    }

    /// Adds pairs of games.
    pub fn append(&mut self, pairs: &[[Record; 2]]) -> Result<(), StateError> {
        let written = text(pairs, &self.names).and_then(|games| self.file.write_all(games.as_bytes()));
        written.map_err(|why| StateError::Io { path: self.path.clone(), why })
    }
}

/// The games as PGN.
fn text(pairs: &[[Record; 2]], names: &[String; 2]) -> io::Result<String> {
    let mut out = Vec::new();
    for record in pairs.iter().flatten() {
        game(record, names)?.write(&mut out)?;
    }
    String::from_utf8(out).map_err(io::Error::other)
}

fn game(record: &Record, [a, b]: &[String; 2]) -> io::Result<PgnGame> {
    let start = Chess::from_position(&record.start, &Rules::default()).map_err(io::Error::other)?;
    let mut game = PgnGame::new(start);
    game.moves = line(&mut game.start.clone(), &record.moves).map_err(io::Error::other)?;
    let [white, black] = if record.first == Who::A { [a, b] } else { [b, a] };
    let termination = if record.fault.is_some() { "rules infraction" } else { "normal" };
    let tags = [
        ("Event", "alfil match"),
        ("Round", &format!("{}.{}", record.pair + 1, record.first as u64 + 1)),
        ("White", white),
        ("Black", black),
        ("Termination", termination),
    ];
    game.tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    game.comments = record.notes.iter().cloned().enumerate().map(|(at, note)| (record.book + at + 1, note)).collect();
    match game.comments.last_mut().filter(|(at, _)| *at == game.moves.len()) {
        Some((_, last)) => *last += &format!(", {}", record.end),
        None => game.comments.push((game.moves.len(), record.end.clone())),
    }
    game.result = Some(First(if record.first == Who::A { record.score() } else { record.score().swap() }));
    Ok(game)
}
