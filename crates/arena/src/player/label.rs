//! What a player teaches about a position.

use alfil_game::{Mover, Wdl};

use super::{Choice, MoveScore, PlayerError};

/// How a player is asked for labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelSettings {
    /// The most moves that share a policy, at least 1. Of several moves each has a score of its own.
    pub lines: usize,
    /// A move that is worse by this much, in pawns, has a share that is smaller by the factor e. More than 0.
    pub temperature: f32,
}

impl Default for LabelSettings {
    /// The best move has the whole policy.
    fn default() -> LabelSettings {
        LabelSettings { lines: 1, temperature: 0.5 }
    }
}

/// What is to be learnt about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Label<M> {
    /// Win, draw and loss.
    pub wdl: Mover<Wdl>,
    /// Legal moves with their shares, which add up to 1.
    pub policy: Vec<(M, f32)>,
}

impl<M: Copy + Eq> Label<M> {
    /// A policy of moves with scores, the best first: their shares are `exp(score / temperature)`.
    pub(super) fn soft(
        wdl: Mover<Wdl>,
        mut moves: Vec<(M, MoveScore)>,
        settings: &LabelSettings,
    ) -> Result<Label<M>, PlayerError> {
        moves.truncate(settings.lines.max(1));
        let best = moves.iter().map(|(_, score)| score.pawns()).fold(f32::NEG_INFINITY, f32::max);
        let mut policy: Vec<(M, f32)> = Vec::with_capacity(moves.len());
        for (m, score) in moves {
            // An engine may have named a move in two lines.
            if policy.iter().all(|(other, _)| *other != m) {
                policy.push((m, ((score.pawns() - best) / settings.temperature).exp()));
            }
        }
        let sum: f32 = policy.iter().map(|(_, share)| share).sum();
        if sum <= 0.0 {
            return Err(PlayerError::NoMove);
        }
        policy.iter_mut().for_each(|(_, share)| *share /= sum);
        Ok(Label { wdl, policy })
    }
}

impl<M: Copy + Eq> Choice<M> {
    /// The label of a player that has a score for its move only.
    pub(super) fn into_label(self) -> Result<Label<M>, PlayerError> {
        let opinion = self.opinion.ok_or(PlayerError::NoScore)?;
        Ok(Label { wdl: opinion.score.wdl(), policy: vec![(self.m, 1.0)] })
    }
}

#[cfg(test)]
mod tests {
    use super::MoveScore::{Hundredths, Loss, Win};
    use super::*;

    fn soft(moves: &[(u16, MoveScore)], lines: usize, temperature: f32) -> Vec<(u16, f32)> {
        Label::soft(Mover(Wdl::DRAW), moves.to_vec(), &LabelSettings { lines, temperature }).unwrap().policy
    }

    #[test]
    fn shares_fall_with_the_score() {
        let moves = [(1, Hundredths(50)), (2, Hundredths(0)), (3, Hundredths(-50)), (4, Hundredths(40))];
        let policy = soft(&moves, 3, 0.5);
        let e = std::f32::consts::E;
        let sum = 1.0 + 1.0 / e + 1.0 / (e * e);
        let expected = [(1, 1.0 / sum), (2, 1.0 / e / sum), (3, 1.0 / (e * e) / sum)];
        assert_eq!(policy.len(), 3);
        assert!(
            policy.iter().zip(expected).all(|(found, right)| found.0 == right.0 && (found.1 - right.1).abs() < 1e-6)
        );
        assert_eq!(soft(&moves, 1, 0.5), [(1, 1.0)]);
        assert_eq!(soft(&[(1, Win(9)), (2, Hundredths(30_000)), (3, Loss(1))], 3, 0.5), [(1, 1.0), (2, 0.0), (3, 0.0)]);
        assert_eq!(soft(&[(1, Hundredths(0)), (1, Hundredths(0))], 2, 0.5), [(1, 1.0)], "named twice");
    }

    #[test]
    fn what_cannot_be_a_label_is_refused() {
        let none = Label::<u16>::soft(Mover(Wdl::DRAW), Vec::new(), &LabelSettings::default());
        assert_eq!(none, Err(PlayerError::NoMove));
        assert_eq!(Choice { m: 1_u16, opinion: None }.into_label(), Err(PlayerError::NoScore));
    }
}
