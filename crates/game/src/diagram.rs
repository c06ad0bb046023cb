//! A position as a picture, for anything that draws boards: the cells and what stands on them.

use crate::Side;

/// A board and what stands on it. A cell has the size 1; x grows to the right, y upwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    /// What all cells look like.
    pub shape: Shape,
    /// The cells, no two in the same place.
    pub cells: Vec<DrawnCell>,
    /// Names of files, ranks and the like around the board.
    pub labels: Vec<Label>,
}

/// What the cells of a board look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A square of side 1.
    Square,
    /// A hexagon with a horizontal edge at its top, 1 high.
    Hexagon,
}

/// A cell of a [`Diagram`].
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnCell {
    /// Its centre, left to right.
    pub x: f32,
    /// Its centre, bottom to top.
    pub y: f32,
    /// Its name, unique on the board.
    pub name: String,
    /// What it looks like when it is empty.
    pub ground: Ground,
    /// The piece on it and its owner.
    pub piece: Option<(Side, Figure)>,
}

/// What a cell looks like when it is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// One of up to three shades that distinguish neighbours, the lightest first.
    Shade(u8),
    /// Nothing can stand there.
    Obstacle,
    /// The place that a side has to defend.
    Home(Side),
}

/// What a piece looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A chessman.
    Pawn,
    /// A chessman.
    Knight,
    /// A chessman.
    Bishop,
    /// A chessman.
    Rook,
    /// A chessman.
    Queen,
    /// A chessman.
    King,
    /// A round stone.
    Stone,
    /// A round stone with a number on it; a tired one has done what it could in this turn.
    Numbered {
        /// The number.
        number: u32,
        /// Whether it can do nothing more before the other side has moved.
        tired: bool,
    },
    /// A number on a cell without a piece.
    Number(u32),
}

/// Text beside the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its centre, left to right.
    pub x: f32,
    /// Its centre, bottom to top.
    pub y: f32,
    /// What it says.
    pub text: String,
}

impl Figure {
    /// The chessman with this English letter, in lower case.
    pub(crate) fn chessman(letter: char) -> Option<Figure> {
        Some(match letter {
            'p' => Figure::Pawn,
            'n' => Figure::Knight,
            'b' => Figure::Bishop,
            'r' => Figure::Rook,
            'q' => Figure::Queen,
            'k' => Figure::King,
            _ => return None,
        })
    }
}

impl Diagram {
    /// A board of squares, with its columns named below it and its rows on its left, where they have names. `cell` gives the
    /// name, the ground and the piece of the cell at a column and a row, both counted from 0 at the lower left.
    pub(crate) fn squares(
        columns: &[String],
        rows: &[String],
        cell: impl Fn(usize, usize) -> (String, Ground, Option<(Side, Figure)>),
    ) -> Diagram {
        let place = |index: usize| index as f32 + 0.5;
        let mut cells = Vec::with_capacity(columns.len() * rows.len());
        for row in 0..rows.len() {
            for column in 0..columns.len() {
                let (name, ground, piece) = cell(column, row);
                cells.push(DrawnCell { x: place(column), y: place(row), name, ground, piece });
            }
        }
        let below = columns.iter().enumerate().map(|(column, text)| (place(column), -0.35, text));
        let left = rows.iter().enumerate().map(|(row, text)| (-0.35, place(row), text));
        let named = below.chain(left).filter(|(_, _, text)| !text.is_empty());
        let labels = named.map(|(x, y, text)| Label { x, y, text: text.clone() }).collect();
        Diagram { shape: Shape::Square, cells, labels }
    }
}
