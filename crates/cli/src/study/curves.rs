//! Curves with a logarithmic axis or two, as a picture.

use alfil_core::svg::{Axis, Colour, Picture, Plot, Unit};

// In pixels.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const FIELD: f64 = 320.0;
const BELOW: f64 = 52.0;

/// What is drawn.
pub struct Curves<'a> {
    pub title: &'a str,
    /// What the numbers from left to right and from the bottom up mean.
    pub axes: [&'a str; 2],
    /// How the numbers from the bottom up are written.
    pub unit: Unit,
    /// Names with their points.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

impl Curves<'_> {
    pub fn svg(&self) -> String {
        let points = || self.curves.iter().flat_map(|(_, points)| points.iter().copied());
        let top = 76.0 + 20.0 * self.curves.len() as f64;
        let plot = Plot {
            x: Axis::around(points().map(|(x, _)| x), 4),
            y: Axis::around(points().map(|(_, y)| y).chain([0.0]), 5),
            left: LEFT,
            right: WIDTH - RIGHT,
            top,
            bottom: top + FIELD,
        };
        let mut picture = Picture::file(WIDTH, plot.bottom + BELOW);
        picture.text("title ink", (LEFT, 30.0), self.title);
        picture.text("ink", (LEFT, top - 12.0), self.axes[1]);
        plot.draw_x_axis(&mut picture, Unit::Number);
        plot.draw_y_axis(&mut picture, self.unit);
        plot.name_x_axis(&mut picture, self.axes[0]);
        for (number, (name, points)) in self.curves.iter().enumerate() {
            let colour = Colour(number);
            picture.key(colour, (LEFT, 56.0 + 20.0 * number as f64), name);
            picture.line(&format!("line {}", colour.class()), points.iter().map(|(x, y)| plot.at(*x, *y)));
            for (x, y) in points {
                picture.dot(&colour.class(), plot.at(*x, *y), 3.0, "");
            }
        }
        picture.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_inside_the_picture() {
        let curves = vec![("a<b".to_owned(), vec![(1.0, 0.5), (2.0, 9.0)]), ("c".to_owned(), Vec::new())];
        let picture = Curves { title: "t", axes: ["x", "y"], unit: Unit::Number, curves }.svg();
        assert_eq!((picture.matches("<circle").count(), picture.matches("<path class=\"line").count()), (2, 1));
        assert!(picture.contains("a&lt;b") && !picture.contains("NaN"));
    }
}
