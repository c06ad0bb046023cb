//! Finds the libtorch that torch-sys was built with and writes its folder into everything that this crate links,
//! so that tests run with no environment variables. Cargo does not pass link arguments on to dependants: each binary
//! that uses this crate repeats them from `DEP_ALFIL_TORCH_LIB`.

#![allow(clippy::disallowed_methods, reason = "runs before the crate that is the door to the disk is built")]

fn main() {
    let Some(lib) = std::env::var_os("DEP_TCH_LIBTORCH_LIB") else {
        println!("cargo::error=torch-sys did not say where libtorch is: run scripts/setup");
        return;
    };
    let lib = std::path::Path::new(&lib);
    let lib = lib.canonicalize().unwrap_or_else(|_| lib.to_path_buf());
    let version = std::fs::read_to_string(lib.with_file_name("build-version")).unwrap_or_default();
    let version = if version.is_empty() { "of unknown version" } else { version.trim() };
    println!("cargo::rustc-env=ALFIL_LIBTORCH_VERSION={version}");
    println!("cargo::metadata=lib={}", lib.display());
    // Nothing refers to a symbol of libtorch_cuda, so the linker drops it, and CUDA with it, unless libtorch.so, which
    // needs it, is named once more behind --no-as-needed.
    for argument in
        [&format!("-Wl,-rpath,{0}", lib.display()), &format!("-L{}", lib.display()), "-Wl,--no-as-needed", "-ltorch"]
    {
        println!("cargo::rustc-link-arg={argument}");
    }
}
