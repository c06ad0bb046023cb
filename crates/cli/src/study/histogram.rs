//! Counts of whole numbers.

/// How often each whole number was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Indexed by number.
    counts: Vec<u64>,
}

impl Histogram {
    /// Counts a number.
    pub fn add(&mut self, number: usize) {
        if self.counts.len() <= number {
            self.counts.resize(number + 1, 0);
        }
        self.counts[number] += 1;
    }

    /// Adds the counts of another one.
    pub fn merge(&mut self, other: &Histogram) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
    }

    /// How many numbers were counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many of them are at least `from` and less than `to`.
    pub fn between(&self, from: usize, to: usize) -> u64 {
        self.counts.iter().take(to).skip(from).sum()
    }

    /// Their mean; 0 if there are none.
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.counts.iter().zip(0..).map(|(count, number)| count * number).sum();
        sum as f64 / self.total().max(1) as f64
    }

    /// The smallest number that at least this share of them does not exceed: the median for 0.5.
    pub fn quantile(&self, share: f64) -> usize {
        let rank = (share * self.total() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let reached = self.counts.iter().position(|count| {
            seen += count;
            seen >= rank
        });
        reached.unwrap_or(0)
    }

    /// The largest number.
    pub fn largest(&self) -> usize {
        self.counts.len().saturating_sub(1)
    }
}

impl<'a> FromIterator<&'a Histogram> for Histogram {
    fn from_iter<I: IntoIterator<Item = &'a Histogram>>(parts: I) -> Histogram {
        let mut all = Histogram::default();
        parts.into_iter().for_each(|part| all.merge(part));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_numbers() {
        let of = |numbers: &[usize]| {
            let mut histogram = Histogram::default();
            numbers.iter().for_each(|number| histogram.add(*number));
            histogram
        };
        let some = of(&[7, 1, 3, 3]);
        assert_eq!((some.total(), some.mean(), some.largest()), (4, 3.5, 7));
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| some.quantile(share)), [1, 1, 3, 3, 7]);
        assert_eq!((some.between(1, 3), some.between(3, 8), some.between(0, 99)), (1, 3, 4));
        let parts = [of(&[7]), of(&[]), of(&[1, 3, 3])];
        assert_eq!(parts.iter().collect::<Histogram>(), some);
        let none = Histogram::default();
        assert_eq!((none.total(), none.mean(), none.quantile(0.5), none.largest()), (0, 0.0, 0, 0));
    }
}
