//! The rules of the headquarters game: the numbers of Gutiérrez Utande (2017), and what docs/headquarters.md adds where
//! they leave gaps.
#![allow(clippy::unwrap_used)]

use alfil_game::Estimates;
use alfil_game::Examples;
use alfil_game::Pictures;
use std::collections::HashSet;

use alfil_game::headquarters::{Grid, Headquarters, Rules};
use alfil_game::{Encoding, First, Game, Knowledge, MoveError, Score, Side, play_line, read_rules};
use proptest::prelude::*;

const OPEN: &str = "15/15/15/15/15/15/15/15/15/15";

/// A position on the open map.
fn open(rest: &str) -> Headquarters {
    Headquarters::from_position(&format!("{OPEN} {rest}"), &Rules::default()).unwrap()
}

fn moves(game: &Headquarters) -> Vec<String> {
    let mut moves = Vec::new();
    game.generate(&mut moves);
    moves.into_iter().map(|m| game.move_text(m)).collect()
}

/// The position after the moves, without the map.
fn after(rest: &str, moves: &str) -> String {
    let mut game = open(rest);
    play_line(&mut game, moves).unwrap_or_else(|error| panic!("{moves}: {error}"));
    game.position().strip_prefix(OPEN).unwrap().trim().to_owned()
}

fn map(name: &str) -> Result<Rules, String> {
    let path = format!("{}/../../configs/maps/{name}", env!("CARGO_MANIFEST_DIR"));
    read_rules::<Headquarters>(&format!("map={path}")).map_err(|error| error.to_string())
}

#[test]
fn a_new_game_has_150_cells_6_soldiers_of_10_and_2_headquarters_of_20() {
    let game = Headquarters::new(&Rules::default());
    assert_eq!(game.position(), format!("{OPEN} c3:20,c2:10,e5:10,d9:10 m8:20,m9:10,k6:10,l2:10 red 1"));
    assert_eq!((game.side(), Headquarters::SIDES), (Side::First, ["red", "blue"]));
    assert_eq!(game.outcome(), None);
}

#[test]
fn a_soldier_has_25_destinations_in_the_open_and_10_in_a_corner() {
    let destinations = |soldiers: &str, from: &str| {
        let from = format!("{from}-");
        let moves = moves(&open(&format!("c3:20,{soldiers} m8:20,o10:10 red 1")));
        moves.iter().filter(|text| text.starts_with(&from)).count()
    };
    assert_eq!(destinations("h5:10", "h5"), 25);
    assert_eq!(destinations("a1:10", "a1"), 10);
    assert_eq!(destinations("a1:10,b1:10,a4:10", "a1"), 8, "no soldier ends on another");
    assert_eq!(destinations("a1:10,b1:10,a2:10", "a1"), 8, "soldiers do not block the way");
}

#[test]
fn obstacles_are_walked_around_and_never_entered() {
    let rules = Rules::default();
    let text = "5/1##2/5 a1:20,c1:10 e3:20,e2:10 red 1";
    let game = Headquarters::from_position(text, &rules).unwrap();
    let to: HashSet<String> = moves(&game).into_iter().filter(|text| !text.contains('x')).collect();
    assert!(!to.contains("c1-c3"), "five steps around: {to:?}");
    assert!(to.contains("c1-d2") && to.contains("c1-d3") && to.contains("c1-a2") && !to.contains("c1-c2"), "{to:?}");

    let rules = map("ridge.txt").unwrap();
    let mut game = Headquarters::new(&rules);
    assert!(game.swapped().unwrap().position().ends_with("m8:20,m9:10,k6:10,l2:10 blue 1"), "a fair map");
    let rows: Vec<String> = game.position().split(' ').next().unwrap().split('/').rev().map(str::to_owned).collect();
    assert_eq!((rows[0].as_str(), rows[3].as_str()), ("7#7", "8##5"));
    let mut random = 1u64;
    let mut legal = Vec::new();
    while game.legal_moves(&mut legal).is_none() {
        let texts = moves(&game);
        let entered =
            texts.iter().find(|text| ["-h1", "-h2", "-i4", "-j4", "-b5"].iter().any(|cell| text.ends_with(cell)));
        assert_eq!(entered, None);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        game.play(legal[(random >> 33) as usize % legal.len()]);
    }
}

#[test]
fn fights_cost_both_sides() {
    let fight = |own: u8, enemy: u8| {
        let end = after(&format!("c3:20,g5:{own},a1:10 m8:20,h5:{enemy},o1:10 red 1"), "g5-g5xh5");
        let words: Vec<&str> = end.split([' ', ',']).collect();
        (words[1].trim_start_matches("g5:").trim_end_matches('*').to_owned(), words[4].to_owned())
    };
    assert_eq!(fight(10, 10), ("8".into(), "h5:5".into()));
    assert_eq!(fight(8, 5), ("7".into(), "h5:1".into()), "at least one point is taken back");
    assert_eq!(fight(10, 5), ("10".into(), "-".into()), "the fallen do not strike back");
    assert_eq!(fight(1, 10), ("-".into(), "h5:9".into()), "attackers can fall");
    assert_eq!(fight(1, 1), ("1".into(), "-".into()), "two soldiers of one point can fight");
    assert_eq!(fight(7, 7), ("5".into(), "h5:4".into()), "halves are rounded down");
}

#[test]
fn headquarters_fall_to_as_many_captures_as_their_points_take() {
    for (health, captures) in [(10, 2), (6, 4), (1, 20), (7, 3)] {
        let mut game = open(&format!("c3:20,m7:{health} m8:20,a10:10 red 1"));
        play_line(&mut game, "m7-m8!").unwrap();
        for capture in 2..=captures {
            assert_eq!(game.outcome(), None, "{health}: {capture}");
            play_line(&mut game, "end m8!").unwrap();
        }
        let outcome = game.outcome().unwrap();
        assert_eq!((outcome.score, outcome.reason), (First(Score::WIN), "headquarters taken"));
        assert!(moves(&game).is_empty());
    }
    assert_eq!(after("c3:20,a1:10 m8:20,c3:4 blue 2", "c3!"), "c3:16,a1:10 m8:20,c3:4 red 3");
    assert_eq!(after("c3:16,a1:10 m8:20,c3:4 red 3", "end c3-d3"), "c3:16,a1:10 m8:20,d3:4 red 5", "damage stays");
    assert!(
        !moves(&open("c3:20,c3:10 m8:20,a1:10 red 1")).contains(&"c3-c3!".to_owned()),
        "no capture of one's own headquarters"
    );
}

#[test]
fn a_side_without_soldiers_has_lost() {
    let mut killed = open("c3:20,g5:10,a1:1 m8:20,h5:5 red 1");
    play_line(&mut killed, "g5xh5").unwrap();
    let outcome = killed.outcome().unwrap();
    assert_eq!((outcome.score, outcome.reason), (First(Score::WIN), "no soldiers left"));
    let mut suicide = open("c3:20,g5:1 m8:20,h5:5 red 1");
    play_line(&mut suicide, "g5xh5").unwrap();
    assert_eq!(suicide.outcome().unwrap().score, First(Score::LOSS), "{}", suicide.position());
}

#[test]
fn every_soldier_acts_once_per_turn() {
    let mut game = Headquarters::new(&Rules::default());
    play_line(&mut game, "c2-e3").unwrap();
    assert_eq!(game.side(), Side::First);
    assert!(!moves(&game).iter().any(|text| text.starts_with("e3-")));
    assert_eq!(game.parse_move("e3-e4"), Err(MoveError::Illegal("e3-e4".to_owned())));
    play_line(&mut game, "e5-e5 d9-e9").unwrap();
    assert_eq!((game.side(), game.ply()), (Side::Second, 3), "the turn ends by itself");
    play_line(&mut game, "m9-m9 end").unwrap();
    assert_eq!((game.side(), game.ply()), (Side::First, 5), "and by end");
    assert!(moves(&game).iter().any(|text| text.starts_with("e3-")), "a new turn");
    assert!(game.position().ends_with(" red 3"));
}

#[test]
fn too_many_turns_draw() {
    let rules = read_rules::<Headquarters>("turn_cap=3").unwrap();
    let mut game = Headquarters::new(&rules);
    play_line(&mut game, "end end").unwrap();
    assert_eq!(game.outcome(), None);
    play_line(&mut game, "end").unwrap();
    assert_eq!(game.outcome().unwrap().reason, "turn cap");
    // A win with the last order counts.
    let text = format!("{OPEN} c3:20,m8:10 m8:10,a1:10 red 3");
    let mut win = Headquarters::from_position(&text, &rules).unwrap();
    play_line(&mut win, "m8!").unwrap();
    assert_eq!(win.outcome().unwrap().reason, "headquarters taken");
}

#[test]
fn shorthand_is_read_where_only_one_soldier_can_be_meant() {
    let game = open("c3:20,m8:10,k8:10,a1:10 m8:20,k10:10 red 1");
    let read = |text: &str| game.parse_move(text).map(|m| game.move_text(m));
    assert_eq!(read("m8!"), Ok("m8-m8!".to_owned()));
    assert_eq!(read("a2"), Ok("a1-a2".to_owned()));
    assert_eq!(read("j10xk10"), Ok("k8-j10xk10".to_owned()));
    assert_eq!(read("l8"), Err(MoveError::Ambiguous("l8".to_owned())));
    for text in ["k8-l7x", "m8-", "-m8", "m8!!", "m8xl9!", "m88", "END", "e2e4", "", "c2-e3xe4xe5"] {
        assert!(matches!(read(text), Err(MoveError::Malformed { .. })), "{text}: {:?}", read(text));
    }
    for text in ["k8-m8", "k8-c3!", "a1-a1xa2", "o1-o2"] {
        assert_eq!(read(text), Err(MoveError::Illegal(text.to_owned())));
    }
}

#[test]
fn impossible_positions_are_refused() {
    for (text, expected) in [
        ("", "five words"),
        ("3 a1:20,a1:1 c1:20,c1:1 red", "five words"),
        ("3 a1:20,a1:1 c1:20,c1:1 red 1 1", "five words"),
        ("3 a1:20,a1:1 c1:20,c1:1 white 1", "red or blue"),
        ("3 a1:20,a1:1 c1:20,c1:1 red 0", "counted from 1"),
        ("3 a1:20,a1:1 c1:20,c1:1 red +1", "counted from 1"),
        ("16 a1:20,a1:1 c1:20,c1:1 red 1", "up to 15 cells"),
        ("15#/16 a1:20,a1:1 c1:20,c1:1 red 1", "up to 15 cells"),
        ("99999999999999999999 a1:20,a1:1 c1:20,c1:1 red 1", "up to 15 cells"),
        ("3/4 a1:20,a1:1 c1:20,c1:1 red 1", "up to 15 cells"),
        ("3//3 a1:20,a1:1 c1:20,c1:1 red 1", "up to 15 cells"),
        ("3/3/3/3/3/3/3/3/3/3/3 a1:20,a1:1 c1:20,c1:1 red 1", "up to 10 rows"),
        ("ä3 a1:20,a1:1 c1:20,c1:1 red 1", "up to 15 cells"),
        ("3 a1:21,a1:1 c1:20,c1:1 red 1", "as in c3:20"),
        ("3 a1:20,a1:0 c1:20,c1:1 red 1", "as in c3:20"),
        ("3 a1:20,a1:11 c1:20,c1:1 red 1", "as in c3:20"),
        ("3 a1:20,a1:1,-,-,b1:1 c1:20,c1:1 red 1", "as in c3:20"),
        ("3 a1:20,a1:1 c1:20,d1:1 red 1", "d1 is an obstacle or outside"),
        ("1#1 a1:20,b1:1 c1:20,c1:1 red 1", "b1 is an obstacle or outside"),
        ("3 a1:20,a1:1 a1:20,c1:1 red 1", "same cell"),
        ("3 a1:20,b1:1 c1:20,b1:1 red 1", "two soldiers stand on b1"),
        ("3 a1:20,a1:1 c1:20,c1:1* red 1", "only soldiers of the side to move"),
        ("3 a1:20,a1:1* c1:20,c1:1 red 1", "its turn is over"),
        ("3 a1:0,a1:1 c1:20 red 1", "both sides have lost"),
    ] {
        let error = Headquarters::from_position(text, &Rules::default()).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn rules_are_read_from_text() {
    let uneven = Headquarters::new(&map("uneven.txt").unwrap());
    assert!(
        uneven.position().ends_with("c3:20,c2:10,e5:10,d9:10 m7:20,l9:10,m6:10,n4:10 red 1"),
        "{}",
        uneven.position()
    );
    let error = |text: &str| read_rules::<Headquarters>(text).unwrap_err().to_string();
    assert!(map("missing.txt").unwrap_err().contains("its map cannot be read"));
    assert!(map("..").unwrap_err().contains("its map cannot be read"));
    assert!(error(&format!("map={}/Cargo.toml", env!("CARGO_MANIFEST_DIR"))).contains("up to 10 rows"));
    assert!(error(&format!("map={}/src/game.rs", env!("CARGO_MANIFEST_DIR"))).contains("more than 1000 bytes"));
    assert!(error("turn_cap=0").contains("from 1 to 10000"));
    assert!(error("health=101").contains("health is a weight from 0 to 100"));
    assert!(error("healt=1").contains("no 'healt', only map, turn_cap"));
    assert!(error("health").contains("no value"));
}

#[test]
fn the_estimate_is_the_published_one_with_its_weights() {
    let start = Headquarters::new(&Rules::default());
    assert_eq!((start.evaluate(Knowledge::Full), start.evaluate(Knowledge::Material)), (0, 0));
    // Health 12 to 10, points 20 to 15, ways: red 4 and 8 to m8, blue 3 to c3, and 23 for each fallen soldier.
    let text = format!("{OPEN} c3:20,m4:7,e8:5 m8:15,c6:10 red 9");
    let estimate = |rules: &str| {
        let game = Headquarters::from_position(&text, &read_rules::<Headquarters>(rules).unwrap()).unwrap();
        (game.evaluate(Knowledge::Full), game.evaluate(Knowledge::Material))
    };
    assert_eq!(estimate(""), (10 * (5 + 14 + 2), 20));
    assert_eq!(estimate("headquarters=3,distance=2,health=10"), (10 * (15 + 28 + 20), 200));
}

#[test]
fn losing_a_soldier_is_never_good() {
    let rules = Rules::default();
    let estimate = |armies: &str| {
        let game = Headquarters::from_position(&format!("{OPEN} {armies} red 1"), &rules).unwrap();
        game.evaluate(Knowledge::Full)
    };
    for without in ["c3:20,-,e5:10,d9:10", "c3:20,c2:10,-,d9:10", "c3:20,c2:10,e5:10"] {
        assert!(estimate(&format!("{without} m8:20,m9:10,k6:10,l2:10")) < 0, "{without}");
    }
}

fn reached(start: usize, choices: &[u16]) -> Headquarters {
    let rules = Rules::default();
    let starts = Headquarters::TEST_POSITIONS;
    let mut game = match starts.get(start) {
        Some(text) => Headquarters::from_position(text, &rules).unwrap(),
        None => Headquarters::new(&rules),
    };
    let mut moves = Vec::new();
    for &choice in choices {
        if game.legal_moves(&mut moves).is_some() {
            break;
        }
        game.play(moves[choice as usize % moves.len()]);
    }
    game
}

proptest! {
    #[test]
    fn estimates_are_the_same_from_both_sides(start in 0usize..9, choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let game = reached(start, &choices);
        let twin = game.swapped().unwrap();
        for knowledge in [Knowledge::Full, Knowledge::Material] {
            prop_assert_eq!(game.evaluate(knowledge), twin.evaluate(knowledge));
            // The same position with the other side to move is worth the opposite.
            if game.outcome().is_none() {
                let mut passed = game.clone();
                play_line(&mut passed, "end").unwrap();
                prop_assert_eq!(passed.evaluate(knowledge), -game.evaluate(knowledge));
            }
        }
    }

    #[test]
    fn health_only_ever_falls_and_soldiers_never_share_a_cell(choices in prop::collection::vec(any::<u16>(), 0..300)) {
        let numbers = |game: &Headquarters| -> u32 {
            let text = game.position();
            let words: Vec<&str> = text.split(' ').collect();
            words[1..3].iter().flat_map(|word| word.split(',')).filter_map(|part| part.split_once(':'))
                .map(|(_, points)| points.trim_end_matches('*').parse::<u32>().unwrap()).sum()
        };
        let mut game = Headquarters::new(&Rules::default());
        let mut moves = Vec::new();
        for choice in choices {
            if game.legal_moves(&mut moves).is_some() {
                break;
            }
            let m = moves[choice as usize % moves.len()];
            let (before, text) = (numbers(&game), game.move_text(m));
            game.play(m);
            let is_act = text.contains(['x', '!']);
            prop_assert!(if is_act { numbers(&game) < before } else { numbers(&game) == before }, "{}", text);
            // The reader refuses soldiers on the same cell or on obstacles.
            prop_assert!(Headquarters::from_position(&game.position(), &Rules::default()).is_ok());
        }
    }

    #[test]
    fn the_planes_hold_the_position(start in 0usize..9, choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let game = reached(start, &choices);
        let seen = if game.side() == Side::First { game.clone() } else { game.swapped().unwrap() };
        let mut planes = vec![f32::NAN; Grid::PLANES * Grid::CELLS];
        Grid::planes(&game, &mut planes);
        let text = seen.position();
        let words: Vec<&str> = text.split(' ').collect();
        let mut soldiers = 0;
        for (side, word) in words[1..3].iter().enumerate() {
            for (place, part) in word.split(',').enumerate() {
                let Some((cell, points)) = part.split_once(':') else { continue };
                let at = (cell[1..].parse::<usize>().unwrap() - 1) * 15 + usize::from(cell.as_bytes()[0] - b'a');
                let count: f32 = points.trim_end_matches('*').parse().unwrap();
                let (plane, unit) = match (side, place) {
                    (side, 0) => (5 + side, 20.0),
                    (0, slot) => (slot - 1, 10.0),
                    _ => (4, 10.0),
                };
                prop_assert_eq!(planes[plane * 150 + at], count / unit, "{} in {}", part, text);
                soldiers += usize::from(place > 0);
                if side == 0 && place > 0 {
                    prop_assert_eq!(planes[3 * 150 + at] == 1.0, points.ends_with('*'));
                }
            }
        }
        let filled = [0, 1, 2, 4].iter().flat_map(|plane| &planes[plane * 150..][..150]).filter(|value| **value > 0.0);
        prop_assert_eq!(filled.count(), soldiers);
        let free: u32 = words[0].split(['/', '#']).filter_map(|run| run.parse::<u32>().ok()).sum();
        prop_assert_eq!(planes[7 * 150..8 * 150].iter().sum::<f32>(), free as f32);
    }
}

#[test]
fn the_board_is_drawn_in_80_columns() {
    let game = open("c3:20,g5:10*,m8:7,a1:1 m8:12,h5:9 red 9");
    let text = game.to_string();
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    for part in ["r10'", "r7", " r1\u{20}", "R20", "b9", "red to move, turn 9 of 100", "blue 12 at m8"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let coloured = game.coloured();
    assert!(coloured.contains("\x1b[2;31mr10'\x1b[0m") && coloured.contains("\x1b[1;34mb9\x1b[0m"), "{coloured}");
    let over = open("c3:20,a1:1 m8:12,h5:9 red 101").to_string();
    assert!(over.contains("blue 12 at m8") && !over.contains("to move"), "{over}");
}
