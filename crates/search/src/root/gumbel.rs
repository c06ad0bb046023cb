//! Gumbel search at the root.

use super::proven::{leave_out_losses, proven_wins};
use crate::selection::{Gumbel, GumbelMove, considered_visits};
use crate::tree::{Child, View};

/// A plan for a known number of walks: moves are drawn from the policy without replacement, and sequential halving
/// shares out the walks among them.
pub struct GumbelRoot {
    gumbel: Gumbel,
    /// Gumbel noise of each edge.
    noise: Vec<f32>,
    /// Visits from earlier searches, which are not part of this plan.
    before: Vec<u32>,
    /// For each walk, the visits that its move must have so far.
    table: Vec<u32>,
    begun: usize,
    /// Buffers for the current state of the moves, reused.
    children: Vec<Child>,
    moves: Vec<GumbelMove>,
}

impl GumbelRoot {
    /// Plans `simulations` walks over at most `considered` moves of a root that has been evaluated. `noise` is asked once per
    /// move: for [Gumbel noise](crate::selection::gumbel_noise), which explores, or for 0, which tries the moves with the
    /// highest priors.
    pub fn new(
        root: &View<'_>,
        simulations: usize,
        considered: usize,
        gumbel: Gumbel,
        mut noise: impl FnMut() -> f32,
    ) -> GumbelRoot {
        let children = root.children();
        GumbelRoot {
            gumbel,
            noise: children.iter().map(|_| noise()).collect(),
            before: children.iter().map(|child| child.started).collect(),
            table: considered_visits(considered.min(children.len()), simulations),
            begun: 0,
            moves: Vec::with_capacity(children.len()),
            children,
        }
    }

    /// The root's edge for the next walk to [begin with](crate::tree::gather); `None` once all have begun.
    pub fn next(&mut self, root: &View<'_>) -> Option<u16> {
        let wanted = *self.table.get(self.begun)?;
        root.read_children(&mut self.children);
        weigh(root, &self.children, &self.gumbel, &mut self.moves);
        let lag = |child: &Child| self.begun_visits(child).abs_diff(wanted);
        // All candidates have the visits that the table wants, except where an earlier walk collided or found the tree
        // full.
        let least = self.children.iter().map(lag).min()?;
        let noise = |edge: usize| *self.noise.get(edge).unwrap_or(&0.0);
        let edge = preferred(&self.gumbel, &self.children, &self.moves, noise, |child| lag(child) == least)?.edge;
        self.begun += 1;
        Some(edge)
    }

    /// The strongest move: of those that this plan has visited most, the one with the largest share of the [improved
    /// policy](improved_policy). A move that was given up early keeps a value that few visits have checked, and must not win by it.
    /// Noise decides what is tried, not what is best: that would be a draw from the policy. A proven win comes first whatever
    /// the plan, and a proven loss only if there is nothing else.
    pub fn best(&self, root: &View<'_>) -> Option<Child> {
        let best = root.best()?;
        if best.proof.is_some_and(|proof| proof.is_win() || proof.is_loss()) {
            return Some(best);
        }
        let (children, mut moves) = (root.children(), Vec::new());
        weigh(root, &children, &self.gumbel, &mut moves);
        let open = |child: &Child| child.visits > 0 && !child.proof.is_some_and(|proof| proof.is_loss());
        let most = children.iter().filter(|child| open(child)).map(|child| self.begun_visits(child)).max();
        let is_verified = |child: &Child| open(child) && Some(self.begun_visits(child)) == most;
        preferred(&self.gumbel, &children, &moves, |_| 0.0, is_verified).or(Some(best))
    }

    fn begun_visits(&self, child: &Child) -> u32 {
        child.started.saturating_sub(*self.before.get(usize::from(child.edge)).unwrap_or(&0))
    }
}

/// The move with the largest `g + logit + σ(q)` among those that `among` accepts, where `noise` gives g for each edge.
fn preferred(
    gumbel: &Gumbel,
    children: &[Child],
    moves: &[GumbelMove],
    noise: impl Fn(usize) -> f32,
    among: impl Fn(&Child) -> bool,
) -> Option<Child> {
    let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
    let score =
        |(child, m): &(&Child, &GumbelMove)| noise(usize::from(child.edge)) + m.logit() + gumbel.transform(m.q, most);
    let candidates = children.iter().zip(moves).filter(|(child, _)| among(child));
    candidates.max_by(|a, b| score(a).total_cmp(&score(b))).map(|(child, _)| *child)
}

/// The policy to learn: `softmax(logits + σ(completed q))`, in the order of [`View::children`]. Proofs say more than values: proven wins
/// share all of it, and proven losses have none of it while there is another move.
pub fn improved_policy(root: &View<'_>, gumbel: &Gumbel) -> Vec<f32> {
    let children = root.children();
    if let Some(wins) = proven_wins(&children) {
        return wins;
    }
    let mut moves = Vec::new();
    weigh(root, &children, gumbel, &mut moves);
    gumbel.improve(&mut moves);
    let mut shares: Vec<f32> = moves.iter().map(|m| m.share).collect();
    leave_out_losses(&children, &mut shares);
    shares
}

/// Fills `moves` with the children: visited ones with their own value, the others with the mixed one.
fn weigh(root: &View<'_>, children: &[Child], gumbel: &Gumbel, moves: &mut Vec<GumbelMove>) {
    moves.clear();
    moves.extend(children.iter().map(|child| GumbelMove {
        prior: child.prior,
        q: child.value().unwrap_or(0.0),
        visits: child.visits,
        started: child.started,
        share: 0.0,
    }));
    gumbel.complete(root.own_value(), moves);
}
