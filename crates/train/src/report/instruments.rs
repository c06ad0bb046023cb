//! What networks and searches see of material, and how far searches are from networks.

use alfil_nn::learning::Loss;
use alfil_selfplay::probe::Measured;

use super::chart::{Line, Lines, Range, Unit};
use crate::run::{Metrics, ProbeMetrics};

/// Hanging pieces, correlation, blunders, divergence of policies and what is memorised. A game without estimates has fewer.
pub fn charts(metrics: &[Metrics]) -> String {
    let gap = line(metrics, "|after − before|", 0, |metrics| probe(metrics)?.gap);
    let bias = line(metrics, "after − before", 1, |metrics| probe(metrics)?.bias);
    let correlation = line(metrics, "correlation", 2, |metrics| probe(metrics)?.correlation);
    let blunders = line(metrics, "blunders", 1, |metrics| probe(metrics)?.blunders);
    let divergence = line(metrics, "divergence", 3, |metrics| metrics.selfplay.policy_divergence);
    let excess = |loss: Loss| {
        metrics.iter().filter_map(move |metrics| Some((metrics.generation, metrics.learning.excess(loss)?)))
    };
    let excess = Loss::ALL.into_iter().enumerate().map(|(colour, loss)| Line::new(loss.title(), colour, excess(loss)));
    let is_measured = |line: &Line| line.points.iter().any(|(_, number)| *number != 0.0);
    let by_generation = Lines::by_generation;
    let note =
        "the network's value after a capture that wins a piece, and before it: near 0 where hanging pieces are seen";
    figure(by_generation("Value gap on hanging pieces", note, vec![gap, bias]))
        + &figure(by_generation(
            "Correlation with material",
            "of the network's value, after captures",
            vec![correlation],
        ))
        + &figure(Lines {
            unit: Unit::Share,
            ..by_generation("Blunders", "moves of self-play's search that lose much by alpha-beta", vec![blunders])
        })
        + &figure(by_generation("Prior to target", "KL(target ‖ prior) of the policy, in nats", vec![divergence]))
        + &figure(Lines {
            range: Range::Numbers,
            ..by_generation(
                "Held out minus training",
                "losses: what is memorised",
                excess.filter(is_measured).collect(),
            )
        })
}

fn probe(metrics: &Metrics) -> Option<ProbeMetrics> {
    metrics.probe
}

/// A measured number with its interval.
fn line(metrics: &[Metrics], name: &str, colour: usize, part: fn(&Metrics) -> Option<Measured>) -> Line {
    let known = || metrics.iter().filter_map(move |metrics| Some((metrics.generation, part(metrics)?)));
    let band = known().map(|(generation, Measured { low, high, .. })| (generation, low, high));
    Line::new(name, colour, known().map(|(generation, measured)| (generation, measured.value))).with_band(band)
}

/// Nothing if nothing was measured: not every game has every instrument.
fn figure(lines: Lines<'_>) -> String {
    if lines.lines.iter().all(|line| line.points.is_empty()) { String::new() } else { lines.figure() }
}
