//! Self-play.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use alfil_game::Encoding;
use alfil_selfplay::replay::{Window, set_aside};
use alfil_selfplay::{Counts, GameRecord, Session, Tickets, chunks, read_chunk};

use super::elsewhere::Games;
use super::{Run, Tell};
use crate::Event;
use crate::run::{Phase, RunError, SelfplayMetrics};

impl<E: Encoding> Run<E> {
    /// Plays the games of a generation that are still missing. False if it was stopped before the end.
    pub(super) fn play(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<bool, RunError> {
        let of = self.config.selfplay.games;
        self.remove_taken_games(tell)?;
        let adopted = self.adopted_games(tell)?;
        let known: BTreeSet<u64> = self.finished_games(tell)?.into_keys().collect();
        let before = (adopted.len() + known.len()) as u64;
        let missing = (self.state.games..).filter(|number| !known.contains(number));
        let missing: Vec<u64> = missing.take(of.saturating_sub(before) as usize).collect();
        let backend = self.machine.backend::<E>(&self.champion)?;
        let began = Instant::now();
        let session = Session {
            context: self.lane_context(Arc::new(Tickets::of(missing)))?,
            lanes: self.machine.lanes,
            backend: &*backend,
            folder: &self.directory.selfplay(),
            stop,
        };
        let champion = Arc::clone(&self.champion);
        let network = || Arc::clone(&champion);
        let games = Games::<E> { session, machine: &self.machine, fleet: self.config.fleet, network: &network };
        let counts = games.run(&mut |counts| {
            let seconds = began.elapsed().as_secs_f64();
            tell(Event::Games { games: before + counts.games, of, counts, seconds });
        })?;
        let records = self.finished_games(tell)?;
        if ((adopted.len() + records.len()) as u64) < of {
            // Stopped; or a file has been damaged meanwhile, and its games are played again.
            return Ok(!stop.load(Relaxed));
        }
        let next = records.last_key_value().map_or(self.state.games, |(number, _)| number + 1);
        let records: Vec<GameRecord> = records.into_values().collect();
        let mut games = Counts::default();
        adopted.iter().chain(&records).for_each(|record| games.add_record(record));
        let seconds = began.elapsed().as_secs_f64();
        let policy_divergence = self.policy_divergence(&records)?;
        self.state.pending.selfplay = SelfplayMetrics { policy_divergence, ..metrics(&games, &counts, seconds) };
        self.show(&records, tell);
        self.replay.add::<E::Game>(self.state.generation, records)?;
        self.end_of_games(next, games.positions)?;
        // The games are in the window now. Files that cannot be removed here are removed before the next games.
        for path in chunks(&self.directory.selfplay())? {
            let _ = alfil_core::disk::remove(&path);
        }
        Ok(true)
    }

    /// Sets the training steps that follow from this many new positions, and the number of the next game.
    pub(super) fn end_of_games(&mut self, next: u64, positions: u64) -> Result<(), RunError> {
        self.state.games = next;
        // A network that has grown learns from all that there is before its first match.
        let is_new = self.is_growing() && self.state.target == 0;
        let window = Window::of(&self.replay, &self.config.window.size);
        let positions = if is_new { window.positions() } else { positions };
        // The target was that of the last generation. It is more than its steps if a damaged checkpoint has cost some.
        self.state.target += self.config.steps(positions, self.replay.positions());
        self.enter(Phase::Learn)
    }

    /// Removes files that an interruption has left of games that are in the window already. Not in overlap mode: there
    /// a long game may end after others with higher numbers have been taken into the window.
    pub(super) fn remove_taken_games(&self, tell: &mut Tell<'_>) -> Result<(), RunError> {
        for (path, records) in self.finished_files(tell)? {
            if records.iter().all(|record| record.number < self.state.games) {
                alfil_core::disk::remove(&path).map_err(|why| RunError::io("remove", &path, why))?;
            }
        }
        Ok(())
    }

    /// Finished games that are not in the window yet, by number.
    fn finished_games(&self, tell: &mut Tell<'_>) -> Result<BTreeMap<u64, GameRecord>, RunError> {
        let records = self.finished_files(tell)?.into_iter().flat_map(|(_, records)| records);
        let ours = records.filter(|record| record.number >= self.state.games);
        // Records of an older version have to be brought into today's. One that is not a game is played again.
        let resolved = ours.filter_map(|mut record| record.resolve::<E::Game>(&self.rules).map(|()| record));
        Ok(resolved.map(|record| (record.number, record)).collect())
    }

    /// Files of finished games. Damaged ones are reported and set aside: their games are played again.
    pub(super) fn finished_files(&self, tell: &mut Tell<'_>) -> Result<Vec<(PathBuf, Vec<GameRecord>)>, RunError> {
        let mut files = Vec::new();
        for path in chunks(&self.directory.selfplay())? {
            match read_chunk::<E::Game>(&path) {
                Ok(records) => files.push((path, records)),
                Err(why) => tell(Event::Damaged(&set_aside(&path, why)?)),
            }
        }
        Ok(files)
    }
}

/// The metrics of a generation's games, and of the work that they took.
pub(super) fn metrics(games: &Counts, work: &Counts, seconds: f64) -> SelfplayMetrics {
    SelfplayMetrics {
        seconds,
        games: games.games,
        positions: games.positions,
        results: games.results,
        length: games.mean_length(),
        resigned: games.resigned,
        adjudicated: games.adjudicated,
        won_by_rules: Some(games.won_by_rules),
        played_through: work.played_through,
        false_resignations: work.false_resignations,
        positions_per_second: work.moves as f64 / seconds.max(1e-9),
        evaluations_per_second: work.evaluations as f64 / seconds.max(1e-9),
        batch: work.mean_batch(),
        cache_hits: work.cache_share(),
        evaluator_share: work.evaluator_share(),
        policy_entropy: games.mean_entropy(),
        policy_divergence: None,
    }
}
