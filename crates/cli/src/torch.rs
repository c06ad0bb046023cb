//! What the commands need of libtorch, in builds with it and without.

use alfil_game::Encoding;
use alfil_nn::{Batch, Network, Outputs};

/// An evaluator as a closure.
pub type Evaluator = Box<dyn FnMut(&Batch, &mut Outputs) -> anyhow::Result<()> + Send>;

const NO_LIBTORCH: &str =
    "this alfil was built without libtorch: build it with the default features (scripts/alfil does)";

/// Fails with one clear sentence if this build has no libtorch.
pub fn require() -> anyhow::Result<()> {
    anyhow::ensure!(cfg!(feature = "torch"), NO_LIBTORCH);
    Ok(())
}

/// A network on libtorch, with numbers of 16 bits where asked and possible, and which device was chosen and why.
#[cfg(feature = "torch")]
pub fn evaluator<E: Encoding>(network: &Network, device: &str, half: bool) -> anyhow::Result<(Evaluator, String)> {
    use alfil_torch::{Device, Precision, TorchEvaluator};

    let (device, why) = Device::choose(device)?;
    let precision = if half { Precision::Half } else { Precision::Single };
    let mut evaluator = TorchEvaluator::new::<E>(network, device, precision)?;
    Ok((Box::new(move |batch, outputs| Ok(evaluator.evaluate(batch, outputs)?)), why))
}

#[cfg(not(feature = "torch"))]
pub fn evaluator<E: Encoding>(network: &Network, _: &str, _: bool) -> anyhow::Result<(Evaluator, String)> {
    network.check_encoding::<E>()?;
    anyhow::bail!(NO_LIBTORCH)
}

/// CUDA devices.
#[cfg(feature = "torch")]
pub fn cuda_devices() -> usize {
    alfil_torch::cuda_device_count()
}

#[cfg(not(feature = "torch"))]
pub fn cuda_devices() -> usize {
    0
}
