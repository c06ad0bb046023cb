//! What all charts have in common: size, grid, caption.

use std::fmt::Write;

use super::{Axis, Unit};
use crate::report::text::escape;

// Units of the picture are pixels on a wide screen, where charts stand side by side. On a phone one of them fills the width,
// and its text is still readable.
const WIDTH: f64 = 480.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// A field with two axes.
pub struct Plot {
    pub x: Axis,
    pub y: Axis,
    /// Height of the whole picture.
    pub height: f64,
    /// Room on the right for names.
    pub names: f64,
}

/// An entry of a legend.
pub struct Key {
    pub name: String,
    pub colour: Colour,
    pub dashed: bool,
}

/// A colour of the style sheet, by number; after the last one they begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub usize);

impl Colour {
    /// Neither good nor bad.
    pub const GREY: Colour = Colour(5);

    pub const COUNT: usize = 6;

    /// The name of the style.
    pub fn class(self) -> String {
        format!("c{}", self.0 % Colour::COUNT + 1)
    }
}

impl Plot {
    pub fn left(&self) -> f64 {
        LEFT
    }

    pub fn right(&self) -> f64 {
        WIDTH - RIGHT - self.names
    }

    pub fn top(&self) -> f64 {
        TOP
    }

    pub fn bottom(&self) -> f64 {
        self.height - BOTTOM
    }

    pub fn x(&self, number: f64) -> f64 {
        self.left() + self.x.part(number) * (self.right() - self.left())
    }

    pub fn y(&self, number: f64) -> f64 {
        self.bottom() - self.y.part(number) * (self.bottom() - self.top())
    }

    /// The picture, with a grid behind what is in it. `label` is for those who cannot see it.
    pub fn svg(&self, label: &str, x_name: &str, unit: Unit, inside: &str) -> String {
        let (left, right, top, bottom) = (self.left(), self.right(), self.top(), self.bottom());
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">\n",
            height = self.height,
            label = escape(label),
        );
        for tick in self.y.ticks() {
            let y = self.y(tick);
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>\
                 <text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left - 6.0,
                y + 4.0,
                self.y.label(tick, unit)
            );
        }
        for tick in self.x.ticks() {
            let x = self.x(tick);
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/>\
                 <text class=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                bottom + 16.0,
                self.x.label(tick, Unit::Number)
            );
        }
        let _ = writeln!(
            out,
            "<text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (left + right) / 2.0,
            bottom + 33.0,
            escape(x_name)
        );
        out + inside + "</svg>\n"
    }
}

/// A picture with its caption and legend.
pub fn figure(title: &str, note: &str, keys: &[Key], picture: &str) -> String {
    let mut out = format!("<figure>\n<figcaption><b>{}</b>", escape(title));
    if !note.is_empty() {
        let _ = write!(out, " <span class=\"note\">{}</span>", escape(note));
    }
    if !keys.is_empty() {
        out.push_str("<span class=\"keys\">");
        for key in keys {
            let dashed = if key.dashed { " dashed" } else { "" };
            let _ = write!(out, "<span><i class=\"{}{dashed}\"></i>{}</span> ", key.colour.class(), escape(&key.name));
        }
        out.push_str("</span>");
    }
    out + "</figcaption>\n" + picture + "</figure>\n"
}

/// In place of a picture that would be empty.
pub fn nothing(title: &str, why: &str) -> String {
    figure(title, "", &[], &format!("<p class=\"nothing\">{}</p>\n", escape(why)))
}
