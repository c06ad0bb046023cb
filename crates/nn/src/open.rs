//! Opening a network in any format.

use std::io::Read;
use std::path::{Path, PathBuf};

use alfil_core::wording::shorten;
use alfil_game::registry::UnknownEncoding;
use alfil_game::{Encoding, Game, with_encoding};

use crate::file::read_whole;
use crate::lc0::{self, Lc0Error};
use crate::{Bundled, BundledError, FileError, Network};

/// Why a network cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the network {path}")]
pub struct OpenError {
    path: PathBuf,
    #[source]
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Lc0(#[from] Lc0Error),
    #[error(transparent)]
    Bundled(#[from] BundledError),
    #[error(transparent)]
    Encoding(#[from] UnknownEncoding),
    #[error("it is for {game} with an encoding of {other}")]
    Game { game: String, other: &'static str },
}

impl OpenError {
    /// What is wrong, without the path.
    pub fn why(&self) -> &(dyn std::error::Error + 'static) {
        &self.why
    }
}

impl Network {
    /// Reads a network of ours or of Leela's, whichever the file holds, for one of our encodings. If there is no such
    /// file, `path` may be the name of a [bundled](Bundled) network.
    pub fn open(path: &Path) -> Result<Network, OpenError> {
        let bundled = path.to_str().filter(|_| !path.exists()).and_then(Bundled::named);
        let network = match bundled {
            Some(bundled) => bundled.network().map_err(Why::from),
            None => read(path),
        };
        network.map_err(|why| OpenError { path: path.to_owned(), why })
    }
}

fn read(path: &Path) -> Result<Network, Why> {
    let mut beginning = Vec::new();
    alfil_core::disk::open(path)?.take(8).read_to_end(&mut beginning)?;
    let network = if lc0::is_leela(&beginning) { lc0::import(path)? } else { Network::from_bytes(&read_whole(path)?)? };
    let game = &network.origin.game;
    let other = with_encoding!(&network.origin.encoding, E => <E as Encoding>::Game::NAME)?;
    if game != other {
        return Err(Why::Game { game: shorten(game), other });
    }
    Ok(network)
}
