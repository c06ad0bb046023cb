//! Numbers as people read them.

/// Shown where there is no number.
const NOTHING: &str = "–";

/// Numbers from here on are written as `1.5e300`: twelve digits and more are hard to read.
pub const LARGEST_WRITTEN_OUT: f64 = 1e12;

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

/// With four significant digits.
pub fn number(number: f64) -> String {
    if !number.is_finite() {
        return NOTHING.to_owned();
    }
    if number.abs() >= LARGEST_WRITTEN_OUT {
        return scientific(number);
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
    match 100.0 * share {
        percent if !percent.is_finite() => NOTHING.to_owned(),
        percent if percent.abs() >= LARGEST_WRITTEN_OUT => format!("{} %", scientific(percent)),
        percent => format!("{} %", minus(&format!("{percent:.1}"))),
    }
}

/// Whole points, or infinity.
pub fn elo(elo: f64) -> String {
    match elo {
        elo if elo.is_nan() => NOTHING.to_owned(),
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        elo if elo.abs() >= LARGEST_WRITTEN_OUT => scientific(elo),
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

/// Two significant digits, and the power of ten.
fn scientific(number: f64) -> String {
    minus(&format!("{number:.1e}")).replacen(".0e", "e", 1)
}

/// With a minus sign instead of a hyphen, which is hard to see before a number.
pub fn minus(number: &str) -> String {
    number.replacen('-', "−", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([count(0), count(999), count(1_000), count(12_345_678)], ["0", "999", "1,000", "12,345,678"]);
        assert_eq!([number(0.0), number(0.002), number(1.23456), number(-100.0)], ["0", "0.002", "1.235", "−100"]);
        assert_eq!([number(-12_345.6), number(f64::NAN), number(-1e-30)], ["−12,346", "–", "0"]);
        assert_eq!(
            [number(1e300), number(-1.25e15), percent(1e300), elo(-2e99)],
            ["1e300", "−1.2e15", "1e302 %", "−2e99"]
        );
        assert_eq!([elo(-0.2), elo(12.5), elo(f64::NEG_INFINITY)], ["0", "13", "−∞"]);
        assert_eq!(
            [time(59.9), time(60.0), time(12_000.0), time(90_000.0)],
            ["59 s", "1 min", "3 h 20 min", "1 d 1 h"]
        );
    }
}
