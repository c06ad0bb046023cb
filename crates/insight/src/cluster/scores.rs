//! What tells groups apart.

use std::collections::BTreeMap;

/// A label in a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelScore {
    /// The value that most members have.
    pub mode: i8,
    /// The share of members that have it.
    pub share: f64,
    /// How much the group differs from all points in this label, from 0 to 1: the largest excess of a value's share over its share
    /// among all, relative to the largest excess that there could be. 1 if all members have one value and others have not.
    pub differentiation: f64,
}

/// The scores of a label in each of `groups` groups. `of` and `values` have the group and the value of each point.
pub fn label_scores(values: &[i8], of: &[usize], groups: usize) -> Vec<LabelScore> {
    let all = shares(values.iter().copied());
    (0..groups)
        .map(|group| {
            let members = values.iter().zip(of).filter(|(_, of)| **of == group).map(|(value, _)| *value);
            let inside = shares(members);
            let mode = inside
                .iter()
                .max_by(|(_, a), (_, b)| a.total_cmp(b))
                .map_or((0, 0.0), |(value, share)| (*value, *share));
            let excess = |(value, inside): (&i8, &f64)| match all.get(value).copied().unwrap_or(0.0) {
                all if all >= 1.0 => 0.0,
                all => (inside - all) / (1.0 - all),
            };
            let differentiation = inside.iter().map(excess).fold(0.0, f64::max);
            LabelScore { mode: mode.0, share: mode.1, differentiation }
        })
        .collect()
}

/// The share of each value.
fn shares(values: impl Iterator<Item = i8>) -> BTreeMap<i8, f64> {
    let mut counts: BTreeMap<i8, f64> = BTreeMap::new();
    let mut all = 0.0;
    for value in values {
        *counts.entry(value).or_default() += 1.0;
        all += 1.0;
    }
    counts.values_mut().for_each(|count| *count /= all);
    counts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn groups_with_one_value_differ_most() {
        let scores = label_scores(&[1, 1, 0, 0, 0, 1], &[0, 0, 1, 1, 2, 2], 4);
        assert_eq!((scores[0].mode, scores[0].share, scores[0].differentiation), (1, 1.0, 1.0));
        assert_eq!((scores[2].share, scores[2].differentiation), (0.5, 0.0), "as among all");
        assert_eq!((scores[3].share, scores[3].differentiation), (0.0, 0.0), "nobody");
        assert_eq!(label_scores(&[2, 2], &[0, 1], 2)[0].differentiation, 0.0, "a constant tells nothing");
    }

    proptest! {
        #[test]
        fn scores_are_shares(points in proptest::collection::vec((0i8..4, 0usize..5), 0..50)) {
            let (values, of): (Vec<i8>, Vec<usize>) = points.into_iter().unzip();
            for score in label_scores(&values, &of, 5) {
                prop_assert!((0.0..=1.0).contains(&score.share) && (0.0..=1.0).contains(&score.differentiation));
            }
        }
    }
}
