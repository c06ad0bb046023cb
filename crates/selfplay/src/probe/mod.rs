//! Instruments: what a network and the search of self-play see of material, measured without playing a game.
//!
//! A [`Probe`] is a fixed set of positions of varied play that follows from a seed, and what the game's own
//! [estimates](alfil_game::Estimates) say about them. Games without estimates have none. Measured are
//!
//! - the **value gap** on hanging pieces: the network's value after a capture that wins a piece, minus the value before it, for
//!   the side that captures. Who sees the hanging piece expects before the capture what it expects after it.
//! - the **correlation** of the value with the result that the material predicts once all captures that pay have been made;
//! - the **blunders** of the search of self-play: moves that alpha-beta finds much worse than its best one.
//!
//! [`policy_divergence`] needs no estimates: how far the policies of finished games are from the network's priors.

mod choices;
mod hanging;
mod harvest;
mod judged;
mod material;
mod measured;
mod policy;
mod settings;

pub use measured::Measured;
pub use policy::policy_divergence;
pub use settings::ProbeSettings;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alfil_core::seed::derive;
use alfil_game::{FullGame, Knowledge};
use alfil_search::classical::expected_result;
use alfil_search::{Adjudicator, Evaluator, EvaluatorError, catch_panic};
use rayon::prelude::*;

use crate::{LaneContext, SearchSettings, SelfplaySettings, Temperature, Tickets, has_estimates};
use choices::choices;
use hanging::HangingPiece;
use harvest::Harvest;
use judged::Judged;
use material::seen_by;

/// The name of this work in messages.
const PART: &str = "the probe";

/// Games of varied play, or positions, that are looked at between two reports of progress.
const BLOCK: u64 = 16;

/// Positions that are evaluated together.
const BATCH: usize = 64;

/// Games of varied play at most, for each position or pair that is wanted: there need not be any in a game.
const MOST_GAMES: u64 = 2;

/// Positions of varied play, and what the game's estimates say about them.
pub struct Probe<G: FullGame> {
    rules: G::Rules,
    seed: u64,
    pairs: Vec<HangingPiece<G>>,
    positions: Vec<Judged<G>>,
}

/// What the values of a network say about material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueReport {
    /// On hanging pieces, the mean of |after - before|; none if there are none.
    pub gap: Option<Measured>,
    /// The mean of after - before: positive where hanging pieces are not seen, near 0 where the gap is only noise.
    pub bias: Option<Measured>,
    /// Pearson's correlation with the result that material after all captures predicts; none if either is always the same.
    pub correlation: Option<Measured>,
}

impl<G: FullGame> Probe<G> {
    /// Whether the game has the estimates that a probe needs.
    pub fn is_possible(rules: &G::Rules) -> bool {
        has_estimates::<G>(rules, Knowledge::Material) && has_estimates::<G>(rules, Knowledge::Full)
    }

    /// Makes the positions. `None` if the game has no estimates, no positions are wanted, or it was stopped. `tell` gets the
    /// work that is done, and all of it.
    pub fn new(
        settings: &ProbeSettings,
        rules: &G::Rules,
        seed: u64,
        tell: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Option<Probe<G>>, EvaluatorError> {
        if settings.is_off() || !Self::is_possible(rules) {
            return Ok(None);
        }
        catch_panic(PART, || Self::make(settings, rules, seed, tell, stop))
    }

    fn make(
        settings: &ProbeSettings,
        rules: &G::Rules,
        seed: u64,
        tell: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Option<Probe<G>> {
        let ProbeSettings { positions: wanted, pairs: wanted_pairs } = *settings;
        let of = (2 * wanted + wanted_pairs) as u64;
        let (mut pairs, mut games) = (Vec::new(), Vec::new());
        // The same position of two games would count twice.
        let (mut known_pairs, mut known_games) = (HashSet::new(), HashSet::new());
        let most_games = MOST_GAMES * (wanted + wanted_pairs) as u64;
        for first in (0..most_games).step_by(BLOCK as usize) {
            if stop.load(Relaxed) {
                return None;
            }
            if pairs.len() >= wanted_pairs && games.len() >= wanted {
                break;
            }
            let harvest = |number: u64| Harvest::<G>::of_game(rules, derive(seed, &[number]));
            // In the order of the games, however many are played at once.
            for found in (first..first + BLOCK).into_par_iter().map(harvest).collect::<Vec<_>>() {
                pairs.extend(found.pairs.into_iter().filter(|pair| known_pairs.insert(pair.before.key())));
                games.extend(found.positions.into_iter().filter(|game| known_games.insert(game.key())));
            }
            pairs.truncate(wanted_pairs);
            games.truncate(wanted);
            tell((pairs.len() + games.len()) as u64, of);
        }
        let mut positions: Vec<Judged<G>> = Vec::with_capacity(games.len());
        for games in games.chunks(BLOCK as usize) {
            if stop.load(Relaxed) {
                return None;
            }
            positions.par_extend(games.par_iter().map(Judged::new));
            tell((pairs.len() + wanted + positions.len()) as u64, of);
        }
        Some(Probe { rules: rules.clone(), seed, pairs, positions })
    }

    /// Measures an evaluator's values.
    pub fn values(&self, evaluator: &mut dyn Evaluator<G>) -> Result<ValueReport, EvaluatorError> {
        let mut values = |games: Vec<&G>| catch_panic(PART, || evaluate(&games, evaluator)).flatten();
        let before = values(self.pairs.iter().map(|pair| &pair.before).collect())?;
        let after = values(self.pairs.iter().map(|pair| &pair.after).collect())?;
        let gap = |(pair, (before, after)): (&HangingPiece<G>, (f32, f32))| {
            f64::from(seen_by(after, pair.after.side(), pair.before.side()) - before)
        };
        let gaps: Vec<f64> = self.pairs.iter().zip(before.into_iter().zip(after)).map(gap).collect();
        let found = values(self.positions.iter().map(|position| &position.game).collect())?;
        let predicted = self.positions.iter().map(|position| f64::from(expected_result(position.material)));
        let points: Vec<(f64, f64)> = found.into_iter().map(f64::from).zip(predicted).collect();
        Ok(ValueReport {
            gap: Measured::mean(&gaps.iter().map(|gap| gap.abs()).collect::<Vec<_>>()),
            bias: Measured::mean(&gaps),
            correlation: Measured::correlation(&points),
        })
    }

    /// Counts the blunders of self-play's search with an evaluator: a full search per position, with its noise, whose best move is
    /// played. Searches with other settings have the same chance. `None` if there are no positions, or it was stopped. `tell`
    /// gets the positions that are done, and their number.
    pub fn blunders(
        &mut self,
        search: &SearchSettings,
        evaluator: &mut dyn Evaluator<G>,
        tell: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Option<Measured>, EvaluatorError> {
        let mut context = LaneContext {
            settings: SelfplaySettings {
                search: *search,
                temperature: Temperature::NONE,
                ..SelfplaySettings::default()
            },
            rules: self.rules.clone(),
            adjudicator: Adjudicator::default(),
            tickets: Arc::new(Tickets::new(0)),
            seed: self.seed,
            listed: Vec::new(),
            gallery: None,
        };
        let games: Vec<&G> = self.positions.iter().map(|position| &position.game).collect();
        let count = games.len() as u64;
        let chosen = catch_panic(PART, || choices(&games, &mut context, evaluator, tell, stop)).flatten()?;
        let Some(chosen) = chosen else { return Ok(None) };
        let judged = self.positions.par_iter_mut().zip(chosen);
        let blunders = catch_panic(PART, || judged.map(|(position, code)| u64::from(position.is_blunder(code))).sum())?;
        Ok(Measured::share(blunders, count))
    }
}

/// The values that an evaluator gives to positions, as the side to move sees them.
fn evaluate<G: FullGame>(games: &[&G], evaluator: &mut dyn Evaluator<G>) -> Result<Vec<f32>, EvaluatorError> {
    let (mut values, mut moves) = (Vec::with_capacity(games.len()), Vec::new());
    for games in games.chunks(BATCH) {
        for game in games {
            game.generate(&mut moves);
            evaluator.add(game, &moves);
        }
        evaluator.run(&mut |_, evaluation| values.push(evaluation.value()))?;
    }
    Ok(values)
}

#[cfg(test)]
mod tests;
