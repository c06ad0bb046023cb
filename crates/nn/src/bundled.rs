//! Networks that the program knows by name: those of `models/manifest.toml`.

use std::path::{Path, PathBuf};

use crate::{FileError, Network};

/// A constant would be in the program once for each crate that looks at it: seven megabytes each time.
static BUNDLED: &[Bundled] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// A network of the manifest.
#[derive(PartialEq, Eq)]
pub struct Bundled {
    /// Its name.
    pub name: &'static str,
    file: &'static str,
    /// The game that it plays.
    pub game: &'static str,
    is_default: bool,
    /// Whether a search plays better with it than with the handcrafted evaluation.
    pub is_stronger_than_handcrafted: bool,
    /// The rating of the people whose moves it predicts.
    pub imitates: Option<u32>,
    /// The file itself, where it is part of the program.
    bytes: Option<&'static [u8]>,
}

/// Why a network of the manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BundledError {
    /// It is not part of the program, and its file was not found.
    #[error(
        "the network {name} is not part of this program: put {file} beside {program}, or name the file by its path"
    )]
    NotFound {
        /// The network.
        name: &'static str,
        /// Its file.
        file: &'static str,
        /// Where the program is.
        program: String,
    },
    /// Its file is not what it should be.
    #[error("the bundled network {name}: {why}")]
    File {
        /// The network.
        name: &'static str,
        /// What is wrong.
        why: FileError,
    },
}

impl Bundled {
    /// All networks of the manifest.
    pub fn all() -> &'static [Bundled] {
        BUNDLED
    }

    /// The network of this name.
    pub fn named(name: &str) -> Option<&'static Bundled> {
        BUNDLED.iter().find(|bundled| bundled.name == name)
    }

    /// What `trained` stands for in a game.
    pub fn default_of(game: &str) -> Option<&'static Bundled> {
        BUNDLED.iter().find(|bundled| bundled.is_default && bundled.game == game)
    }

    /// The network that predicts players of about this rating best, of those that are part of the program or beside it.
    pub fn imitating(game: &str, rating: u32) -> Option<&'static Bundled> {
        let program = std::env::current_exe().unwrap_or_default();
        let found = BUNDLED.iter().filter(|bundled| bundled.game == game && bundled.is_installed(&program));
        let distance = |bundled: &&Bundled| bundled.imitates.map(|imitated| imitated.abs_diff(rating));
        found.filter(|bundled| bundled.imitates.is_some()).min_by_key(distance)
    }

    fn is_installed(&self, program: &Path) -> bool {
        self.bytes.is_some() || self.file_beside(program).is_some()
    }

    /// Reads the network, from the program itself or from its file beside the program.
    pub fn network(&self) -> Result<Network, BundledError> {
        let program = std::env::current_exe().unwrap_or_default();
        self.network_beside(&program)
    }

    fn network_beside(&self, program: &Path) -> Result<Network, BundledError> {
        let network = match self.bytes {
            Some(bytes) => Network::from_bytes(bytes),
            None => match self.file_beside(program) {
                Some(path) => Network::load(&path),
                None => {
                    let program = program.display().to_string();
                    return Err(BundledError::NotFound { name: self.name, file: self.file, program });
                }
            },
        };
        network.map_err(|why| BundledError::File { name: self.name, why })
    }

    /// The file in the folder of the program, or in a folder `models` there.
    fn file_beside(&self, program: &Path) -> Option<PathBuf> {
        let folder = program.parent()?;
        [folder.to_owned(), folder.join("models")]
            .iter()
            .map(|folder| folder.join(self.file))
            .find(|path| path.is_file())
    }
}

impl std::fmt::Debug for Bundled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bundled({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_networks_can_be_read_and_are_for_their_games() {
        for bundled in Bundled::all().iter().filter(|bundled| bundled.bytes.is_some()) {
            let network = bundled.network().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(network.origin.game, bundled.game);
        }
        assert!(Bundled::named("checkers").is_none() && Bundled::default_of("checkers").is_none());
        let connect4 = Bundled::default_of("connect4").unwrap();
        assert!(connect4.is_stronger_than_handcrafted && Bundled::named(connect4.name).is_some());
    }

    #[test]
    fn others_are_found_beside_the_program() {
        let folder = std::env::temp_dir().join(format!("alfil-bundled-{}", std::process::id()));
        let program = folder.join("alfil");
        std::fs::create_dir_all(folder.join("models")).unwrap();
        let large = Bundled {
            name: "large",
            file: "large.safetensors",
            game: "connect4",
            is_default: false,
            is_stronger_than_handcrafted: true,
            imitates: None,
            bytes: None,
        };
        let complaint = large.network_beside(&program).unwrap_err().to_string();
        assert!(complaint.starts_with("the network large is not part of this program: put large.safetensors beside "));
        let bytes = Bundled::named("connect4").unwrap().bytes.unwrap();
        for place in ["models/large.safetensors", "large.safetensors"] {
            std::fs::write(folder.join(place), bytes).unwrap();
            assert_eq!(large.network_beside(&program).unwrap().origin.game, "connect4");
            assert!(large.is_installed(&program));
            std::fs::remove_file(folder.join(place)).unwrap();
        }
        std::fs::write(folder.join("large.safetensors"), "x").unwrap();
        assert!(matches!(large.network_beside(&program), Err(BundledError::File { name: "large", .. })));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
