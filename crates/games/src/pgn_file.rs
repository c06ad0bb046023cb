//! The games of a PGN file as they are written there.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use alfil_game::Notation;
use alfil_game::pgn::{PgnError, PgnGame, PgnReader};

use crate::source::{Contents, Source};

/// How far the reading of a file has come, in bytes as the file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileProgress {
    /// Bytes that have been read.
    pub read: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Passes the games of a PGN file, packed or not, to `take`, one after the other, until that breaks off. A game that cannot be read
/// is an error of its own. Unlike [`read_records`](crate::read_records) this leaves out nothing: unfinished games and duplicates
/// come as well, with all their tags and comments. Games are by `rules` where they do not say.
pub fn read_pgn<G: Notation>(
    path: &Path,
    rules: &G::Rules,
    take: &mut dyn FnMut(Result<PgnGame<G>, PgnError>, FileProgress) -> ControlFlow<()>,
) -> io::Result<()> {
    let source = Source::open(path)?;
    if source.contents != Contents::Text {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a PGN file"));
    }
    let (bytes, read) = (source.bytes, source.read.clone());
    for game in PgnReader::<G, _>::new(source).with_rules(rules.clone()) {
        if let Err(PgnError::Io(why)) = game {
            return Err(why);
        }
        if take(game, FileProgress { read: read.load(Relaxed), bytes }).is_break() {
            break;
        }
    }
    Ok(())
}
