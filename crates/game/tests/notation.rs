//! Text from anywhere: what is written reads back, and nothing that is typed makes a panic.
#![allow(clippy::unwrap_used)]

use alfil_game::chess::{Chess, Rules, san};
use alfil_game::registry::{self, GameVisitor};
use alfil_game::{Game, line};
use proptest::prelude::*;

/// A chess position reached by the moves that `choices` pick.
fn reached(start: u32, choices: &[u16]) -> Chess {
    let rules = Rules::default();
    played(if start < 960 { Chess::chess960(start, &rules).unwrap() } else { Chess::new(&rules) }, choices)
}

/// The game after the moves that `choices` pick.
fn played<G: Game>(mut game: G, choices: &[u16]) -> G {
    let mut moves = Vec::new();
    for &choice in choices {
        if game.legal_moves(&mut moves).is_some() {
            break;
        }
        game.play(moves[choice as usize % moves.len()]);
    }
    game
}

/// Feeds text to every parser of every game.
struct Feed<'a>(&'a str);

impl GameVisitor for Feed<'_> {
    type Output = ();
    fn visit<G: Game>(self) {
        let rules = G::Rules::default();
        if let Ok(game) = G::from_position(self.0, &rules) {
            assert!(G::from_position(&game.position(), &rules).unwrap().same_position(&game));
        }
        for text in std::iter::once("").chain(G::TEST_POSITIONS.iter().copied()) {
            let mut game = G::from_position(text, &rules).unwrap_or_else(|_| G::new(&rules));
            if let Ok(m) = game.parse_move(self.0) {
                let mut moves = Vec::new();
                game.generate(&mut moves);
                assert!(moves.contains(&m), "{:?} became {m:?}", self.0);
            }
            let _ = line(&mut game, self.0);
        }
    }
}

/// Changes one character of a position and feeds it to every parser.
struct Damage<'a> {
    choices: &'a [u16],
    at: prop::sample::Index,
    c: char,
}

impl GameVisitor for Damage<'_> {
    type Output = ();
    fn visit<G: Game>(self) {
        let mut chars: Vec<char> = played(G::new(&G::Rules::default()), self.choices).position().chars().collect();
        let at = self.at.index(chars.len());
        chars[at] = self.c;
        feed(&chars.into_iter().collect::<String>());
    }
}

fn feed(text: &str) {
    for name in registry::names() {
        registry::with_game(name, Feed(text)).unwrap();
    }
    let game = Chess::new(&Rules::default());
    let _ = san::parse(&game, text, san::Language::Spanish);
}

proptest! {
    #[test]
    fn a_fen_holds_the_whole_position(start in 0u32..1920, choices in prop::collection::vec(any::<u16>(), 0..200)) {
        let game = reached(start, &choices);
        let read = Chess::from_position(&game.position(), &Rules::default()).unwrap();
        prop_assert!(read.same_position(&game));
        prop_assert_eq!(read.key(), game.key());
        prop_assert_eq!(read.position(), game.position());
    }

    #[test]
    fn san_reads_back_in_both_languages(start in 0u32..1920, choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let game = reached(start, &choices);
        let mut moves = Vec::new();
        game.generate(&mut moves);
        for language in [san::Language::English, san::Language::Spanish] {
            for &m in &moves {
                let text = san::write(&game, m, language);
                prop_assert_eq!(san::parse(&game, &text, language), Ok(m), "{} in {}", text, game.position());
            }
        }
    }

    #[test]
    fn random_text_never_panics(text in any::<String>()) {
        feed(&text);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        feed(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn text_that_is_nearly_right_never_panics(text in r"[a-lxKQRBNOTDAC0-9=+#\-/ w]{0,60}") {
        feed(&text);
    }

    #[test]
    fn damaged_positions_never_panic(choices in prop::collection::vec(any::<u16>(), 0..60), at in any::<prop::sample::Index>(), c in any::<char>()) {
        for name in registry::names() {
            registry::with_game(name, Damage { choices: &choices, at, c }).unwrap();
        }
    }
}
