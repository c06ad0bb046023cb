//! What a search has found.

use std::time::Duration;

use alfil_game::{Game, Mover, Wdl};

use crate::evaluators::CacheCounts;
use crate::tree::{Proof, View};

/// The state of a search.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Visits of the root, with those from earlier searches; of alpha-beta, the positions looked at, as many as can be counted here.
    pub visits: u32,
    /// Visits of this search, or positions that it looked at.
    pub walks: u64,
    /// Time since this search began.
    pub elapsed: Duration,
    /// The mean depth of this search's walks.
    pub depth: u32,
    /// The sum of their depths: the nodes that they passed through.
    pub depths: u64,
    /// The depth of the deepest walk.
    pub longest: u32,
    /// The share of the tree's memory that is in use.
    pub fill: f32,
    /// Lookups and hits of the evaluators' caches.
    pub cache: CacheCounts,
    /// The best moves with what is expected after them, the best first.
    pub lines: Vec<Line>,
    /// Why the search ended, if it has.
    pub ended: Option<StopReason>,
}

impl SearchReport {
    /// Visits per second.
    pub fn speed(&self) -> f64 {
        self.walks as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }

    /// Visits of the root with those from earlier searches, or the positions that alpha-beta has looked at, however many.
    pub fn looked_at(&self) -> u64 {
        self.walks.max(self.visits.into())
    }

    /// The code of the move to play.
    pub fn best(&self) -> Option<u16> {
        self.lines.first().and_then(|line| line.codes.first()).copied()
    }
}

/// A move and what is expected after it, as the root's mover sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The codes of the moves.
    pub codes: Vec<u16>,
    /// Visits of the first move.
    pub visits: u32,
    /// The evaluator's prior of the first move.
    pub prior: f32,
    /// Probabilities of win, draw and loss after it: its own, or the root's as long as it has not been visited.
    pub wdl: Mover<Wdl>,
    /// Expected plies to the end, if the evaluator predicts them.
    pub moves_left: Option<f32>,
    /// The proven result, if any.
    pub proof: Option<Proof>,
    /// In hundredths of a pawn, where the search itself counts in these.
    pub estimate: Option<i32>,
}

impl Line {
    /// The expected result from -1 to 1.
    pub fn value(&self) -> f32 {
        self.chances().0.value()
    }

    /// Probabilities of win, draw and loss after it: as proven, or else [`wdl`](Line::wdl).
    pub fn chances(&self) -> Mover<Wdl> {
        self.proof.map_or(self.wdl, Proof::wdl)
    }

    /// The number of turns of the side to move at `root`, where the line begins, until the game ends, if that is
    /// proven. After the line, every turn is taken to be a single move.
    pub fn turns_left<G: Game>(&self, root: &G) -> Option<u32> {
        let mut plies = u32::from(self.proof?.plies);
        let (mut game, mover) = (root.clone(), root.side());
        let (mut turns, mut last) = (0, !mover);
        for m in self.codes.iter().map_while(|code| G::Move::try_from(*code).ok()).take(plies as usize) {
            turns += u32::from(game.side() == mover && last != mover);
            last = game.side();
            game.play(m);
            plies -= 1;
        }
        let goes_on = game.side() == mover && last == mover;
        Some(turns + if game.side() != mover || goes_on { plies / 2 } else { plies.div_ceil(2) })
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It was told to.
    Stopped,
    /// Its time was up.
    Time,
    /// The limit on visits or depth was reached.
    Done,
    /// The best move could no longer change.
    Settled,
    /// The result is certain.
    Proven,
    /// The tree had no more room.
    Full,
    /// The game was already over.
    NoMoves,
}

/// The best `count` moves of the root.
pub(super) fn lines(root: &View<'_>, count: usize) -> Vec<Line> {
    let of_root = root.wdl().unwrap_or(Mover(Wdl::DRAW));
    let line = |child: &crate::tree::Child| Line {
        codes: root.line(child.edge),
        visits: child.visits,
        prior: child.prior,
        wdl: child.wdl.unwrap_or(of_root),
        moves_left: child.moves_left,
        proof: child.proof,
        estimate: None,
    };
    root.ranked().iter().take(count).map(line).collect()
}
