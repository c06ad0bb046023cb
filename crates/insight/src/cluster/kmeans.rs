//! Groups of points that are near each other.

use alfil_core::seed::derive;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::matrix::{Matrix, distance};

/// Passes after which a start counts as finished even if points still change places, as in the thesis.
const PASSES: usize = 200;

/// How groups are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KMeans {
    /// How many groups.
    pub groups: usize,
    /// Starts from other centres, of which the best one counts.
    pub starts: u64,
    /// What decides the centres to start with.
    pub seed: u64,
}

/// Groups of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// Their centres: fewer than were asked for if there are not as many different points.
    pub centres: Matrix,
    /// The group of each point.
    pub of: Vec<usize>,
    /// The sum of squared distances of points from their centres.
    pub inertia: f64,
}

impl KMeans {
    /// The best groups of all starts (Lloyd's algorithm from centres of k-means++).
    pub fn fit(&self, points: &Matrix) -> Groups {
        let mut best: Option<Groups> = None;
        for start in 0..self.starts.max(1) {
            let found = self.start(points, derive(self.seed, &[self.groups as u64, start]));
            if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
                best = Some(found);
            }
        }
        best.unwrap_or(Groups { centres: Matrix::new(points.columns()), of: Vec::new(), inertia: 0.0 })
    }

    fn start(&self, points: &Matrix, seed: u64) -> Groups {
        let mut centres = first_centres(points, self.groups, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let (mut of, mut inertia) = assign(points, &centres);
        for _ in 0..PASSES {
            centres = means(points, &of, &centres);
            let (next, next_inertia) = assign(points, &centres);
            inertia = next_inertia;
            if std::mem::replace(&mut of, next) == of {
                break;
            }
        }
        Groups { centres, of, inertia }
    }

    /// The sum of squared distances for each number of groups: where it stops falling fast, more groups tell little.
    pub fn elbow(&self, points: &Matrix, groups: impl IntoIterator<Item = usize>) -> Vec<(usize, f64)> {
        groups.into_iter().map(|groups| (groups, KMeans { groups, ..*self }.fit(points).inertia)).collect()
    }
}

impl Groups {
    /// The group whose centre is nearest to a point; 0 if there are none.
    pub fn nearest(centres: &Matrix, point: &[f32]) -> usize {
        nearest(centres, point).0
    }

    /// How many points are in each group.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.centres.len()];
        self.of.iter().for_each(|group| sizes[*group] += 1);
        sizes
    }
}

fn nearest(centres: &Matrix, point: &[f32]) -> (usize, f64) {
    let distances = centres.rows().map(|centre| distance(centre, point)).enumerate();
    distances.min_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or((0, 0.0))
}

/// Points far from all centres so far are drawn more often, by the square of their distance.
fn first_centres(points: &Matrix, groups: usize, random: &mut Xoshiro256PlusPlus) -> Matrix {
    let mut centres = Matrix::new(points.columns());
    let mut weights = vec![1.0; points.len()];
    while centres.len() < groups {
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            break;
        }
        let mut left = random.random::<f64>() * sum;
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a little after the last.
        let Some(drawn) = drawn.or_else(|| weights.iter().rposition(|weight| *weight > 0.0)) else { break };
        centres.push(points.row(drawn));
        let is_first = centres.len() == 1;
        for (weight, point) in weights.iter_mut().zip(points.rows()) {
            let from_new = distance(point, points.row(drawn));
            *weight = if is_first { from_new } else { weight.min(from_new) };
        }
    }
    centres
}

fn assign(points: &Matrix, centres: &Matrix) -> (Vec<usize>, f64) {
    let mut inertia = 0.0;
    let of = points.rows().map(|point| {
        let (group, distance) = nearest(centres, point);
        inertia += distance;
        group
    });
    (of.collect(), inertia)
}

/// The means of the groups. A group without points keeps its centre.
fn means(points: &Matrix, of: &[usize], centres: &Matrix) -> Matrix {
    let mut sums = vec![0.0; centres.len() * points.columns()];
    let mut counts = vec![0_u64; centres.len()];
    for (point, &group) in points.rows().zip(of) {
        counts[group] += 1;
        let sum = &mut sums[group * points.columns()..][..points.columns()];
        sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    let mut means = Matrix::new(points.columns());
    for (group, count) in counts.into_iter().enumerate() {
        let sum = &sums[group * points.columns()..][..points.columns()];
        let mean: Vec<f32> = sum.iter().map(|sum| (sum / count as f64) as f32).collect();
        means.push(if count == 0 { centres.row(group) } else { &mean });
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points around some centres.
    fn planted(groups: usize, each: usize) -> Matrix {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut points = Matrix::new(2);
        for index in 0..groups * each {
            let centre = (index % groups) as f32 * 10.0;
            points.push(&[centre + random.random::<f32>(), centre * 0.5 + random.random::<f32>()]);
        }
        points
    }

    #[test]
    fn planted_groups_are_found_and_the_elbow_is_there() {
        let points = planted(5, 40);
        let search = KMeans { groups: 5, starts: 10, seed: 1 };
        let found = search.fit(&points);
        assert_eq!(found.sizes(), [40; 5]);
        assert!((0..200).all(|index| found.of[index] == found.of[index % 5]));
        assert_eq!(search.fit(&points), found, "the same seed finds the same");
        let elbow: Vec<f64> = search.elbow(&points, 1..9).into_iter().map(|(_, inertia)| inertia).collect();
        assert!(elbow.windows(2).all(|pair| pair[1] <= pair[0] * 1.0001), "{elbow:?}");
        let falls: Vec<f64> = elbow.windows(2).map(|pair| pair[0] / pair[1]).collect();
        assert!(falls[3] > 5.0 && falls[4..].iter().all(|fall| *fall < 2.0), "{falls:?}");
    }

    #[test]
    fn points_belong_to_the_nearest_centre_which_is_their_mean() {
        let points = planted(3, 30);
        let found = KMeans { groups: 4, starts: 3, seed: 2 }.fit(&points);
        for (point, group) in points.rows().zip(&found.of) {
            let own = distance(point, found.centres.row(*group));
            assert!(found.centres.rows().all(|centre| own <= distance(point, centre) + 1e-9));
        }
        for group in 0..4 {
            let members: Vec<&[f32]> =
                points.rows().zip(&found.of).filter(|(_, of)| **of == group).map(|(p, _)| p).collect();
            let mean = members.iter().map(|point| point[0]).sum::<f32>() / members.len() as f32;
            assert!((mean - found.centres.row(group)[0]).abs() < 1e-4);
        }
    }

    #[test]
    fn odd_inputs_end() {
        let mut same = Matrix::new(1);
        (0..5).for_each(|_| same.push(&[3.0]));
        let found = KMeans { groups: 3, starts: 2, seed: 0 }.fit(&same);
        assert_eq!((found.centres.len(), found.inertia, found.of.len()), (1, 0.0, 5));
        assert!(KMeans { groups: 3, starts: 1, seed: 0 }.fit(&Matrix::new(4)).of.is_empty());
    }
}
