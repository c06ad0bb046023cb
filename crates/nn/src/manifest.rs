//! `models/manifest.toml`, as the build script reads it.

use serde::Deserialize;

/// The networks that the program knows by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Bytes that all embedded networks may have together.
    embedded_limit: u64,
    #[serde(rename = "network")]
    pub networks: Vec<Entry>,
}

/// A network of the manifest. The file itself says what the keys mean.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub name: String,
    pub file: String,
    pub game: String,
    pub default: bool,
    pub embedded: bool,
    pub stronger_than_handcrafted: bool,
    pub imitates: Option<u32>,
}

impl Manifest {
    /// Reads a manifest. `size` gives the bytes of a file, if there is one.
    pub fn read(text: &str, size: impl Fn(&str) -> Option<u64>) -> Result<Manifest, String> {
        let manifest: Manifest = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut embedded = 0;
        for (index, entry) in manifest.networks.iter().enumerate() {
            let Entry { name, file, game, .. } = entry;
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || !name.chars().all(is_plain) {
                return Err(format!("'{name}' is not a network name: use lower-case letters, digits and hyphens"));
            }
            let before = &manifest.networks[..index];
            if before.iter().any(|other| other.name == *name) {
                return Err(format!("two networks are called {name}"));
            }
            if entry.default && before.iter().any(|other| other.default && other.game == *game) {
                return Err(format!("{game} has two default networks"));
            }
            let is_same_band = |other: &Entry| other.game == *game && other.imitates == entry.imitates;
            if let Some(rating) = entry.imitates
                && before.iter().any(is_same_band)
            {
                return Err(format!("two networks imitate players of {game} rated {rating}"));
            }
            if entry.embedded {
                embedded +=
                    size(file).ok_or_else(|| format!("{name} is to be embedded, and there is no file {file}"))?;
            }
        }
        let limit = manifest.embedded_limit;
        if embedded > limit {
            return Err(format!(
                "the embedded networks have {embedded} bytes, more than embedded_limit = {limit}: \
                 set embedded = false for some of them, or raise the limit"
            ));
        }
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\
        embedded_limit = 100\n\
        [[network]]\nname = \"small\"\nfile = \"a\"\ngame = \"chess\"\ndefault = true\nembedded = true\n\
        stronger_than_handcrafted = true\n\
        [[network]]\nname = \"large\"\nfile = \"b\"\ngame = \"chess\"\ndefault = false\nembedded = false\n\
        stronger_than_handcrafted = true\n";

    fn read(text: &str) -> Result<Manifest, String> {
        Manifest::read(text, |file| {
            [("a", 60), ("b", 41)].into_iter().find(|(name, _)| *name == file).map(|(_, size)| size)
        })
    }

    fn complaint(old: &str, new: &str) -> String {
        assert!(TWO.contains(old), "{old}");
        read(&TWO.replace(old, new)).unwrap_err()
    }

    #[test]
    fn a_game_may_have_several_networks() {
        let networks = read(TWO).unwrap().networks;
        let names: Vec<&str> = networks.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["small", "large"]);
        assert!(networks.iter().all(|entry| entry.stronger_than_handcrafted));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let large = complaint("default = false\nembedded = false", "default = false\nembedded = true");
        assert!(large.starts_with("the embedded networks have 101 bytes, more than embedded_limit = 100"), "{large}");
        assert_eq!(complaint("default = false", "default = true"), "chess has two default networks");
        assert_eq!(complaint("\"large\"", "\"small\""), "two networks are called small");
        assert_eq!(complaint("\"a\"", "\"c\""), "small is to be embedded, and there is no file c");
        assert!(complaint("\"large\"", "\"a:b\"").contains("'a:b' is not a network name"));
        assert!(complaint("default = true", "defualt = true").contains("defualt"));
        let bands = TWO.replace("default =", "imitates = 1600\ndefault =");
        assert_eq!(read(&bands).unwrap_err(), "two networks imitate players of chess rated 1600");
    }
}
