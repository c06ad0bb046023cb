//! What each thread does.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64};

use alfil_game::Game;

use super::Control;
use crate::cache_padded::CachePadded;
use crate::evaluators::CacheCounts;
use crate::selection::Rule;
use crate::tree::{Gathered, Leaf, Proof, Scratch, Tree, apply, gather};
use crate::{Evaluator, EvaluatorError};

/// After this many collisions with other threads' leaves a batch is evaluated as it is.
const MOST_COLLISIONS: u32 = 4;

/// What the threads of a search share.
pub(super) struct Shared<'a, G> {
    pub tree: &'a Tree,
    pub root: &'a G,
    pub rule: Rule,
    pub control: &'a Control,
    /// The most leaves per batch of a thread, and the visits that the root must have for each.
    pub batch: usize,
    pub visits_per_leaf: u32,
    /// Whether a proven win does not end the search while there are moves that may win sooner.
    pub sooner: bool,
    /// Walks that may still begin.
    pub budget: CachePadded<AtomicI64>,
    pub finished: AtomicBool,
    pub full: AtomicBool,
    pub counts: CachePadded<Counts>,
}

/// A worker adds its counts to the shared ones after this many walks.
const COUNT_INTERVAL: u64 = 64;

/// What the threads have done.
#[derive(Default)]
pub(super) struct Counts {
    /// Walks, and the sum of their depths.
    pub walks: AtomicU64,
    pub depths: AtomicU64,
    pub longest: AtomicU32,
    asked: AtomicU64,
    hits: AtomicU64,
}

impl Counts {
    pub fn mean_depth(&self) -> u32 {
        (self.depths.load(Relaxed) / self.walks.load(Relaxed).max(1)) as u32
    }

    pub fn cache(&self) -> CacheCounts {
        CacheCounts { asked: self.asked.load(Relaxed), hits: self.hits.load(Relaxed) }
    }
}

impl<G: Game> Shared<'_, G> {
    /// Whether there is nothing more to do.
    pub fn is_over(&self) -> bool {
        self.finished.load(Relaxed) || self.control.is_stopped() || self.full.load(Relaxed) || self.is_proven()
    }

    /// Whether the result is proven, and nothing better can be found.
    pub fn is_proven(&self) -> bool {
        self.tree.root().is_some_and(|root| {
            let goes_on = |proof: Proof| self.sooner && proof.is_win() && proof.plies > 1 && root.has_unproven_move();
            root.proof().is_some_and(|proof| !goes_on(proof))
        })
    }

    /// Leaves for the next batch of a thread.
    fn next_batch(&self) -> usize {
        let visits = self.tree.root().map_or(0, |root| root.visits());
        visits.checked_div(self.visits_per_leaf).map_or(self.batch, |leaves| (leaves as usize).clamp(1, self.batch))
    }

    fn take_ticket(&self) -> bool {
        let taken = self.budget.0.fetch_sub(1, Relaxed) > 0;
        if !taken {
            self.return_ticket();
        }
        taken
    }

    fn return_ticket(&self) {
        self.budget.0.fetch_add(1, Relaxed);
    }
}

/// Gives an empty tree its root.
pub(super) fn evaluate_root<G: Game>(
    tree: &Tree,
    root: &G,
    evaluator: &mut dyn Evaluator<G>,
) -> Result<(), EvaluatorError> {
    let mut scratch = Scratch::new(root);
    if let Gathered::Leaf(leaf) = gather(tree, root, &Rule::default(), None, &mut scratch) {
        let mut leaf = Some(leaf);
        evaluator.add(&scratch.game, &scratch.moves);
        evaluator.run(&mut |_, evaluation| {
            if let Some(leaf) = leaf.take() {
                apply(tree, leaf, &evaluation);
            }
        })?;
    }
    Ok(())
}

/// One thread's part of a search.
pub(super) struct Worker<'a, G: Game> {
    shared: &'a Shared<'a, G>,
    evaluator: &'a mut dyn Evaluator<G>,
    scratch: Scratch<G>,
    leaves: Vec<Leaf>,
    /// What has not been added to the shared counts yet.
    walks: u64,
    depths: u64,
    longest: u32,
    counted: CacheCounts,
}

impl<G: Game> Drop for Worker<'_, G> {
    fn drop(&mut self) {
        self.tell();
    }
}

impl<'a, G: Game> Worker<'a, G> {
    pub fn new(shared: &'a Shared<'a, G>, evaluator: &'a mut dyn Evaluator<G>) -> Worker<'a, G> {
        let counted = evaluator.cache_counts();
        let scratch = Scratch::new(shared.root);
        Worker { shared, evaluator, scratch, leaves: Vec::new(), walks: 0, depths: 0, longest: 0, counted }
    }

    /// Works until the search is over.
    pub fn run(&mut self) -> Result<(), EvaluatorError> {
        while !self.shared.is_over() && self.round()? {}
        Ok(())
    }

    /// Gathers a batch and has it evaluated. False once the budget is used up.
    pub fn round(&mut self) -> Result<bool, EvaluatorError> {
        let shared = self.shared;
        let (mut known, mut collisions) = (0, 0);
        let mut tickets = true;
        let batch = shared.next_batch();
        // Walks to known nodes cost almost nothing, but the limits must be checked now and then.
        while self.leaves.len() < batch && collisions < MOST_COLLISIONS && known < 64 {
            tickets = shared.take_ticket();
            if !tickets {
                break;
            }
            match gather(shared.tree, shared.root, &shared.rule, None, &mut self.scratch) {
                Gathered::Leaf(leaf) => {
                    self.evaluator.add(&self.scratch.game, &self.scratch.moves);
                    self.leaves.push(leaf);
                }
                Gathered::Known => known += 1,
                Gathered::Collision => {
                    shared.return_ticket();
                    collisions += 1;
                    continue;
                }
                Gathered::Full => {
                    shared.return_ticket();
                    shared.full.store(true, Relaxed);
                    break;
                }
            }
            self.walks += 1;
            self.depths += u64::from(self.scratch.depth);
            self.longest = self.longest.max(self.scratch.depth);
            if known > 0 && shared.is_proven() {
                break;
            }
        }
        if !self.leaves.is_empty() {
            let mut leaves = self.leaves.drain(..);
            self.evaluator.run(&mut |_, evaluation| {
                if let Some(leaf) = leaves.next() {
                    apply(shared.tree, leaf, &evaluation);
                }
            })?;
        } else if known == 0 {
            // Other threads are at work on the leaves that this thread would reach.
            std::thread::yield_now();
        }
        if self.walks >= COUNT_INTERVAL {
            self.tell();
        }
        Ok(tickets)
    }

    /// Adds what this worker has done to the shared counts.
    pub fn tell(&mut self) {
        let counts = &self.shared.counts.0;
        counts.walks.fetch_add(self.walks, Relaxed);
        counts.depths.fetch_add(self.depths, Relaxed);
        counts.longest.fetch_max(self.longest, Relaxed);
        let now = self.evaluator.cache_counts();
        counts.asked.fetch_add(now.asked - self.counted.asked, Relaxed);
        counts.hits.fetch_add(now.hits - self.counted.hits, Relaxed);
        (self.walks, self.depths, self.counted) = (0, 0, now);
    }
}
