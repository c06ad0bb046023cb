//! The network file: safetensors with the architecture and the origin in its metadata. Equal networks have equal bytes.

use std::collections::{BTreeMap, HashMap};
use std::io::Error;
use std::path::{Path, PathBuf};

use alfil_core::checksum::Fnv;
use alfil_core::wording::shorten;
use alfil_game::Encoding;
use safetensors::{Dtype, SafeTensors};

use crate::architecture::{Architecture, ArchitectureError};
use crate::network::{Network, Origin, TensorSource, Weights};
use crate::tensors::to_safetensors;

/// What is written. Increases when older programs cannot read the file.
const FORMAT: u32 = 1;

/// Larger than any network within our limits.
const LARGEST: u64 = 4 << 30;

/// Why a network file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused.
    #[error("cannot {action} {path}: {error}")]
    Io {
        /// "read" or "write".
        action: &'static str,
        /// Which file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// What is wrong with the contents of a file.
    #[error("cannot use the network {path}: {why}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: Box<FileError>,
    },
    /// Of a later version.
    #[error("it was written by a newer alfil, in format {0}, and this one knows {FORMAT}: update it")]
    Newer(u32),
    /// Not safetensors, or cut off.
    #[error("it is not a network file, or it is damaged: {0}")]
    Format(String),
    /// A safetensors file of something else.
    #[error("it is not an Alfil network: its metadata lacks '{0}'")]
    Metadata(&'static str),
    /// Metadata that makes no sense.
    #[error("its {0} cannot be read: {1}")]
    BadMetadata(&'static str, String),
    /// A shape that no network has.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A tensor is missing or has another shape.
    #[error("its tensor '{name}' {problem}")]
    Tensor {
        /// Which one.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// For another game, encoding or version.
    #[error("it was made for {found}, but {expected} is needed")]
    Encoding {
        /// What the file says.
        found: String,
        /// What was asked for.
        expected: String,
    },
}

impl Network {
    /// Reads a network file.
    pub fn load(path: &Path) -> Result<Network, FileError> {
        tracing::debug!(?path, "network is read");
        Network::from_bytes(&read_whole(path)?).map_err(|why| why.of(path))
    }

    /// Reads the bytes of a network file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, FileError> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let metadata = header.metadata().as_ref().ok_or(FileError::Metadata("format"))?;
        let format = metadata.get("format").ok_or(FileError::Metadata("format"))?;
        match format.parse() {
            Ok(FORMAT) => read(bytes, metadata),
            Ok(newer) if newer > FORMAT => Err(FileError::Newer(newer)),
            _ => Err(FileError::BadMetadata("format", format!("'{}' is not {FORMAT}", shorten(format)))),
        }
    }

    /// Writes a network file. It appears whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        write_whole(path, &self.to_bytes()?)
    }

    /// The bytes of a network file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let json = |what, result: Result<String, serde_json::Error>| {
            result.map_err(|error| FileError::BadMetadata(what, error.to_string()))
        };
        let architecture = json("architecture", serde_json::to_string(&self.architecture))?;
        let origin = json("origin", serde_json::to_string(&self.origin))?;
        Ok(self.with_metadata(architecture, origin))
    }

    fn with_metadata(&self, architecture: String, origin: String) -> Vec<u8> {
        let metadata = BTreeMap::from([
            ("format", FORMAT.to_string()),
            ("checksum", self.checksum(&architecture, &origin)),
            ("architecture", architecture),
            ("origin", origin),
        ]);
        to_safetensors(&metadata, &self.tensors())
    }

    /// FNV-1a over the texts of the metadata, byte by byte, then over all weights, number by number.
    fn checksum(&self, architecture: &str, origin: &str) -> String {
        let mut hash = Fnv::default();
        hash.feed(architecture.as_bytes());
        hash.feed(origin.as_bytes());
        self.weights.visit(&self.architecture, |_, _, numbers| {
            numbers.iter().for_each(|number| hash.feed_word(number.to_bits().into()));
        });
        format!("{:016x}", hash.finish())
    }

    /// Refuses a network that was made for something else.
    pub fn check_encoding<E: Encoding>(&self) -> Result<(), FileError> {
        let name = |encoding: &str, version: u32| format!("{encoding} version {version}");
        let found = name(&shorten(&self.origin.encoding), self.origin.encoding_version);
        let expected = name(E::NAME, E::VERSION);
        if found != expected {
            return Err(FileError::Encoding { found, expected });
        }
        Ok(self.architecture.check_encoding::<E>()?)
    }
}

impl FileError {
    /// The same, as what is wrong with this file.
    pub fn of(self, path: &Path) -> FileError {
        FileError::File { path: path.to_owned(), why: Box::new(self) }
    }
}

/// Messages of other crates may quote the file.
fn damaged(error: safetensors::SafeTensorError) -> FileError {
    FileError::Format(shorten(&error.to_string()))
}

/// Reads a network of the one format that there is.
fn read(bytes: &[u8], metadata: &HashMap<String, String>) -> Result<Network, FileError> {
    let entry = |name| metadata.get(name).ok_or(FileError::Metadata(name));
    let bad = |what| move |error: serde_json::Error| FileError::BadMetadata(what, shorten(&error.to_string()));
    let architecture: Architecture = serde_json::from_str(entry("architecture")?).map_err(bad("architecture"))?;
    let origin: Origin = serde_json::from_str(entry("origin")?).map_err(bad("origin"))?;
    if !origin.is_plain() {
        return Err(FileError::BadMetadata("origin", "its texts are too long, or have control characters".to_owned()));
    }
    architecture.check()?;
    let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
    let weights = Weights::assemble(&architecture, &mut FileSource(&tensors))?;
    let network = Network { architecture, weights, origin };
    if *entry("checksum")? != network.checksum(entry("architecture")?, entry("origin")?) {
        return Err(FileError::Format("its contents do not match their checksum".to_owned()));
    }
    Ok(network)
}

/// Writes a file that appears whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |error| FileError::Io { action: "write", path: path.display().to_string(), error };
    alfil_core::disk::write_whole(path, bytes).map_err(failed)
}

/// Reads an ordinary file of at most `LARGEST` bytes.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError::Io { action: "read", path: path.display().to_string(), error };
    let metadata = alfil_core::disk::open(path).and_then(|file| file.metadata()).map_err(failed)?;
    // Anything but an ordinary file, such as a device, may never end.
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(failed(Error::other("it is not a file of at most 4 GB")));
    }
    alfil_core::disk::read(path, LARGEST).map_err(failed)
}

struct FileSource<'a>(&'a SafeTensors<'a>);

impl TensorSource for FileSource<'_> {
    type Error = FileError;

    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, FileError> {
        let problem = |problem: String| FileError::Tensor { name: name.to_owned(), problem };
        let view = self.0.tensor(name).map_err(|_| problem("is missing".to_owned()))?;
        if view.dtype() != Dtype::F32 {
            return Err(problem(format!("holds {:?} instead of F32", view.dtype())));
        }
        if view.shape() != shape {
            return Err(problem(format!("has shape {:?} instead of {shape:?}", view.shape())));
        }
        let numbers: Vec<f32> = view.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => Err(problem(format!("holds {} at place {at}", numbers[at]))),
            None => Ok(numbers),
        }
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::tictactoe::Stones;
    use serde_json::{Value, json};

    use super::*;

    /// Reads a network whose file has another text as its origin, with the checksum that belongs to it.
    fn reread(change: impl Fn(&mut Value)) -> Result<Origin, FileError> {
        let architecture = Architecture::new::<Stones>("4x1".parse().unwrap());
        let network = Network::random::<Stones>(architecture, 1);
        let mut origin = json!(network.origin);
        change(&mut origin);
        let bytes = network.with_metadata(json!(network.architecture).to_string(), origin.to_string());
        Network::from_bytes(&bytes).map(|network| network.origin)
    }

    #[test]
    fn what_a_later_version_says_of_a_network_is_ignored() {
        assert_eq!(reread(|origin| origin["author"] = json!({"name": "x"})).unwrap(), Origin::of::<Stones>());
    }

    #[test]
    fn a_text_that_a_terminal_would_obey_is_refused() {
        for key in ["game", "encoding", "parent", "rating", "note"] {
            for text in ["\u{1b}[31m".to_owned(), "x".repeat(10_000)] {
                let error = reread(|origin| origin[key] = json!(text)).unwrap_err().to_string();
                assert_eq!(error, "its origin cannot be read: its texts are too long, or have control characters");
            }
        }
    }
}
