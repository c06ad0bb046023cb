//! Puts the networks of `models/` into the program, each under the name of its file: the game that it plays.

use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let models = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../models");
    println!("cargo::rerun-if-changed={}", models.display());
    let mut table = String::from("&[");
    let entries = std::fs::read_dir(&models).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "safetensors")) {
        let path = path.canonicalize()?;
        let game = path.file_stem().unwrap_or_default().to_string_lossy();
        write!(table, "({game:?}, include_bytes!({:?}).as_slice()), ", path.display().to_string())?;
    }
    table.push(']');
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("shipped.rs"), table)?;
    Ok(())
}
