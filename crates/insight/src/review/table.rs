//! Reviews as a table, one row per move.

use alfil_game::{FullGame, Side};

use super::{GameReview, accuracy};
use crate::chess::told;
use crate::csv::row;
use crate::hundredths;

/// The names of the columns, as a row.
pub const HEADER: &str =
    "game,ply,side,player,phase,position,move,before,after,loss,accuracy,class,better,missed,allowed\n";

/// The moves of a game as rows. Scores are the mover's, in hundredths of a pawn.
pub fn rows<G: FullGame>(review: &GameReview<G>) -> String {
    let mut now = review.game.start.clone();
    let mut text = String::new();
    for (ply, judged) in review.moves.iter().enumerate() {
        let side = judged.side;
        text += &row([
            review.number.to_string().as_str(),
            (ply + 1).to_string().as_str(),
            G::SIDES[side as usize],
            review.sides[if side == Side::First { 0 } else { 1 }].name.as_str(),
            judged.phase.name(),
            now.position().as_str(),
            now.move_name(judged.m).as_str(),
            hundredths(judged.before).to_string().as_str(),
            hundredths(judged.after).to_string().as_str(),
            accuracy::loss(judged.before, judged.after).to_string().as_str(),
            format!("{:.1}", accuracy::accuracy(judged.lost())).as_str(),
            judged.class.map_or("", |class| class.name()),
            judged.better.first().map_or(String::new(), |&m| now.move_name(m)).as_str(),
            told(&judged.missed).as_str(),
            told(&judged.allowed).as_str(),
        ]);
        now.play(judged.m);
    }
    text
}
