//! A game that the server offers: what evaluates its positions, shared by all sessions, and new sessions.

use std::sync::{Arc, Mutex, PoisonError};

use alfil_arena::{Sitting, UserSides};
use alfil_game::pgn::PgnReader;
use alfil_game::{FullGame, Knowledge, Rules, play_line, read_foreign_rules};
use alfil_nn::{Bundled, Cpu, Network};
use alfil_search::Backend;
use alfil_search::evaluators::{Kind, Pool};
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::catalogue::{EvaluatorView, Found, GameView, RuleView};
use crate::clock::ClockSettings;
use crate::error::ApiError;
use crate::networks::Networks;
use crate::opponent::Opponent;
use crate::runs::Runs;
use crate::session::{GameSession, MOST_PLIES, Session};
use crate::view;

/// Networks that are kept ready for each game; the one that was used longest ago makes room.
const READY: usize = 4;

/// What asks for a new game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// The game's name.
    pub game: String,
    /// The side that people play by its name, `both` or `none`; the one that moves first if it is left out.
    #[serde(default)]
    side: Option<String>,
    /// Who plays the other side.
    #[serde(default)]
    opponent: Option<Opponent>,
    /// Options of the rules, `key=value` with commas between them. Names of files are refused.
    #[serde(default)]
    rules: String,
    /// Where it begins, in the game's notation.
    #[serde(default)]
    position: Option<String>,
    /// Moves from there, as programs or people write them.
    #[serde(default)]
    moves: String,
    /// The time that both sides have; none if it is left out.
    #[serde(default)]
    clock: Option<ClockSettings>,
    /// A game to continue, instead.
    #[serde(default)]
    pgn: Option<String>,
}

/// A game of the registry as the server sees it.
pub trait GameHost: Send + Sync {
    /// What the catalogue says of it.
    fn view(&self, found: &Found) -> GameView;
    /// A new session.
    fn begin(self: Arc<Self>, request: &NewGame) -> Result<Arc<dyn Session>, ApiError>;
}

/// A backend that is in memory, and its name.
type Ready<G> = (String, Arc<dyn Backend<G>>);

/// What all sessions of one game share.
pub struct Host<G: FullGame> {
    runs: Arc<Runs>,
    networks: Arc<Networks>,
    /// As many moves are searched for at a time.
    pub thinking: Arc<Semaphore>,
    /// Backends by the name of their evaluator and its version, the last used one at the end.
    backends: Mutex<Vec<Ready<G>>>,
}

impl<G: FullGame> Host<G> {
    pub fn new(runs: Arc<Runs>, networks: Arc<Networks>, thinking: Arc<Semaphore>) -> Host<G> {
        Host { runs, networks, thinking, backends: Mutex::default() }
    }

    /// The name of the strongest evaluator that comes with the program.
    pub fn strongest(&self) -> &'static str {
        match Bundled::default_of(G::NAME) {
            Some(bundled) if bundled.is_stronger_than_handcrafted => bundled.name,
            _ => "handcrafted",
        }
    }

    /// What evaluates positions of the game: networks of the program, the handcrafted evaluation, and networks that were found.
    fn evaluators(&self, found: &Found) -> Vec<EvaluatorView> {
        let of_game = |found: &[(String, String)], kind: &str| -> Vec<String> {
            let of = found.iter().filter(|(_, game)| game == G::NAME);
            of.map(|(name, _)| format!("{kind}:{name}")).collect()
        };
        let view = |id: String| EvaluatorView { name: self.evaluator_name(&id), id, imitates: None };
        let bundled = Bundled::all().iter().filter(|bundled| bundled.game == G::NAME);
        let bundled =
            bundled.map(|bundled| EvaluatorView { imitates: bundled.imitates, ..view(bundled.name.to_owned()) });
        let handcrafted = view("handcrafted".to_owned());
        let others = of_game(&found.networks, "file").into_iter().chain(of_game(&found.runs, "run")).map(view);
        bundled.chain([handcrafted]).chain(others).collect()
    }

    pub fn evaluator_name(&self, evaluator: &str) -> String {
        match evaluator.split_once(':') {
            Some(("run", run)) => format!("the network of the run {run}"),
            Some((_, file)) => format!("the network {file}"),
            None if evaluator == "handcrafted" => "the handcrafted evaluation".to_owned(),
            None => format!("the bundled network {evaluator}"),
        }
    }

    pub fn check_evaluator(&self, evaluator: &str) -> Result<(), ApiError> {
        let game = match evaluator.split_once(':') {
            Some(("run", run)) => self.runs.game(run),
            Some(("file", file)) => self.networks.game(file),
            Some(_) => None,
            None if evaluator == "handcrafted" => Some(G::NAME.to_owned()),
            None => Bundled::named(evaluator).map(|bundled| bundled.game.to_owned()),
        };
        match game.is_some_and(|game| game == G::NAME) {
            true => Ok(()),
            false => Err(ApiError::wrong(format!("{} has no such evaluator: choose one of the catalogue", G::NAME))),
        }
    }

    /// The backend of an evaluator, shared with everybody who uses it. May read a network: not for a thread that answers
    /// requests.
    pub fn backend(&self, evaluator: &str) -> Result<Arc<dyn Backend<G>>, ApiError> {
        self.check_evaluator(evaluator)?;
        let file = match evaluator.split_once(':') {
            Some(("run", run)) => Some(self.runs.champion(run)?),
            Some((_, file)) => Some(self.networks.path(file)?),
            None => None,
        };
        // A run promotes networks while it is shown.
        let key = file.as_ref().map_or(evaluator.to_owned(), |path| format!("{evaluator}:{}", path.display()));
        let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = backends.iter().position(|(known, _)| *known == key) {
            let ready = backends.remove(place);
            let backend = Arc::clone(&ready.1);
            backends.push(ready);
            return Ok(backend);
        }
        let network = match (&file, Bundled::named(evaluator)) {
            (Some(path), _) => Some(Network::open(path).map_err(ApiError::failed)?),
            (None, Some(bundled)) => Some(bundled.network().map_err(ApiError::failed)?),
            (None, None) => None,
        };
        let kind = network.map_or(Kind::Handcrafted(Knowledge::Full), |network| Kind::Network(Arc::new(network)));
        let backend = kind.backend::<G>(&Cpu).map_err(ApiError::failed)?;
        let backend: Arc<dyn Backend<G>> = match kind {
            Kind::Network(_) => Arc::new(Pool::new(&*backend, alfil_core::cores()).map_err(ApiError::failed)?),
            _ => backend,
        };
        if backends.len() >= READY {
            backends.remove(0);
        }
        backends.push((key, Arc::clone(&backend)));
        Ok(backend)
    }
}

impl<G: FullGame> GameHost for Host<G> {
    fn view(&self, found: &Found) -> GameView {
        GameView {
            name: G::NAME,
            title: G::TITLE,
            sides: G::SIDES,
            strongest: self.strongest(),
            evaluators: self.evaluators(found),
            start: view::position(&Sitting::new(G::new(&G::Rules::default())), 0, &[]),
            rules: G::Rules::options().into_iter().map(RuleView::new).collect(),
            has_oracle: G::oracle().is_some(),
        }
    }

    fn begin(self: Arc<Self>, request: &NewGame) -> Result<Arc<dyn Session>, ApiError> {
        let seats = UserSides::read::<G>(request.side.as_deref().unwrap_or(G::SIDES[0])).map_err(ApiError::wrong)?;
        let opponent = request.opponent.clone().unwrap_or(Opponent::Level { level: 3, evaluator: None });
        opponent.check(&self)?;
        request.clock.iter().try_for_each(ClockSettings::check)?;
        let rules = read_foreign_rules::<G>(&request.rules, &G::Rules::default()).map_err(ApiError::wrong)?;
        let mut sitting = match (&request.pgn, &request.position) {
            (Some(_), Some(_)) => {
                return Err(ApiError::wrong("a game begins at a position or continues a PGN, not both"));
            }
            (Some(pgn), None) => {
                let mut games = PgnReader::<G, _>::new(pgn.as_bytes()).with_rules(rules);
                let game = games.next().ok_or_else(|| ApiError::wrong("there is no game in this text"))?;
                Sitting::from_pgn(game.map_err(ApiError::wrong)?)
            }
            (None, Some(text)) => Sitting::new(G::from_loose_position(text.trim(), &rules).map_err(ApiError::wrong)?),
            (None, None) => Sitting::new(G::new(&rules)),
        };
        let moves = play_line(&mut sitting.played().now().clone(), &request.moves).map_err(ApiError::wrong)?;
        if sitting.played().moves().len() + moves.len() > MOST_PLIES {
            return Err(ApiError::wrong(format!("a game has at most {MOST_PLIES} moves here")));
        }
        moves.into_iter().for_each(|m| sitting.play(m));
        Ok(GameSession::new(self, sitting, seats, opponent, request.clock))
    }
}
