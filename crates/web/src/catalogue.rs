//! The games that the server offers.

use std::sync::Arc;

use alfil_arena::player::LEVELS;
use alfil_core::wording::shorten;
use alfil_game::{RuleOption, RuleValues, for_each_game};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::error::ApiError;
use crate::host::{GameHost, Host};
use crate::networks::Networks;
use crate::runs::Runs;
use crate::view::PositionView;

/// A game, and what it can be played with.
#[derive(Debug, Serialize)]
pub struct GameView {
    pub name: &'static str,
    pub title: &'static str,
    /// What the players are called, the one who moves first before the other.
    pub sides: [&'static str; 2],
    /// The evaluator that is used where none is chosen.
    pub strongest: &'static str,
    pub evaluators: Vec<EvaluatorView>,
    /// The start position by the usual rules.
    pub start: PositionView,
    /// What can be chosen of its rules.
    pub rules: Vec<RuleView>,
    /// Whether there is an opponent of kind `oracle`.
    pub has_oracle: bool,
}

/// An option of the rules.
#[derive(Debug, Serialize)]
pub struct RuleView {
    key: &'static str,
    meaning: &'static str,
    #[serde(flatten)]
    values: RuleValuesView,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum RuleValuesView {
    /// The first is the usual one.
    Words {
        values: &'static [&'static str],
    },
    Number {
        usual: u32,
        low: u32,
        high: u32,
    },
}

impl RuleView {
    pub fn new(option: RuleOption) -> RuleView {
        let RuleOption { key, meaning, values } = option;
        let values = match values {
            RuleValues::Words(values) => RuleValuesView::Words { values },
            RuleValues::Number { usual, low, high } => RuleValuesView::Number { usual, low, high },
        };
        RuleView { key, meaning, values }
    }
}

/// What evaluates positions.
#[derive(Debug, Serialize)]
pub struct EvaluatorView {
    pub id: String,
    pub name: String,
    /// The rating of the people whose moves it predicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imitates: Option<u32>,
}

/// The names of the runs and networks of the data folder, each with its game.
#[derive(Debug)]
pub struct Found {
    pub runs: Vec<(String, String)>,
    pub networks: Vec<(String, String)>,
}

/// All games with all that can be chosen.
#[derive(Debug, Serialize)]
pub struct CatalogueView {
    games: Vec<GameView>,
    /// The lowest and the highest level.
    levels: [u64; 2],
    /// Threads that a search may have.
    cores: usize,
    /// The program's version.
    version: &'static str,
}

/// The games that the server offers.
pub struct Catalogue {
    runs: Arc<Runs>,
    networks: Arc<Networks>,
    hosts: Vec<(&'static str, Arc<dyn GameHost>)>,
}

impl Catalogue {
    pub fn new(runs: &Arc<Runs>, networks: &Arc<Networks>) -> Catalogue {
        // One more than there are cores: a search may wait for an evaluator that another one uses.
        let thinking = Arc::new(Semaphore::new(alfil_core::cores() + 1));
        let mut hosts: Vec<(&'static str, Arc<dyn GameHost>)> = Vec::new();
        for_each_game!(G => hosts.push((
            <G as alfil_game::Game>::NAME,
            Arc::new(Host::<G>::new(Arc::clone(runs), Arc::clone(networks), Arc::clone(&thinking)))
        )));
        Catalogue { runs: Arc::clone(runs), networks: Arc::clone(networks), hosts }
    }

    /// The game with this name.
    pub fn host(&self, name: &str) -> Result<Arc<dyn GameHost>, ApiError> {
        let found = self.hosts.iter().find(|(known, _)| *known == name).map(|(_, host)| Arc::clone(host));
        found.ok_or_else(|| ApiError::missing(format!("there is no game '{}'", shorten(name))))
    }

    pub fn view(&self) -> CatalogueView {
        let found = Found { runs: self.runs.games_of_all(), networks: self.networks.games_of_all() };
        CatalogueView {
            games: self.hosts.iter().map(|(_, host)| host.view(&found)).collect(),
            levels: [*LEVELS.start(), *LEVELS.end()],
            cores: alfil_core::cores(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
