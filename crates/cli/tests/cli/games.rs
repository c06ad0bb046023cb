//! Games of people on their way into a folder to learn from, as users of the command line see it.

use super::support::{Folder, complaint, json, stdout};

const GAMES: &str = "[White \"Ada\"]\n[Black \"Bob\"]\n[WhiteElo \"1850\"]\n[BlackElo \"1900\"]\n[Result \"0-1\"]\n\n\
    1. f3 e5 2. g4 Qh4# 0-1\n\n[White \"Bob\"]\n[Black \"Cleo\"]\n[Result \"*\"]\n\n1. e4 *\n";

#[test]
fn games_are_imported_and_described() {
    let folder = Folder::new("games");
    let (file, out) = (folder.file("games.pgn"), folder.file("imported"));
    std::fs::write(&file, GAMES.repeat(2)).unwrap();
    let text = stdout(&["games", "import", &file, "-o", &out]);
    assert!(text.starts_with("1 games with 4 positions, ") && text.contains("3 games were skipped:\n"), "{text}");
    assert!(text.contains(" 1 duplicates\n") && text.contains(" 2 without a result\n"), "{text}");
    let stats = json(&["games", "stats", &out, "--json"]);
    assert_eq!((&stats["games"], &stats["positions"], &stats["ratings"]["1800"]), (&1.into(), &4.into(), &1.into()));
    assert!(stdout(&["games", "stats", &out]).contains("rated 1800 to 1999: 1 games\nAda: 1 games"));

    let again = complaint(&["games", "import", &file, "-o", &out]);
    assert!(again.contains("is not empty"), "{again}");
    let (none, other) = (folder.file("none.pgn"), folder.file("other"));
    assert!(complaint(&["games", "import", &none, "-o", &other]).contains("cannot read"));
    assert!(complaint(&["games", "import", &file, "-o", &other, "--elo", "high"]).contains("is not a range"));
    let strong = complaint(&["games", "import", &file, "-o", &other, "--elo", "2500.."]);
    assert!(strong.contains("there is no game to import: 2 without a result, 2 of other ratings"), "{strong}");
    assert!(complaint(&["games", "stats", &other]).contains("there are no games in"));
}
