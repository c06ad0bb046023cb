//! Perfect play in Nim.

use super::game::{Nim, START};
use crate::{Judgement, Mover, Oracle, Score};

/// Positions of four heaps, 0 to 7 sticks each.
const POSITIONS: usize = 8 * 8 * 8 * 8;

/// Every position, solved from the end of the game.
pub(super) struct Solved {
    /// Whether the mover wins, and after how many plies the game is over.
    results: Vec<(bool, u32)>,
}

impl Solved {
    pub(super) fn new() -> Solved {
        let mut solved = Solved { results: vec![(false, 0); POSITIONS] };
        // A move makes one heap smaller, so all positions that it can lead to come before this one.
        for a in 0..=START[0] {
            for b in 0..=START[1] {
                for c in 0..=START[2] {
                    for d in 0..=START[3] {
                        solved.results[number([a, b, c, d])] = solved.best([a, b, c, d]);
                    }
                }
            }
        }
        solved
    }

    /// The result of the best move: to win soon, or else to lose late. Without moves the mover has lost.
    fn best(&self, heaps: [u8; 4]) -> (bool, u32) {
        let mut best: Option<(bool, u32)> = None;
        for (heap, &sticks) in heaps.iter().enumerate() {
            for left in 0..sticks {
                let mut after = heaps;
                after[heap] = left;
                let (loses, plies) = self.results[number(after)];
                let result = (!loses, plies + 1);
                let is_better = best.is_none_or(|(wins, plies)| match (result.0, wins) {
                    (true, true) => result.1 < plies,
                    (false, false) => result.1 > plies,
                    (wins, _) => wins,
                });
                if is_better {
                    best = Some(result);
                }
            }
        }
        best.unwrap_or((false, 0))
    }
}

fn number(heaps: [u8; 4]) -> usize {
    heaps.iter().fold(0, |number, &sticks| 8 * number + usize::from(sticks))
}

impl Oracle<Nim> for Solved {
    fn judge(&mut self, game: &Nim) -> Judgement {
        let (wins, plies) = self.results[number(game.heaps())];
        Judgement { score: Mover(if wins { Score::WIN } else { Score::LOSS }), plies }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    /// Bouton (1901): the mover loses exactly if the numbers of sticks, in binary, add up to 0 without carrying.
    #[test]
    fn the_mover_wins_unless_the_sum_without_carrying_is_zero() {
        let mut oracle = Solved::new();
        for position in 0..2 * 4 * 6 * 8u32 {
            let heaps = [position % 2, position / 2 % 4, position / 8 % 6, position / 48];
            let [a, b, c, d] = heaps;
            let game = Nim::from_position(&format!("{a}-{b}-{c}-{d} first"), &()).unwrap();
            let wins = oracle.judge(&game).score == Mover(Score::WIN);
            assert_eq!(wins, a ^ b ^ c ^ d != 0, "{}", game.position());
        }
    }
}
