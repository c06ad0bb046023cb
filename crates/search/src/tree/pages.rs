//! Large pages for large arenas.

/// Room for `count` values, on large pages where the system has them: a search reads all over its tree, and with small pages
/// every read would look up the page as well.
pub(super) fn room<T>(count: usize) -> Vec<T> {
    let room = Vec::with_capacity(count);
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 21;
        let start = (room.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (room.as_ptr() as usize).saturating_add(count * size_of::<T>()) / PAGE * PAGE;
        if start < end {
            // SAFETY: the range lies inside memory that was just allocated, and the advice changes no contents. That the
            // system may not follow it is no error.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    room
}
