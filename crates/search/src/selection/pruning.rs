//! Forced playouts, and taking them out of the training target again (KataGo).

use super::Puct;

/// Visits that a root move gets whatever its value: `sqrt(k P N)`. KataGo's k is 2.
pub fn forced_visits(k: f32, prior: f32, parent_visits: u32) -> u32 {
    (k * prior * parent_visits as f32).sqrt() as u32
}

/// Visits of each move as PUCT would have shared them out, had it known the final values: those of all moves except the
/// most visited one are reduced as long as their score stays below its. A single visit that is left is dropped too.
///
/// `moves` holds value, prior and visits of each.
pub fn pruned_visits(puct: &Puct, moves: &[(f32, f32, u32)]) -> Vec<u32> {
    let total: u32 = moves.iter().map(|(_, _, visits)| visits).sum();
    let best = moves.iter().enumerate().max_by_key(|(_, (_, _, visits))| *visits).map(|(at, _)| at);
    let Some(best) = best else { return Vec::new() };
    let (q, prior, visits) = moves[best];
    let goal = puct.score(q, prior, total, visits);
    let reduced = |&(q, prior, visits): &(f32, f32, u32)| {
        // The fewest visits for which the score is not above the goal.
        let wanted = puct.exploration(total) * prior * (total as f32).sqrt() / (goal - q).max(f32::MIN_POSITIVE) - 1.0;
        match (wanted.max(0.0).ceil() as u32).min(visits) {
            1 => 0,
            left => left,
        }
    };
    moves.iter().enumerate().map(|(at, m)| if at == best { m.2 } else { reduced(m) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forced_visits_grow_with_the_root() {
        assert_eq!(forced_visits(2.0, 0.1, 800), 12);
        assert_eq!(forced_visits(2.0, 0.0, 800), 0);
    }

    #[test]
    fn visits_that_only_noise_caused_are_dropped() {
        let puct = Puct::SELF_PLAY;
        // The second move is much worse and was only visited because it had to be; the third is as good as the first.
        let moves = [(0.3, 0.5, 500), (-0.6, 0.1, 40), (0.3, 0.4, 380), (-0.9, 0.001, 3)];
        let pruned = pruned_visits(&puct, &moves);
        assert_eq!(pruned[0], 500);
        assert!(pruned[1] < 20, "{pruned:?}");
        assert!(pruned[2] > 350, "{pruned:?}");
        assert_eq!(pruned[3], 0);
        // After the reduction, the moves still score below the most visited one.
        let total = moves.iter().map(|m| m.2).sum();
        let goal = puct.score(0.3, 0.5, total, 500);
        for (&(q, prior, before), &after) in moves.iter().zip(&pruned).filter(|(m, after)| **after > 0 && **after < m.2)
        {
            assert!(puct.score(q, prior, total, after) <= goal + 1e-4, "{before} to {after}");
        }
        assert!(pruned_visits(&puct, &[]).is_empty());
    }
}
