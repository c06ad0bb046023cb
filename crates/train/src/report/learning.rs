//! How training goes.

use alfil_nn::learning::{Loss, Losses};

use super::chart::{Colour, Line, Lines, Range, Unit, calibration};
use crate::run::Metrics;

/// Losses, learning rate, calibration and probes.
pub fn charts(metrics: &[Metrics]) -> String {
    let losses: String = Loss::ALL.into_iter().map(|term| loss(metrics, term)).collect();
    losses + &agreement(metrics) + &calibrated(metrics) + &probes(metrics) + &rate(metrics)
}

fn training(metrics: &[Metrics], part: impl Fn(&Losses) -> f64) -> impl Iterator<Item = (u32, f64)> {
    metrics.iter().filter_map(move |metrics| Some((metrics.generation, part(metrics.learning.training.as_ref()?))))
}

/// The generations that held out games.
fn held_out(metrics: &[Metrics], part: impl Fn(&Losses) -> f64) -> impl Iterator<Item = (u32, f64)> {
    metrics.iter().filter_map(move |metrics| Some((metrics.generation, part(metrics.learning.held_out.as_ref()?))))
}

/// The same of folders alone, where others come from self-play.
fn held_out_of_folders(metrics: &[Metrics], part: impl Fn(&Losses) -> f64) -> Option<Line> {
    let known = metrics.iter().filter_map(|metrics| Some((metrics.generation, part(&metrics.games?.held_out?))));
    let line = Line::new("held out, folders", 2, known);
    (!line.points.is_empty()).then_some(line)
}

/// One term of the loss. Nothing if it is always 0: the network has no such head.
fn loss(metrics: &[Metrics], term: Loss) -> String {
    let mut known = training(metrics, |losses| losses[term]).peekable();
    if known.peek().is_some() && known.all(|(_, loss)| loss == 0.0) {
        return String::new();
    }
    let mut lines = vec![
        Line::new("training", 0, training(metrics, |losses| losses[term])),
        Line::new("held out", 1, held_out(metrics, |losses| losses[term])),
    ];
    lines.extend(held_out_of_folders(metrics, |losses| losses[term]));
    let floor = || training(metrics, |losses| losses.policy_entropy);
    // Games of people have one move to learn per position.
    if term == Loss::Policy && floor().any(|(_, entropy)| entropy > 1e-6) {
        lines.push(Line::new("entropy of the policy to learn: the floor", Colour::GREY.0, floor()).dashed());
    }
    Lines::by_generation(term.title(), "", lines).figure()
}

fn agreement(metrics: &[Metrics]) -> String {
    let mut lines = vec![
        Line::new("training", 0, training(metrics, |loss| loss.agreement)),
        Line::new("held out", 1, held_out(metrics, |loss| loss.agreement)),
    ];
    lines.extend(held_out_of_folders(metrics, |loss| loss.agreement));
    let note = match metrics.iter().all(Metrics::plays_games) {
        true => "how often the network's best move is the search's",
        false => {
            "how often the network's best move is the best of the policy to learn, such as the move that was played"
        }
    };
    Lines { unit: Unit::Share, range: Range::Numbers, ..Lines::by_generation("Agreement", note, lines) }.figure()
}

fn rate(metrics: &[Metrics]) -> String {
    let rates = metrics.iter().map(|metrics| (metrics.generation, metrics.learning.rate));
    let lines = vec![Line::new("learning rate", 2, rates)];
    Lines { height: 150.0, ..Lines::by_generation("Learning rate", "", lines) }.figure()
}

fn calibrated(metrics: &[Metrics]) -> String {
    let last = metrics.iter().rev().find(|metrics| !metrics.learning.calibration.is_empty());
    let note = last.map_or(String::new(), |last| {
        format!(
            "results against what the network of generation {} expected, on held-out games; larger dots: more positions",
            last.generation
        )
    });
    calibration("Calibration", &note, last.map_or(&[], |last| &last.learning.calibration))
}

fn probes(metrics: &[Metrics]) -> String {
    // By the names of the newest generation.
    let Some(last) = metrics.iter().rev().find(|metrics| !metrics.learning.probes.is_empty()) else {
        return String::new();
    };
    let line = |(colour, name): (usize, &String)| {
        let values =
            metrics.iter().filter_map(|metrics| Some((metrics.generation, *metrics.learning.probes.get(name)?)));
        let line = Line::new(name, colour, values);
        if colour < Colour::COUNT { line } else { line.dashed() }
    };
    let lines = last.learning.probes.keys().enumerate().map(line).collect();
    let note = "what the network expects, for the side to move, in positions with an obvious value";
    Lines { range: Range::Values, ..Lines::by_generation("Probes", note, lines) }.figure()
}
