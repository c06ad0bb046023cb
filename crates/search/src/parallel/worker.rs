//! What each thread does.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64};

use alfil_game::Game;

use super::Control;
use crate::Evaluator;
use crate::evaluators::CacheCounts;
use crate::selection::Rule;
use crate::tree::{Gathered, Leaf, Scratch, Tree, apply, gather};

/// Walks that a batch may lose to other threads' leaves before it is evaluated as it is.
const PATIENCE: u32 = 4;

/// What the threads of a search share.
pub(super) struct Shared<'a, G> {
    pub tree: &'a Tree,
    pub root: &'a G,
    pub rule: Rule,
    pub control: &'a Control,
    /// Leaves that a thread has evaluated together.
    pub batch: usize,
    /// Walks that may still begin.
    pub budget: AtomicI64,
    pub finished: AtomicBool,
    pub full: AtomicBool,
    pub counts: Counts,
}

/// What the threads have done.
#[derive(Default)]
pub(super) struct Counts {
    /// Walks, and their depths together.
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

    pub fn is_proven(&self) -> bool {
        self.tree.root().is_some_and(|root| root.proof().is_some())
    }

    fn take_ticket(&self) -> bool {
        let taken = self.budget.fetch_sub(1, Relaxed) > 0;
        if !taken {
            self.return_ticket();
        }
        taken
    }

    fn return_ticket(&self) {
        self.budget.fetch_add(1, Relaxed);
    }
}

/// Gives an empty tree its root.
pub(super) fn plant<G: Game>(tree: &Tree, root: &G, evaluator: &mut dyn Evaluator<G>) {
    let mut scratch = Scratch::new(root);
    if let Gathered::Leaf(leaf) = gather(tree, root, &Rule::default(), None, &mut scratch) {
        let mut leaf = Some(leaf);
        evaluator.add(&scratch.game, &scratch.moves);
        evaluator.run(&mut |_, evaluation| {
            if let Some(leaf) = leaf.take() {
                apply(tree, leaf, &evaluation);
            }
        });
    }
}

/// One thread's part of a search.
pub(super) struct Worker<'a, G: Game> {
    shared: &'a Shared<'a, G>,
    evaluator: &'a mut dyn Evaluator<G>,
    scratch: Scratch<G>,
    leaves: Vec<Leaf>,
    counted: CacheCounts,
}

impl<'a, G: Game> Worker<'a, G> {
    pub fn new(shared: &'a Shared<'a, G>, evaluator: &'a mut dyn Evaluator<G>) -> Worker<'a, G> {
        let counted = evaluator.cache_counts();
        Worker { shared, scratch: Scratch::new(shared.root), evaluator, leaves: Vec::new(), counted }
    }

    /// Works until the search is over.
    pub fn run(&mut self) {
        while !self.shared.is_over() && self.round() {}
    }

    /// Gathers a batch and has it evaluated. False once the budget is used up.
    pub fn round(&mut self) -> bool {
        let shared = self.shared;
        let (mut known, mut collisions, mut depths, mut longest) = (0, 0, 0, 0);
        let mut tickets = true;
        // Walks to what is known cost next to nothing, but the limits must be looked at now and then.
        while self.leaves.len() < shared.batch && collisions < PATIENCE && known < 64 {
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
            depths += u64::from(self.scratch.depth);
            longest = longest.max(self.scratch.depth);
        }
        let leaves = self.leaves.len() as u64;
        if leaves > 0 {
            let mut leaves = self.leaves.drain(..);
            self.evaluator.run(&mut |_, evaluation| {
                if let Some(leaf) = leaves.next() {
                    apply(shared.tree, leaf, &evaluation);
                }
            });
            let now = self.evaluator.cache_counts();
            shared.counts.asked.fetch_add(now.asked - self.counted.asked, Relaxed);
            shared.counts.hits.fetch_add(now.hits - self.counted.hits, Relaxed);
            self.counted = now;
        } else if known == 0 {
            // Others are at work where this thread wants to go.
            std::thread::yield_now();
        }
        shared.counts.walks.fetch_add(leaves + known, Relaxed);
        shared.counts.depths.fetch_add(depths, Relaxed);
        shared.counts.longest.fetch_max(longest, Relaxed);
        tickets
    }
}
