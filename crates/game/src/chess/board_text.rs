//! A chess board for the terminal.

use std::fmt::{self, Write};

use shakmaty::{Color, File, Position, Rank, Square};

pub(super) fn draw(position: &shakmaty::Chess, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("  +-----------------+\n")?;
    for rank in Rank::ALL.into_iter().rev() {
        write!(f, "{rank} |")?;
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            write!(f, " {}", piece.map_or('.', |piece| piece.char()))?;
        }
        f.write_str(" |\n")?;
    }
    f.write_str("  +-----------------+\n   ")?;
    for file in File::ALL {
        write!(f, " {file}")?;
    }
    f.write_str(match position.turn() {
        Color::White => "   White to move",
        Color::Black => "   Black to move",
    })?;
    f.write_char('\n')
}
