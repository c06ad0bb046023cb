//! The ratings as a picture.

use alfil_core::numbers::elo;
use alfil_core::svg::{Axis, Picture, Plot, Unit};
use alfil_core::wording::cut;

use super::Standings;

// In pixels.
const WIDTH: f64 = 860.0;
const LABELS: f64 = 300.0;
const MARGIN: f64 = 30.0;
const ROW: f64 = 26.0;
const TOP: f64 = 44.0;

/// Characters of a name that fit beside the plot.
const NAME: usize = 40;

/// The least width of the picture, in Elo.
const SPAN: f64 = 50.0;

/// The ratings as an SVG picture: a dot for each, with whiskers for the 95 % interval.
pub fn svg(standings: &Standings) -> String {
    let plot = plot(standings);
    let mut picture = Picture::file(WIDTH, plot.bottom + 40.0);
    picture.text("title ink", (MARGIN, 26.0), &format!("{}: Elo with 95 % intervals", standings.game));
    plot.draw_x_axis(&mut picture, Unit::Elo);
    for (row, number) in standings.rows.iter().zip(0..) {
        let y = TOP + ROW * (f64::from(number) + 0.5);
        picture.text("end ink", (LABELS - 12.0, y + 4.5), &cut(&row.name, NAME));
        if !row.known {
            picture.text("", (LABELS, y + 4.5), "unknown");
            continue;
        }
        let rating = &row.rating;
        let (low, high) = (plot.x(rating.low), plot.x(rating.high));
        for whisker in [[(low, y), (high, y)], [(low, y - 5.0), (low, y + 5.0)], [(high, y - 5.0), (high, y + 5.0)]] {
            picture.line("c1", whisker);
        }
        let class = if row.anchor { "c1 hollow" } else { "c1" };
        let title = format!("{} ({} to {})", elo(rating.elo), elo(rating.low), elo(rating.high));
        picture.dot(class, (plot.x(rating.elo), y), 4.5, &title);
    }
    picture.finish()
}

/// Elo from left to right, players from top to bottom. Infinite ratings reach to the border.
fn plot(standings: &Standings) -> Plot {
    let rows = standings.rows.len() as f64;
    let known = standings.rows.iter().filter(|row| row.known);
    let ends = known.flat_map(|row| [row.rating.low, row.rating.elo, row.rating.high]).filter(|end| end.is_finite());
    let ends: Vec<f64> = ends.collect();
    let low = ends.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let x = Axis::around(ends.into_iter().chain([low, low + SPAN]), 5);
    let y = Axis::between(0.0, rows, 1.0);
    Plot { x, y, left: LABELS, right: WIDTH - MARGIN, top: TOP, bottom: TOP + ROW * rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::Row;
    use crate::stats::Rating;

    fn standings(ratings: &[[f64; 3]]) -> Standings {
        let row = |&[low, elo, high]: &[f64; 3]| Row {
            name: "<a & \"b\">".to_owned(),
            rating: Rating { elo, low, high },
            known: true,
            games: 2,
            points: 1.0,
            anchor: false,
        };
        let rows = ratings.iter().map(row).collect();
        Standings {
            game: "chess",
            rows,
            absent: Vec::new(),
            covariances: Vec::new(),
            played: 2,
            faults: 0,
            stopped: false,
        }
    }

    #[test]
    fn unknown_ratings_do_not_stretch_the_picture() {
        let mut standings = standings(&[[-50.0, 0.0, 50.0], [-195_996.0, 0.0, 195_996.0]]);
        standings.rows[1].known = false;
        let plot = plot(&standings);
        assert!(plot.x(50.0) - plot.x(-50.0) > (plot.right - plot.left) / 2.0);
        let picture = svg(&standings);
        assert_eq!((picture.matches("<circle").count(), picture.matches(">unknown<").count()), (1, 1), "{picture}");
    }

    #[test]
    fn everything_lies_inside_the_picture() {
        for ratings in [
            vec![[0.0, 0.0, 0.0]],
            vec![[-3.0, 1200.0, 5000.0], [0.0, 0.0, 0.0]],
            vec![[f64::NEG_INFINITY, -800.0, f64::INFINITY], [-1.0, 0.0, 1.0]],
            vec![[f64::NAN, f64::NAN, f64::NAN], [-1e300, 0.0, 1e300]],
            vec![[-f64::MAX, 0.0, f64::MAX]],
        ] {
            let standings = standings(&ratings);
            let plot = plot(&standings);
            for x in ratings.iter().flatten().copied().chain(plot.x.ticks()).map(|elo| plot.x(elo)) {
                assert!((LABELS..=WIDTH - MARGIN).contains(&x), "{x}");
            }
            assert!((5..=14).contains(&plot.x.ticks().count()), "{}", plot.x.ticks().count());
            let picture = svg(&standings);
            assert!(
                picture.contains("&lt;a &amp; &quot;b&quot;&gt;")
                    && !picture.contains("NaN")
                    && !picture.contains("inf"),
                "{picture}"
            );
        }
    }
}
