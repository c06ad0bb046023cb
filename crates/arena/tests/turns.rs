//! The player that plans whole turns.
#![allow(clippy::unwrap_used)]

mod common;

use alfil_arena::contest::Archive;
use alfil_arena::player::{MoveScore, Played, Player, TurnsPlayer};
use alfil_game::connect4::Connect4;
use alfil_game::headquarters::Headquarters;
use alfil_game::{Game, play_line};
use common::{entrant, play, settings};

#[test]
fn it_finishes_its_games_and_beats_the_random_player() {
    let (turns, random) = (entrant::<Headquarters>("turns:depth=1,actions=3"), entrant("random"));
    let (pairs, report) = play(&turns, &random, settings(10, 1), Archive::default()).unwrap();
    assert!(report.wins >= 8, "{report}");
    for record in pairs.iter().flatten() {
        let mut game = Headquarters::from_position(&record.start, &Default::default()).unwrap();
        play_line(&mut game, &record.moves).unwrap();
        assert!(game.outcome().is_some());
    }
    let (turns, random) = (entrant::<Connect4>("turns:depth=4"), entrant("random"));
    let (_, report) = play(&turns, &random, settings(10, 1), Archive::default()).unwrap();
    assert!(report.wins >= 9, "{report}");
}

#[test]
fn the_rest_of_a_planned_turn_is_what_was_searched() {
    let mut played = Played::new(Headquarters::new(&Default::default()));
    let mut player = TurnsPlayer::new(2, 3);
    player.new_game(1).unwrap();
    let mut planned = Vec::new();
    for ply in 0..30 {
        let mut legal = Vec::new();
        if played.now().legal_moves(&mut legal).is_some() {
            break;
        }
        let choice = player.choose(&played, &|| false).unwrap();
        assert!(legal.contains(&choice.m), "ply {ply}");
        planned.push((played.now().side(), choice.opinion));
        played.play(choice.m);
    }
    // A turn has one opinion, from the one search.
    assert!(planned.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1), "{planned:?}");
}

/// Five plies, three turns.
#[test]
fn a_forced_win_is_counted_in_turns() {
    let text = "15/15/15/15/15/15/15/15/15/15 c3:20,m9:10,l8:10,n8:10 m8:20,k2:10,l2:10 red 9";
    let game = Played::new(Headquarters::from_position(text, &Default::default()).unwrap());
    let mut player = entrant::<Headquarters>("handcrafted:visits=100000").player().unwrap();
    let opinion = player.choose(&game, &|| false).unwrap().opinion.unwrap();
    assert_eq!(opinion.score, MoveScore::Win(3), "{opinion}");
    assert!(opinion.to_string().starts_with("+M2/"), "{opinion}");
}

#[test]
fn another_position_is_searched_again() {
    let start = Headquarters::new(&Default::default());
    let mut player = TurnsPlayer::new(1, 3);
    let first = player.choose(&Played::new(start.clone()), &|| false).unwrap();
    // Another soldier moves instead: the plan for the second move is for another position.
    for other in ["c2-a1", "d9-e9", "e5-e5", "end"] {
        let mut strayed = Played::new(start.clone());
        let m = start.parse_move(other).unwrap();
        assert_ne!(m, first.m);
        strayed.play(m);
        let mut fresh = TurnsPlayer::new(1, 3);
        assert_eq!(
            player.choose(&strayed, &|| false).unwrap(),
            fresh.choose(&strayed, &|| false).unwrap(),
            "after {other}"
        );
    }
}
