//! How games are played to learn from.

use alfil_search::selection::{Gumbel, Puct};
use serde::{Deserialize, Serialize};

use crate::{Adjudication, Starts, Temperature};

/// The settings of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Games that a lane plays at once: as many positions are evaluated together.
    pub games: usize,
    /// Where games begin.
    pub starts: Starts,
    /// How moves are searched for.
    pub search: SearchKind,
    /// Searches that are cheaper than the others, and whose policy is not learnt.
    pub cheap: Option<Cheap>,
    /// How moves are drawn.
    pub temperature: Temperature,
    /// When games are given up.
    pub resign: Option<Resign>,
    /// When games are ended before the rules do.
    pub adjudication: Adjudication,
    /// The share of the weight of a game's positions that goes to those whose search surprised the network: 0.5 in KataGo, 0
    /// is off.
    pub surprise: f32,
    /// Memory of a game's tree.
    pub tree_bytes: usize,
}

/// A way to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchKind {
    /// AlphaZero's: PUCT with noise at the root, visits as the policy to learn.
    Puct {
        /// Visits a move.
        visits: u32,
        /// The rule.
        rule: Puct,
        /// Dirichlet noise: 0.3 for chess in AlphaZero, in inverse proportion to the usual number of moves.
        noise_alpha: f32,
        /// The share of the noise in the priors: 0.25 in AlphaZero.
        noise_share: f32,
        /// Forced playouts, with their visits taken out of the policy again: KataGo's k is 2, 0 is none.
        forced: f32,
    },
    /// Gumbel search: sequential halving at the root, the improved policy to learn.
    Gumbel {
        /// Walks a move.
        simulations: u32,
        /// Moves that are tried: 16 in the paper.
        considered: u32,
        /// The rule.
        rule: Gumbel,
    },
}

impl SearchKind {
    /// AlphaZero's settings, with 800 visits.
    pub const ALPHA_ZERO: SearchKind =
        SearchKind::Puct { visits: 800, rule: Puct::SELF_PLAY, noise_alpha: 0.3, noise_share: 0.25, forced: 0.0 };
}

/// Playout-cap randomisation (KataGo): more games for the value, fewer but better searches for the policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cheap {
    /// The share of cheap searches: 0.75 in KataGo.
    pub share: f32,
    /// Visits or walks of one.
    pub visits: u32,
}

/// Resignation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resign {
    /// The side to move gives up when it expects less than this, from -1 to 1,
    pub below: f32,
    /// at so many of its moves in a row.
    pub moves: u32,
    /// The share of games that are played to the end all the same, to see how often giving up would have been wrong.
    pub play_through: f32,
}

impl Settings {
    /// Memory of a tree with room for so many visits and what is left of those of the move before.
    pub fn room_for(visits: u32) -> usize {
        (visits as usize * 1_024).max(64 << 10)
    }
}

impl Default for Settings {
    /// For trying things out: small searches by Gumbel, no resignation or adjudication.
    fn default() -> Settings {
        Settings {
            games: 32,
            starts: Starts::default(),
            search: SearchKind::Gumbel { simulations: 32, considered: 16, rule: Gumbel::default() },
            cheap: None,
            temperature: Temperature::ALPHA_ZERO,
            resign: None,
            adjudication: Adjudication::default(),
            surprise: 0.0,
            tree_bytes: 1 << 20,
        }
    }
}
