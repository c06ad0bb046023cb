//! What quiet moves have caused cutoffs before: killers, countermoves, history.

use alfil_game::Side;

use super::descent::PLIES;

/// History scores stay within this, in both directions.
const MOST: i32 = 16_384;

/// What a cutoff adds at most.
const MOST_BONUS: i32 = 1_600;

/// Moves by their codes.
pub(super) struct History {
    /// By ply: the last two quiet moves that caused a cutoff.
    killers: Vec<[Option<u16>; 2]>,
    /// By side and code. Each reward moves a score a part of the way to the end of its range: what was good long ago is forgotten,
    /// and none grows without bound.
    scores: [Vec<i32>; 2],
    /// By the code of the opponent's move: the last quiet move that refuted it, and 1; 0 is none.
    counters: Vec<u32>,
}

impl History {
    pub fn new() -> History {
        let scores = || vec![0; 1 << 16];
        History { killers: vec![[None; 2]; PLIES], scores: [scores(), scores()], counters: vec![0; 1 << 16] }
    }

    /// Forgets what belongs to the plies of another root.
    pub fn begin(&mut self) {
        self.killers.fill([None; 2]);
    }

    /// A quiet move has caused a cutoff, and those that were `tried` before it have not. `last` is the move that it answers.
    pub fn reward(&mut self, side: Side, ply: usize, depth: u32, code: u16, last: Option<u16>, tried: &[u16]) {
        if let Some(killers) = self.killers.get_mut(ply).filter(|killers| killers[0] != Some(code)) {
            *killers = [Some(code), killers[0]];
        }
        if let Some(last) = last {
            self.counters[usize::from(last)] = u32::from(code) + 1;
        }
        let bonus = (16 * (depth * depth) as i32).min(MOST_BONUS);
        self.add(side, code, bonus);
        tried.iter().for_each(|code| self.add(side, *code, -bonus));
    }

    fn add(&mut self, side: Side, code: u16, bonus: i32) {
        let score = &mut self.scores[side as usize][usize::from(code)];
        *score += bonus - *score * bonus.abs() / MOST;
    }

    /// How good a quiet move was, from minus to plus 16,384.
    pub fn score(&self, side: Side, code: u16) -> i32 {
        self.scores[side as usize][usize::from(code)]
    }

    /// A number that is larger the sooner a quiet move is to be tried, less than 2^40.
    pub fn rank(&self, side: Side, ply: usize, code: u16, last: Option<u16>) -> i64 {
        let killer = self.killers.get(ply).is_some_and(|killers| killers.contains(&Some(code)));
        let counter = last.is_some_and(|last| self.counters[usize::from(last)] == u32::from(code) + 1);
        i64::from(killer) << 36 | i64::from(counter) << 35 | i64::from(self.score(side, code) + MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_stay_within_their_range_and_fade() {
        let mut history = History::new();
        for _ in 0..10_000 {
            history.reward(Side::First, 0, 50, 7, None, &[8]);
        }
        let [good, bad] = [7, 8].map(|code| history.score(Side::First, code));
        assert!((MOST * 9 / 10..=MOST).contains(&good) && (-MOST..=-MOST * 9 / 10).contains(&bad), "{good} {bad}");
        assert_eq!(history.score(Side::Second, 7), 0);
        for _ in 0..20 {
            history.reward(Side::First, 0, 50, 8, None, &[7]);
        }
        assert!(history.score(Side::First, 7) < history.score(Side::First, 8), "the last ones count most");
    }

    #[test]
    fn killers_come_before_answers_and_these_before_history() {
        let mut history = History::new();
        history.reward(Side::First, 3, 9, 1, None, &[]);
        history.reward(Side::First, 5, 2, 2, Some(77), &[]);
        for _ in 0..50 {
            history.reward(Side::First, 9, 9, 3, None, &[4]);
        }
        let ranks = [1, 2, 3, 5, 4].map(|code| history.rank(Side::First, 3, code, Some(77)));
        assert!(ranks.is_sorted_by(|one, other| one > other), "{ranks:?}");
        assert!(ranks.iter().all(|rank| (0..1 << 40).contains(rank)));
        history.begin();
        assert_eq!(history.rank(Side::First, 3, 1, None) >> 35, 0);
    }
}
