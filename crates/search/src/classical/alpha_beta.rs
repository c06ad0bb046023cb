//! Alpha-beta and its enhancements.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::history::History;
use super::node::{DEEPEST, INFINITE, Node, WIN, at_ply, is_decided};
use super::patience::{Patience, Shared};
use super::transposition_table::{Bound, Entry, TranspositionTable};

/// Switches of [`AlphaBeta`]. The exact ones change how much is searched, never the value found at a depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaBetaSettings {
    /// Exact. Search depth 1, 2, 3, … and let each tell the next which moves to try first.
    pub deepening: bool,
    /// Exact. Search moves after the first with an empty window, and again only if that fails (PVS).
    pub principal_variation: bool,
    /// Exact except where plies or repetitions count, which are no part of a position's key. Remember positions, as
    /// many as fit into `table_bytes`. Only entries of exactly the depth asked for count.
    pub table: bool,
    /// Exact. Try captures first (the largest gain first), then moves that caused cutoffs elsewhere: two killers per
    /// ply, and those with the best history.
    pub ordering: bool,
    /// Exact. Of the quiet moves, try the one first that refuted the opponent's last move elsewhere.
    pub countermoves: bool,
    /// Exact. Try captures that lose material after all recaptures last.
    pub losing_captures_last: bool,
    /// Exact. Search with a narrow window around the last depth's value, and widen it if that fails.
    pub aspiration: bool,
    /// **Not exact.** At the horizon, go on with captures until the position is quiet.
    pub quiescence: bool,
    /// **Not exact.** Where even a pass would cause a cutoff, cut off. Not done in positions where a pass would be an
    /// advantage.
    pub null_move: bool,
    /// **Not exact.** Entries of the table that were searched deeper than asked for count as well.
    pub deeper_entries: bool,
    /// **Not exact.** A position that was on the board before is a draw, also the first time that it comes back.
    pub repetitions: bool,
    /// **Not exact.** Search one ply deeper where the mover is in check.
    pub check_extensions: bool,
    /// **Not exact.** Search late quiet moves less deep, and again if they are better than expected.
    pub late_move_reductions: bool,
    /// **Not exact.** Near the horizon, leave out quiet moves that cannot make up for what is missing, cut off where there is far
    /// too much, and search only captures where there is far too little (futility and razoring).
    pub futility: bool,
    /// **Not exact.** Leave out captures that lose material after all recaptures: in the quiescence search, and near the horizon.
    pub exchange_pruning: bool,
    /// Memory of the table, in bytes.
    pub table_bytes: usize,
}

impl AlphaBetaSettings {
    /// Plain fail-soft alpha-beta.
    pub const PLAIN: AlphaBetaSettings = AlphaBetaSettings {
        deepening: false,
        principal_variation: false,
        table: false,
        ordering: false,
        countermoves: false,
        losing_captures_last: false,
        aspiration: false,
        quiescence: false,
        null_move: false,
        deeper_entries: false,
        repetitions: false,
        check_extensions: false,
        late_move_reductions: false,
        futility: false,
        exchange_pruning: false,
        table_bytes: 0,
    };

    /// Everything, for play on a clock: deep rather than exact.
    pub const STRONG: AlphaBetaSettings = AlphaBetaSettings {
        deepening: true,
        principal_variation: true,
        table: true,
        ordering: true,
        countermoves: true,
        losing_captures_last: true,
        aspiration: true,
        quiescence: true,
        null_move: true,
        deeper_entries: true,
        repetitions: true,
        check_extensions: true,
        late_move_reductions: true,
        futility: true,
        exchange_pruning: true,
        table_bytes: 16 << 20,
    };
}

impl Default for AlphaBetaSettings {
    /// A sparring partner of fixed depth, whose strength does not change with every idea for [`STRONG`](Self::STRONG).
    fn default() -> AlphaBetaSettings {
        AlphaBetaSettings {
            deepening: true,
            principal_variation: true,
            table: true,
            ordering: true,
            aspiration: true,
            quiescence: true,
            null_move: true,
            table_bytes: 16 << 20,
            ..AlphaBetaSettings::PLAIN
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// For the mover, in hundredths of a pawn; see [`WIN`] for decided games.
    pub value: i32,
    /// The move to play, and what is expected to follow. Empty if the game is over or the depth 0.
    pub line: Vec<M>,
    /// Positions looked at, the root included.
    pub nodes: u64,
    /// Positions whose value was an estimate or an end.
    pub leaves: u64,
}

/// Half the width of the first aspiration window, in hundredths of a pawn.
const ASPIRATION: i32 = 40;

/// A search after a pass is this many plies shallower; for play, one more for each so many plies of depth.
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
/// Up to this depth, only so many quiet moves are searched: `LATE_MOVES + depth²`.
const LATE_DEPTH: u32 = 4;
const LATE_MOVES: usize = 4;

/// A searcher with its memory.
pub struct AlphaBeta<N: Node> {
    settings: AlphaBetaSettings,
    table: Arc<TranspositionTable>,
    history: History,
    /// The codes of the moves on the way to the position that is being searched; none for a pass.
    path: Vec<Option<u16>>,
    /// Codes of the only moves to search at the root; all if there are none.
    only: Vec<u16>,
    /// Codes of moves of the root that are left out, because they already have lines of their own.
    known: Vec<u16>,
    /// Lists of moves, one per ply, reused.
    lists: Vec<Vec<N::Move>>,
    nodes: u64,
    leaves: u64,
    /// The deepest ply of this search.
    longest: usize,
    /// The best line of the current depth at the root, once it is better than what the search expected at least.
    improved: Option<(i32, Vec<N::Move>)>,
    patience: Patience,
}

impl<N: Node> AlphaBeta<N> {
    /// A searcher that remembers nothing yet.
    pub fn new(settings: AlphaBetaSettings) -> AlphaBeta<N> {
        let table = TranspositionTable::new(if settings.table { settings.table_bytes } else { 0 });
        AlphaBeta::sharing(settings, Arc::new(table))
    }

    /// A searcher with a table that others use as well.
    pub fn sharing(settings: AlphaBetaSettings, table: Arc<TranspositionTable>) -> AlphaBeta<N> {
        AlphaBeta {
            table,
            history: History::new(),
            path: Vec::new(),
            only: Vec::new(),
            known: Vec::new(),
            lists: Vec::new(),
            nodes: 0,
            leaves: 0,
            longest: 0,
            improved: None,
            patience: Patience::endless(),
            settings,
        }
    }

    /// Searches to `depth` plies.
    pub fn search(&mut self, node: &N, depth: u32) -> Found<N::Move> {
        self.search_with(Patience::endless(), node, depth)
    }

    /// The same, unless `stop` is set before it is done; then none.
    pub fn search_unless(&mut self, node: &N, depth: u32, stop: &Arc<AtomicBool>) -> Option<Found<N::Move>> {
        let nodes = Arc::new(AtomicU64::new(0));
        let shared = Shared { done: Arc::clone(stop), deadline: None, most: None, nodes };
        let found = self.search_with(Patience::of(shared), node, depth);
        (!self.patience.is_over()).then_some(found)
    }

    fn search_with(&mut self, patience: Patience, node: &N, depth: u32) -> Found<N::Move> {
        self.begin(patience);
        let mut found = Found { value: 0, line: Vec::new(), nodes: 0, leaves: 0 };
        let first = if self.settings.deepening { depth.min(1) } else { depth };
        for depth in first..=depth {
            let expected = (depth > first).then_some(found.value);
            if let Some((value, line)) = self.deepen(node, depth, expected) {
                (found.value, found.line) = (value, line);
            }
            if self.patience.is_over() {
                break;
            }
        }
        Found { nodes: self.nodes, leaves: self.leaves, ..found }
    }

    /// Begins to count for a new search, which has this patience.
    pub(super) fn begin(&mut self, patience: Patience) {
        (self.nodes, self.leaves, self.longest) = (0, 0, 0);
        self.patience = patience;
        self.history.begin();
        self.known.clear();
        self.only.clear();
    }

    /// Restricts the root to some moves, and leaves out others.
    pub(super) fn restrict(&mut self, only: &[u16], known: &[u16]) {
        self.only = only.to_vec();
        self.known = known.to_vec();
    }

    /// Positions looked at so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The deepest ply so far.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Searches to one depth, around the value that is expected. If its patience ends, what is certain until then: a
    /// line that is better than expected, or none.
    pub(super) fn deepen(&mut self, node: &N, depth: u32, expected: Option<i32>) -> Option<(i32, Vec<N::Move>)> {
        let narrow = expected.filter(|value| self.settings.aspiration && !is_decided(*value));
        let mut below = narrow.map_or(-INFINITE, |value| value - ASPIRATION);
        let mut above = narrow.map_or(INFINITE, |value| value + ASPIRATION);
        loop {
            let mut line = Vec::new();
            self.improved = None;
            self.path.clear();
            let value = self.descend(node, depth, 0, below, above, false, &mut line);
            if self.patience.is_over() {
                return self.improved.take();
            }
            if value <= below && below > -INFINITE {
                below = -INFINITE;
            } else if value >= above && above < INFINITE {
                above = INFINITE;
            } else {
                return Some((value, line));
            }
        }
    }

    /// The value of `node` if it lies between `alpha` and `beta`; else a bound on the side where it lies. Fail-soft: the
    /// bound is as tight as was seen. Without patience any number, which nobody may use.
    #[allow(clippy::too_many_arguments)]
    fn descend(
        &mut self,
        node: &N,
        mut depth: u32,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        passed: bool,
        line: &mut Vec<N::Move>,
    ) -> i32 {
        self.nodes += 1;
        self.longest = self.longest.max(ply);
        if self.patience.ends(self.nodes) {
            return 0;
        }
        let settings = self.settings;
        if settings.repetitions && ply > 0 && node.is_repetition() {
            self.leaves += 1;
            return 0;
        }
        let in_check =
            (settings.check_extensions || settings.futility || settings.late_move_reductions) && node.is_in_check();
        if settings.check_extensions && in_check && ply + 2 < PLIES {
            depth += 1;
        }
        let mut moves = self.take_list();
        if depth == 0 && !settings.quiescence {
            self.leaves += 1;
            let value = node.at_horizon(&mut moves);
            self.lists.push(moves);
            return at_ply(value, ply as i32);
        }
        if let Some(end) = node.expand(&mut moves) {
            self.leaves += 1;
            self.lists.push(moves);
            return at_ply(end, ply as i32);
        }
        if depth == 0 || ply + 1 >= PLIES {
            return self.quiesce(node, ply, alpha, beta, moves);
        }

        let known = if settings.table { self.table.get(node.key()) } else { None };
        // The root needs a move, not only a value.
        let deep_enough = |entry: &Entry| match settings.deeper_entries {
            true => u32::from(entry.depth) >= depth,
            false => u32::from(entry.depth) == depth,
        };
        if let Some(entry) = known.filter(|entry| ply > 0 && deep_enough(entry)) {
            let value = from_table(entry.value, ply as i32);
            let enough = match entry.bound {
                Bound::Exact => true,
                Bound::AtLeast => value >= beta,
                Bound::AtMost => value <= alpha,
            };
            if enough {
                self.lists.push(moves);
                return value;
            }
        }

        let zero_window = beta - alpha == 1;
        let quiet_position = !in_check && ply > 0 && !is_decided(alpha) && !is_decided(beta);
        let may_pass = settings.null_move && !passed && ply > 0 && depth > NULL_REDUCTION && !is_decided(beta);
        let estimate = if may_pass || settings.futility && ply > 0 { node.evaluate() } else { 0 };
        if settings.futility && zero_window && quiet_position && !passed {
            let plies = depth as i32;
            if depth <= FUTILE_DEPTH && estimate - FUTILE_PLY * plies >= beta {
                self.lists.push(moves);
                return estimate;
            }
            if depth <= RAZOR_DEPTH && estimate + RAZOR_PLY * plies <= alpha {
                let captures = moves.clone();
                let value = self.quiesce(node, ply, alpha, beta, captures);
                if value <= alpha {
                    self.lists.push(moves);
                    return value;
                }
            }
        }

        let pass = if may_pass && estimate >= beta { node.passed() } else { None };
        if let Some(after) = pass {
            let more = if settings.late_move_reductions { 1 + depth / NULL_REDUCTION_DEPTH } else { 0 };
            let reduced = (depth - 1).saturating_sub(NULL_REDUCTION + more);
            self.path.push(None);
            let value = -self.descend(&after, reduced, ply + 1, -beta, -beta + 1, true, &mut Vec::new());
            self.path.pop();
            if value >= beta && !is_decided(value) || self.patience.is_over() {
                self.lists.push(moves);
                return value;
            }
        }

        if ply == 0 {
            let (only, left_out) = (&self.only, &self.known);
            let is_wanted = |code: u16| (only.is_empty() || only.contains(&code)) && !left_out.contains(&code);
            moves.retain(|m| is_wanted(node.code(*m)));
        }
        self.order(node, ply, known.and_then(|entry| entry.best), &mut moves);
        let (mut best, mut best_move) = (-INFINITE, None);
        let window_low = alpha;
        let mut below = Vec::new();
        let mut quiet_tried = Vec::new();
        for (number, &m) in moves.iter().enumerate() {
            let code = node.code(m);
            let is_quiet = node.gain(m) <= 0;
            let may_skip = number > 0 && quiet_position && best > DEEPEST - WIN;
            let hopeful = estimate + FUTILE_PLY * (1 + depth as i32);
            let far_below = settings.futility && depth <= FUTILE_DEPTH && hopeful <= alpha;
            let late = settings.late_move_reductions
                && depth <= LATE_DEPTH
                && quiet_tried.len() >= LATE_MOVES + (depth * depth) as usize;
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
            self.path.push(Some(code));
            let reduction =
                if reducible && !gives_check { self.reduction(node, code, depth, number, zero_window) } else { 0 };
            below.clear();
            let look = |searcher: &mut Self, depth: u32, low: i32, high: i32, line: &mut Vec<N::Move>| {
                if same {
                    searcher.descend(&after, depth, ply + 1, low, high, false, line)
                } else {
                    -searcher.descend(&after, depth, ply + 1, -high, -low, false, line)
                }
            };
            let value = if number > 0 && settings.principal_variation && alpha > -INFINITE {
                let mut tested = look(self, depth - 1 - reduction, alpha, alpha + 1, &mut below);
                if reduction > 0 && tested > alpha {
                    below.clear();
                    tested = look(self, depth - 1, alpha, alpha + 1, &mut below);
                }
                if tested > alpha && tested < beta {
                    below.clear();
                    look(self, depth - 1, alpha, beta, &mut below)
                } else {
                    tested
                }
            } else {
                look(self, depth - 1, alpha, beta, &mut below)
            };
            self.path.pop();
            if self.patience.is_over() {
                self.lists.push(moves);
                return 0;
            }
            if value > best {
                (best, best_move) = (value, Some(m));
                if value > alpha || ply == 0 && line.is_empty() {
                    line.clear();
                    line.push(m);
                    line.append(&mut below);
                }
                if ply == 0 && value > window_low {
                    self.improved = Some((value, line.clone()));
                }
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                if settings.ordering && is_quiet {
                    let last = self.path.last().copied().flatten();
                    self.history.reward(node.side(), ply, depth, code, last, &quiet_tried);
                }
                break;
            }
            if is_quiet {
                quiet_tried.push(code);
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
        self.lists.push(moves);
        best
    }

    /// How many plies less deep a late quiet move is searched: more the later it comes, less if it has been good before.
    fn reduction(&self, node: &N, code: u16, depth: u32, number: usize, zero_window: bool) -> u32 {
        let late = f64::from(depth).ln() * (number as f64).ln() / 2.2;
        let good = f64::from(self.history.score(node.side(), code)) / 8_000.0;
        let narrow = if zero_window { 0.4 } else { -0.4 };
        (late + narrow - good).max(0.0).min(f64::from(depth - 2)) as u32
    }

    /// Searches captures until none is worth it; the mover may also stand pat.
    fn quiesce(&mut self, node: &N, ply: usize, mut alpha: i32, beta: i32, mut moves: Vec<N::Move>) -> i32 {
        let estimate = node.evaluate();
        let mut best = estimate;
        self.longest = self.longest.max(ply);
        moves.retain(|m| node.gain(*m) > 0);
        if best >= beta || moves.is_empty() || ply + 1 >= PLIES {
            self.leaves += 1;
            self.lists.push(moves);
            return best;
        }
        alpha = alpha.max(best);
        moves.sort_by_key(|m| -node.gain(*m));
        for &m in &moves {
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
            let mut replies = self.take_list();
            let value = match after.expand(&mut replies) {
                Some(end) => {
                    self.leaves += 1;
                    self.lists.push(replies);
                    let end = at_ply(end, ply as i32 + 1);
                    if after.side() == node.side() { end } else { -end }
                }
                None if after.side() == node.side() => self.quiesce(&after, ply + 1, alpha, beta, replies),
                None => -self.quiesce(&after, ply + 1, -beta, -alpha, replies),
            };
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.lists.push(moves);
        best
    }

    /// Best move of an earlier search, captures, killers, the answer to the last move, then history; captures that lose
    /// material last. Stable: ties keep their order.
    fn order(&self, node: &N, ply: usize, remembered: Option<u16>, moves: &mut [N::Move]) {
        let settings = self.settings;
        let last = self.path.last().copied().flatten().filter(|_| settings.countermoves);
        let rank = |m: &N::Move| {
            let code = node.code(*m);
            if remembered == Some(code) {
                return i64::MIN;
            }
            if !settings.ordering {
                return 0;
            }
            let gain = i64::from(node.gain(*m));
            if gain > 0 && settings.losing_captures_last && node.exchange(*m) < 0 {
                return (1 << 40) - gain;
            }
            -(gain << 40 | self.history.rank(node.side(), ply, code, last))
        };
        if settings.ordering || remembered.is_some() {
            moves.sort_by_cached_key(rank);
        }
    }

    fn take_list(&mut self) -> Vec<N::Move> {
        self.lists.pop().unwrap_or_default()
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
