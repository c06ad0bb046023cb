//! How bad a move is.

use alfil_arena::player::MoveScore;
use serde::{Deserialize, Serialize};

/// Expected points that an inaccuracy, a mistake and a blunder lose at least. The steps are those that chess sites have in common.
const INACCURACY: f32 = 0.05;
const MISTAKE: f32 = 0.10;
const BLUNDER: f32 = 0.20;

/// Expected points from which on a position is won, about three pawns; and those below which it no longer is, about one and a half.
const WON: f32 = 0.85;
const NO_LONGER_WON: f32 = 0.70;

/// Expected points below which a win was not only missed, but the game is being lost: that is a blunder.
const LOSING: f32 = 0.30;

/// The longest mate, in the mover's own turns, that counts as missed even if the position stays won.
const SHORT_MATE: u32 = 5;

/// What is wrong with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// It loses a little.
    Inaccuracy,
    /// It loses much.
    Mistake,
    /// It loses very much.
    Blunder,
    /// The position was won, and no longer is.
    MissedWin,
    /// There was a forced mate, and there no longer is.
    MissedMate,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 5] =
        [Class::Inaccuracy, Class::Mistake, Class::Blunder, Class::MissedWin, Class::MissedMate];

    /// The class of a move by what the position was worth to the mover before and after it; none if the move is good enough.
    pub fn of(before: MoveScore, after: MoveScore) -> Option<Class> {
        let lost = before.points() - after.points();
        let stays_mate = matches!(after, MoveScore::Win(_));
        if let MoveScore::Win(_) = before
            && !stays_mate
            && (lost >= INACCURACY || before.own_turns().is_some_and(|turns| turns <= SHORT_MATE))
            && after.points() >= LOSING
        {
            return Some(Class::MissedMate);
        }
        if before.points() >= WON && lost >= MISTAKE && (LOSING..NO_LONGER_WON).contains(&after.points()) {
            return Some(Class::MissedWin);
        }
        match lost {
            lost if lost >= BLUNDER => Some(Class::Blunder),
            lost if lost >= MISTAKE => Some(Class::Mistake),
            lost if lost >= INACCURACY => Some(Class::Inaccuracy),
            _ => None,
        }
    }

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Class::Inaccuracy => "inaccuracy",
            Class::Mistake => "mistake",
            Class::Blunder => "blunder",
            Class::MissedWin => "missed win",
            Class::MissedMate => "missed mate",
        }
    }

    /// Its name for several of them.
    pub fn plural(self) -> &'static str {
        match self {
            Class::Inaccuracy => "inaccuracies",
            Class::Mistake => "mistakes",
            Class::Blunder => "blunders",
            Class::MissedWin => "missed wins",
            Class::MissedMate => "missed mates",
        }
    }

    /// The number of its glyph in PGN.
    pub fn glyph(self) -> u8 {
        match self {
            Class::Inaccuracy => 6,
            Class::Mistake => 2,
            Class::Blunder | Class::MissedWin | Class::MissedMate => 4,
        }
    }

    /// Its mark after a move.
    pub fn mark(self) -> &'static str {
        match self {
            Class::Inaccuracy => "?!",
            Class::Mistake => "?",
            Class::Blunder | Class::MissedWin | Class::MissedMate => "??",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MoveScore::{Hundredths, Loss, Win};

    #[test]
    fn classes_follow_the_expected_points() {
        for (before, after, class) in [
            (Hundredths(20), Hundredths(10), None),
            (Hundredths(20), Hundredths(-20), Some(Class::Inaccuracy)),
            (Hundredths(20), Hundredths(-60), Some(Class::Mistake)),
            (Hundredths(20), Hundredths(-200), Some(Class::Blunder)),
            (Hundredths(20), Loss(4), Some(Class::Blunder)),
            (Hundredths(900), Hundredths(650), None),
            (Hundredths(450), Hundredths(30), Some(Class::MissedWin)),
            (Hundredths(450), Hundredths(-400), Some(Class::Blunder)),
            (Win(3), Hundredths(900), Some(Class::MissedMate)),
            (Win(19), Hundredths(2000), None),
            (Win(19), Hundredths(100), Some(Class::MissedMate)),
            (Win(3), Win(7), None),
            (Win(3), Loss(2), Some(Class::Blunder)),
            (Loss(6), Loss(2), None),
        ] {
            assert_eq!(Class::of(before, after), class, "{before} {after}");
        }
    }
}
