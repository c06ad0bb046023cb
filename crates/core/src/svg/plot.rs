//! A field of a picture with two axes.

use super::{Axis, Picture, Unit};

/// Where numbers are drawn, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Plot {
    /// From left to right.
    pub x: Axis,
    /// From the bottom up.
    pub y: Axis,
    /// The left edge of the field.
    pub left: f64,
    /// The right edge.
    pub right: f64,
    /// The upper edge.
    pub top: f64,
    /// The lower edge.
    pub bottom: f64,
}

impl Plot {
    /// Where a number lies from left to right.
    pub fn x(&self, number: f64) -> f64 {
        self.left + self.x.part(number) * (self.right - self.left)
    }

    /// Where a number lies from top to bottom.
    pub fn y(&self, number: f64) -> f64 {
        self.bottom - self.y.part(number) * (self.bottom - self.top)
    }

    /// Where two numbers meet.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x(x), self.y(y))
    }

    /// A line up and a number below for each tick from left to right.
    pub fn draw_x_axis(&self, picture: &mut Picture, unit: Unit) {
        for tick in self.x.ticks() {
            let x = self.x(tick);
            picture.line("grid", [(x, self.top), (x, self.bottom)]);
            picture.text("middle", (x, self.bottom + 17.0), &self.x.label(tick, unit));
        }
    }

    /// A line across and a number on the left for each tick from the bottom up.
    pub fn draw_y_axis(&self, picture: &mut Picture, unit: Unit) {
        for tick in self.y.ticks() {
            let y = self.y(tick);
            picture.line("grid", [(self.left, y), (self.right, y)]);
            picture.text("end", (self.left - 6.0, y + 4.0), &self.y.label(tick, unit));
        }
    }

    /// Writes what the numbers below the field mean.
    pub fn name_x_axis(&self, picture: &mut Picture, name: &str) {
        picture.text("middle", ((self.left + self.right) / 2.0, self.bottom + 33.0), name);
    }
}
