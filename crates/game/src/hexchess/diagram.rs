//! The board of hexagons as a picture.

use super::cell::{Cell, FILES, file_length, file_letter};
use super::position::Position;
use crate::diagram::{Diagram, DrawnCell, Figure, Ground, Label, Shape};

/// From the middle of a file to that of the next, where hexagons are 1 high: three quarters of their width.
const STEP: f32 = 0.866_025_4;

/// The shade of each of the three colours of cells.
const SHADES: [u8; 3] = [1, 0, 2];

pub(super) fn diagram(position: &Position) -> Diagram {
    let cells = Cell::all()
        .map(|cell| {
            let (x, y) = place(cell);
            let piece = position.board().piece_at(cell);
            let piece = piece.and_then(|(side, role)| Some((side, Figure::chessman(role.letter())?)));
            DrawnCell { x, y, name: cell.to_string(), ground: Ground::Shade(SHADES[cell.colour()]), piece }
        })
        .collect();
    let mut labels = Vec::new();
    for file in 0..FILES {
        if let (Some(lowest), Some(highest)) = (Cell::on(file, 1), Cell::on(file, file_length(file))) {
            let (x, y) = place(lowest);
            labels.push(Label { x, y: y - 0.8, text: file_letter(file).to_string() });
            // Ranks bend at the middle file. On its left each begins at a cell of its own at the edge of the board.
            let (x, y) = place(highest);
            if file <= FILES / 2 {
                labels.push(Label { x: x - 0.55, y: y + 0.6, text: highest.rank().to_string() });
            }
        }
    }
    for rank in 1..file_length(0) {
        if let Some((x, y)) = Cell::on(0, rank).map(place) {
            labels.push(Label { x: x - 0.8, y: y + 0.25, text: rank.to_string() });
        }
    }
    Diagram { shape: Shape::Hexagon, cells, labels }
}

fn place(cell: Cell) -> (f32, f32) {
    let (q, r) = cell.axial();
    (STEP * f32::from(q), f32::from(r) + f32::from(q) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hexchess::HexChess;
    use crate::pictures::Pictures;
    use crate::{Game, Side};

    #[test]
    fn neighbours_touch_and_differ_in_shade() {
        let picture = HexChess::new(&Default::default()).diagram().unwrap();
        assert_eq!((picture.cells.len(), picture.labels.len()), (91, 11 + 11));
        let mut edges = 0;
        for (index, cell) in picture.cells.iter().enumerate() {
            for other in &picture.cells[..index] {
                let distance = (cell.x - other.x).hypot(cell.y - other.y);
                assert!(distance > 0.99, "{} and {}", cell.name, other.name);
                if distance < 1.01 {
                    assert_ne!(cell.ground, other.ground);
                    edges += 1;
                }
            }
        }
        assert_eq!(edges, 240);
        let g1 = picture.cells.iter().find(|cell| cell.name == "g1").unwrap();
        assert_eq!(g1.piece, Some((Side::First, Figure::King)));
    }
}
