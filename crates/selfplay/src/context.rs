//! What the games of a session have in common.

use std::sync::Arc;

use alfil_game::{FullGame, ReferenceError};
use alfil_search::Adjudicator;

use crate::game_in_progress::generator;
use crate::{Gallery, SelfplaySettings, StartsError, Tickets};

/// What all games of a lane, and of all lanes of a session, have in common.
///
/// A game follows from the settings, the rules, the seed and its number, whatever is played beside it, as long as the evaluator
/// answers the same position in the same way. Random rollouts do not, nor does a cache where the network sees a position's
/// history.
#[derive(Clone)]
pub struct LaneContext<G: FullGame> {
    /// How games are played.
    pub settings: SelfplaySettings,
    /// By what rules.
    pub rules: G::Rules,
    /// Ends games before the rules do.
    pub adjudicator: Adjudicator<G>,
    /// Which games: each takes one when it begins.
    pub tickets: Arc<Tickets>,
    /// What, with a game's number, all its chance follows from.
    pub seed: u64,
    /// The [positions](crate::Starts::listed) of a file that games may begin from.
    pub listed: Vec<String>,
    /// Where a few games are shown while they are played.
    pub gallery: Option<Arc<Gallery>>,
}

/// What the settings name cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// Positions that games begin at.
    #[error(transparent)]
    Starts(#[from] StartsError),
    /// Endgame tables.
    #[error("adjudicate_syzygy cannot be used: {0}")]
    Tables(ReferenceError),
}

impl<G: FullGame> LaneContext<G> {
    /// Reads and opens what the settings name.
    pub fn open(
        settings: SelfplaySettings,
        rules: G::Rules,
        tickets: Arc<Tickets>,
        seed: u64,
    ) -> Result<LaneContext<G>, ContextError> {
        let listed = settings.starts.listed::<G>(&rules)?;
        let adjudicator = Adjudicator::open(&settings.adjudication).map_err(ContextError::Tables)?;
        Ok(LaneContext { settings, rules, adjudicator, tickets, seed, listed, gallery: None })
    }

    /// Where the game with this number begins, as its record says.
    pub fn start_of(&self, number: u64) -> String {
        let mut random = generator(self.seed, number);
        self.settings.starts.begin::<G>(&self.listed, &self.rules, &mut random).text
    }
}
