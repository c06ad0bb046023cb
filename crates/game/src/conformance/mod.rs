//! What every game and encoding must fulfil, checked on random games.
//!
//! The suite is part of the library, not of its tests, so that `alfil game check` runs it too and a new game is one
//! folder and one line in the [`registry`](crate::registry).

mod encoding;
mod parts;
mod rules;
mod sample;

use sample::Sample;

use crate::{Encoding, Examples, FullGame, Game};

/// How much to check.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Random games from the start position, and half as many from each of [`Examples::TEST_POSITIONS`].
    pub games: usize,
    /// Makes the random games repeatable.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { games: 10, seed: 1 }
    }
}

/// The result of one check.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is promised, in words.
    pub promise: &'static str,
    /// On how many cases it was tried, or the first case in which it was broken.
    pub result: Result<u64, String>,
}

/// What is promised, and how to check it.
type Promise<G> = (&'static str, fn(&Sample<G>) -> Result<u64, String>);

/// Checks a game under these rules.
pub fn check_game<G: FullGame>(rules: &G::Rules, effort: Effort) -> Vec<Check> {
    check::<G>(
        rules,
        effort,
        &[
            ("moves are distinct, and there are none exactly when the game is over", rules::moves),
            ("random games end within the ply cap", rules::termination),
            ("positions and moves read back as written", rules::notation),
            ("variants lead back to the rules of a game", parts::variants),
            ("pictures show each cell once, and what positions say of it", parts::pictures),
            ("each move has steps of its own on the picture", parts::steps),
            ("a clone is independent of its game", rules::clones),
            ("keys are equal exactly for equal positions", rules::keys),
            ("exchanging the sides leaves the game the same", parts::swapped),
            ("estimates are the same for both sides", parts::estimates),
            ("whole turns end where the other side moves", parts::turns),
            ("random endings can be played, and read back as written", parts::endings),
            ("options of the rules read back, and so does a game without its history", parts::chosen),
            ("the oracle agrees with itself a ply later", parts::oracle),
            ("tables and books are looked for exactly where there are any", parts::references),
        ],
    )
}

/// Checks an encoding of a game under these rules.
pub fn check_encoding<E: Encoding>(rules: &<E::Game as Game>::Rules, effort: Effort) -> Vec<Check> {
    check::<E::Game>(
        rules,
        effort,
        &[
            ("every policy index has its own output of the policy head", encoding::head_outputs::<E>),
            ("every legal move maps to its own policy index and back", encoding::policy::<E>),
            ("planes are bounded, complete and repeatable", encoding::planes::<E>),
            ("both sides see the same from their side of the board", encoding::movers_view::<E>),
            ("declared symmetries turn planes and policy the same way", encoding::symmetries::<E>),
        ],
    )
}

fn check<G: Examples>(rules: &G::Rules, effort: Effort, promises: &[Promise<G>]) -> Vec<Check> {
    let sample = Sample::play(rules, effort);
    promises.iter().map(|&(promise, holds)| Check { promise, result: holds(&sample) }).collect()
}
