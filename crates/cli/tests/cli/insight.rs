//! Games reviewed and players described, as users of the command line see it, with alpha-beta for a judge.

use super::support::{Folder, complaint, json, stdout};

/// Legal's mate, a fool's mate, and a game in which both sides lose pieces.
const GAMES: &str = "[White \"Legal\"]\n[Black \"Brie, Saint\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n\
    [White \"Ada\"]\n[Black \"Brie\"]\n[Result \"1-0\"]\n\n1. f3 e5 2. g4 d6 3. h4 Qxh4+ 4. Rxh4 1-0\n\n\
    [White \"Ada\"]\n[Black \"Legal\"]\n[Result \"0-1\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1\n";

const ENGINE: [&str; 2] = ["--engine", "alphabeta:depth=2"];

#[test]
fn games_are_reviewed_and_their_files_are_not_overwritten() {
    let folder = Folder::new("review");
    let (file, pgn, csv, html) =
        (folder.file("g.pgn"), folder.file("out.pgn"), folder.file("moves.csv"), folder.file("page.html"));
    std::fs::write(&file, GAMES).unwrap();
    let review = [&["review", &file, "--threads", "1"][..], &ENGINE].concat();
    let outputs = ["--pgn", &pgn, "--csv", &csv, "--html", &html];
    let text = stdout(&[&review[..], &outputs].concat());
    assert!(text.contains("Legal – Brie, Saint") && text.contains("(missed mate in 1)"), "{text}");
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert!(read(&pgn).contains("[%eval") && read(&html).ends_with("</html>\n"));
    // A row for each move, and the names of the columns.
    assert_eq!(read(&csv).lines().count(), 1 + 13 + 7 + 14);
    let report = json(&[&review[..], &["--player", "ada", "--json"]].concat());
    let games = report["games"].as_array().unwrap();
    assert_eq!((games.len(), &games[0]["number"]), (2, &2.into()));
    let mates =
        games.iter().flat_map(|game| game["errors"].as_array().unwrap()).filter(|error| error["mate_in"].is_u64());
    assert_eq!(mates.count(), 0, "Ada had no mate");

    let same = complaint(&[&review[..], &["--pgn", &file]].concat());
    assert!(same.contains("would be overwritten"), "{same}");
    assert!(complaint(&[&review[..], &["--pgn", &pgn, "--csv", &pgn]].concat()).contains("named for two files"));
    assert_eq!(read(&file), GAMES);
    assert!(complaint(&[&review[..], &["--player", "Nobody"]].concat()).contains("there is no game of Nobody"));
}

#[test]
fn mistakes_are_extracted_grouped_and_compared() {
    let folder = Folder::new("insight");
    let [games, errors, model, net, vectors, html] =
        ["g.pgn", "errors.csv", "model.json", "net.safetensors", "vectors.npy", "clusters.html"]
            .map(|name| folder.file(name));
    std::fs::write(&games, GAMES.repeat(3)).unwrap();
    let extract = [&["insight", "extract", &games, "--skip", "0", "--threads", "2"][..], &ENGINE].concat();
    let found = json(&[&extract[..], &["-o", &errors, "--json"]].concat());
    assert_eq!((&found["games"], &found["moves"]), (&9.into(), &102.into()));
    let mistakes = found["errors"].as_u64().unwrap();
    assert!(mistakes >= 9, "{found}");
    assert!(complaint(&[&extract[..], &["-o", &errors]].concat()).contains("exists already"));

    let fit = ["insight", "fit", &errors, "--clusters", "3", "--starts", "2"];
    let text = stdout(&[&fit[..], &["-o", &model, "--html", &html]].concat());
    assert!(text.contains(&format!("{mistakes} mistakes in 3 clusters of vectors made by hand")), "{text}");
    assert!(complaint(&[&fit[..], &["-o", &errors]].concat()).contains("would be overwritten"));
    assert!(complaint(&[&fit[..], &[&errors, "-o", &model]].concat()).contains("named for two files"));

    stdout(&["net", "random", "--game", "chess", "--encoding", "chess/attacks", "--arch", "8x1", "-o", &net]);
    let network = ["--kind", "network", "--net", &net];
    let text = stdout(&[&["insight", "vectors", &errors, "-o", &vectors][..], &network].concat());
    assert!(text.starts_with(&format!("{mistakes} vectors of 21 numbers, of the network ")), "{text}");
    let names: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(format!("{vectors}.json")).unwrap()).unwrap();
    assert_eq!(names["columns"].as_array().unwrap().len(), 21);
    let rows = names["rows"].as_array().unwrap();
    assert!(rows.len() as u64 == mistakes && rows[0][0] == 1);
    let npy = std::fs::read(&vectors).unwrap();
    assert!(npy.starts_with(b"\x93NUMPY") && npy.len() as u64 % 64 == mistakes * 21 * 4 % 64);
    let wrong = complaint(&["insight", "vectors", &errors, "-o", &vectors, "--net", &net]);
    assert!(wrong.contains("--net goes with --kind network"), "{wrong}");
    let of_network = folder.file("network.json");
    let text = stdout(&[&fit[..], &["-o", &of_network], &network].concat());
    assert!(text.contains("clusters of vectors of the network"), "{text}");

    // Another player's table, and this one's by the model of the network.
    let player = ["insight", "profile", &games, "--player", "Ada"];
    let profiles = [&["--model", &model][..], &["--model", &of_network], &[]];
    for more in profiles {
        // Turns are skipped here as always: the games are too short to have any left but a few.
        let text = stdout(&[&player[..], &ENGINE, more].concat());
        assert!(text.starts_with("Ada: ") && text.contains("What to train next"), "{text}");
    }
    let of_legal = folder.file("legal.csv");
    stdout(&[&extract[..], &["--player", "Legal", "-o", &of_legal]].concat());
    let compare = ["insight", "compare", &errors, &of_legal, "--model", &model, "--permutations", "9"];
    let report = json(&[&compare[..], &["--json"]].concat());
    assert!(report["own"].as_array().unwrap().len() == 2 && report["chance"].as_f64().unwrap() >= 0.1, "{report}");
    assert!(stdout(&compare).contains("errors – legal"));
    assert!(complaint(&["insight", "compare", &errors]).contains("2 values"));
    // A network that is no longer there.
    std::fs::remove_file(&net).unwrap();
    let gone = complaint(&[&player[..], &["--model", &of_network]].concat());
    assert!(gone.contains("cannot use the network"), "{gone}");
}
