//! Numbers by group and label, as colours.

use alfil_core::svg::Picture;

// In pixels.
const LEFT: f64 = 190.0;
const TOP: f64 = 30.0;
const WIDTH: f64 = 26.0;
const HEIGHT: f64 = 16.0;

/// Steps of the colour: its classes are `h0` to `h9`.
const STEPS: f64 = 10.0;

/// A cell of a heat map.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// From 0 to 1, which gives the colour.
    pub heat: f64,
    /// What is written in it.
    pub text: String,
}

/// A heat map as a part of a page: one column per group, numbered from 1, and one row per label.
pub fn heat_map(title: &str, rows: &[(String, Vec<Cell>)]) -> String {
    let columns = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    let (width, height) = (LEFT + WIDTH * columns as f64 + 8.0, TOP + HEIGHT * rows.len() as f64 + 6.0);
    let mut picture = Picture::within_page(width, height, title);
    for column in 0..columns {
        let x = LEFT + WIDTH * (column as f64 + 0.5);
        picture.text("middle", (x, TOP - 6.0), &(column + 1).to_string());
    }
    for (index, (name, cells)) in rows.iter().enumerate() {
        let top = TOP + HEIGHT * index as f64;
        picture.text("end", (LEFT - 6.0, top + 12.0), name);
        for (column, cell) in cells.iter().enumerate() {
            let left = LEFT + WIDTH * column as f64;
            let step = (cell.heat.clamp(0.0, 1.0) * STEPS).floor().min(STEPS - 1.0);
            let told = format!("{name}, cluster {}: {} ({:.2})", column + 1, cell.text, cell.heat);
            picture.bar(&format!("h{step}"), (left, top), (left + WIDTH - 1.0, top + HEIGHT - 1.0), &told);
            picture.text("middle", (left + WIDTH / 2.0, top + 12.0), &cell.text);
        }
    }
    picture.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_colour() {
        let row = |heats: &[f64]| heats.iter().map(|heat| Cell { heat: *heat, text: "<".to_owned() }).collect();
        let map =
            heat_map("labels", &[("a & b".to_owned(), row(&[0.0, 0.55, 1.0])), ("c".to_owned(), row(&[f64::NAN]))]);
        assert_eq!(map.matches("<rect").count(), 4, "{map}");
        assert!(["\"h0\"", "\"h5\"", "\"h9\"", "a &amp; b", "&lt;"].iter().all(|part| map.contains(part)), "{map}");
        assert!(!heat_map("", &[]).contains("NaN"));
    }
}
