//! One position to learn from.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use alfil_game::{Encoding, Game, Side};
use alfil_nn::learning::{Samples, Target};

use super::ValueTarget;
use crate::{End, GameRecord, Ply};

/// A game that its samples share. Whether its moves are legal is checked once for all of them.
#[derive(Debug)]
pub struct SharedRecord {
    record: GameRecord,
    /// Who is to move at each ply; `None` if it is not a legal game.
    sides: OnceLock<Option<Vec<Side>>>,
}

impl SharedRecord {
    /// A record whose moves have not been checked yet.
    pub fn new(record: GameRecord) -> SharedRecord {
        SharedRecord { record, sides: OnceLock::new() }
    }

    /// Who is to move at each ply. `None` if it is not a game of `G` under these rules, which must be the same each time.
    fn sides<G: Game>(&self, rules: &G::Rules) -> Option<&[Side]> {
        let replay = || {
            let mut sides = Vec::with_capacity(self.record.plies.len());
            self.record.replay::<G>(rules, |game, _, _| sides.push(game.side())).map(|()| sides)
        };
        self.sides.get_or_init(replay).as_deref()
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
    /// What the value learns.
    pub target: ValueTarget,
}

impl Sample {
    /// Adds what a network learns from this position. `None` if the record is not a game of the encoding under these
    /// rules.
    pub fn push<E: Encoding>(&self, rules: &<E::Game as Game>::Rules, samples: &mut Samples) -> Option<()> {
        let Sample { record, ply, symmetry, target } = self;
        let sides = record.sides::<E::Game>(rules)?;
        let mut game: E::Game = record.begin(rules)?;
        let (before, after) = record.plies.split_at_checked(*ply as usize)?;
        for ply in before {
            game.play(<E::Game as Game>::Move::try_from(ply.code).ok()?);
        }
        let mut moves = Vec::new();
        game.generate(&mut moves);
        let now = after.first()?;
        let policy = now.policy(&moves)?;
        let sides = sides.get(*ply as usize..)?;
        let target = Target {
            policy: &policy,
            wdl: target.wdl(record.score(), sides, after),
            moves_left: (record.end == End::Rules).then_some(after.len() as f32),
            reply: &reply::<E>(&game, sides, after)?,
        };
        let symmetry = symmetry.filter(|symmetry| E::can_turn(&game, *symmetry));
        samples.push::<E>(&game, &moves, target, symmetry);
        Some(())
    }
}

/// The policy of the opponent's next position, or the move that was played there after a cheap search: policy indices as the
/// opponent sees them, and their shares. Empty if the game ends or the mover moves again. `sides` and `plies` are those from
/// `game` on. `None` if the record is not a game of the encoding.
fn reply<E: Encoding>(game: &E::Game, sides: &[Side], plies: &[Ply]) -> Option<Vec<(u32, f32)>> {
    let ([mover, opponent, ..], [played, answered, ..]) = (sides, plies) else { return Some(Vec::new()) };
    if mover == opponent {
        return Some(Vec::new());
    }
    let mut next = game.clone();
    next.play(<E::Game as Game>::Move::try_from(played.code).ok()?);
    let index = |code: u16| {
        let m = <E::Game as Game>::Move::try_from(code).ok()?;
        Some(E::index(&next, m) as u32)
    };
    match answered.coded_policy() {
        Some(policy) => policy.map(|(code, share)| Some((index(code)?, share))).collect(),
        None => Some(vec![(index(answered.code)?, 1.0)]),
    }
}
