//! What a fleet plays for a run, and the judges of what comes back.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_arena::contest::{ContestError, Opponents, Pairs, Record, Venue, Who};
use alfil_arena::opening::Openings;
use alfil_arena::player::{Entrant, PlayerLine};
use alfil_core::settings::render;
use alfil_game::{Encoding, First, FullGame, Game, Outcome, Rules, Score, Swap, read_foreign_rules};
use alfil_nn::{Device, Network};
use alfil_search::evaluators::NetworkBackend;
use alfil_search::{Adjudicator, Lead};
use alfil_selfplay::{
    ChunkError, Counts, End, Filing, GameRecord, LaneContext, Lanes, Session, Ticket, Tickets, unpack_chunk,
};

use crate::Machine;
use crate::fleet::{
    Fleet, FleetSettings, Judge, Order, Played, Referee, Seat, Task, TaskKind, Terms, arithmetic, match_settings,
};
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

    fn judge(&self) -> Option<Box<dyn Judge>> {
        let context = LaneContext { gallery: None, ..self.context.clone() };
        Some(Box::new(GamesJudge::<E> { context, device: Arc::clone(&self.machine.device) }))
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

/// Plays games of self-play one at a time.
struct GamesJudge<E: Encoding> {
    context: LaneContext<E::Game>,
    device: Arc<dyn Device>,
}

impl<E: Encoding> Judge for GamesJudge<E> {
    fn is_repeatable(&self) -> bool {
        true
    }

    fn play(&mut self, networks: &[Arc<Network>], number: u64, stop: &AtomicBool) -> Result<Option<Played>, RunError> {
        let Some(network) = networks.first() else { return Ok(None) };
        let backend = NetworkBackend::<E>::new(network, &*self.device)?;
        let mut context = self.context.clone();
        context.tickets = Arc::new(Tickets::of([number]));
        context.settings.at_once = 1;
        let mut played = None;
        let lanes = Lanes { context, lanes: 1, backend: &backend, stop };
        lanes.run::<RunError>(&mut |record, _| {
            played = record.map(|record| Played::Game(Box::new(record))).or(played.take());
            Ok(())
        })?;
        Ok(played)
    }
}

/// How much less than `resign_below` the value of a record may be, for it is rounded there.
const ROUNDING: f32 = 1e-4;

/// Whether this is a game that the lanes of this context could have played.
fn check_game<G: FullGame>(record: &GameRecord, context: &LaneContext<G>) -> Result<(), String> {
    let LaneContext { settings, rules, .. } = context;
    let (mut adjudicator, mut lead) = (context.adjudicator.clone(), Lead::default());
    if !record.tags.is_empty() || record.plies.is_empty() {
        return Err(format!("game {} is not one of self-play", record.number));
    }
    if record.start != context.start_of(record.number) {
        return Err(format!("game {} begins elsewhere", record.number));
    }
    let is_adjudicated = record.end == End::Adjudicated;
    let (mut goes_on, mut last) = (false, None);
    let mut hopeless = [0; 2];
    let legal = record.replay::<G>(rules, |game, moves, ply| {
        goes_on |= last.is_some()
            && (game.verdict(moves).is_some() || is_adjudicated && adjudicator.outcome(game, &mut lead).is_some());
        let moves_in_a_row = &mut hopeless[game.side() as usize];
        *moves_in_a_row = if ply.value().0 < settings.resign.below + ROUNDING { *moves_in_a_row + 1 } else { 0 };
        last = moves.iter().find(|&&m| m.into() == ply.code).map(|m| (game.clone(), *m));
    });
    let Some((mut end, m)) = last.filter(|_| legal.is_some()) else {
        return Err(format!("game {} has an illegal move", record.number));
    };
    if goes_on {
        return Err(format!("game {} goes on after its end", record.number));
    }
    let mover = end.side();
    end.play(m);
    let outcome = end.outcome();
    let is_result = |outcome: Option<Outcome>| outcome.is_some_and(|outcome| outcome.score == record.score());
    let is_possible = match record.end {
        End::Rules => is_result(outcome),
        End::Resigned => {
            let gives_up = settings.resign.is_on() && hopeless[mover as usize] >= settings.resign.moves;
            gives_up && outcome.is_none() && record.score().to_mover(mover).0 == Score::LOSS
        }
        End::Adjudicated if outcome.is_some() => is_result(adjudicator.outcome_at_cap(&end)),
        End::Adjudicated => is_result(adjudicator.outcome(&end, &mut lead)),
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
            let players = players.map(|player| self.seats.get(player).cloned());
            let mut referee = PairsReferee::<E> {
                pairs: &pairs,
                openings,
                machine: self.machine,
                rules: self.rules,
                seed,
                opening_seed: self.openings,
                players,
            };
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
    seed: u64,
    opening_seed: u64,
    players: [Option<Entry>; 2],
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

    fn judge(&self) -> Option<Box<dyn Judge>> {
        let [Some(a), Some(b)] = self.players.clone() else { return None };
        Some(Box::new(PairsJudge::<E> {
            entries: [a, b],
            openings: Openings::random(self.opening_seed, self.rules),
            seed: self.seed,
            device: Arc::clone(&self.machine.device),
            opponents: None,
        }))
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

/// Plays pairs of games of a match one at a time.
struct PairsJudge<E: Encoding> {
    entries: [Entry; 2],
    openings: Openings<E::Game>,
    seed: u64,
    device: Arc<dyn Device>,
    /// Made for the first pair.
    opponents: Option<[Entrant<E::Game>; 2]>,
}

impl<E: Encoding> PairsJudge<E> {
    fn entrant(&self, entry: &Entry) -> Result<Entrant<E::Game>, RunError> {
        match entry {
            Entry::Network(network, visits) => {
                let backend = NetworkBackend::<E>::new(network, &*self.device)?;
                Ok(Entrant::pooled("network", "network", &backend, 1, match_settings(*visits))?)
            }
            Entry::Line(line) => {
                let line = line.parse::<PlayerLine>();
                Ok(line.map_err(|why| RunError::Fleet(format!("has an unknown player: {why}")))?.entrant()?)
            }
        }
    }
}

impl<E: Encoding> Judge for PairsJudge<E> {
    fn is_repeatable(&self) -> bool {
        self.entries.iter().all(|entry| match entry {
            Entry::Network(..) => true,
            Entry::Line(line) => line.parse::<PlayerLine>().is_ok_and(|line| line.is_repeatable()),
        })
    }

    fn play(&mut self, _: &[Arc<Network>], number: u64, stop: &AtomicBool) -> Result<Option<Played>, RunError> {
        let [a, b] = match self.opponents.take() {
            Some(known) => known,
            None => [self.entrant(&self.entries[0])?, self.entrant(&self.entries[1])?],
        };
        let mut opponents = Opponents { a: a.player()?, b: b.player()?, adjudicator: Adjudicator::default() };
        self.opponents = Some([a, b]);
        let opening = self.openings.get(number);
        let pair = opponents.play(number, &opening, self.seed, &|| stop.load(Relaxed))?;
        Ok(pair.map(|pair| Played::Pair(Box::new(pair))))
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

#[cfg(test)]
mod tests {
    use alfil_game::chess::Chess;
    use alfil_nn::Cpu;
    use alfil_search::evaluators::Kind;
    use alfil_selfplay::SelfplaySettings;

    use super::*;

    /// Games of chess that end in all ways: by a lead of a pawn, by resignation, by the rules.
    fn games(context: &LaneContext<Chess>) -> Vec<GameRecord> {
        let backend = Kind::Handcrafted(alfil_game::Knowledge::Full).backend::<Chess>(&Cpu).unwrap();
        let (mut games, stop) = (Vec::new(), AtomicBool::new(false));
        let lanes = Lanes { context: context.clone(), lanes: 1, backend: &*backend, stop: &stop };
        lanes
            .run::<alfil_nn::EvaluatorError>(&mut |record, _| {
                games.extend(record);
                Ok(())
            })
            .unwrap();
        games
    }

    #[test]
    fn results_of_games_that_the_rules_did_not_end_are_checked() {
        let context = |material: i32, resign_below: f32| {
            let mut settings = SelfplaySettings { at_once: 4, ..SelfplaySettings::default() };
            (settings.search.visits, settings.starts.random_plies) = (4, 12);
            (settings.adjudication.material, settings.adjudication.plies) = (material, 4);
            (settings.resign.below, settings.resign.moves, settings.resign.play_through) = (resign_below, 2, 0.0);
            LaneContext::<Chess>::open(settings, Default::default(), Arc::new(Tickets::new(12)), 3).unwrap()
        };
        for (end, context) in [(End::Adjudicated, context(100, -1.0)), (End::Resigned, context(0, -0.05))] {
            let games = games(&context);
            assert!(games.iter().filter(|game| game.end == end).count() >= 3, "{end:?}");
            for game in &games {
                check_game(game, &context).unwrap();
                let turned = |end| {
                    let score = First(game.score().0.swap());
                    GameRecord::new(game.number, game.start.clone(), game.plies.clone(), score, end)
                };
                if game.end == end {
                    assert!(check_game(&turned(end), &context).unwrap_err().contains("has a wrong result"));
                    // Cut off before anybody was lost.
                    let plies = game.plies[..1].to_vec();
                    let cut = GameRecord::new(game.number, game.start.clone(), plies, game.score(), end);
                    assert!(game.plies.len() < 2 || check_game(&cut, &context).is_err());
                    let other = if end == End::Resigned { End::Adjudicated } else { End::Resigned };
                    assert!(check_game(&turned(other), &context).is_err());
                }
            }
        }
    }
}
