//! Sides and results in words.

use alfil_game::{FullGame, Outcome, Score, Side};

/// What a side is called.
pub fn side_name<G: FullGame>(side: Side) -> &'static str {
    G::SIDES[side as usize]
}

/// "white wins: checkmate"
pub fn in_words<G: FullGame>(outcome: &Outcome) -> String {
    let [first, second] = G::SIDES;
    let result = match outcome.score.0 {
        Score::WIN => format!("{first} wins"),
        Score::LOSS => format!("{second} wins"),
        Score::DRAW => "draw".to_owned(),
        score => format!("{} points for {first}, {} for {second}", score.points(), 1.0 - score.points()),
    };
    format!("{result}: {}", outcome.reason)
}

#[cfg(test)]
mod tests {
    use alfil_game::First;
    use alfil_game::chess::Chess;

    use super::*;

    #[test]
    fn results_have_the_names_of_the_sides() {
        let tell = |outcome| in_words::<Chess>(&outcome);
        assert_eq!(tell(Outcome::win(Side::Second, "checkmate")), "black wins: checkmate");
        assert_eq!(tell(Outcome::draw("stalemate")), "draw: stalemate");
        let part = Outcome { score: First(Score::new(0.75)), reason: "stalemate" };
        assert_eq!(tell(part), "0.75 points for white, 0.25 for black: stalemate");
    }
}
