//! A picture, mark by mark.

use std::fmt::Write;

/// Colours of pictures that are files of their own.
const STYLE: &str = include_str!("style.css");

/// A picture to which marks are added, each on top of those before it. Places are in pixels from the top left corner.
#[derive(Debug)]
pub struct Picture {
    out: String,
}

impl Picture {
    /// A file of its own.
    pub fn file(width: f64, height: f64) -> Picture {
        Picture {
            out: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
                 viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>\n{STYLE}</style>\n\
                 <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
            ),
        }
    }

    /// A part of a page that has a style sheet. `label` is for screen readers.
    pub fn within_page(width: f64, height: f64, label: &str) -> Picture {
        Picture {
            out: format!(
                "<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n",
                escape(label)
            ),
        }
    }

    /// Text; the style says which of its ends stands at the place.
    pub fn text(&mut self, class: &str, at: (f64, f64), text: &str) {
        self.rows(class, at, 0.0, [text], "");
    }

    /// Rows of text, `apart` from each other, with what is shown under the pointer.
    pub fn rows<'a>(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        apart: f64,
        rows: impl IntoIterator<Item = &'a str>,
        title: &str,
    ) {
        let _ = write!(self.out, "<text{}>", classes(class));
        for (row, text) in rows.into_iter().enumerate() {
            let (x, y) = (place(x), place(y + row as f64 * apart));
            let _ = write!(self.out, "<tspan x=\"{x:.1}\" y=\"{y:.1}\">{}</tspan>", escape(text));
        }
        let _ = writeln!(self.out, "{}</text>", titled(title));
    }

    /// A line from point to point.
    pub fn line(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let path = path(points);
        if !path.is_empty() {
            let _ = writeln!(self.out, "<path{} d=\"{path}\"/>", classes(class));
        }
    }

    /// An area with this edge.
    pub fn area(&mut self, class: &str, edge: impl IntoIterator<Item = (f64, f64)>) {
        let path = path(edge);
        if !path.is_empty() {
            let _ = writeln!(self.out, "<path{} d=\"{path}Z\"/>", classes(class));
        }
    }

    /// The area between two lines: (x, one y, the other y).
    pub fn band(&mut self, class: &str, points: &[(f64, f64, f64)]) {
        let there = points.iter().map(|(x, y, _)| (*x, *y));
        let back = points.iter().rev().map(|(x, _, y)| (*x, *y));
        self.area(class, there.chain(back));
    }

    /// A dot, with what is shown under the pointer.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, title: &str) {
        let (x, y, radius) = (place(x), place(y), place(radius));
        let _ = write!(self.out, "<circle{} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"", classes(class));
        self.close("circle", title);
    }

    /// A bar between two corners, with what is shown under the pointer.
    pub fn bar(&mut self, class: &str, (left, top): (f64, f64), (right, bottom): (f64, f64), title: &str) {
        let (x, y) = (place(left), place(top));
        let (width, height) = (place(right - left).max(0.0), place(bottom - top).max(0.0));
        let _ = write!(
            self.out,
            "<rect{} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"",
            classes(class)
        );
        self.close("rect", title);
    }

    /// An entry of a legend: a sample of the colour, and what it stands for.
    pub fn key(&mut self, colour: super::Colour, (x, y): (f64, f64), text: &str) {
        self.bar(&colour.class(), (x, y - 11.0), (x + 18.0, y + 1.0), "");
        self.text("ink", (x + 26.0, y), text);
    }

    /// Marks that share a style and what is shown under the pointer.
    pub fn group(&mut self, class: &str, title: &str, marks: impl FnOnce(&mut Picture)) {
        let _ = writeln!(self.out, "<g{}>{}", classes(class), titled(title));
        marks(self);
        self.out.push_str("</g>\n");
    }

    /// The picture as text.
    pub fn finish(self) -> String {
        self.out + "</svg>\n"
    }

    fn close(&mut self, element: &str, title: &str) {
        let _ = match title {
            "" => writeln!(self.out, "/>"),
            title => writeln!(self.out, ">{}</{element}>", titled(title)),
        };
    }
}

/// Escapes text so that it is shown as it is, in elements and in attributes.
pub fn escape(text: &str) -> String {
    let control = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    let text: String = text.chars().map(control).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

fn classes(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") }
}

fn titled(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!("<title>{}</title>", escape(title)) }
}

fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let step = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{step}{:.1} {:.1}", place(x), place(y));
    }
    path
}

/// 0 for numbers that are not finite, which SVG does not allow.
fn place(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::Colour;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a href='x'>\u{1b}&\"\n"), "&lt;a href=&#39;x&#39;&gt; &amp;&quot;\n");
        let mut picture = Picture::within_page(10.0, 10.0, "\"<");
        picture.text("end", (1.0, 2.0), "<b>");
        picture.dot("c1", (1.0, 2.0), 3.0, "&");
        let picture = picture.finish();
        assert!(picture.contains("aria-label=\"&quot;&lt;\""), "{picture}");
        assert!(
            picture.contains("<text class=\"end\"><tspan x=\"1.0\" y=\"2.0\">&lt;b&gt;</tspan></text>"),
            "{picture}"
        );
        assert!(picture.contains("r=\"3.0\"><title>&amp;</title></circle>"), "{picture}");
    }

    #[test]
    fn lines_and_areas_go_from_point_to_point() {
        let mut picture = Picture::file(10.0, 10.0);
        picture.line("line", [(0.0, 1.0), (2.0, 3.0)]);
        picture.band("band", &[(0.0, 1.0, 2.0), (1.0, 1.5, 2.5)]);
        picture.line("line", []);
        let picture = picture.finish();
        assert!(picture.contains("<path class=\"line\" d=\"M0.0 1.0L2.0 3.0\"/>"), "{picture}");
        assert!(picture.contains("<path class=\"band\" d=\"M0.0 1.0L1.0 1.5L1.0 2.5L0.0 2.0Z\"/>"), "{picture}");
        assert_eq!(picture.matches("<path").count(), 2, "{picture}");
    }

    #[test]
    fn numbers_that_are_not_finite_leave_the_picture_well_formed() {
        let mut picture = Picture::file(10.0, 10.0);
        picture.line("", [(f64::NAN, f64::INFINITY)]);
        picture.bar("", (f64::NEG_INFINITY, 3.0), (1.0, 2.0), "");
        picture.dot("", (0.0, f64::NAN), f64::INFINITY, "");
        picture.key(Colour(7), (f64::NAN, 1.0), "");
        let picture = picture.finish();
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        assert!(!picture.contains("width=\"-") && !picture.contains("height=\"-"), "{picture}");
    }
}
