//! AlphaZero's way: noise on the priors, and visits as the policy to learn.

use rand::RngExt;

use super::proven::{leave_out_losses, proven_wins};
use crate::selection::{Puct, dirichlet, forced_visits, mix_noise, pruned_visits};
use crate::tree::{Tree, View};

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
    if let Some(wins) = proven_wins(&children) {
        return wins;
    }
    let visits: Vec<u32> = match pruning {
        Some(puct) => {
            let moves: Vec<(f32, f32, u32)> =
                children.iter().map(|child| (child.value().unwrap_or(0.0), child.prior, child.visits)).collect();
            pruned_visits(puct, &moves)
        }
        None => children.iter().map(|child| child.visits).collect(),
    };
    let total: u32 = visits.iter().sum();
    let mut shares: Vec<f32> = match total {
        // Only the evaluator's priors are known.
        0 => children.iter().map(|child| child.prior).collect(),
        _ => visits.iter().map(|visits| *visits as f32 / total as f32).collect(),
    };
    leave_out_losses(&children, &mut shares);
    shares
}
