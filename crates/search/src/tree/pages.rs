//! Huge pages for large arenas.

/// Asks for huge pages for this memory, where the system has them: a search reads all over its tree, and with small
/// pages most reads would miss the TLB as well. Best called before the memory is used.
pub(super) fn advise_huge_pages<T>(room: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 21;
        let start = (room.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (room.as_ptr() as usize).saturating_add(room.capacity() * size_of::<T>()) / PAGE * PAGE;
        if start < end {
            // SAFETY: the range lies inside the memory of the vector, and the advice changes no contents. The system
            // may ignore it.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = room;
}
