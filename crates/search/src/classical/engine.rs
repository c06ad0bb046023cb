//! Alpha-beta as an engine: deeper and deeper until a limit, on several threads, with several lines.
//!
//! Every thread searches the same position for itself; they meet in the transposition table, where each finds what the others have
//! found out already (Lazy SMP). The first thread's lines count. What it finds is reported like the result of a tree search, so that
//! whoever shows one can show the other.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use alfil_game::{Estimates, Knowledge, Mover, Score, Wdl};

use super::alpha_beta::AlphaBeta;
use super::descent::{Descent, PLIES};
use super::node::{GameNode, Node, WIN, expected_result, is_decided};
use super::patience::{Patience, Shared};
use super::settings::AlphaBetaSettings;
use super::transposition_table::TranspositionTable;
use crate::evaluators::CacheCounts;
use crate::parallel::{Line, SearchReport, StopReason};
use crate::tree::Proof;
use crate::{EvaluatorError, catch_panic, spawn_scoped};

/// What is reported if a thread fails.
const PART: &str = "the alpha-beta search";

/// How often it is asked whether the search should end.
const POLL: Duration = Duration::from_millis(1);

/// No iteration is deeper.
const DEEPEST_ITERATION: u32 = PLIES as u32 - 28;

/// When a search ends, besides when it is told to and when the result cannot change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassicalLimits {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions looked at, by all threads together.
    pub nodes: Option<u64>,
    /// When it ends, whatever it does. It is also asked whether to end a thousand times a second.
    pub deadline: Option<Instant>,
    /// No depth is begun after this time: it would hardly be finished. On a clock; then a single legal move is no reason to think,
    /// and a mate that was found is good enough.
    pub begin_before: Option<Instant>,
    /// How many of the best moves to find; 0 is 1.
    pub lines: usize,
    /// Codes of the moves to search; empty means all.
    pub only: Vec<u16>,
}

/// An alpha-beta engine with its memory.
pub struct ClassicalEngine<G: Estimates> {
    settings: AlphaBetaSettings,
    knowledge: Knowledge,
    table: Arc<TranspositionTable>,
    searchers: Vec<AlphaBeta<GameNode<G>>>,
}

impl<G: Estimates> ClassicalEngine<G> {
    /// Searches on `threads` threads, with a table of the settings' size; none if there is not enough memory.
    pub fn new(settings: AlphaBetaSettings, knowledge: Knowledge, threads: u32) -> Option<ClassicalEngine<G>> {
        let table = Arc::new(TranspositionTable::try_new(settings.table_bytes)?);
        let searchers = (0..threads.max(1)).map(|_| AlphaBeta::sharing(settings, Arc::clone(&table))).collect();
        Some(ClassicalEngine { settings, knowledge, table, searchers })
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.table.clear();
        let fresh = || AlphaBeta::sharing(self.settings, Arc::clone(&self.table));
        let searchers = (0..self.searchers.len()).map(|_| fresh()).collect();
        self.searchers = searchers;
    }

    /// Searches a position until a limit is reached, or `ends` says so, and tells after every depth what was found. With one thread
    /// and no limit of time, the same searches find the same.
    pub fn think(
        &mut self,
        game: &G,
        limits: &ClassicalLimits,
        ends: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, EvaluatorError> {
        let begun = Instant::now();
        let node = GameNode { game: game.lean(), knowledge: self.knowledge };
        let (done, nodes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let shared = Shared { done: Arc::clone(&done), most: limits.nodes, nodes, deadline: limits.deadline };
        self.table.begin();
        let table = &self.table;
        let Some((first, others)) = self.searchers.split_first_mut() else { return Ok(empty(begun)) };
        let mut report = empty(begun);
        std::thread::scope(|scope| {
            let (sender, reports) = channel();
            let mut threads = Vec::new();
            for (number, helper) in (1..).zip(others) {
                let (node, shared) = (&node, shared.clone());
                let work =
                    move || catch_panic(PART, || Iteration { node, limits, table, begun }.help(helper, shared, number));
                match spawn_scoped(PART, scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        done.store(true, Relaxed);
                        return Err(error);
                    }
                }
            }
            let (node, its) = (&node, shared.clone());
            let work = move || {
                catch_panic(PART, || {
                    Iteration { node, limits, table, begun }.run(first, its, &mut |report| drop(sender.send(report)))
                })
            };
            let first = spawn_scoped(PART, scope, work).inspect_err(|_| done.store(true, Relaxed))?;
            loop {
                match reports.recv_timeout(POLL) {
                    Ok(new) => {
                        report = new;
                        // The last one comes again at the end.
                        if report.ended.is_none() {
                            tell(&report);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) if ends() => done.store(true, Relaxed),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            done.store(true, Relaxed);
            threads.push(first);
            // A panic ends its thread, not the program.
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
        })?;
        if report.ended == Some(StopReason::Time) && ends() {
            report.ended = Some(StopReason::Stopped);
        }
        Ok(report)
    }
}

/// What is known before the first depth.
fn empty(begun: Instant) -> SearchReport {
    SearchReport {
        visits: 0,
        walks: 0,
        elapsed: begun.elapsed(),
        depth: 0,
        depths: 0,
        longest: 0,
        fill: 0.0,
        cache: CacheCounts::default(),
        lines: Vec::new(),
        ended: Some(StopReason::NoMoves),
    }
}

/// One thread's way from depth to depth.
struct Iteration<'a, G: Estimates> {
    node: &'a GameNode<G>,
    limits: &'a ClassicalLimits,
    table: &'a TranspositionTable,
    begun: Instant,
}

/// A line from the root.
type Variation<M> = (i32, Vec<M>);

impl<G: Estimates> Iteration<'_, G> {
    /// Fills the table, until the first thread has ended. Helpers are not all at the same depth.
    fn help(&self, searcher: &mut AlphaBeta<GameNode<G>>, shared: Shared, number: u32) {
        let mut searcher = searcher.begin(Patience::of(shared));
        searcher.restrict(&self.limits.only, &[]);
        let mut expected = None;
        for depth in 1 + number % 2..=self.limits.depth.unwrap_or(DEEPEST_ITERATION).min(DEEPEST_ITERATION) {
            let Some((value, _)) = searcher.deepen(self.node, depth, expected) else { return };
            expected = Some(value);
        }
    }

    /// Searches deeper and deeper, and tells what was found.
    fn run(&self, searcher: &mut AlphaBeta<GameNode<G>>, shared: Shared, tell: &mut dyn FnMut(SearchReport)) {
        let mut moves = Vec::new();
        if self.node.expand(&mut moves).is_some() {
            return;
        }
        moves.retain(|m| self.limits.only.is_empty() || self.limits.only.contains(&self.node.code(*m)));
        let wanted = self.limits.lines.max(1).min(moves.len());
        let done = Arc::clone(&shared.done);
        let all_nodes = Arc::clone(&shared.nodes);
        let mut searcher = searcher.begin(Patience::of(shared));
        let mut lines: Vec<Variation<G::Move>> = Vec::new();
        let deepest = self.limits.depth.unwrap_or(DEEPEST_ITERATION).clamp(1, DEEPEST_ITERATION);
        let mut depth = 0;
        let mut ended = StopReason::Done;
        while depth < deepest && wanted > 0 {
            depth += 1;
            let mut found: Vec<Variation<G::Move>> = Vec::new();
            while found.len() < wanted {
                let known: Vec<u16> =
                    found.iter().filter_map(|(_, line)| Some(self.node.code(*line.first()?))).collect();
                searcher.restrict(&self.limits.only, &known);
                let expected = lines.get(found.len()).map(|(value, _)| *value);
                match searcher.deepen(self.node, depth, expected) {
                    Some((value, line)) if !line.is_empty() => found.push((value, line)),
                    _ => break,
                }
            }
            let interrupted = found.len() < wanted || done.load(Relaxed);
            // What was found before an interruption is better than what was expected; the rest are lines of the last depth.
            let new: Vec<Option<G::Move>> = found.iter().map(|(_, line)| line.first().copied()).collect();
            let rest = lines.drain(..).filter(|(_, line)| !new.contains(&line.first().copied()));
            found.extend(rest.collect::<Vec<_>>());
            found.truncate(wanted);
            // Stable: an interrupted depth's line stays the first among equals.
            found.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
            lines = found;
            if interrupted {
                ended = StopReason::Time;
                break;
            }
            let best = lines.first().map_or(0, |(value, _)| *value);
            let plies = (WIN - best.abs()).unsigned_abs();
            let is_over = is_decided(best) && plies <= depth && wanted == 1 && self.limits.depth.is_none();
            let on_clock = self.limits.begin_before;
            if is_over || on_clock.is_some_and(|before| moves.len() == 1 || Instant::now() >= before) {
                ended = if is_over { StopReason::Proven } else { StopReason::Settled };
                break;
            }
            if depth < deepest {
                tell(self.report(&searcher, &all_nodes, depth, &lines, None));
            }
        }
        if lines.is_empty() {
            // Not even the first depth was finished: any move is better than none.
            lines.extend(moves.first().map(|m| (self.node.evaluate(), vec![*m])));
        }
        tell(self.report(&searcher, &all_nodes, depth, &lines, Some(ended)));
    }

    fn report(
        &self,
        searcher: &Descent<'_, GameNode<G>>,
        all_nodes: &AtomicU64,
        depth: u32,
        lines: &[Variation<G::Move>],
        ended: Option<StopReason>,
    ) -> SearchReport {
        let nodes = all_nodes.load(Relaxed).max(searcher.nodes());
        SearchReport {
            visits: u32::try_from(nodes).unwrap_or(u32::MAX),
            walks: nodes,
            elapsed: self.begun.elapsed(),
            depth,
            depths: nodes,
            longest: searcher.longest() as u32,
            fill: self.table.fill(),
            cache: CacheCounts::default(),
            lines: lines.iter().map(|line| self.line(line, nodes)).collect(),
            ended,
        }
    }

    fn line(&self, (value, line): &Variation<G::Move>, nodes: u64) -> Line {
        let score = |score| Mover(Wdl::from_score(score));
        let plies = |value: i32| u16::try_from(WIN - value.abs()).unwrap_or(u16::MAX);
        let proof = match *value {
            value if !is_decided(value) => None,
            value if value > 0 => Some(Proof { score: Mover(Score::WIN), plies: plies(value) }),
            value => Some(Proof { score: Mover(Score::LOSS), plies: plies(value) }),
        };
        Line {
            codes: self.extended(line).iter().map(|m| self.node.code(*m)).collect(),
            visits: u32::try_from(nodes).unwrap_or(u32::MAX),
            prior: 0.0,
            wdl: proof.map_or_else(|| Mover(Wdl::from_value(expected_result(*value))), |proof| score(proof.score.0)),
            moves_left: None,
            proof,
            estimate: Some(*value).filter(|value| !is_decided(*value)),
        }
    }

    /// A line with what the table expects after it: entries of the table cut lines short.
    fn extended(&self, line: &[G::Move]) -> Vec<G::Move> {
        const LONGEST: usize = 32;
        let mut line = line.to_vec();
        let mut node = self.node.clone();
        line.iter().for_each(|m| node.play(*m));
        let mut moves = Vec::new();
        while line.len() < LONGEST && !node.is_repetition() && node.expand(&mut moves).is_none() {
            let best = self.table.get(node.key()).and_then(|entry| entry.best);
            let Some(m) = moves.iter().copied().find(|m| Some(node.code(*m)) == best) else { break };
            line.push(m);
            node.play(m);
        }
        line
    }
}
