//! Lengths of time as people write them.

use std::time::Duration;

/// Reads `90s`, `20m`, `1h30m`, `2d`.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no length of time: write 90s, 20m, 2h or 1h30m");
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
        let number: f64 = rest[..end].parse().map_err(|_| wrong())?;
        let unit = match rest.as_bytes()[end] {
            b's' => 1.0,
            b'm' => 60.0,
            b'h' => 3_600.0,
            b'd' => 86_400.0,
            _ => return Err(wrong()),
        };
        seconds += number * unit;
        rest = &rest[end + 1..];
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()).ok_or_else(wrong)
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
        let seconds = |text| parse(text).map(|time| time.as_secs());
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("1h30m"), Ok(5_400));
        assert_eq!(seconds("1.5m"), Ok(90));
        assert_eq!(seconds("2d"), Ok(172_800));
        for wrong in ["", "5", "h", "-3m", "5x", "1h 3", "0s", "1e999h", "ß"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        assert_eq!([clock(59.9), clock(3_723.0)], ["0:59", "1:02:03"]);
    }
}
