//! Several lanes that fill a folder with games.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use alfil_game::FullGame;
use alfil_search::{Backend, EvaluatorError};

use crate::filing::Filing;
use crate::lanes::Lanes;
use crate::{ChunkError, Counts, Gallery, LaneContext};

/// Why games are no longer played. Those that had ended by then are written, except where that is what failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A file of games.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// What judges positions.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

/// Games to be played, and where they go.
pub struct Session<'a, G: FullGame> {
    /// Which games, and how they are played.
    pub context: LaneContext<G>,
    /// Threads, each with an evaluator.
    pub lanes: usize,
    /// Makes the evaluators.
    pub backend: &'a dyn Backend<G>,
    /// Set to stop at once: games under way are dropped, those that have ended are written.
    pub stop: &'a AtomicBool,
    /// The folder for the chunks. Those that are there already are kept.
    pub folder: &'a Path,
}

impl<G: FullGame> Session<'_, G> {
    /// Plays. Tells now and then what has been done. If an evaluator fails or a lane panics, all lanes stop, and the games that
    /// have ended are written.
    pub fn run(self, tell: &mut dyn FnMut(&Counts)) -> Result<Counts, SessionError> {
        let Session { context, lanes, backend, stop, folder } = self;
        let gallery = context.gallery.clone();
        let _closing = gallery.as_deref().map(ClearOnDrop);
        let mut filing = Filing::<G>::open(folder)?;
        let played = Lanes { context, lanes, backend, stop }.run(&mut |record, counts| {
            filing.add(record);
            if filing.is_due() {
                filing.write()?;
            }
            tell(counts);
            Ok(())
        });
        if !matches!(played, Err(SessionError::Chunk(_))) {
            filing.write()?;
        }
        played
    }
}

/// Shows games no longer than they are played.
struct ClearOnDrop<'a>(&'a Gallery);

impl Drop for ClearOnDrop<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}
