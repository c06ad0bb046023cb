//! Mistakes as vectors, made by hand: what any other vector has to be better than.

use alfil_game::Examples;
use shakmaty::{Position, Role};

use super::labels::{LABELS, labels, names};
use super::{Mistake, Motif};
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
    let labels = names().into_iter().map(|name| name.replace("white:", "own").replace("black:", "their"));
    let pieces = ["pawn", "knight", "bishop", "rook", "queen", "king"].map(|piece| format!("moved {piece}"));
    let motifs = |what: &'static str| Motif::ALL.into_iter().map(move |motif| format!("{what} {}", motif.name()));
    labels
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
    // Labels with the mover as White.
    let seen = if own.is_white() { Some(mistake.position.clone()) } else { mistake.position.swapped() };
    let labels = seen.map_or([0; LABELS], |seen| labels(&seen));
    let mut vector: Vec<f32> = labels.iter().map(|label| f32::from(*label)).collect();
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
    let is_capture = board.occupied().contains(mistake.played.to()) && board.color_at(mistake.played.to()) != Some(own);
    let record = mistake.record;
    vector.extend([material, scaled(record.loss), scaled(record.before), scaled(record.after)]);
    vector.extend([is(is_capture), is(mistake.after.shakmaty().is_check())]);
    vector.extend(Phase::ALL.map(|phase| is(mistake.phase == phase)));
    let moved = board.role_at(mistake.played.from());
    vector.extend(ROLES.map(|role| is(moved == Some(role))));
    vector.extend(Motif::ALL.map(|motif| is(mistake.missed.contains(&motif))));
    vector.extend(Motif::ALL.map(|motif| is(mistake.allowed.contains(&motif))));
    vector
}
