//! From values to a probability for each choice.

use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit};

/// The probabilities `exp(v / T) / Σ exp(v / T)`. A temperature near 0 gives everything to the largest value, a high one the same
/// to all. No values give no probabilities.
///
/// ```
/// let shares = alfil_primer::softmax::softmax(&[1.0, 4.0, 3.0, 1.0], 1.0);
/// assert_eq!(shares.map(|share| (1000.0 * share).round()), [34.0, 681.0, 251.0, 34.0]);
/// ```
pub fn softmax<const N: usize>(values: &[f64; N], temperature: f64) -> [f64; N] {
    let mut shares = *values;
    normalise(&mut shares, temperature);
    shares
}

/// The same in place, for any number of values.
pub fn normalise(values: &mut [f64], temperature: f64) {
    // Subtracting the largest changes nothing but keeps the exponentials finite.
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values.iter_mut().for_each(|value| *value = ((*value - largest) / temperature).exp());
    let sum: f64 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= sum);
}

/// The probabilities at each temperature as bars.
pub fn svg(values: &[f64], temperatures: &[f64]) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 240.0;
    let (left, top) = (64.0, 50.0 + 20.0 * temperatures.len() as f64);
    let plot = Plot {
        x: Axis::between(0.0, values.len().max(1) as f64, 1.0),
        y: Axis::between(0.0, 1.0, 0.25),
        left,
        right: left + WIDTH,
        top,
        bottom: top + HEIGHT,
    };
    let mut picture = Picture::file(WIDTH + 2.0 * left, top + HEIGHT + 52.0);
    picture.text("title ink", (left, 24.0), "Softmax");
    plot.draw_y_axis(&mut picture, Unit::Share);
    plot.name_x_axis(&mut picture, "values");
    for (number, temperature) in temperatures.iter().enumerate() {
        let colour = Colour(number);
        picture.key(colour, (left, 50.0 + 20.0 * number as f64), &format!("temperature {temperature}"));
        let mut shares = values.to_vec();
        normalise(&mut shares, *temperature);
        for (place, (share, value)) in shares.iter().zip(values).enumerate() {
            let width = 0.8 / temperatures.len() as f64;
            let x = place as f64 + 0.1 + width * number as f64;
            let title = format!("{value} at {temperature}: {share:.3}");
            picture.bar(&format!("stair {}", colour.class()), plot.at(x, *share), plot.at(x + width, 0.0), &title);
        }
    }
    for (place, value) in values.iter().enumerate() {
        picture.text("middle", (plot.x(place as f64 + 0.5), plot.bottom + 17.0), &value.to_string());
    }
    picture.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rounded<const N: usize>(values: &[f64; N], temperature: f64, places: i32) -> [f64; N] {
        let scale = 10f64.powi(places);
        softmax(values, temperature).map(|share| (scale * share).round() / scale)
    }

    #[test]
    fn the_book_s_figures() {
        assert_eq!(rounded(&[1.0, 4.0, 3.0, 1.0], 1.0, 3), [0.034, 0.681, 0.251, 0.034]);
        // The start of the grid world: only the way down has been tried, and is worth 0.2317.
        assert_eq!(rounded(&[0.0, 0.0, 0.2317, 0.0], 1.0, 4), [0.2347, 0.2347, 0.2959, 0.2347]);
    }

    #[test]
    fn temperature_goes_from_the_best_to_all() {
        assert_eq!(rounded(&[1.0, 4.0, 3.0, 1.0], 0.01, 3), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(rounded(&[1.0, 4.0, 3.0, 1.0], 1e6, 3), [0.25; 4]);
        assert_eq!(rounded(&[-1e308, 1e308], 1.0, 3), [0.0, 1.0]);
    }

    proptest! {
        #[test]
        fn shares_add_up_to_one_in_the_order_of_the_values(
            values in proptest::array::uniform4(-1e3..1e3f64), temperature in 0.1..100.0f64,
        ) {
            let shares = softmax(&values, temperature);
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (one, other) in [(0, 1), (1, 2), (2, 3)] {
                prop_assert!(values[one] <= values[other] || shares[one] >= shares[other]);
            }
        }
    }

    #[test]
    fn each_share_is_a_bar() {
        assert_eq!(svg(&[1.0, 4.0], &[0.5, 1.0, 2.0]).matches("<rect class=\"stair").count(), 6);
    }
}
