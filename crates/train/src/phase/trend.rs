//! Whether the networks of a run get stronger.

use std::collections::BTreeMap;

use alfil_arena::ladder::Standings;
use alfil_arena::stats::{Rating, Slope};

use crate::run::TrendMetrics;

/// Networks of the last half at least: with two, nothing would show whether they lie on a line.
const FEWEST: usize = 3;

/// A network of the run in the pool.
pub(super) struct Rated {
    pub generation: u32,
    pub rating: Rating,
    /// Its number in the covariances of the standings.
    number: usize,
}

/// The networks of the run that were rated with this many visits, by generation.
pub(super) fn networks(standings: &Standings, visits: u32) -> Vec<Rated> {
    let suffix = format!(":visits={visits}");
    let present = standings.rows.iter().map(|row| (row.known.then_some(row.name.as_str()), row.rating));
    let absent = standings.absent.iter().map(|(identity, rating)| (identity.strip_suffix(&suffix), *rating));
    let rated = present.chain(absent).enumerate().filter_map(|(number, (name, rating))| {
        let generation = name?.strip_prefix("generation ")?.parse().ok()?;
        Some(Rated { generation, rating, number })
    });
    let mut rated: Vec<Rated> = rated.collect();
    rated.sort_by_key(|network| network.generation);
    rated
}

/// The slope over the last half of a run of this many hours, by the hours after which generations ended.
pub(super) fn trend(
    networks: &[Rated],
    standings: &Standings,
    ends: &BTreeMap<u32, f64>,
    now: f64,
) -> Option<TrendMetrics> {
    let begin = now / 2.0;
    let recent = networks.iter().filter_map(|network| Some((*ends.get(&network.generation)?, network)));
    let recent: Vec<(f64, &Rated)> = recent.filter(|(hours, _)| (begin..=now).contains(hours)).collect();
    if recent.len() < FEWEST {
        return None;
    }
    let points: Vec<(f64, f64)> = recent.iter().map(|(hours, network)| (*hours, network.rating.elo)).collect();
    let row = |a: &Rated| recent.iter().map(|(_, b)| standings.covariances[a.number][b.number]).collect();
    let covariances: Vec<Vec<f64>> = recent.iter().map(|(_, network)| row(network)).collect();
    let line = Slope::of(&points, &covariances)?;
    Some(TrendMetrics {
        hours: (begin, now),
        networks: recent.len() as u32,
        start: line.at(begin),
        per_hour: line.slope,
        low: line.low,
        high: line.high,
    })
}

#[cfg(test)]
mod tests {
    use alfil_arena::ladder::Row;

    use super::*;

    /// Networks of the generations 10, 20, … with these ratings, whose errors have a standard deviation of 30 Elo of their own
    /// and 100 in common. Every other one is absent.
    fn standings(elos: &[f64]) -> Standings {
        let rating = |elo: f64| Rating { elo, low: elo - 200.0, high: elo + 200.0 };
        let anchor =
            Row { name: "random".to_owned(), rating: rating(0.0), known: true, games: 9, points: 1.0, anchor: true };
        let row = |(name, elo)| Row { name, rating: rating(elo), anchor: false, ..anchor.clone() };
        let named = elos.iter().zip(1..).map(|(elo, number)| (format!("generation {}", 10 * number), *elo));
        let rows = named.clone().step_by(2).map(row).chain([anchor.clone()]).collect();
        let others = named.skip(1).step_by(2).map(|(name, elo)| (format!("{name}:visits=64"), rating(elo)));
        let mut absent: Vec<_> = others.collect();
        absent.push(("generation 10:visits=8".to_owned(), rating(-5_000.0)));
        absent.push(("alphabeta:depth=1".to_owned(), rating(50.0)));
        let all = elos.len() + 3;
        let covariance = |a: usize, b: usize| 100.0 * 100.0 + if a == b { 30.0 * 30.0 } else { 0.0 };
        let covariances = (0..all).map(|a| (0..all).map(|b| covariance(a, b)).collect()).collect();
        Standings { game: "chess", rows, absent, covariances, played: 0, faults: 0, stopped: false }
    }

    #[test]
    fn only_networks_with_the_same_visits_are_compared() {
        let networks = networks(&standings(&[1.0, 2.0, 3.0]), 64);
        let found: Vec<_> = networks.iter().map(|network| (network.generation, network.rating.elo)).collect();
        assert_eq!(found, [(10, 1.0), (20, 2.0), (30, 3.0)]);
    }

    #[test]
    fn the_last_half_counts() {
        // Up by 500 Elo in the first half, then on by 20 an hour with alternating errors that do not tilt the line.
        let elos = [0.0, 250.0, 500.0, 520.0 + 5.0, 540.0 - 5.0, 560.0 - 5.0, 580.0 + 5.0];
        let standings = standings(&elos);
        let rated = networks(&standings, 64);
        let ends =
            BTreeMap::from([10, 20, 30, 40, 50, 60, 70].map(|generation| (generation, f64::from(generation) / 10.0)));
        let found = trend(&rated, &standings, &ends, 7.0).unwrap();
        assert_eq!((found.hours, found.networks), ((3.5, 7.0), 4));
        // The common error drops out: σ² = 30² / Σ (x - x̄)² = 900 / 5, and χ² is 4 · 25 / 900.
        let half = 1.959_964 * (900.0f64 / 5.0).sqrt();
        assert!((found.per_hour - 20.0).abs() < 1e-6, "{found:?}");
        assert!((found.high - 20.0 - half).abs() < 1e-4 && (20.0 - found.low - half).abs() < 1e-4, "{found:?}");
        assert!((found.at(4.0).unwrap() - 520.0).abs() < 1e-6, "{found:?}");
        assert_eq!(found.word(), "flat");
        // Later, too few are left; and those whose time is not known do not count.
        assert_eq!(trend(&rated, &standings, &ends, 11.0), None);
        let gone = BTreeMap::from([(60, 6.0), (70, 7.0)]);
        assert_eq!(trend(&rated, &standings, &gone, 7.0), None);
    }
}
