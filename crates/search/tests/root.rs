//! The root of a tree: exploration, and what is learnt from it.
#![allow(clippy::unwrap_used)]

use alfil_game::Game;
use alfil_game::Oracle;
use alfil_game::connect4::{Connect4, Solver};
use alfil_search::Evaluator;
use alfil_search::evaluators::{Rollout, Uniform};
use alfil_search::root::{GumbelRoot, add_noise, forced_edge, improved_policy, visit_policy};
use alfil_search::selection::{Gumbel, Puct, Rule, considered_visits, gumbel_noise};
use alfil_search::tree::{Child, Gathered, Scratch, Tree, apply, gather};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One walk, evaluated at once.
fn walk<G: Game>(tree: &Tree, root: &G, rule: &Rule, first: Option<u16>, evaluator: &mut dyn Evaluator<G>) {
    let mut scratch = Scratch::new(root);
    if let Gathered::Leaf(leaf) = gather(tree, root, rule, first, &mut scratch) {
        let mut leaf = Some(leaf);
        evaluator.add(&scratch.game, &scratch.moves);
        evaluator.run(&mut |_, evaluation| apply(tree, leaf.take().unwrap(), &evaluation)).unwrap();
    }
}

/// A search of `simulations` walks by Gumbel's rules.
fn gumbel_search<G: Game>(
    root: &G,
    simulations: usize,
    considered: usize,
    evaluator: &mut dyn Evaluator<G>,
    random: &mut Xoshiro256PlusPlus,
) -> (Tree, GumbelRoot) {
    let tree = Tree::new(1 << 20, 36);
    let rule = Rule::Gumbel(Gumbel::default());
    walk(&tree, root, &rule, None, evaluator);
    let mut plan =
        GumbelRoot::new(&tree.root().unwrap(), simulations, considered, Gumbel::default(), || gumbel_noise(random));
    while let Some(first) = plan.next(&tree.root().unwrap()) {
        walk(&tree, root, &rule, Some(first), evaluator);
    }
    (tree, plan)
}

#[test]
fn gumbel_deals_out_visits_by_the_table() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for (considered, simulations) in [(4, 16), (7, 32), (2, 10), (16, 50), (1, 5)] {
        let root = Connect4::new(&());
        let (tree, _) = gumbel_search(&root, simulations, considered, &mut Rollout::new(1, 3), &mut random);
        let mut visits: Vec<u32> = tree.root().unwrap().children().iter().map(|child| child.visits).collect();
        visits.sort_unstable_by(|a, b| b.cmp(a));
        // The table gives the visits that each walk finds: as many moves have at least n visits as it has entries n -
        // 1.
        let table = considered_visits(considered.min(7), simulations);
        for n in 1..=simulations as u32 {
            let at_least = visits.iter().filter(|visits| **visits >= n).count();
            assert_eq!(
                at_least,
                table.iter().filter(|v| **v == n - 1).count(),
                "{considered} {simulations}: {visits:?}"
            );
        }
    }
}

#[test]
fn gumbel_finds_winning_moves_with_few_walks_and_learns_them() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut solver = Solver::default();
    let mut moves = Vec::new();
    let (mut good, mut gain, mut tried) = (0, 0.0, 0);
    while tried < 100 {
        let mut root = Connect4::new(&());
        while root.ply() < 24 && root.legal_moves(&mut moves).is_none() {
            root.play(moves[random.random_range(0..moves.len())]);
        }
        if root.outcome().is_some() {
            continue;
        }
        let judged = solver.judge_moves(&root);
        let exact = |code: u16| judged.iter().find(|(m, _)| u16::from(*m) == code).unwrap().1.score.0.points();
        let best = judged.iter().map(|(_, judgement)| judgement.score.0.points()).fold(0.0, f32::max);
        // Only where there is something to get wrong.
        if judged.iter().all(|(_, judgement)| judgement.score.0.points() == best) {
            continue;
        }
        tried += 1;
        let (tree, plan) = gumbel_search(&root, 64, 7, &mut Rollout::new(4, tried), &mut random);
        let view = tree.root().unwrap();
        good += u32::from(exact(plan.best(&view).unwrap().code) == best);
        let children = view.children();
        let best_share = |policy: &[f32]| policy[usize::from(plan.best(&view).unwrap().edge)];
        let policy = improved_policy(&view, &Gumbel::default());
        assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        let is_lost = |child: &Child| child.proof.is_some_and(|proof| proof.is_loss());
        let visits = children.iter().filter(|child| !is_lost(child)).map(|child| child.visits).max();
        let is_verified = |child: &Child| !is_lost(child) && Some(child.visits) == visits;
        let verified_share = |(child, share): (&Child, &f32)| if is_verified(child) { *share } else { 0.0 };
        let most = children.iter().zip(&policy).map(verified_share).fold(0.0, f32::max);
        assert!(view.proof().is_some() || best_share(&policy) == most, "chance or few visits decide");
        let expected = |policy: &[f32]| children.iter().zip(policy).map(|(c, p)| p * exact(c.code)).sum::<f32>();
        let priors: Vec<f32> = children.iter().map(|child| child.prior).collect();
        gain += expected(&policy) - expected(&priors);
    }
    println!("{good} of {tried} best, {} points gained on average", gain / tried as f32);
    assert!(good >= 85, "{good}");
    assert!(gain / tried as f32 > 0.1);
}

#[test]
fn noise_is_mixed_in_and_the_children_keep_their_moves() {
    let root = Connect4::new(&());
    let mut tree = Tree::new(1 << 20, 7);
    let mut evaluator = Rollout::new(1, 4);
    for _ in 0..200 {
        walk(&tree, &root, &Rule::default(), None, &mut evaluator);
    }
    let before = tree.root().unwrap().children();
    add_noise(&mut tree, 0.3, 0.25, &mut Xoshiro256PlusPlus::seed_from_u64(5));
    let after = tree.root().unwrap().children();
    assert!(after.windows(2).all(|pair| pair[0].prior >= pair[1].prior), "the most promising first");
    assert!((after.iter().map(|child| child.prior).sum::<f32>() - 1.0).abs() < 1e-3);
    for child in &before {
        let same = after.iter().find(|other| other.code == child.code).unwrap();
        assert_eq!((same.visits, same.wdl), (child.visits, child.wdl));
        assert!(same.prior >= child.prior * 0.75 - 1e-3);
    }
    assert_ne!(before.iter().map(|c| c.prior).collect::<Vec<_>>(), after.iter().map(|c| c.prior).collect::<Vec<_>>());
    // The search goes on with the new numbers.
    for _ in 0..200 {
        walk(&tree, &root, &Rule::default(), None, &mut evaluator);
    }
    assert_eq!(tree.root().unwrap().visits(), 400);
    assert_eq!(tree.root().unwrap().children().iter().map(|child| child.visits).sum::<u32>(), 399);
}

#[test]
fn forced_playouts_are_made_and_taken_out_of_the_policy_again() {
    // The middle is best; the columns at the sides are only looked at because they must be.
    let root = Connect4::new(&());
    let tree = Tree::new(1 << 20, 7);
    let rule = Rule::Puct(Puct::SELF_PLAY);
    let mut evaluator = Rollout::new(1, 6);
    let mut forced = 0;
    for _ in 0..400 {
        let first = tree.root().and_then(|root| forced_edge(&root, 2.0));
        forced += u32::from(first.is_some());
        walk(&tree, &root, &rule, first, &mut evaluator);
    }
    let view = tree.root().unwrap();
    assert!(forced > 5, "{forced}");
    let (plain, pruned) = (visit_policy(&view, None), visit_policy(&view, Some(&Puct::SELF_PLAY)));
    for policy in [&plain, &pruned] {
        assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }
    let best = usize::from(view.best().unwrap().edge);
    assert!(pruned[best] > plain[best], "{plain:?} {pruned:?}");
}

#[test]
fn a_proven_win_is_the_policy_however_few_visits_it_had() {
    // x wins in the fourth column.
    let root = Connect4::from_position("7/7/7/7/ooo4/xxx4 x", &()).unwrap();
    let tree = Tree::new(1 << 20, 7);
    let mut evaluator = Rollout::new(1, 6);
    while tree.root().is_none_or(|root| root.proof().is_none()) {
        walk(&tree, &root, &Rule::Puct(Puct::SELF_PLAY), None, &mut evaluator);
    }
    let view = tree.root().unwrap();
    for policy in [visit_policy(&view, None), improved_policy(&view, &Gumbel::default())] {
        let best = usize::from(view.best().unwrap().edge);
        assert_eq!(policy[best], 1.0, "{policy:?}");
        assert_eq!(policy.iter().sum::<f32>(), 1.0);
    }
}

#[test]
fn a_proven_loss_has_no_part_in_the_policy_while_there_is_another_move() {
    // x has to stop a fourth o in the fourth column.
    let root = Connect4::from_position("7/7/7/x6/x6/ooo4 x", &()).unwrap();
    let tree = Tree::new(1 << 20, 7);
    let mut evaluator = Rollout::new(1, 6);
    for _ in 0..200 {
        walk(&tree, &root, &Rule::default(), None, &mut evaluator);
    }
    let view = tree.root().unwrap();
    let children = view.children();
    let is_lost = |child: &Child| child.proof.is_some_and(|proof| proof.is_loss());
    // How many of the others are proven to lose by then depends on the rollouts.
    assert!(children.iter().any(is_lost) && !is_lost(&children[3]), "{children:?}");
    for policy in [visit_policy(&view, None), improved_policy(&view, &Gumbel::default())] {
        let of_lost = children.iter().zip(&policy).filter(|(child, _)| is_lost(child)).map(|(_, share)| *share);
        assert!(of_lost.sum::<f32>() == 0.0 && policy[3] > 0.5, "{policy:?}");
        assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn without_visits_the_policy_is_the_priors() {
    let root = Connect4::new(&());
    let tree = Tree::new(1 << 20, 7);
    walk(&tree, &root, &Rule::default(), None, &mut Uniform::default());
    assert!(visit_policy(&tree.root().unwrap(), None).iter().all(|share| (share - 1.0 / 7.0).abs() < 1e-3));
}
