//! A match as its journal tells it.

use std::io;
use std::path::Path;

use alfil_game::{FullGame, read_foreign_rules, registry};

use super::journal::{Header, read_pairs};
use super::pgn::Games;
use super::tally::Tally;
use super::{MatchReport, Record, StateError};
use crate::line_file::{VERSION, read_only};
use crate::stats::Sprt;

/// Bytes of a journal that is read whole: some hundred thousand games of chess.
const LARGEST: u64 = 256 << 20;

/// A match as its journal tells it. It may still be played meanwhile: whoever plays it is not disturbed.
#[derive(Clone, Debug)]
pub struct SavedMatch {
    header: Header,
    game: &'static str,
    pairs: Vec<[Record; 2]>,
}

impl SavedMatch {
    /// Reads a journal. None if it is another kind of file, or of a later version.
    pub fn read(path: &Path) -> Result<Option<SavedMatch>, StateError> {
        let Some((first, lines)) = read_only(path, LARGEST)? else { return Ok(None) };
        let header = serde_json::from_str::<Header>(&first).ok().filter(|header| header.version <= VERSION);
        let Some(header) = header else { return Ok(None) };
        let game = registry::names().iter().find(|name| **name == header.game);
        let Some(game) = game.copied() else { return Ok(None) };
        let pairs = read_pairs(&lines, |line| StateError::Damaged { path: path.to_owned(), line })?;
        Ok(Some(SavedMatch { header, game, pairs }))
    }

    /// The game's name.
    pub fn game(&self) -> &'static str {
        self.game
    }

    /// Options of its rules.
    pub fn rules(&self) -> &str {
        &self.header.rules
    }

    /// What identifies the two players, A before B.
    pub fn identities(&self) -> [&str; 2] {
        [&self.header.a, &self.header.b]
    }

    /// The sequential test that it began with.
    pub fn sprt(&self) -> Option<Sprt> {
        self.header.sprt.as_ref()?.parse().ok()
    }

    /// How it stands, and what a sequential test would say of it. Pairs count in their order, without gaps.
    pub fn report(&self, names: [&str; 2], sprt: Option<Sprt>) -> MatchReport {
        let mut tally = Tally::new(Tally::empty(names[0], names[1], self.game), u64::MAX, None);
        for pair in &self.pairs {
            tally.add(pair.clone());
        }
        tally.report.sprt = sprt.map(|sprt| (sprt, sprt.state(&tally.report.pairs)));
        tally.report
    }

    /// The last games, the newest first, each as PGN; `G` is the game of the match. Games that cannot be played again by the
    /// rules of the journal are left out.
    pub fn latest<G: FullGame>(&self, names: [&str; 2], most: usize) -> Vec<String> {
        let Ok(rules) = read_foreign_rules::<G>(&self.header.rules, &G::Rules::default()) else { return Vec::new() };
        let games = Games::<G> { names: names.map(str::to_owned), rules };
        let text = |record: &Record| -> io::Result<String> {
            let mut out = Vec::new();
            games.game(record)?.write(&mut out)?;
            String::from_utf8(out).map_err(io::Error::other)
        };
        self.pairs.iter().flatten().rev().take(most).filter_map(|record| text(record).ok()).collect()
    }
}
