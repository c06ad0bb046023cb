//! Lines that carry a checksum: the text, a tab, and 16 hexadecimal digits.

use crate::checksum::checksum;

/// A line of a file with its checksum and line end. The text has neither tabs nor line ends in it, as JSON has none
/// outside of its strings and escapes them there.
pub fn seal(text: &str) -> String {
    format!("{text}\t{:016x}\n", checksum(text.as_bytes()))
}

/// What a line without its end says, and whether a checksum vouches for it: lines of earlier versions have none. None if
/// the checksum is another line's.
pub fn unseal(line: &str) -> Option<(&str, bool)> {
    match line.split_once('\t') {
        None => Some((line, false)),
        Some((text, sum)) => (sum == format!("{:016x}", checksum(text.as_bytes()))).then_some((text, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_of_a_sealed_line_is_found() {
        let line = seal("{\"pair\":1}");
        assert_eq!(line, "{\"pair\":1}\tafbfad16c444c1fa\n");
        let line = line.trim_end();
        assert_eq!(unseal(line), Some(("{\"pair\":1}", true)));
        assert_eq!(unseal("{}"), Some(("{}", false)));
        for (byte, bit) in (0..line.len()).flat_map(|byte| (0..8).map(move |bit| (byte, bit))) {
            let mut flipped = line.as_bytes().to_vec();
            flipped[byte] ^= 1 << bit;
            let Ok(flipped) = String::from_utf8(flipped) else { continue };
            assert!(unseal(&flipped).is_none_or(|(text, sealed)| !sealed && text.len() == line.len()), "{flipped}");
        }
    }
}
