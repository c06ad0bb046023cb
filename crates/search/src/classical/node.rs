//! What a classical search walks through.

use alfil_game::{Estimates, Game, Knowledge, Outcome, Side};

/// An immediate win. A win in n plies is worth n less, so that a sooner one is worth more.
pub const WIN: i32 = 1_000_000;

/// The scale of estimates, in hundredths of a pawn: `1 / (1 + 10^(-estimate / SCALE))` points are expected, so 400 are
/// worth 400 Elo.
const SCALE: f32 = 400.0;

/// Larger than any value.
pub const INFINITE: i32 = 2_000_000;

/// No search goes deeper, so decided values never overlap with others.
pub(super) const DEEPEST: i32 = 10_000;

/// Whether a value says that the game is won or lost by force.
pub fn is_decided(value: i32) -> bool {
    value.abs() > WIN - DEEPEST
}

/// A position in a game tree.
pub trait Node: Clone {
    /// A move to another position.
    type Move: Copy + Eq;

    /// Puts the moves into `moves` (after clearing it), or returns what the game's end is worth to the mover.
    fn expand(&self, moves: &mut Vec<Self::Move>) -> Option<i32>;

    /// What the position is worth to the mover if nothing below it is searched: the game's end, or an estimate. `moves`
    /// is a buffer for [`expand`](Node::expand).
    fn at_horizon(&self, moves: &mut Vec<Self::Move>) -> i32 {
        self.expand(moves).unwrap_or_else(|| self.evaluate())
    }

    /// Makes a move.
    fn play(&mut self, m: Self::Move);

    /// Whose move it is. Sides need not alternate.
    fn side(&self) -> Side;

    /// An estimate for the mover.
    fn evaluate(&self) -> i32;

    /// A hash of the position.
    fn key(&self) -> u64;

    /// A small number that identifies a move within a position and means the same move in sibling positions.
    fn code(&self, m: Self::Move) -> u16;

    /// What a move wins at once; quiescence searches moves that win more than 0.
    fn gain(&self, m: Self::Move) -> i32 {
        let _ = m;
        0
    }

    /// What a capture wins after all recaptures that make sense; by default what it wins at once.
    fn exchange(&self, m: Self::Move) -> i32 {
        self.gain(m)
    }

    /// Whether the mover has to answer a threat, as in check.
    fn is_in_check(&self) -> bool {
        false
    }

    /// Whether the position was on the board before, where the rules count that.
    fn is_repetition(&self) -> bool {
        false
    }

    /// The position after a pass, if a null-move search makes sense there.
    fn passed(&self) -> Option<Self> {
        None
    }

    /// The same position for a search: as cheap to copy as it can be.
    fn lean(&self) -> Self {
        self.clone()
    }

    /// Whether the game may be over although there are moves; see [`Estimates::may_be_over`].
    fn may_be_over(&self) -> bool {
        true
    }

    /// Puts the moves that [`gain`](Node::gain) something into `moves` (after clearing it), where the game
    /// [cannot be over](Node::may_be_over) except by a lack of moves, and the mover is not in check.
    fn gains(&self, moves: &mut Vec<Self::Move>) {
        self.expand(moves);
        moves.retain(|m| self.gain(*m) > 0);
    }
}

/// A game with its handcrafted evaluation.
#[derive(Clone, Debug)]
pub struct GameNode<G: Game> {
    /// The game.
    pub game: G,
    /// What the evaluation takes into account.
    pub knowledge: Knowledge,
}

impl<G: Estimates> Node for GameNode<G> {
    type Move = G::Move;

    fn expand(&self, moves: &mut Vec<G::Move>) -> Option<i32> {
        self.game.legal_moves(moves).map(|outcome| worth(outcome, self.game.side()))
    }

    fn play(&mut self, m: G::Move) {
        self.game.play(m);
    }

    fn side(&self) -> Side {
        self.game.side()
    }

    fn evaluate(&self) -> i32 {
        self.game.evaluate(self.knowledge)
    }

    fn key(&self) -> u64 {
        self.game.key()
    }

    fn code(&self, m: G::Move) -> u16 {
        m.into()
    }

    fn gain(&self, m: G::Move) -> i32 {
        self.game.gain(m)
    }

    fn exchange(&self, m: G::Move) -> i32 {
        self.game.exchange(m)
    }

    fn is_in_check(&self) -> bool {
        self.game.is_in_check()
    }

    fn is_repetition(&self) -> bool {
        self.game.repeated_after().is_some()
    }

    fn passed(&self) -> Option<GameNode<G>> {
        Some(GameNode { game: self.game.passed()?, knowledge: self.knowledge })
    }

    fn lean(&self) -> GameNode<G> {
        GameNode { game: self.game.lean(), knowledge: self.knowledge }
    }

    fn may_be_over(&self) -> bool {
        self.game.may_be_over()
    }

    fn gains(&self, moves: &mut Vec<G::Move>) {
        self.game.generate_gains(moves);
    }
}

/// What the end of a game is worth to the mover.
pub(crate) fn worth(outcome: Outcome, mover: Side) -> i32 {
    match outcome.score.to_mover(mover).0.points() {
        0.0 => -WIN,
        1.0 => WIN,
        // A part of the point is worth as much as an estimate that expects it.
        points => (SCALE * (points / (1.0 - points)).log10()).round() as i32,
    }
}

/// The result from -1 to 1 that an estimate for the mover, in hundredths of a pawn, expects.
pub fn expected_result(estimate: i32) -> f32 {
    2.0 / (1.0 + 10f32.powf(-(estimate as f32) / SCALE)) - 1.0
}

/// The value of an end `ply` plies from the root: decided ones lose 1 per ply.
pub(super) fn at_ply(value: i32, ply: i32) -> i32 {
    match value {
        WIN => WIN - ply,
        value if value == -WIN => ply - WIN,
        value => value,
    }
}
