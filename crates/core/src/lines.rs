//! Lines of JSON that carry a checksum as the last entry of their object, so that other programs read them as they are.

use crate::checksum::checksum;

/// Begins the entry of the checksum, which 16 hexadecimal digits and [`END`] follow.
const BEGIN: &str = ",\"checksum\":\"";
const END: &str = "\"}";

/// A JSON object, which is not empty, as a line of a file: with its checksum and line end.
pub fn seal(object: &str) -> String {
    let body = object.strip_suffix('}').unwrap_or(object);
    format!("{body}{BEGIN}{:016x}{END}\n", checksum(body.as_bytes()))
}

/// The object that a line without its end holds, and whether a checksum vouches for it: lines of earlier versions have none.
/// None if the checksum is that of another line.
pub fn unseal(line: &str) -> Option<(String, bool)> {
    let sealed = line.strip_suffix(END).and_then(|line| {
        let (body, sum) = line.split_at_checked(line.len().checked_sub(16)?)?;
        Some((body.strip_suffix(BEGIN)?, sum))
    });
    match sealed {
        None => Some((line.to_owned(), false)),
        Some((body, sum)) => {
            (sum == format!("{:016x}", checksum(body.as_bytes()))).then(|| (format!("{body}}}"), true))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_of_a_sealed_line_is_found() {
        let line = seal("{\"pair\":1}");
        assert_eq!(line, "{\"pair\":1,\"checksum\":\"e95a10ce9e2bb563\"}\n");
        let line = line.trim_end();
        assert_eq!(unseal(line), Some(("{\"pair\":1}".to_owned(), true)));
        assert_eq!(unseal("{}"), Some(("{}".to_owned(), false)));
        for (byte, bit) in (0..line.len()).flat_map(|byte| (0..8).map(move |bit| (byte, bit))) {
            let mut flipped = line.as_bytes().to_vec();
            flipped[byte] ^= 1 << bit;
            let Ok(flipped) = String::from_utf8(flipped) else { continue };
            assert!(unseal(&flipped).is_none_or(|(text, sealed)| !sealed && text == flipped), "{flipped}");
        }
    }
}
