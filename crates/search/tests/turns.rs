//! The search over whole turns, in a game where a turn is several moves and in one where it is one.
#![allow(clippy::unwrap_used)]

use alfil_game::Endings;
use alfil_game::Turns;
use alfil_game::connect4::Connect4;
use alfil_game::headquarters::Headquarters;
use alfil_game::hexchess::HexChess;
use alfil_game::{Estimates, Game, Knowledge, Side};
use alfil_search::classical::{AlphaBeta, AlphaBetaSettings, Found, GameNode, TurnNode, WIN, minimax, minimax_nodes};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn search<G: Turns + Estimates>(node: &TurnNode<G>, depth: u32) -> Found<alfil_game::Turn<G::Move>> {
    AlphaBeta::new(AlphaBetaSettings::PLAIN).search(node, depth)
}

fn node(game: Headquarters, actions: usize) -> TurnNode<Headquarters> {
    TurnNode { game, actions }
}

/// A random position: soldiers around a headquarters, or a few random moves from the start.
fn random_position(random: &mut Xoshiro256PlusPlus, number: u32) -> Headquarters {
    let rules = Default::default();
    if number.is_multiple_of(2) {
        return Headquarters::random_ending(&rules, &mut |limit| random.random_range(0..limit)).unwrap();
    }
    let mut game = Headquarters::new(&rules);
    let mut moves = Vec::new();
    for _ in 0..random.random_range(0..60) {
        let mut after = game.clone();
        game.legal_moves(&mut moves);
        after.play(moves[random.random_range(0..moves.len())]);
        if after.outcome().is_some() {
            break;
        }
        game = after;
    }
    game
}

#[test]
fn alpha_beta_gives_minimax_on_1_000_random_positions_with_no_more_nodes() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut pruned, mut whole) = (0, 0);
    for number in 0..1_000 {
        let game = random_position(&mut random, number);
        // Few orders where the tree is deep.
        let (depth, actions) = [(1, 6), (2, 4), (3, 2)][number as usize % 3];
        let node = node(game, actions);
        let found = search(&node, depth);
        let nodes = minimax_nodes(&node, depth);
        assert_eq!(found.value, minimax(&node, depth), "depth {depth}, {actions} actions in {}", node.game.position());
        assert!(found.nodes <= nodes, "{} of {nodes} nodes in {}", found.nodes, node.game.position());
        (pruned, whole) = (pruned + found.nodes, whole + nodes);
    }
    assert!(pruned * 2 < whole, "{pruned} of {whole} nodes");
}

/// A program that makes the whole tree first saves nothing by pruning it.
#[test]
fn moves_are_made_only_where_alpha_beta_looks() {
    let node = GameNode { game: HexChess::new(&Default::default()), knowledge: Knowledge::Full };
    let found = AlphaBeta::new(AlphaBetaSettings::PLAIN).search(&node, 2);
    assert_eq!(found.value, minimax(&node, 2));
    assert_eq!(minimax_nodes(&node, 2), 1 + 51 + 2_586);
    assert!(found.nodes * 2 < 1 + 51 + 2_586, "{} nodes", found.nodes);
}

#[test]
fn the_exact_helpers_give_minimax_too() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let exact =
        AlphaBetaSettings { quiescence: false, null_move: false, table_bytes: 1 << 16, ..AlphaBetaSettings::default() };
    for number in 0..200 {
        let node = node(random_position(&mut random, number), 3);
        assert_eq!(AlphaBeta::new(exact).search(&node, 2).value, minimax(&node, 2), "{}", node.game.position());
    }
}

#[test]
fn a_win_in_one_turn_is_always_played() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut wins = 0;
    for number in 0..600 {
        let game = random_position(&mut random, 2 * number);
        let mut turns = Vec::new();
        game.turns(4, &mut turns);
        let after = |turn: &alfil_game::Turn<_>| {
            let mut game = game.clone();
            turn.moves().for_each(|m| game.play(m));
            game
        };
        let wins_at_once = |after: Headquarters| {
            let points = after.outcome().map(|end| end.score.to_mover(Side::First).0.points());
            points == Some(if game.side() == Side::First { 1.0 } else { 0.0 })
        };
        if turns.iter().any(|turn| wins_at_once(after(turn))) {
            wins += 1;
            for depth in 1..=3 {
                let found = search(&node(game.clone(), 4), depth);
                assert_eq!(found.value, WIN - 1, "depth {depth} in {}", game.position());
                assert!(wins_at_once(after(&found.line[0])), "depth {depth} in {}", game.position());
            }
        }
    }
    assert!(wins > 50, "{wins}");
}

#[test]
fn the_sooner_win_is_preferred() {
    // A capture takes the headquarters; killing the last enemy would take another turn.
    let text = "15/15/15/15/15/15/15/15/15/15 c3:20,m8:10,g2:10 m8:10,i2:10 red 1";
    let game = Headquarters::from_position(text, &Default::default()).unwrap();
    let found = search(&node(game.clone(), 4), 3);
    assert_eq!(found.value, WIN - 1);
    let last = found.line[0].moves().last().unwrap();
    assert_eq!((found.line.len(), game.move_text(last).as_str()), (1, "m8-m8!"));
}

#[test]
fn a_free_kill_is_taken() {
    // The way of the soldier that falls, the nearer one to red's headquarters, is not red's gain.
    let text = "15/15/15/15/15/15/15/15/15/15 c3:20,m1:10 m8:20,o1:1,a10:10 red 1";
    let game = Headquarters::from_position(text, &Default::default()).unwrap();
    for depth in 1..=2 {
        let found = search(&node(game.clone(), 4), depth);
        let order = game.move_text(found.line[0].moves().next().unwrap());
        assert!(order.ends_with("xo1"), "{order} at depth {depth}");
    }
}

#[test]
fn where_a_turn_is_one_move_it_is_the_usual_search() {
    let rules = ();
    for position in ["7/7/7/7/3o3/3x3 x", "7/7/3x3/3o3/2xxo2/1oxxoo1 x"] {
        let game = Connect4::from_position(position, &rules).unwrap();
        let by_moves = GameNode { game: game.clone(), knowledge: Knowledge::Full };
        let found = AlphaBeta::new(AlphaBetaSettings::PLAIN).search(&by_moves, 5);
        let turns = search(&TurnNode { game, actions: 1 }, 5);
        assert_eq!((turns.value, turns.nodes, turns.leaves), (found.value, found.nodes, found.leaves));
        let line: Vec<_> = turns.line.iter().flat_map(|turn| turn.moves()).collect();
        assert_eq!(line, found.line);
    }
}

#[test]
fn turns_are_legal_and_end_where_the_other_side_moves() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut turns = Vec::new();
    for number in 0..300 {
        let game = random_position(&mut random, number);
        for actions in [1, 3, 100] {
            assert_eq!(game.turns(actions, &mut turns), None);
            assert!(!turns.is_empty(), "{}", game.position());
            for turn in turns.iter().step_by(1 + turns.len() / 50) {
                let mut now = game.clone();
                let mut legal = Vec::new();
                for m in turn.moves() {
                    assert_eq!((now.legal_moves(&mut legal), now.side()), (None, game.side()), "{turn:?}");
                    assert!(legal.contains(&m), "{turn:?} in {}", game.position());
                    now.play(m);
                }
                assert!(now.side() != game.side() || now.outcome().is_some(), "{turn:?} in {}", game.position());
            }
        }
    }
}
