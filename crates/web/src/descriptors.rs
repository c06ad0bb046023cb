//! How many files and connections the process may have open.

/// More are of no use.
#[cfg(unix)]
const ENOUGH: libc::rlim_t = 4096;

/// Asks the system for more where there are few, and returns how many there are. None if it does not say.
#[cfg(unix)]
pub fn raise() -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes to the structure that it is given, which lives until it returns.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } != 0 {
        return None;
    }
    if limit.rlim_cur < ENOUGH {
        let more = libc::rlimit { rlim_cur: ENOUGH.min(limit.rlim_max), ..limit };
        // SAFETY: the call only reads the structure.
        if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &more) } == 0 {
            limit = more;
        }
    }
    usize::try_from(limit.rlim_cur).ok()
}

#[cfg(not(unix))]
pub fn raise() -> Option<usize> {
    None
}
