//! Charts as SVG: axes with round ticks, a field with its grid, and the marks in it.
//!
//! Marks carry classes instead of colours: a picture that is a file of its own has a small style sheet in it, a picture within
//! a page uses the page's. Whatever the numbers, the picture stays well formed and everything lies inside it.

mod axis;
mod picture;
mod plot;

pub use axis::{Axis, Unit};
pub use picture::{Picture, escape};
pub use plot::Plot;

/// A colour of the style sheet, by number; after the last one they begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub usize);

impl Colour {
    /// Neither good nor bad.
    pub const GREY: Colour = Colour(5);

    /// How many colours there are.
    pub const COUNT: usize = 6;

    /// The name of the style.
    pub fn class(self) -> String {
        format!("c{}", self.0 % Colour::COUNT + 1)
    }
}
