//! Puts the networks of `models/manifest.toml` into the program: those that are embedded whole, the others by name.

#![allow(clippy::disallowed_methods, reason = "runs before the crate that is the door to the disk is built")]

#[path = "src/manifest.rs"]
mod manifest;

use std::fmt::Write;
use std::path::Path;

use manifest::{Entry, Manifest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let models = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../models");
    let path = models.join("manifest.toml");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/manifest.rs");
    println!("cargo::rerun-if-changed={}", models.display());
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let size = |file: &str| Some(models.join(file).metadata().ok()?.len());
    let manifest = match Manifest::read(&text, size) {
        Ok(manifest) => manifest,
        Err(why) => {
            println!("cargo::error=models/manifest.toml: {}", why.trim().replace('\n', "; "));
            return Ok(());
        }
    };
    let mut table = String::from("&[");
    for entry in &manifest.networks {
        let Entry { name, file, game, default, embedded, stronger_than_handcrafted, imitates } = entry;
        let bytes = match embedded {
            true => format!("Some(include_bytes!({:?}))", models.join(file).canonicalize()?.display().to_string()),
            false => "None".to_owned(),
        };
        write!(
            table,
            "Bundled {{ name: {name:?}, file: {file:?}, game: {game:?}, is_default: {default}, \
             is_stronger_than_handcrafted: {stronger_than_handcrafted}, imitates: {imitates:?}, bytes: {bytes} }}, "
        )?;
    }
    table.push(']');
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("bundled.rs"), table)?;
    Ok(())
}
