//! The figures as a picture.

use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit};

use super::figures::Figures;

// In pixels.
const WIDTH: f64 = 860.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 140.0;
const MOVES: f64 = 290.0;
const GAP: f64 = 64.0;
const LENGTHS: f64 = 150.0;
const BELOW: f64 = 52.0;

/// Bars of the lengths, at most.
const BARS: usize = 60;

/// Legal moves by ply, as means with the middle half of the positions around them; below, the lengths of games.
pub fn svg(all: &[Figures], title: &str) -> String {
    let plies = all.iter().map(|figures| figures.common_plies()).max().unwrap_or(0).max(1);
    let bars = Bars { width: plies.div_ceil(BARS), count: plies.div_ceil(plies.div_ceil(BARS)) };
    let x = Axis::around([0.0, (bars.width * bars.count) as f64], 8);
    let most = all.iter().flat_map(|figures| middle(figures).into_iter().map(|(_, _, high)| high));
    let shares = all.iter().flat_map(|figures| bars.shares(figures));
    let moves = plot(x, Axis::around(most.chain([0.0]), 5), TOP, MOVES);
    let lengths = plot(x, Axis::around(shares.chain([0.0]), 3), moves.bottom + GAP, LENGTHS);
    let mut picture = Picture::file(WIDTH, lengths.bottom + BELOW);
    let names: Vec<&str> = all.iter().map(|figures| figures.game.as_str()).collect();
    let heading = format!("Legal moves and lengths of games: {}", names.join(" and "));
    picture.text("title ink", (LEFT, 30.0), &heading);
    picture.text("", (LEFT, 50.0), title);
    let fields = [
        (&moves, "legal moves: mean, and the middle half of the positions", Unit::Number),
        (&lengths, "share of games that end here", Unit::Share),
    ];
    for (plot, name, unit) in fields {
        picture.text("ink", (LEFT, plot.top - 12.0), name);
        plot.draw_y_axis(&mut picture, unit);
        plot.draw_x_axis(&mut picture, Unit::Number);
    }
    lengths.name_x_axis(&mut picture, "plies");
    for (number, figures) in all.iter().enumerate() {
        let colour = Colour(number);
        picture.key(colour, (LEFT, 78.0 + 20.0 * number as f64), &legend(figures));
        draw_moves(&mut picture, &moves, figures, colour);
        draw_lengths(&mut picture, &lengths, &bars, figures, colour);
    }
    picture.finish()
}

fn plot(x: Axis, y: Axis, top: f64, height: f64) -> Plot {
    Plot { x, y, left: LEFT, right: WIDTH - RIGHT, top, bottom: top + height }
}

/// The quartiles of the legal moves by ply, as long as there are enough games.
fn middle(figures: &Figures) -> Vec<(usize, f64, f64)> {
    let plies = figures.sample.by_ply.iter().take(figures.common_plies()).enumerate();
    plies.map(|(ply, moves)| (ply, moves.quantile(0.25) as f64, moves.quantile(0.75) as f64)).collect()
}

/// The means as a line, with the middle half around it.
fn draw_moves(picture: &mut Picture, plot: &Plot, figures: &Figures, colour: Colour) {
    let middle = middle(figures);
    let band = middle.iter().map(|(ply, low, high)| (plot.x(*ply as f64), plot.y(*high), plot.y(*low)));
    picture.band(&format!("band {}", colour.class()), &band.collect::<Vec<_>>());
    let means = figures.sample.by_ply.iter().take(middle.len()).enumerate();
    let means = means.map(|(ply, moves)| plot.at(ply as f64, moves.mean()));
    picture.line(&format!("line {}", colour.class()), means);
}

/// Ranges of lengths that are counted together.
struct Bars {
    width: usize,
    count: usize,
}

impl Bars {
    fn shares(&self, figures: &Figures) -> Vec<f64> {
        let lengths = &figures.sample.lengths;
        let share = |from: usize| lengths.between(from, from + self.width) as f64 / lengths.total().max(1) as f64;
        // Nothing ends before its first ply: a bar holds the lengths up to its right end.
        (0..self.count).map(|bar| share(bar * self.width + 1)).collect()
    }
}

/// The lengths as a step line.
fn draw_lengths(picture: &mut Picture, plot: &Plot, bars: &Bars, figures: &Figures, colour: Colour) {
    let shares = bars.shares(figures);
    let last = shares.iter().rposition(|share| *share > 0.0).map_or(0, |bar| bar + 1);
    let mut edge = vec![(plot.left, plot.bottom)];
    for (bar, share) in shares.into_iter().take(last).enumerate() {
        let y = plot.y(share);
        edge.extend([bar, bar + 1].map(|end| (plot.x((end * bars.width) as f64), y)));
    }
    edge.extend(edge.last().map(|(x, _)| (*x, plot.bottom)));
    picture.area(&format!("stair {}", colour.class()), edge);
}

fn legend(figures: &Figures) -> String {
    let (moves, lengths) = (figures.branching(), &figures.sample.lengths);
    format!(
        "{}: on average {:.1} legal moves and {:.0} plies, about 10^{:.0} lines of play",
        figures.game,
        moves.mean(),
        lengths.mean(),
        figures.log10_tree()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::sample::Sample;

    #[test]
    fn everything_lies_inside_the_picture() {
        let mut long = Sample::default();
        for ply in 0..300 {
            long.by_ply.push(Default::default());
            (0..100).for_each(|game| long.by_ply[ply].add((ply * game) % 60));
        }
        (0..100).for_each(|_| long.lengths.add(300));
        for sample in [Sample::default(), long] {
            let all = [
                Figures { game: "a<b".to_owned(), sample },
                Figures { game: "c".to_owned(), sample: Sample::default() },
            ];
            let picture = svg(&all, "\"x\" & y");
            assert!(picture.contains("a&lt;b and c") && picture.contains("&quot;x&quot; &amp; y"), "{picture}");
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
            let numbers = picture.split(" d=\"M").skip(1).filter_map(|path| path.split('"').next());
            let numbers = numbers.flat_map(|path| path.split(['M', 'L', 'H', 'V', 'Z', ' ']).map(str::to_owned));
            let mut numbers = numbers.filter(|number| !number.is_empty()).map(|number| number.parse::<f64>().unwrap());
            assert!(numbers.all(|number| (0.0..=WIDTH).contains(&number)), "{picture}");
        }
    }
}
