//! The moves that self-play chooses in given positions.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_game::FullGame;
use alfil_search::tree::apply;
use alfil_search::{Evaluator, EvaluatorError};

use crate::LaneContext;
use crate::game_in_progress::{FinishedGame, GameInProgress, generator};

/// A search under way: for which position, and a game that has begun there.
struct Seat<G: FullGame> {
    number: Option<usize>,
    game: GameInProgress<G>,
}

/// The codes of the first moves of games of self-play that begin at these positions, all of which have moves. The context has no
/// tickets. `None` if it was stopped.
pub(super) fn choices<G: FullGame>(
    positions: &[&G],
    context: &mut LaneContext<G>,
    evaluator: &mut dyn Evaluator<G>,
    tell: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<Option<Vec<u16>>, EvaluatorError> {
    let mut chosen: Vec<Option<u16>> = vec![None; positions.len()];
    let mut waiting = positions.iter().enumerate();
    let at_once = context.settings.at_once.min(positions.len());
    let mut seats: Vec<Seat<G>> =
        (0..at_once).map(|_| Seat { number: None, game: GameInProgress::new(context) }).collect();
    let mut done = 0;
    while done < positions.len() {
        if stop.load(Relaxed) {
            return Ok(None);
        }
        let mut leaves = Vec::with_capacity(seats.len());
        for (index, Seat { number, game }) in seats.iter_mut().enumerate() {
            loop {
                if number.is_none()
                    && let Some((next, position)) = waiting.next()
                {
                    game.begin_at((*position).clone(), next as u64, generator(context.seed, next as u64));
                    *number = Some(next);
                }
                let Some(searched) = *number else { break };
                // A game that ends with its first move hands over its record.
                let mut last = None;
                let leaf = game.gather(context, &mut |ended: FinishedGame| {
                    last = ended.record.plies.first().map(|ply| ply.code);
                });
                if let Some(code) = last.or_else(|| game.first_move()) {
                    (chosen[searched], *number) = (Some(code), None);
                    done += 1;
                    continue;
                }
                if let Some(leaf) = leaf {
                    evaluator.add(&game.scratch.game, &game.scratch.moves);
                    leaves.push((index, leaf));
                }
                break;
            }
        }
        if !leaves.is_empty() {
            let mut leaves = leaves.into_iter();
            evaluator.run(&mut |_, evaluation| {
                if let Some((index, leaf)) = leaves.next() {
                    apply(seats[index].game.tree(), leaf, &evaluation);
                }
            })?;
        }
        tell(done as u64, positions.len() as u64);
    }
    Ok(chosen.into_iter().collect())
}
