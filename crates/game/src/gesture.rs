//! How a move is made by hand on a drawn board.

use crate::diagram::Figure;

/// One step of a move that is made by hand. A piece is touched, then the cell that it goes to; a pawn that reaches the last rank
/// then becomes what is chosen from a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A cell of the [diagram](crate::diagram::Diagram) is touched: the first one of these, where the step is marked, or any
    /// other.
    Touch(Vec<String>),
    /// One of several things is chosen.
    Choose {
        /// What it is called.
        name: String,
        /// What it looks like, if it is a piece.
        figure: Option<Figure>,
    },
}

impl Step {
    /// This cell is touched.
    pub fn touch(cell: impl ToString) -> Step {
        Step::Touch(vec![cell.to_string()])
    }

    /// What is called this is chosen.
    pub fn choose(name: impl Into<String>) -> Step {
        Step::Choose { name: name.into(), figure: None }
    }

    /// The chessman with this English letter is chosen.
    pub(crate) fn choose_chessman(letter: char) -> Option<Step> {
        let figure = Figure::chessman(letter)?;
        Some(Step::Choose { name: format!("{figure:?}").to_lowercase(), figure: Some(figure) })
    }
}
