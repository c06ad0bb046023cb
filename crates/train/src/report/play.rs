//! Charts of the self-play games.

use alfil_core::numbers::count;

use super::chart::{Bar, Bars, Colour, Line, Lines, Unit, groups};
use crate::run::{Metrics, SelfplayMetrics};

/// Length, results, entropy, and how games ended, in the generations that played.
pub fn charts(metrics: &[Metrics]) -> String {
    let metrics: &[Metrics] = &metrics.iter().filter(|metrics| metrics.plays_games()).cloned().collect::<Vec<_>>();
    let length = vec![Line::new("plies", 0, each(metrics, |games| games.length))];
    let entropy = vec![Line::new("entropy", 2, each(metrics, |games| games.policy_entropy))];
    let note = "of the search's policies, in nats: how undecided it is";
    Lines::by_generation("Length", "plies per game, on average", length).figure()
        + &results(metrics)
        + &Lines::by_generation("Policy entropy", note, entropy).figure()
        + &ends(metrics)
        + &false_resignations(metrics)
}

fn each(metrics: &[Metrics], part: fn(&SelfplayMetrics) -> f64) -> impl Iterator<Item = (u32, f64)> {
    metrics.iter().map(move |metrics| (metrics.generation, part(&metrics.selfplay)))
}

fn results(metrics: &[Metrics]) -> String {
    let bars = groups(metrics).filter_map(|group| {
        let (first, last) = (group.first()?, group.last()?);
        let parts = [0, 1, 2].map(|result| super::total(group.iter().map(|metrics| metrics.selfplay.results[result])));
        let [won, drawn, lost] = parts.map(count);
        Some(Bar {
            from: first.generation,
            to: last.generation,
            parts: parts.map(|games| games as f64).to_vec(),
            sign: false,
            text: format!("{}\n{won} won, {drawn} drawn, {lost} lost", super::generations(first, last)),
        })
    });
    Bars {
        title: "Results",
        note: "for the first player",
        names: &[("won", Colour(0)), ("drawn", Colour::GREY), ("lost", Colour(1))],
        sign: None,
        bars: bars.collect(),
        unit: Unit::Share,
    }
    .figure()
}

/// How games ended, where that is known.
fn ends(metrics: &[Metrics]) -> String {
    let names = ["won by the rules", "drawn by the rules", "resigned", "adjudicated"];
    let lines = names.into_iter().enumerate().map(|(end, name)| {
        let share = |metrics: &Metrics| Some((metrics.generation, metrics.selfplay.ends()[end]?));
        Line::new(name, end, metrics.iter().filter_map(share))
    });
    let lines: Vec<Line> = lines.filter(|line| line.points.iter().any(|(_, share)| *share > 0.0)).collect();
    if lines.is_empty() {
        return String::new();
    }
    Lines { unit: Unit::Share, ..Lines::by_generation("Ends", "of games", lines) }.figure()
}

/// If games were played through to see whether resigning would have been right.
fn false_resignations(metrics: &[Metrics]) -> String {
    let tried = metrics.iter().filter(|metrics| metrics.selfplay.played_through > 0);
    let share = tried.map(|metrics| {
        let SelfplayMetrics { false_resignations, played_through, .. } = metrics.selfplay;
        (metrics.generation, false_resignations as f64 / played_through as f64)
    });
    let line = Line::new("false", 1, share);
    if line.points.is_empty() {
        return String::new();
    }
    let note = "games not lost by the side that would have resigned, of those played through to find out";
    Lines { unit: Unit::Share, ..Lines::by_generation("False resignations", note, vec![line]) }.figure()
}
