//! Players.
//!
//! One line names a player:
//!
//! | line | who |
//! |---|---|
//! | `random` | any legal move |
//! | `oracle` | perfect play, where the game has an exact solver |
//! | `alphabeta:depth=3` | alpha-beta with the game's handcrafted evaluation |
//! | `alphabeta:movetime=0.1` | the same with all enhancements, to a limit of time or `nodes=` |
//! | `minimax:depth=2`, `sss:depth=2` | the same value with more work: by definition, and best-first |
//! | `turns:depth=3,actions=4` | plain alpha-beta over whole turns, where a turn is several moves |
//! | `uct:rollouts=500` | plain Monte Carlo tree search, one random game per visit |
//! | `handcrafted:visits=800` | tree search with the handcrafted evaluation |
//! | `trained:visits=800` | tree search with the bundled network for the game |
//! | `net.safetensors:visits=800` | tree search with a network: a file, or the name of a bundled one |
//! | `uci:/path/to/engine --flag,movetime=0.1,option.Hash=64` | another program that speaks UCI |
//!
//! Tree searches take `visits=` (`nodes=` is the same) or `movetime=` in seconds, and `threads=`, `temperature=` and,
//! except for `uct`, `policytemp=`; or `level=` from 1 to 10, which stands for visits and temperatures. UCI engines
//! take `movetime=`, `nodes=`, `depth=` or a running clock `tc=BASE+INCREMENT` in seconds. Every player takes `name=`, and `book=FILE` with an
//! opening book.

mod alpha_beta;
mod book;
mod build;
mod classical;
mod entrant;
mod exact;
mod external;
mod interruptible;
mod keys;
mod label;
mod level;
mod line;
mod opinion;
mod oracle;
mod played;
mod policy;
mod random;
mod tree;
mod turns;

pub use alpha_beta::AlphaBetaPlayer;
pub use book::BookPlayer;
pub use build::BuildError;
pub use classical::{ClassicalPlayer, ClassicalSettings};
pub use entrant::Entrant;
pub use exact::{ExactPlayer, ExactSearch};
pub use external::{ExternalPlayer, ExternalSettings, Timeouts};
pub use label::{Label, LabelSettings};
pub use level::LEVELS;
pub use line::{GRAMMAR, LineError, PlayerLine};
pub use opinion::{MoveScore, Opinion};
pub use oracle::OraclePlayer;
pub use played::Played;
pub use policy::PolicyPlayer;
pub use random::RandomPlayer;
pub use tree::{TreePlayer, TreeSettings};
pub use turns::TurnsPlayer;

pub use crate::engine::{Go, kill_engines};

use std::time::Duration;

use alfil_game::Game;
use alfil_search::EvaluatorError;

/// Chooses moves.
pub trait Player<G: Game>: Send {
    /// Forgets the last game. `seed` determines all random choices in the next one.
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError>;

    /// Chooses a move in a game that is not over. A player that may take long asks now and then whether to `stop`, and fails
    /// with [`PlayerError::Stopped`].
    fn choose(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Choice<G::Move>, PlayerError>;

    /// Says what a position of a game that is not over is worth, and how it expects the game to go on; otherwise like
    /// [`choose`](Player::choose). Players that tell no line name only their move.
    fn judge(&mut self, game: &Played<G>, stop: &dyn Fn() -> bool) -> Result<Judged<G::Move>, PlayerError> {
        let Choice { m, opinion } = self.choose(game, stop)?;
        Ok(Judged { score: opinion.ok_or(PlayerError::NoScore)?.score, line: vec![m] })
    }

    /// Says what is to be learnt about a position of a game that is not over, as a teacher; otherwise like
    /// [`choose`](Player::choose). Players that know only the value of the move that they choose have it as the whole policy.
    fn label(
        &mut self,
        game: &Played<G>,
        settings: &LabelSettings,
        stop: &dyn Fn() -> bool,
    ) -> Result<Label<G::Move>, PlayerError> {
        let _ = settings;
        self.choose(game, stop)?.into_label()
    }
}

/// A move, and what the player thinks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M> {
    /// The move.
    pub m: M,
    /// What the player expects after it, if it searched.
    pub opinion: Option<Opinion>,
}

/// What a player says of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged<M> {
    /// What it is worth to the mover.
    pub score: MoveScore,
    /// The moves that the player expects, at least one.
    pub line: Vec<M>,
}

/// Why a player has lost a game other than by the rules, or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// A program could not be started.
    #[error("it could not be started: {0}")]
    Start(String),
    /// A program does not have an option that was asked for.
    #[error("it has no option '{name}'{nearest}")]
    NoOption {
        /// The option.
        name: String,
        /// What may have been meant.
        nearest: String,
    },
    /// A program does not know the game.
    #[error("it does not play {game}: {why}")]
    NoVariant {
        /// The game.
        game: String,
        /// What its options say.
        why: String,
    },
    /// A program ended or closed its output.
    #[error("it crashed: {0}")]
    Crashed(String),
    /// No answer within the time allowed.
    #[error("it gave no answer within {:.1} s", .0.as_secs_f64())]
    Stalled(Duration),
    /// Its clock ran out.
    #[error("it ran out of time")]
    OutOfTime,
    /// A move that the rules do not allow, or a text that is not a move.
    #[error("it played '{0}', which is not a legal move")]
    Illegal(String),
    /// It found no move in a game that is not over.
    #[error("it found no move")]
    NoMove,
    /// It did not say what a position is worth, and is asked for nothing else.
    #[error("it gave no score")]
    NoScore,
    /// It was told to stop. Neither player loses.
    #[error("it was stopped")]
    Stopped,
    /// Its evaluator failed. Neither player loses: the whole contest ends.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}
