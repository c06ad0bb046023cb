//! Where finished games go.

use std::path::PathBuf;

use alfil_game::FullGame;

use super::journal::{Header, Journal};
use super::pgn::PgnFile;
use super::{Record, StateError};

/// The files of a match.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    /// The journal, from which an interrupted match resumes.
    pub journal: Option<PathBuf>,
    /// The games that count, as PGN.
    pub pgn: Option<PathBuf>,
}

/// The files, open.
pub(super) struct OpenArchive<G: FullGame> {
    journal: Option<Journal>,
    pgn: Option<PgnFile<G>>,
}

impl<G: FullGame> OpenArchive<G> {
    pub fn new() -> OpenArchive<G> {
        OpenArchive { journal: None, pgn: None }
    }

    /// Opens the journal, and returns the pairs in it.
    pub fn open_journal(&mut self, archive: &Archive, header: &Header) -> Result<Vec<[Record; 2]>, StateError> {
        let Some(path) = &archive.journal else { return Ok(Vec::new()) };
        let (journal, pairs) = Journal::open(path, header)?;
        self.journal = Some(journal);
        Ok(pairs)
    }

    /// Opens the PGN file, which holds the `counted` games or fewer, or more if the match `is_over`.
    pub fn open_pgn(
        &mut self,
        archive: &Archive,
        names: [String; 2],
        rules: &G::Rules,
        counted: &[[Record; 2]],
        is_over: bool,
    ) -> Result<(), StateError> {
        let open = |path: &PathBuf| PgnFile::open(path, names, rules, counted, is_over);
        self.pgn = archive.pgn.as_ref().map(open).transpose()?;
        Ok(())
    }

    /// Keeps a pair that has just been finished.
    pub fn finished(&mut self, pair: &[Record; 2]) -> Result<(), StateError> {
        tracing::info!(pair = pair[0].pair, scores = ?pair.each_ref().map(|record| record.score), "pair finished");
        self.journal.as_mut().map_or(Ok(()), |journal| journal.append(pair))
    }

    /// Publishes pairs that count now.
    pub fn counted(&mut self, pairs: &[[Record; 2]]) -> Result<(), StateError> {
        self.pgn.as_mut().map_or(Ok(()), |file| file.append(pairs))
    }
}
