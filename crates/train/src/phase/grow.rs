//! A network that grows: a larger one learns from the games of the run, until it is at least as good by the gate.
//!
//! From the generation on in which it begins, the larger network takes the place of the smaller one in training. The smaller
//! one goes on playing the games to learn from, until a candidate has passed its match. The state says which size learns, so
//! that a run resumes wherever it is stopped.

use alfil_core::seed::derive;
use alfil_game::Encoding;
use alfil_nn::Size;

use super::{Purpose, Run, Tell};
use crate::run::RunError;
use crate::{Config, Event};

impl<E: Encoding> Run<E> {
    /// Lets the network grow to this size when the next generation begins, unless it has it already.
    pub fn grow(&mut self, size: Size) -> Result<(), RunError> {
        let mut network = self.config.network.clone();
        network.size = size.to_string();
        network.architecture::<E>()?;
        self.grow = Some(size);
        Ok(())
    }

    /// Whether the network that learns has not replaced the one that plays yet, which has another size.
    pub(super) fn is_growing(&self) -> bool {
        self.champion.architecture.size() != self.architecture.size()
    }

    /// Notes in the state of a generation that begins which size learns: another one if it was asked for, or if a stage with
    /// it begins. `before` is the size that the stages gave the last generation.
    pub(super) fn choose_size(&mut self, before: &str) {
        let staged = self.whole.at(self.state.generation, self.state.hours()).network.size;
        let staged = staged.parse().ok().filter(|_| staged != before);
        let Some(size) = self.grow.take().or(staged) else { return };
        if size != self.architecture.size() {
            self.state.size = Some(size);
            self.state.earlier += self.state.steps;
            (self.state.steps, self.state.target) = (0, 0);
        }
    }

    /// Begins to train a network of another size. Its steps and its learning rate begin anew.
    pub(super) fn replace_learner(&mut self, config: &Config, tell: &mut Tell<'_>) -> Result<(), RunError> {
        self.directory.open_checkpoints(self.state.size)?;
        let before = self.architecture.size();
        let seed = derive(config.seed, &[Purpose::Weights as u64]);
        (self.architecture, self.learner) = self.machine.learner::<E>(config, seed)?;
        self.keep_what_was_measured()?;
        tell(Event::Grow { from: before, to: self.architecture.size() });
        Ok(())
    }
}
