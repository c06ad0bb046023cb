//! Players that search for long are stopped.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use alfil_arena::player::{Played, PlayerError};
use alfil_game::FullGame;
use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::headquarters::Headquarters;
use common::entrant;

/// Searches that would take hours end, and the same player then finds the move that another finds.
fn check<G: FullGame>(long: &str, quick: &str, position: &str) {
    let game = Played::new(G::new(&G::Rules::default()));
    let mut player = entrant::<G>(long).player().unwrap();
    player.new_game(1).unwrap();
    assert_eq!(player.choose(&game, &|| true).unwrap_err(), PlayerError::Stopped, "{long}");
    let game = Played::new(G::from_position(position, &G::Rules::default()).unwrap());
    let other = entrant::<G>(quick).player().unwrap().choose(&game, &|| false).unwrap();
    assert_eq!(player.choose(&game, &|| false).unwrap().m, other.m, "{long}");
}

#[test]
fn searches_that_would_take_hours_end_when_they_are_told_to() {
    check::<Chess>("alphabeta:depth=12", "alphabeta:depth=1", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");
    check::<Connect4>("oracle", "alphabeta:depth=1", "7/7/7/o6/o6/oxxx3 x");
    let nearly_won = "15/15/15/15/15/15/15/15/15/15 c3:20,l8:10 m8:10,h6:2 red 9";
    check::<Headquarters>("turns:depth=6,actions=4", "turns:depth=1,actions=4", nearly_won);
}
