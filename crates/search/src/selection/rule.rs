//! The selection rules of a search.

use super::{Gumbel, Puct};

/// How moves are picked on the way down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// PUCT, AlphaZero's rule.
    Puct(Puct),
    /// UCT, the rule of plain Monte Carlo tree search.
    Uct {
        /// The weight of exploration.
        c: f32,
    },
    /// A simplification of PUCT: see [`simple_puct`](super::simple_puct).
    SimplePuct,
    /// The rule of Gumbel search below its root.
    Gumbel(Gumbel),
}

impl Default for Rule {
    /// For play.
    fn default() -> Rule {
        Rule::Puct(Puct::default())
    }
}

impl Rule {
    /// UCT for values from -1 to 1. Theory gives the square root of 2 for rewards from 0 to 1, and nothing for play:
    /// with 1,000 rollouts per move, c of 0.5, 0.8, 1, 1.4, 2 and 2.8 lost 43, 18, 7, 11, 13 and 22 of 1,000 games of
    /// tic-tac-toe to the perfect player.
    pub const UCT: Rule = Rule::Uct { c: 1.0 };
}
