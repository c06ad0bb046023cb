//! PLACEHOLDER of the statistics until their own branch is merged.
#![allow(missing_docs)]

use alfil_game::Score;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pub counts: [u64; 5],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

fn elo(score: f64) -> f64 {
    let score = score.clamp(1e-3, 1.0 - 1e-3);
    400.0 * (score / (1.0 - score)).log10()
}

impl Pairs {
    pub fn add(&mut self, first: Score, second: Score) {
        let points = first.points() + second.points();
        self.counts[((2.0 * points).round() as usize).min(4)] += 1;
    }

    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub fn score(&self) -> f64 {
        let points: u64 = self.counts.iter().zip(0..).map(|(count, points)| count * points).sum();
        if self.pairs() == 0 { 0.5 } else { points as f64 / (4 * self.pairs()) as f64 }
    }

    fn error(&self) -> f64 {
        let (n, mean) = (self.pairs().max(1) as f64, self.score());
        let square = |(at, count): (usize, &u64)| *count as f64 * (at as f64 / 4.0 - mean).powi(2);
        (self.counts.iter().enumerate().map(square).sum::<f64>() / n / n).sqrt().max(1e-3)
    }

    pub fn elo(&self) -> Estimate {
        let (score, error) = (self.score(), 1.96 * self.error());
        Estimate { elo: elo(score), low: elo(score - error), high: elo(score + error) }
    }

    pub fn superiority(&self) -> f64 {
        1.0 / (1.0 + (-1.7 * (self.score() - 0.5) / self.error()).exp())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
}

#[derive(Debug, thiserror::Error)]
#[error("'{0}' is no test: write it as elo0=0,elo1=10")]
pub struct SprtError(String);

impl std::str::FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let wrong = || SprtError(text.to_owned());
        let (low, high) = text.split_once(',').ok_or_else(wrong)?;
        let number = |text: &str, key| text.strip_prefix(key).and_then(|text| text.parse().ok()).ok_or_else(wrong);
        Ok(Sprt { elo0: number(low, "elo0=")?, elo1: number(high, "elo1=")?, alpha: 0.05, beta: 0.05 })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    AcceptH0,
    AcceptH1,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtState {
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    pub decision: Option<Decision>,
}

impl Sprt {
    pub fn state(&self, pairs: &Pairs) -> SprtState {
        let expected = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let (s0, s1) = (expected(self.elo0), expected(self.elo1));
        let llr = (s1 - s0) * (pairs.score() - (s0 + s1) / 2.0) / pairs.error().powi(2);
        let (lower, upper) = ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln());
        let llr = if pairs.pairs() < 2 { 0.0 } else { llr };
        let decision = if llr >= upper {
            Some(Decision::AcceptH1)
        } else if llr <= lower {
            Some(Decision::AcceptH0)
        } else {
            None
        };
        SprtState { llr, lower, upper, decision }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    pub a: usize,
    pub b: usize,
    pub games: f64,
    pub score: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

pub fn ratings(players: usize, encounters: &[Encounter], anchor: usize, anchor_elo: f64) -> Vec<Rating> {
    let rate = |player: usize| {
        let (mut games, mut points) = (1.0, 0.5);
        for one in encounters {
            if one.a == player {
                (games, points) = (games + one.games, points + one.score);
            } else if one.b == player {
                (games, points) = (games + one.games, points + one.games - one.score);
            }
        }
        (elo(points / games), 800.0 / f64::sqrt(games))
    };
    let zero = rate(anchor).0 - anchor_elo;
    let rating = |player| {
        let (elo, error) = rate(player);
        let error = if player == anchor { 0.0 } else { error };
        Rating { elo: elo - zero, low: elo - zero - error, high: elo - zero + error }
    };
    (0..players).map(rating).collect()
}

pub fn most_informative(players: usize, encounters: &[Encounter], anchor: usize) -> Option<(usize, usize)> {
    let games = |player: usize| {
        encounters.iter().filter(|one| one.a == player || one.b == player).map(|one| one.games).sum::<f64>()
    };
    let least = (0..players).filter(|player| *player != anchor).min_by(|a, b| games(*a).total_cmp(&games(*b)))?;
    let other = (0..players).filter(|player| *player != least).min_by(|a, b| {
        let met = |other: usize| {
            encounters
                .iter()
                .filter(|one| (one.a, one.b) == (least, other) || (one.b, one.a) == (least, other))
                .map(|one| one.games)
                .sum::<f64>()
        };
        met(*a).total_cmp(&met(*b))
    })?;
    Some((least, other))
}
