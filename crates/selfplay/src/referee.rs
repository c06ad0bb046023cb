//! Ends games whose result is clear before the rules do.

use std::sync::Arc;

use alfil_game::{First, FullGame, Knowledge, Mover, Oracle, Score, Side};
use serde::{Deserialize, Serialize};

/// Knows the result of some positions from elsewhere: endgame tables, for example. Must say the same whenever it is asked.
pub type Judge<G> = Arc<dyn Fn(&G) -> Option<First<Score>> + Send + Sync>;

/// When games are ended before the rules do. Off by default: what is learnt is then what the rules say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// By what is on the board.
    pub material: Option<Material>,
    /// By the game's [oracle](Game::oracle), as soon as it is quick.
    pub oracle: bool,
}

/// A side that is so far ahead in material for so long has won. So has one that is so far ahead at the ply cap: networks that
/// know nothing yet shuffle won positions into draws, and learn from it that a queen is worth nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Ahead by more than this, in hundredths of the game's smallest piece,
    pub above: i32,
    /// at so many plies in a row.
    pub plies: u32,
}

/// Ends the games of a lane.
pub(crate) struct Referee<G: FullGame> {
    material: Option<Material>,
    oracle: Option<Box<dyn Oracle<G>>>,
    pub judge: Option<Judge<G>>,
}

/// Who has been ahead, and for how many plies.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lead {
    side: Option<Side>,
    plies: u32,
}

impl<G: FullGame> Referee<G> {
    pub fn new(adjudication: &Adjudication) -> Referee<G> {
        let oracle = if adjudication.oracle { G::oracle() } else { None };
        Referee { material: adjudication.material, oracle, judge: None }
    }

    /// The result of a game that goes on by the rules, if it is clear. Sees every position of a game once.
    pub fn result(&mut self, game: &G, lead: &mut Lead) -> Option<First<Score>> {
        let known = self.judge.as_ref().and_then(|judge| judge(game));
        known.or_else(|| self.ask_oracle(game)).or_else(|| {
            let material = self.material?;
            let side = leader(game, material);
            lead.plies = if side == lead.side { lead.plies + 1 } else { 1 };
            lead.side = side;
            won(side.filter(|_| lead.plies >= material.plies))
        })
    }

    /// The result of a game that the ply cap has ended, if somebody is ahead.
    pub fn result_at_cap(&self, game: &G) -> Option<First<Score>> {
        let mut moves = Vec::new();
        game.generate(&mut moves);
        // Without moves it is no cap but stalemate or the like that ended it.
        won(leader(game, self.material?).filter(|_| game.ply() >= game.ply_cap() && !moves.is_empty()))
    }

    fn ask_oracle(&mut self, game: &G) -> Option<First<Score>> {
        let oracle = self.oracle.as_mut().filter(|oracle| game.ply() >= oracle.quick_from())?;
        Some(oracle.judge(game).score.to_first(game.side()))
    }
}

fn leader<G: FullGame>(game: &G, material: Material) -> Option<Side> {
    let ahead = game.evaluate(Knowledge::Material);
    let leads = ahead.saturating_abs() > material.above;
    leads.then(|| if ahead > 0 { game.side() } else { !game.side() })
}

fn won(side: Option<Side>) -> Option<First<Score>> {
    side.map(|side| Mover(Score::WIN).to_first(side))
}
