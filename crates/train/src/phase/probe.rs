//! Measures what networks and searches see of material.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use alfil_core::seed::derive;
use alfil_game::Encoding;
use alfil_nn::Network;
use alfil_selfplay::GameRecord;
use alfil_selfplay::probe::{Measured, Probe, ValueReport, policy_divergence};

use super::{Purpose, Run};
use crate::run::{ProbeMetrics, RunError};

impl<E: Encoding> Run<E> {
    /// Probes a network, in a game that has estimates. `None` if it was stopped before the end.
    pub(super) fn probe(
        &mut self,
        network: &Network,
        stop: &AtomicBool,
    ) -> Result<Option<Option<ProbeMetrics>>, RunError> {
        let began = Instant::now();
        let mut quiet = |_: u64, _: u64| {};
        if !Probe::<E::Game>::is_possible(&self.rules) || self.config.probe.is_off() {
            return Ok(Some(None));
        }
        if self.probe.get().is_none() {
            // The same positions in all generations.
            let seed = derive(self.config.seed, &[Purpose::Probe as u64]);
            let made = Probe::new(&self.config.probe, &self.rules, seed, &mut quiet, stop)?;
            let _ = made.map(|made| self.probe.set(made));
        }
        let Some(probe) = self.probe.get_mut() else { return Ok(None) };
        let mut evaluator = self.machine.plain_backend::<E>(network)?.evaluator(0)?;
        let ValueReport { gap, bias, correlation } = probe.values(&mut *evaluator)?;
        let blunders = probe.blunders(&self.config.selfplay.search, &mut *evaluator, &mut quiet, stop)?;
        if stop.load(Relaxed) {
            return Ok(None);
        }
        let seconds = began.elapsed().as_secs_f64();
        Ok(Some(Some(ProbeMetrics { seconds, gap, bias, correlation, blunders })))
    }

    /// How far the policies of these games are from the priors of the promoted network, which has played them.
    pub(super) fn policy_divergence(&self, records: &[GameRecord]) -> Result<Option<Measured>, RunError> {
        let mut evaluator = self.machine.plain_backend::<E>(&self.champion)?.evaluator(0)?;
        Ok(policy_divergence(records, &self.rules, &mut *evaluator)?)
    }
}
