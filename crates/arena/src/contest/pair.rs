//! An opening played twice.

use alfil_core::seed::derive;
use alfil_game::{First, FullGame, Side, Swap};
use alfil_search::{Adjudicator, EvaluatorError};

use super::game::{Finished, Sides, play_game};
use super::{Fault, Record, Who};
use crate::player::{Played, Player};

/// A thread's own two players and adjudicator.
pub struct Opponents<G: FullGame> {
    /// The player from whose side results are reported.
    pub a: Box<dyn Player<G>>,
    /// The other player.
    pub b: Box<dyn Player<G>>,
    /// Ends games before the rules do.
    pub adjudicator: Adjudicator<G>,
}

impl<G: FullGame> Opponents<G> {
    /// Plays an opening with A first, then with B first. None if it was told to stop.
    pub fn play(
        &mut self,
        pair: u64,
        opening: &Played<G>,
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<[Record; 2]>, EvaluatorError> {
        let mut game = |first: Who| {
            let seed = |who: Who| derive(seed, &[pair, first as u64, who as u64]);
            let sides = match first {
                Who::A => Sides { players: [&mut *self.a, &mut *self.b], seeds: [seed(Who::A), seed(Who::B)] },
                Who::B => Sides { players: [&mut *self.b, &mut *self.a], seeds: [seed(Who::B), seed(Who::A)] },
            };
            let played = play_game(opening, sides, &mut self.adjudicator, stop)?;
            Ok(played.map(|played| record(pair, first, opening, played)))
        };
        let Some(one) = game(Who::A)? else { return Ok(None) };
        Ok(game(Who::B)?.map(|other| [one, other]))
    }
}

fn record<G: FullGame>(pair: u64, first: Who, opening: &Played<G>, game: Finished<G>) -> Record {
    let First(score) = game.score;
    let who = |side| if (side == Side::First) == (first == Who::A) { Who::A } else { Who::B };
    Record {
        pair,
        first,
        score: if first == Who::A { score.points() } else { score.swap().points() },
        end: game.end,
        start: game.played.start().position(),
        moves: game.played.moves_text(),
        book: opening.moves().len(),
        notes: game.notes,
        fault: game.fault.map(|(side, error)| Fault { by: who(side), what: error.to_string() }),
    }
}
