//! What a fleet plays for a run, and the judges of what comes back.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::contest::{ContestError, Pairs, Record, Venue, Who};
use alfil_arena::opening::Openings;
use alfil_core::settings::render;
use alfil_game::{Encoding, First, FullGame, Game, Rules, Swap, read_foreign_rules};
use alfil_nn::Network;
use alfil_selfplay::{
    ChunkError, Counts, End, Filing, GameRecord, LaneContext, Lanes, Session, Ticket, Tickets, unpack_chunk,
};

use crate::Machine;
use crate::fleet::{Fleet, FleetSettings, Order, Played, Referee, Seat, Task, TaskKind, Terms, arithmetic};
use crate::run::RunError;

/// Characters of a text in the record of a match at most.
const LONGEST_TEXT: usize = 300;

/// The games of a run's tickets: played into a folder by lanes of this process, or by the machine's fleet.
pub(super) struct Games<'a, E: Encoding> {
    /// The lanes, if there is no fleet.
    pub session: Session<'a, E::Game>,
    pub machine: &'a Machine,
    pub fleet: FleetSettings,
    /// The network that new games are played by.
    pub network: &'a (dyn Fn() -> Arc<Network> + Sync),
}

impl<E: Encoding> Games<'_, E> {
    /// Plays. Tells now and then what has been done.
    pub fn run(self, tell: &mut dyn FnMut(&Counts)) -> Result<Counts, RunError> {
        let Games { session, machine, fleet: settings, network } = self;
        let Some(fleet) = &machine.fleet else { return Ok(session.run(tell)?) };
        let Session { context, stop, folder, .. } = session;
        let tickets = Arc::clone(&context.tickets);
        let kind = TaskKind::Games { settings: render(&context.settings), listed: context.listed.clone() };
        let order = Order {
            task: Task { terms: terms::<E>(&context.rules, context.seed)?, kind },
            networks: &|| vec![network()],
            next: &|| tickets.take(),
            stop: &|| stop.load(Relaxed),
            settings,
        };
        let mut referee = GamesReferee::<E>::new(context, machine, folder, tell)?;
        fleet.play(&order, &mut referee)?;
        Ok(referee.counts)
    }
}

/// What games follow from under these rules.
fn terms<E: Encoding>(rules: &<E::Game as Game>::Rules, seed: u64) -> Result<Terms, RunError> {
    let text = rules.text();
    let told = read_foreign_rules::<E::Game>(&text, &<E::Game as Game>::Rules::default());
    let start = |rules: &<E::Game as Game>::Rules| E::Game::new(rules).position();
    if told.is_err() || told.is_ok_and(|told| start(&told) != start(rules)) {
        return Err(RunError::Fleet("cannot play under these rules: only this machine knows them".to_owned()));
    }
    Ok(Terms { encoding: E::NAME.to_owned(), encoding_version: E::VERSION, rules: text, seed })
}

/// Judges games of self-play.
struct GamesReferee<'a, E: Encoding> {
    context: LaneContext<E::Game>,
    machine: &'a Machine,
    filing: Filing<E::Game>,
    counts: Counts,
    tell: &'a mut dyn FnMut(&Counts),
}

impl<'a, E: Encoding> GamesReferee<'a, E> {
    fn new(
        context: LaneContext<E::Game>,
        machine: &'a Machine,
        folder: &Path,
        tell: &'a mut dyn FnMut(&Counts),
    ) -> Result<Self, ChunkError> {
        Ok(GamesReferee { context, machine, filing: Filing::open(folder)?, counts: Counts::default(), tell })
    }
}

impl<E: Encoding> Referee for GamesReferee<'_, E> {
    fn read(&self, bytes: &[u8]) -> Result<Vec<Played>, String> {
        let games = unpack_chunk::<E::Game>(bytes)?;
        Ok(games.into_iter().map(|game| Played::Game(Box::new(game))).collect())
    }

    fn check(&mut self, played: &Played) -> Result<(), String> {
        match played {
            Played::Game(record) => check_game(record, &self.context),
            Played::Pair(_) => Err("it is of a match".to_owned()),
        }
    }

    fn replay(&mut self, networks: &[Arc<Network>], number: u64) -> Result<Option<Played>, RunError> {
        let Some(network) = networks.first() else { return Ok(None) };
        let backend = self.machine.plain_backend::<E>(network)?;
        let mut context = self.context.clone();
        context.tickets = Arc::new(Tickets::of([number]));
        context.settings.at_once = 1;
        let mut played = None;
        let lanes = Lanes { context, lanes: 1, backend: &*backend, stop: &AtomicBool::new(false) };
        lanes.run::<RunError>(&mut |record, _| {
            played = record.map(|record| Played::Game(Box::new(record))).or(played.take());
            Ok(())
        })?;
        Ok(played)
    }

    fn arithmetic(&mut self, networks: &[Arc<Network>]) -> Result<u64, RunError> {
        arithmetic::<E>(networks, &*self.machine.device, &self.context.rules)
    }

    fn keep(&mut self, played: Vec<Played>) -> Result<(), RunError> {
        for played in played {
            if let Played::Game(record) = played {
                self.counts.add_record(&record);
                self.counts.moves += record.plies.len() as u64;
                self.filing.add([*record]);
            }
        }
        self.filing.write()?;
        (self.tell)(&self.counts);
        Ok(())
    }
}

/// Whether this is a game that the lanes of this context could have played.
fn check_game<G: FullGame>(record: &GameRecord, context: &LaneContext<G>) -> Result<(), String> {
    let LaneContext { settings, rules, .. } = context;
    if !record.tags.is_empty() || record.plies.is_empty() {
        return Err(format!("game {} is not one of self-play", record.number));
    }
    if record.start != context.start_of(record.number) {
        return Err(format!("game {} begins elsewhere", record.number));
    }
    let (mut goes_on, mut last) = (false, None);
    let legal = record.replay::<G>(rules, |game, moves, ply| {
        goes_on |= last.is_some() && game.verdict(moves).is_some();
        last = moves.iter().find(|&&m| m.into() == ply.code).map(|m| (game.clone(), *m));
    });
    let Some((mut end, m)) = last.filter(|_| legal.is_some()) else {
        return Err(format!("game {} has an illegal move", record.number));
    };
    if goes_on {
        return Err(format!("game {} goes on after its end", record.number));
    }
    end.play(m);
    let (outcome, adjudication) = (end.outcome(), &settings.adjudication);
    let is_possible = match record.end {
        End::Rules => outcome.is_some_and(|outcome| outcome.score == record.score()),
        End::Resigned => settings.resign.is_on() && outcome.is_none(),
        End::Adjudicated => adjudication.material > 0 || adjudication.oracle || !adjudication.syzygy.is_empty(),
    };
    if is_possible { Ok(()) } else { Err(format!("game {} has a wrong result", record.number)) }
}

/// The fleet as the place of a run's matches.
pub(super) struct FleetVenue<'a, E: Encoding> {
    pub fleet: &'a dyn Fleet,
    pub machine: &'a Machine,
    pub settings: FleetSettings,
    pub rules: &'a <E::Game as Game>::Rules,
    /// The seed of the openings.
    pub openings: u64,
    /// Those who can play there, by their identities.
    pub seats: BTreeMap<String, Entry>,
}

/// A player that a fleet can have.
#[derive(Clone)]
pub(super) enum Entry {
    Network(Arc<Network>, u32),
    Line(String),
}

impl<E: Encoding> Venue for FleetVenue<'_, E> {
    fn takes(&self, players: [&str; 2]) -> bool {
        players.iter().all(|player| self.seats.contains_key(*player))
    }

    fn play(&self, players: [&str; 2], seed: u64, pairs: &mut dyn Pairs) -> Result<(), ContestError> {
        let mut networks = Vec::new();
        let seats = players.map(|player| match self.seats.get(player) {
            Some(Entry::Network(network, visits)) => {
                networks.push(Arc::clone(network));
                Seat::Network { network: networks.len() - 1, visits: *visits }
            }
            Some(Entry::Line(line)) => Seat::Line(line.clone()),
            None => Seat::Line(String::new()),
        });
        let run = || -> Result<(), RunError> {
            let kind = TaskKind::Pairs { players: seats, openings: self.openings };
            let pairs = RefCell::new(pairs);
            let order = Order {
                task: Task { terms: terms::<E>(self.rules, seed)?, kind },
                networks: &|| networks.clone(),
                next: &|| pairs.borrow_mut().next().map_or(Ticket::Over, Ticket::Game),
                stop: &|| pairs.borrow().is_over(),
                settings: FleetSettings { lease_games: 1, ..self.settings },
            };
            let openings = Openings::random(self.openings, self.rules);
            let mut referee = PairsReferee::<E> { pairs: &pairs, openings, machine: self.machine, rules: self.rules };
            self.fleet.play(&order, &mut referee)
        };
        run().map_err(|why| ContestError::Venue(Box::new(why)))
    }
}

/// Judges pairs of games of a match.
struct PairsReferee<'a, 'b, E: Encoding> {
    pairs: &'a RefCell<&'b mut dyn Pairs>,
    openings: Openings<E::Game>,
    machine: &'a Machine,
    rules: &'a <E::Game as Game>::Rules,
}

impl<E: Encoding> Referee for PairsReferee<'_, '_, E> {
    fn read(&self, bytes: &[u8]) -> Result<Vec<Played>, String> {
        let pairs: Vec<[Record; 2]> = serde_json::from_slice(bytes).map_err(|why| why.to_string())?;
        Ok(pairs.into_iter().map(|pair| Played::Pair(Box::new(pair))).collect())
    }

    fn check(&mut self, played: &Played) -> Result<(), String> {
        let Played::Pair(pair) = played else { return Err("it is a game of self-play".to_owned()) };
        let [one, other] = &**pair;
        if (one.first, other.first) != (Who::A, Who::B) || one.pair != other.pair {
            return Err("it is not a pair of games".to_owned());
        }
        let opening = self.openings.get(one.pair);
        let (start, book) = (opening.start().position(), opening.moves_text());
        pair.iter().try_for_each(|record| {
            let begins = record.start == start && record.book == opening.moves().len();
            if !begins || !record.moves.starts_with(&book) {
                return Err(format!("a game of pair {} has another opening", record.pair));
            }
            check_match_game(record, opening.start().clone())
        })
    }

    fn replay(&mut self, _: &[Arc<Network>], _: u64) -> Result<Option<Played>, RunError> {
        // The notes have times in them, and what they say of the search depends on nothing that counts.
        Ok(None)
    }

    fn arithmetic(&mut self, networks: &[Arc<Network>]) -> Result<u64, RunError> {
        arithmetic::<E>(networks, &*self.machine.device, self.rules)
    }

    fn keep(&mut self, played: Vec<Played>) -> Result<(), RunError> {
        played.into_iter().try_for_each(|played| match played {
            Played::Pair(pair) => Ok(self.pairs.borrow_mut().finished(*pair)?),
            Played::Game(_) => Ok(()),
        })
    }
}

/// Whether the moves of a match's game are legal, and its result is that of the rules.
fn check_match_game<G: FullGame>(record: &Record, mut game: G) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("a game of pair {} {what}", record.pair));
    let texts = record.notes.iter().chain([&record.end]);
    if record.fault.is_some() || texts.into_iter().any(|text| text.chars().count() > LONGEST_TEXT) {
        return wrong("was not played to its end");
    }
    let (mut moves, mut plies) = (Vec::new(), 0);
    for text in record.moves.split(' ').filter(|text| !text.is_empty()) {
        if game.legal_moves(&mut moves).is_some() {
            return wrong("goes on after its end");
        }
        let Ok(m) = game.parse_move(text) else { return wrong("has an illegal move") };
        game.play(m);
        plies += 1;
    }
    let Some(outcome) = game.outcome() else { return wrong("has no end") };
    let First(first) = outcome.score;
    let points = if record.first == Who::A { first.points() } else { first.swap().points() };
    if points != record.score || record.book + record.notes.len() != plies {
        return wrong("has a wrong result");
    }
    Ok(())
}
