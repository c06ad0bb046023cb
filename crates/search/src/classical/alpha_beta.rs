//! Alpha-beta and its enhancements.

use super::node::{INFINITE, Node, WIN, at_ply, is_decided};
use super::transposition_table::{Bound, TranspositionTable};

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
    /// Exact. Search with a narrow window around the last depth's value, and widen it if that fails.
    pub aspiration: bool,
    /// **Not exact.** At the horizon, go on with captures until the position is quiet.
    pub quiescence: bool,
    /// **Not exact.** Where even a pass would cause a cutoff, cut off. Not done in positions where a pass would be an
    /// advantage.
    pub null_move: bool,
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
        aspiration: false,
        quiescence: false,
        null_move: false,
        table_bytes: 0,
    };
}

impl Default for AlphaBetaSettings {
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

/// A search after a pass is this many plies shallower.
const NULL_REDUCTION: u32 = 2;

/// Killers are remembered for this many plies.
const PLIES: usize = 128;

/// A searcher with its memory.
pub struct AlphaBeta<N: Node> {
    settings: AlphaBetaSettings,
    table: TranspositionTable,
    killers: Vec<[Option<u16>; 2]>,
    /// How often a move, by its code, has caused a cutoff; deeper searches count more.
    history: Vec<u32>,
    /// Lists of moves, one per ply, reused.
    lists: Vec<Vec<N::Move>>,
    nodes: u64,
    leaves: u64,
}

impl<N: Node> AlphaBeta<N> {
    /// A searcher that remembers nothing yet.
    pub fn new(settings: AlphaBetaSettings) -> AlphaBeta<N> {
        AlphaBeta {
            table: TranspositionTable::new(if settings.table { settings.table_bytes } else { 0 }),
            killers: vec![[None; 2]; PLIES],
            history: vec![0; 1 << 16],
            lists: Vec::new(),
            nodes: 0,
            leaves: 0,
            settings,
        }
    }

    /// Searches to `depth` plies.
    pub fn search(&mut self, node: &N, depth: u32) -> Found<N::Move> {
        (self.nodes, self.leaves) = (0, 0);
        self.killers.fill([None; 2]);
        let mut line = Vec::new();
        let mut value = 0;
        let first = if self.settings.deepening { depth.min(1) } else { depth };
        for depth in first..=depth {
            let narrow = self.settings.aspiration && depth > first && !is_decided(value);
            let mut below = if narrow { value - ASPIRATION } else { -INFINITE };
            let mut above = if narrow { value + ASPIRATION } else { INFINITE };
            loop {
                line.clear();
                value = self.descend(node, depth, 0, below, above, false, &mut line);
                if value <= below && below > -INFINITE {
                    below = -INFINITE;
                } else if value >= above && above < INFINITE {
                    above = INFINITE;
                } else {
                    break;
                }
            }
        }
        Found { value, line, nodes: self.nodes, leaves: self.leaves }
    }

    /// The value of `node` if it lies between `alpha` and `beta`; else a bound on the side where it lies. Fail-soft: the
    /// bound is as tight as was seen.
    #[allow(clippy::too_many_arguments)]
    fn descend(
        &mut self,
        node: &N,
        depth: u32,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        passed: bool,
        line: &mut Vec<N::Move>,
    ) -> i32 {
        self.nodes += 1;
        let mut moves = self.take_list();
        if depth == 0 && !self.settings.quiescence {
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
        if depth == 0 {
            return self.quiesce(node, ply, alpha, beta, moves);
        }

        let known = if self.settings.table { self.table.get(node.key()) } else { None };
        // The root needs a move, not only a value.
        if let Some(entry) = known.filter(|entry| ply > 0 && u32::from(entry.depth as u16) == depth) {
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

        let may_pass = self.settings.null_move && !passed && ply > 0 && depth > NULL_REDUCTION && !is_decided(beta);
        let pass = if may_pass && node.evaluate() >= beta { node.passed() } else { None };
        if let Some(after) = pass {
            let reduced = depth - 1 - NULL_REDUCTION;
            let value = -self.descend(&after, reduced, ply + 1, -beta, -beta + 1, true, &mut Vec::new());
            if value >= beta && !is_decided(value) {
                self.lists.push(moves);
                return value;
            }
        }

        self.order(node, ply, known.and_then(|entry| entry.best), &mut moves);
        let (mut best, mut best_move) = (-INFINITE, None);
        let window_low = alpha;
        let mut below = Vec::new();
        for (number, &m) in moves.iter().enumerate() {
            let mut after = node.clone();
            after.play(m);
            let same = after.side() == node.side();
            below.clear();
            let look = |searcher: &mut Self, low: i32, high: i32, line: &mut Vec<N::Move>| {
                if same {
                    searcher.descend(&after, depth - 1, ply + 1, low, high, false, line)
                } else {
                    -searcher.descend(&after, depth - 1, ply + 1, -high, -low, false, line)
                }
            };
            let value = if number > 0 && self.settings.principal_variation && alpha > -INFINITE {
                let tested = look(self, alpha, alpha + 1, &mut below);
                if tested > alpha && tested < beta {
                    below.clear();
                    look(self, alpha, beta, &mut below)
                } else {
                    tested
                }
            } else {
                look(self, alpha, beta, &mut below)
            };
            if value > best {
                (best, best_move) = (value, Some(m));
                if value > alpha || ply == 0 && line.is_empty() {
                    line.clear();
                    line.push(m);
                    line.append(&mut below);
                }
                alpha = alpha.max(value);
            }
            if alpha >= beta {
                self.remember_cut(node, ply, depth, m);
                break;
            }
        }
        if self.settings.table {
            let bound = if best >= beta {
                Bound::AtLeast
            } else if best <= window_low {
                Bound::AtMost
            } else {
                Bound::Exact
            };
            let code = best_move.map(|m| node.code(m));
            self.table.put(node.key(), to_table(best, ply as i32), depth as i16, bound, code);
        }
        self.lists.push(moves);
        best
    }

    /// Searches captures until none is worth it; the mover may also stand pat.
    fn quiesce(&mut self, node: &N, ply: usize, mut alpha: i32, beta: i32, mut moves: Vec<N::Move>) -> i32 {
        let mut best = node.evaluate();
        moves.retain(|m| node.gain(*m) > 0);
        if best >= beta || moves.is_empty() || ply + 1 >= PLIES {
            self.leaves += 1;
            self.lists.push(moves);
            return best;
        }
        alpha = alpha.max(best);
        moves.sort_by_key(|m| -node.gain(*m));
        for &m in &moves {
            let mut after = node.clone();
            after.play(m);
            self.nodes += 1;
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

    /// Best move of an earlier search, captures, killers, then history. Stable: ties keep their order.
    fn order(&self, node: &N, ply: usize, remembered: Option<u16>, moves: &mut [N::Move]) {
        let killers = self.killers.get(ply).copied().unwrap_or_default();
        let rank = |m: &N::Move| {
            let code = node.code(*m);
            if remembered == Some(code) {
                return i64::MIN;
            }
            if !self.settings.ordering {
                return 0;
            }
            let gain = i64::from(node.gain(*m));
            let killer = i64::from(killers.contains(&Some(code)));
            let history = i64::from(self.history[usize::from(code)]);
            -(gain << 40 | killer << 36 | history)
        };
        if self.settings.ordering || remembered.is_some() {
            moves.sort_by_cached_key(rank);
        }
    }

    fn remember_cut(&mut self, node: &N, ply: usize, depth: u32, m: N::Move) {
        if !self.settings.ordering || node.gain(m) > 0 {
            return;
        }
        let code = node.code(m);
        if let Some(killers) = self.killers.get_mut(ply).filter(|killers| killers[0] != Some(code)) {
            *killers = [Some(code), killers[0]];
        }
        let history = &mut self.history[usize::from(code)];
        *history = history.saturating_add(depth * depth).min(1 << 30);
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
