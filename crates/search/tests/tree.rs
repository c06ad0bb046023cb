//! The tree: what goes in comes out, nothing outgrows its memory, and what is proven is true.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicU32, Ordering};

use alfil_game::chess::{Chess, Rules};
use alfil_game::connect4::{Connect4, Solver};
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{Game, Oracle, Score};
use alfil_search::Evaluator;
use alfil_search::evaluators::{Rollout, Uniform};
use alfil_search::selection::Puct;
use alfil_search::tree::{Gathered, Leaf, Proof, Scratch, Tree, apply, gather};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Gathers up to `batch` leaves and applies them; returns how many walks ended with a value.
fn step<G: Game>(
    tree: &Tree,
    root: &G,
    scratch: &mut Scratch<G>,
    evaluator: &mut dyn Evaluator<G>,
    batch: usize,
) -> (u32, bool) {
    let (mut leaves, mut known, mut full): (Vec<Leaf>, u32, bool) = (Vec::new(), 0, false);
    for _ in 0..batch {
        match gather(tree, root, &Puct::default(), scratch) {
            Gathered::Leaf(leaf) => {
                evaluator.add(&scratch.game, &scratch.moves);
                leaves.push(leaf);
            }
            Gathered::Known => known += 1,
            Gathered::Collision => break,
            Gathered::Full => {
                full = true;
                break;
            }
        }
    }
    let done = known + leaves.len() as u32;
    let mut leaves = leaves.into_iter();
    evaluator.run(&mut |_, evaluation| apply(tree, leaves.next().unwrap(), &evaluation));
    (done, full)
}

fn search<G: Game>(root: &G, evaluator: &mut dyn Evaluator<G>, visits: u32, batch: usize) -> Tree {
    let tree = Tree::new(16 << 20, 32);
    let mut scratch = Scratch::new(root);
    let mut done = 0;
    while done < visits && tree.root().is_none_or(|(_, _, proof)| proof.is_none()) {
        let (more, full) = step(&tree, root, &mut scratch, evaluator, batch);
        done += more;
        if full {
            break;
        }
    }
    tree
}

#[test]
fn visits_are_conserved_whatever_the_batches() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..20 {
        let root = Chess::new(&Rules::default());
        let tree = Tree::new(8 << 20, 32);
        let mut scratch = Scratch::new(&root);
        let mut evaluator = Uniform::default();
        let mut done = 0;
        for _ in 0..random.random_range(1..60) {
            done += step(&tree, &root, &mut scratch, &mut evaluator, random.random_range(1..30)).0;
        }
        let (visits, wdl, _) = tree.root().unwrap();
        assert_eq!(visits, done);
        let of_children: u32 = tree.root_children().iter().map(|child| child.visits).sum();
        assert_eq!(of_children, done - 1, "the root's own evaluation is the one that no child has");
        let [win, draw, loss] = wdl.unwrap();
        assert!((win + draw + loss - 1.0).abs() < 1e-5);
        assert!(tree.len() as u32 <= done);
    }
}

#[test]
fn threads_share_a_tree_without_losing_a_visit() {
    let root = Connect4::new(&());
    for seed in 0..30 {
        let tree = Tree::new(4 << 20, 7);
        let done = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (tree, root, done) = (&tree, &root, &done);
                scope.spawn(move || {
                    let mut evaluator = Rollout::new(1, 10 * seed + thread);
                    let mut scratch = Scratch::new(root);
                    let mut mine = 0;
                    for round in 0.. {
                        // A thread that is held up at a leaf keeps others from it: how many walks come to nothing depends
                        // on the scheduler, so each goes on until it has done its share.
                        let more = step(tree, root, &mut scratch, &mut evaluator, 1 + round % 7).0;
                        done.fetch_add(more, Ordering::Relaxed);
                        mine += more;
                        if mine >= 150 {
                            break;
                        }
                    }
                });
            }
        });
        let done = done.into_inner();
        let (visits, wdl, _) = tree.root().unwrap();
        assert_eq!(visits, done);
        assert!(visits >= 600, "{visits}");
        let children = tree.root_children();
        assert_eq!(children.iter().map(|child| child.visits).sum::<u32>(), done - 1);
        // The root's value is that of its first evaluation and of its children.
        let value = |[win, _, loss]: [f32; 3]| win - loss;
        let sum: f32 = children.iter().filter_map(|c| c.wdl.map(|wdl| c.visits as f32 * value(wdl))).sum();
        assert!((value(wdl.unwrap()) * done as f32 - sum).abs() < 1.01, "more than one evaluation is missing");
    }
}

#[test]
fn the_cap_holds_and_a_full_tree_goes_on() {
    let root = Chess::new(&Rules::default());
    let bytes = 300_000;
    let tree = Tree::new(bytes, 30);
    let mut scratch = Scratch::new(&root);
    let mut evaluator = Uniform::default();
    let (mut full, mut done) = (0, 0);
    for _ in 0..3_000 {
        let (more, is_full) = step(&tree, &root, &mut scratch, &mut evaluator, 4);
        done += more;
        full += u32::from(is_full);
        assert!(tree.used_bytes() <= bytes);
    }
    assert!(full > 1_000, "{full}");
    assert_eq!(tree.root().unwrap().0, done);
    assert!(tree.used_bytes() > bytes * 8 / 10, "{} of {bytes}", tree.used_bytes());
    // What a node takes, all told.
    assert!(tree.used_bytes() / tree.len() <= 64 + 4 * 30);
}

#[test]
fn a_game_is_played_with_one_tree() {
    let mut root = Connect4::new(&());
    let mut tree = Tree::new(2 << 20, 7);
    let mut evaluator = Rollout::new(1, 3);
    let mut kept = 0;
    while root.outcome().is_none() {
        let mut scratch = Scratch::new(&root);
        for _ in 0..400 {
            step(&tree, &root, &mut scratch, &mut evaluator, 3);
        }
        let children = tree.root_children();
        let (visits, _, proof) = tree.root().unwrap();
        // Visits to what is proven end there and reach no child.
        let of_children: u32 = children.iter().map(|child| child.visits).sum();
        assert!(if proof.is_none() { of_children == visits - 1 } else { of_children < visits }, "{}", root.position());
        let mut moves = Vec::new();
        root.legal_moves(&mut moves);
        let mut codes: Vec<u16> = children.iter().map(|child| child.code).collect();
        codes.sort_unstable();
        assert_eq!(codes, moves.iter().map(|&m| m.into()).collect::<Vec<u16>>());

        let best = tree.best().unwrap();
        let before = tree.used_bytes();
        root.play(best.code.try_into().unwrap());
        tree.advance(&[best.code]);
        match tree.root() {
            Some((visits, wdl, _)) => {
                assert_eq!(visits, best.visits, "nothing is lost");
                let [loss, draw, win] = wdl.unwrap();
                assert_eq!(best.wdl.unwrap(), [win, draw, loss], "seen from the other side");
                assert!(tree.used_bytes() < before);
                kept += 1;
            }
            None => assert!(root.outcome().is_some() || best.visits == 0 || proof.is_some(), "{}", root.position()),
        }
    }
    assert!(kept > 5, "{kept}");
}

#[test]
fn moves_that_were_never_looked_at_empty_the_tree() {
    let root = Chess::new(&Rules::default());
    let mut tree = search(&root, &mut Uniform::default(), 100, 1);
    tree.advance(&[]);
    assert_eq!(tree.root().unwrap().0, 100, "no move, no change");
    tree.advance(&[u16::MAX]);
    assert!(tree.is_empty());
    tree.advance(&[1, 2]);
    assert!(tree.is_empty());
}

#[test]
fn known_mates_are_found_and_proven() {
    for (fen, plies, best) in [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 1, "a1a8"),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1, "h5f7"),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", 1, "d8h4"),
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1, "h1h8"),
        ("6rk/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 1, "h6f7"),
        ("r6k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 3, "c4g8"),
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 3, ""),
    ] {
        let root = Chess::from_position(fen, &Rules::default()).unwrap();
        let tree = search(&root, &mut Uniform::default(), 200_000, 1);
        let (visits, _, proof) = tree.root().unwrap();
        assert!(matches!(proof, Some(Proof::Win(_))), "{fen}: {proof:?} after {visits} visits");
        let found = tree.best().unwrap();
        let m: alfil_game::chess::Move = found.code.into();
        if plies == 1 {
            assert_eq!(proof, Some(Proof::Win(1)), "{fen}");
            let mut after = root.clone();
            after.play(m);
            assert_eq!(after.outcome().unwrap().reason, "checkmate", "{fen}");
        } else if !best.is_empty() {
            assert_eq!(root.move_text(m), best, "{fen}");
        }
    }
}

#[test]
fn tic_tac_toe_is_proven_a_draw() {
    let tree = search(&TicTacToe::new(&()), &mut Uniform::default(), 2_000_000, 1);
    let (visits, _, proof) = tree.root().unwrap();
    println!("{visits} visits, {} nodes", tree.len());
    assert!(matches!(proof, Some(Proof::Draw(_))), "{proof:?} after {visits} visits");
}

#[test]
fn proofs_agree_with_the_solver() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut solver = Solver::default();
    let mut moves = Vec::new();
    let mut proven = 0;
    for _ in 0..200 {
        let mut root = Connect4::new(&());
        while root.ply() < 26 && root.legal_moves(&mut moves).is_none() {
            root.play(moves[random.random_range(0..moves.len())]);
        }
        if root.outcome().is_some() {
            continue;
        }
        let tree = search(&root, &mut Rollout::new(1, 7), 20_000, 4);
        if let Some(proof) = tree.root().unwrap().2 {
            let expected = solver.judge(&root).score.0;
            let found = match proof {
                Proof::Win(_) => Score::WIN,
                Proof::Draw(_) => Score::DRAW,
                Proof::Loss(_) => Score::LOSS,
            };
            assert_eq!(found, expected, "{}", root.position());
            proven += 1;
        }
    }
    println!("{proven} proven");
    assert!(proven > 40, "{proven}");
}

#[test]
fn rollouts_make_no_mistake_in_tic_tac_toe_against_chance() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut evaluator = Rollout::new(1, 9);
    let mut moves = Vec::new();
    for number in 0..60 {
        let ours = if number % 2 == 0 { alfil_game::Side::First } else { alfil_game::Side::Second };
        let mut game = TicTacToe::new(&());
        let outcome = loop {
            if let Some(outcome) = game.legal_moves(&mut moves) {
                break outcome;
            }
            let m = if game.side() == ours {
                let code = search(&game, &mut evaluator, 1_000, 1).best().unwrap().code;
                code.try_into().unwrap()
            } else {
                moves[random.random_range(0..moves.len())]
            };
            game.play(m);
        };
        let points = outcome.score.to_mover(ours).0;
        assert_ne!(points, Score::LOSS, "game {number}: {}", game.position());
    }
}
