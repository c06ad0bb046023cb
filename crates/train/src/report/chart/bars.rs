//! Stacked bars over generations.

use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit};

use super::figure::{Key, figure, nothing, picture, plot};

/// Bars per chart at most; with more generations, a bar stands for several.
const MOST: usize = 210;

/// A generation's bar, or that of several.
pub struct Bar {
    /// The first and the last generation.
    pub from: u32,
    pub to: u32,
    /// Its parts, from the bottom up.
    pub parts: Vec<f64>,
    /// Whether there is a sign above it. In a chart with signs the other bars are pale.
    pub sign: bool,
    /// Shown under the pointer.
    pub text: String,
}

/// A chart of stacked bars.
pub struct Bars<'a> {
    pub title: &'a str,
    pub note: &'a str,
    pub names: &'a [(&'a str, Colour)],
    /// What the sign stands for, if there is one.
    pub sign: Option<&'a str>,
    pub bars: Vec<Bar>,
    /// [`Unit::Share`] scales every bar to 1; others leave the numbers as they are.
    pub unit: Unit,
}

/// Generations that share a bar.
pub fn groups<T>(generations: &[T]) -> impl Iterator<Item = &[T]> {
    generations.chunks(generations.len().div_ceil(MOST).max(1))
}

impl Bars<'_> {
    /// The chart.
    pub fn figure(mut self) -> String {
        let whole = |bar: &Bar| bar.parts.iter().sum::<f64>();
        self.bars.retain(|bar| whole(bar).is_finite() && whole(bar) > 0.0);
        if self.bars.is_empty() {
            return nothing(self.title, "Nothing has been measured yet.");
        }
        if self.unit == Unit::Share {
            for bar in &mut self.bars {
                let whole = whole(bar);
                bar.parts.iter_mut().for_each(|part| *part /= whole);
            }
        }
        let y = match self.unit {
            Unit::Share => Axis::between(0.0, 1.0, 0.25),
            _ => Axis::around(self.bars.iter().map(whole).chain([0.0]), 4),
        };
        let x = Axis::whole(self.bars.iter().flat_map(|bar| [bar.from, bar.to]));
        let plot = plot(x, y, 240.0, 0.0);
        let mut picture = picture(&plot, &format!("{} by generation", self.title), "generation", self.unit);
        self.bars.iter().for_each(|bar| self.draw(bar, &plot, &mut picture));
        let key = |(name, colour): &(&str, Colour)| Key { name: (*name).to_owned(), colour: *colour, dashed: false };
        let keys: Vec<Key> = self.names.iter().map(key).collect();
        let note = self.sign.map_or(self.note.to_owned(), |sign| format!("{}; ▾ {sign}", self.note));
        figure(self.title, &note, &keys, &picture.finish())
    }

    fn draw(&self, bar: &Bar, plot: &Plot, picture: &mut Picture) {
        let (left, right) = (plot.x(f64::from(bar.from) - 0.5), plot.x(f64::from(bar.to) + 0.5));
        // Narrow bars need all their room, and a single one should not fill the plot.
        let gap = if right - left < 5.0 { 0.0 } else { 1.0f64.max((right - left - 60.0) / 2.0) };
        let (left, right) = (left + gap, right - gap);
        let pale = if self.sign.is_some() && !bar.sign { "pale" } else { "" };
        picture.group(pale, &bar.text, |picture| {
            let mut low = 0.0;
            for (part, (_, colour)) in bar.parts.iter().zip(self.names).filter(|(part, _)| **part > 0.0) {
                picture.bar(&colour.class(), (left, plot.y(low + part)), (right, plot.y(low)), "");
                low += part;
            }
            if self.sign.is_some() && bar.sign {
                let (x, y, half) = ((left + right) / 2.0, plot.top - 2.0, ((right - left) / 2.0).min(4.0));
                picture.area("sign", [(x, y), (x - half, y - 7.0), (x + half, y - 7.0)]);
            }
        });
    }
}
