//! Lines over generations, or over the plies of a game.

use std::collections::BTreeSet;
use std::fmt::Write;

use alfil_core::numbers::{elo, number, percent};
use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit};
use alfil_core::wording::cut;

use super::figure::{self, Key, figure, nothing};

/// Dots are drawn on lines with at most this many points.
const DOTS: usize = 40;

/// Places that show their numbers under the pointer, at most: more would be too narrow to point at.
const PLACES: usize = 160;

/// Room for the names of levels, in units of the picture, and the characters that fit.
const NAMES: f64 = 148.0;
const NAME: usize = 22;

/// The height of a row of a level's name.
const ROW: f64 = 13.0;

/// A chart of lines.
pub struct Lines<'a> {
    pub title: &'a str,
    pub note: &'a str,
    /// The name of the x axis.
    pub x_name: &'a str,
    /// The heading of the numbers under the pointer, by x.
    pub tell: &'a dyn Fn(u32) -> String,
    pub unit: Unit,
    pub range: Range,
    pub height: f64,
    pub lines: Vec<Line>,
    /// Named horizontal lines.
    pub levels: Vec<(String, f64)>,
}

/// The range of the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// That of the numbers.
    Numbers,
    /// From zero to the largest number.
    FromZero,
    /// From -1 to 1, as expected values do.
    Values,
}

/// A line.
pub struct Line {
    pub key: Key,
    /// Numbers that are not finite are left out.
    pub points: Vec<(u32, f64)>,
    /// Low and high ends of an interval around it, which may be infinite.
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

    fn draw(&self, plot: &Plot, picture: &mut Picture) {
        let class = self.key.colour.class();
        let dashed = if self.key.dashed { " dashed" } else { "" };
        let band = self.band.iter().map(|(x, low, high)| (plot.x(f64::from(*x)), plot.y(*high), plot.y(*low)));
        let band: Vec<(f64, f64, f64)> = band.collect();
        picture.band(&format!("band {class}"), &band);
        // A band at a single place would have no width.
        if let [(x, high, low)] = band[..] {
            picture.line(&format!("line {class}"), [(x, low), (x, high)]);
        }
        let points = self.points.iter().map(|(x, y)| plot.at(f64::from(*x), *y));
        picture.line(&format!("line {class}{dashed}"), points.clone());
        if self.points.len() <= DOTS {
            points.for_each(|point| picture.dot(&class, point, 2.5, ""));
        }
    }
}

/// The usual heading of a generation.
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
        let mut picture = figure::picture(&plot, &format!("{} by {}", self.title, self.x_name), self.x_name, self.unit);
        self.draw_levels(&plot, &mut picture);
        self.lines.iter().for_each(|line| line.draw(&plot, &mut picture));
        self.draw_places(&plot, &mut picture);
        // A single line needs no legend: the title names it.
        let keys: Vec<Key> = self.lines.into_iter().map(|line| line.key).collect();
        figure(self.title, self.note, if keys.len() > 1 { &keys } else { &[] }, &picture.finish())
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
            // Shares that hardly differ should not look as if they differed much.
            Range::Numbers if self.unit == Unit::Share => Axis::around(numbers.chain([0.9, 1.0]), ticks),
            Range::Numbers => Axis::around(numbers, ticks),
        };
        let names = if self.levels.is_empty() { 0.0 } else { NAMES };
        figure::plot(Axis::whole(self.all_x()), y, self.height, names)
    }

    /// Every place where a line has a point.
    fn all_x(&self) -> BTreeSet<u32> {
        self.lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x).collect()
    }

    fn draw_levels(&self, plot: &Plot, picture: &mut Picture) {
        let mut levels: Vec<(f64, &str, f64)> =
            self.levels.iter().map(|(name, level)| (plot.y(*level), name.as_str(), *level)).collect();
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Names that would overlap are moved: first down, then, from the bottom, up.
        let heights: Vec<f64> = levels.iter().map(|(_, name, _)| rows(name).count() as f64 * ROW).collect();
        let mut tops: Vec<f64> = levels.iter().map(|level| level.0).collect();
        for index in 1..tops.len() {
            tops[index] = tops[index].max(tops[index - 1] + heights[index - 1]);
        }
        let mut most = plot.bottom + ROW;
        for (top, height) in tops.iter_mut().zip(heights).rev() {
            *top = top.min(most - height);
            most = *top;
        }
        for ((y, name, level), top) in levels.into_iter().zip(tops) {
            picture.line("level", [(plot.left, y), (plot.right, y), (plot.right + 8.0, top)]);
            let rows: Vec<String> = rows(name).map(|row| cut(row, NAME)).collect();
            let rows = rows.iter().map(String::as_str);
            picture.rows("", (plot.right + 11.0, top + 4.0), ROW, rows, &format!("{name}: {}", self.formatted(level)));
        }
    }

    /// Invisible strips that show the numbers of each place under the pointer.
    fn draw_places(&self, plot: &Plot, picture: &mut Picture) {
        let all: Vec<u32> = self.all_x().into_iter().collect();
        let step = all.len().div_ceil(PLACES).max(1);
        let shown: Vec<u32> = all.into_iter().step_by(step).collect();
        let between = |a: u32, b: u32| plot.x((f64::from(a) + f64::from(b)) / 2.0);
        for (index, &x) in shown.iter().enumerate() {
            let left = if index == 0 { plot.left } else { between(shown[index - 1], x) };
            let right = shown.get(index + 1).map_or(plot.right, |next| between(x, *next));
            let mut text = (self.tell)(x);
            for line in &self.lines {
                let Ok(at) = line.points.binary_search_by_key(&x, |(x, _)| *x) else { continue };
                let _ = write!(text, "\n{}: {}", line.key.name, self.formatted(line.points[at].1));
                if let Ok(at) = line.band.binary_search_by_key(&x, |(x, _, _)| *x) {
                    let (_, low, high) = line.band[at];
                    let _ = write!(text, " ({} to {})", self.formatted(low), self.formatted(high));
                }
            }
            picture.bar("place", (left, plot.top), (right, plot.bottom), &text);
        }
    }

    fn formatted(&self, value: f64) -> String {
        match self.unit {
            Unit::Number => number(value),
            Unit::Share => percent(value),
            Unit::Elo => elo(value),
        }
    }
}

/// A player's name in one row, and its settings in another.
fn rows(name: &str) -> impl Iterator<Item = &str> {
    name.splitn(2, ':')
}
