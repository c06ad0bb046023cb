//! Hexagonal chess against outside authorities: counts that others published, and a second generator that shares only
//! the rules with the first.
#![allow(clippy::unwrap_used)]

use alfil_game::Endings;
use alfil_game::Examples;
use alfil_game::Notation;
use std::collections::{BTreeMap, BTreeSet};

use alfil_game::hexchess::{HexChess, Rules, Stalemate};
use alfil_game::perft::perft;
use alfil_game::{First, Game, Score, Side, play_line, read_rules};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[path = "hexchess_rules/slow.rs"]
mod slow;
use slow::{At, Slow, add, named};

fn start() -> HexChess {
    HexChess::new(&Rules::default())
}

fn position(text: &str) -> HexChess {
    HexChess::from_position(text, &Rules::default()).unwrap()
}

fn moves(game: &HexChess) -> BTreeSet<String> {
    let mut moves = Vec::new();
    game.generate(&mut moves);
    moves.into_iter().map(|m| game.move_text(m)).collect()
}

/// How the game ended after a line of moves.
fn reason(start: &HexChess, text: &str) -> Option<&'static str> {
    let mut game = start.clone();
    play_line(&mut game, text).unwrap();
    game.outcome().map(|end| end.reason)
}

#[test]
fn perft_of_the_start_position() {
    // The first three are published by two other programs, the fourth was counted by a separate program.
    for (depth, expected) in [(1, 51), (2, 2_586), (3, 137_858), (4, 7_282_418)] {
        assert_eq!(perft(&start(), depth), expected, "depth {depth}");
    }
}

#[test]
fn the_slow_generator_counts_the_same() {
    let slow = Slow::read(&start().position());
    assert_eq!((slow.perft(1), slow.perft(2), slow.perft(3)), (51, 2_586, 137_858));
    for text in HexChess::TEST_POSITIONS {
        assert_eq!(perft(&position(text), 2), Slow::read(text).perft(2), "{text}");
    }
}

#[test]
fn the_start_moves_are_those_of_the_pieces() {
    let game = start();
    let mut legal = Vec::new();
    game.generate(&mut legal);
    let mut counts: BTreeMap<char, u32> = BTreeMap::new();
    for m in legal {
        let name = game.move_name(m);
        *counts.entry(name.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P')).or_default() += 1;
    }
    assert_eq!(counts, BTreeMap::from([('K', 2), ('Q', 6), ('R', 6), ('B', 12), ('N', 8), ('P', 17)]));
}

#[test]
fn the_slow_generator_finds_the_same_moves_in_random_games() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut legal = Vec::new();
    let mut positions = 0u64;
    let starts: Vec<HexChess> = HexChess::TEST_POSITIONS.iter().map(|text| position(text)).collect();
    for number in 0..40 {
        let mut game = if number % 2 == 0 { start() } else { starts[number / 2 % starts.len()].clone() };
        while game.legal_moves(&mut legal).is_none() {
            let slow = Slow::read(&game.position());
            let expected: BTreeMap<String, Slow> = slow.moves().into_iter().collect();
            assert_eq!(moves(&game), expected.keys().cloned().collect(), "{}", game.position());
            let m = legal[random.random_range(0..legal.len())];
            let after = &expected[&game.move_text(m)];
            game.play(m);
            assert!(after.agrees(&Slow::read(&game.position())), "{m:?} leads to {}", game.position());
            positions += 1;
        }
        // They agree on mate and stalemate as well.
        let slow = Slow::read(&game.position());
        game.generate(&mut legal);
        assert_eq!(legal.is_empty(), slow.moves().is_empty());
        assert_eq!(game.outcome().unwrap().reason == "checkmate", legal.is_empty() && slow.in_check());
    }
    println!("{positions} positions");
    assert!(positions > 10_000);
}

/// A position text mirrored left to right.
fn mirrored(text: &str) -> String {
    let (pieces, rest) = text.split_once(' ').unwrap();
    let rows = pieces.split('/').map(|row| {
        let mut parts = Vec::new();
        let mut digits = String::new();
        for c in row.chars() {
            if c.is_ascii_digit() {
                digits.push(c);
            } else {
                parts.extend([std::mem::take(&mut digits), c.to_string()]);
            }
        }
        parts.push(digits);
        parts.into_iter().rev().collect::<String>()
    });
    let rest: Vec<String> =
        rest.split(' ').enumerate().map(|(i, word)| if i == 1 { turn(word) } else { word.to_owned() }).collect();
    format!("{} {}", rows.collect::<Vec<String>>().join("/"), rest.join(" "))
}

/// A move or cell with its files mirrored. A promotion letter has no rank behind it.
fn turn(text: &str) -> String {
    let files = "abcdefghikl";
    let next_is_digit = |at: usize| text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let letter = |(at, c): (usize, char)| match files.find(c) {
        Some(file) if next_is_digit(at) => files.chars().nth_back(file).unwrap(),
        _ => c,
    };
    text.char_indices().map(letter).collect()
}

/// A move with its ranks mirrored.
fn flipped(text: &str) -> String {
    let lengths = [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6];
    let mut result = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[1..];
        result.push(c);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        if let (Ok(rank), Some(file)) = (digits.parse::<usize>(), "abcdefghikl".find(c)) {
            result.push_str(&(lengths[file] + 1 - rank).to_string());
        }
        rest = &rest[digits.len()..];
    }
    result
}

#[test]
fn both_mirrors_leave_the_game_as_it_is() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut legal = Vec::new();
    for number in 0..20 {
        let mut game = start();
        while game.legal_moves(&mut legal).is_none() {
            let twin = position(&mirrored(&game.position()));
            assert_eq!(moves(&twin), moves(&game).iter().map(|text| turn(text)).collect(), "{}", game.position());
            let twin = game.swapped().unwrap();
            assert_eq!(moves(&twin), moves(&game).iter().map(|text| flipped(text)).collect(), "{}", game.position());
            game.play(legal[random.random_range(0..legal.len())]);
        }
        assert!(game.ply() > 1, "game {number}");
    }
}

#[test]
fn pawns_may_step_twice_from_every_start_cell_of_their_side() {
    let white = position("k/3/5/7/pppp1pppp/11/5P5/4P1P4/3P3P3/2P5P2/1P3K3P1 w - 0 1");
    let black = position("k/3/5/7/ppppppppp/11/11/4P1P4/3P3P3/2P5P2/1P3K3P1 b - 0 1");
    for (file, rank) in "bcdefghik".chars().zip([1, 2, 3, 4, 5, 4, 3, 2, 1]) {
        let twice = format!("{file}{rank}{file}{}", rank + 2);
        assert!(moves(&white).contains(twice.as_str()), "{twice}");
        let twice = format!("{file}7{file}5");
        assert!(moves(&black).contains(twice.as_str()), "{twice}");
    }
    let mut inward = position("k/3/5/7/9/11/11/11/11/2p8/1P3K5 w - 0 1");
    play_line(&mut inward, "bxc2 Kf10").unwrap();
    assert!(moves(&inward).contains("c2c4"), "captured onto a start cell");
    let mut onward = position("k/3/5/7/9/11/11/11/11/11/1P3K5 w - 0 1");
    assert!(moves(&onward).contains("b1b3"));
    play_line(&mut onward, "b2 Kf10").unwrap();
    assert!(!moves(&onward).contains("b2b4"), "no longer on a start cell");
    let mut outward = position("k/3/5/7/9/11/11/11/11/11/rP3K5 w - 0 1");
    play_line(&mut outward, "bxa1 Kf10").unwrap();
    assert!(!moves(&outward).contains("a1a3"), "no pawn starts on file a");
}

#[test]
fn en_passant_is_possible_for_one_ply_and_removes_the_right_pawn() {
    let mut game = start();
    play_line(&mut game, "f5f6 b7b6 d1f4 e7e5").unwrap();
    assert!(game.position().contains(" w e6 "), "{}", game.position());
    let mut taken = game.clone();
    play_line(&mut taken, "fxe6").unwrap();
    let cells = Slow::read(&taken.position());
    assert_eq!((cells.at("e6"), cells.at("e5"), cells.at("f6")), ('P', '.', '.'));
    play_line(&mut game, "f4d1 b6b5").unwrap();
    assert!(!moves(&game).contains("f6e6"));
}

#[test]
fn a_capture_in_passing_can_end_two_checks() {
    // The captured pawn gives one of them, and the capturing one blocks the bishop's.
    let game = position("k/3/5/7/5b3/11/5pP4/4K6/11/11/11 w f6 0 1");
    assert_eq!(Slow::read(&game.position()).checks(), 2);
    assert!(moves(&game).contains("g5f6"), "{:?}", moves(&game));
}

/// A position that may be impossible, in which White can perhaps capture in passing. Its pieces stand where such a capture
/// matters: the king is attacked by the pawn that is captured, from behind the cell where it is captured, or both.
fn with_en_passant(random: &mut Xoshiro256PlusPlus) -> Slow {
    let file = b"bcdefghik"[random.random_range(0..9)] as char;
    let mut slow = Slow::read(&format!("1/3/5/7/9/11/11/11/11/11/11 w {file}6 0 1"));
    let [pawn, passed] = [5, 6].map(|rank| named(&format!("{file}{rank}")));
    let mut cell = || -> At { (random.random_range(-5..=5), random.random_range(-5..=5)) };
    let others: Vec<At> = (0..12).map(|_| cell()).collect();
    slow.place(pawn, 'p');
    // What a white pawn captures lies at (-1, 1) and (1, 0) from it, what a black one does at (-1, 0) and (1, -1).
    for from in [(1, -1), (-1, 0)] {
        if random.random_bool(0.7) {
            slow.place(add(passed, from), 'P');
        }
    }
    let attacked = [(-1, 0), (1, -1)][random.random_range(0..2)];
    slow.place(if random.random_bool(0.7) { add(pawn, attacked) } else { others[0] }, 'K');
    slow.place(others[1], 'k');
    let behind = (0..random.random_range(1..4)).fold(passed, |at, _| add(at, (-attacked.0, -attacked.1 + 1)));
    if random.random_bool(0.5) {
        slow.place(behind, ['b', 'q'][random.random_range(0..2)]);
    }
    for at in others.iter().skip(2).take(random.random_range(0..10)) {
        slow.place(*at, b"rrbbqnRBNp"[random.random_range(0..10)] as char);
    }
    slow
}

#[test]
fn the_slow_generator_finds_the_same_moves_wherever_a_pawn_can_be_captured_in_passing() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut by_checks: BTreeMap<(bool, usize), u32> = BTreeMap::new();
    for _ in 0..20_000 {
        let text = with_en_passant(&mut random).text();
        let Ok(game) = HexChess::from_position(&text, &Rules::default()) else { continue };
        for game in [game.swapped().unwrap(), game] {
            let slow = Slow::read(&game.position());
            let found = moves(&game);
            assert_eq!(found, slow.moves().into_iter().map(|(text, _)| text).collect(), "{}", game.position());
            let legal = game.position().split(' ').nth(2) != Some("-");
            *by_checks.entry((legal, slow.checks())).or_default() += 1;
        }
    }
    println!("by whether a capture in passing is legal, and by checks: {by_checks:?}");
    for case in [(true, 0), (true, 1), (true, 2), (false, 2)] {
        assert!(by_checks.get(&case).is_some_and(|positions| *positions > 20), "{case:?}: {by_checks:?}");
    }
}

#[test]
fn repetition_fifty_moves_material_and_ply_cap_draw() {
    let shuffle = "Kg2 Kg9 Kg1 Kg10 ";
    assert_eq!(reason(&start(), shuffle), None);
    assert_eq!(reason(&start(), &shuffle.repeat(2)), Some("threefold repetition"));

    let quiet = position("k/3/5/7/9/11/11/11/11/R10/5K5 w - 99 80");
    assert_eq!(reason(&quiet, "a2a3"), Some("50-move rule"));
    assert_eq!(
        reason(&position("1/3/5/7/9/4N6/11/11/2K8/11/k10 w - 99 80"), "Nd3"),
        Some("checkmate"),
        "mate comes first"
    );
    assert_eq!(position("k/3/5/7/9/11/11/11/11/N10/5K5 w - 0 1").outcome().unwrap().reason, "insufficient material");
    assert!(position("k/3/5/7/9/11/11/11/11/N10/N4K5 w - 0 1").outcome().is_none());
    let capped = HexChess::new(&read_rules::<HexChess>("ply_cap=1").unwrap());
    assert_eq!(reason(&capped, "g4g6"), Some("ply cap"));
}

#[test]
fn play_past_the_fiftieth_move_is_possible() {
    let mut game = position("k/3/5/7/9/11/11/11/11/R10/5K5 w - 0 1");
    for _ in 0..60 {
        play_line(&mut game, "a2a3 Kf10 a3a2 Kf11").unwrap();
    }
    assert!(game.position().ends_with(" 240 121") && game.outcome().is_some(), "{}", game.position());
}

#[test]
fn rules_are_read_from_text() {
    let rules = read_rules::<HexChess>("stalemate = 3/4, ply_cap=80").unwrap();
    assert_eq!(rules, Rules { stalemate: Stalemate::ThreeQuarters, ply_cap: 80 });
    assert_eq!(read_rules::<HexChess>("").unwrap(), Rules::default());
    let error = |text| read_rules::<HexChess>(text).unwrap_err().to_string();
    assert!(error("stalemate=1").contains("stalemate is 1/2 or 3/4"));
    assert!(error("ply_cap=100001").contains("a number from 1 to 100000"));
    assert!(error("castling=yes").contains("only stalemate and ply_cap"));
}

#[test]
fn mate_wins_and_stalemate_is_scored_as_chosen() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let rules = read_rules::<HexChess>("stalemate=3/4").unwrap();
    let mut seen: BTreeMap<(&str, Side), u32> = BTreeMap::new();
    let mut legal = Vec::new();
    for _ in 0..3_000 {
        let mut game = HexChess::random_ending(&rules, &mut |limit| random.random_range(0..limit)).unwrap();
        while game.legal_moves(&mut legal).is_none() {
            game.play(legal[random.random_range(0..legal.len())]);
        }
        let end = game.outcome().unwrap();
        let expected = match (end.reason, game.side()) {
            ("checkmate", Side::First) => 0.0,
            ("checkmate", Side::Second) => 1.0,
            ("stalemate", Side::First) => 0.25,
            ("stalemate", Side::Second) => 0.75,
            _ => 0.5,
        };
        assert_eq!(end.score, First(Score::new(expected)), "{}", game.position());
        let slow = Slow::read(&game.position());
        game.generate(&mut legal);
        assert_eq!(slow.moves().is_empty(), matches!(end.reason, "checkmate" | "stalemate"));
        if end.reason == "stalemate" {
            assert!(!slow.in_check());
            let usual = position(&game.position());
            assert_eq!(usual.outcome().unwrap().score, First(Score::DRAW));
        }
        *seen.entry((end.reason, game.side())).or_default() += 1;
    }
    println!("{seen:?}");
    for reason in ["checkmate", "stalemate"] {
        assert!([Side::First, Side::Second].iter().all(|side| seen.contains_key(&(reason, *side))), "{seen:?}");
    }
}
