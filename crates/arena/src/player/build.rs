//! From a line to a player.

use std::path::Path;
use std::sync::Arc;

use alfil_game::{FullGame, Knowledge, ReferenceError};
use alfil_nn::{Bundled, BundledError, Cpu, Network, OpenError, Origin};
use alfil_search::EvaluatorError;
use alfil_search::evaluators::{BackendError, Kind};

use super::line::PlayerKind;
use super::{
    AlphaBetaPlayer, ClassicalPlayer, Entrant, ExactPlayer, ExternalPlayer, LabelSettings, OraclePlayer, Player,
    PlayerError, PlayerLine, RandomPlayer, TreeSettings, TurnsPlayer,
};
use crate::engine;
use alfil_core::checksum::checksum_of;
use alfil_core::wording::shorten;

/// Why a player cannot be made from a line.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The game has no exact solver.
    #[error("the oracle does not play {0}: it has no exact solver")]
    NoOracle(&'static str),
    /// No network is bundled with the program for the game.
    #[error("no network for {0} is bundled with this program: name a network file")]
    NoModel(&'static str),
    /// The bundled network cannot be used.
    #[error(transparent)]
    Bundled(#[from] BundledError),
    /// The network cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The network is for another game.
    #[error("cannot use the network {path}: {why}")]
    Network {
        /// Its file.
        path: String,
        /// What is wrong.
        why: BackendError,
    },
    /// The file could be opened but not read.
    #[error("cannot read {path}: {why}")]
    Read {
        /// The file.
        path: String,
        /// What is wrong.
        why: std::io::Error,
    },
    /// The player gives no scores.
    #[error("{0} gives no scores, and cannot be a teacher")]
    NoScores(String),
    /// The player has no scores for several moves.
    #[error("{0} judges no moves one by one: leave out the number of lines")]
    NoLines(String),
    /// The opening book cannot be used.
    #[error("cannot use the book {path}: {why}")]
    Book {
        /// Its file.
        path: String,
        /// What is wrong.
        why: ReferenceError,
    },
    /// The external engine cannot be used.
    #[error("cannot use the engine '{command}': {why}")]
    Engine {
        /// As it was written.
        command: String,
        /// What is wrong.
        why: PlayerError,
    },
}

impl PlayerLine {
    /// Makes the player for a game: reads its network and its book, or starts its engine once to try it. Networks run on the
    /// CPU.
    pub fn entrant<G: FullGame>(&self) -> Result<Entrant<G>, BuildError> {
        let entrant = self.without_book()?;
        let Some(path) = &self.book else { return Ok(entrant) };
        entrant.with_book(path).map_err(|why| BuildError::Book { path: path.display().to_string(), why })
    }

    fn without_book<G: FullGame>(&self) -> Result<Entrant<G>, BuildError> {
        let PlayerLine { name, settings, kind, .. } = self;
        let tree = |kind: &Kind, tree: &TreeSettings| {
            let no_network = |why| BuildError::Network { path: settings.clone(), why };
            Entrant::tree(name, settings, kind, &Cpu, *tree).map_err(no_network)
        };
        match kind {
            PlayerKind::Random => Ok(Entrant::new(name, settings, || Box::new(RandomPlayer::default()))),
            PlayerKind::Oracle => {
                G::oracle().ok_or(BuildError::NoOracle(G::NAME))?;
                Ok(Entrant::new(name, settings, || Box::new(OraclePlayer::default())))
            }
            PlayerKind::AlphaBeta { depth, knowledge, quiescence } => {
                let (depth, knowledge, quiescence) = (*depth, *knowledge, *quiescence);
                Ok(Entrant::new(name, settings, move || Box::new(AlphaBetaPlayer::new(depth, knowledge, quiescence))))
            }
            PlayerKind::Classical(classical) => {
                let classical = *classical;
                let make = move || -> Result<Box<dyn Player<G>>, EvaluatorError> {
                    Ok(Box::new(ClassicalPlayer::new(classical)?))
                };
                Ok(Entrant::fallible(name, settings, classical.threads, make))
            }
            PlayerKind::Exact { search, depth } => {
                let (search, depth) = (*search, *depth);
                Ok(Entrant::new(name, settings, move || Box::new(ExactPlayer::new(search, depth))))
            }
            PlayerKind::Turns { depth, actions } => {
                let (depth, actions) = (*depth, *actions);
                Ok(Entrant::new(name, settings, move || Box::new(TurnsPlayer::new(depth, actions))))
            }
            PlayerKind::Uct(settings) => tree(&Kind::Rollout(1), settings),
            PlayerKind::Handcrafted(settings) => tree(&Kind::Handcrafted(Knowledge::Full), settings),
            PlayerKind::Trained(settings) => {
                self.bundled(Bundled::default_of(G::NAME).ok_or(BuildError::NoModel(G::NAME))?, *settings)
            }
            PlayerKind::Bundled(bundled, settings) => self.bundled(bundled, *settings),
            PlayerKind::Network(path, settings) => self.network(path, *settings),
            PlayerKind::External(external) => {
                // A wrong path or option should be reported now, not as two hundred lost games.
                let unusable = |why| BuildError::Engine { command: shorten(&external.command), why };
                ExternalPlayer::try_out::<G>(external).map_err(unusable)?;
                let external = external.clone();
                let threads = external.threads();
                let mut entrant = Entrant::new(name, settings, move || Box::new(ExternalPlayer::new(external.clone())));
                entrant.threads = threads;
                Ok(entrant)
            }
        }
    }

    /// Makes the player as a teacher, who is asked for [labels](super::Player::label) with these settings.
    pub fn teacher<G: FullGame>(&self, settings: &LabelSettings) -> Result<Entrant<G>, BuildError> {
        match &self.kind {
            PlayerKind::Random => Err(BuildError::NoScores(self.name.clone())),
            PlayerKind::External(external) => {
                let mut external = external.clone();
                external.wishes.push(("UCI_ShowWDL".to_owned(), "true".to_owned()));
                if settings.lines > 1 {
                    external.options.push(("MultiPV".to_owned(), settings.lines.to_string()));
                }
                PlayerLine { kind: PlayerKind::External(external), ..self.clone() }.entrant()
            }
            PlayerKind::AlphaBeta { .. } | PlayerKind::Classical(_) => self.entrant(),
            _ if settings.lines > 1 => Err(BuildError::NoLines(self.name.clone())),
            _ => self.entrant(),
        }
    }

    /// Checks that [`entrant`](PlayerLine::entrant) can make the player, without starting a program: of an engine, only that it
    /// exists and may be executed.
    pub fn check<G: FullGame>(&self) -> Result<(), BuildError> {
        let PlayerKind::External(external) = &self.kind else { return self.entrant::<G>().map(drop) };
        let unusable = |why: std::io::Error| BuildError::Engine {
            command: shorten(&external.command),
            why: PlayerError::Start(why.to_string()),
        };
        engine::check(&external.command).map_err(unusable)
    }

    /// Why the program of an engine cannot be found, in a sentence; `None` if it is there, or the player needs no program.
    /// Starts nothing.
    pub fn missing(&self) -> Option<String> {
        let PlayerKind::External(external) = &self.kind else { return None };
        let why = engine::check(&external.command).err()?;
        (why.kind() == std::io::ErrorKind::NotFound)
            .then(|| format!("cannot find the engine '{}': {why}", shorten(&external.command)))
    }

    fn bundled<G: FullGame>(&self, bundled: &Bundled, settings: TreeSettings) -> Result<Entrant<G>, BuildError> {
        let network = bundled.network()?;
        let Origin { generation, steps, .. } = &network.origin;
        // Another version of the program may have another network.
        let identity = format!("{}, generation {generation:?} of {steps:?} steps", self.settings);
        Entrant::tree(&self.name, identity, &Kind::Network(Arc::new(network)), &Cpu, settings)
            .map_err(|why| BuildError::Network { path: self.name.clone(), why })
    }

    fn network<G: FullGame>(&self, path: &Path, settings: TreeSettings) -> Result<Entrant<G>, BuildError> {
        let network = Network::open(path)?;
        let shown = || path.display().to_string();
        let print = alfil_core::disk::open(path)
            .and_then(checksum_of)
            .map_err(|why| BuildError::Read { path: shown(), why })?;
        // The same weights are the same player wherever their file is.
        let identity = format!("network {print:016x}:{}", self.settings);
        Entrant::tree(&self.name, identity, &Kind::Network(Arc::new(network)), &Cpu, settings)
            .map_err(|why| BuildError::Network { path: shown(), why })
    }
}
