//! Limited strength.

use alfil_nn::Bundled;

use crate::options::Options;

/// A network that imitates people plays for ratings this far from theirs; for others the default network is weakened.
const REACH: u32 = 200;

/// How the engine plays for a rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    /// A network that imitates people of about that rating; with none, the network of the options plays.
    pub imitation: Option<&'static Bundled>,
    /// Visits per move.
    pub visits: u32,
    /// How random the choice among the moves is.
    pub temperature: f32,
}

impl Limit {
    /// What the options ask for. People are imitated where no other network is asked for and one for the rating is installed.
    pub fn of(options: &Options) -> Option<Limit> {
        if !options.limit_strength {
            return None;
        }
        let installed =
            if options.weights_file.is_empty() { Bundled::imitating(&options.game, options.elo) } else { None };
        let near = installed.and_then(|bundled| {
            let rating = bundled.imitates?;
            (rating.abs_diff(options.elo) <= REACH).then(|| Limit {
                imitation: Some(bundled),
                visits: 1,
                temperature: imitation_temperature(options.elo, rating),
            })
        });
        Some(near.unwrap_or_else(|| Limit::fewer_visits(options.elo)))
    }

    /// The visits double every 150 points, from a single one at 700, and the choice among moves gets less random. A rough guess,
    /// which depends on the network.
    fn fewer_visits(elo: u32) -> Limit {
        let elo = elo as f32;
        let visits = ((elo - 700.0) / 150.0).max(0.0).exp2();
        Limit { imitation: None, visits: visits as u32, temperature: ((2_600.0 - elo) / 2_000.0).clamp(0.0, 1.0) }
    }
}

/// At the rating of the people it learnt from, a network plays each move as often as they do: temperature 1. Between two networks a
/// more or less random choice makes up for the difference. The factor of 2 per 200 points is a guess.
fn imitation_temperature(elo: u32, imitated: u32) -> f32 {
    ((imitated as f32 - elo as f32) / 200.0).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(elo: u32) -> Options {
        Options { limit_strength: true, elo, ..Options::default() }
    }

    #[test]
    fn without_a_limit_nothing_changes() {
        assert_eq!(Limit::of(&Options::default()), None);
    }

    #[test]
    fn a_network_that_was_asked_for_is_weakened_and_not_replaced() {
        let named = Options { weights_file: "mine.safetensors".to_owned(), ..limited(1_800) };
        let limit = Limit::of(&named).unwrap();
        assert_eq!(limit, Limit::fewer_visits(1_800));
        let stronger = Limit::of(&Options { elo: 2_100, ..named }).unwrap();
        assert!(stronger.visits > limit.visits && stronger.temperature < limit.temperature);
        let nim = Options { game: "nim".to_owned(), ..limited(1_800) };
        assert_eq!(Limit::of(&nim), Some(limit), "nobody is imitated in this game");
    }

    #[test]
    fn imitations_are_less_random_for_higher_ratings() {
        assert_eq!(imitation_temperature(1_600, 1_600), 1.0);
        assert!(imitation_temperature(1_700, 1_600) < imitation_temperature(1_700, 1_800));
    }
}
