//! Memory and disk of this machine.

use std::path::Path;

use alfil_core::disk::read_text;

/// Memory, in bytes.
#[derive(Clone, Copy)]
pub struct Memory {
    pub all: u64,
    /// What is available without swapping.
    pub free: u64,
}

/// The disk that a folder is on.
pub struct Disk {
    pub folder: String,
    /// Bytes that a user may still write.
    pub free: u64,
    pub writable: bool,
}

/// The memory of this machine; known only on Linux.
pub fn memory() -> Option<Memory> {
    let read = |path| read_text(Path::new(path), 1 << 16).ok();
    let text = read("/proc/meminfo")?;
    let memory = parse(&text)?;
    // A container may have less than the machine.
    let limit = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    Some(match limit {
        Some(limit) if limit < memory.all => Memory { all: limit, free: memory.free.min(limit) },
        _ => memory,
    })
}

fn parse(text: &str) -> Option<Memory> {
    let kilobytes = |name: &str| -> Option<u64> {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.trim_start_matches(':').trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some(Memory { all: kilobytes("MemTotal")? * 1024, free: kilobytes("MemAvailable")? * 1024 })
}

/// The disk that a folder is on.
#[cfg(unix)]
pub fn disk(folder: &Path) -> Option<Disk> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends with a zero, and `found` has room for what is written.
    if unsafe { libc::statvfs(path.as_ptr(), found.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call above succeeded, and so has filled it.
    let found = unsafe { found.assume_init() };
    // SAFETY: the path ends with a zero.
    let writable = unsafe { libc::access(path.as_ptr(), libc::W_OK) } == 0;
    // The width of these numbers differs between systems.
    #[allow(clippy::unnecessary_cast)]
    let free = found.f_bavail as u64 * found.f_frsize as u64;
    Some(Disk { folder: format!("{}/", folder.canonicalize().ok()?.display()), free, writable })
}

/// Not known on other systems.
#[cfg(not(unix))]
pub fn disk(_: &Path) -> Option<Disk> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_as_linux_writes_it() {
        let memory = parse("MemTotal:       24684100 kB\nMemFree: 1 kB\nMemAvailable:   23214392 kB\n").unwrap();
        assert_eq!((memory.all, memory.free), (24_684_100 << 10, 23_214_392 << 10));
        assert!(parse("nonsense").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_on_a_disk() {
        let disk = disk(&std::env::temp_dir()).unwrap();
        assert!(disk.writable && disk.free > 0);
        assert!(super::disk(Path::new("/no/such/folder")).is_none());
    }
}
