//! Text for the page, and numbers as people read them.

/// What stands where there is no number.
const NOTHING: &str = "–";

/// Text that shows up as it is, in elements and in attributes.
pub fn escape(text: &str) -> String {
    let control = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    let text: String = text.chars().map(control).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// `1,234,567`
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// With four digits that mean something.
pub fn number(number: f64) -> String {
    if !number.is_finite() {
        return NOTHING.to_owned();
    }
    if number.abs() >= 1_000.0 {
        let sign = if number < 0.0 { "−" } else { "" };
        return format!("{sign}{}", count(number.abs().round() as u64));
    }
    let magnitude = if number == 0.0 { 0.0 } else { number.abs().log10().floor() };
    let decimals = (3.0 - magnitude).clamp(0.0, 9.0) as usize;
    let text = format!("{number:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    minus(if text == "-0" { "0" } else { text })
}

/// `12.3 %`
pub fn percent(share: f64) -> String {
    if share.is_finite() { format!("{} %", minus(&format!("{:.1}", 100.0 * share))) } else { NOTHING.to_owned() }
}

/// Whole points, or endless.
pub fn elo(elo: f64) -> String {
    match elo {
        elo if elo.is_nan() => NOTHING.to_owned(),
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        // Not -0.
        elo => minus(&format!("{:.0}", elo.round() + 0.0)),
    }
}

/// `42 s`, `5 min`, `3 h 20 min`, `2 d 4 h`
pub fn time(seconds: f64) -> String {
    let all = seconds.max(0.0) as u64;
    let (days, hours, minutes) = (all / 86_400, all / 3_600 % 24, all / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{all} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// A hyphen is too short to be seen before a number.
pub fn minus(number: &str) -> String {
    number.replacen('-', "−", 1)
}

/// Text that is too long, cut.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([count(0), count(999), count(1_000), count(12_345_678)], ["0", "999", "1,000", "12,345,678"]);
        assert_eq!([number(0.0), number(0.002), number(1.23456), number(-100.0)], ["0", "0.002", "1.235", "−100"]);
        assert_eq!([number(-12_345.6), number(f64::NAN), number(-1e-30)], ["−12,346", "–", "0"]);
        assert_eq!([elo(-0.2), elo(12.5), elo(f64::NEG_INFINITY)], ["0", "13", "−∞"]);
        assert_eq!(
            [time(59.9), time(60.0), time(12_000.0), time(90_000.0)],
            ["59 s", "1 min", "3 h 20 min", "1 d 1 h"]
        );
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a href='x'>\u{1b}&\"\n"), "&lt;a href=&#39;x&#39;&gt; &amp;&quot;\n");
        assert_eq!([cut("äöü", 2), cut("äöü", 3)], ["äö…", "äöü"]);
    }
}
