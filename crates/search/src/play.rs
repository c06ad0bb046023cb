//! How a network is played.

use std::sync::Arc;

use alfil_game::Game;

use crate::Backend;
use crate::backend::tempered;
use crate::selection::{Puct, Rule};

/// What decides how an evaluator is played, whoever plays it: the engine, matches, ladders, exams, and the gate of a run. What
/// is gated is what is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaySettings {
    /// Which moves are looked at.
    pub rule: Rule,
    /// Above 1 the evaluator's preferences among moves are evened out.
    pub policy_temperature: f32,
}

impl Default for PlaySettings {
    /// For networks: lc0's tuned defaults (0.33.0-dev).
    fn default() -> PlaySettings {
        PlaySettings { rule: Rule::Puct(Puct::default()), policy_temperature: 1.359 }
    }
}

impl PlaySettings {
    /// For evaluators other than networks, whose priors are taken as they are.
    pub fn untempered() -> PlaySettings {
        PlaySettings { policy_temperature: 1.0, ..PlaySettings::default() }
    }

    /// Evaluators of `backend` as a search with these settings asks them.
    pub fn backend<G: Game>(&self, backend: Arc<dyn Backend<G>>) -> Arc<dyn Backend<G>> {
        tempered(backend, self.policy_temperature)
    }
}
