//! What positions are worth, by any player that says so.

use alfil_arena::player::{LineError, MoveScore, Played, Player, PlayerError, PlayerLine};
use alfil_game::{Game, Score, Side};

/// What a won position counts in hundredths of a pawn, less one for every turn to the end.
const WON: i32 = 10_000;

/// Turns that make a difference to that.
const MOST_TURNS: u32 = 900;

/// Estimates count at most this much: less than any forced win.
const LARGEST: i32 = 9_000;

/// Limits of engines whose line has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// For many positions: depth 8 and a quarter of a second, as in the thesis.
    Short,
    /// For a game that is looked at: depth 16 and one second.
    Long,
}

/// The player that a line names. A UCI engine without limits gets these.
pub fn judge_line(line: &str, limits: Limits) -> Result<PlayerLine, LineError> {
    match line.parse() {
        Err(LineError::NoLimit(_)) => {
            let limits = match limits {
                Limits::Short => "depth=8,movetime=0.25",
                Limits::Long => "depth=16,movetime=1",
            };
            format!("{line},{limits}").parse()
        }
        read => read,
    }
}

/// What a position is worth, and how the game is expected to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment<M> {
    /// Whose move it is.
    side: Side,
    /// What it is worth to that side.
    score: MoveScore,
    /// The expected moves; none if the game is over.
    pub line: Vec<M>,
    /// Whether the rules have ended the game here, so that the score is the result and nobody was asked.
    pub is_over: bool,
}

impl<M> Assessment<M> {
    /// A position with `side` to move that is worth this to it.
    pub fn new(side: Side, score: MoveScore, line: Vec<M>) -> Assessment<M> {
        Assessment { side, score, line, is_over: false }
    }

    /// What it is worth to a side.
    pub fn score(&self, viewer: Side) -> MoveScore {
        if viewer == self.side { self.score } else { opposite(self.score) }
    }
}

/// What the other side thinks of a score.
fn opposite(score: MoveScore) -> MoveScore {
    match score {
        MoveScore::Hundredths(score) => MoveScore::Hundredths(score.saturating_neg()),
        MoveScore::Win(turns) => MoveScore::Loss(turns),
        MoveScore::Loss(turns) => MoveScore::Win(turns),
    }
}

/// A score as a number, in hundredths of a pawn: forced wins are worth 10,000 less the turns to them, more than any estimate.
///
/// ```
/// use alfil_arena::player::MoveScore;
/// use alfil_insight::hundredths;
///
/// assert_eq!(hundredths(MoveScore::Win(3)), 9_997);
/// assert_eq!(hundredths(MoveScore::Loss(0)), -10_000);
/// assert_eq!(hundredths(MoveScore::Hundredths(-35)), -35);
/// ```
pub fn hundredths(score: MoveScore) -> i32 {
    let won = |turns: u32| WON - turns.min(MOST_TURNS) as i32;
    match score {
        MoveScore::Hundredths(score) => score.clamp(-LARGEST, LARGEST),
        MoveScore::Win(turns) => won(turns),
        MoveScore::Loss(turns) => -won(turns),
    }
}

/// What a position is worth: by the rules if these have ended the game, even if people played on, and otherwise as `judge` says.
pub fn assess<G: Game>(
    judge: &mut dyn Player<G>,
    game: &Played<G>,
    stop: &dyn Fn() -> bool,
) -> Result<Assessment<G::Move>, PlayerError> {
    let (now, mut moves) = (game.now(), Vec::new());
    let side = now.side();
    if let Some(outcome) = now.legal_moves(&mut moves) {
        let score = match outcome.score.to_mover(side).0 {
            Score::WIN => MoveScore::Win(0),
            Score::LOSS => MoveScore::Loss(0),
            score => MoveScore::from_value(score.value()),
        };
        return Ok(Assessment { is_over: true, ..Assessment::new(side, score, Vec::new()) });
    }
    let judged = judge.judge(game, stop)?;
    Ok(Assessment::new(side, judged.score, judged.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_without_limits_get_them() {
        let line = |text| judge_line(text, Limits::Short).map(|line| line.name().to_owned());
        assert_eq!(line("uci:stockfish"), line("uci:stockfish,depth=8,movetime=0.25"));
        assert!(line("uci:stockfish").is_ok() && line("uci:stockfish,nodes=5").is_ok() && line("uci:").is_err());
        assert!(line("alphabeta").is_ok() && line("alphabeta:dpeth=3").is_err());
    }

    #[test]
    fn scores_turn_with_the_viewer() {
        let assessment = Assessment::<u16>::new(Side::Second, MoveScore::Win(3), Vec::new());
        assert_eq!(assessment.score(Side::Second), MoveScore::Win(3));
        assert_eq!(assessment.score(Side::First), MoveScore::Loss(3));
        assert_eq!(hundredths(MoveScore::Hundredths(i32::MAX)), LARGEST);
        assert!(hundredths(MoveScore::Win(u32::MAX)) > LARGEST);
    }
}
