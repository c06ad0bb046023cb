//! Where the time goes.

use alfil_core::numbers::{percent, time};

use super::chart::{Bar, Bars, Colour, Line, Lines, Unit, groups};
use crate::run::Metrics;

/// Speeds, shares and phases, with those of self-play or without.
pub fn charts(metrics: &[Metrics], plays_games: bool) -> String {
    let samples = vec![Line::new("samples", 1, each(metrics.iter(), |metrics| metrics.learning.samples_per_second))];
    let waiting =
        Line::new("of training, waiting for batches", 2, each(metrics.iter(), |metrics| metrics.learning.waiting));
    let (games, mut shares) = if plays_games { of_games(metrics) } else { (String::new(), Vec::new()) };
    shares.push(waiting);
    let fleet = of_fleet(metrics, &mut shares);
    games
        + &fleet
        + &Lines::by_generation("Samples", "per second, in training", samples).figure()
        + &Lines { unit: Unit::Share, ..Lines::by_generation("Shares", "", shares) }.figure()
        + &phases(metrics)
}

fn each<'a>(metrics: impl Iterator<Item = &'a Metrics>, part: fn(&Metrics) -> f64) -> impl Iterator<Item = (u32, f64)> {
    metrics.map(move |metrics| (metrics.generation, part(metrics)))
}

/// Speeds of self-play, and shares of its time.
fn of_games(metrics: &[Metrics]) -> (String, Vec<Line>) {
    let played = |part| each(metrics.iter().filter(|metrics| metrics.plays_games()), part);
    let evaluations = vec![Line::new("evaluations", 0, played(|metrics| metrics.selfplay.evaluations_per_second))];
    let positions = vec![Line::new("positions", 0, played(|metrics| metrics.selfplay.positions_per_second))];
    let hourly = metrics.iter().filter_map(|metrics| Some((metrics.generation, metrics.positions_per_hour()?)));
    let hourly = vec![Line::new("positions", 2, hourly)];
    let shares = vec![
        Line::new("of self-play, in the evaluator", 0, played(|metrics| metrics.selfplay.evaluator_share)),
        Line::new("of evaluations, from the cache", 1, played(|metrics| metrics.selfplay.cache_hits)),
    ];
    let charts = Lines::by_generation("Evaluations", "per second, in self-play", evaluations).figure()
        + &Lines::by_generation("Positions", "per second, in self-play", positions).figure()
        + &Lines::by_generation("Positions per hour", "of the run, all phases included", hourly).figure();
    (charts, shares)
}

/// How many other machines played, if any did, and the share of what is old of them.
fn of_fleet(metrics: &[Metrics], shares: &mut Vec<Line>) -> String {
    let fleets = || metrics.iter().filter_map(|metrics| Some((metrics.generation, metrics.fleet.as_ref()?)));
    if fleets().next().is_none() {
        return String::new();
    }
    let stale = fleets().map(|(generation, fleet)| (generation, fleet.stale_share));
    shares.push(Line::new("of positions, by an earlier network", 3, stale));
    let workers = fleets().map(|(generation, fleet)| (generation, fleet.workers.len() as f64));
    Lines::by_generation("Workers", "that sent games", vec![Line::new("workers", 3, workers)]).figure()
}

const COLOURS: [Colour; 5] = [Colour(0), Colour(1), Colour(4), Colour(2), Colour(3)];

fn phases(metrics: &[Metrics]) -> String {
    let longest = metrics.iter().map(|metrics| metrics.phases().iter().sum::<f64>()).fold(0.0, f64::max);
    let (unit, note) = match longest {
        longest if longest > 2.0 * 3_600.0 => (3_600.0, "hours per generation"),
        longest if longest > 2.0 * 60.0 => (60.0, "minutes per generation"),
        _ => (1.0, "seconds per generation"),
    };
    let bars = groups(metrics).filter_map(|group| {
        let (first, last) = (group.first()?, group.last()?);
        let mean = |phase: usize| group.iter().map(|metrics| metrics.phases()[phase]).sum::<f64>() / group.len() as f64;
        let parts = [0, 1, 2, 3, 4].map(mean);
        let all: f64 = parts.iter().sum();
        let rows = Metrics::PHASES.iter().zip(parts).filter(|(_, part)| *part > 0.0);
        let rows: Vec<String> =
            rows.map(|(name, part)| format!("{name}: {}, {}", short(part), percent(part / all))).collect();
        Some(Bar {
            from: first.generation,
            to: last.generation,
            parts: parts.map(|part| part / unit).to_vec(),
            sign: false,
            text: format!("{}\n{}", super::generations(first, last), rows.join("\n")),
        })
    });
    let bars = bars.collect();
    let names: Vec<(&str, Colour)> = Metrics::PHASES.into_iter().zip(COLOURS).collect();
    Bars { title: "Time by phase", note, names: &names, sign: None, bars, unit: Unit::Number }.figure()
}

fn short(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.1} s") } else { time(seconds) }
}
