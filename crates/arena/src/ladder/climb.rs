//! The choice of the games to play, and playing them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_core::seed::derive;
use alfil_game::FullGame;
use alfil_search::Adjudicator;

use super::standings::{Row, Standings};
use super::state::{LONGEST_BLOCK, Meeting, State};
use crate::contest::{Archive, ContestError, Match, MatchSettings, Progress, Venue};
use crate::opening::Openings;
use crate::player::Entrant;
use crate::stats::{Encounter, best_opponent, most_informative, ratings_with_covariances};

/// Players to be rated.
pub struct Ladder<G: FullGame> {
    /// The players, at least one. Those of the same identity are one.
    pub players: Vec<Entrant<G>>,
    /// The player whose rating is given.
    pub anchor: usize,
    /// That rating.
    pub anchor_elo: f64,
    /// Games per player except the anchor, on average; none of them has fewer than half as many. Those in the state
    /// file count.
    pub games: u64,
    /// A player who joins the others, whose games are in the state file: only this player's games are played, against those
    /// who tell most about the newcomer's rating.
    pub newcomer: Option<Newcomer>,
    /// Games that are played at the same time.
    pub concurrency: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// Where games begin.
    pub openings: Openings<G>,
    /// The file that results are kept in. Results of players who are not among these also count in the ratings.
    pub state: Option<PathBuf>,
}

/// A player who joins a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newcomer {
    /// Its number.
    pub player: usize,
    /// The number of a player who is probably about as strong, so that the first games are played against near opponents
    /// already. Has no effect on the ratings.
    pub like: Option<usize>,
}

/// Games that the newcomer is taken to have drawn with the one like it, when opponents are chosen: a guess that is about
/// 250 Elo wrong, and soon forgotten.
const GUESSED_GAMES: f64 = 2.0;

/// Reported after every pair.
pub struct Climb<'a> {
    /// Games that count.
    pub games: u64,
    /// How many there will be.
    pub target: u64,
    /// The two players of this pair.
    pub between: [&'a str; 2],
}

impl<G: FullGame> Ladder<G> {
    /// Plays until all have had their games or `stop` is set.
    pub fn run(self, tell: &mut dyn FnMut(Climb<'_>), stop: &AtomicBool) -> Result<Standings, ContestError> {
        self.climb(None, tell, stop)
    }

    /// The same with games that are played elsewhere, where the players can play there.
    pub fn run_at(
        self,
        venue: &dyn Venue,
        tell: &mut dyn FnMut(Climb<'_>),
        stop: &AtomicBool,
    ) -> Result<Standings, ContestError> {
        self.climb(Some(venue), tell, stop)
    }

    fn climb(
        self,
        venue: Option<&dyn Venue>,
        tell: &mut dyn FnMut(Climb<'_>),
        stop: &AtomicBool,
    ) -> Result<Standings, ContestError> {
        let Ladder { players, anchor, anchor_elo, games, newcomer, concurrency, seed, mut openings, state } = self;
        let identity = |number: usize| Some(players.get(number)?.identity.clone());
        let newcomer =
            newcomer.and_then(|newcomer| Some((identity(newcomer.player)?, newcomer.like.and_then(identity))));
        let (players, anchor) = merge(players, anchor);
        let position = |identity: &String| players.iter().position(|player| player.identity == *identity);
        let like = newcomer.as_ref().and_then(|(_, like)| position(like.as_ref()?));
        let newcomer = newcomer.and_then(|(identity, _)| position(&identity));
        let (mut state, meetings) = match &state {
            Some(path) => State::open(path, G::NAME, openings.rules_identity())?,
            None => (State::default(), Vec::new()),
        };
        let mut results = Results::default();
        let identities: Vec<&str> = players.iter().map(|player| player.identity.as_str()).collect();
        let absent = results.recall(&identities, &meetings);
        let everyone = players.len() + absent.len();
        let target = match newcomer {
            Some(_) => games,
            None => games.saturating_mul(players.len().saturating_sub(1) as u64),
        };
        let so_far =
            |results: &Results| newcomer.map_or_else(|| results.among(players.len()), |player| results.of(player).0);
        let may_meet =
            |a: usize, b: usize| b < players.len() && newcomer.is_none_or(|player| player == a || player == b);
        // Earlier games of the others do not replace those of a player who has joined.
        let missing = |results: &Results, player: usize| match newcomer {
            None if player != anchor => (games / 2).saturating_sub(results.of(player).0),
            _ => 0,
        };
        let left = |results: &Results| {
            let of_each: u64 = (0..players.len()).map(|player| missing(results, player)).sum();
            target.saturating_sub(so_far(results)).max(of_each)
        };
        // Several blocks for each player, however many games are played at the same time: the choice of the next two
        // depends on what is known.
        let block = (2 * concurrency.max(1) as u64).min(games / 4).clamp(2, 2 * LONGEST_BLOCK);
        let (mut played, mut faults) = (0, 0);
        // The next two players, and the pairs that they will have played then. An interrupted block is finished first,
        // so that the choices after it are the same as without the interruption.
        let next = |results: &Results| {
            let interrupted = results.0.iter().find(|((a, b), between)| may_meet(*a, *b) && between.is_interrupted());
            if let Some((&(a, b), between)) = interrupted {
                return Some((a, b, between.planned));
            }
            let still = Some(left(results)).filter(|still| *still > 0)?;
            let mut encounters = results.encounters();
            let (a, b) = match newcomer {
                Some(player) => {
                    let guess = |b| Encounter { a: player, b, games: GUESSED_GAMES, score: 0.5 * GUESSED_GAMES };
                    encounters.extend(like.map(guess));
                    let other = best_opponent(everyone, &encounters, anchor, player, |other| other < players.len())?;
                    (player.min(other), player.max(other))
                }
                None => most_informative(everyone, &encounters, anchor, |a, b| {
                    let is_missed = so_far(results) < target || missing(results, a) > 0 || missing(results, b) > 0;
                    may_meet(a, b) && is_missed
                })?,
            };
            Some((a, b, results.pairs(a, b).len() as u64 + still.min(block).div_ceil(2)))
        };
        while !stop.load(Relaxed)
            && let Some((a, b, of)) = next(&results)
        {
            let (one, other) = (&players[a], &players[b]);
            let done = results.pairs(a, b);
            let mut note = |progress: Progress<'_>| {
                let Some(pair) = progress.pair else { return Ok(()) };
                let scores = [pair[0].score, pair[1].score];
                let [a_identity, b_identity] = [one, other].map(|player| player.identity.clone());
                let meeting = Meeting { a: a_identity, b: b_identity, scores, pair: Some(pair[0].pair), of };
                state.append(&meeting)?;
                results.add(a, b, &meeting);
                played += 2;
                faults += pair.iter().filter(|record| record.fault.is_some()).count();
                let games = so_far(&results);
                tell(Climb { games, target: games + left(&results), between: [&one.name, &other.name] });
                Ok(())
            };
            // Opening and seed of a pair are derived from its number.
            let settings =
                MatchSettings { games: 2 * of, concurrency, seed: derive(seed, &[a as u64, b as u64]), sprt: None };
            let openings = &mut openings;
            Match {
                a: one,
                b: other,
                openings,
                settings,
                adjudicator: Adjudicator::default(),
                archive: Archive::default(),
            }
            .run_without(done, venue, &mut note, stop)?;
        }
        let (rated, covariances) = ratings_with_covariances(everyone, &results.encounters(), anchor, anchor_elo);
        let known = results.connected(anchor);
        let mut order: Vec<usize> = (0..players.len()).collect();
        let place = |number: usize| (known.contains(&number), rated[number].elo);
        order.sort_by(|&a, &b| place(b).0.cmp(&place(a).0).then(place(b).1.total_cmp(&place(a).1)));
        let row = |&number: &usize| {
            let (games, points) = results.of(number);
            let (known, anchor) = (known.contains(&number), number == anchor);
            Row { name: players[number].name.clone(), rating: rated[number], known, games, points, anchor }
        };
        let rows: Vec<Row> = order.iter().map(row).collect();
        let absent = absent.into_iter().zip(players.len()..).filter(|(_, number)| known.contains(number));
        let (absent, numbers): (Vec<_>, Vec<usize>) =
            absent.map(|(identity, number)| ((identity, rated[number]), number)).unzip();
        order.extend(numbers);
        let covariances = order.iter().map(|&a| order.iter().map(|&b| covariances[a][b]).collect()).collect();
        let stopped = stop.load(Relaxed) && next(&results).is_some();
        Ok(Standings { game: G::NAME, rows, absent, covariances, played, faults, stopped })
    }
}

/// Every player once, with distinct names.
fn merge<G: FullGame>(players: Vec<Entrant<G>>, anchor: usize) -> (Vec<Entrant<G>>, usize) {
    let anchor_identity = players.get(anchor).map(|player| player.identity.clone());
    let mut merged: Vec<Entrant<G>> = Vec::new();
    for mut player in players {
        if merged.iter().any(|earlier| earlier.identity == player.identity) {
            continue;
        }
        let name = player.name.clone();
        let mut number = 2;
        while merged.iter().any(|earlier| earlier.name == player.name) {
            player.name = format!("{name} ({number})");
            number += 1;
        }
        merged.push(player);
    }
    let anchor = merged.iter().position(|player| Some(&player.identity) == anchor_identity.as_ref());
    (merged, anchor.unwrap_or(0))
}

/// The games between two players.
#[derive(Default)]
pub(super) struct HeadToHead {
    games: u64,
    /// Points of the player with the lower number.
    points: f64,
    /// The numbers of the pairs of games.
    pairs: HashSet<u64>,
    /// How many of them were planned.
    planned: u64,
}

impl HeadToHead {
    fn is_interrupted(&self) -> bool {
        (self.pairs.len() as u64) < self.planned
    }
}

/// Results by pairs of players, the one with the lower number first.
#[derive(Default)]
pub(super) struct Results(BTreeMap<(usize, usize), HeadToHead>);

impl Results {
    /// Adds the meetings of the state file. Returns the identities of those who are not among the players: they get the
    /// next numbers.
    pub fn recall(&mut self, players: &[&str], meetings: &[Meeting]) -> Vec<String> {
        let mut numbers: HashMap<&str, usize> = players.iter().copied().zip(0..).collect();
        let mut absent = Vec::new();
        for meeting in meetings {
            let [a, b] = [&meeting.a, &meeting.b].map(|identity| {
                *numbers.entry(identity).or_insert_with(|| {
                    absent.push(identity.clone());
                    players.len() + absent.len() - 1
                })
            });
            self.add(a, b, meeting);
        }
        absent
    }

    fn add(&mut self, a: usize, b: usize, meeting: &Meeting) {
        let points = f64::from(meeting.scores[0]) + f64::from(meeting.scores[1]);
        let between = self.0.entry((a.min(b), a.max(b))).or_default();
        between.games += 2;
        between.points += if a < b { points } else { 2.0 - points };
        between.pairs.insert(meeting.pair.unwrap_or(between.pairs.len() as u64));
        between.planned = between.planned.max(meeting.of);
    }

    /// Games between two of the first `players`.
    fn among(&self, players: usize) -> u64 {
        self.0.iter().filter(|((_, b), _)| *b < players).map(|(_, between)| between.games).sum()
    }

    /// The numbers of the pairs of games between two.
    fn pairs(&self, a: usize, b: usize) -> HashSet<u64> {
        self.0.get(&(a.min(b), a.max(b))).map_or(HashSet::new(), |between| between.pairs.clone())
    }

    /// A player's games and points.
    pub fn of(&self, player: usize) -> (u64, f64) {
        self.0.iter().fold((0, 0.0), |(games, points), (&(a, b), between)| match player {
            _ if player == a => (games + between.games, points + between.points),
            _ if player == b => (games + between.games, points + between.games as f64 - between.points),
            _ => (games, points),
        })
    }

    /// The anchor, and those whom a chain of games connects with it.
    pub fn connected(&self, anchor: usize) -> HashSet<usize> {
        let mut known = HashSet::from([anchor]);
        loop {
            let before = known.len();
            for &(a, b) in self.0.keys() {
                if known.contains(&a) || known.contains(&b) {
                    known.extend([a, b]);
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }

    pub fn encounters(&self) -> Vec<Encounter> {
        let encounter = |(&(a, b), between): (&(usize, usize), &HeadToHead)| {
            let HeadToHead { games, points, .. } = *between;
            Encounter { a, b, games: games as f64, score: points }
        };
        self.0.iter().map(encounter).collect()
    }
}
