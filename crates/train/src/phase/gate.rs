//! The gate: a match of the candidate against the last promoted network.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use alfil_arena::contest::{Archive, Match, MatchEnd, MatchReport, MatchSettings, Progress};
use alfil_arena::opening::Openings;
use alfil_arena::player::Entrant;
use alfil_arena::stats::{Decision, Sprt};
use alfil_core::settings::Findings;
use alfil_core::{choices, settings};
use alfil_game::Encoding;
use alfil_nn::Network;
use alfil_search::Adjudicator;

use super::elsewhere::{Entry, FleetVenue};
use super::{Purpose, Run, Tell, hold};
use crate::fleet::match_settings;
use crate::run::{GateMetrics, Phase, RunError};
use crate::{Config, Event};

choices! {
    /// What a candidate has to do to be promoted.
    pub enum GateKind {
        /// Sprt where games are played, else none.
        Auto = "auto",
        /// Nothing, as in AlphaZero.
        None = "none",
        /// Score a share of the points, as in AlphaGo Zero.
        Score = "score",
        /// Pass a sequential test.
        Sprt = "sprt",
    }
}

settings! {
    /// The match that a candidate has to pass.
    #[derive(Copy)]
    pub struct GateSettings {
        /// What a candidate has to do to be promoted: sprt (a sequential test that stops early), score (a share of the points), none,
        /// or auto: sprt, but none where all is learnt from folders, since the promoted network plays no games to learn from.
        pub kind: GateKind = GateKind::Auto;
        /// Games at most. If a sequential test is still undecided then, half the points are enough.
        pub games: u64 = 100, in 2..=1_000_000;
        /// Visits per move.
        pub visits: u32 = 32, in 1..=1_000_000;
        /// score: the share of the points that is needed (0.55 in AlphaGo Zero).
        pub score: f64 = 0.55, in 0.0..=1.0;
        /// sprt: the Elo of the hypothesis that the candidate is too weak. Around 0: a network that is no stronger, but
        /// has seen more positions, may be promoted.
        pub elo0: f64 = -30.0, in -1000.0..=1000.0;
        /// sprt: the Elo of the hypothesis that it is strong enough.
        pub elo1: f64 = 30.0, in -1000.0..=1000.0;
        /// sprt: the error rate, of either kind.
        pub error: f64 = 0.05, in 1e-6..=0.4;
    }
    check GateSettings::check;
}

impl GateSettings {
    fn check(&self, found: &mut Findings) {
        if self.elo0 >= self.elo1 {
            found.error("elo1", "must be more than elo0");
        }
    }
}

impl Config {
    /// What a candidate has to do to be promoted.
    pub fn gate_kind(&self) -> GateKind {
        match self.gate.kind {
            GateKind::Auto if self.plays_games() => GateKind::Sprt,
            GateKind::Auto => GateKind::None,
            kind => kind,
        }
    }
}

impl<E: Encoding> Run<E> {
    /// Plays the candidate's match, and promotes it if it passes. False if it was stopped before the end.
    pub(super) fn gate(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<bool, RunError> {
        let generation = self.state.generation;
        let (candidate, promoted) = (self.directory.candidate(generation), self.directory.network(generation));
        // An interruption may have come between the promotion and the state that records it.
        let is_promoted = promoted.is_file();
        let network = Arc::new(Network::load(if is_promoted { &promoted } else { &candidate })?);
        let passes = match self.config.gate_kind() {
            GateKind::None if !self.is_growing() => true,
            _ => {
                let began = Instant::now();
                let report = self.contest(&network, stop, tell)?;
                if report.ended == Some(MatchEnd::Stopped) {
                    return Ok(false);
                }
                let elo = report.pairs.elo();
                self.state.pending.gate = Some(GateMetrics {
                    seconds: began.elapsed().as_secs_f64(),
                    results: [report.wins, report.draws, report.losses],
                    elo: elo.elo,
                    low: elo.low,
                    high: elo.high,
                });
                is_promoted || self.passes(&report)
            }
        };
        if passes {
            if !is_promoted {
                alfil_core::disk::rename(&candidate, &promoted)
                    .map_err(|why| RunError::io("move the candidate to", &promoted, why))?;
            }
            self.champion = network;
            self.state.champion = generation;
            self.state.promoted.push(generation);
        }
        self.state.pending.promoted = passes;
        self.enter(Phase::Rate)?;
        // Only now: until the state is written, the candidate may be needed again. A leftover file is never used.
        let _ = alfil_core::disk::remove(&candidate);
        Ok(true)
    }

    fn contest(
        &self,
        candidate: &Arc<Network>,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Result<MatchReport, RunError> {
        let gate = &self.config.gate;
        let sprt = Sprt { elo0: gate.elo0, elo1: gate.elo1, alpha: gate.error, beta: gate.error };
        let settings = MatchSettings {
            games: gate.games,
            concurrency: self.tables(),
            seed: self.seed(Purpose::Gate),
            sprt: (self.config.gate_kind() == GateKind::Sprt).then_some(sprt),
        };
        let a = self.entrant(self.state.generation, candidate, gate.visits)?;
        let b = self.entrant(self.state.champion, &self.champion, gate.visits)?;
        let seat = |player: &Entrant<E::Game>, network: &Arc<Network>| {
            (player.identity.clone(), Entry::Network(Arc::clone(network), gate.visits))
        };
        let seats = BTreeMap::from([seat(&a, candidate), seat(&b, &self.champion)]);
        let venue = self.venue(self.seed(Purpose::Gate), seats);
        let contest = |tell: &mut Tell<'_>| {
            let contest = Match {
                a: &a,
                b: &b,
                openings: &mut Openings::random(self.seed(Purpose::Gate), &self.rules),
                settings,
                adjudicator: Adjudicator::default(),
                archive: Archive {
                    journal: Some(self.directory.gate_journal(self.state.generation, gate.visits)),
                    pgn: Some(self.directory.gate_games(self.state.generation, gate.visits)),
                },
            };
            let mut tell = |progress: Progress<'_>| tell(Event::Gate { report: progress.report, of: gate.games });
            match &venue {
                Some(venue) => contest.run_at(venue, &mut tell, stop),
                None => contest.run(&mut tell, stop),
            }
        };
        hold(contest, tell)
    }

    /// The fleet as the place of a match, if there is one. `openings` is the seed of the openings.
    pub(super) fn venue(&self, openings: u64, seats: BTreeMap<String, Entry>) -> Option<FleetVenue<'_, E>> {
        let fleet = &**self.machine.fleet.as_ref()?;
        let (machine, settings) = (&self.machine, self.config.fleet);
        Some(FleetVenue { fleet, machine, settings, rules: &self.rules, openings, seats })
    }

    /// Whether a candidate with this result is promoted.
    fn passes(&self, report: &MatchReport) -> bool {
        let score = report.pairs.score();
        match report.sprt.and_then(|(_, state)| state.decision) {
            Some(decision) => decision == Decision::AcceptH1,
            None if self.config.gate_kind() == GateKind::Score => score >= self.config.gate.score,
            None => score >= 0.5,
        }
    }

    /// A network of this run as a player.
    pub(super) fn entrant(
        &self,
        generation: u32,
        network: &Arc<Network>,
        visits: u32,
    ) -> Result<Entrant<E::Game>, RunError> {
        let name = format!("generation {generation}");
        let identity = format!("{name}:visits={visits}");
        let backend = self.machine.plain_backend::<E>(network)?;
        let settings = match_settings(visits);
        Ok(Entrant::pooled(name, identity, &*backend, self.machine.lanes, settings)?)
    }

    /// Games of a match at once: enough to fill batches.
    pub(super) fn tables(&self) -> usize {
        self.machine.device.batch_sizes().preferred.max(4 * self.machine.lanes)
    }
}
