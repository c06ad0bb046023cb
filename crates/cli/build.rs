//! Lets the `alfil-torch` binary find libtorch with no environment variables (see crates/torch/build.rs).

fn main() {
    if let Ok(lib) = std::env::var("DEP_ALFIL_TORCH_LIB") {
        for argument in [&format!("-Wl,-rpath,{lib}"), &format!("-L{lib}"), "-Wl,--no-as-needed", "-ltorch"] {
            println!("cargo::rustc-link-arg-bin=alfil-torch={argument}");
        }
    }
}
