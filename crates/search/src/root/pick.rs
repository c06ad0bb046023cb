//! The move to play.

use rand::RngExt;

use crate::tree::Child;

/// The first of the [ranked](crate::tree::View::ranked) moves or, at a temperature T above 0, a random one with weights
/// `visits^(1/T)`, as in AlphaZero. A proven win is always played, and a proven loss only if there is nothing else.
/// Without visits, priors are the weights.
pub fn pick<'a>(ranked: &'a [Child], temperature: f64, random: &mut impl RngExt) -> Option<&'a Child> {
    let visited = ranked.iter().any(|child| is_open(child) && child.visits > 0);
    let size = |child: &Child| if visited { f64::from(child.visits) } else { f64::from(child.prior) };
    pick_by(ranked, size, temperature, random)
}

/// The same with `size`, at least 0, in place of visits.
pub fn pick_by<'a>(
    ranked: &'a [Child],
    size: impl Fn(&Child) -> f64,
    temperature: f64,
    random: &mut impl RngExt,
) -> Option<&'a Child> {
    let best = ranked.first()?;
    if temperature <= 0.0 || best.proof.is_some_and(|proof| proof.is_win() || proof.is_loss()) {
        return Some(best);
    }
    let open: Vec<_> = ranked.iter().filter(|child| is_open(child)).collect();
    let largest = open.iter().map(|child| size(child)).fold(f64::MIN_POSITIVE, f64::max);
    let weights: Vec<_> = open.iter().map(|child| (size(child) / largest).powf(1.0 / temperature)).collect();
    let mut at = random.random::<f64>() * weights.iter().sum::<f64>();
    for (child, weight) in open.iter().zip(weights) {
        at -= weight;
        if at < 0.0 {
            return Some(child);
        }
    }
    Some(best)
}

/// Whether a move is not known to lose.
fn is_open(child: &Child) -> bool {
    !child.proof.is_some_and(|proof| proof.is_loss())
}

#[cfg(test)]
mod tests {
    use alfil_game::{Mover, Score};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::tree::Proof;

    fn child(code: u16, visits: u32, proof: Option<f32>) -> Child {
        let proof = proof.map(|points| Proof { score: Mover(Score::new(points)), plies: 3 });
        Child { edge: code, code, prior: 0.5, visits, started: visits, wdl: None, moves_left: None, proof }
    }

    #[test]
    fn random_picks_follow_visits_but_never_miss_a_win_or_take_a_loss() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut count = |ranked: &[Child], temperature| {
            let mut counts = [0; 3];
            for _ in 0..3_000 {
                counts[usize::from(pick(ranked, temperature, &mut random).unwrap().code)] += 1;
            }
            counts
        };
        let open = [child(0, 60, None), child(1, 30, None), child(2, 10, Some(0.0))];
        let [first, second, lost] = count(&open, 1.0);
        assert!((1_900..=2_100).contains(&first) && second > 900 && lost == 0, "{first} {second} {lost}");
        assert!(count(&open, 0.5)[0] > 2_300);
        assert_eq!(count(&open, 0.0), [3_000, 0, 0]);
        assert_eq!(count(&[child(0, 1, Some(1.0)), child(1, 99, None)], 1.0), [3_000, 0, 0]);
        assert_eq!(count(&[child(0, 5, Some(0.0)), child(1, 9, Some(0.0))], 1.0), [3_000, 0, 0]);
        assert!(pick(&[], 1.0, &mut random).is_none());
    }
}
