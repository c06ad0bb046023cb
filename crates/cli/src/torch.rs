//! Access to libtorch for the commands, in a program that links it and in one that does not.

use std::process::Command;
use std::sync::OnceLock;

use alfil_nn::learning::{EncodedArchitecture, Learner, LearningSettings};
use alfil_nn::{Device, Devices};
use anyhow::Context;

/// libtorch, as far as the commands use it. Its devices compute with 16 bits where that is faster.
pub trait Libtorch: Devices {
    /// Its version.
    fn version(&self) -> &'static str;

    /// How many CUDA devices it sees.
    fn cuda_devices(&self) -> usize;

    /// Which device a name (cpu, cuda, cuda:N, auto) stands for, and why.
    fn choose(&self, device: &str) -> anyhow::Result<String>;

    /// The device with this name, computing with 32 bits.
    fn open_exact(&self, device: &str) -> anyhow::Result<Box<dyn Device>>;

    /// The devices of a comma-separated list of names (auto may be one), each as cpu or cuda:N.
    fn devices(&self, text: &str) -> anyhow::Result<Vec<String>>;

    /// A learner on these devices, among which it splits its batches.
    fn learner(
        &self,
        architecture: EncodedArchitecture<'_>,
        settings: LearningSettings,
        devices: &[String],
        seed: u64,
    ) -> anyhow::Result<Box<dyn Learner>>;
}

static LINKED: OnceLock<&'static dyn Libtorch> = OnceLock::new();

const NO_LIBTORCH: &str =
    "this alfil was built without libtorch: build it with the default features (scripts/alfil does)";

/// Makes libtorch known to the commands.
pub fn link(libtorch: &'static dyn Libtorch) {
    LINKED.get_or_init(|| libtorch);
}

/// libtorch. A program without it starts `alfil-torch` beside it, which does the whole command instead: so call this
/// before anything is printed. Fails with one clear sentence if there is none.
pub fn require() -> anyhow::Result<&'static dyn Libtorch> {
    match LINKED.get() {
        Some(libtorch) => Ok(*libtorch),
        None => hand_over(),
    }
}

/// libtorch, if this program has it or can hand over to one that does.
pub fn find() -> Option<&'static dyn Libtorch> {
    require().ok()
}

fn hand_over() -> anyhow::Result<&'static dyn Libtorch> {
    let program = std::env::current_exe().context(NO_LIBTORCH)?;
    let with_torch = program.with_file_name(format!("alfil-torch{}", std::env::consts::EXE_SUFFIX));
    anyhow::ensure!(with_torch.is_file(), NO_LIBTORCH);
    let mut command = Command::new(&with_torch);
    command.args(std::env::args_os().skip(1));
    let failed = || format!("cannot start {}", with_torch.display());
    #[cfg(unix)]
    {
        // Takes this process's place, and returns only if that fails.
        Err(std::os::unix::process::CommandExt::exec(&mut command)).with_context(failed)
    }
    #[cfg(not(unix))]
    {
        let status = command.status().with_context(failed)?;
        std::process::exit(status.code().unwrap_or(2));
    }
}
