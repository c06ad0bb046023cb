//! The tree: what goes in comes out, nothing outgrows its memory, and what is proven is true.
#![allow(clippy::unwrap_used)]

use alfil_game::References;
use std::sync::atomic::{AtomicU32, Ordering};

use alfil_game::chess::{Chess, Rules};
use alfil_game::connect4::{Connect4, Solver};
use alfil_game::tictactoe::{Cell, TicTacToe};
use alfil_game::{Game, Mover, Oracle, Score, Side, Swap, Wdl};
use alfil_search::evaluators::{Rollout, Uniform};
use alfil_search::selection::{Puct, Rule};
use alfil_search::tree::{Gathered, Leaf, Scratch, Tree, View, apply, gather};
use alfil_search::{Evaluation, Evaluator};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Gathers up to `batch` leaves and applies them; returns how many walks ended with a value.
fn step<G: Game>(
    tree: &Tree,
    root: &G,
    rule: &Rule,
    scratch: &mut Scratch<G>,
    evaluator: &mut dyn Evaluator<G>,
    batch: usize,
) -> (u32, bool) {
    let (mut leaves, mut known, mut full): (Vec<Leaf>, u32, bool) = (Vec::new(), 0, false);
    for _ in 0..batch {
        match gather(tree, root, rule, None, scratch) {
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
    evaluator.run(&mut |_, evaluation| apply(tree, leaves.next().unwrap(), &evaluation)).unwrap();
    (done, full)
}

fn search<G: Game>(root: &G, evaluator: &mut dyn Evaluator<G>, visits: u32, batch: usize) -> Tree {
    let tree = Tree::new(16 << 20, 32);
    search_in(&tree, root, &Rule::default(), evaluator, visits, batch);
    tree
}

fn search_in<G: Game>(tree: &Tree, root: &G, rule: &Rule, evaluator: &mut dyn Evaluator<G>, visits: u32, batch: usize) {
    let mut scratch = Scratch::new(root);
    let mut done = 0;
    while done < visits && tree.root().is_none_or(|root| root.proof().is_none()) {
        let (more, full) = step(tree, root, rule, &mut scratch, evaluator, batch);
        done += more;
        if full {
            break;
        }
    }
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
            done += step(&tree, &root, &Rule::default(), &mut scratch, &mut evaluator, random.random_range(1..30)).0;
        }
        let root = tree.root().unwrap();
        let (visits, wdl) = (root.visits(), root.wdl());
        assert_eq!(visits, done);
        let of_children: u32 = tree.root().unwrap().children().iter().map(|child| child.visits).sum();
        assert_eq!(of_children, done - 1, "the root's own evaluation is the one that no child has");
        let Mover(Wdl { win, draw, loss }) = wdl.unwrap();
        assert!((win + draw + loss - 1.0).abs() < 1e-5);
        assert!(tree.len() as u32 <= done);
    }
}

/// Every visit of a node except its own is one of a child's, and none is left under way.
fn assert_conserved(view: &View<'_>) {
    let children = view.children();
    let of_children: u32 = children.iter().map(|child| child.visits).sum();
    if view.proof().is_none() {
        assert_eq!(view.visits(), 1 + of_children);
    } else {
        assert!(view.visits() > of_children);
    }
    for child in children {
        assert_eq!(child.visits, child.started);
        if let Some(below) = view.after(child.edge) {
            assert_conserved(&below);
        }
    }
}

#[test]
fn visits_and_values_are_conserved_whatever_the_order_of_answers() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(21);
    for _ in 0..50 {
        let root = Connect4::new(&());
        let tree = Tree::new(4 << 20, 7);
        let mut scratch = Scratch::new(&root);
        // Leaves wait in any number, and are answered in any order.
        let mut waiting: Vec<(Leaf, Side, usize)> = Vec::new();
        let (mut sum, mut answered, mut known) = (0.0, 0, 0);
        for _ in 0..random.random_range(10..800) {
            match gather(&tree, &root, &Rule::default(), None, &mut scratch) {
                Gathered::Leaf(leaf) => waiting.push((leaf, scratch.game.side(), scratch.moves.len())),
                Gathered::Known => known += 1,
                Gathered::Collision | Gathered::Full => {}
            }
            while !waiting.is_empty() && random.random_range(0..3) > 0 {
                let (leaf, side, moves) = waiting.swap_remove(random.random_range(0..waiting.len()));
                let (win, loss) = (random.random_range(0.0..0.5), random.random_range(0.0..0.5));
                let priors = vec![1.0 / moves as f32; moves];
                apply(
                    &tree,
                    leaf,
                    &Evaluation {
                        priors: &priors,
                        wdl: Mover(Wdl { win, draw: 1.0 - win - loss, loss }),
                        moves_left: None,
                    },
                );
                sum += if side == root.side() { win - loss } else { loss - win };
                answered += 1;
            }
        }
        for (leaf, _, moves) in waiting.drain(..) {
            let priors = vec![1.0 / moves as f32; moves];
            apply(&tree, leaf, &Evaluation { priors: &priors, wdl: Mover(Wdl::DRAW), moves_left: None });
            answered += 1;
        }
        let view = tree.root().unwrap();
        assert_eq!(view.visits(), answered + known);
        assert_conserved(&view);
        if known == 0 {
            let Mover(Wdl { win, loss, .. }) = view.wdl().unwrap();
            assert!(((win - loss) * answered as f32 - sum).abs() < 0.01, "{win} {loss} {sum}");
        }
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
                        let more = step(tree, root, &Rule::default(), &mut scratch, &mut evaluator, 1 + round % 7).0;
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
        let root = tree.root().unwrap();
        let (visits, wdl) = (root.visits(), root.wdl());
        assert_eq!(visits, done);
        assert!(visits >= 600, "{visits}");
        let children = tree.root().unwrap().children();
        assert_conserved(&root);
        // The root's value is that of its first evaluation and of its children.
        let sum: f32 = children.iter().filter_map(|c| c.wdl.map(|wdl| c.visits as f32 * wdl.0.value())).sum();
        assert!((wdl.unwrap().0.value() * done as f32 - sum).abs() < 1.01, "more than one evaluation is missing");
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
        let (more, is_full) = step(&tree, &root, &Rule::default(), &mut scratch, &mut evaluator, 4);
        done += more;
        full += u32::from(is_full);
        assert!(tree.used_bytes() <= bytes);
    }
    assert!(full > 1_000, "{full}");
    assert_eq!(tree.root().unwrap().visits(), done);
    assert!(tree.used_bytes() > bytes * 8 / 10, "{} of {bytes}", tree.used_bytes());
    // Bytes per node, with its edges.
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
            step(&tree, &root, &Rule::default(), &mut scratch, &mut evaluator, 3);
        }
        let children = tree.root().unwrap().children();
        let (visits, proof) = (tree.root().unwrap().visits(), tree.root().unwrap().proof());
        // Visits to what is proven end there and reach no child.
        let of_children: u32 = children.iter().map(|child| child.visits).sum();
        assert!(if proof.is_none() { of_children == visits - 1 } else { of_children < visits }, "{}", root.position());
        let mut moves = Vec::new();
        root.legal_moves(&mut moves);
        let mut codes: Vec<u16> = children.iter().map(|child| child.code).collect();
        codes.sort_unstable();
        assert_eq!(codes, moves.iter().map(|&m| m.into()).collect::<Vec<u16>>());

        let best = tree.root().unwrap().best().unwrap();
        let before = tree.used_bytes();
        root.play(best.code.try_into().unwrap());
        tree.advance(&[best.code]);
        match tree.root() {
            Some(root) => {
                assert_eq!(root.visits(), best.visits, "nothing is lost");
                assert_eq!(best.wdl.unwrap().0, root.wdl().unwrap().0.swap(), "seen from the other side");
                assert!(tree.used_bytes() < before);
                kept += 1;
            }
            None => assert!(root.outcome().is_some() || best.visits == 0 || proof.is_some(), "{}", root.position()),
        }
    }
    assert!(kept > 5, "{kept}");
}

#[test]
fn moves_that_were_never_visited_empty_the_tree() {
    let root = Chess::new(&Rules::default());
    let mut tree = search(&root, &mut Uniform::default(), 100, 1);
    tree.advance(&[]);
    assert_eq!(tree.root().unwrap().visits(), 100, "no move, no change");
    tree.advance(&[u16::MAX]);
    assert!(tree.is_empty());
    tree.advance(&[1, 2]);
    assert!(tree.is_empty());
}

#[test]
fn known_mates_are_found_and_proven() {
    let mates = include_str!("data/mates.txt").lines().filter(|line| !line.starts_with('#'));
    let (mut count, mut longer) = (0, 0);
    // The constants for play explore more, which only a network's priors make up for.
    let rule = Rule::Puct(Puct::SELF_PLAY);
    let mut tree = Tree::new(400 << 20, 36);
    for line in mates {
        let (moves, fen) = line.split_once(' ').unwrap();
        let plies = 2 * moves.parse::<u16>().unwrap() - 1;
        let root = Chess::from_position(fen, &Rules::default()).unwrap();
        tree.clear();
        search_in(&tree, &root, &rule, &mut Uniform::default(), 2_000_000, 1);
        let view = tree.root().unwrap();
        let proof = view.proof().unwrap_or_else(|| panic!("{fen}: nothing proven in {} visits", view.visits()));
        assert!(proof.is_win() && proof.plies >= plies, "{fen}: {proof:?}");
        // The line that was found leads to mate against every defence.
        assert_mates(&root, &view, proof.plies);
        count += 1;
        longer += u32::from(proof.plies > plies);
    }
    println!("{count} mates proven, {longer} of them not by the shortest way");
    assert_eq!(count, 100);
}

/// Plays the best move against every defence, and finds checkmate within `plies` plies.
fn assert_mates(game: &Chess, view: &View<'_>, plies: u16) {
    let best = view.best().unwrap();
    assert_eq!(best.proof.unwrap().plies, plies);
    let mut after = game.clone();
    after.play(best.code.into());
    let mut defences = Vec::new();
    if let Some(outcome) = after.legal_moves(&mut defences) {
        assert_eq!((outcome.reason, plies), ("checkmate", 1), "{}", game.position());
        return;
    }
    assert!(plies > 2, "{}", game.position());
    let reply = view.after(best.edge).unwrap();
    assert_eq!(reply.children().len(), defences.len());
    for defence in reply.children() {
        let mut next = after.clone();
        next.play(defence.code.into());
        let left = defence.proof.unwrap().plies - 1;
        assert!(left <= plies - 2);
        assert_mates(&next, &reply.after(defence.edge).unwrap(), left);
    }
}

#[test]
fn tic_tac_toe_is_proven_a_draw() {
    let tree = search(&TicTacToe::new(&()), &mut Uniform::default(), 2_000_000, 1);
    let (visits, proof) = (tree.root().unwrap().visits(), tree.root().unwrap().proof());
    println!("{visits} visits, {} nodes", tree.len());
    assert!(proof.is_some_and(|proof| proof.score == Mover(Score::DRAW)), "{proof:?} after {visits} visits");
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
        if let Some(proof) = tree.root().unwrap().proof() {
            let expected = solver.judge(&root).score.0;
            assert_eq!(proof.score.0, expected, "{}", root.position());
            proven += 1;
        }
    }
    println!("{proven} proven");
    assert!(proven > 40, "{proven}");
}

/// Plays tic-tac-toe with UCT and a thousand rollouts per move, from both sides in turn, and counts the games lost.
fn lost_with_rollouts(games: u32, mut opponent: impl FnMut(&TicTacToe, &[Cell]) -> Cell) -> u32 {
    let mut evaluator = Rollout::new(1, 9);
    let mut moves = Vec::new();
    let mut lost = 0;
    for number in 0..games {
        let ours = if number % 2 == 0 { Side::First } else { Side::Second };
        let mut game = TicTacToe::new(&());
        let outcome = loop {
            if let Some(outcome) = game.legal_moves(&mut moves) {
                break outcome;
            }
            let m = if game.side() == ours {
                let tree = Tree::new(1 << 20, 9);
                search_in(&tree, &game, &Rule::UCT, &mut evaluator, 1_000, 1);
                tree.root().unwrap().best().unwrap().code.try_into().unwrap()
            } else {
                opponent(&game, &moves)
            };
            game.play(m);
        };
        lost += u32::from(outcome.score.to_mover(ours).0 == Score::LOSS);
    }
    lost
}

#[test]
fn rollouts_lose_no_tic_tac_toe_to_a_random_player() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    assert_eq!(lost_with_rollouts(1_000, |_, moves| moves[random.random_range(0..moves.len())]), 0);
}

#[test]
fn rollouts_hardly_lose_tic_tac_toe_to_a_perfect_player() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut oracle = TicTacToe::oracle().unwrap();
    let lost = lost_with_rollouts(1_000, |game, _| {
        // Any of the best moves.
        let judged = oracle.judge_moves(game);
        let best = judged.iter().map(|(_, judgement)| judgement.score.0.points()).fold(0.0, f32::max);
        let good: Vec<_> = judged.iter().filter(|(_, judgement)| judgement.score.0.points() == best).collect();
        good[random.random_range(0..good.len())].0
    });
    println!("{lost} of 1,000 lost");
    assert!(lost <= 10, "{lost}");
}
