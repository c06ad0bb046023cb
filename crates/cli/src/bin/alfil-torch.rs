//! The `alfil` command with libtorch. `alfil` starts it where it is needed.

use alfil_cli::{Evaluator, Libtorch};
use alfil_game::Encoding;
use alfil_game::registry::{self, EncodingTask};
use alfil_nn::Network;
use alfil_torch::{Device, Precision, TorchEvaluator};

fn main() -> std::process::ExitCode {
    alfil_cli::main(Some(&Linked))
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
        registry::with_encoding(&network.origin.encoding, Make { network, device, half })?
    }
}

struct Make<'a> {
    network: &'a Network,
    device: &'a str,
    half: bool,
}

impl EncodingTask for Make<'_> {
    type Output = anyhow::Result<Evaluator>;

    fn run<E: Encoding>(self) -> anyhow::Result<Evaluator> {
        let (device, _) = Device::choose(self.device)?;
        let precision = if self.half { Precision::Half } else { Precision::Single };
        let mut evaluator = TorchEvaluator::new::<E>(self.network, device, precision)?;
        Ok(Box::new(move |batch, outputs| Ok(evaluator.evaluate(batch, outputs)?)))
    }
}
