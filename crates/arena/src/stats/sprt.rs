//! The sequential test: play until it is clear enough which of two hypotheses holds, and no longer.

use std::fmt;
use std::str::FromStr;

use super::likelihood::Likelihood;
use super::{Pairs, expected_score};

/// A sequential probability ratio test of H1, "A is `elo1` stronger", against H0, "A is `elo0` stronger".
///
/// It is the generalised test for pairs: each hypothesis gives the mean score, and its likelihood is that of the most
/// likely distribution of the five results with that mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference in Elo by H0.
    pub elo0: f64,
    /// The difference in Elo by H1, greater than `elo0`.
    pub elo1: f64,
    /// How often H1 may be accepted although H0 holds.
    pub alpha: f64,
    /// How often H0 may be accepted although H1 holds.
    pub beta: f64,
}

/// What a test has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A is not `elo1` stronger.
    AcceptH0,
    /// A is more than `elo0` stronger.
    AcceptH1,
}

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtState {
    /// The log-likelihood ratio of the results: how much more likely they are under H1 than under H0.
    pub llr: f64,
    /// H0 is accepted here: `ln(β / (1 - α))`.
    pub lower: f64,
    /// H1 is accepted here: `ln((1 - β) / α)`.
    pub upper: f64,
    /// `None` while the test must go on.
    pub decision: Option<Decision>,
}

impl Sprt {
    /// What the test says after these pairs. Stop at its first decision: the error rates hold for that one alone.
    pub fn state(&self, pairs: &Pairs) -> SprtState {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let llr = self.log_likelihood_ratio(pairs);
        let decision = if llr >= upper {
            Some(Decision::AcceptH1)
        } else if llr <= lower {
            Some(Decision::AcceptH0)
        } else {
            None
        };
        SprtState { llr, lower, upper, decision }
    }

    fn log_likelihood_ratio(&self, pairs: &Pairs) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0; // without the stand-ins for empty counts
        }
        let likelihood = Likelihood::new(pairs);
        likelihood.log_ratio(expected_score(self.elo1)) - likelihood.log_ratio(expected_score(self.elo0))
    }
}

/// Why a text does not describe a test.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// A part is not of the form key=number.
    #[error("'{0}' is not an SPRT setting: expected something like elo0=0,elo1=10,alpha=0.05,beta=0.05")]
    Setting(String),
    /// A key was given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// A hypothesis is not given.
    #[error("{0} is missing: an SPRT needs elo0 and elo1")]
    Missing(&'static str),
    /// The hypotheses are in the wrong order, or the same.
    #[error("elo0 must be less than elo1, and {elo0} is not less than {elo1}")]
    Order {
        /// The hypothesis that should be lower.
        elo0: f64,
        /// The hypothesis that should be higher.
        elo1: f64,
    },
    /// An error rate out of range.
    #[error("{name} must lie between 0 and 0.5, and {rate} does not")]
    Rate {
        /// Which rate.
        name: &'static str,
        /// What it was.
        rate: f64,
    },
}

/// The settings by name.
const KEYS: [&str; 4] = ["elo0", "elo1", "alpha", "beta"];

/// The default error rate.
const RATE: f64 = 0.05;

/// ```
/// use alfil_arena::stats::Sprt;
///
/// assert_eq!("elo0=0,elo1=10".parse(), Ok(Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }));
/// ```
impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let mut values = [None; 4];
        for setting in text.split(',') {
            let (key, value) = read(setting).ok_or_else(|| SprtError::Setting(setting.trim().to_owned()))?;
            if values[key].replace(value).is_some() {
                return Err(SprtError::Twice(KEYS[key]));
            }
        }
        let [elo0, elo1, alpha, beta] = values;
        let elo0 = elo0.ok_or(SprtError::Missing("elo0"))?;
        let elo1 = elo1.ok_or(SprtError::Missing("elo1"))?;
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        let (alpha, beta) = (alpha.unwrap_or(RATE), beta.unwrap_or(RATE));
        match [("alpha", alpha), ("beta", beta)].into_iter().find(|&(_, rate)| rate <= 0.0 || rate >= 0.5) {
            Some((name, rate)) => Err(SprtError::Rate { name, rate }),
            None => Ok(Sprt { elo0, elo1, alpha, beta }),
        }
    }
}

impl fmt::Display for Sprt {
    /// As [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta } = self;
        write!(f, "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta}")
    }
}

/// The key's place among [`KEYS`], and its value.
fn read(setting: &str) -> Option<(usize, f64)> {
    let (key, value) = setting.split_once('=')?;
    let key = KEYS.iter().position(|name| *name == key.trim())?;
    let value: f64 = value.trim().parse().ok()?;
    value.is_finite().then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read() {
        let read = |text: &str| text.parse::<Sprt>();
        let full = Sprt { elo0: -2.5, elo1: 3.0, alpha: 0.01, beta: 0.1 };
        assert_eq!(read(" beta=0.1, elo1=3,elo0 = -2.5,alpha=1e-2"), Ok(full));
        assert_eq!(read(&full.to_string()), Ok(full));
        assert_eq!(read("elo0=0"), Err(SprtError::Missing("elo1")));
        assert_eq!(read("elo1=0"), Err(SprtError::Missing("elo0")));
        assert_eq!(read("elo0=5,elo1=5"), Err(SprtError::Order { elo0: 5.0, elo1: 5.0 }));
        assert_eq!(read("elo0=0,elo1=5,elo0=1"), Err(SprtError::Twice("elo0")));
        for (name, rate) in [("alpha", 0.0), ("alpha", 0.5), ("beta", -0.1), ("beta", 1.0)] {
            assert_eq!(read(&format!("elo0=0,elo1=5,{name}={rate}")), Err(SprtError::Rate { name, rate }));
        }
        for bad in ["", "elo0", "elo0=", "elo0=x", "elo0=nan", "elo1=inf", "elo2=3", "elo0=0;elo1=5"] {
            let whole = format!("elo0=0,{bad}");
            assert_eq!(read(&whole), Err(SprtError::Setting(bad.to_owned())), "{whole}");
        }
        assert_eq!(
            read("elo0=10,elo1=0").unwrap_err().to_string(),
            "elo0 must be less than elo1, and 10 is not less than 0"
        );
    }

    #[test]
    fn bounds_are_those_of_wald() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.1 };
        let state = sprt.state(&Pairs::default());
        assert_eq!((state.llr, state.decision), (0.0, None));
        assert!((state.lower - (0.1f64 / 0.95).ln()).abs() < 1e-12);
        assert!((state.upper - (0.9f64 / 0.05).ln()).abs() < 1e-12);
    }
}
