//! Games as PGN.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use alfil_game::pgn::PgnGame;
use alfil_game::{First, FullGame, Swap, play_line};

use super::{Record, StateError, Who};

/// A PGN file that grows by whole games.
pub(super) struct PgnFile<G: FullGame> {
    path: PathBuf,
    file: File,
    games: Games<G>,
}

/// What the games of a match have in common.
struct Games<G: FullGame> {
    names: [String; 2],
    rules: G::Rules,
}

impl<G: FullGame> PgnFile<G> {
    /// Opens or creates a file that holds these games. One that was cut short is completed; one with other games is
    /// left unchanged.
    pub fn open(
        path: &Path,
        names: [String; 2],
        rules: &G::Rules,
        pairs: &[[Record; 2]],
    ) -> Result<PgnFile<G>, StateError> {
        let fail = |why| StateError::Io { path: path.to_owned(), why };
        let games = Games { names, rules: rules.clone() };
        let text = games.text(pairs).map_err(fail)?;
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fail)?;
        let mut found = Vec::new();
        // More games than these are fine as long as the beginning matches: a longer match was played before.
        (&mut file).take(text.len() as u64).read_to_end(&mut found).map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        let is_ours = text.as_bytes().starts_with(&found) && (length == 0 || !text.is_empty());
        if !is_ours {
            return Err(StateError::OtherGames(path.to_owned()));
        }
        file.write_all(&text.as_bytes()[found.len()..]).and_then(|()| file.sync_all()).map_err(fail)?;
        Ok(PgnFile { path: path.to_owned(), file, games })
    }

    /// Adds pairs of games.
    pub fn append(&mut self, pairs: &[[Record; 2]]) -> Result<(), StateError> {
        let written = self.games.text(pairs).and_then(|text| self.file.write_all(text.as_bytes()));
        written.map_err(|why| StateError::Io { path: self.path.clone(), why })
    }
}

impl<G: FullGame> Games<G> {
    /// The games as PGN.
    fn text(&self, pairs: &[[Record; 2]]) -> io::Result<String> {
        let mut out = Vec::new();
        for record in pairs.iter().flatten() {
            self.game(record)?.write(&mut out)?;
        }
        String::from_utf8(out).map_err(io::Error::other)
    }

    fn game(&self, record: &Record) -> io::Result<PgnGame<G>> {
        let start = G::from_position(&record.start, &self.rules).map_err(io::Error::other)?;
        let mut game = PgnGame::new(start);
        game.moves = play_line(&mut game.start.clone(), &record.moves).map_err(io::Error::other)?;
        let [a, b] = &self.names;
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
        game.comments =
            record.notes.iter().cloned().enumerate().map(|(at, note)| (record.book + at + 1, note)).collect();
        match game.comments.last_mut().filter(|(at, _)| *at == game.moves.len()) {
            Some((_, last)) => *last += &format!(", {}", record.end),
            None => game.comments.push((game.moves.len(), record.end.clone())),
        }
        game.result = Some(First(if record.first == Who::A { record.score() } else { record.score().swap() }));
        Ok(game)
    }
}
