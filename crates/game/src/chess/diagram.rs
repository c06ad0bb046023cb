//! A chess board as a picture.

use shakmaty::{File, Position, Rank, Square};

use super::game::side_of;
use crate::diagram::{Diagram, Figure, Ground};

pub(super) fn diagram(position: &shakmaty::Chess) -> Diagram {
    let (files, ranks) = (File::ALL.map(|file| file.to_string()), Rank::ALL.map(|rank| rank.to_string()));
    Diagram::squares(&files, &ranks, |column, row| {
        let square = Square::from_coords(File::ALL[column], Rank::ALL[row]);
        let piece = position.board().piece_at(square);
        let piece = piece.and_then(|piece| Some((side_of(piece.color), Figure::chessman(piece.role.char())?)));
        (square.to_string(), Ground::Shade(square.is_dark().into()), piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;

    #[test]
    fn the_board_is_seen_from_white_s_side() {
        let picture = diagram(&shakmaty::Chess::default());
        let cell = |name: &str| picture.cells.iter().find(|cell| cell.name == name).unwrap();
        assert_eq!((picture.cells.len(), picture.labels.len()), (64, 16));
        let (a1, e8) = (cell("a1"), cell("e8"));
        assert_eq!((a1.x, a1.y, a1.ground), (0.5, 0.5, Ground::Shade(1)));
        assert_eq!(a1.piece, Some((Side::First, Figure::Rook)));
        assert_eq!((e8.x, e8.y, e8.ground), (4.5, 7.5, Ground::Shade(0)));
        assert_eq!(e8.piece, Some((Side::Second, Figure::King)));
        assert_eq!(picture.cells.iter().filter(|cell| cell.piece.is_some()).count(), 32);
    }
}
