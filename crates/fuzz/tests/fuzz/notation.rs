//! Positions, moves, rules and files of games, for every game.

use alfil_fuzz::{Edit, ITERATIONS, TIME, edited, edited_text, edits, sentence};
use alfil_game::pgn::{PgnGame, PgnReader};
use alfil_game::{FullGame, Rules, for_each_game};
use bolero::{check, generator::produce};

/// A game after moves that these numbers choose.
fn played<G: FullGame>(choices: &[u8]) -> PgnGame<G> {
    let mut game = G::new(&G::Rules::default());
    let mut record = PgnGame::new(game.clone());
    let mut moves = Vec::new();
    for choice in choices {
        if game.legal_moves(&mut moves).is_some() {
            break;
        }
        let m = moves[usize::from(*choice) * moves.len() / 256];
        game.play(m);
        record.moves.push(m);
    }
    record.set_outcome(game.outcome());
    record
}

/// The position with the number, among those that the game names and the one after some moves.
fn position<G: FullGame>(number: u8, choices: &[u8]) -> String {
    let named = G::TEST_POSITIONS.iter().chain(G::PROBES.iter().map(|(_, position)| position));
    let mut positions: Vec<String> = named.map(|position| (*position).to_owned()).collect();
    positions.push(played::<G>(choices).end().position());
    positions.swap_remove(usize::from(number) % positions.len())
}

#[test]
fn positions() {
    fn read<G: FullGame>(number: u8, choices: &[u8], edits: &[Edit]) {
        let text = edited_text(&position::<G>(number, choices), edits);
        let rules = G::Rules::default();
        let mut moves = Vec::new();
        for game in [G::from_position(&text, &rules), G::from_loose_position(&text, &rules)].into_iter().flatten() {
            let written = game.position();
            let again = G::from_position(&written, &rules).unwrap_or_else(|why| panic!("{text:?}: {why}"));
            assert_eq!(again.position(), written, "{text:?}");
            assert_eq!((again.side(), again.key()), (game.side(), game.key()), "{text:?}");
            // It can be played from, drawn and evaluated.
            let _ = (game.to_string(), game.diagram(), game.evaluate(alfil_game::Knowledge::Full));
            if game.legal_moves(&mut moves).is_none() {
                for m in moves.clone() {
                    let mut after = game.clone();
                    after.play(m);
                    let _ = after.legal_moves(&mut moves);
                }
            }
        }
    }
    let input = (produce::<u8>(), produce::<Vec<u8>>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(
        |(number, choices, edits)| {
            for_each_game!(G => read::<G>(*number, choices, edits));
        },
    );
}

#[test]
fn moves() {
    fn read<G: FullGame>(choices: &[u8], edits: &[Edit]) {
        let game = played::<G>(choices).end();
        let mut moves = Vec::new();
        if game.legal_moves(&mut moves).is_some() {
            return;
        }
        for m in &moves {
            for text in [game.move_text(*m), game.move_name(*m)] {
                assert_eq!(game.parse_move(&text).as_ref(), Ok(m), "{text} in {}", game.position());
                if let Ok(read) = game.parse_move(&edited_text(&text, edits)) {
                    assert!(moves.contains(&read), "{text} {edits:?} in {}", game.position());
                }
            }
        }
    }
    let input = (produce::<Vec<u8>>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(|(choices, edits)| {
        for_each_game!(G => read::<G>(choices, edits));
    });
}

#[test]
fn rules() {
    const WORDS: [&str; 24] = [
        "ply_cap=80",
        "ply_cap=0",
        "ply_cap=100000",
        "stalemate=3/4",
        "stalemate=1/2",
        "stalemate=1",
        "chess960=true",
        "variant=chess960",
        "start=0",
        "map=",
        "size=8",
        "seed=1",
        "mode=skirmish",
        "=",
        ",",
        "key=value",
        "ply_cap",
        "map=nothing",
        "start=518",
        "repetition=3",
        "moves=50",
        "hq=1",
        "units=3",
        "\u{1b}",
    ];
    fn read<G: FullGame>(text: &str) {
        let usual = G::Rules::default();
        if let Ok(rules) = usual.changed(text) {
            let written = rules.text();
            let again = usual.changed(&written).unwrap_or_else(|why| panic!("{text:?} became {written:?}: {why}"));
            assert_eq!(again.text(), written, "{text:?}");
            let game = G::new(&rules);
            assert!(G::from_position(&game.position(), &rules).is_ok(), "{text:?}");
        }
    }
    let input = (produce::<Vec<u8>>().with().len(0..4usize), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(|(choices, edits)| {
        let text = edited_text(&sentence(&WORDS, choices).replace(' ', ","), edits);
        for_each_game!(G => read::<G>(&text));
    });
}

#[test]
fn pgn() {
    fn read<G: FullGame>(choices: &[u8], edits: &[Edit]) {
        let mut file = Vec::new();
        let mut game = played::<G>(choices);
        game.tags.push(("White".to_owned(), "A \"\\".to_owned()));
        game.comments.push((game.moves.len() / 2, "a comment".to_owned()));
        game.write(&mut file).unwrap();
        let whole: Vec<_> = PgnReader::<G, _>::new(file.as_slice()).collect();
        assert_eq!(whole.len(), 1, "{}", String::from_utf8_lossy(&file));
        let back = whole[0].as_ref().unwrap();
        assert_eq!((&back.moves, &back.comments, back.result), (&game.moves, &game.comments, game.result));

        let file = edited(&[file.as_slice(), &file].concat(), edits);
        for (number, read) in PgnReader::<G, _>::new(file.as_slice()).enumerate() {
            assert!(number <= file.len(), "there are more games than bytes");
            let Ok(game) = read else { continue };
            let mut copy = Vec::new();
            game.write(&mut copy).unwrap();
            let again: Vec<_> = PgnReader::<G, _>::new(copy.as_slice()).collect();
            let text = String::from_utf8_lossy(&copy);
            assert_eq!(again.len(), 1, "{text}");
            let again = again[0].as_ref().unwrap_or_else(|why| panic!("{why} in {text}"));
            assert_eq!((&again.moves, again.result), (&game.moves, game.result), "{text}");
            assert_eq!(again.start.position(), game.start.position(), "{text}");
        }
    }
    let input = (produce::<Vec<u8>>(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(|(choices, edits)| {
        for_each_game!(G => read::<G>(choices, edits));
    });
}
