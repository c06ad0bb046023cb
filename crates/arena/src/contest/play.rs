//! The match.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

use alfil_game::FullGame;
use alfil_search::{Adjudicator, EvaluatorError, catch_panic, spawn_scoped};

use super::archive::OpenArchive;
use super::journal::Header;
use super::pair::Opponents;
use super::tally::Tally;
use super::{Archive, ContestError, MatchEnd, MatchReport, Pairs, Record, StateError, Venue};
use crate::opening::Openings;
use crate::player::{Entrant, Played};
use crate::stats::Sprt;

/// The name of its threads in messages.
const PART: &str = "the match";

/// How a match is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchSettings {
    /// Games, rounded up to whole pairs.
    pub games: u64,
    /// Threads, each of which plays whole pairs with its own two players.
    pub concurrency: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// Stops the match as soon as it is decided.
    pub sprt: Option<Sprt>,
}

/// Two players and the openings they play.
pub struct Match<'a, G: FullGame> {
    /// The player from whose side results are reported.
    pub a: &'a Entrant<G>,
    /// The other player.
    pub b: &'a Entrant<G>,
    /// Where the games begin.
    pub openings: &'a mut Openings<G>,
    /// How it is played.
    pub settings: MatchSettings,
    /// Ends games before the rules do.
    pub adjudicator: Adjudicator<G>,
    /// Where finished games go.
    pub archive: Archive,
}

/// Reported after every pair, and once at the beginning if the match resumes from a journal.
pub struct Progress<'a> {
    /// The match so far.
    pub report: &'a MatchReport,
    /// The pair that has just been finished. It counts once all before it are finished too.
    pub pair: Option<&'a [Record; 2]>,
}

impl<G: FullGame> Match<'_, G> {
    /// Plays until all games are played, the test is decided, or `stop` is set. Games under way are dropped then, and
    /// when an evaluator fails; what was finished is in the archive.
    pub fn run(self, tell: &mut dyn FnMut(Progress<'_>), stop: &AtomicBool) -> Result<MatchReport, ContestError> {
        let mut tell = |progress: Progress<'_>| {
            tell(progress);
            Ok(())
        };
        self.run_without(HashSet::new(), None, &mut tell, stop)
    }

    /// The same with games that are played elsewhere, if the players can play there.
    pub fn run_at(
        self,
        venue: &dyn Venue,
        tell: &mut dyn FnMut(Progress<'_>),
        stop: &AtomicBool,
    ) -> Result<MatchReport, ContestError> {
        let mut tell = |progress: Progress<'_>| {
            tell(progress);
            Ok(())
        };
        self.run_without(HashSet::new(), Some(venue), &mut tell, stop)
    }

    /// The same without the pairs in `done`, whose results are known already. An error of `tell` ends the match.
    pub(crate) fn run_without(
        self,
        mut done: HashSet<u64>,
        venue: Option<&dyn Venue>,
        tell: &mut dyn FnMut(Progress<'_>) -> Result<(), StateError>,
        stop: &AtomicBool,
    ) -> Result<MatchReport, ContestError> {
        let Match { a, b, openings, settings, adjudicator, archive } = self;
        let report = Tally::empty(&a.name, &b.name, G::NAME);
        let header = Header::new([a, b], openings, &settings);
        let mut files = OpenArchive::<G>::new();
        let known = files.open_journal(&archive, &header)?;
        let begins = known.is_empty();
        let target = settings.games.div_ceil(2);
        let mut tally = Tally::new(report, target, settings.sprt);
        done.extend(known.iter().map(|pair| pair[0].pair));
        let counted: Vec<_> = known.into_iter().flat_map(|pair| tally.add(pair)).collect();
        tally.report.resumed = tally.report.games();
        let names = [tally.report.a.clone(), tally.report.b.clone()];
        let is_over = tally.report.ended.is_some();
        if let Err(refused) = files.open_pgn(&archive, names, openings.rules(), &counted, is_over) {
            // A match that does not begin leaves no journal behind.
            if let Some(journal) = archive.journal.filter(|_| begins) {
                let _ = alfil_core::disk::remove(&journal);
            }
            return Err(refused.into());
        }
        if tally.report.resumed > 0 {
            tell(Progress { report: &tally.report, pair: None })?;
        }
        if tally.report.ended.is_some() {
            return Ok(tally.report);
        }

        let halt = AtomicBool::new(false);
        let halted = || halt.load(Relaxed) || stop.load(Relaxed);
        let mut keep = |pair: [Record; 2]| -> Result<(), ContestError> {
            files.finished(&pair)?;
            let counted = tally.add(pair.clone());
            files.counted(&counted)?;
            tell(Progress { report: &tally.report, pair: Some(&pair) })?;
            if tally.report.ended.is_some() {
                halt.store(true, Relaxed);
            }
            Ok(())
        };
        let identities = [a.identity.as_str(), b.identity.as_str()];
        if let Some(venue) = venue.filter(|venue| venue.takes(identities)) {
            let mut pairs = Elsewhere { numbers: Numbers { next: 0, target, done }, halted: &halted, keep: &mut keep };
            venue.play(identities, settings.seed, &mut pairs)?;
            tally.report.ended.get_or_insert(MatchEnd::Stopped);
            return Ok(tally.report);
        }
        let schedule = Mutex::new(Schedule { numbers: Numbers { next: 0, target, done }, openings });
        std::thread::scope(|scope| {
            let (finished, arrivals) = channel();
            for _ in 0..settings.concurrency.max(1) {
                let (sender, adjudicator) = (finished.clone(), adjudicator.clone());
                let (schedule, halted) = (&schedule, &halted);
                let started = spawn_scoped(PART, scope, move || {
                    let worked = catch_panic(PART, || {
                        let opponents = Opponents { a: a.player()?, b: b.player()?, adjudicator };
                        work(opponents, schedule, settings.seed, halted, &sender)
                    });
                    if let Err(failed) = worked.flatten() {
                        // The receiver is gone if another thread failed before.
                        let _ = sender.send(Err(failed));
                    }
                });
                if let Err(failed) = started {
                    let _ = finished.send(Err(failed));
                    break;
                }
            }
            drop(finished);
            let mut failed = None;
            let mut take = |pair: Result<[Record; 2], EvaluatorError>| match pair {
                Ok(pair) => keep(pair),
                Err(why) => {
                    // The other threads drop their games; pairs that were finished before must still be kept.
                    halt.store(true, Relaxed);
                    failed.get_or_insert(why);
                    Ok(())
                }
            };
            arrivals.into_iter().try_for_each(&mut take).inspect_err(|_| halt.store(true, Relaxed))?;
            failed.map_or(Ok(()), |why| Err(ContestError::from(why)))
        })?;
        tally.report.ended.get_or_insert(MatchEnd::Stopped);
        Ok(tally.report)
    }
}

/// The numbers of the pairs that are still to be played.
struct Numbers {
    next: u64,
    target: u64,
    /// Pairs that have been played already.
    done: HashSet<u64>,
}

impl Numbers {
    fn next(&mut self) -> Option<u64> {
        while self.done.contains(&self.next) {
            self.next += 1;
        }
        let pair = Some(self.next).filter(|pair| *pair < self.target)?;
        self.next += 1;
        Some(pair)
    }
}

/// The pairs that are still to be played, with their openings.
struct Schedule<'a, G: FullGame> {
    numbers: Numbers,
    openings: &'a mut Openings<G>,
}

impl<G: FullGame> Schedule<'_, G> {
    fn next(&mut self) -> Option<(u64, Played<G>)> {
        let pair = self.numbers.next()?;
        Some((pair, self.openings.get(pair)))
    }
}

/// The pairs of a match that is played elsewhere.
struct Elsewhere<'a> {
    numbers: Numbers,
    halted: &'a dyn Fn() -> bool,
    keep: &'a mut dyn FnMut([Record; 2]) -> Result<(), ContestError>,
}

impl Pairs for Elsewhere<'_> {
    fn next(&mut self) -> Option<u64> {
        self.numbers.next()
    }

    fn is_over(&self) -> bool {
        (self.halted)()
    }

    fn finished(&mut self, pair: [Record; 2]) -> Result<(), ContestError> {
        (self.keep)(pair)
    }
}

/// One thread's part of a match.
fn work<G: FullGame>(
    mut opponents: Opponents<G>,
    schedule: &Mutex<Schedule<'_, G>>,
    seed: u64,
    halted: &(dyn Fn() -> bool + Sync),
    finished: &Sender<Result<[Record; 2], EvaluatorError>>,
) -> Result<(), EvaluatorError> {
    while !halted() {
        let next = schedule.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((number, opening)) = next else { break };
        let Some(pair) = opponents.play(number, &opening, seed, &halted)? else { break };
        if finished.send(Ok(pair)).is_err() {
            break;
        }
    }
    Ok(())
}
