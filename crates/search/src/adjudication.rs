//! Ends games whose result is clear before the rules do, in self-play and in matches.

use std::sync::Arc;

use alfil_core::settings;
use alfil_game::{Estimates, Knowledge, Oracle, Outcome, ReferenceError, References, Side, Tablebase};

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

/// Knows the result of games that the rules let go on: by endgame tables, by an exact solver, by a lasting lead in material.
/// Each thread has its own; a clone shares the tables.
pub struct Adjudicator<G> {
    lead: Option<DecisiveLead>,
    oracle: Option<Box<dyn Oracle<G>>>,
    tables: Option<Arc<dyn Tablebase<G>>>,
}

/// A lead in material that wins.
#[derive(Clone, Copy)]
struct DecisiveLead {
    /// Ahead by more than this, in hundredths of the game's smallest piece,
    above: i32,
    /// at this many plies in a row.
    plies: u32,
}

/// Who has been ahead in a game, and for how many plies.
#[derive(Clone, Copy, Default)]
pub struct Lead {
    side: Option<Side>,
    plies: u32,
}

impl<G: Estimates + References> Adjudicator<G> {
    /// Opens what the settings name. An error is about the endgame tables.
    pub fn open(settings: &Adjudication) -> Result<Adjudicator<G>, ReferenceError> {
        let Adjudication { material, plies, oracle, ref syzygy } = *settings;
        Ok(Adjudicator {
            lead: (material > 0).then_some(DecisiveLead { above: material, plies }),
            oracle: if oracle { G::oracle() } else { None },
            tables: if syzygy.is_empty() { None } else { Some(G::tablebase(syzygy)?.into()) },
        })
    }

    /// Ends games as these tables say.
    pub fn with_tables(tables: Arc<dyn Tablebase<G>>) -> Adjudicator<G> {
        Adjudicator { tables: Some(tables), ..Adjudicator::default() }
    }

    /// The result of a game that goes on by the rules, if it is clear. Has to see every position of the game once; `lead` is
    /// what it remembers of the ones before.
    pub fn outcome(&mut self, game: &G, lead: &mut Lead) -> Option<Outcome> {
        let known = self.tables.as_ref().and_then(|tables| tables.outcome(game));
        known.or_else(|| self.solved(game)).or_else(|| {
            let decisive = self.lead?;
            let side = leader(game, decisive);
            lead.plies = if side == lead.side { lead.plies + 1 } else { 1 };
            lead.side = side;
            won(side.filter(|_| lead.plies >= decisive.plies))
        })
    }

    /// The result of a game that the ply cap has ended, if somebody is ahead.
    pub fn outcome_at_cap(&self, game: &G) -> Option<Outcome> {
        let mut moves = Vec::new();
        game.generate(&mut moves);
        // Without moves it is not the cap that ended it, but stalemate or the like.
        won(leader(game, self.lead?).filter(|_| game.ply() >= game.ply_cap() && !moves.is_empty()))
    }

    fn solved(&mut self, game: &G) -> Option<Outcome> {
        let oracle = self.oracle.as_mut().filter(|oracle| game.ply() >= oracle.quick_from())?;
        Some(Outcome { score: oracle.judge(game).score.to_first(game.side()), reason: "exact solver" })
    }
}

/// Lets every game go on.
impl<G> Default for Adjudicator<G> {
    fn default() -> Adjudicator<G> {
        Adjudicator { lead: None, oracle: None, tables: None }
    }
}

impl<G: References> Clone for Adjudicator<G> {
    fn clone(&self) -> Adjudicator<G> {
        Adjudicator {
            lead: self.lead,
            oracle: self.oracle.as_ref().and_then(|_| G::oracle()),
            tables: self.tables.clone(),
        }
    }
}

fn leader<G: Estimates>(game: &G, decisive: DecisiveLead) -> Option<Side> {
    let ahead = game.evaluate(Knowledge::Material);
    let leads = ahead.saturating_abs() > decisive.above;
    leads.then(|| if ahead > 0 { game.side() } else { !game.side() })
}

fn won(side: Option<Side>) -> Option<Outcome> {
    side.map(|side| Outcome::win(side, "lead in material"))
}
