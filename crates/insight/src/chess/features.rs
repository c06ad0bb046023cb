//! Mistakes as vectors, made by hand: what any other vector has to be better than.

use shakmaty::{Position, Role};

use super::labels::{mover_names, seen_by_mover};
use super::{Mistake, Motif, has};
use crate::Phase;

/// Pieces in the order of their numbers in a vector.
const ROLES: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// Worth of the pieces in that order, in pawns.
const WORTH: [f32; 6] = [1.0, 3.0, 3.0, 5.0, 9.0, 0.0];

/// Hundredths of a pawn that count as 1, and the most that count.
const SCALE: f32 = 500.0;
const MOST: f32 = 3.0;

/// Names of the numbers of a vector.
pub fn feature_names() -> Vec<String> {
    let pieces = ["pawn", "knight", "bishop", "rook", "queen", "king"].map(|piece| format!("moved {piece}"));
    let motifs = |what: &'static str| Motif::ALL.into_iter().map(move |motif| format!("{what} {}", motif.name()));
    mover_names()
        .into_iter()
        .chain(["material", "loss", "before", "after", "capture", "check"].map(str::to_owned))
        .chain(Phase::ALL.map(|phase| phase.name().to_owned()))
        .chain(pieces)
        .chain(motifs("missed"))
        .chain(motifs("allowed"))
        .collect()
}

/// The vector of a mistake, seen from the side that made it, whichever colour it has.
pub fn features(mistake: &Mistake<'_>) -> Vec<f32> {
    let position = mistake.position.shakmaty();
    let own = position.turn();
    let mut vector: Vec<f32> = seen_by_mover(&mistake.position).iter().map(|label| f32::from(*label)).collect();
    let board = position.board();
    let material: f32 = ROLES
        .iter()
        .zip(WORTH)
        .map(|(role, worth)| {
            let of_role = board.by_role(*role);
            let count = |color| (of_role & board.by_color(color)).count() as f32;
            worth * (count(own) - count(!own))
        })
        .sum();
    let scaled = |score: i32| (score as f32 / SCALE).clamp(-MOST, MOST);
    let is = |holds: bool| f32::from(u8::from(holds));
    let (from, to) = (mistake.played.from(), mistake.played.to());
    let moved = board.role_at(from);
    // A pawn leaves its file only to take, be it in passing; castling ends on a piece of one's own in some notations.
    let is_capture = board.color_at(to) == Some(!own) || moved == Some(Role::Pawn) && from.file() != to.file();
    let record = mistake.record;
    vector.extend([material, scaled(record.loss), scaled(record.before), scaled(record.after)]);
    vector.extend([is(is_capture), is(mistake.after.shakmaty().is_check())]);
    vector.extend(Phase::ALL.map(|phase| is(mistake.phase == phase)));
    vector.extend(ROLES.map(|role| is(moved == Some(role))));
    vector.extend(Motif::ALL.map(|motif| is(has(&mistake.missed, motif))));
    vector.extend(Motif::ALL.map(|motif| is(has(&mistake.allowed, motif))));
    vector
}
