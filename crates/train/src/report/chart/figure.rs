//! What all charts of a page have in common: size, axes, caption.

use std::fmt::Write;

use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit, escape};

// Units of the picture are pixels on a wide screen, where charts stand side by side. On a phone one of them fills the width,
// and its text is still readable.
const WIDTH: f64 = 480.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// An entry of a legend.
pub struct Key {
    pub name: String,
    pub colour: Colour,
    pub dashed: bool,
}

/// The plot of a chart of this height, with room for names on its right.
pub fn plot(x: Axis, y: Axis, height: f64, names: f64) -> Plot {
    Plot { x, y, left: LEFT, right: WIDTH - RIGHT - names, top: TOP, bottom: height - BOTTOM }
}

/// A picture with its axes, to draw in. `label` is for screen readers.
pub fn picture(plot: &Plot, label: &str, x_name: &str, unit: Unit) -> Picture {
    let mut picture = Picture::within_page(WIDTH, plot.bottom + BOTTOM, label);
    plot.draw_y_axis(&mut picture, unit);
    plot.draw_x_axis(&mut picture, Unit::Number);
    plot.name_x_axis(&mut picture, x_name);
    picture
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

/// Stands in for a chart without data.
pub fn nothing(title: &str, why: &str) -> String {
    figure(title, "", &[], &format!("<p class=\"nothing\">{}</p>\n", escape(why)))
}
