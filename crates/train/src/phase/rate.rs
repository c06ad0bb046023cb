//! Measures the strength of the promoted network.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use alfil_arena::exam::Exam;
use alfil_arena::ladder::{Climb, Ladder, Newcomer, Standings};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine};
use alfil_arena::stats::Rating;
use alfil_core::seed::derive;
use alfil_core::settings;
use alfil_core::settings::Findings;
use alfil_game::{Encoding, FullGame};
use alfil_nn::Network;

use super::elsewhere::Entry;
use super::trend::{networks, trend};
use super::{Purpose, Run, Tell, hold};
use crate::fleet::is_harmless;
use crate::run::{EventFile, ExamMetrics, Metrics, Phase, RatingMetrics, RunError};
use crate::{Config, Event};

settings! {
    /// How the strength of promoted networks is measured.
    pub struct RatingSettings {
        /// The promoted network is rated every this many generations; 0 is never.
        pub every: u32 = 5;
        /// Games of a network when it is rated, against those who tell most about it; once, of each of the other players on
        /// average.
        pub games: u64 = 40, in 2..=1_000_000;
        /// Visits per move.
        pub visits: u32 = 64, in 1..=1_000_000;
        /// The other players: see alfil match --help. The first has the rating 0. An engine that is not installed is left
        /// out.
        pub players: Vec<String> = ["random", "uct:rollouts=50", "uct:rollouts=400"].map(str::to_owned).to_vec();
        /// Earlier networks of the run that take part: the newest that have been rated.
        pub earlier: usize = 3, in 0..=1_000;
        /// Positions of the exam by the game's exact solver, if it has one: which share of moves keeps the value of the
        /// game.
        pub positions: usize = 200, in 0..=100_000;
        /// The share of the run's time that ratings may take: one that is due waits for a generation in which those before it
        /// have taken no more. Which generations are rated then depends on the speed of the machine; games and networks
        /// do not. 0 is no limit.
        pub share: f64 = 0.0, in 0.0..=1.0;
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
        let generation = self.state.generation;
        if self.is_rated()? {
            let began = Instant::now();
            let rating = self.measure(stop, tell);
            self.state.rating_seconds += began.elapsed().as_secs_f64();
            let Some(rating) = rating? else { return Ok(false) };
            self.note_rating(&rating)?;
            self.state.pending.rating = Some(rating);
        }
        self.note_time();
        let (seconds, cpu_seconds) = (self.state.seconds, self.state.cpu_seconds);
        // A state of an earlier version does not say when the generation began.
        let is_known = self.state.began > 0 || generation == 1;
        let elapsed = if is_known { seconds - self.state.began as f64 / 1000.0 } else { 0.0 };
        let fleet = self.machine.fleet.as_ref().map(|fleet| fleet.metrics());
        let metrics = Metrics { generation, seconds, cpu_seconds, elapsed, fleet, ..self.state.pending.clone() };
        metrics.append(&self.directory)?;
        if let Some(Err(why)) = self.events.as_mut().map(|events| events.append(&metrics)) {
            self.events = None;
            tell(Event::Warning(&format!("{}: {why}", EventFile::LOST)));
        }
        tell(Event::Generation(&metrics));
        if self.state.pending.rating.is_some() {
            self.state.rating_waits = false;
        }
        self.state.rates = None;
        self.state.pending = Metrics::default();
        self.state.steps = self.learner.steps();
        let size = self.whole.at(generation, self.state.hours()).network.size;
        self.state.generation += 1;
        self.state.began = (seconds * 1000.0) as u64;
        self.choose_size(&size);
        self.enter(Phase::Selfplay)?;
        self.begin_generation(tell)?;
        Ok(true)
    }

    /// Whether the promoted network is rated in this generation. What depends on measured time is written to the state
    /// first: after an interruption it stays decided.
    fn is_rated(&mut self) -> Result<bool, RunError> {
        let RatingSettings { every, share, .. } = self.config.rating;
        let generation = self.state.generation;
        let is_last = generation == self.config.generations || self.has_all_epochs();
        let is_due = every > 0 && (self.state.rating_waits || generation.is_multiple_of(every) || is_last);
        if share == 0.0 {
            return Ok(is_due);
        }
        if let Some(rates) = self.state.rates {
            return Ok(rates);
        }
        self.note_time();
        let rates = is_due && (is_last || self.state.rating_seconds <= share * self.state.seconds);
        self.state.rates = Some(rates);
        self.state.rating_waits = is_due && !rates;
        self.state.save(&self.directory)?;
        Ok(rates)
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
        let visits = self.config.rating.visits;
        // The first time, the other players play each other; later they have had their games.
        let mut players = baselines::<E::Game>(&self.config)?;
        let mut seats = lines_of(&self.config, &players);
        self.pool(players.clone(), seats.clone(), None, stop, tell)?;
        let past = Metrics::load_readable(&self.directory)?;
        let earlier = self.earlier(&past, players.is_empty());
        for &generation in &earlier {
            let network = Arc::new(Network::load(&self.directory.network(generation))?);
            let player = self.entrant(generation, &network, visits)?;
            seats.insert(player.identity.clone(), Entry::Network(network, visits));
            players.push(player);
        }
        let champion = self.entrant(self.state.champion, &self.champion, visits)?;
        seats.insert(champion.identity.clone(), Entry::Network(Arc::clone(&self.champion), visits));
        let name = champion.name.clone();
        // It is probably about as strong as the network that was rated last.
        let newcomer = Newcomer { player: players.len(), like: earlier.last().map(|_| players.len() - 1) };
        players.push(champion);
        let standings = self.pool(players, seats, Some(newcomer), stop, tell)?;
        let exam = self.examine(stop, tell)?;
        if stop.load(Relaxed) {
            return Ok(None);
        }
        let own = standings.rows.iter().find(|row| row.name == name);
        let Rating { elo, low, high } = own.map_or(Rating { elo: 0.0, low: 0.0, high: 0.0 }, |row| row.rating);
        let rated = networks(&standings, visits);
        let point = |generation: u32, Rating { elo, low, high }: Rating| (generation, elo, low, high);
        let curve = rated.iter().map(|network| point(network.generation, network.rating)).collect();
        self.note_time();
        let hours = |seconds: f64| seconds / 3_600.0;
        let mut ends: BTreeMap<u32, f64> =
            past.iter().map(|metrics| (metrics.generation, hours(metrics.seconds))).collect();
        let now = hours(self.state.seconds);
        ends.extend([(0, 0.0), (self.state.generation, now)]);
        Ok(Some(RatingMetrics {
            seconds: began.elapsed().as_secs_f64(),
            network: self.state.champion,
            elo,
            low,
            high,
            games: own.map_or(0, |row| row.games),
            standings: standings.rows.iter().map(|row| (row.name.clone(), row.rating.elo)).collect(),
            curve,
            trend: trend(&rated, &standings, &ends, now),
            exam,
        }))
    }

    /// Plays until the newcomer, or every player if there is none, has had `rating.games` games. Rates all players so
    /// far.
    fn pool(
        &self,
        players: Vec<Entrant<E::Game>>,
        seats: BTreeMap<String, Entry>,
        newcomer: Option<Newcomer>,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Result<Standings, RunError> {
        let openings = derive(self.config.seed, &[Purpose::Rating as u64]);
        let venue = self.venue(openings, seats);
        let contest = |tell: &mut Tell<'_>| {
            let ladder = Ladder {
                players: players.clone(),
                anchor: 0,
                anchor_elo: 0.0,
                games: self.config.rating.games,
                newcomer,
                concurrency: self.tables(),
                seed: self.seed(Purpose::Rating),
                openings: Openings::random(openings, &self.rules),
                state: Some(self.directory.rating()),
            };
            let mut tell = |climb: Climb<'_>| tell(Event::Rating { games: climb.games, of: climb.target });
            match &venue {
                Some(venue) => ladder.run_at(venue, &mut tell, stop),
                None => ladder.run(&mut tell, stop),
            }
        };
        hold(contest, tell)
    }

    /// Generations of earlier networks that take part, oldest first: the newest that have been rated. Where there are no
    /// other players, the untrained network is one of them: ratings are relative to it.
    fn earlier(&self, past: &[Metrics], alone: bool) -> Vec<u32> {
        let is_rated = |generation: &u32| {
            let mut ratings = past.iter().filter_map(|metrics| metrics.rating.as_ref());
            ratings.any(|rating| rating.network == *generation)
        };
        let others = self.state.promoted.iter().copied().filter(|generation| *generation != self.state.champion);
        let mut earlier: Vec<u32> = others.filter(|generation| *generation > 0 || !alone).filter(is_rated).collect();
        earlier.drain(..earlier.len().saturating_sub(self.config.rating.earlier));
        if alone && self.state.champion > 0 {
            earlier.insert(0, 0);
        }
        earlier
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
            self.exam = Exam::new(positions, None, &self.rules, seed, &mut count, stop)?;
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

/// Checks that the players can be made that networks are compared with. Starts no program: a configuration may come from others.
pub(super) fn check_baselines<G: FullGame>(config: &Config) -> Result<(), RunError> {
    installed(config).try_for_each(|line| Ok(line.check::<G>()?))
}

/// The players whose programs are not installed, by name, and why each of them is left out.
pub(super) fn missing(config: &Config) -> impl Iterator<Item = (String, String)> {
    let is_rated = config.rating.every > 0;
    lines(config).filter(move |_| is_rated).filter_map(|line| Some((line.name().to_owned(), line.missing()?)))
}

/// A sentence about the anchor, if the first of the players, which it should be, is left out.
pub(super) fn other_anchor(config: &Config) -> Option<String> {
    let first = lines(config).next().filter(|_| config.rating.every > 0)?;
    first.missing()?;
    let anchor = installed(config).next().map_or("the untrained network".to_owned(), |line| line.name().to_owned());
    Some(format!("{anchor} has the rating 0 in place of {}, which is not there: ratings with it differ", first.name()))
}

/// The players that networks are compared with. Engines among them are started once, to try them.
pub(super) fn baselines<G: FullGame>(config: &Config) -> Result<Vec<Entrant<G>>, RunError> {
    installed(config).map(|line| Ok(line.entrant()?)).collect()
}

/// Those of the players that workers of a fleet can make from a line: without files, and without programs, which a message must
/// not be able to start.
fn lines_of<G: FullGame>(config: &Config, players: &[Entrant<G>]) -> BTreeMap<String, Entry> {
    let lines = config.rating.players.iter().filter(|line| is_harmless(line));
    let known = lines.filter_map(|line| {
        let player = line.parse::<PlayerLine>().ok()?.entrant::<G>().ok()?;
        Some((player.identity, Entry::Line(line.clone())))
    });
    known.filter(|(identity, _)| players.iter().any(|player| player.identity == *identity)).collect()
}

/// The players except those whose programs are not installed: a configuration may come from another machine.
fn installed(config: &Config) -> impl Iterator<Item = PlayerLine> {
    lines(config).filter(|line| line.missing().is_none())
}

fn lines(config: &Config) -> impl Iterator<Item = PlayerLine> {
    // The configuration has been checked: all of them parse.
    config.rating.players.iter().filter_map(|line| line.parse().ok())
}
