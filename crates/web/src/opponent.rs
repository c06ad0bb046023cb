//! Who can be played against.

use std::ops::RangeInclusive;

use alfil_arena::player::{
    AlphaBetaPlayer, LEVELS, OraclePlayer, Player, PolicyPlayer, RandomPlayer, TreePlayer, TreeSettings, TurnsPlayer,
};
use alfil_game::{FullGame, Knowledge};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::host::Host;

/// The deepest alpha-beta: some seconds per move in chess.
const DEEPEST: u32 = 4;

/// The deepest alpha-beta over whole turns.
const DEEPEST_TURNS: u32 = 3;

/// Actions of each piece that such a search looks at.
const ACTIONS: usize = 4;

/// Of the choice by a policy.
const TEMPERATURES: RangeInclusive<f32> = 0.05..=2.0;

fn usual_temperature() -> f32 {
    1.0
}

/// An opponent as a request names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Opponent {
    /// Tree search at a level from 1 to 10.
    Level {
        /// The level.
        level: u64,
        /// What evaluates its positions: one of the game's evaluators; the strongest if it is left out.
        #[serde(default)]
        evaluator: Option<String>,
    },
    /// Alpha-beta with the game's handcrafted evaluation.
    AlphaBeta {
        /// In plies.
        depth: u32,
    },
    /// Alpha-beta over whole turns.
    Turns {
        /// In turns.
        depth: u32,
    },
    /// As the policy of a network says, without search.
    Policy {
        /// One of the game's evaluators; the strongest if it is left out.
        #[serde(default)]
        evaluator: Option<String>,
        /// 1 plays moves as often as the policy says, less the likely ones more often.
        #[serde(default = "usual_temperature")]
        temperature: f32,
    },
    /// Any legal move.
    Random,
    /// Perfect play, where there is an exact solver.
    Oracle,
}

impl Opponent {
    /// Checks what the type allows and the game does not.
    pub fn check<G: FullGame>(&self, host: &Host<G>) -> Result<(), ApiError> {
        let depth = |depth: &u32, deepest: u32| match (1..=deepest).contains(depth) {
            true => Ok(()),
            false => Err(ApiError::wrong(format!("the depth is a number from 1 to {deepest}"))),
        };
        match self {
            Opponent::Level { level, .. } if !LEVELS.contains(level) => {
                let [first, last] = [LEVELS.start(), LEVELS.end()];
                Err(ApiError::wrong(format!("the level is a number from {first} to {last}")))
            }
            Opponent::Policy { temperature, .. } if !TEMPERATURES.contains(temperature) => {
                let [first, last] = [TEMPERATURES.start(), TEMPERATURES.end()];
                Err(ApiError::wrong(format!("the temperature is a number from {first} to {last}")))
            }
            Opponent::Level { evaluator: Some(evaluator), .. }
            | Opponent::Policy { evaluator: Some(evaluator), .. } => host.check_evaluator(evaluator),
            Opponent::AlphaBeta { depth: plies } => depth(plies, DEEPEST),
            Opponent::Turns { depth: turns } => depth(turns, DEEPEST_TURNS),
            Opponent::Oracle if G::oracle().is_none() => {
                Err(ApiError::wrong(format!("{} has no exact solver", G::NAME)))
            }
            _ => Ok(()),
        }
    }

    /// What the page calls it.
    pub fn name<G: FullGame>(&self, host: &Host<G>) -> String {
        match self {
            Opponent::Level { level, evaluator } => {
                let evaluator = evaluator.as_deref().unwrap_or(host.strongest());
                format!("level {level}, {}", host.evaluator_name(evaluator))
            }
            Opponent::Policy { evaluator, .. } => {
                let evaluator = evaluator.as_deref().unwrap_or(host.strongest());
                format!("{}, without search", host.evaluator_name(evaluator))
            }
            Opponent::AlphaBeta { depth } => format!("alpha-beta, depth {depth}"),
            Opponent::Turns { depth } => format!("alpha-beta over turns, depth {depth}"),
            Opponent::Random => "random moves".to_owned(),
            Opponent::Oracle => "perfect play".to_owned(),
        }
    }

    /// The player. May read a network: not for a thread that answers requests.
    pub fn player<G: FullGame>(&self, host: &Host<G>, seed: u64) -> Result<Box<dyn Player<G>>, ApiError> {
        let mut player: Box<dyn Player<G>> = match self {
            Opponent::Level { level, evaluator } => {
                let backend = host.backend(evaluator.as_deref().unwrap_or(host.strongest()))?;
                let settings = TreeSettings::at_level(*level);
                Box::new(TreePlayer::new(backend, settings).map_err(ApiError::failed)?)
            }
            Opponent::Policy { evaluator, temperature } => {
                let backend = host.backend(evaluator.as_deref().unwrap_or(host.strongest()))?;
                Box::new(PolicyPlayer::new(&*backend, *temperature).map_err(ApiError::failed)?)
            }
            Opponent::AlphaBeta { depth } => Box::new(AlphaBetaPlayer::new(*depth, Knowledge::Full, true)),
            Opponent::Turns { depth } => Box::new(TurnsPlayer::new(*depth, ACTIONS)),
            Opponent::Random => Box::new(RandomPlayer::default()),
            Opponent::Oracle => Box::new(OraclePlayer::default()),
        };
        player.new_game(seed).map_err(ApiError::failed)?;
        Ok(player)
    }
}
