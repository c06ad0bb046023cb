//! Text from anywhere: what is written reads back, and no text causes a panic.
#![allow(clippy::unwrap_used)]

use alfil_game::chess::{Chess, Rules, san};
use alfil_game::{FullGame, Game, for_each_game, play_line};
use proptest::prelude::*;

/// A chess position reached by the moves that `choices` pick.
fn reached(start: u32, choices: &[u16]) -> Chess {
    let rules = Rules::default();
    played(if start < 960 { Chess::chess960(start, &rules).unwrap() } else { Chess::new(&rules) }, choices)
}

/// The game after the moves that `choices` pick.
fn played<G: FullGame>(mut game: G, choices: &[u16]) -> G {
    let mut moves = Vec::new();
    for &choice in choices {
        if game.legal_moves(&mut moves).is_some() {
            break;
        }
        game.play(moves[choice as usize % moves.len()]);
    }
    game
}

/// Feeds text to every parser of a game.
fn feed_to<G: FullGame>(fed: &str) {
    let rules = G::Rules::default();
    if let Ok(game) = G::from_position(fed, &rules) {
        assert!(G::from_position(&game.position(), &rules).unwrap().same_position(&game));
    }
    for text in std::iter::once("").chain(G::TEST_POSITIONS.iter().copied()) {
        let mut game = G::from_position(text, &rules).unwrap_or_else(|_| G::new(&rules));
        if let Ok(m) = game.parse_move(fed) {
            let mut moves = Vec::new();
            game.generate(&mut moves);
            assert!(moves.contains(&m), "{fed:?} became {m:?}");
        }
        let _ = play_line(&mut game, fed);
    }
}

/// Changes one character of a position and feeds it to every parser.
fn damage<G: FullGame>(choices: &[u16], at: prop::sample::Index, c: char) {
    let mut chars: Vec<char> = played(G::new(&G::Rules::default()), choices).position().chars().collect();
    let at = at.index(chars.len());
    chars[at] = c;
    feed(&chars.into_iter().collect::<String>());
}

fn feed(text: &str) {
    for_each_game!(G => feed_to::<G>(text));
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
        for_each_game!(G => damage::<G>(&choices, at, c));
    }
}
