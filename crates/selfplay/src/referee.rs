//! Ends games whose result is clear before the rules do.

use std::sync::Arc;

use alfil_core::settings;
use alfil_game::{First, FullGame, Knowledge, Mover, Oracle, Score, Side};

/// Knows the result of some positions from elsewhere: endgame tables, for example. Must say the same whenever it is asked.
pub type Judge<G> = Arc<dyn Fn(&G) -> Option<First<Score>> + Send + Sync>;

settings! {
    /// When games are ended before the rules do. Off by default: what is learnt is then what the rules say.
    pub struct Adjudication {
        /// A side that is ahead by more than this, in hundredths of the smallest piece, for adjudicate_plies in a row, or at the cap
        /// on plies, is given the win; 0 never does. Networks that know nothing yet shuffle won positions into draws, and learn
        /// from it that a queen is worth nothing.
        pub material: i32 = 0, in 0..=1_000_000, key "adjudicate_material";
        /// Plies in a row for which it has to be ahead.
        pub plies: u32 = 8, key "adjudicate_plies";
        /// Ends games whose result the game's exact solver knows quickly.
        pub oracle: bool = false, key "adjudicate_oracle";
        /// Ends games of chess by the Syzygy tables in this folder (several with colons between them).
        pub syzygy: String = String::new(), key "adjudicate_syzygy";
    }
}

/// A side that is so far ahead in material for so long has won. So has one that is so far ahead at the ply cap.
#[derive(Clone, Copy)]
struct Material {
    /// Ahead by more than this, in hundredths of the game's smallest piece,
    above: i32,
    /// at this many plies in a row.
    plies: u32,
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
        let Adjudication { material, plies, .. } = *adjudication;
        let material = (material > 0).then_some(Material { above: material, plies });
        Referee { material, oracle, judge: None }
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
