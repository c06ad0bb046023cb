//! Limited strength.

/// Visits per move and temperature for a strength in Elo: the visits double every 150 points, from a single one at 700,
/// and the choice among moves gets less random. A rough guess, which depends on the network.
pub(crate) fn handicap(elo: u32) -> (u32, f32) {
    let elo = elo as f32;
    let visits = ((elo - 700.0) / 150.0).max(0.0).exp2();
    (visits as u32, ((2_600.0 - elo) / 2_000.0).clamp(0.0, 1.0))
}
