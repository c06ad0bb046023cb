//! How far the policies of finished games are from the network's priors.

use alfil_core::seed::mix;
use alfil_game::Game;
use alfil_search::{Evaluator, EvaluatorError, catch_panic};

use super::{BATCH, Measured, PART};
use crate::GameRecord;
use crate::surprise::divergence;

/// Games that are looked at.
const GAMES: usize = 256;

/// The mean of KL(policy || prior), in nats, over the policies to learn of these games: how much searches correct the network
/// whose evaluator this is. Looks at one position, chosen by the game's number, of each of the first 256 games. `None` if
/// there are no policies.
pub fn policy_divergence<G: Game>(
    records: &[GameRecord],
    rules: &G::Rules,
    evaluator: &mut dyn Evaluator<G>,
) -> Result<Option<Measured>, EvaluatorError> {
    let mut divergences: Vec<f64> = Vec::new();
    let games = &records[..records.len().min(GAMES)];
    catch_panic(PART, || {
        games.chunks(BATCH).try_for_each(|games| {
            let mut policies: Vec<Vec<f32>> = Vec::new();
            for record in games {
                add_policy::<G>(record, rules, evaluator, &mut policies);
            }
            if policies.is_empty() {
                return Ok(());
            }
            evaluator.run(&mut |number, evaluation| {
                let shares = policies[number].iter().copied();
                divergences.push(divergence(shares.zip(evaluation.priors.iter().copied())).into());
            })
        })
    })
    .flatten()?;
    Ok(Measured::mean(&divergences))
}

/// Adds a position with a policy, if the game has one.
fn add_policy<G: Game>(
    record: &GameRecord,
    rules: &G::Rules,
    evaluator: &mut dyn Evaluator<G>,
    policies: &mut Vec<Vec<f32>>,
) {
    let plies: Vec<usize> = (0..record.plies.len()).filter(|ply| record.plies[*ply].has_policy()).collect();
    if plies.is_empty() {
        return;
    }
    let chosen = plies[(mix(record.number) % plies.len() as u64) as usize];
    let mut at = 0;
    // Of a record that is not a game of these rules, no position is reached, or none after the first that is wrong.
    let _ = record.replay::<G>(rules, |game, moves, ply| {
        if at == chosen
            && let Some(policy) = ply.policy(moves)
        {
            evaluator.add(game, moves);
            policies.push(policy);
        }
        at += 1;
    });
}
