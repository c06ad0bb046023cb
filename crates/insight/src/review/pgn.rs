//! Reviews as PGN that other programs read.

use alfil_arena::player::MoveScore;
use alfil_game::FullGame;
use alfil_game::pgn::{Annotation, PgnGame};

use super::GameReview;
use crate::chess::told;

/// What comments say in square brackets begins so. Those of earlier reviews are replaced.
const EVAL: &str = "[%eval";

/// The most that `[%eval]` says in pawns.
const MOST: i32 = 99_99;

/// The text of a game with glyphs, evaluations and better lines.
pub fn annotated<G: FullGame>(review: &GameReview<G>, annotator: &str) -> String {
    let game = &review.game;
    let annotations: Vec<Annotation<G::Move>> = review
        .moves
        .iter()
        .map(|judged| {
            let eval = eval(judged.first_after());
            let Some(class) = judged.class else { return Annotation { comment: eval, ..Annotation::default() } };
            let allowed = told(&judged.allowed);
            let why = if allowed.is_empty() { allowed } else { format!(" ({allowed})") };
            Annotation {
                glyphs: vec![class.glyph()],
                comment: format!("{eval} {}{why}", judged.class_text()).trim().to_owned(),
                variation: judged.better.clone(),
                variation_comment: told(&judged.missed),
            }
        })
        .collect();
    let mut kept = PgnGame { comments: game.comments.clone(), ..game.clone() };
    for (_, comment) in &mut kept.comments {
        *comment = without_eval(comment);
    }
    kept.comments.retain(|(_, comment)| !comment.is_empty());
    kept.tags.retain(|(name, _)| name != "Annotator");
    kept.tags.push(("Annotator".to_owned(), annotator.to_owned()));
    let mut out = Vec::new();
    // A vector takes everything.
    let _ = kept.write_annotated(&annotations, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// The score for the first side as `[%eval 0.35]` or `[%eval #-3]`.
fn eval(score: MoveScore) -> String {
    match score {
        MoveScore::Hundredths(score) => {
            let score = score.clamp(-MOST, MOST);
            let sign = if score < 0 { "-" } else { "" };
            format!("{EVAL} {sign}{}.{:02}]", score.abs() / 100, score.abs() % 100)
        }
        // The board shows that the game is over.
        MoveScore::Win(0) | MoveScore::Loss(0) => String::new(),
        MoveScore::Win(turns) => format!("{EVAL} #{}]", turns.div_ceil(2)),
        MoveScore::Loss(turns) => format!("{EVAL} #-{}]", turns.div_ceil(2)),
    }
}

/// A comment without the evaluation of an earlier review.
fn without_eval(comment: &str) -> String {
    let Some((before, rest)) = comment.split_once(EVAL) else { return comment.to_owned() };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    format!("{} {}", before.trim(), after.trim()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_written_as_others_read_them() {
        let scores = [
            MoveScore::Hundredths(35),
            MoveScore::Hundredths(-5),
            MoveScore::Hundredths(-123_456),
            MoveScore::Win(5),
            MoveScore::Loss(4),
            MoveScore::Loss(0),
        ];
        assert_eq!(
            scores.map(eval),
            ["[%eval 0.35]", "[%eval -0.05]", "[%eval -99.99]", "[%eval #3]", "[%eval #-2]", ""]
        );
        assert_eq!(without_eval("good [%eval 1.2] [%clk 0:01]"), "good [%clk 0:01]");
        assert_eq!(without_eval("[%eval 1.2"), "");
    }
}
