//! AlphaZero's way: noise on the priors, and visits as the policy to learn.

use rand::RngExt;

use crate::selection::{Puct, dirichlet, forced_visits, mix_noise, pruned_visits};
use crate::tree::{Child, Tree, View};

/// Mixes Dirichlet noise into the priors of the root's moves, with weight `share`. No walk may be under way.
pub fn add_noise(tree: &mut Tree, alpha: f32, share: f32, random: &mut impl RngExt) {
    let Some(root) = tree.root() else { return };
    let mut priors: Vec<f32> = root.children().iter().map(|child| child.prior).collect();
    let noise = dirichlet(alpha, priors.len(), random);
    mix_noise(&mut priors, &noise, share);
    tree.set_root_priors(&priors);
}

/// The root's edge that a forced playout should follow, if a visited move has fewer visits than it must have.
pub fn forced_edge(root: &View<'_>, k: f32) -> Option<u16> {
    let children = root.children();
    let total = children.iter().map(|child| child.started).sum();
    let lags = |prior: f32, started: u32| started > 0 && started < forced_visits(k, prior, total);
    children.iter().find(|child| lags(child.prior, child.started)).map(|child| child.edge)
}

/// Each move's share of the visits, in the order of [`View::children`]. With `pruning`, the rule of the search, visits
/// that only forced playouts caused are left out.
pub fn visit_policy(root: &View<'_>, pruning: Option<&Puct>) -> Vec<f32> {
    let children = root.children();
    let visits: Vec<u32> = match pruning {
        Some(puct) => {
            let moves: Vec<(f32, f32, u32)> =
                children.iter().map(|child| (child.value().unwrap_or(0.0), child.prior, child.visits)).collect();
            pruned_visits(puct, &moves)
        }
        None => children.iter().map(|child| child.visits).collect(),
    };
    // A search ends as soon as a win is proven; the winning move may then have only one visit.
    let wins = |child: &Child| child.proof.is_some_and(|proof| proof.is_win());
    let loses = |child: &Child| child.proof.is_some_and(|proof| proof.is_loss());
    let winners = children.iter().filter(|child| wins(child)).count();
    if winners > 0 {
        return children.iter().map(|child| if wins(child) { 1.0 / winners as f32 } else { 0.0 }).collect();
    }
    let visits: Vec<u32> = match children.iter().all(loses) {
        true => visits,
        false => visits.iter().zip(&children).map(|(visits, child)| if loses(child) { 0 } else { *visits }).collect(),
    };
    match visits.iter().sum::<u32>() {
        // Only the evaluator's priors are known.
        0 => children.iter().map(|child| child.prior).collect(),
        total => visits.iter().map(|visits| *visits as f32 / total as f32).collect(),
    }
}
