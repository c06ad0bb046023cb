//! Seeds that follow from other seeds.

/// A seed for one purpose out of many, so that what happens in a game depends neither on the games before it nor on the
/// thread that plays it. (The mixing step of SplitMix64 after each part.)
pub fn derive(seed: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(mix(seed), |seed, part| mix(seed ^ mix(*part)))
}

/// The mixing step of SplitMix64: neighbouring numbers become quite different ones.
pub fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_their_order_matter() {
        let seeds = [derive(1, &[]), derive(1, &[0]), derive(1, &[1, 2]), derive(1, &[2, 1]), derive(2, &[1, 2])];
        for (number, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..number].contains(seed));
        }
    }
}
