//! Terms of an evaluation that count differently as a game goes on.

/// Middlegame and endgame value, in hundredths of a pawn.
#[derive(Clone, Copy)]
pub(crate) struct Pair(pub i32, pub i32);

impl Pair {
    /// Interpolates by game phase: the middlegame value where `left` is at least `full`, the endgame value where it is 0.
    pub fn mixed(self, left: i32, full: i32) -> i32 {
        let left = left.min(full);
        (self.0 * left + self.1 * (full - left)) / full
    }
}

impl std::ops::Sub for Pair {
    type Output = Pair;

    fn sub(self, other: Pair) -> Pair {
        Pair(self.0 - other.0, self.1 - other.1)
    }
}

impl std::ops::Add for Pair {
    type Output = Pair;

    fn add(self, other: Pair) -> Pair {
        Pair(self.0 + other.0, self.1 + other.1)
    }
}

impl std::ops::AddAssign for Pair {
    fn add_assign(&mut self, other: Pair) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

impl std::ops::Mul<Pair> for i32 {
    type Output = Pair;

    fn mul(self, pair: Pair) -> Pair {
        Pair(self * pair.0, self * pair.1)
    }
}
