//! What the commands need of libtorch, in builds with it and without.

use alfil_game::Encoding;
use alfil_nn::{Batch, Network, Outputs};

/// An evaluator as a closure.
pub type Evaluator = Box<dyn FnMut(&Batch, &mut Outputs) + Send>;

/// Fails with one clear sentence if this build has no libtorch.
pub fn require() -> anyhow::Result<()> {
    anyhow::ensure!(
        cfg!(feature = "torch"),
        "this alfil was built without libtorch: build it with the default features (scripts/alfil does)"
    );
    Ok(())
}

/// A network on libtorch's CPU, once for each thread.
#[cfg(feature = "torch")]
pub fn evaluators<E: Encoding>(network: &Network, threads: u32) -> anyhow::Result<Vec<Evaluator>> {
    (0..threads).map(|_| evaluator::<E>(network, "cpu", false)).collect()
}

/// A network on libtorch's CPU or a CUDA device, with numbers of 16 bits where asked and possible.
#[cfg(feature = "torch")]
pub fn evaluator<E: Encoding>(network: &Network, device: &str, half: bool) -> anyhow::Result<Evaluator> {
    use alfil_torch::{Precision, TorchEvaluator};

    let precision = if half { Precision::Half } else { Precision::Single };
    let mut evaluator = TorchEvaluator::new::<E>(network, device.parse()?, precision)?;
    Ok(Box::new(move |batch, outputs| {
        if let Err(error) = evaluator.evaluate(batch, outputs) {
            // The device is gone or out of memory: nothing sensible can follow.
            eprintln!("alfil: {error}");
            std::process::exit(2);
        }
    }))
}

#[cfg(not(feature = "torch"))]
pub fn evaluators<E: Encoding>(_: &Network, _: u32) -> anyhow::Result<Vec<Evaluator>> {
    require()?;
    Ok(Vec::new())
}

#[cfg(not(feature = "torch"))]
pub fn evaluator<E: Encoding>(_: &Network, _: &str, _: bool) -> anyhow::Result<Evaluator> {
    require()?;
    Ok(Box::new(|_, _| ()))
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
