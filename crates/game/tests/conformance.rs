//! Every registered game and encoding keeps its promises.

use alfil_game::conformance::{Check, Effort, check_encoding, check_game};
use alfil_game::registry::{self, EncodingVisitor, GameVisitor};
use alfil_game::{Encoding, Game};

struct Rules;

impl GameVisitor for Rules {
    type Output = ();
    fn visit<G: Game>(self) {
        report(G::NAME, check_game::<G>(&G::Rules::default(), Effort::default()));
    }
}

struct Encodings;

impl EncodingVisitor for Encodings {
    fn visit<E: Encoding>(&mut self) {
        report(E::NAME, check_encoding::<E>(&Default::default(), Effort::default()));
    }
}

fn report(name: &str, checks: Vec<Check>) {
    for Check { promise, result } in checks {
        match result {
            Ok(cases) => println!("{name}: {promise} ({cases} cases)"),
            Err(error) => panic!("{name}: {promise}: {error}"),
        }
    }
}

#[test]
fn games_keep_their_promises() {
    for name in registry::names() {
        registry::with_game(name, Rules).unwrap();
    }
}

#[test]
fn encodings_keep_their_promises() {
    for name in registry::names() {
        registry::with_encodings(name, &mut Encodings).unwrap();
    }
}
