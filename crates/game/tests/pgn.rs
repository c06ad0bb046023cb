//! PGN files of the real world, and our own read back.
#![allow(clippy::unwrap_used)]

use alfil_game::Estimates;
use alfil_game::chess::{Chess, Rules};
use alfil_game::headquarters::Headquarters;
use alfil_game::hexchess::HexChess;
use alfil_game::pgn::{PgnGame, PgnReader};
use alfil_game::{First, FullGame, Game, Knowledge, Score, for_each_game, play_line, read_rules};
use proptest::prelude::*;

const DEEP_BLUE: &str = include_str!("fixtures/deep-blue-kasparov-1997-6.pgn");

fn read(text: &[u8]) -> Vec<Result<PgnGame<Chess>, String>> {
    PgnReader::new(text).map(|game| game.map_err(|error| error.to_string())).collect()
}

fn read_one(text: &str) -> PgnGame<Chess> {
    let mut games = read(text.as_bytes());
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).unwrap()
}

fn write<G: FullGame>(game: &PgnGame<G>) -> String {
    let mut out = Vec::new();
    game.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn deep_blue_beats_kasparov_and_round_trips() {
    let game = read_one(DEEP_BLUE);
    assert_eq!(game.moves.len(), 37);
    assert_eq!(game.result, Some(First(Score::WIN)));
    assert_eq!(game.tag("Black"), Some("Kasparov, Garry"));
    assert_eq!(game.comments.len(), 1);
    assert_eq!(game.end().position(), "r1k4r/p2nb1p1/2b4p/1p1n1p2/2PP4/3Q1NB1/1P3PPP/R5K1 b - - 0 19");

    let written = write(&game);
    let again = read_one(&written);
    assert_eq!(again.moves, game.moves);
    assert_eq!(again.tags, game.tags);
    assert_eq!(again.comments, game.comments);
    assert_eq!(write(&again), written);
    assert!(written.lines().all(|line| line.len() <= 79), "{written}");
}

#[test]
fn a_file_of_all_sorts_is_read_as_far_as_it_goes() {
    let file = include_bytes!("fixtures/all-sorts.pgn");
    let games = read(file);
    let plies: Vec<_> =
        games.iter().map(|game| game.as_ref().map(|game| game.moves.len()).map_err(String::as_str)).collect();
    assert_eq!(
        plies,
        [
            Ok(4),
            Err("game 2: move 2.Bb7 is not legal"),
            Ok(2),
            Err("game 4: the variant 'Atomic' is not chess"),
            Err("game 5: 'not a position' is not a chess position: a FEN has six fields (pieces, side to move, \
                 castling, en passant, two counters), this has 3"),
            Ok(1),
            Ok(3),
            Err("game 8: move 1.Nd2 is ambiguous"),
            Ok(1),
        ]
    );
    let good: Vec<_> = games.into_iter().flatten().collect();
    assert_eq!(good[0].tag("Site"), Some("M\u{fc}nchen"), "Latin-1");
    assert_eq!(good[0].comments, [(0, "before the first move".to_owned()), (2, "two words".to_owned())]);
    assert_eq!(good[0].result_text(), "1/2-1/2");
    assert!(good[2].start.is_chess960());
    assert_eq!(good[3].tag("Event"), Some(r#"a "quoted" \ event"#));
    assert_eq!(good[3].result_text(), "0-1", "the result tag stands in for a missing termination");
}

#[test]
fn a_game_with_an_endless_tag_is_skipped_whole() {
    let long = "x".repeat(100_000);
    let file = format!(
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[Annotator \"{long}\"]\n[Round \"1\"]\n\n1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n"
    );
    let games = read(file.as_bytes());
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].as_ref().unwrap_err(), "game 1: unterminated tag");
    assert_eq!(games[1].as_ref().unwrap().moves.len(), 2);
}

#[test]
fn text_without_a_game_is_not_counted_as_one() {
    for text in ["# A heading\n\nSome words.\n", "\0\u{1}\u{2}"] {
        assert!(read(text.as_bytes()).iter().all(Result::is_err), "{text}");
    }
    assert!(read_one("*").moves.is_empty());
}

#[test]
fn games_go_on_after_a_claimable_draw() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(40);
    let game = read_one(&format!("{shuffle} 1/2-1/2"));
    assert_eq!(game.moves.len(), 160);
}

#[test]
fn endless_games_are_refused() {
    let games = read("Nf3 Nf6 Ng1 Ng8 ".repeat(5_001).as_bytes());
    assert_eq!(games[0].as_ref().unwrap_err(), "game 1: more than 20000 plies");
    let comments = read(format!("1. e4 {{{}}} *", "x".repeat(2 << 20)).as_bytes());
    assert!(comments[0].as_ref().unwrap_err().contains("bytes of comments"));
}

/// A random game from the choices of the test: which moves, where comments stand, how it starts.
fn played(start: u32, choices: &[(u16, bool)], comment: &str, tag: &str) -> PgnGame<Chess> {
    let rules = Rules::default();
    let start = if start < 960 { Chess::chess960(start, &rules).unwrap() } else { Chess::new(&rules) };
    let mut game = PgnGame::new(start.clone());
    let mut position = start;
    let mut moves = Vec::new();
    for &(choice, commented) in choices {
        position.generate(&mut moves);
        let Some(&m) = moves.get(choice as usize % moves.len().max(1)) else { break };
        position.play(m);
        game.moves.push(m);
        let comment = comment.split_whitespace().collect::<Vec<_>>().join(" ").replace('}', ")");
        if commented && !comment.is_empty() {
            game.comments.push((game.moves.len(), comment));
        }
    }
    game.set_outcome(position.outcome());
    game.tags.push(("White".to_owned(), tag.to_owned()));
    game
}

/// Random games of every game, with a comment after each seventh move, read back as written.
fn round_trip<G: FullGame>() {
    let mut random = 1u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    let rules = G::Rules::default();
    let others = G::TEST_POSITIONS.iter().map(|text| G::from_position(text, &rules).unwrap());
    for start in std::iter::repeat_n(G::new(&rules), 5).chain(others) {
        let mut game = PgnGame::new(start.clone());
        let (mut now, mut moves) = (start, Vec::new());
        while game.moves.len() < 150 && now.legal_moves(&mut moves).is_none() {
            let m = moves[below(moves.len())];
            game.moves.push(m);
            now.play(m);
            if game.moves.len() % 7 == 0 {
                game.comments.push((game.moves.len(), "seven 1. more".to_owned()));
            }
        }
        game.set_outcome(now.outcome());
        let written = write(&game);
        let read: Vec<_> = PgnReader::<G, _>::new(written.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(read.len(), 1, "{written}");
        assert_eq!(read[0].start.position(), game.start.position(), "{written}");
        assert_eq!((&read[0].moves, &read[0].comments), (&game.moves, &game.comments), "{written}");
        assert_eq!(read[0].result_text(), game.result_text());
        assert_eq!(write(&read[0]), written);
    }
}

#[test]
fn games_of_every_kind_read_back_as_written() {
    for_each_game!(G => round_trip::<G>());
}

fn read_back<G: FullGame>(rules: &str, position: &str, moves: &str) -> (String, PgnGame<G>) {
    let mut game = PgnGame::new(G::from_position(position, &read_rules::<G>(rules).unwrap()).unwrap());
    let mut now = game.start.clone();
    game.moves = play_line(&mut now, moves).unwrap();
    game.set_outcome(now.outcome());
    let written = write(&game);
    let read = PgnReader::<G, _>::new(written.as_bytes()).next().unwrap().unwrap();
    assert_eq!(write(&read), written);
    (written, read)
}

#[test]
fn the_rules_of_a_game_and_its_numbers_are_kept() {
    let stalemate = "k/3/2K2/7/9/11/11/11/11/11/4R6 w - 0 30";
    let (written, read) = read_back::<HexChess>("stalemate=3/4", stalemate, "Rf1");
    assert!(written.contains("[Rules \"stalemate=3/4\"]") && written.contains("\n30. Rf1"), "{written}");
    let end = read.end().outcome().unwrap();
    assert_eq!((end.score, read.result_text()), (First(Score::new(0.75)), "3/4-1/4"));
    let (written, read) = read_back::<Headquarters>("turn_cap=6", "3/3 a1:20,a2:10 c1:20,c2:10 blue 4", "end end end");
    assert!(written.contains("\n2... end 3. end end 1/2-1/2"), "{written}");
    assert_eq!(read.end().outcome().unwrap().reason, "turn cap");
    // Options that a game does not set stay as they were.
    let rules = read_rules::<Headquarters>("distance=3,turn_cap=50").unwrap();
    let by = |file: &str| PgnReader::new(file.as_bytes()).with_rules(rules.clone()).next().unwrap().unwrap().start;
    let [plain, tagged]: [Headquarters; 2] = ["1. end *\n", "[Rules \"turn_cap=6\"]\n\n1. c2-e2 *\n"].map(by);
    assert_eq!((plain.chosen_rules().as_str(), tagged.chosen_rules().as_str()), ("turn_cap=50", "turn_cap=6"));
    let estimate = |mut game: Headquarters| {
        play_line(&mut game, "c2-e2").unwrap();
        game.evaluate(Knowledge::Full)
    };
    assert_eq!((estimate(plain), estimate(tagged)), (60, 60));
    for (rules, expected) in [("turn_cap=0", "turn_cap is a number"), ("map=maps/other.txt", "no map is read")] {
        let file = format!("[Rules \"{rules}\"]\n\n1. end *\n");
        let error = PgnReader::<Headquarters, _>::new(file.as_bytes()).next().unwrap().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn marks_are_distinguished_from_moves_that_end_with_one() {
    let start = "15/15/15/15/15/15/15/15/15/15 a1:20,m8:10,a2:10 m8:19,o1:10 red 1";
    let start = Headquarters::from_position(start, &Default::default()).unwrap();
    for (word, expected) in [("m8-m8!?", "m8-m8!"), ("m8-m8!!", "m8-m8!"), ("m8-m8?", "m8-m8"), ("a2-a3!", "a2-a3")] {
        let file = format!("[FEN \"{}\"]\n\n1. {word} *\n", start.position());
        let game = PgnReader::<Headquarters, _>::new(file.as_bytes()).next().unwrap().unwrap();
        assert_eq!(game.moves, [start.parse_move(expected).unwrap()], "{word}");
    }
}

#[test]
fn misspelt_moves_of_games_that_programs_write_are_errors() {
    let read = |text: &str| PgnReader::<Headquarters, _>::new(text.as_bytes()).next().unwrap();
    let error = read("1. c2-e3 end 1... End end *\n").unwrap_err().to_string();
    assert_eq!(error, "game 1: move 1...End is not written like one");
    assert_eq!(read("1. c2-e3 $1 end !? 1... end *\n").unwrap().moves.len(), 3);
    let long = format!("[Rules \"turn_cap=10000\"]\n\n{}*\n", "end ".repeat(20_001));
    assert_eq!(read(&long).unwrap().moves.len(), 20_001, "as many as the rules allow");
}

#[test]
fn quarters_of_a_point_are_written_and_read() {
    let mut game = PgnGame::new(Chess::new(&Rules::default()));
    for (points, text) in [(0.75, "3/4-1/4"), (0.25, "1/4-3/4"), (0.5, "1/2-1/2"), (1.0, "1-0"), (0.0, "0-1")] {
        game.result = Some(First(Score::new(points)));
        assert_eq!(game.result_text(), text);
        assert_eq!(read_one(&write(&game)).result, game.result);
    }
    let marked = PgnReader::<alfil_game::connect4::Connect4, _>::new("1. 4! 4?? 2. 5 !? *".as_bytes()).next();
    assert_eq!(marked.unwrap().unwrap().moves.len(), 3);
    assert_eq!(read_one("1. e4 \u{bd}\u{2013}\u{bd}").result, Some(First(Score::DRAW)));
}

proptest! {
    #[test]
    fn any_game_reads_back_as_written(
        start in 0u32..1920,
        choices in prop::collection::vec((any::<u16>(), prop::bool::weighted(0.2)), 0..120),
        comment in r"[ -~äß♔]{0,60}",
        tag in r#"[ -~äß"\\]{0,40}"#,
    ) {
        let game = played(start, &choices, &comment, &tag);
        let written = write(&game);
        let again = read_one(&written);
        prop_assert_eq!(&again.moves, &game.moves, "{}", written);
        prop_assert_eq!(again.start.position(), game.start.position());
        prop_assert_eq!(&again.comments, &game.comments, "{}", written);
        prop_assert_eq!(again.tag("White"), Some(tag.as_str()));
        prop_assert_eq!(again.result, game.result);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..3_000)) {
        read(&bytes);
    }

    #[test]
    fn damaged_files_never_panic(at in 0usize..700, bytes in prop::collection::vec(any::<u8>(), 1..6)) {
        let mut file = DEEP_BLUE.as_bytes().to_vec();
        let at = at.min(file.len());
        file.splice(at..(at + bytes.len()).min(DEEP_BLUE.len()), bytes);
        for game in read(&file).into_iter().flatten() {
            write(&game);
        }
    }
}
