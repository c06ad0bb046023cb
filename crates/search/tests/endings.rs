//! Won endings are won, by a search with only the handcrafted evaluation.
#![allow(clippy::unwrap_used)]

use alfil_game::chess::{Chess, Rules};
use alfil_game::{Game, Knowledge, Score};
use alfil_search::Evaluator;
use alfil_search::evaluators::Handcrafted;
use alfil_search::parallel::{Control, Limits, ParallelSettings, Search};
use alfil_search::tree::Tree;

const ENDINGS: &str = include_str!("data/won_endings.txt");

struct Player(Search<Chess>);

impl Player {
    fn new(start: &Chess) -> Player {
        let evaluators: Vec<Box<dyn Evaluator<Chess>>> = vec![Box::new(Handcrafted::new(Knowledge::Full))];
        Player(Search::new(Tree::new(16 << 20, 24), evaluators, start.clone()))
    }

    fn play(&mut self, start: &Chess, moves: &[alfil_game::chess::Move], visits: u32) -> alfil_game::chess::Move {
        self.0.go_to(start, moves);
        let limits = Limits { visits: Some(visits), ..Limits::default() };
        self.0
            .run(&ParallelSettings::default(), &limits, &Control::default(), &mut |_| {})
            .unwrap()
            .best()
            .unwrap()
            .into()
    }
}

/// Plays from every position of a kind, both sides with the same visits, and asserts that all were won.
fn convert(kind: &str, each: usize, visits: u32) {
    let lines = ENDINGS.lines().filter_map(|line| line.strip_prefix(kind)).take(each);
    let (mut games, mut plies, mut lost) = (0, 0, Vec::new());
    for fen in lines {
        let start = Chess::from_position(fen.trim(), &Rules::default()).unwrap();
        let (mut attacker, mut defender) = (Player::new(&start), Player::new(&start));
        let (mut game, mut moves) = (start.clone(), Vec::new());
        let outcome = loop {
            if let Some(outcome) = game.outcome() {
                break outcome;
            }
            let player = if moves.len() % 2 == 0 { &mut attacker } else { &mut defender };
            let m = player.play(&start, &moves, visits);
            moves.push(m);
            game.play(m);
        };
        games += 1;
        plies += moves.len();
        if outcome.score.0 != Score::WIN {
            lost.push(format!("{fen}: {} after {} plies, {}", outcome.reason, moves.len(), game.position()));
        }
    }
    println!("{kind}: {games} games, {} plies on average", plies / games);
    assert_eq!(games, each);
    assert!(lost.is_empty(), "{} of {games} {kind} not won: {lost:#?}", lost.len());
}

#[test]
fn queen_endings_are_won() {
    convert("KQK", 50, 5_000);
}

#[test]
fn rook_endings_are_won() {
    convert("KRK", 50, 5_000);
}

#[test]
fn pawn_endings_are_won() {
    convert("KPK", 50, 5_000);
}
