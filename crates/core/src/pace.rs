//! The speed of some work, and the time that is left.

/// Measures a speed from counts of finished work, at times in seconds since any moment. All observations weigh the
/// same: a moving average would forget generations, which are rare.
#[derive(Debug, Default)]
pub struct Pace {
    /// The first and the last observation: work done, time.
    seen: Option<[(u64, f64); 2]>,
}

impl Pace {
    /// Notes the work `done` at the time `now`. If it is less than before, other work has begun.
    pub fn note(&mut self, done: u64, now: f64) {
        let same_work = self.seen.filter(|[_, (last, _)]| done >= *last);
        let first = same_work.map_or((done, now), |[first, _]| first);
        self.seen = Some([first, (done, now)]);
    }

    /// Work per second; unknown until some was done.
    pub fn per_second(&self) -> Option<f64> {
        let [(before, began), (done, ended)] = self.seen?;
        (done > before && ended > began).then(|| (done - before) as f64 / (ended - began))
    }

    /// Seconds until `of` is done.
    pub fn left(&self, of: u64, now: f64) -> Option<f64> {
        let [_, (done, last)] = self.seen?;
        let rest = of.saturating_sub(done) as f64 / self.per_second()?;
        Some((rest - (now - last)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_all_observations() {
        let mut pace = Pace::default();
        assert_eq!((pace.per_second(), pace.left(10, 5.0)), (None, None));
        // A run that was resumed in its third generation.
        pace.note(2, 100.0);
        assert_eq!(pace.left(10, 150.0), None);
        pace.note(3, 200.0);
        pace.note(4, 500.0);
        assert_eq!(pace.per_second(), Some(1.0 / 200.0));
        assert_eq!(pace.left(10, 500.0), Some(1_200.0));
        assert_eq!(pace.left(10, 600.0), Some(1_100.0));
        let mut again = Pace { ..pace };
        again.note(1, 600.0);
        again.note(3, 601.0);
        assert_eq!(again.per_second(), Some(2.0));
        assert_eq!((pace.left(10, 9_999.0), pace.left(4, 500.0)), (Some(0.0), Some(0.0)));
    }
}
