//! The record of a game.

use alfil_game::{First, Game, Mover, Score, Wdl};
use serde::{Deserialize, Serialize};

/// Shares of a policy are stored as multiples of one over this.
const SHARE_STEPS: f32 = 65_535.0;

/// Values are stored as multiples of one over this.
const VALUE_STEPS: f32 = 32_767.0;

/// Shares of draws are stored as multiples of one over this.
const DRAW_STEPS: f32 = 255.0;

/// Scores are stored in steps of 1/240 point: exact for halves, thirds, quarters and fifths.
const SCORE_STEPS: f32 = 240.0;

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the run, which seeds all its random choices.
    pub number: u64,
    /// Where it began, in the game's notation; empty for the start position under the run's rules.
    pub start: String,
    /// Its moves with the results of their searches.
    pub plies: Vec<Ply>,
    /// The first player's points, in 240ths.
    score: u8,
    /// How it ended.
    pub end: End,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By the rules of the game.
    Rules,
    /// By resignation.
    Resigned,
    /// By a result that was clear before the rules said so.
    Adjudicated,
}

/// One move of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ply {
    /// The code of the move that was played.
    pub code: u16,
    /// How often the position is learnt from: 1, unless surprising positions count more, when it may also be 0.
    pub copies: u8,
    /// The policy to learn: indices of legal moves, in the order in which the game generates them, and their shares.
    /// Empty after a cheap search, from which no policy is learnt.
    policy: Vec<(u16, u16)>,
    /// The expected result of the search, if its best move is played.
    value: i16,
    /// The share of draws in it: an even position may be a certain draw or a sharp fight.
    draw: u8,
}

impl GameRecord {
    /// A game with its result.
    pub fn new(number: u64, start: String, plies: Vec<Ply>, score: First<Score>, end: End) -> GameRecord {
        let score = (score.0.points() * SCORE_STEPS).round() as u8;
        GameRecord { number, start, plies, score, end }
    }

    /// The first player's points.
    pub fn score(&self) -> First<Score> {
        First(Score::new(f32::from(self.score) / SCORE_STEPS))
    }

    /// The game before its first move, under the rules that it was played by.
    pub fn begin<G: Game>(&self, rules: &G::Rules) -> Option<G> {
        if self.start.is_empty() { Some(G::new(rules)) } else { G::from_position(&self.start, rules).ok() }
    }

    /// Calls `see` with every position of the game, its legal moves and its record. `None` if it is not a game of `G`
    /// under these rules, or has an illegal move.
    pub fn replay<G: Game>(&self, rules: &G::Rules, mut see: impl FnMut(&G, &[G::Move], &Ply)) -> Option<()> {
        let mut game: G = self.begin(rules)?;
        let mut moves = Vec::new();
        for ply in &self.plies {
            game.generate(&mut moves);
            let played = moves.iter().copied().find(|&m| m.into() == ply.code)?;
            if ply.policy.iter().any(|(number, _)| usize::from(*number) >= moves.len()) {
                return None;
            }
            see(&game, &moves, ply);
            game.play(played);
        }
        Some(())
    }
}

impl Ply {
    /// A move that was played with the code `code`. `policy` has a share for each legal move, or none at all after a cheap
    /// search; `wdl` are the shares of win, draw and loss that it expects, which add up to 1.
    pub fn new(code: u16, policy: &[f32], Mover(wdl): Mover<Wdl>) -> Ply {
        let steps = |share: f32| (share.clamp(0.0, 1.0) * SHARE_STEPS).round() as u16;
        let shares = policy.iter().zip(0u16..).map(|(share, number)| (number, steps(*share)));
        Ply {
            code,
            copies: 1,
            policy: shares.filter(|(_, share)| *share > 0).collect(),
            value: (wdl.value().clamp(-1.0, 1.0) * VALUE_STEPS).round() as i16,
            draw: (wdl.draw.clamp(0.0, 1.0) * DRAW_STEPS).round() as u8,
        }
    }

    /// Numbers of legal moves and their shares, which add up to 1; empty if no policy is to be learnt here.
    pub fn policy(&self) -> impl Iterator<Item = (usize, f32)> {
        let sum: f32 = self.policy.iter().map(|(_, share)| f32::from(*share)).sum();
        self.policy.iter().map(move |(number, share)| (usize::from(*number), f32::from(*share) / sum))
    }

    /// Whether there is a policy to be learnt.
    pub fn has_policy(&self) -> bool {
        !self.policy.is_empty()
    }

    /// The expected result of the search for the mover, if the best move is played.
    pub fn value(&self) -> Mover<f32> {
        Mover(f32::from(self.value) / VALUE_STEPS)
    }

    /// The same as shares of win, draw and loss.
    pub fn wdl(&self) -> Mover<Wdl> {
        let Mover(value) = self.value();
        // After rounding there may be a few more draws than the value leaves room for.
        let draw = (f32::from(self.draw) / DRAW_STEPS).min(1.0 - value.abs());
        let share = |lead: f32| ((1.0 - draw + lead) / 2.0).max(0.0);
        Mover(Wdl { win: share(value), draw, loss: share(-value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sharp_position_is_distinguished_from_a_draw() {
        for wdl in [[0.45, 0.1, 0.45], [0.0, 1.0, 0.0], [0.7, 0.299, 0.001], [0.0, 0.002, 0.998], [1.0, 0.0, 0.0]] {
            let kept = <[f32; 3]>::from(Ply::new(0, &[], Mover(wdl.into())).wdl().0);
            assert!(kept.iter().zip(wdl).all(|(kept, share)| (kept - share).abs() < 0.0025), "{kept:?} for {wdl:?}");
            assert!(
                kept.iter().all(|share| *share >= 0.0) && (kept.iter().sum::<f32>() - 1.0).abs() < 1e-6,
                "{kept:?}"
            );
        }
    }
}
