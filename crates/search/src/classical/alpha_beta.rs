//! Alpha-beta with its memory, and searches to a fixed depth.

use std::sync::Arc;

use super::descent::{Descent, Scratch};
use super::history::History;
use super::node::Node;
use super::patience::Patience;
use super::settings::AlphaBetaSettings;
use super::transposition_table::TranspositionTable;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// For the mover, in hundredths of a pawn; see [`WIN`](super::WIN) for decided games.
    pub value: i32,
    /// The move to play, and what is expected to follow. Empty if the game is over or the depth 0.
    pub line: Vec<M>,
    /// Positions looked at, the root included.
    pub nodes: u64,
    /// Positions whose value was an estimate or an end.
    pub leaves: u64,
}

/// A searcher with its memory.
pub struct AlphaBeta<N: Node> {
    settings: AlphaBetaSettings,
    table: Arc<TranspositionTable>,
    history: History,
    scratch: Scratch<N::Move>,
}

impl<N: Node> AlphaBeta<N> {
    /// A searcher that remembers nothing yet.
    pub fn new(settings: AlphaBetaSettings) -> AlphaBeta<N> {
        let table = TranspositionTable::new(if settings.table { settings.table_bytes } else { 0 });
        AlphaBeta::sharing(settings, Arc::new(table))
    }

    /// A searcher with a table that others use as well.
    pub fn sharing(settings: AlphaBetaSettings, table: Arc<TranspositionTable>) -> AlphaBeta<N> {
        AlphaBeta { table, history: History::new(), scratch: Scratch::default(), settings }
    }

    /// Searches to `depth` plies.
    pub fn search(&mut self, node: &N, depth: u32) -> Found<N::Move> {
        self.deepen(node, depth, Patience::endless()).0
    }

    /// The same, unless `stop` says so before it has ended.
    pub fn search_until(&mut self, node: &N, depth: u32, stop: &dyn Fn() -> bool) -> Option<Found<N::Move>> {
        let (found, whole) = self.deepen(node, depth, Patience::asking(stop));
        whole.then_some(found)
    }

    /// What was found, and whether the search came to its end.
    fn deepen(&mut self, node: &N, depth: u32, patience: Patience<'_>) -> (Found<N::Move>, bool) {
        let first = if self.settings.deepening { depth.min(1) } else { depth };
        let node = &node.lean();
        let mut descent = self.begin(patience);
        let mut found = Found { value: 0, line: Vec::new(), nodes: 0, leaves: 0 };
        for depth in first..=depth {
            let expected = (depth > first).then_some(found.value);
            if let Some((value, line)) = descent.deepen(node, depth, expected) {
                (found.value, found.line) = (value, line);
            }
            if descent.is_over() {
                break;
            }
        }
        (Found { nodes: descent.nodes(), leaves: descent.leaves(), ..found }, !descent.is_over())
    }

    /// Begins a new search, which has this patience.
    pub(super) fn begin<'a>(&'a mut self, patience: Patience<'a>) -> Descent<'a, N> {
        self.history.begin();
        Descent::new(self.settings, &self.table, &mut self.history, &mut self.scratch, patience)
    }
}

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;
    use alfil_game::{Game, Knowledge};

    use super::super::node::GameNode;
    use super::*;

    /// Razoring used to leave a list behind each time.
    #[test]
    fn lists_of_moves_are_given_back() {
        let position = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let node =
            GameNode { game: Chess::from_position(position, &Default::default()).unwrap(), knowledge: Knowledge::Full };
        let mut searcher = AlphaBeta::new(AlphaBetaSettings { table_bytes: 1 << 20, ..AlphaBetaSettings::STRONG });
        let deepest = searcher.search(&node, 6).nodes;
        // Two for each ply, and every ply makes its own at most once.
        let lists = searcher.scratch.lists();
        assert!(deepest > 1_000 && lists < 100, "{deepest} positions, {lists} lists");
        let again = (0..3).map(|_| searcher.search(&node, 6).nodes).sum::<u64>();
        assert!(again > 0 && searcher.scratch.lists() < 100, "{} lists", searcher.scratch.lists());
    }

    #[test]
    fn a_search_of_fixed_depth_can_be_stopped() {
        let node = GameNode { game: Chess::new(&Default::default()), knowledge: Knowledge::Full };
        let asked = std::cell::Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == 10
        };
        let mut searcher = AlphaBeta::new(AlphaBetaSettings::default());
        assert_eq!(searcher.search_until(&node, 60, &stop), None);
        let whole = AlphaBeta::new(AlphaBetaSettings::default()).search(&node, 3);
        assert_eq!(
            AlphaBeta::new(AlphaBetaSettings::default()).search_until(&node, 3, &|| false),
            Some(whole),
            "being asked changes nothing"
        );
    }
}
