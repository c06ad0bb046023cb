//! Reading text files that people write.

use std::io::{self, Read};
use std::path::Path;

/// The text of an ordinary file of at most `most` bytes. Others are refused: a device or a pipe may have no end, or
/// nobody who begins.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not an ordinary file"));
    }
    let mut text = String::new();
    if crate::disk::open(path)?.take(most + 1).read_to_string(&mut text)? as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_ordinary_files_are_read() {
        let path = std::env::temp_dir().join(format!("alfil-core-text-{}", std::process::id()));
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "four");
        assert_eq!(read_text(&path, 3).unwrap_err().to_string(), "it has more than 3 bytes");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read_text(&path, 4).unwrap_err().kind(), io::ErrorKind::NotFound);
        let folder = read_text(&std::env::temp_dir(), 4).unwrap_err();
        assert_eq!(folder.to_string(), "it is not an ordinary file");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_an_end_is_refused() {
        assert_eq!(read_text(Path::new("/dev/zero"), 4).unwrap_err().to_string(), "it is not an ordinary file");
    }
}
