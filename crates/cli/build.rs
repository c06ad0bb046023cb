//! Lets the `alfil` binary find libtorch with no environment variables (see crates/torch/build.rs).

fn main() {
    if let Ok(lib) = std::env::var("DEP_ALFIL_TORCH_LIB") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{lib}");
        println!("cargo::rustc-link-arg=-Wl,--no-as-needed");
    }
}
