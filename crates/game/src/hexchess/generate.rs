//! Legal moves.
//!
//! One look from the king along its twelve lines finds the pieces that give check and those that are pinned; all other
//! moves are legal without a further test.

use super::attacks::{self, BISHOP, PAWN_START, PROMOTION, nearest, ray};
use super::board::Role;
use super::cell::Cell;
use super::cells::Cells;
use super::moves::{Move, UNDER_PROMOTIONS};
use super::position::Position;

/// How the king's safety restricts the other pieces.
struct Duty {
    /// Pieces that give check.
    checks: u32,
    /// Where a move ends the check, if there is one: on the piece that gives it or before it.
    targets: Cells,
    /// Own pieces that alone stand between their king and a piece that would give check.
    pinned: Cells,
    /// For each direction, the line of the piece that is pinned in it, up to the one that pins it.
    lines: [Cells; 12],
}

impl Duty {
    fn find(position: &Position, king: Cell) -> Duty {
        let (board, us) = (position.board(), position.turn());
        let (own, enemies) = (board.side(us), board.side(!us));
        let mut duty = Duty { checks: 0, targets: Cells::ALL, pinned: Cells::NONE, lines: [Cells::NONE; 12] };

        let leapers =
            attacks::knight(king) & board.role(Role::Knight) | attacks::pawn(us, king) & board.role(Role::Pawn);
        for checker in leapers & enemies {
            duty.check(Cells::of(checker));
        }
        let queens = board.role(Role::Queen);
        let rooks = (board.role(Role::Rook) | queens) & enemies & attacks::rook_lines(king);
        let bishops = (board.role(Role::Bishop) | queens) & enemies & attacks::bishop_lines(king);
        let occupied = own | enemies;
        for direction in 0..BISHOP.end {
            let line = ray(direction, king);
            let sliders = line & if direction < BISHOP.start { rooks } else { bishops };
            let Some(slider) = nearest(direction, sliders) else { continue };
            let way = line ^ ray(direction, slider);
            // What stands on the way, the slider itself left out.
            let between = way & occupied ^ Cells::of(slider);
            match between.count() {
                0 => duty.check(way),
                1 if !(between & own).is_empty() => {
                    duty.pinned |= between;
                    duty.lines[direction] = way;
                }
                _ => {}
            }
        }
        duty
    }

    fn check(&mut self, way: Cells) {
        self.checks += 1;
        self.targets = self.targets & way;
    }

    /// Where the piece on `from` may go as far as the king is concerned.
    fn allows(&self, from: Cell) -> Cells {
        if !self.pinned.contains(from) {
            return self.targets;
        }
        let line = self.lines.iter().find(|line| line.contains(from));
        line.map_or(Cells::NONE, |line| *line & self.targets)
    }
}

/// Puts all legal moves into `moves`, after clearing it.
pub(super) fn generate(position: &Position, moves: &mut Vec<Move>) {
    moves.clear();
    let (board, us) = (position.board(), position.turn());
    let own = board.side(us);
    let Some(king) = board.king(us) else { return };

    // A line of attack goes on behind the king that leaves it.
    let behind = board.occupied() ^ Cells::of(king);
    moves.extend(
        (attacks::king(king) & !own).filter(|to| !board.attacks(!us, *to, behind)).map(|to| Move::new(king, to)),
    );
    let duty = Duty::find(position, king);
    if duty.checks > 1 {
        // The capture of one checking pawn in passing can block the other check.
        board.pieces(us, Role::Pawn).for_each(|from| capture_passing(position, from, moves));
        return;
    }
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for from in board.pieces(us, role) {
            let targets = board.attacked_by(us, role, from) & !own & duty.allows(from);
            moves.extend(targets.map(|to| Move::new(from, to)));
        }
    }
    for from in board.pieces(us, Role::Pawn) {
        pawn(position, from, duty.allows(from), moves);
    }
}

fn pawn(position: &Position, from: Cell, allowed: Cells, moves: &mut Vec<Move>) {
    let (board, us) = (position.board(), position.turn());
    let occupied = board.occupied();
    let free = |cell: &Cell| !occupied.contains(*cell);

    let mut targets = attacks::pawn(us, from) & board.side(!us);
    if let Some(one) = from.ahead(us).filter(free) {
        targets |= Cells::of(one);
        if PAWN_START[us as usize].contains(from) {
            targets |= one.ahead(us).filter(free).map_or(Cells::NONE, Cells::of);
        }
    }
    for to in targets & allowed {
        let m = Move::new(from, to);
        moves.push(m);
        if PROMOTION[us as usize].contains(to) {
            moves.extend((0..UNDER_PROMOTIONS.len()).map(|place| m.under_promoting(place)));
        }
    }
    capture_passing(position, from, moves);
}

/// The en-passant capture by the pawn on `from`, if there is one. Tested on its own: the pawn that gives check may be the one that
/// is captured.
fn capture_passing(position: &Position, from: Cell, moves: &mut Vec<Move>) {
    let attacked = attacks::pawn(position.turn(), from);
    if let Some(passed) = position.en_passant().filter(|passed| attacked.contains(*passed))
        && position.may_capture_passing(from, passed)
    {
        moves.push(Move::new(from, passed));
    }
}
