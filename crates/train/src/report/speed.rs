//! Where the time goes.

use alfil_core::numbers::time;

use super::chart::{Bar, Bars, Colour, Line, Lines, Unit, groups};
use crate::run::Metrics;

/// Speeds, shares and phases.
pub fn charts(metrics: &[Metrics]) -> String {
    let each = |part: fn(&Metrics) -> f64| metrics.iter().map(move |metrics| (metrics.generation, part(metrics)));
    let evaluations = vec![Line::new("evaluations", 0, each(|metrics| metrics.selfplay.evaluations_per_second))];
    let positions = vec![Line::new("positions", 0, each(|metrics| metrics.selfplay.positions_per_second))];
    let samples = vec![Line::new("samples", 1, each(|metrics| metrics.learning.samples_per_second))];
    let shares = vec![
        Line::new("of self-play, in the evaluator", 0, each(|metrics| metrics.selfplay.evaluator_share)),
        Line::new("of evaluations, from the cache", 1, each(|metrics| metrics.selfplay.cache_hits)),
        Line::new("of training, waiting for batches", 2, each(|metrics| metrics.learning.waiting)),
    ];
    Lines::by_generation("Evaluations", "per second, in self-play", evaluations).figure()
        + &Lines::by_generation("Positions", "per second, in self-play", positions).figure()
        + &Lines::by_generation("Samples", "per second, in training", samples).figure()
        + &Lines { unit: Unit::Share, ..Lines::by_generation("Shares", "", shares) }.figure()
        + &phases(metrics)
}

const PHASES: [(&str, Colour); 4] =
    [("self-play", Colour(0)), ("training", Colour(1)), ("gate", Colour(2)), ("rating", Colour(3))];

fn phases(metrics: &[Metrics]) -> String {
    let seconds = |metrics: &Metrics| {
        let gate = metrics.gate.map_or(0.0, |gate| gate.seconds);
        let rating = metrics.rating.as_ref().map_or(0.0, |rating| rating.seconds);
        [metrics.selfplay.seconds, metrics.learning.seconds, gate, rating]
    };
    let longest = metrics.iter().map(|metrics| seconds(metrics).iter().sum::<f64>()).fold(0.0, f64::max);
    let (unit, note) = match longest {
        longest if longest > 2.0 * 3_600.0 => (3_600.0, "hours per generation"),
        longest if longest > 2.0 * 60.0 => (60.0, "minutes per generation"),
        _ => (1.0, "seconds per generation"),
    };
    let bars = groups(metrics).filter_map(|group| {
        let (first, last) = (group.first()?, group.last()?);
        let mean = |phase: usize| group.iter().map(|metrics| seconds(metrics)[phase]).sum::<f64>() / group.len() as f64;
        let parts = [0, 1, 2, 3].map(mean);
        let rows = PHASES.iter().zip(parts).filter(|(_, part)| *part > 0.0);
        let rows: Vec<String> = rows.map(|((name, _), part)| format!("{name}: {}", short(part))).collect();
        Some(Bar {
            from: first.generation,
            to: last.generation,
            parts: parts.map(|part| part / unit).to_vec(),
            sign: false,
            text: format!("{}\n{}", super::generations(first, last), rows.join("\n")),
        })
    });
    let bars = bars.collect();
    Bars { title: "Time by phase", note, names: &PHASES, sign: None, bars, unit: Unit::Number }.figure()
}

fn short(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.1} s") } else { time(seconds) }
}
