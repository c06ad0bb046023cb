//! Durations as people write them.

use std::time::Duration;

/// The longest duration that is accepted, in seconds: thirty years.
const LONGEST: f64 = 1e9;

/// Reads `5` (seconds), `500ms`, `90s`, `20m`, `2h`, `1h30m`, `2d`.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is not a duration: write 500ms, 90s, 20m, 2h or 1h30m");
    let is_bare = text.ends_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok();
    let with_unit = if is_bare { format!("{text}s") } else { text.to_owned() };
    let mut seconds = 0.0;
    let mut rest = with_unit.as_str();
    while !rest.is_empty() {
        let number = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
        let end = rest[number..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |unit| number + unit);
        let unit = match &rest[number..end] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return Err(wrong()),
        };
        seconds += unit * rest[..number].parse::<f64>().map_err(|_| wrong())?;
        rest = &rest[end..];
    }
    match seconds > 0.0 && seconds <= LONGEST {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(wrong()),
    }
}

/// A duration in hours.
pub fn hours(time: Duration) -> f64 {
    time.as_secs_f64() / 3_600.0
}

/// `1:02:03`, or `2:03` for less than an hour.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        let milliseconds = |text| parse(text).map(|time| time.as_millis());
        assert_eq!(milliseconds("5"), Ok(5_000));
        assert_eq!(milliseconds("0.05"), Ok(50));
        assert_eq!(milliseconds("500ms"), Ok(500));
        assert_eq!(milliseconds("90s"), Ok(90_000));
        assert_eq!(milliseconds("1h30m"), Ok(5_400_000));
        assert_eq!(milliseconds("1.5min"), Ok(90_000));
        assert_eq!(milliseconds("2d"), Ok(172_800_000));
        for wrong in ["", "h", "-3m", "-3", "5x", "5sm", "1h 3", "1h30", "0", "0s", "nan", "inf", "1e999h", "ß", "1ßs"]
        {
            assert!(milliseconds(wrong).is_err(), "{wrong}");
        }
        assert_eq!([clock(59.9), clock(3_723.0)], ["0:59", "1:02:03"]);
    }
}
