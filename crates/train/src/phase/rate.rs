//! Measures the strength of the promoted network.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use alfil_arena::exam::Exam;
use alfil_arena::ladder::{Ladder, Standings};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine};
use alfil_arena::stats::Rating;
use alfil_core::seed::derive;
use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_game::{Encoding, FullGame};
use alfil_nn::Network;

use super::{Purpose, Run, Tell, hold};
use crate::run::{ExamMetrics, Metrics, Phase, RatingMetrics, RunError};
use crate::{Config, Event};

settings! {
    /// How the strength of promoted networks is measured.
    pub struct RatingSettings {
        /// The promoted network is rated every this many generations; 0 is never.
        pub every: u32 = 5;
        /// Games per player, on average.
        pub games: u64 = 40, in 2..=1_000_000;
        /// Visits per move.
        pub visits: u32 = 64, in 1..=1_000_000;
        /// The other players: see alfil match --help. The first has the rating 0.
        pub players: Vec<String> = ["random", "uct:rollouts=50", "uct:rollouts=400"].map(str::to_owned).to_vec();
        /// Earlier networks of the run that take part, spread evenly over it.
        pub earlier: usize = 3, in 0..=1_000;
        /// Positions of the exam by the game's exact solver, if it has one: which share of moves keeps the value of the
        /// game.
        pub positions: usize = 200, in 0..=100_000;
    }
    check RatingSettings::check;
}

impl RatingSettings {
    fn check(&self, found: &mut Findings) {
        for player in &self.players {
            if let Err(error) = player.parse::<PlayerLine>() {
                found.error("players", format!("names '{player}', which is not a player: {error}"));
            }
        }
        if self.every > 0 && self.players.is_empty() {
            found.warning("players", "is empty: networks are compared with each other only");
        }
    }
}

impl<E: Encoding> Run<E> {
    /// Rates the promoted network if it is due, and ends the generation. False if it was stopped before the end.
    pub(super) fn rate(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<bool, RunError> {
        let (every, generation) = (self.config.rating.every, self.state.generation);
        if every > 0 && (generation.is_multiple_of(every) || generation == self.config.generations) {
            let Some(rating) = self.measure(stop, tell)? else { return Ok(false) };
            self.note_rating(&rating)?;
            self.state.pending.rating = Some(rating);
        }
        self.note_time();
        let seconds = self.state.seconds;
        let began = self.state.pending.seconds;
        // A state of an earlier version does not say when the generation began.
        let elapsed = if began > 0.0 || generation == 1 { seconds - began } else { 0.0 };
        let metrics = Metrics { generation, seconds, elapsed, ..self.state.pending.clone() };
        metrics.append(&self.directory)?;
        tell(Event::Generation(&metrics));
        self.state.pending = Metrics { seconds, ..Metrics::default() };
        self.state.steps = self.learner.steps();
        self.state.generation += 1;
        self.enter(Phase::Selfplay)?;
        Ok(true)
    }

    /// Writes the rating into the network's file.
    fn note_rating(&self, rating: &RatingMetrics) -> Result<(), RunError> {
        let RatingMetrics { network, elo, low, high, .. } = rating;
        let mut rated = Network::clone(&self.champion);
        rated.origin.rating = Some(format!("{elo:.0} ({low:.0} to {high:.0}) in the pool of its run"));
        Ok(rated.save(&self.directory.network(*network))?)
    }

    fn measure(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Option<RatingMetrics>, RunError> {
        let began = Instant::now();
        let rating = &self.config.rating;
        // The first time, the other players play each other; later they have had their games.
        let mut players = baselines::<E::Game>(&self.config)?;
        self.pool(players.clone(), None, stop, tell)?;
        for generation in self.earlier() {
            let network = Arc::new(Network::load(&self.directory.network(generation))?);
            players.push(self.entrant(generation, &network, rating.visits)?);
        }
        let champion = self.entrant(self.state.champion, &self.champion, rating.visits)?;
        let name = champion.name.clone();
        let newcomer = players.len();
        players.push(champion);
        let standings = self.pool(players, Some(newcomer), stop, tell)?;
        let exam = self.examine(stop, tell)?;
        if stop.load(Relaxed) {
            return Ok(None);
        }
        let own = standings.rows.iter().find(|row| row.name == name);
        let Rating { elo, low, high } = own.map_or(Rating { elo: 0.0, low: 0.0, high: 0.0 }, |row| row.rating);
        let present = standings.rows.iter().map(|row| (row.name.as_str(), row.rating));
        let absent = standings.absent.iter().map(|(identity, rating)| (identity.as_str(), *rating));
        let mut curve: Vec<_> = present.chain(absent).filter_map(point).collect();
        curve.sort_by_key(|(generation, ..)| *generation);
        Ok(Some(RatingMetrics {
            seconds: began.elapsed().as_secs_f64(),
            network: self.state.champion,
            elo,
            low,
            high,
            games: own.map_or(0, |row| row.games),
            standings: standings.rows.iter().map(|row| (row.name.clone(), row.rating.elo)).collect(),
            curve,
            exam,
        }))
    }

    /// Plays until the newcomer, or every player if there is none, has had `rating.games` games. Rates all players so
    /// far.
    fn pool(
        &self,
        players: Vec<Entrant<E::Game>>,
        newcomer: Option<usize>,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Result<Standings, RunError> {
        let contest = |tell: &mut Tell<'_>| {
            let ladder = Ladder {
                players: players.clone(),
                anchor: 0,
                anchor_elo: 0.0,
                games: self.config.rating.games,
                newcomer,
                concurrency: self.tables(),
                seed: self.seed(Purpose::Rating),
                openings: Openings::random(derive(self.config.seed, &[Purpose::Rating as u64]), &self.rules),
                state: Some(self.directory.rating()),
            };
            ladder.run(&mut |climb| tell(Event::Rating { games: climb.games, of: climb.target }), stop)
        };
        hold(contest, tell)
    }

    /// Generations of earlier networks that take part, spread evenly over the run.
    fn earlier(&self) -> Vec<u32> {
        let promoted: Vec<u32> =
            self.state.promoted.iter().copied().filter(|generation| *generation != self.state.champion).collect();
        let count = self.config.rating.earlier.min(promoted.len());
        (0..count).map(|number| promoted[number * promoted.len() / count]).collect()
    }

    /// Which share of the network's moves keeps the value of the game, if the game has an exact solver.
    fn examine(&mut self, stop: &AtomicBool, tell: &mut Tell<'_>) -> Result<Option<ExamMetrics>, RunError> {
        let positions = self.config.rating.positions;
        if positions == 0 {
            return Ok(None);
        }
        if self.exam.is_none() {
            let seed = derive(self.config.seed, &[Purpose::Exam as u64]);
            let mut count = |positions: u64, of: u64| tell(Event::Exam { positions, of });
            self.exam = Exam::new(positions, &self.rules, seed, &mut count, stop)?;
        }
        let Some(exam) = &self.exam else { return Ok(None) };
        let mut mark = |visits: u32| -> Result<f64, RunError> {
            let player = self.entrant(self.state.champion, &self.champion, visits)?;
            let mut count = |positions: u64, of: u64| tell(Event::Exam { positions, of });
            Ok(exam.mark(&player, self.tables(), &mut count, stop)?.share())
        };
        let search = mark(self.config.rating.visits)?;
        let policy = mark(1)?;
        Ok(Some(ExamMetrics { positions: positions as u64, search, policy }))
    }
}

/// The point of the rating curve that a network of the run stands for, by its name or identity.
fn point((name, Rating { elo, low, high }): (&str, Rating)) -> Option<(u32, f64, f64, f64)> {
    let number = name.strip_prefix("generation ")?.split(':').next()?;
    Some((number.parse().ok()?, elo, low, high))
}

/// Checks that the players can be made that networks are compared with. Starts no program: a configuration may come from others.
pub(super) fn check_baselines<G: FullGame>(config: &Config) -> Result<(), RunError> {
    lines(config).try_for_each(|line| Ok(line.check::<G>()?))
}

/// The players that networks are compared with. Engines among them are started once, to try them.
pub(super) fn baselines<G: FullGame>(config: &Config) -> Result<Vec<Entrant<G>>, RunError> {
    lines(config).map(|line| Ok(line.entrant()?)).collect()
}

fn lines(config: &Config) -> impl Iterator<Item = PlayerLine> {
    // The configuration has been checked: all of them parse.
    config.rating.players.iter().filter_map(|line| line.parse().ok())
}
