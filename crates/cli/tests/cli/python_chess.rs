//! The engine driven by python-chess, as chess programs drive it.

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn python_chess_plays_games_with_the_engine() {
    let python = Command::new("python3").args(["-c", "import chess.engine"]).stderr(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        return alfil_skipped::skip("games of the engine under python-chess", "python-chess (pip install chess)");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/uci-games");
    let engine = concat!(env!("CARGO_BIN_EXE_alfil"), " uci");
    // Few nodes and long clocks: what is tested is the conversation, not the speed of a busy machine.
    let limits = ["--base", "600", "--option-a", "NodesPerMove=20", "--option-b", "NodesPerMove=40"];
    let played = Command::new(script).args(["--games", "4", engine, engine]).args(limits).output().unwrap();
    let said = String::from_utf8_lossy(&played.stdout).into_owned() + &String::from_utf8_lossy(&played.stderr);
    assert!(played.status.success() && said.contains("4 games") && said.contains("faults: {}"), "{said}");
}
