//! Accuracies as a picture.

use alfil_core::numbers::percent;
use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit};
use alfil_core::wording::cut;

use crate::{Accuracy, Mean};

// In pixels.
const WIDTH: f64 = 860.0;
const LABELS: f64 = 220.0;
const MARGIN: f64 = 30.0;
const TITLE: f64 = 56.0;
const KEY: f64 = 20.0;
/// Between the networks of a group.
const STEP: f64 = 14.0;
/// Between groups.
const GAP: f64 = 14.0;

/// Characters of a label that fit beside the plot.
const LABEL: usize = 28;

/// The share of moves that networks predict, with 95 % intervals, as an SVG picture. `rows` have a label and an accuracy for each
/// network, where it is known.
pub fn svg(networks: &[String], rows: &[(String, Vec<Option<Accuracy>>)], title: &str) -> String {
    let height = STEP * networks.len() as f64 + GAP;
    let top = TITLE + KEY * networks.len() as f64;
    let means = rows.iter().flat_map(|(_, row)| row).flatten().map(|accuracy| accuracy.top1);
    let ends = means.flat_map(|Mean { value, interval }| [Some(value), interval.map(|i| i.0), interval.map(|i| i.1)]);
    let plot = Plot {
        x: Axis::around(ends.flatten(), 6),
        y: Axis::between(0.0, 1.0, 1.0),
        left: LABELS,
        right: WIDTH - MARGIN,
        top,
        bottom: top + height * rows.len().max(1) as f64,
    };
    let mut picture = Picture::file(WIDTH, plot.bottom + 40.0);
    picture.text("title ink", (MARGIN, 26.0), "Moves predicted (top-1) with 95 % intervals");
    picture.text("", (MARGIN, 44.0), title);
    plot.draw_x_axis(&mut picture, Unit::Share);
    for (number, network) in networks.iter().enumerate() {
        picture.key(Colour(number), (MARGIN, TITLE + 10.0 + KEY * number as f64), network);
    }
    for (index, (label, row)) in rows.iter().enumerate() {
        let middle = plot.top + height * (index as f64 + 0.5);
        picture.text("end ink", (LABELS - 12.0, middle + 4.5), &cut(label, LABEL));
        for (number, accuracy) in row.iter().enumerate() {
            let Some(Accuracy { top1, positions, games, .. }) = accuracy else { continue };
            let y = middle + STEP * (number as f64 - (row.len() as f64 - 1.0) / 2.0);
            let class = Colour(number).class();
            let mut title = format!("{label}: {}", percent(top1.value));
            if let Some((low, high)) = top1.interval {
                picture.line(&class, [(plot.x(low), y), (plot.x(high), y)]);
                for end in [low, high].map(|end| plot.x(end)) {
                    picture.line(&class, [(end, y - 4.0), (end, y + 4.0)]);
                }
                title += &format!(" ({} to {})", percent(low), percent(high));
            }
            title += &format!(", {positions} positions of {games} games");
            picture.dot(&class, (plot.x(top1.value), y), 4.0, &title);
        }
    }
    picture.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accuracy(value: f64, interval: Option<(f64, f64)>) -> Option<Accuracy> {
        let mean = Mean { value, interval };
        Some(Accuracy { positions: 9, games: 3, top1: mean, top3: mean, cross_entropy: mean, value_mse: mean })
    }

    #[test]
    fn every_network_has_a_mark_in_every_group_where_it_is_known() {
        let networks = ["a".to_owned(), "<b>".to_owned()];
        let rows = [
            ("all".to_owned(), vec![accuracy(0.4, Some((0.3, 0.5))), accuracy(0.6, None)]),
            ("x & y".to_owned(), vec![None, accuracy(0.9, Some((0.8, 1.0)))]),
        ];
        let picture = svg(&networks, &rows, "100 positions");
        assert_eq!(picture.matches("<circle").count(), 3, "{picture}");
        assert!(picture.contains("&lt;b&gt;") && picture.contains("x &amp; y"), "{picture}");
        assert!(picture.contains("all: 40.0 % (30.0 % to 50.0 %), 9 positions of 3 games"), "{picture}");
        assert!(!svg(&[], &[], "").contains("NaN"));
    }
}
