//! The table as a picture.

use std::fmt::Write;

use super::Standings;
use alfil_core::wording::cut;

// In pixels.
const WIDTH: f64 = 860.0;
const LABELS: f64 = 300.0;
const MARGIN: f64 = 30.0;
const ROW: f64 = 26.0;
const TOP: f64 = 44.0;

/// Characters of a name that fit beside the plot.
const NAME: usize = 40;

/// The ratings as an SVG picture: a dot for each, with whiskers for the 95 % interval.
pub fn svg(standings: &Standings) -> String {
    let axis = Axis::around(standings);
    let bottom = TOP + ROW * standings.rows.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"26\" font-size=\"16\">{title}: Elo with 95 % intervals</text>\n",
        height = bottom + 40.0,
        title = escape(standings.game),
    );
    for tick in axis.ticks() {
        let x = axis.x(tick);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{tick:.0}</text>",
            bottom + 20.0
        );
    }
    for (row, number) in standings.rows.iter().zip(0..) {
        let y = TOP + ROW * (f64::from(number) + 0.5);
        let name = escape(&cut(&row.name, NAME));
        let _ = write!(out, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>", LABELS - 12.0, y + 4.5);
        if !row.known {
            let _ = writeln!(out, "<text x=\"{LABELS}\" y=\"{:.1}\" fill=\"#555\">unknown</text>", y + 4.5);
            continue;
        }
        let (dot, low, high) = (axis.x(row.rating.elo), axis.x(row.rating.low), axis.x(row.rating.high));
        let fill = if row.anchor { "white" } else { "#1f5fa8" };
        let _ = writeln!(
            out,
            "<path d=\"M{low:.1} {y}H{high:.1}M{low:.1} {:.1}v10M{high:.1} {:.1}v10\" stroke=\"#1f5fa8\" fill=\"none\"/>\
             <circle cx=\"{dot:.1}\" cy=\"{y}\" r=\"4.5\" fill=\"{fill}\" stroke=\"#1f5fa8\">\
             <title>{:.0} ({:.0} to {:.0})</title></circle>",
            y - 5.0,
            y - 5.0,
            row.rating.elo,
            row.rating.low,
            row.rating.high
        );
    }
    out + "</svg>\n"
}

/// Elo from left to right.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    fn around(standings: &Standings) -> Axis {
        let known = standings.rows.iter().filter(|row| row.known);
        let ends = known.flat_map(|row| [row.rating.low, row.rating.elo, row.rating.high]);
        let ends = ends.filter(|end| end.is_finite());
        let (low, high) = ends.fold((f64::MAX, f64::MIN), |(low, high), end| (low.min(end), high.max(end)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let span = (high - low).max(50.0);
        // The largest of 1, 2, 5 times a power of ten that gives at least five ticks.
        let power = 10f64.powf((span / 5.0).log10().floor());
        let step = [5.0, 2.0, 1.0].map(|times| times * power).into_iter().find(|step| span / step >= 5.0);
        let step = step.unwrap_or(power);
        Axis { low: (low / step).floor() * step, high: ((low + span) / step).ceil() * step, step }
    }

    /// Where a rating lies; those that are endless end at the border.
    fn x(&self, elo: f64) -> f64 {
        let part = (elo.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        LABELS + part * (WIDTH - LABELS - MARGIN)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|number| self.low + f64::from(number) * self.step)
    }
}

fn escape(text: &str) -> String {
    let control = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(control).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
        Standings { game: "chess", rows, absent: Vec::new(), played: 2, faults: 0, stopped: false }
    }

    #[test]
    fn what_is_unknown_does_not_stretch_the_picture() {
        let mut standings = standings(&[[-50.0, 0.0, 50.0], [-195_996.0, 0.0, 195_996.0]]);
        standings.rows[1].known = false;
        assert!(Axis::around(&standings).high <= 100.0);
        let picture = svg(&standings);
        assert_eq!((picture.matches("<circle").count(), picture.matches(">unknown<").count()), (1, 1), "{picture}");
    }

    #[test]
    fn everything_lies_inside_the_picture() {
        for ratings in [
            vec![[0.0, 0.0, 0.0]],
            vec![[-3.0, 1200.0, 5000.0], [0.0, 0.0, 0.0]],
            vec![[f64::NEG_INFINITY, -800.0, f64::INFINITY], [-1.0, 0.0, 1.0]],
        ] {
            let standings = standings(&ratings);
            let axis = Axis::around(&standings);
            for x in ratings.iter().flatten().copied().chain(axis.ticks()).map(|elo| axis.x(elo)) {
                assert!((LABELS..=WIDTH - MARGIN).contains(&x), "{x}");
            }
            assert!((5..=12).contains(&axis.ticks().count()), "{}", axis.ticks().count());
            let picture = svg(&standings);
            assert!(picture.contains("&lt;a &amp; &quot;b&quot;&gt;") && !picture.contains("NaN"), "{picture}");
        }
    }
}
