//! Boards as SVG within a page, which has [`STYLE`] in its style sheet.

use std::fmt::Write;

use crate::Pictures;
use crate::diagram::{Diagram, DrawnCell, Figure, Ground, Shape};
use alfil_core::svg::escape;

/// The style sheet of boards. It takes the colours of the page's text from its variables `--paper` and `--faint`.
pub const STYLE: &str = include_str!("drawing.css");

/// The size of a cell in the picture.
const CELL: f32 = 40.0;

/// The least and the greatest size of a cell on the page, in rem.
const ON_PAGE: [f32; 2] = [1.1, 1.5];

/// Room around the cells for labels, in cells.
const MARGIN: f32 = 0.6;

/// The corners of a hexagon of height 1, relative to its centre.
const HEXAGON: [(f32, f32); 6] =
    [(0.577, 0.0), (0.289, -0.5), (-0.289, -0.5), (-0.577, 0.0), (-0.289, 0.5), (0.289, 0.5)];

/// An arrow on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The name of the cell that it begins at.
    pub from: String,
    /// The name of the cell that it points to.
    pub to: String,
    /// Its class, which gives its colour: `good` or `bad`.
    pub class: &'static str,
}

/// The position after a move. Cells that the move has changed are marked.
pub fn board<G: Pictures>(before: &G, after: &G) -> String {
    match (before.diagram(), after.diagram()) {
        (Some(before), Some(after)) => draw(&before, &after, &[]),
        _ => format!("<pre>{}</pre>", escape(&after.to_string())),
    }
}

/// A position with arrows. Those from or to cells that the board does not have are left out.
pub fn board_with_arrows<G: Pictures>(position: &G, arrows: &[Arrow]) -> String {
    match position.diagram() {
        Some(diagram) => draw(&diagram, &diagram, arrows),
        None => format!("<pre>{}</pre>", escape(&position.to_string())),
    }
}

fn draw(before: &Diagram, after: &Diagram, arrows: &[Arrow]) -> String {
    let half_width = if after.shape == Shape::Hexagon { HEXAGON[0].0 } else { 0.5 };
    let xs = || after.cells.iter().map(|cell| cell.x);
    let ys = || after.cells.iter().map(|cell| cell.y);
    let (left, right) = (xs().fold(f32::MAX, f32::min) - half_width, xs().fold(f32::MIN, f32::max) + half_width);
    let (low, high) = (ys().fold(f32::MAX, f32::min) - 0.5, ys().fold(f32::MIN, f32::max) + 0.5);
    let place = |x: f32, y: f32| ((x - left + MARGIN) * CELL, (high - y + MARGIN) * CELL);
    let (width, height) = ((right - left + 2.0 * MARGIN) * CELL, (high - low + 2.0 * MARGIN) * CELL);
    let [least, most] = ON_PAGE.map(|size| size * width / CELL);
    let mut out = format!(
        "<svg class=\"board\" role=\"img\" viewBox=\"0 0 {width:.0} {height:.0}\" style=\"min-width: {least:.1}rem; max-width: {most:.1}rem\">"
    );
    for (index, cell) in after.cells.iter().enumerate() {
        let (x, y) = place(cell.x, cell.y);
        let changed = before.cells.get(index).is_none_or(|old| old.piece != cell.piece);
        let _ = write!(out, "<g transform=\"translate({x:.1} {y:.1})\"><title>{}</title>", escape(&cell.name));
        out.push_str(&ground(after, cell, changed));
        out.push_str(&piece(cell));
        out.push_str("</g>");
    }
    for label in &after.labels {
        let (x, y) = place(label.x, label.y);
        let _ = write!(out, "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text>", y + 0.11 * CELL, escape(&label.text));
    }
    for arrow in arrows {
        let cell = |name: &str| after.cells.iter().find(|cell| cell.name == name).map(|cell| place(cell.x, cell.y));
        if let (Some(from), Some(to)) = (cell(&arrow.from), cell(&arrow.to)) {
            out.push_str(&draw_arrow(arrow.class, from, to));
        }
    }
    out + "</svg>"
}

/// An arrow that ends in the middle of a cell.
fn draw_arrow(class: &str, from: (f32, f32), to: (f32, f32)) -> String {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return String::new();
    }
    let (ux, uy) = (dx / length, dy / length);
    // Along the arrow, and across it, in the picture's units.
    let at = |along: f32, across: f32| {
        format!("{:.1},{:.1}", from.0 + ux * along - uy * across, from.1 + uy * along + ux * across)
    };
    let (half, head, neck) = (0.07 * CELL, 0.2 * CELL, length - 0.38 * CELL);
    let points = [
        at(0.2 * CELL, half),
        at(neck, half),
        at(neck, head),
        at(length, 0.0),
        at(neck, -head),
        at(neck, -half),
        at(0.2 * CELL, -half),
    ];
    format!("<polygon class=\"arrow {class}\" points=\"{}\"/>", points.join(" "))
}

fn ground(diagram: &Diagram, cell: &DrawnCell, changed: bool) -> String {
    let class = match cell.ground {
        Ground::Shade(shade) => format!("shade{shade}"),
        Ground::Obstacle => "obstacle".to_owned(),
        Ground::Home(side) => format!("home{}", side as usize),
    };
    let corners: &[(f32, f32)] = match diagram.shape {
        Shape::Square => &[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)],
        Shape::Hexagon => &HEXAGON,
    };
    let points: Vec<String> = corners.iter().map(|(x, y)| format!("{:.1},{:.1}", x * CELL, y * CELL)).collect();
    let points = points.join(" ");
    let mark = if changed { format!("<polygon class=\"changed\" points=\"{points}\"/>") } else { String::new() };
    format!("<polygon class=\"{class}\" points=\"{points}\"/>{mark}")
}

/// The piece in a cell. Its class is the kind of piece and the number of its side.
fn piece(cell: &DrawnCell) -> String {
    let Some((side, figure)) = &cell.piece else { return String::new() };
    let side = *side as usize;
    let text = |number: u32| format!("<text y=\"{:.1}\">{number}</text>", 0.14 * CELL);
    let disc = |class: &str| format!("<circle class=\"{class}\" r=\"{:.1}\"/>", 0.38 * CELL);
    let man = |path: &str| format!("<path class=\"man{side}\" d=\"{path}\"/>");
    match figure {
        Figure::Pawn => man(PAWN),
        Figure::Knight => man(KNIGHT),
        Figure::Bishop => man(BISHOP),
        Figure::Rook => man(ROOK),
        Figure::Queen => man(QUEEN),
        Figure::King => man(KING),
        Figure::Stone => disc(&format!("stone{side}")),
        Figure::Numbered { number, tired } => {
            format!("{}{}", disc(&format!("unit{side}{}", if *tired { " tired" } else { "" })), text(*number))
        }
        Figure::Number(number) => text(*number),
    }
}

/// Chessmen for a cell of 40 units around (0, 0).
const PAWN: &str = "M-9 14h18v-3c-1-4-6-5-6-11h3v-3h-2.5a5.5 5.5 0 1 0-7 0h-2.5v3h3c0 6-5 7-6 11z";
const ROOK: &str = "M-11 14h22v-4h-3l-1.5-13h2.5l1.5-10h-5v4h-3.5v-4h-4v4h-3.5v-4h-5l1.5 10h2.5l-1.5 13h-3z";
const BISHOP: &str = "M-11 14h22v-3c-2-2-6-1-7-4h4v-3h-3c5-6 3-12-3-16a2.5 2.5 0 1 0-4 0c-6 4-8 10-3 16h-3v3h4c-1 3-5 2-7 4z\
    M-.9-9h1.8v3h3v1.8h-3v4h-1.8v-4h-3v-1.8h3z";
const KNIGHT: &str = "M-9 14h20c1-12-1-22-11-25l-2-4-3 4c-4 3-6 8-8 12-1 3 2 5 4 4l5-4c2 0 3-1 4-2 1 6-8 8-9 15z";
const QUEEN: &str = "M-10 14h20v-4l-1-2 5-15-6.5 6-2.5-10-5 9-5-9-2.5 10-6.5-6 5 15-1 2z";
const KING: &str = "M-10 14h20v-4l-1-2c9-7 4-15-3-13-2 .5-3.5 1.5-4.5 3v-7h3v-3h-3v-4h-3v4h-3v3h3v7c-1-1.5-2.5-2.5-4.5-3-7-2-12 6-3 13l-1 2z";
