//! How often evaluators predict the moves that were played.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use alfil_game::Game;
use alfil_search::EvaluatorError;

use crate::{By, ClusteredMeans, GameSet, Group, Mean, PlayedGame, Prediction, Predictor, predict_all};

/// How well an evaluator predicts some positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The positions.
    pub positions: u64,
    /// The games that they are of.
    pub games: u64,
    /// The share of them in which the move with the highest prior was played.
    pub top1: Mean,
    /// The share of them in which one of the three moves with the highest priors was played.
    pub top3: Mean,
    /// The mean of -ln(prior of the move that was played), in nats; priors are of legal moves only.
    pub cross_entropy: Mean,
    /// The mean square of expected points minus those that the game brought the player to move: 1 for a win, 1/2 for a draw.
    pub value_mse: Mean,
}

/// What was found about one evaluator.
#[derive(Clone, Debug, PartialEq)]
pub struct AccuracyReport {
    /// On all positions.
    pub all: Accuracy,
    /// On groups of them, if they were counted apart.
    pub groups: BTreeMap<Group, Accuracy>,
}

/// Means of the four measures, in the order of [`Accuracy`].
#[derive(Clone, Copy, Default)]
struct Tally(ClusteredMeans<4>);

impl Tally {
    fn accuracy(&self) -> Option<Accuracy> {
        let Tally(means) = self;
        Some(Accuracy {
            positions: means.positions(),
            games: means.games(),
            top1: means.share(0)?,
            top3: means.share(1)?,
            cross_entropy: means.mean(2)?,
            value_mse: means.mean(3)?,
        })
    }
}

/// All that is counted about one evaluator.
#[derive(Clone, Default)]
struct Count {
    all: Tally,
    groups: BTreeMap<Group, Tally>,
}

impl Count {
    fn add(&mut self, by: Option<By>, game: &PlayedGame, predictions: &[Prediction]) {
        let numbers = |prediction: &Prediction| {
            let Prediction { top1, top3, log_likelihood, error, .. } = *prediction;
            [top1, top3, -log_likelihood, error * error].map(f64::from)
        };
        self.all.0.add(&predictions.iter().map(numbers).collect::<Vec<_>>());
        let Some(by) = by else { return };
        let mut groups: BTreeMap<Group, Vec<[f64; 4]>> = BTreeMap::new();
        for prediction in predictions {
            groups.entry(by.group(game, prediction)).or_default().push(numbers(prediction));
        }
        for (group, numbers) in groups {
            self.groups.entry(group).or_default().0.add(&numbers);
        }
    }

    fn report(&self) -> Option<AccuracyReport> {
        let groups = self.groups.iter().filter_map(|(group, tally)| Some((group.clone(), tally.accuracy()?)));
        Some(AccuracyReport { all: self.all.accuracy()?, groups: groups.collect() })
    }
}

/// Measures predictors on the positions of a set, side by side. A report is `None` if there are no positions, or it was stopped
/// before the first. `tell` gets the work that is done, and all of it.
pub fn measure<G: Game>(
    predictors: &mut [Predictor<G>],
    set: &GameSet,
    rules: &G::Rules,
    by: Option<By>,
    tell: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<Vec<Option<AccuracyReport>>, EvaluatorError> {
    let mut counts = vec![Count::default(); predictors.len()];
    let mut see = |number: usize, game: &PlayedGame, predictions: &[Prediction]| {
        counts[number].add(by, game, predictions);
    };
    predict_all(predictors, &set.games, rules, &mut see, tell, stop)?;
    Ok(counts.iter().map(Count::report).collect())
}
