//! The search of one tree.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::time::{Duration, Instant};

use alfil_game::Game;

use super::report::lines;
use super::worker::{Counts, Shared, Worker, evaluate_root};
use super::{Control, Limits, SearchReport, StopReason};
use crate::cache_padded::CachePadded;
use crate::selection::Rule;
use crate::tree::{MOST_VISITS, Tree};
use crate::{Evaluator, EvaluatorError, catch_panic, spawn_scoped};

/// The name of these threads in messages.
const PART: &str = "the search";

/// How often the more expensive checks are made, and a report is considered.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How long it takes to find out whether a node is worth keeping, and to move it, on a slow machine.
const FORGETTING_A_NODE: Duration = Duration::from_nanos(500);

/// The shortest and the longest time between two reports.
const SHORTEST_REPORT_INTERVAL: Duration = Duration::from_millis(50);
const LONGEST_REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParallelSettings {
    /// How moves are selected.
    pub rule: Rule,
    /// The most leaves per batch of a thread.
    pub batch: usize,
    /// Visits that the root must have for each leaf of a batch: leaves of one batch are picked without knowing each
    /// other's values, which matters less the larger the tree is. 0 for full batches from the beginning.
    pub visits_per_leaf: u32,
    /// Whether a full tree forgets what was visited least, instead of ending the search.
    pub forget: bool,
    /// Moves to report on.
    pub lines: usize,
}

impl Default for ParallelSettings {
    /// A batch of one: larger ones make the search a little worse.
    fn default() -> ParallelSettings {
        ParallelSettings { rule: Rule::default(), batch: 1, visits_per_leaf: 0, forget: false, lines: 1 }
    }
}

/// A tree that follows a game, with the evaluators to search it.
pub struct Search<G: Game> {
    tree: Tree,
    evaluators: Vec<Box<dyn Evaluator<G>>>,
    /// How the root was reached.
    start: G,
    moves: Vec<G::Move>,
    root: G,
    /// The codes that the root's moves have been restricted to.
    only: Vec<u16>,
}

impl<G: Game> Search<G> {
    /// A search in `tree` that uses one thread per evaluator.
    pub fn new(tree: Tree, evaluators: Vec<Box<dyn Evaluator<G>>>, start: G) -> Search<G> {
        Search { tree, evaluators, root: start.clone(), start, moves: Vec::new(), only: Vec::new() }
    }

    /// The game at the root.
    pub fn root(&self) -> &G {
        &self.root
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Gives the tree back.
    pub fn into_tree(self) -> Tree {
        self.tree
    }

    /// Goes to the position after these legal moves from `start`. What is known about it is kept if it lies ahead of where
    /// the search was.
    pub fn go_to(&mut self, start: &G, moves: &[G::Move]) {
        let ahead = self.began_at(start).then(|| moves.strip_prefix(self.moves.as_slice())).flatten();
        match ahead {
            Some([]) => {}
            Some(more) => {
                let codes: Vec<u16> = more.iter().map(|&m| m.into()).collect();
                self.tree.advance(&codes);
                more.iter().for_each(|&m| self.root.play(m));
                self.only.clear();
            }
            None => {
                self.tree.clear();
                self.only.clear();
                self.start = start.clone();
                self.root = start.clone();
                moves.iter().for_each(|&m| self.root.play(m));
            }
        }
        self.moves = moves.to_vec();
    }

    /// Whether a game from `start` is the one that is being followed, by the same rules.
    fn began_at(&self, start: &G) -> bool {
        let same_rules =
            || self.start.ply_cap() == start.ply_cap() && self.start.chosen_rules() == start.chosen_rules();
        // An empty tree has nothing to keep, and rules may differ in more than these methods show.
        !self.tree.is_empty()
            && self.start.ply() == start.ply()
            && self.start.position() == start.position()
            && same_rules()
    }

    /// Forgets everything except the position.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.only.clear();
    }

    /// Searches until a limit is reached, and passes reports to `tell` on the way. The last report is returned instead.
    /// If an evaluator fails or a thread panics, all threads end, and nothing is known about the position any more.
    pub fn run(
        &mut self,
        settings: &ParallelSettings,
        limits: &Limits,
        control: &Control,
        tell: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, EvaluatorError> {
        let report = self.try_run(settings, limits, control, tell);
        if let Ok(report) = &report {
            tracing::debug!(visits = report.visits, reason = ?report.ended, "search ended");
        }
        if report.is_err() {
            // Walks were left under way, and would count as visits forever.
            self.tree.clear();
        }
        report
    }

    fn try_run(
        &mut self,
        settings: &ParallelSettings,
        limits: &Limits,
        control: &Control,
        tell: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, EvaluatorError> {
        let began = Instant::now();
        if self.only != limits.only {
            // Moves that were left out before are missing from the tree, and what is proven for all moves may not hold
            // for these.
            self.tree.clear();
            self.only.clone_from(&limits.only);
        }
        let Search { tree, evaluators, root, only, .. } = self;
        let before = tree.root().map_or(0, |root| root.visits());
        if tree.is_empty()
            && root.outcome().is_none()
            && let Some(evaluator) = evaluators.first_mut()
        {
            // The root comes first, whatever the limits: without it there is no move at all.
            catch_panic(PART, || evaluate_root(tree, root, &mut **evaluator)).flatten()?;
        }
        tree.restrict_root(only);
        let visits = tree.root().map_or(0, |root| root.visits());
        let limit = limits.visits.unwrap_or(MOST_VISITS).min(MOST_VISITS);
        let budget = i64::from(limit.saturating_sub(visits));
        let shared = Shared {
            tree,
            root,
            rule: settings.rule,
            control,
            batch: settings.batch.max(1),
            visits_per_leaf: settings.visits_per_leaf,
            sooner: limits.sooner,
            budget: CachePadded(AtomicI64::new(budget)),
            finished: AtomicBool::new(false),
            full: AtomicBool::new(false),
            counts: CachePadded(Counts::default()),
        };
        let watch = Watch { shared: &shared, settings, limits, began, before };
        let work = |evaluator: &mut Box<dyn Evaluator<G>>| {
            let worked = catch_panic(PART, || Worker::new(&shared, &mut **evaluator).run()).flatten();
            // The other threads need not go on.
            worked.inspect_err(|_| shared.finished.store(true, Relaxed))
        };
        let ended = loop {
            let ended = match evaluators.split_first_mut() {
                Some((first, others)) if !tree.is_empty() => std::thread::scope(|scope| {
                    let mut threads = Vec::new();
                    let mut start =
                        |evaluator| spawn_scoped(PART, scope, || work(evaluator)).map(|new| threads.push(new));
                    let started = others.iter_mut().try_for_each(&mut start);
                    let ended = started.and_then(|()| catch_panic(PART, || watch.work(&mut **first, tell)).flatten());
                    // Only this thread looks at the time: without it the others would go on forever.
                    shared.finished.store(true, Relaxed);
                    // All threads have ended before any failure is returned.
                    let others: Vec<_> = threads.into_iter().map(|other| other.join()).collect();
                    for other in others {
                        other.map_err(|panic| EvaluatorError::panicked(PART, &*panic)).flatten()?;
                    }
                    ended
                })?,
                _ => StopReason::NoMoves,
            };
            if ended != StopReason::Full || !settings.forget || !watch.has_time_to_forget() {
                break ended;
            }
            if !tree.forget_least(&|| control.is_stopped()) {
                break if control.is_stopped() { StopReason::Stopped } else { ended };
            }
            shared.full.store(false, Relaxed);
            shared.finished.store(false, Relaxed);
        };
        Ok(SearchReport { ended: Some(ended), ..watch.report() })
    }
}

/// The calling thread's view of a search.
struct Watch<'a, G: Game> {
    shared: &'a Shared<'a, G>,
    settings: &'a ParallelSettings,
    limits: &'a Limits,
    began: Instant,
    /// Visits that the root had before.
    before: u32,
}

impl<G: Game> Watch<'_, G> {
    /// Works until the search is over.
    fn work(
        &self,
        evaluator: &mut dyn Evaluator<G>,
        tell: &mut dyn FnMut(&SearchReport),
    ) -> Result<StopReason, EvaluatorError> {
        let mut worker = Worker::new(self.shared, evaluator);
        let (mut checked, mut told) = (self.began, self.began);
        let mut last = (None, 0);
        loop {
            let now = Instant::now();
            if let Some(ended) = self.ended(now) {
                return Ok(ended);
            }
            if now - checked >= CHECK_INTERVAL {
                checked = now;
                if self.limits.settled && self.is_settled(now) {
                    return Ok(StopReason::Settled);
                }
                let best = self.shared.tree.root().and_then(|root| root.best()).map(|best| best.code);
                let depth = self.shared.counts.0.mean_depth();
                if self.limits.depth.is_some_and(|limit| depth >= limit) {
                    return Ok(StopReason::Done);
                }
                let news = (best, depth) != last;
                if now - told >= LONGEST_REPORT_INTERVAL || news && now - told >= SHORTEST_REPORT_INTERVAL {
                    (told, last) = (now, (best, depth));
                    worker.tell();
                    tell(&self.report());
                }
            }
            if !worker.round()? {
                return Ok(StopReason::Done);
            }
        }
    }

    /// Whether there is time to go through the whole tree before the search has to end.
    fn has_time_to_forget(&self) -> bool {
        let needed = FORGETTING_A_NODE * self.shared.tree.len() as u32;
        self.shared
            .control
            .deadline()
            .is_none_or(|deadline| deadline.saturating_duration_since(Instant::now()) > needed)
    }

    fn ended(&self, now: Instant) -> Option<StopReason> {
        // Another thread ends the search early only if it failed.
        if self.shared.control.is_stopped() || self.shared.finished.load(Relaxed) {
            return Some(StopReason::Stopped);
        }
        if self.shared.is_proven() {
            return Some(StopReason::Proven);
        }
        if self.shared.full.load(Relaxed) {
            return Some(StopReason::Full);
        }
        self.shared.control.deadline().filter(|deadline| now >= *deadline).map(|_| StopReason::Time)
    }

    /// Whether no other move can get as many visits as the best one has, in what is left of visits and time.
    fn is_settled(&self, now: Instant) -> bool {
        let Some(ranked) = self.shared.tree.root().map(|root| root.ranked()) else { return false };
        let (best, second) = match ranked.as_slice() {
            [] => return false,
            [_] => return true,
            [best, second, ..] => (best.visits, second.visits),
        };
        let speed = self.walks() as f64 / (now - self.began).as_secs_f64().max(1e-6);
        if speed == 0.0 {
            return false;
        }
        let in_time = |deadline: Instant| deadline.saturating_duration_since(now).as_secs_f64() * speed;
        let left = self.shared.control.deadline().map_or(f64::INFINITY, in_time);
        let left = left.min(self.shared.budget.0.load(Relaxed) as f64);
        f64::from(best) - f64::from(second) > left
    }

    /// Visits of this search. The workers' own counts lag behind.
    fn walks(&self) -> u64 {
        self.shared.tree.root().map_or(0, |root| root.visits().saturating_sub(self.before).into())
    }

    fn report(&self) -> SearchReport {
        let Shared { tree, counts: CachePadded(counts), .. } = self.shared;
        let root = tree.root();
        SearchReport {
            visits: root.map_or(0, |root| root.visits()),
            walks: self.walks(),
            elapsed: self.began.elapsed(),
            depth: counts.mean_depth(),
            depths: counts.depths.load(Relaxed),
            longest: counts.longest.load(Relaxed),
            fill: tree.fill(),
            cache: counts.cache(),
            lines: root.map_or(Vec::new(), |root| lines(&root, self.settings.lines)),
            ended: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::tictactoe::TicTacToe;

    use super::*;
    use crate::evaluators::Uniform;

    #[test]
    fn a_search_ends_before_its_visits_cannot_be_counted() {
        let evaluators: Vec<Box<dyn Evaluator<TicTacToe>>> = vec![Box::new(Uniform::default())];
        let mut search = Search::new(Tree::new(1 << 20, 9), evaluators, TicTacToe::new(&()));
        let mut run = |limit: Option<u32>, before: Option<u32>| {
            before.into_iter().for_each(|visits| search.tree.set_root_visits(visits));
            let limits = Limits { visits: limit, ..Limits::default() };
            let report = search.run(&ParallelSettings::default(), &limits, &Control::default(), &mut |_| {}).unwrap();
            (report.visits, report.walks, report.ended)
        };
        assert_eq!(run(Some(1), None), (1, 1, Some(StopReason::Done)));
        assert_eq!(run(None, Some(MOST_VISITS - 10)), (MOST_VISITS, 10, Some(StopReason::Done)));
        assert_eq!(run(Some(u32::MAX), None), (MOST_VISITS, 0, Some(StopReason::Done)));
    }

    #[test]
    fn making_room_is_given_up_when_told_to_stop() {
        let evaluators: Vec<Box<dyn Evaluator<TicTacToe>>> = vec![Box::new(Uniform::default())];
        let mut search = Search::new(Tree::new(1 << 14, 9), evaluators, TicTacToe::new(&()));
        let limits = Limits { visits: Some(100_000), ..Limits::default() };
        let report = search.run(&ParallelSettings::default(), &limits, &Control::default(), &mut |_| {}).unwrap();
        assert_eq!(report.ended, Some(StopReason::Full));
        let nodes = search.tree.len();
        assert!(!search.tree.forget_least(&|| true) && search.tree.len() == nodes);
        assert!(search.tree.forget_least(&|| false) && search.tree.len() < nodes);
    }
}
