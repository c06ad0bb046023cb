//! Exercises, books and suites.

use super::support::{Folder, complaint, json, stdout};

#[test]
fn exercises_show_the_figures_of_the_book() {
    let text = stdout(&["primer", "queens", "--placed", "[-1,3,-1,-1,2]"]);
    assert!(text.starts_with("[-1,3,-1,-1,2]\n[1,3,-1,-1,2]\n") && text.contains("1 solution,"), "{text}");
    assert!(stdout(&["primer", "queens", "5"]).contains("10 solutions, 2 if"));
    let text = stdout(&["primer", "tour", "--euler"]);
    assert!(text.contains("every row and column has the sum 260, and every half of one 130"), "{text}");
    assert!(stdout(&["primer", "king"]).contains("from e5 to d1 in 4 moves: 16 ways = 3 (c2) + 6 (d2) + 7 (e2)"));
    assert!(stdout(&["primer", "tree"]).ends_with("9 of 12 nodes looked at, 3 cut off (25 %)\n"));
    assert!(stdout(&["primer", "tree", "minimax", "--minimax"]).contains("value 2.32, 8 of 8 nodes"));
    assert!(stdout(&["primer", "softmax", "--temperature", "1"]).contains("0.681"));
    assert!(stdout(&["primer", "neurons", "--steps", "10"]).contains("1.1203  1.0949  1.0445  1.0446"));
}

#[test]
fn exercises_draw_pictures_that_fit_the_terminal() {
    let folder = Folder::new("primer");
    for exercise in [
        &["queens", "6"][..],
        &["tour", "30x20"],
        &["king", "a1"],
        &["grid", "--walks", "200"],
        &["bandits", "--plays", "200", "--gamblers", "3"],
        &["softmax", "--", "-1", "2.5"],
        &["neurons", "--steps", "20"],
        &["tree", "alphabeta", "--order", "left"],
    ] {
        let picture = folder.file(&format!("{}.svg", exercise[0]));
        let mut arguments = vec!["primer", exercise[0], "--svg", &picture];
        arguments.extend(&exercise[1..]);
        let text = stdout(&arguments);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg "), "{exercise:?}");
    }
}

#[test]
fn exercises_name_mistakes() {
    assert!(
        complaint(&["primer", "queens", "--placed", "1,2,-1"]).contains("the queens on a1 and b2 attack each other")
    );
    assert!(complaint(&["primer", "tour", "3x3"]).contains("no tour of 3x3 begins on a1"));
    assert!(complaint(&["primer", "tour", "99x99"]).contains("draw it with --svg"));
    assert!(complaint(&["primer", "king", "e9"]).contains("'e9' is not a square"));
    assert!(complaint(&["primer", "tree", "(1"]).contains("a bracket is not closed"));
    assert!(complaint(&["primer", "bandits", "--arms", "2"]).contains("probabilities from 0 to 1"));
    assert!(complaint(&["primer", "softmax", "--temperature", "0"]).contains("above 0"));
    assert!(complaint(&["primer", "quens"]).contains("queens"));
}

#[test]
fn books_are_made_shown_and_played() {
    let folder = Folder::new("book");
    let [pgn, book, polyglot] = ["games.pgn", "my.book", "my.bin"].map(|name| folder.file(name));
    let game = |moves: &str, result: &str, round: u32| {
        format!("[Round \"{round}\"]\n[White \"{round}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    let games = [("1. e4 e5 2. Nf3", "1-0"), ("1. e4 c5", "1/2-1/2"), ("1. d4 d5", "0-1"), ("1. d4 d5 2. c4", "0-1")];
    let text: String = (1..).zip(games).map(|(round, (moves, result))| game(moves, result, round)).collect();
    std::fs::write(&pgn, text).unwrap();
    assert!(stdout(&["book", "make", &pgn, "-o", &book, "--min-games", "2"]).starts_with("3 moves of 4 games"));
    let shown = json(&["book", "show", &book, "--json"]);
    let moves: Vec<(&str, u64, f64)> = shown["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            (found["move"].as_str().unwrap(), found["games"].as_u64().unwrap(), found["share"].as_f64().unwrap())
        })
        .collect();
    assert_eq!(moves, [("e2e4", 2, 1.0), ("d2d4", 2, 0.0)]);
    assert!(stdout(&["book", "show", &book, "--moves", "d4"]).contains("d5       100.0 %"));
    assert!(stdout(&["book", "show", &book, "--moves", "Cf3"]).contains("it has no move here"));
    stdout(&["book", "make", &pgn, "-o", &polyglot, "--min-games", "1", "--polyglot"]);
    assert!(stdout(&["book", "show", &polyglot]).contains("a Polyglot book"));
    let analysed =
        stdout(&["match", &format!("random:book={book}"), "random", "--games", "2", "--pgn", &folder.file("out.pgn")]);
    assert!(analysed.contains("2"), "{analysed}");
    let complaints = [
        (complaint(&["book", "show", &pgn]), "not a Polyglot book"),
        (complaint(&["book", "make", &pgn, "-o", &book, "--min-games", "9"]), "smaller --min-games"),
        (complaint(&["match", "random:book=/no/book", "random"]), "cannot use the book /no/book"),
        (complaint(&["book", "make", &folder.file("none.pgn"), "-o", &book]), "cannot read"),
    ];
    for (complaint, expected) in complaints {
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn suites_show_players_side_by_side() {
    let folder = Folder::new("suite");
    let text = stdout(&["suite", "documents", "alphabeta:depth=1", "alphabeta:nodes=30000"]);
    let solved = text.lines().find(|line| line.starts_with("solved")).unwrap();
    assert!(solved.contains("of 3"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let suite = folder.file("a.epd");
    std::fs::write(&suite, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ta8#; id \"mate\";\n").unwrap();
    let report = json(&["suite", &suite, "alphabeta:depth=2", "--json"]);
    assert_eq!(report["players"][0]["right"], 1);
    assert!(complaint(&["suite", "/no/suite", "random"]).contains("cannot read the suite /no/suite"));
}

#[test]
fn searches_are_studied() {
    let folder = Folder::new("study");
    let [plot, gain] = ["uct.svg", "gain.svg"].map(|name| folder.file(name));
    let report =
        json(&["study", "convergence", "--positions", "60", "--rollouts", "3,3000", "--plot", &plot, "--json"]);
    let wrong = |point: usize| report["points"][point]["wrong"].as_f64().unwrap();
    assert!(wrong(1) < wrong(0), "{report}");
    let report = json(&["study", "pruning", "tictactoe", "--depth", "5", "--plot", &gain, "--json"]);
    assert_eq!(report["depths"][1]["minimax"], 1 + 9 + 72);
    for plot in [plot, gain] {
        assert!(std::fs::read_to_string(plot).unwrap().starts_with("<svg "));
    }
    assert!(complaint(&["study", "convergence", "chess"]).contains("no exact solver"));
}
