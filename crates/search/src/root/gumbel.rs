//! Gumbel search at the root.

use rand::RngExt;

use crate::selection::{Gumbel, considered_visits, gumbel_noise};
use crate::tree::{Child, View};

/// A plan for a known number of walks: moves are drawn from the policy without replacement, and walks are dealt out to them
/// by sequential halving.
pub struct GumbelRoot {
    gumbel: Gumbel,
    /// For each edge.
    noise: Vec<f32>,
    /// Visits from earlier searches, which are not part of this plan.
    before: Vec<u32>,
    /// The visits that the move of each walk must have.
    table: Vec<u32>,
    begun: usize,
}

impl GumbelRoot {
    /// Plans `simulations` walks over at most `considered` moves of a root that has been evaluated.
    pub fn new(
        root: &View<'_>,
        simulations: usize,
        considered: usize,
        gumbel: Gumbel,
        random: &mut impl RngExt,
    ) -> GumbelRoot {
        let children = root.children();
        GumbelRoot {
            gumbel,
            noise: children.iter().map(|_| gumbel_noise(random)).collect(),
            before: children.iter().map(|child| child.started).collect(),
            table: considered_visits(considered.min(children.len()), simulations),
            begun: 0,
        }
    }

    /// The root's edge for the next walk to [begin with](crate::tree::gather), until all have begun.
    pub fn next(&mut self, root: &View<'_>) -> Option<u16> {
        let wanted = *self.table.get(self.begun)?;
        let children = root.children();
        let lag = |child: &Child| self.begun_visits(child).abs_diff(wanted);
        // All candidates have the visits that the table wants, but where a walk came to nothing.
        let least = children.iter().map(lag).min()?;
        let noise = |edge: usize| *self.noise.get(edge).unwrap_or(&0.0);
        let edge = self.preferred(root, &children, noise, |child| lag(child) == least)?.edge;
        self.begun += 1;
        Some(edge)
    }

    /// Takes back the last [`next`](GumbelRoot::next), whose walk came to nothing.
    pub fn take_back(&mut self) {
        self.begun = self.begun.saturating_sub(1);
    }

    /// The strongest move: of those that were tried the one that the [improved policy](improved_policy) likes best. Chance
    /// decides what is tried, not what is best: that would be a draw from the policy. A proven win is best whatever the plan, and
    /// a proven loss only if there is nothing else.
    pub fn best(&self, root: &View<'_>) -> Option<Child> {
        let children = root.children();
        let best = root.best()?;
        if best.proof.is_some_and(|proof| proof.is_win() || proof.is_loss()) {
            return Some(best);
        }
        let open = |child: &Child| child.visits > 0 && !child.proof.is_some_and(|proof| proof.is_loss());
        self.preferred(root, &children, |_| 0.0, open).or(Some(best))
    }

    /// Of some moves the one with the largest `g + logit + σ(q)`, with this `g` for each edge.
    fn preferred(
        &self,
        root: &View<'_>,
        children: &[Child],
        noise: impl Fn(usize) -> f32,
        among: impl Fn(&Child) -> bool,
    ) -> Option<Child> {
        let completed = completed(root, children, &self.gumbel);
        let most = children.iter().map(|child| child.visits).max().unwrap_or(0);
        let score = |child: &Child| {
            let edge = usize::from(child.edge);
            let logit = child.prior.max(f32::MIN_POSITIVE).ln();
            noise(edge) + logit + self.gumbel.transform(completed[edge], most)
        };
        children.iter().filter(|child| among(child)).max_by(|a, b| score(a).total_cmp(&score(b))).copied()
    }

    fn begun_visits(&self, child: &Child) -> u32 {
        child.started.saturating_sub(*self.before.get(usize::from(child.edge)).unwrap_or(&0))
    }
}

/// The policy to learn: `softmax(logits + σ(completed q))`, in the order of [`View::children`].
pub fn improved_policy(root: &View<'_>, gumbel: &Gumbel) -> Vec<f32> {
    let children = root.children();
    let (priors, visits): (Vec<f32>, Vec<u32>) = children.iter().map(|child| (child.prior, child.visits)).unzip();
    gumbel.improved(&priors, &completed(root, &children, gumbel), &visits)
}

/// Every move's own value, or the mixed one.
fn completed(root: &View<'_>, children: &[Child], gumbel: &Gumbel) -> Vec<f32> {
    let (priors, visits): (Vec<f32>, Vec<u32>) = children.iter().map(|child| (child.prior, child.visits)).unzip();
    let values: Vec<f32> = children.iter().map(|child| child.value().unwrap_or(0.0)).collect();
    gumbel.completed(root.own_value(), &priors, &values, &visits)
}
