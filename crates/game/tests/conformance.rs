//! Every registered game and encoding keeps its promises.

use alfil_game::conformance::{Check, Effort, check_encoding, check_game};
use alfil_game::{
    Encoding, FullGame, Game, Rules, for_each_encoding, for_each_game, headquarters::Headquarters, hexchess::HexChess,
    read_foreign_rules, read_rules,
};

/// Promises about optional parts, and the games and encodings without them.
const NOTHING_TO_TRY: &[(&str, &[&str])] = &[
    ("the oracle agrees with itself a ply later", &["chess", "hexchess", "headquarters"]),
    ("random endings can be played, and read back as written", &["connect4", "tictactoe", "nim"]),
    ("declared symmetries turn planes and policy the same way", &["chess/lc0-112", "nim/heaps"]),
];

fn report(name: &str, checks: Vec<Check>) {
    for Check { promise, result } in checks {
        match result {
            Ok(cases) => {
                println!("{name}: {promise} ({cases} cases)");
                let excused = NOTHING_TO_TRY.iter().any(|(of, names)| *of == promise && names.contains(&name));
                assert_eq!(cases == 0, excused, "{name}: {promise}: {cases} cases");
            }
            Err(error) => panic!("{name}: {promise}: {error}"),
        }
    }
}

#[test]
fn games_keep_their_promises() {
    for_each_game!(G => report(G::NAME, check_game::<G>(&Default::default(), Effort::default())));
}

#[test]
fn games_by_other_rules_keep_their_promises() {
    fn check<G: FullGame>(rules: &str) {
        let rules = read_rules::<G>(rules).unwrap();
        assert!(!G::new(&rules).chosen_rules().is_empty() && !rules.text().is_empty());
        report(G::NAME, check_game::<G>(&rules, Effort::default()));
    }
    check::<HexChess>("stalemate=3/4, ply_cap=300");
    check::<Headquarters>("turn_cap=20, distance=3, health=0");
    let error = read_foreign_rules::<Headquarters>("map=/dev/stdin", &Default::default()).unwrap_err().to_string();
    assert!(error.contains("no map is read"), "{error}");
}

#[test]
fn encodings_keep_their_promises() {
    for_each_encoding!(E => report(E::NAME, check_encoding::<E>(&Default::default(), Effort::default())));
}
