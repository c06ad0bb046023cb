//! How an evaluator is played.

use std::sync::Arc;

use alfil_game::Game;

use crate::Backend;
use crate::backend::tempered;
use crate::selection::{Puct, Rule};

/// How an evaluator is played, the same in the engine, matches, ladders, exams and the gate of a run: what is gated is
/// what is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaySettings {
    /// How moves are selected.
    pub rule: Rule,
    /// Temperature of the evaluator's priors: above 1 flattens them, 1 leaves them unchanged.
    pub policy_temperature: f32,
}

impl Default for PlaySettings {
    /// For networks: lc0's tuned defaults (0.33.0-dev).
    fn default() -> PlaySettings {
        PlaySettings { rule: Rule::Puct(Puct::default()), policy_temperature: 1.359 }
    }
}

impl PlaySettings {
    /// For evaluators other than networks: priors are unchanged.
    pub fn untempered() -> PlaySettings {
        PlaySettings { policy_temperature: 1.0, ..PlaySettings::default() }
    }

    /// The evaluators of `backend` as a search with these settings needs them.
    pub fn backend<G: Game>(&self, backend: Arc<dyn Backend<G>>) -> Arc<dyn Backend<G>> {
        tempered(backend, self.policy_temperature)
    }
}
