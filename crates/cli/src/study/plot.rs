//! The figures as a picture.

use std::fmt::Write;

use alfil_train::report::{Axis, Unit, escape};

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

/// Blue and orange, which everybody can tell apart.
const COLOURS: [&str; 2] = ["#1f62b0", "#d0601a"];

/// Bars of lengths, at most.
const BARS: usize = 60;

/// Legal moves by ply, as means with the middle half of the positions around them; and below it how long games are.
pub fn svg(all: &[Figures], title: &str) -> String {
    let plies = all.iter().map(|figures| figures.common_plies()).max().unwrap_or(0).max(1);
    let bars = Bars { width: plies.div_ceil(BARS), count: plies.div_ceil(plies.div_ceil(BARS)) };
    let x = Axis::around([0.0, (bars.width * bars.count) as f64], 8);
    let most = all.iter().flat_map(|figures| middle(figures).into_iter().map(|(_, _, high)| high));
    let shares = all.iter().flat_map(|figures| bars.shares(figures));
    let moves = Field { x, y: Axis::around(most.chain([0.0]), 5), top: TOP, height: MOVES };
    let lengths = Field { x, y: Axis::around(shares.chain([0.0]), 3), top: TOP + MOVES + GAP, height: LENGTHS };
    let height = lengths.bottom() + BELOW;
    let names: Vec<&str> = all.iter().map(|figures| figures.game).collect();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#555\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"30\" font-size=\"17\" fill=\"#1c2127\">Legal moves and lengths of games: {}</text>\n\
         <text x=\"{LEFT}\" y=\"50\">{}</text>\n",
        escape(&names.join(" and ")),
        escape(title),
    );
    out += &moves.grid("legal moves: mean, and the middle half of the positions", Unit::Number);
    out += &lengths.grid("share of games that end here", Unit::Share);
    for (number, (figures, colour)) in all.iter().zip(COLOURS).enumerate() {
        out += &legend(figures, colour, number);
        out += &band(&moves, figures, colour);
        out += &steps(&lengths, &bars, figures, colour);
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    let _ = writeln!(out, "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">plies</text>", height - 14.0);
    out + "</svg>\n"
}

/// Where something is drawn.
struct Field {
    x: Axis,
    y: Axis,
    top: f64,
    height: f64,
}

impl Field {
    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    fn x(&self, ply: f64) -> f64 {
        LEFT + self.x.part(ply) * (WIDTH - RIGHT - LEFT)
    }

    fn y(&self, number: f64) -> f64 {
        self.bottom() - self.y.part(number) * self.height
    }

    fn grid(&self, name: &str, unit: Unit) -> String {
        let (top, bottom, right) = (self.top, self.bottom(), WIDTH - RIGHT);
        let mut out = format!("<text x=\"{LEFT}\" y=\"{:.1}\" fill=\"#1c2127\">{name}</text>\n", top - 12.0);
        for tick in self.y.ticks() {
            let (y, label) = (self.y(tick), self.y.label(tick, unit));
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#dfe3e8\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 8.0,
                y + 4.5
            );
        }
        for tick in self.x.ticks() {
            let (x, label) = (self.x(tick), self.x.label(tick, Unit::Number));
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#dfe3e8\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                bottom + 18.0
            );
        }
        out
    }
}

/// The quartiles of the legal moves by ply, as long as there are games enough.
fn middle(figures: &Figures) -> Vec<(usize, f64, f64)> {
    let plies = figures.sample.by_ply.iter().take(figures.common_plies()).enumerate();
    plies.map(|(ply, moves)| (ply, moves.quantile(0.25) as f64, moves.quantile(0.75) as f64)).collect()
}

/// The means as a line, with the middle half around it.
fn band(field: &Field, figures: &Figures, colour: &str) -> String {
    let place = |ply: usize, number: f64| format!("{:.1} {:.1}", field.x(ply as f64), field.y(number));
    let middle = middle(figures);
    let above = middle.iter().map(|(ply, _, high)| place(*ply, *high));
    let below = middle.iter().rev().map(|(ply, low, _)| place(*ply, *low));
    let edge: Vec<String> = above.chain(below).collect();
    let means = figures.sample.by_ply.iter().take(middle.len()).enumerate();
    let line: Vec<String> = means.map(|(ply, moves)| place(ply, moves.mean())).collect();
    format!(
        "<path d=\"M{}Z\" fill=\"{colour}\" fill-opacity=\"0.15\"/>\n\
         <path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>\n",
        edge.join("L"),
        line.join("L")
    )
}

/// Lengths that are counted together.
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

/// The lengths as a stair.
fn steps(field: &Field, bars: &Bars, figures: &Figures, colour: &str) -> String {
    let mut path = format!("M{LEFT} {:.1}", field.bottom());
    let shares = bars.shares(figures);
    let last = shares.iter().rposition(|share| *share > 0.0).map_or(0, |bar| bar + 1);
    for (bar, share) in shares.into_iter().take(last).enumerate() {
        let _ = write!(path, "V{:.1}H{:.1}", field.y(share), field.x(((bar + 1) * bars.width) as f64));
    }
    let bottom = field.bottom();
    format!("<path d=\"{path}V{bottom:.1}Z\" fill=\"{colour}\" fill-opacity=\"0.25\" stroke=\"{colour}\"/>\n")
}

fn legend(figures: &Figures, colour: &str, number: usize) -> String {
    let (moves, lengths) = (figures.branching(), &figures.sample.lengths);
    let y = 78.0 + 20.0 * number as f64;
    format!(
        "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"18\" height=\"12\" rx=\"2\" fill=\"{colour}\"/>\
         <text x=\"{:.1}\" y=\"{y:.1}\" fill=\"#1c2127\">{}: on average {:.1} legal moves and {:.0} plies, \
         about 10^{:.0} lines of play</text>\n",
        y - 11.0,
        LEFT + 26.0,
        escape(figures.game),
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
            let all = [Figures { game: "a<b", sample }, Figures { game: "c", sample: Sample::default() }];
            let picture = svg(&all, "\"x\" & y");
            assert!(picture.contains("a&lt;b and c") && picture.contains("&quot;x&quot; &amp; y"), "{picture}");
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
            let numbers = picture.split("<path d=\"M").skip(1).filter_map(|path| path.split('"').next());
            let numbers = numbers.flat_map(|path| path.split(['M', 'L', 'H', 'V', 'Z', ' ']).map(str::to_owned));
            let mut numbers = numbers.filter(|number| !number.is_empty()).map(|number| number.parse::<f64>().unwrap());
            assert!(numbers.all(|number| (0.0..=WIDTH).contains(&number)), "{picture}");
        }
    }
}
