//! The contract between a game and the networks that play it.

use crate::{FullGame, Game};

/// How a network sees a game: a position becomes planes, a move becomes a policy index.
///
/// Kept apart from [`Game`] because a game can have several. A network file carries [`NAME`](Encoding::NAME) and
/// [`VERSION`](Encoding::VERSION) of the one it was trained with: a change to what an encoding computes needs a new
/// version. Everything is seen from the side to move, so that one network plays both sides.
pub trait Encoding: Send + Sync + 'static {
    /// The game that is encoded.
    type Game: FullGame;

    /// `game/name`.
    const NAME: &'static str;

    /// Increases with every change of meaning.
    const VERSION: u32;

    /// Input planes.
    const PLANES: usize;

    /// Rows of a plane.
    const HEIGHT: usize;

    /// Columns of a plane.
    const WIDTH: usize;

    /// Planes that a convolutional policy head puts out, each [`HEIGHT`](Encoding::HEIGHT) x [`WIDTH`](Encoding::WIDTH).
    const POLICY_PLANES: usize;

    /// Policy indices.
    const POLICY_SIZE: usize;

    /// Planes that depend on which side is the first player, and so differ between a position and its
    /// [swapped](crate::Examples::swapped) twin.
    const ABSOLUTE_PLANES: &'static [usize] = &[];

    /// Ways to turn the board that change nothing about the game, in positions that [can be turned](Encoding::can_turn).
    const SYMMETRIES: &'static [Symmetry] = &[];

    /// Cells of a plane.
    const CELLS: usize = Self::HEIGHT * Self::WIDTH;

    /// Writes all `PLANES * CELLS` values, plane by plane and row by row, each from 0 to 1. Row 0 is the mover's side of
    /// the board where the board has sides.
    fn planes(game: &Self::Game, planes: &mut [f32]);

    /// The policy index of a legal move.
    fn index(game: &Self::Game, m: <Self::Game as Game>::Move) -> usize;

    /// The legal move with this policy index, if there is one.
    fn move_at(game: &Self::Game, index: usize) -> Option<<Self::Game as Game>::Move>;

    /// Whether the symmetry with this number holds in a position, and in all that can follow it: the board of chess can be mirrored
    /// once nobody may castle.
    fn can_turn(game: &Self::Game, symmetry: usize) -> bool {
        let _ = (game, symmetry);
        true
    }

    /// The position that looks like `game` turned by the symmetry with this number, for games whose start position does not
    /// look the same afterwards, or cannot be turned: what the conformance suite compares with.
    fn turned(game: &Self::Game, symmetry: usize) -> Option<Self::Game> {
        let _ = (game, symmetry);
        None
    }

    /// Where the opponent, once it is its turn, sees the cell that the mover sees here: the board may be turned for it.
    fn opponent_cell(cell: usize) -> usize {
        cell
    }

    /// Which of the `POLICY_PLANES * CELLS` outputs of a convolutional policy head holds this policy index.
    fn head_output(index: usize) -> usize {
        index
    }
}

/// A symmetry of a game as its encoding sees it: a permutation of the cells and the matching one of the policy.
#[derive(Clone, Copy, Debug)]
pub struct Symmetry {
    /// Its name, for people.
    pub name: &'static str,
    /// Where a cell goes.
    pub cell: fn(usize) -> usize,
    /// Where a policy index goes.
    pub index: fn(usize) -> usize,
}
