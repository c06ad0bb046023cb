//! Games as PGN.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use alfil_core::disk::AppendFile;
use alfil_game::pgn::PgnGame;
use alfil_game::{First, FullGame, Swap, play_line};

use super::{Record, StateError, Who};

/// A PGN file that grows by whole games.
pub(super) struct PgnFile<G: FullGame> {
    path: PathBuf,
    file: AppendFile,
    games: Games<G>,
}

/// What the games of a match have in common.
pub(super) struct Games<G: FullGame> {
    pub names: [String; 2],
    pub rules: G::Rules,
}

impl<G: FullGame> PgnFile<G> {
    /// Opens or creates a file that holds the games of these pairs. One that was cut short is completed; one with other
    /// games is left unchanged. More games are fine if the match `is_over`: a longer one was played before. Otherwise
    /// the journal has lost them, and they would be there twice.
    pub fn open(
        path: &Path,
        names: [String; 2],
        rules: &G::Rules,
        pairs: &[[Record; 2]],
        is_over: bool,
    ) -> Result<PgnFile<G>, StateError> {
        let fail = |action| move |why| StateError::Io { action, path: path.to_owned(), why };
        let games = Games { names, rules: rules.clone() };
        let text = games.text(pairs).map_err(fail("write"))?;
        let mut file = AppendFile::open(path).map_err(fail("open"))?;
        let mut found = Vec::new();
        let reader = file.reader().map_err(fail("read"))?;
        reader.take(text.len() as u64).read_to_end(&mut found).map_err(fail("read"))?;
        let is_longer = file.length() > text.len() as u64;
        let is_ours = text.as_bytes().starts_with(&found) && (!is_longer || is_over && !text.is_empty());
        if !is_ours {
            return Err(StateError::OtherGames(path.to_owned()));
        }
        file.append(&text.as_bytes()[found.len()..]).map_err(fail("write"))?;
        Ok(PgnFile { path: path.to_owned(), file, games })
    }

    /// Adds pairs of games.
    pub fn append(&mut self, pairs: &[[Record; 2]]) -> Result<(), StateError> {
        let written = self.games.text(pairs).and_then(|text| self.file.append(text.as_bytes()));
        written.map_err(|why| StateError::Io { action: "write", path: self.path.clone(), why })
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

    pub fn game(&self, record: &Record) -> io::Result<PgnGame<G>> {
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
