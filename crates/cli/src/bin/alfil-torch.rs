//! The `alfil` command with libtorch. `alfil` starts it where it is needed.

use std::sync::Arc;

use alfil_cli::{Evaluator, Libtorch};
use alfil_game::{Encoding, with_encoding};
use alfil_nn::learning::{Learner, LearningSettings};
use alfil_nn::{Architecture, Network};
use alfil_search::evaluators::Inference;
use alfil_torch::{Device, Precision, TorchEvaluator, TorchLearner};

fn main() -> std::process::ExitCode {
    keep_memory();
    alfil_cli::main(Some(&Linked))
}

/// Lets the allocator keep what a training step gives back, because the next step asks for the same again. Otherwise the system
/// takes the pages and clears them anew: with this there are a third of the page faults, and less than half of the time in the
/// system, for a sixth more memory.
fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let settings =
            [(libc::M_MMAP_THRESHOLD, 32 << 20), (libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_TOP_PAD, 64 << 20)];
        for (setting, bytes) in settings {
            // SAFETY: no memory is touched; what the allocator cannot do it refuses, and goes on as before.
            unsafe { libc::mallopt(setting, bytes) };
        }
    }
}

struct Linked;

impl Libtorch for Linked {
    fn version(&self) -> &'static str {
        alfil_torch::libtorch_version()
    }

    fn cuda_devices(&self) -> usize {
        alfil_torch::cuda_device_count()
    }

    fn choose(&self, device: &str) -> anyhow::Result<String> {
        Ok(Device::choose(device)?.1)
    }

    fn evaluator(&self, network: &Network, device: &str, half: bool) -> anyhow::Result<Evaluator> {
        with_encoding!(&network.origin.encoding, E => evaluator::<E>(network, device, half))?
    }

    fn devices(&self, text: &str) -> anyhow::Result<Vec<String>> {
        let one = |name: &str| Ok(Device::choose(name.trim())?.0.to_string());
        text.split(',').map(one).collect()
    }

    fn learner(
        &self,
        architecture: &Architecture,
        encoding: &str,
        settings: LearningSettings,
        devices: &[String],
        seed: u64,
    ) -> anyhow::Result<Box<dyn Learner>> {
        let choose = |name: &String| Ok(Device::choose(name)?.0);
        let devices = devices.iter().map(choose).collect::<Result<Vec<_>, alfil_torch::DeviceError>>()?;
        with_encoding!(encoding, E => learner::<E>(architecture, settings, devices, seed))?
    }

    fn backend(&self) -> alfil_uci::Backend {
        Arc::new(|network, device| {
            // What cannot be used at all shows here, once.
            drop(Linked.evaluator(network, device, true).map_err(|error| format!("{error:#}"))?);
            let (shared, device) = (network.clone(), device.to_owned());
            Ok(Box::new(move || infer(Linked.evaluator(&shared, &device, true))))
        })
    }
}

/// A device that fails in the middle of a game cannot be done without: the engine says why, and ends.
fn infer(evaluator: anyhow::Result<Evaluator>) -> Inference {
    let fail = |error: anyhow::Error| -> ! {
        println!("info string the device failed: {error:#}");
        std::process::exit(2);
    };
    let mut evaluate = evaluator.unwrap_or_else(|error| fail(error));
    Box::new(move |batch, outputs| evaluate(batch, outputs).unwrap_or_else(|error| fail(error)))
}

fn evaluator<E: Encoding>(network: &Network, device: &str, half: bool) -> anyhow::Result<Evaluator> {
    let (device, _) = Device::choose(device)?;
    let precision = if half { Precision::Half } else { Precision::Single };
    let mut evaluator = TorchEvaluator::new::<E>(network, device, precision)?;
    Ok(Box::new(move |batch, outputs| Ok(evaluator.evaluate(batch, outputs)?)))
}

fn learner<E: Encoding>(
    architecture: &Architecture,
    settings: LearningSettings,
    devices: Vec<Device>,
    seed: u64,
) -> anyhow::Result<Box<dyn Learner>> {
    Ok(Box::new(TorchLearner::new::<E>(architecture, settings, &devices, seed)?))
}
