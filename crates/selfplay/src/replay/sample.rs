//! One position to learn from.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use alfil_game::{Encoding, Game, Mover, Wdl};
use alfil_nn::learning::{Samples, Target};

use crate::{End, GameRecord};

/// A game that its samples share. Whether its moves are legal is checked once for all of them.
#[derive(Debug)]
pub struct SharedRecord {
    record: GameRecord,
    is_legal: OnceLock<bool>,
}

impl SharedRecord {
    /// A record whose moves have not been checked yet.
    pub fn new(record: GameRecord) -> SharedRecord {
        SharedRecord { record, is_legal: OnceLock::new() }
    }

    /// Whether it is a game of `G` under these rules, which must be the same each time.
    fn is_legal<G: Game>(&self, rules: &G::Rules) -> bool {
        *self.is_legal.get_or_init(|| self.record.replay::<G>(rules, |_, _, _| ()).is_some())
    }
}

impl Deref for SharedRecord {
    type Target = GameRecord;

    fn deref(&self) -> &GameRecord {
        &self.record
    }
}

/// A position of a game, and how it is turned.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The game.
    pub record: Arc<SharedRecord>,
    /// Moves before the position.
    pub ply: u32,
    /// One of the encoding's symmetries, if it is turned.
    pub symmetry: Option<usize>,
    /// The share of the search's expected result in the value to learn; the rest is the game's result.
    pub search_value: f32,
}

impl Sample {
    /// Adds what a network learns from this position. `None` if the record is not a game of the encoding under these
    /// rules.
    pub fn push<E: Encoding>(&self, rules: &<E::Game as Game>::Rules, samples: &mut Samples) -> Option<()> {
        let Sample { record, ply, symmetry, search_value } = self;
        if !record.is_legal::<E::Game>(rules) {
            return None;
        }
        let mut game: E::Game = record.begin(rules)?;
        let (before, after) = record.plies.split_at_checked(*ply as usize)?;
        for ply in before {
            game.play(<E::Game as Game>::Move::try_from(ply.code).ok()?);
        }
        let mut moves = Vec::new();
        game.generate(&mut moves);
        let now = after.first()?;
        let policy = now.policy(&moves)?;
        let result = Wdl::from_score(record.score().to_mover(game.side()).0);
        let Mover(expected) = now.wdl();
        let target = Target {
            policy: &policy,
            wdl: Mover(result.blend(expected, *search_value)),
            moves_left: (record.end == End::Rules).then_some(after.len() as f32),
        };
        samples.push::<E>(&game, &moves, target, *symmetry);
        Some(())
    }
}
