//! The `alfil` command. It links no libtorch, so that the engine starts at once; what needs libtorch is handed over to
//! `alfil-torch` beside it.

fn main() -> std::process::ExitCode {
    alfil_cli::main(None)
}
