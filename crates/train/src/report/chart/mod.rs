//! Charts as SVG within the page: colours come from its style sheet, and the numbers under the pointer are titles.

mod axis;
mod bars;
mod dots;
mod lines;
mod plot;

pub use axis::{Axis, Unit};
pub use bars::{Bar, Bars, groups};
pub use dots::calibration;
pub use lines::{Line, Lines, Range};
pub use plot::{Colour, nothing};
