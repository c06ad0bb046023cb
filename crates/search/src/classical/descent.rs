//! One search: down the tree and back.

use super::history::History;
use super::node::{DEEPEST, INFINITE, Node, WIN, at_ply, is_decided};
use super::patience::Patience;
use super::reductions;
use super::settings::AlphaBetaSettings;
use super::transposition_table::{Bound, Entry, TranspositionTable};

/// Half the width of the first aspiration window, in hundredths of a pawn.
const ASPIRATION: i32 = 40;

/// A search after a pass is this many plies shallower; for play, one more per this many plies of depth.
const NULL_REDUCTION: u32 = 2;
const NULL_REDUCTION_DEPTH: u32 = 5;

/// Lines do not go deeper, extensions and captures included.
pub(super) const PLIES: usize = 128;

/// The depths up to which futility is considered, and what a ply may be worth, in hundredths of a pawn.
const FUTILE_DEPTH: u32 = 6;
const FUTILE_PLY: i32 = 90;
/// Razoring: up to this depth, and what may be missing per ply.
const RAZOR_DEPTH: u32 = 2;
const RAZOR_PLY: i32 = 300;
/// In the quiescence search, a capture has to come so near to the window besides what it captures.
const DELTA: i32 = 200;
/// Up to this depth, only `LATE_MOVES + depth²` quiet moves are searched.
const LATE_DEPTH: u32 = 4;
const LATE_MOVES: usize = 4;

/// Memory that a search works in: it grows to what the deepest line needs, and is reused.
pub(super) struct Scratch<M> {
    /// The codes of the moves on the way to the position that is being searched; none for a pass.
    path: Vec<Option<u16>>,
    /// Lists of moves that nobody uses.
    lists: Vec<Vec<M>>,
    /// The codes of the quiet moves that have been tried, ply after ply.
    tried: Vec<u16>,
    /// Moves with their ranks and places, while they are sorted.
    ranked: Vec<(i64, usize, M)>,
}

impl<M> Default for Scratch<M> {
    fn default() -> Scratch<M> {
        Scratch { path: Vec::new(), lists: Vec::new(), tried: Vec::new(), ranked: Vec::new() }
    }
}

impl<M: Copy> Scratch<M> {
    fn take(&mut self) -> Vec<M> {
        let mut list = self.lists.pop().unwrap_or_default();
        list.clear();
        list
    }

    /// Sorts moves by rank, the smallest first; ties keep their order.
    fn sort(&mut self, moves: &mut [M], rank: impl Fn(M) -> i64) {
        self.ranked.clear();
        self.ranked.extend(moves.iter().enumerate().map(|(place, &m)| (rank(m), place, m)));
        self.ranked.sort_unstable_by_key(|(rank, place, _)| (*rank, *place));
        moves.iter_mut().zip(&self.ranked).for_each(|(to, (.., m))| *to = *m);
    }

    #[cfg(test)]
    pub fn lists(&self) -> usize {
        self.lists.len()
    }
}

/// What is asked of a position: its value if that lies between `alpha` and `beta`; else a bound on the side where it lies.
#[derive(Clone, Copy)]
struct Task {
    depth: u32,
    /// Plies from the root.
    ply: usize,
    alpha: i32,
    beta: i32,
    /// Whether the last move was a pass.
    passed: bool,
}

/// A search under way.
pub(super) struct Descent<'a, N: Node> {
    settings: AlphaBetaSettings,
    table: &'a TranspositionTable,
    history: &'a mut History,
    scratch: &'a mut Scratch<N::Move>,
    patience: Patience<'a>,
    /// Codes of the only moves to search at the root; all if there are none.
    only: Vec<u16>,
    /// Codes of moves of the root that are left out, because they already have lines of their own.
    known: Vec<u16>,
    nodes: u64,
    leaves: u64,
    /// The deepest ply of this search.
    longest: usize,
    /// The best line of the current depth at the root, once it is better than what the search expected at least.
    improved: Option<(i32, Vec<N::Move>)>,
}

impl<'a, N: Node> Descent<'a, N> {
    pub fn new(
        settings: AlphaBetaSettings,
        table: &'a TranspositionTable,
        history: &'a mut History,
        scratch: &'a mut Scratch<N::Move>,
        patience: Patience<'a>,
    ) -> Descent<'a, N> {
        let (only, known) = (Vec::new(), Vec::new());
        Descent {
            settings,
            table,
            history,
            scratch,
            patience,
            only,
            known,
            nodes: 0,
            leaves: 0,
            longest: 0,
            improved: None,
        }
    }

    /// Restricts the root to some moves, and leaves out others.
    pub fn restrict(&mut self, only: &[u16], known: &[u16]) {
        self.only = only.to_vec();
        self.known = known.to_vec();
    }

    /// Positions looked at so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Positions so far whose value was an estimate or an end.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The deepest ply so far.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether its patience has ended.
    pub fn is_over(&self) -> bool {
        self.patience.is_over()
    }

    /// Searches to one depth, around the value that is expected. If its patience ends, what is certain until then: a
    /// line that is better than expected, or none.
    pub fn deepen(&mut self, node: &N, depth: u32, expected: Option<i32>) -> Option<(i32, Vec<N::Move>)> {
        let narrow = expected.filter(|value| self.settings.aspiration && !is_decided(*value));
        let mut alpha = narrow.map_or(-INFINITE, |value| value - ASPIRATION);
        let mut beta = narrow.map_or(INFINITE, |value| value + ASPIRATION);
        loop {
            let mut line = Vec::new();
            self.improved = None;
            self.scratch.path.clear();
            let value = self.descend(node, Task { depth, ply: 0, alpha, beta, passed: false }, &mut line);
            if self.patience.is_over() {
                return self.improved.take();
            }
            if value <= alpha && alpha > -INFINITE {
                alpha = -INFINITE;
            } else if value >= beta && beta < INFINITE {
                beta = INFINITE;
            } else {
                return Some((value, line));
            }
        }
    }

    /// The answer to a task, with the best line if its value lies inside the window. Fail-soft: a bound is as tight as was seen.
    /// Without patience any number, which nobody may use.
    fn descend(&mut self, node: &N, task: Task, line: &mut Vec<N::Move>) -> i32 {
        self.nodes += 1;
        self.longest = self.longest.max(task.ply);
        if self.patience.ends(self.nodes) {
            return 0;
        }
        if self.settings.repetitions && task.ply > 0 && node.is_repetition() {
            self.leaves += 1;
            return 0;
        }
        // Whatever way the search of this position ends, its lists are given back.
        let (mut moves, mut below) = (self.scratch.take(), self.scratch.take());
        let tried = self.scratch.tried.len();
        let value = self.search(node, task, line, &mut moves, &mut below);
        self.scratch.tried.truncate(tried);
        self.scratch.lists.extend([below, moves]);
        value
    }

    fn search(
        &mut self,
        node: &N,
        task: Task,
        line: &mut Vec<N::Move>,
        moves: &mut Vec<N::Move>,
        below: &mut Vec<N::Move>,
    ) -> i32 {
        let settings = self.settings;
        let Task { mut depth, ply, mut alpha, beta, passed } = task;
        let in_check =
            (settings.check_extensions || settings.futility || settings.late_move_reductions) && node.is_in_check();
        if settings.check_extensions && in_check && ply + 2 < PLIES {
            depth += 1;
        }
        if depth == 0 && !settings.quiescence {
            self.leaves += 1;
            return at_ply(node.at_horizon(moves), ply as i32);
        }
        if depth == 0 || ply + 1 >= PLIES {
            return self.quiesce(node, ply, alpha, beta, moves);
        }
        // Where only a lack of moves can have ended the game, the table and the prunings come before all moves are generated.
        let rules_first = ply == 0 || node.may_be_over();
        if rules_first && let Some(end) = node.expand(moves) {
            self.leaves += 1;
            return at_ply(end, ply as i32);
        }
        let known = if settings.table { self.table.get(node.key()) } else { None };
        // The root needs a move, not only a value.
        if let Some(value) = known.filter(|_| ply > 0).and_then(|entry| self.remembered(entry, Task { depth, ..task }))
        {
            return value;
        }

        let zero_window = beta - alpha == 1;
        let quiet_position = !in_check && ply > 0 && !is_decided(alpha) && !is_decided(beta);
        let may_pass = settings.null_move && !passed && ply > 0 && depth > NULL_REDUCTION && !is_decided(beta);
        let futile = settings.futility && zero_window && quiet_position;
        let estimate = if may_pass && !in_check || futile { node.evaluate() } else { 0 };
        if futile && !passed {
            let plies = depth as i32;
            if depth <= FUTILE_DEPTH && estimate - FUTILE_PLY * plies >= beta {
                return estimate;
            }
            if depth <= RAZOR_DEPTH && estimate + RAZOR_PLY * plies <= alpha {
                let value = self.quiesce(node, ply, alpha, beta, below);
                below.clear();
                if value <= alpha {
                    return value;
                }
            }
        }
        let pass = if may_pass && !in_check && estimate >= beta { node.passed() } else { None };
        if let Some(after) = pass {
            let more = if settings.late_move_reductions { 1 + depth / NULL_REDUCTION_DEPTH } else { 0 };
            let reduced = (depth - 1).saturating_sub(NULL_REDUCTION + more);
            self.scratch.path.push(None);
            let task = Task { depth: reduced, ply: ply + 1, alpha: -beta, beta: -beta + 1, passed: true };
            let value = -self.descend(&after, task, below);
            below.clear();
            self.scratch.path.pop();
            if value >= beta && !is_decided(value) || self.patience.is_over() {
                return value;
            }
        }

        if !rules_first && let Some(end) = node.expand(moves) {
            self.leaves += 1;
            return at_ply(end, ply as i32);
        }
        if ply == 0 {
            let (only, left_out) = (&self.only, &self.known);
            let is_wanted = |code: u16| (only.is_empty() || only.contains(&code)) && !left_out.contains(&code);
            moves.retain(|m| is_wanted(node.code(*m)));
        }
        self.order(node, ply, known.and_then(|entry| entry.best), moves);
        let (mut best, mut best_move) = (-INFINITE, None);
        let window_low = alpha;
        let first_tried = self.scratch.tried.len();
        for (number, &m) in moves.iter().enumerate() {
            let code = node.code(m);
            let is_quiet = node.gain(m) <= 0;
            let may_skip = number > 0 && quiet_position && best > DEEPEST - WIN;
            let hopeful = estimate + FUTILE_PLY * (1 + depth as i32);
            let far_below = settings.futility && depth <= FUTILE_DEPTH && hopeful <= alpha;
            let late = settings.late_move_reductions
                && depth <= LATE_DEPTH
                && self.scratch.tried.len() - first_tried >= LATE_MOVES + (depth * depth) as usize;
            let skip_quiet = may_skip && is_quiet && zero_window && (far_below || late);
            let loses = settings.exchange_pruning && may_skip && !is_quiet && depth <= LATE_DEPTH;
            if loses && node.exchange(m) < -100 * depth as i32 {
                continue;
            }
            let mut after = node.clone();
            after.play(m);
            let same = after.side() == node.side();
            let reducible = settings.late_move_reductions && number > 0 && is_quiet && !in_check && depth > 2;
            // A quiet move that gives check may be the point of all that went before.
            let gives_check = (skip_quiet || reducible) && !same && after.is_in_check();
            if skip_quiet && !gives_check {
                if far_below {
                    best = best.max(hopeful);
                }
                continue;
            }
            if settings.table && depth > 1 {
                self.table.prefetch(after.key());
            }
            self.scratch.path.push(Some(code));
            let reduction = if reducible && !gives_check {
                reductions::late(depth, number, self.history.score(node.side(), code), zero_window)
            } else {
                0
            };
            below.clear();
            let look = |searcher: &mut Self, depth: u32, alpha: i32, beta: i32, line: &mut Vec<N::Move>| {
                let task = Task { depth, ply: ply + 1, alpha, beta, passed: false };
                if same {
                    searcher.descend(&after, task, line)
                } else {
                    -searcher.descend(&after, Task { alpha: -beta, beta: -alpha, ..task }, line)
                }
            };
            let value = if number > 0 && settings.principal_variation && alpha > -INFINITE {
                let mut tested = look(self, depth - 1 - reduction, alpha, alpha + 1, below);
                if reduction > 0 && tested > alpha {
                    below.clear();
                    tested = look(self, depth - 1, alpha, alpha + 1, below);
                }
                if tested > alpha && tested < beta {
                    below.clear();
                    look(self, depth - 1, alpha, beta, below)
                } else {
                    tested
                }
            } else {
                look(self, depth - 1, alpha, beta, below)
            };
            self.scratch.path.pop();
            if self.patience.is_over() {
                return 0;
            }
            if value > best {
                (best, best_move) = (value, Some(m));
                if value > alpha || ply == 0 && line.is_empty() {
                    line.clear();
                    line.push(m);
                    line.append(below);
                }
                if ply == 0 && value > window_low {
                    self.improved = Some((value, line.clone()));
                }
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                if settings.ordering && is_quiet {
                    let last = self.scratch.path.last().copied().flatten();
                    let tried = &self.scratch.tried[first_tried..];
                    self.history.reward(node.side(), ply, depth, code, last, tried);
                }
                break;
            }
            if is_quiet {
                self.scratch.tried.push(code);
            }
        }
        if settings.table && (ply > 0 || self.known.is_empty() && self.only.is_empty()) {
            let bound = if best >= beta {
                Bound::AtLeast
            } else if best <= window_low {
                Bound::AtMost
            } else {
                Bound::Exact
            };
            let code = best_move.map(|m| node.code(m));
            let depth = depth.min(u8::MAX.into()) as u8;
            self.table.put(node.key(), Entry { value: to_table(best, ply as i32), depth, bound, best: code });
        }
        best
    }

    /// The answer to a task, if what is remembered of the position is enough for it.
    fn remembered(&self, entry: Entry, Task { depth, ply, alpha, beta, .. }: Task) -> Option<i32> {
        let deep_enough = match self.settings.deeper_entries {
            true => u32::from(entry.depth) >= depth,
            false => u32::from(entry.depth) == depth,
        };
        let value = from_table(entry.value, ply as i32);
        let enough = match entry.bound {
            Bound::Exact => true,
            Bound::AtLeast => value >= beta,
            Bound::AtMost => value <= alpha,
        };
        (deep_enough && enough).then_some(value)
    }

    /// Searches captures until none is worth it; the mover may also stand pat. `moves` is a buffer.
    fn quiesce(&mut self, node: &N, ply: usize, mut alpha: i32, beta: i32, moves: &mut Vec<N::Move>) -> i32 {
        self.longest = self.longest.max(ply);
        let captures_only = self.settings.captures_only && !node.may_be_over() && !node.is_in_check();
        if !captures_only {
            if let Some(end) = node.expand(moves) {
                self.leaves += 1;
                return at_ply(end, ply as i32);
            }
            moves.retain(|m| node.gain(*m) > 0);
        }
        let estimate = node.evaluate();
        if captures_only && estimate < beta {
            node.gains(moves);
        }
        if estimate >= beta || moves.is_empty() || ply + 1 >= PLIES {
            self.leaves += 1;
            return estimate;
        }
        let mut best = estimate;
        alpha = alpha.max(best);
        self.scratch.sort(moves, |m| -i64::from(node.gain(m)));
        for &m in moves.iter() {
            if self.settings.futility && !is_decided(alpha) && estimate + node.gain(m) + DELTA <= alpha {
                continue;
            }
            if self.settings.exchange_pruning && node.exchange(m) < 0 {
                continue;
            }
            let mut after = node.clone();
            after.play(m);
            self.nodes += 1;
            if self.patience.ends(self.nodes) {
                break;
            }
            let mut replies = self.scratch.take();
            let value = if after.side() == node.side() {
                self.quiesce(&after, ply + 1, alpha, beta, &mut replies)
            } else {
                -self.quiesce(&after, ply + 1, -beta, -alpha, &mut replies)
            };
            self.scratch.lists.push(replies);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Best move of an earlier search, captures, killers, the answer to the last move, then history; captures that lose
    /// material last. Stable: ties keep their order.
    fn order(&mut self, node: &N, ply: usize, remembered: Option<u16>, moves: &mut [N::Move]) {
        let (settings, history) = (self.settings, &*self.history);
        let last = self.scratch.path.last().copied().flatten().filter(|_| settings.countermoves);
        let rank = |m: N::Move| {
            let code = node.code(m);
            if remembered == Some(code) {
                return i64::MIN;
            }
            if !settings.ordering {
                return 0;
            }
            let gain = i64::from(node.gain(m));
            if gain > 0 && settings.losing_captures_last && node.exchange(m) < 0 {
                return (1 << 40) - gain;
            }
            -(gain << 40 | history.rank(node.side(), ply, code, last))
        };
        if settings.ordering || remembered.is_some() {
            self.scratch.sort(moves, rank);
        }
    }
}

/// Decided values are stored with plies counted from the position itself, not from the root.
fn to_table(value: i32, ply: i32) -> i32 {
    if !is_decided(value) {
        value
    } else if value > 0 {
        (value + ply).min(WIN)
    } else {
        (value - ply).max(-WIN)
    }
}

fn from_table(value: i32, ply: i32) -> i32 {
    if !is_decided(value) {
        value
    } else if value > 0 {
        value - ply
    } else {
        value + ply
    }
}
