//! docs/new-game.md shows the code of the source.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::Path;

#[test]
fn every_block_of_rust_in_the_tutorial_is_in_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let files = ["src/nim/mod.rs", "src/nim/game.rs", "src/nim/encoding.rs", "src/nim/oracle.rs", "src/registry.rs"];
    let sources = files.map(read);
    let tutorial = read("../../docs/new-game.md");
    let blocks: Vec<&str> =
        tutorial.split("```rust\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0).collect();
    for block in &blocks {
        // A blank line may stand for code between two items that the tutorial leaves out.
        let shown = |part: &str| sources.iter().any(|source| source.contains(part));
        assert!(shown(block) || block.split("\n\n").all(shown), "not in the source:\n{block}");
    }
    assert!(blocks.len() > 12, "{} blocks", blocks.len());
}
