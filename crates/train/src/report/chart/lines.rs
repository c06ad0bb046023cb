//! Lines over generations, or over the plies of a game.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::plot::{Colour, Key, Plot, figure, nothing};
use super::{Axis, Unit};
use crate::report::text::{cut, elo, escape, number, percent};

/// Dots are drawn on lines with no more points.
const DOTS: usize = 40;

/// Places that tell their numbers under the pointer: more could not be told apart.
const PLACES: usize = 160;

/// Room for the names of levels, and characters that fit.
const NAMES: f64 = 148.0;
const NAME: usize = 21;

/// The height of a line of a level's name.
const ROW: f64 = 13.0;

/// Lines in one field.
pub struct Lines<'a> {
    pub title: &'a str,
    pub note: &'a str,
    /// What the numbers below mean.
    pub x_name: &'a str,
    /// What is told of one of them, above the numbers at it.
    pub tell: &'a dyn Fn(u32) -> String,
    pub unit: Unit,
    pub range: Range,
    pub height: f64,
    pub lines: Vec<Line>,
    /// Named lines straight across.
    pub levels: Vec<(String, f64)>,
}

/// How far up and down a chart reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// As far as the numbers.
    Numbers,
    /// From zero.
    FromZero,
    /// Between -1 and 1, as expected results do.
    Values,
}

/// A line.
pub struct Line {
    pub key: Key,
    /// Numbers that are not finite are left out.
    pub points: Vec<(u32, f64)>,
    /// Low and high ends of an interval around it, which may be endless.
    pub band: Vec<(u32, f64, f64)>,
}

impl Line {
    pub fn new(name: &str, colour: usize, points: impl Iterator<Item = (u32, f64)>) -> Line {
        Line {
            key: Key { name: name.to_owned(), colour: Colour(colour), dashed: false },
            points: points.filter(|(_, number)| number.is_finite()).collect(),
            band: Vec::new(),
        }
    }

    pub fn dashed(mut self) -> Line {
        self.key.dashed = true;
        self
    }

    pub fn with_band(mut self, band: impl Iterator<Item = (u32, f64, f64)>) -> Line {
        self.band = band.filter(|(_, low, high)| low <= high).collect();
        self
    }
}

/// What is told of a generation where nothing else is.
fn generation(number: u32) -> String {
    format!("generation {number}")
}

impl<'a> Lines<'a> {
    /// Numbers by generation, from zero.
    pub fn by_generation(title: &'a str, note: &'a str, lines: Vec<Line>) -> Lines<'a> {
        Lines {
            title,
            note,
            x_name: "generation",
            tell: &generation,
            unit: Unit::Number,
            range: Range::FromZero,
            height: 240.0,
            lines,
            levels: Vec::new(),
        }
    }

    /// The chart.
    pub fn figure(mut self) -> String {
        self.lines.retain(|line| !line.points.is_empty());
        self.levels.retain(|(_, level)| level.is_finite());
        if self.lines.is_empty() {
            return nothing(self.title, "Nothing has been measured yet.");
        }
        let plot = self.plot();
        let mut inside = self.levels(&plot);
        for line in &self.lines {
            inside.push_str(&draw(line, &plot));
        }
        inside.push_str(&self.places(&plot));
        let label = format!("{} by {}", self.title, self.x_name);
        let picture = plot.svg(&label, self.x_name, self.unit, &inside);
        // A line alone is what the title says.
        let keys: Vec<Key> = self.lines.into_iter().map(|line| line.key).collect();
        figure(self.title, self.note, if keys.len() > 1 { &keys } else { &[] }, &picture)
    }

    fn plot(&self) -> Plot {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let bands = self.lines.iter().flat_map(|line| &line.band);
        let numbers = points.map(|(_, number)| *number).chain(bands.flat_map(|(_, low, high)| [*low, *high]));
        let numbers = numbers.chain(self.levels.iter().map(|(_, level)| *level));
        let ticks = if self.height < 200.0 { 2 } else { 4 };
        let y = match self.range {
            Range::Values => Axis::between(-1.0, 1.0, if ticks == 2 { 1.0 } else { 0.5 }),
            Range::FromZero => Axis::around(numbers.chain([0.0]), ticks),
            // Shares that hardly differ should not look as if they did.
            Range::Numbers if self.unit == Unit::Share => Axis::around(numbers.chain([0.9, 1.0]), ticks),
            Range::Numbers => Axis::around(numbers, ticks),
        };
        let names = if self.levels.is_empty() { 0.0 } else { NAMES };
        Plot { x: Axis::whole(self.all_x()), y, height: self.height, names }
    }

    /// Every place where a line has a point.
    fn all_x(&self) -> BTreeSet<u32> {
        self.lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x).collect()
    }

    fn levels(&self, plot: &Plot) -> String {
        let mut levels: Vec<(f64, &str, f64)> =
            self.levels.iter().map(|(name, level)| (plot.y(*level), name.as_str(), *level)).collect();
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Names that would cover each other make room: first downwards, then, from the bottom, upwards.
        let heights: Vec<f64> = levels.iter().map(|(_, name, _)| rows(name).count() as f64 * ROW).collect();
        let mut tops: Vec<f64> = levels.iter().map(|level| level.0).collect();
        for index in 1..tops.len() {
            tops[index] = tops[index].max(tops[index - 1] + heights[index - 1]);
        }
        let mut most = plot.bottom() + ROW;
        for (top, height) in tops.iter_mut().zip(heights).rev() {
            *top = top.min(most - height);
            most = *top;
        }
        let (left, right) = (plot.left(), plot.right());
        let x = right + 11.0;
        let mut out = String::new();
        for ((y, name, level), top) in levels.into_iter().zip(tops) {
            let _ =
                write!(out, "<path class=\"level\" d=\"M{left} {y:.1}H{right}L{:.1} {top:.1}\"/><text>", right + 8.0);
            for (row, text) in rows(name).enumerate() {
                let y = top + 4.0 + row as f64 * ROW;
                let _ = write!(out, "<tspan x=\"{x:.1}\" y=\"{y:.1}\">{}</tspan>", escape(&cut(text, NAME)));
            }
            let _ = writeln!(out, "<title>{}: {}</title></text>", escape(name), self.told(level));
        }
        out
    }

    /// Strips that nobody sees, with what can be told at each place.
    fn places(&self, plot: &Plot) -> String {
        let all: Vec<u32> = self.all_x().into_iter().collect();
        let step = all.len().div_ceil(PLACES).max(1);
        let shown: Vec<u32> = all.into_iter().step_by(step).collect();
        let between = |a: u32, b: u32| plot.x((f64::from(a) + f64::from(b)) / 2.0);
        let mut out = String::new();
        for (index, &x) in shown.iter().enumerate() {
            let left = if index == 0 { plot.left() } else { between(shown[index - 1], x) };
            let right = shown.get(index + 1).map_or(plot.right(), |next| between(x, *next));
            let mut text = (self.tell)(x);
            for line in &self.lines {
                let Ok(at) = line.points.binary_search_by_key(&x, |(x, _)| *x) else { continue };
                let _ = write!(text, "\n{}: {}", line.key.name, self.told(line.points[at].1));
                if let Ok(at) = line.band.binary_search_by_key(&x, |(x, _, _)| *x) {
                    let (_, low, high) = line.band[at];
                    let _ = write!(text, " ({} to {})", self.told(low), self.told(high));
                }
            }
            let _ = writeln!(
                out,
                "<rect class=\"place\" x=\"{left:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>",
                plot.top(),
                right - left,
                plot.bottom() - plot.top(),
                escape(&text)
            );
        }
        out
    }

    fn told(&self, value: f64) -> String {
        match self.unit {
            Unit::Number => number(value),
            Unit::Share => percent(value),
            Unit::Elo => elo(value),
        }
    }
}

/// The name of a player in a row, and how it is set in another.
fn rows(name: &str) -> impl Iterator<Item = &str> {
    name.splitn(2, ':')
}

fn draw(line: &Line, plot: &Plot) -> String {
    let class = line.key.colour.class();
    let dashed = if line.key.dashed { " dashed" } else { "" };
    let place = |x: u32, y: f64| format!("{:.1} {:.1}", plot.x(f64::from(x)), plot.y(y));
    let mut out = String::new();
    if !line.band.is_empty() {
        let above = line.band.iter().map(|(x, _, high)| place(*x, *high));
        let below = line.band.iter().rev().map(|(x, low, _)| place(*x, *low));
        let edge: Vec<String> = above.chain(below).collect();
        let _ = writeln!(out, "<path class=\"band {class}\" d=\"M{}Z\"/>", edge.join("L"));
    }
    // An interval of one place would have no width.
    if let [(x, low, high)] = line.band[..] {
        let _ = writeln!(out, "<path class=\"line {class}\" d=\"M{}L{}\"/>", place(x, low), place(x, high));
    }
    let points: Vec<String> = line.points.iter().map(|(x, y)| place(*x, *y)).collect();
    let _ = writeln!(out, "<path class=\"line {class}{dashed}\" d=\"M{}\"/>", points.join("L"));
    if line.points.len() <= DOTS {
        for (x, y) in &line.points {
            let (x, y) = (plot.x(f64::from(*x)), plot.y(*y));
            let _ = writeln!(out, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>");
        }
    }
    out
}
