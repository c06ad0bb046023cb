//! Two simpler rules.

/// The rule of plain Monte Carlo tree search, `Q + c sqrt(ln N / n)`. An unvisited move comes before all others.
pub fn uct(q: f32, c: f32, parent_visits: u32, visits: u32) -> f32 {
    if visits == 0 {
        return f32::INFINITY;
    }
    q + c * ((parent_visits.max(1) as f32).ln() / visits as f32).sqrt()
}

/// A simplification of PUCT, `A = Q + P / (1 + N)` with N the move's own visits (A. Fernández Camello, Ajedrez y
/// Computación, 2023).
pub fn simple_puct(q: f32, prior: f32, visits: u32) -> f32 {
    q + prior / (1.0 + visits as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_match_their_formulas() {
        assert_eq!(uct(-1.0, 1.4, 10, 0), f32::INFINITY);
        assert!((uct(0.5, 2f32.sqrt(), 100, 10) - (0.5 + (2.0 * 100f32.ln() / 10.0).sqrt())).abs() < 1e-6);
        assert_eq!(simple_puct(0.25, 0.5, 1), 0.5);
    }
}
