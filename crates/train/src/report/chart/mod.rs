//! The kinds of charts that a page has. Colours come from its style sheet, and the numbers under the pointer are
//! `<title>` elements.

mod bars;
mod dots;
mod figure;
mod lines;

pub use alfil_core::svg::{Colour, Unit};
pub use bars::{Bar, Bars, groups};
pub use dots::calibration;
pub use figure::nothing;
pub use lines::{Line, Lines, Range};
