//! Players' evaluations of positions.

use std::fmt;

use alfil_game::{Game, Mover, Wdl};
use alfil_search::classical::{WIN, is_decided};

/// How good the position is after the chosen move, for the side that made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// The evaluation.
    pub score: MoveScore,
    /// Plies that the player searched.
    pub depth: u32,
}

/// An evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveScore {
    /// In hundredths of the game's smallest piece.
    Hundredths(i32),
    /// A forced win in this many turns of both sides together.
    Win(u32),
    /// A forced loss in this many turns of both sides together.
    Loss(u32),
}

/// The scale from expected results to hundredths: the same as for handcrafted evaluations, so that all players' numbers
/// mean the same.
const SCALE: f32 = 400.0;

/// What a forced win is worth where it is compared with other moves, in pawns, and what each turn to it takes away. No estimate is
/// as large.
const WON: f32 = 1_000.0;
const TURN: f32 = 0.1;

impl MoveScore {
    /// From the value of a classical search in which every move is a turn.
    pub fn from_classical(value: i32) -> MoveScore {
        match value {
            value if !is_decided(value) => MoveScore::Hundredths(value),
            value if value > 0 => MoveScore::Win(WIN.saturating_sub(value).unsigned_abs()),
            value => MoveScore::Loss(WIN.saturating_add(value).unsigned_abs()),
        }
    }

    /// From an expected result between -1 and 1.
    pub fn from_value(value: f32) -> MoveScore {
        let value = if value.is_nan() { 0.0 } else { value.clamp(-0.9999, 0.9999) };
        MoveScore::Hundredths((SCALE * ((1.0 + value) / (1.0 - value)).log10()).round() as i32)
    }

    /// Converts moves to turns, where `line` is expected from `game` on. After the line, every turn is taken to be one
    /// move.
    pub(super) fn in_turns<G: Game>(self, game: &G, line: impl IntoIterator<Item = G::Move>) -> MoveScore {
        let turns = |plies: u32| {
            let (mut game, mut last) = (game.clone(), None);
            let (mut turns, mut left) = (0, plies);
            for m in line.into_iter().take(plies as usize) {
                turns += u32::from(last != Some(game.side()));
                last = Some(game.side());
                game.play(m);
                left -= 1;
            }
            let goes_on = left > 0 && last == Some(game.side());
            turns + left - u32::from(goes_on)
        };
        match self {
            MoveScore::Hundredths(_) => self,
            MoveScore::Win(plies) => MoveScore::Win(turns(plies)),
            MoveScore::Loss(plies) => MoveScore::Loss(turns(plies)),
        }
    }

    /// The mover's own turns to a proven result.
    pub fn own_turns(self) -> Option<u32> {
        match self {
            MoveScore::Hundredths(_) => None,
            MoveScore::Win(turns) | MoveScore::Loss(turns) => Some(turns.div_ceil(2)),
        }
    }

    /// The evaluation in pawns. Forced wins are worth more than any estimate, sooner ones more than later ones.
    pub(super) fn pawns(self) -> f32 {
        let won = |turns: u32| WON - TURN * turns.min(1_000) as f32;
        match self {
            MoveScore::Hundredths(score) => (score as f32 / 100.0).clamp(1.0 - won(u32::MAX), won(u32::MAX) - 1.0),
            MoveScore::Win(turns) => won(turns),
            MoveScore::Loss(turns) => -won(turns),
        }
    }

    /// Win, draw and loss for the mover: the expected points of [`points`](MoveScore::points), with as many draws as these leave
    /// room for.
    pub fn wdl(self) -> Mover<Wdl> {
        Mover(Wdl::from_value(2.0 * self.points() - 1.0))
    }

    /// The same a turn earlier, for the other side.
    pub(super) fn before(self) -> MoveScore {
        match self {
            MoveScore::Hundredths(score) => MoveScore::Hundredths(score.saturating_neg()),
            MoveScore::Win(turns) => MoveScore::Loss(turns.saturating_add(1)),
            MoveScore::Loss(turns) => MoveScore::Win(turns.saturating_add(1)),
        }
    }

    /// The expected points, from 0 to 1.
    pub fn points(self) -> f32 {
        match self {
            MoveScore::Hundredths(score) => 1.0 / (1.0 + 10f32.powf(-(score as f32) / SCALE)),
            MoveScore::Win(_) => 1.0,
            MoveScore::Loss(_) => 0.0,
        }
    }
}

impl fmt::Display for MoveScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveScore::Hundredths(score) => write!(f, "{:+.2}", f64::from(*score) / 100.0),
            MoveScore::Win(turns) => write!(f, "+M{}", turns.div_ceil(2)),
            MoveScore::Loss(turns) => write!(f, "-M{}", turns.div_ceil(2)),
        }
    }
}

impl fmt::Display for Opinion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.score, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opinions_are_written_as_in_game_comments() {
        let text = |score| Opinion { score, depth: 12 }.to_string();
        assert_eq!(text(MoveScore::Hundredths(35)), "+0.35/12");
        assert_eq!(text(MoveScore::Hundredths(-1205)), "-12.05/12");
        assert_eq!(text(MoveScore::Win(5)), "+M3/12");
        assert_eq!(text(MoveScore::Loss(4)), "-M2/12");
        assert_eq!(text(MoveScore::from_value(0.0)), "+0.00/12");
        assert_eq!(text(MoveScore::from_value(9.0 / 11.0)), "+4.00/12");
        assert_eq!(MoveScore::from_value(f32::NAN), MoveScore::Hundredths(0));
    }

    #[test]
    fn points_give_back_the_value_of_the_opinion() {
        for value in [-0.9, -0.3, 0.0, 0.5, 0.99] {
            let points = MoveScore::from_value(value).points();
            assert!((2.0 * points - 1.0 - value).abs() < 2e-3, "{value}: {points}");
        }
        assert_eq!((MoveScore::Win(3).points(), MoveScore::Loss(0).points()), (1.0, 0.0));
        assert_eq!((MoveScore::Win(3).wdl(), MoveScore::Loss(0).wdl()), (Mover(Wdl::WIN), Mover(Wdl::LOSS)));
        assert_eq!(MoveScore::Hundredths(0).wdl(), Mover(Wdl::DRAW));
    }

    #[test]
    fn sooner_wins_are_worth_more_and_all_wins_more_than_estimates() {
        use MoveScore::{Hundredths, Loss, Win};

        let order = [Loss(1), Loss(7), Loss(u32::MAX), Hundredths(i32::MIN), Hundredths(-30), Hundredths(0)];
        let order = order.into_iter().chain([Hundredths(30), Hundredths(i32::MAX), Win(u32::MAX), Win(7), Win(1)]);
        assert!(order.map(MoveScore::pawns).is_sorted_by(|a, b| a < b));
        assert_eq!((Win(3).before(), Loss(0).before(), Hundredths(5).before()), (Loss(4), Win(1), Hundredths(-5)));
    }
}
