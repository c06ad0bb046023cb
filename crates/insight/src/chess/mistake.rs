//! A mistake in chess, read from a table.

use alfil_game::chess::{Chess, Move};
use alfil_game::{Game, play_line};
use shakmaty::{Position, Role};

use super::{Tactic, tactics};
use crate::{ErrorRecord, Phase};

/// A mistake with its positions.
#[derive(Clone, Debug)]
pub struct Mistake<'a> {
    /// What the table says.
    pub record: &'a ErrorRecord,
    /// The position before the move.
    pub position: Chess,
    /// The move.
    pub played: Move,
    /// The position after it.
    pub after: Chess,
    /// What was expected in place of it.
    pub better: Vec<Move>,
    /// What was expected after it.
    pub reply: Vec<Move>,
    /// The part of the game.
    pub phase: Phase,
    /// Tactics that the mover missed.
    pub missed: Vec<Tactic>,
    /// Tactics that the move allowed.
    pub allowed: Vec<Tactic>,
}

impl Mistake<'_> {
    /// The piece that moved.
    pub fn moved(&self) -> Role {
        self.position.shakmaty().board().role_at(self.played.from()).unwrap_or(Role::Pawn)
    }

    /// Reads a row of a table. None if it is not a mistake in chess; a line is read up to its first move that is not legal.
    pub fn read(record: &ErrorRecord) -> Option<Mistake<'_>> {
        let position = Chess::from_position(&record.position, &Default::default()).ok()?;
        let played = position.parse_move(&record.played).ok()?;
        let mut after = position.clone();
        after.play(played);
        let line = |from: &Chess, text: &str| {
            let (mut now, mut moves) = (from.clone(), Vec::new());
            for word in text.split_whitespace() {
                match play_line(&mut now, word) {
                    Ok(played) => moves.extend(played),
                    Err(_) => break,
                }
            }
            moves
        };
        let (better, reply) = (line(&position, &record.better), line(&after, &record.reply));
        Some(Mistake {
            phase: super::phase(&position, (record.ply as usize).saturating_sub(1)),
            missed: tactics(&position, &better),
            allowed: tactics(&after, &reply),
            record,
            position,
            played,
            after,
            better,
            reply,
        })
    }
}
