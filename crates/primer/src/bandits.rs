//! A gambler before several machines, each of which pays a coin with a probability of its own.
//!
//! The regret after n plays is `μ* n - Σ μ_i T_i(n)`: what always playing the best machine would have paid more. Whoever explores a
//! fixed share of the time loses in proportion to n; UCB1 (Auer et al. 2002) and Thompson's sampling (1933) only in proportion to
//! ln n. UCB1 is what the selection of a tree search began with.

use std::fmt;

use alfil_core::numbers::count;
use alfil_core::seed::derive;
use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit};

use crate::random::Random;

/// How the next machine is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// With this probability any machine, otherwise the one that has paid best.
    EpsilonGreedy(f64),
    /// The largest mean plus `sqrt(2 ln n / T)`, for n plays in total and T of the machine.
    Ucb1,
    /// A probability is drawn for each machine from what its payments leave possible (a beta distribution), and the largest
    /// one is played.
    Thompson,
}

impl Policy {
    /// One of each.
    pub const ALL: [Policy; 3] = [Policy::EpsilonGreedy(0.1), Policy::Ucb1, Policy::Thompson];
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Policy::EpsilonGreedy(epsilon) => write!(f, "ε-greedy, ε = {epsilon}"),
            Policy::Ucb1 => f.write_str("UCB1"),
            Policy::Thompson => f.write_str("Thompson"),
        }
    }
}

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The probabilities of the machines.
    pub arms: Vec<f64>,
    /// Plays of each gambler.
    pub plays: u32,
    /// Gamblers, whose regrets are averaged.
    pub gamblers: u32,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// How a policy did.
#[derive(Clone, Debug, PartialEq)]
pub struct Regret {
    /// Which one.
    pub policy: Policy,
    /// (plays, mean regret), from the first play to the last, about 20 for each tenfold.
    pub curve: Vec<(u32, f64)>,
    /// The fewest plays that any gambler gave to any machine.
    pub fewest: u32,
}

/// One machine as a gambler has come to know it.
#[derive(Clone, Copy, Debug, Default)]
struct Arm {
    plays: u32,
    paid: u32,
}

impl Arm {
    fn mean(self) -> f64 {
        f64::from(self.paid) / f64::from(self.plays)
    }
}

impl Experiment {
    /// Plays with a policy.
    pub fn run(&self, policy: Policy) -> Regret {
        let best = self.arms.iter().copied().fold(0.0, f64::max);
        let marks = marks(self.plays);
        let mut sums = vec![0.0; marks.len()];
        let mut fewest = u32::MAX;
        for gambler in 0..self.gamblers {
            let mut random = Random::new(derive(self.seed, &[u64::from(gambler)]));
            let mut arms = vec![Arm::default(); self.arms.len()];
            let (mut regret, mut mark) = (0.0, 0);
            for play in 1..=self.plays {
                let chosen = choose(policy, &arms, play, &mut random);
                arms[chosen].plays += 1;
                arms[chosen].paid += u32::from(random.part() < self.arms[chosen]);
                regret += best - self.arms[chosen];
                if marks.get(mark) == Some(&play) {
                    sums[mark] += regret;
                    mark += 1;
                }
            }
            fewest = fewest.min(arms.iter().map(|arm| arm.plays).min().unwrap_or(0));
        }
        let mean = |sum: f64| sum / f64::from(self.gamblers.max(1));
        Regret { policy, curve: marks.into_iter().zip(sums.into_iter().map(mean)).collect(), fewest }
    }

    /// What Auer et al. prove that UCB1's expected regret does not exceed: `8 Σ ln n / Δ + (1 + π² / 3) Σ Δ` over the machines
    /// that are Δ worse than the best.
    pub fn ucb1_bound(&self) -> f64 {
        let best = self.arms.iter().copied().fold(0.0, f64::max);
        let gaps = || self.arms.iter().map(move |arm| best - arm).filter(|gap| *gap > 0.0);
        let ln = f64::from(self.plays.max(1)).ln();
        8.0 * gaps().map(|gap| ln / gap).sum::<f64>() + (1.0 + std::f64::consts::PI.powi(2) / 3.0) * gaps().sum::<f64>()
    }
}

fn choose(policy: Policy, arms: &[Arm], play: u32, random: &mut Random) -> usize {
    // Every machine is tried once before their means say anything.
    if policy != Policy::Thompson
        && let Some(untried) = arms.iter().position(|arm| arm.plays == 0)
    {
        return untried;
    }
    let largest = |score: &mut dyn FnMut(&Arm) -> f64| {
        let scores: Vec<f64> = arms.iter().map(score).collect();
        (0..scores.len()).max_by(|one, other| scores[*one].total_cmp(&scores[*other])).unwrap_or(0)
    };
    match policy {
        Policy::EpsilonGreedy(epsilon) if random.part() < epsilon => random.below(arms.len()),
        Policy::EpsilonGreedy(_) => largest(&mut |arm| arm.mean()),
        Policy::Ucb1 => {
            let ln = f64::from(play - 1).ln();
            largest(&mut |arm| arm.mean() + (2.0 * ln / f64::from(arm.plays)).sqrt())
        }
        Policy::Thompson => {
            largest(&mut |arm| random.beta(1.0 + f64::from(arm.paid), 1.0 + f64::from(arm.plays - arm.paid)))
        }
    }
}

/// Plays after which the regret is noted: nearly the same number for each tenfold.
fn marks(plays: u32) -> Vec<u32> {
    let mut marks: Vec<u32> =
        (0..).map(|step| 10f64.powf(f64::from(step) / 20.0) as u32).take_while(|mark| *mark < plays).collect();
    marks.push(plays);
    marks.dedup();
    marks
}

/// The regrets after 10, 100, 1000, … plays as a table.
pub fn table(regrets: &[Regret]) -> String {
    let mut text = format!("{:>10}", "plays");
    for regret in regrets {
        text += &format!("  {:>18}", regret.policy.to_string());
    }
    text.push('\n');
    let curve = |regret: &Regret| regret.curve.clone();
    let plays = regrets.first().map(curve).unwrap_or_default();
    let last = plays.last().map_or(0, |(plays, _)| *plays);
    for (row, (plays, _)) in plays.iter().enumerate() {
        if is_power_of_ten(*plays) || *plays == last {
            text += &format!("{:>10}", count(u64::from(*plays)));
            for regret in regrets {
                text += &format!("  {:>18.1}", regret.curve[row].1);
            }
            text.push('\n');
        }
    }
    text
}

fn is_power_of_ten(number: u32) -> bool {
    number >= 10 && 10u32.checked_pow(number.ilog10()) == Some(number)
}

/// The regrets over the logarithm of the plays: what grows with ln n is a straight line.
pub fn svg(regrets: &[Regret]) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 320.0;
    let (left, top) = (64.0, 50.0 + 20.0 * regrets.len() as f64);
    let points = || regrets.iter().flat_map(|regret| regret.curve.iter().copied());
    let log = |plays: u32| f64::from(plays.max(1)).log10();
    let plot = Plot {
        x: Axis::around(points().map(|(plays, _)| log(plays)), 4),
        y: Axis::around(points().map(|(_, regret)| regret).chain([0.0]), 5),
        left,
        right: left + WIDTH,
        top,
        bottom: top + HEIGHT,
    };
    let mut picture = Picture::file(WIDTH + left + 24.0, top + HEIGHT + 52.0);
    picture.text("title ink", (left, 24.0), "Regret of three gamblers");
    plot.draw_x_axis(&mut picture, Unit::Number);
    plot.draw_y_axis(&mut picture, Unit::Number);
    plot.name_x_axis(&mut picture, "plays, as a power of ten");
    for (number, regret) in regrets.iter().enumerate() {
        let colour = Colour(number);
        picture.key(colour, (left, 50.0 + 20.0 * number as f64), &regret.policy.to_string());
        let curve = regret.curve.iter().map(|(plays, regret)| plot.at(log(*plays), *regret));
        picture.line(&format!("line {}", colour.class()), curve);
    }
    picture.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment() -> Experiment {
        Experiment { arms: vec![0.3, 0.5, 0.6, 0.8], plays: 10_000, gamblers: 40, seed: 1 }
    }

    fn at(regret: &Regret, plays: u32) -> f64 {
        regret.curve.iter().find(|(mark, _)| *mark == plays).unwrap().1
    }

    #[test]
    fn regret_grows_by_logarithm_or_in_proportion() {
        let [greedy, ucb, thompson] = Policy::ALL.map(|policy| experiment().run(policy));
        // A tenth of the plays costs the mean gap of 0.25: 0.025 per play once the best machine is known.
        let slope = (at(&greedy, 10_000) - at(&greedy, 1_000)) / 9_000.0;
        assert!((0.024..0.031).contains(&slope), "{slope}");
        // From 1,000 to 10,000 plays the logarithm grows by a third.
        for regret in [&ucb, &thompson] {
            let growth = at(regret, 10_000) / at(regret, 1_000);
            assert!((1.1..2.2).contains(&growth), "{:?}: {growth}", regret.policy);
        }
        let bound = experiment().ucb1_bound();
        assert!(at(&ucb, 10_000) < bound, "{} {bound}", at(&ucb, 10_000));
        assert!(at(&thompson, 10_000) < at(&ucb, 10_000));
        assert!(at(&ucb, 10_000) < at(&greedy, 10_000));
    }

    /// No machine is ever given up: each is played at least ρ ln n times.
    #[test]
    fn ucb1_goes_on_trying_every_machine() {
        let fewest = [100, 1_000, 10_000]
            .map(|plays| Experiment { plays, gamblers: 20, ..experiment() }.run(Policy::Ucb1).fewest);
        assert!(fewest[0] < fewest[1] && fewest[1] < fewest[2], "{fewest:?}");
        assert!(f64::from(fewest[2]) >= 10_000f64.ln(), "{fewest:?}");
    }

    #[test]
    fn one_machine_leaves_nothing_to_regret() {
        let one = Experiment { arms: vec![0.5], plays: 50, gamblers: 2, seed: 1 };
        for policy in Policy::ALL {
            assert_eq!(at(&one.run(policy), 50), 0.0);
        }
    }

    #[test]
    fn tables_and_pictures_show_all_policies() {
        let short = Experiment { plays: 1_500, gamblers: 2, ..experiment() };
        let regrets = Policy::ALL.map(|policy| short.run(policy));
        let table = table(&regrets);
        let plays: Vec<&str> = table.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
        assert_eq!(plays, ["10", "100", "1,000", "1,500"]);
        let picture = svg(&regrets);
        assert_eq!(picture.matches("<path class=\"line").count(), 3);
        assert!(picture.contains("UCB1") && !picture.contains("NaN"));
    }
}
