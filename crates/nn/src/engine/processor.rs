//! Which processor this is.

/// The processor's name and model as it tells them, so that what was measured on one is not used on another.
pub(super) fn name() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        // The highest leaf, then three leaves with 48 characters of the name, and one with family, model and stepping.
        let brand: Vec<u8> = if __cpuid(0x8000_0000).eax >= 0x8000_0004 {
            let leaves = (0x8000_0002..=0x8000_0004).map(__cpuid);
            leaves.flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]).flat_map(u32::to_le_bytes).collect()
        } else {
            Vec::new()
        };
        let brand: String =
            brand.into_iter().filter(|byte| byte.is_ascii_graphic() || *byte == b' ').map(char::from).collect();
        format!("{} ({:x})", brand.trim(), __cpuid(1).eax)
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH.to_owned()
}
