//! Games of people, and games that are made and labelled, on their way into a folder to learn from, as users of the command line see
//! it.

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

#[test]
fn games_are_made_and_labelled() {
    let folder = Folder::new("labels");
    let (made, out) = (folder.file("made"), folder.file("labelled"));
    let text = stdout(&["games", "make", "connect4", "-o", &made, "--games", "20", "--seed", "5"]);
    assert!(text.starts_with("20 games with ") && text.contains(" positions to label, in "), "{text}");
    let stats = json(&["games", "stats", &made, "--game", "connect4", "--json"]);
    assert_eq!((&stats["games"], &stats["policies"]), (&20.into(), &0.into()));
    let label = ["games", "label", &made, "--game", "connect4", "-o", &out];
    let task = ["--engine", "alphabeta:depth=3", "--multipv", "3", "--temperature", "0.3", "--share", "0.5"];
    let labelled = json(&[&label[..], &task, &["--threads", "2", "--json"]].concat());
    assert_eq!((&labelled["games"], &labelled["positions"]), (&20.into(), &stats["positions"]));
    let stats = json(&["games", "stats", &out, "--game", "connect4", "--json"]);
    assert_eq!(stats["policies"], labelled["labels"]);
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(format!("{out}/label.json")).unwrap()).unwrap();
    assert_eq!((&summary["settings"]["lines"], &summary["settings"]["share"]), (&3.into(), &0.5.into()));
    assert_eq!(summary["result"]["labels"], labelled["labels"]);

    let wrong = |more: &[&str]| complaint(&[&label[..], more].concat());
    assert!(wrong(&task).contains("is not empty"));
    assert!(wrong(&["--engine", "random"]).contains("gives no scores"));
    assert!(wrong(&["--engine", "uct", "--multipv", "2"]).contains("judges no moves one by one"));
    assert!(wrong(&["--engine", "alphabeta", "--share", "0"]).contains("above 0 and at most 1"));
    assert!(wrong(&["--engine", "alphabeta", "--temperature", "nan"]).contains("from 0.01 to 100"));
    assert!(wrong(&["--engine", "uci:/no/such,nodes=1"]).contains("cannot use the engine"));
}

/// Two games by different players, one of which is in another rating band.
const TWO: &str = "[White \"Ada\"]\n[Black \"Bob\"]\n[WhiteElo \"1850\"]\n[BlackElo \"2150\"]\n[Result \"0-1\"]\n\n\
    1. f3 e5 2. g4 Qh4# 0-1\n\n[White \"Cleo\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n";

#[test]
fn networks_are_compared_by_the_moves_that_they_predict() {
    let folder = Folder::new("accuracy");
    let (file, imported, net) = (folder.file("two.pgn"), folder.file("imported"), folder.file("net.safetensors"));
    std::fs::write(&file, TWO).unwrap();
    stdout(&["games", "import", &file, "-o", &imported]);
    stdout(&["net", "random", "--game", "chess", "--encoding", "chess/lc0-112", "--arch", "8x1", "-o", &net]);

    let one = json(&["net", "accuracy", "uniform", &file, "--json"]);
    assert_eq!((&one["net"], &one["positions"], &one["games"]), (&"uniform".into(), &9.into(), &2.into()));
    // Legal moves of both games, counted by python-chess.
    let legal = [20.0, 20.0, 19.0, 30.0, 20.0, 20.0, 29.0, 26.0, 39.0];
    let near = |key: &str, of: &dyn Fn(f64) -> f64| {
        let expected = legal.iter().map(|moves: &f64| of(*moves)).sum::<f64>() / 9.0;
        assert!((one[key].as_f64().unwrap() - expected).abs() < 1e-5, "{key}: {one} {expected}");
    };
    near("cross_entropy", &f64::ln);
    near("top1", &|moves| 1.0 / moves);
    near("top3", &|moves| 3.0 / moves);
    assert_eq!(one["value_mse"], 0.25);
    assert!(one["top1_interval"][0].as_f64() < one["top1"].as_f64(), "{one}");

    let several = json(&["net", "accuracy", "uniform", &net, &file, "--by", "elo", "--json"]);
    assert_eq!((several.as_array().unwrap().len(), &several[1]["net"]), (2, &net.clone().into()));
    let groups = several[1]["groups"].as_array().unwrap();
    let named: Vec<_> =
        groups.iter().map(|group| (group["group"].as_str().unwrap(), group["positions"].clone())).collect();
    assert_eq!(named, [("rated 1800-1999", 2.into()), ("rated 2000-2199", 2.into()), ("unknown", 5.into())]);
    let of_folder = json(&["net", "accuracy", "uniform", &net, &imported, "--by", "elo", "--json"]);
    for (of_file, of_folder) in several.as_array().unwrap().iter().zip(of_folder.as_array().unwrap()) {
        // Games of a folder may come in another order, and sums of other orders are rounded otherwise.
        let same = |key: &str| (of_file[key].as_f64().unwrap() - of_folder[key].as_f64().unwrap()).abs() < 1e-9;
        assert!(["positions", "top1", "top3", "cross_entropy", "value_mse"].into_iter().all(same), "{of_folder}");
    }

    let picture = folder.file("chart.svg");
    let text = stdout(&["net", "accuracy", "uniform", &net, &file, "--by", "player", "--svg", &picture]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.starts_with("9 positions of 2 games\n") && text.contains("\n  Cleo "), "{text}");
    assert!(std::fs::read_to_string(picture).unwrap().contains("Cleo"));
    assert_eq!(json(&["net", "accuracy", "uniform", &file, "--positions", "4", "--json"])["positions"], 4);

    assert!(complaint(&["net", "accuracy", "uniform", &folder.file("none.pgn")]).contains("cannot read"));
    let held_out = complaint(&["net", "accuracy", "uniform", &file, "--held-out=0.0000001"]);
    assert!(held_out.contains("has no finished games whose moves count"), "{held_out}");
    assert!(complaint(&["net", "accuracy", "uniform", &file, "--held-out=2"]).contains("a share above 0"));
    assert!(complaint(&["net", "accuracy", "nothing", &file]).contains("no evaluator or network file 'nothing'"));
}

#[test]
fn players_are_identified_by_their_moves() {
    let folder = Folder::new("identify");
    let (file, net) = (folder.file("two.pgn"), folder.file("net.safetensors"));
    std::fs::write(&file, TWO).unwrap();
    stdout(&["net", "random", "--game", "chess", "--arch", "8x1", "-o", &net]);
    let found = json(&["net", "identify", "uniform", &net, "--games", &file, "--player", "bob", "--json"]);
    let games = &found["games"][0];
    assert_eq!((&games["count"], &games["positions"]), (&2.into(), &4.into()));
    let posterior: f64 =
        games["networks"].as_array().unwrap().iter().map(|net| net["posterior"].as_f64().unwrap()).sum();
    assert!((posterior - 1.0).abs() < 1e-9 && found["confusion"].is_null(), "{found}");
    let identify = ["net", "identify", "uniform", &net, "--games", &file, "--games", &file, "--pool-size", "2"];
    let both = json(&[&identify[..], &["--pools", "10", "--json"]].concat());
    let counts = both["confusion"]["counts"].as_array().unwrap();
    assert!(counts[0] == counts[1] && both["confusion"]["right"] == 0.5, "the games are the same: {both}");
    let text = stdout(&identify);
    assert!(text.contains("100 random pools of 2 games") && text.contains("50.0 % are right"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");

    assert!(complaint(&["net", "identify", &net, "--games", &file]).contains("at least two networks"));
    let few = complaint(&["net", "identify", "uniform", &net, "--games", &file, "--games", &file]);
    assert!(few.contains("has 2 such games, fewer than a pool of 50"), "{few}");
    let three = complaint(&["net", "identify", "uniform", &net, &net, "--games", &file, "--games", &file]);
    assert!(three.contains("there are 3 networks and 2 --games"), "{three}");
}
