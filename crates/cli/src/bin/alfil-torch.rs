//! The `alfil` command with libtorch. `alfil` starts it when libtorch is needed.

use alfil_cli::Libtorch;
use alfil_nn::learning::{EncodedArchitecture, Learner, LearningSettings};
use alfil_nn::{Devices, EvaluatorError};
use alfil_torch::{Device, Precision, TorchDevice, TorchLearner};

fn main() -> std::process::ExitCode {
    keep_memory();
    alfil_cli::main(Some(&Linked))
}

/// Lets the allocator keep what a training step frees, because the next step asks for the same again. Otherwise the
/// system takes the pages and clears them again: keeping them leaves a third of the page faults and less than half of
/// the system time, for a sixth more memory.
fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let settings =
            [(libc::M_MMAP_THRESHOLD, 32 << 20), (libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_TOP_PAD, 64 << 20)];
        for (setting, bytes) in settings {
            // SAFETY: no memory is touched; an option that the allocator does not know changes nothing.
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

    fn open_exact(&self, device: &str) -> anyhow::Result<Box<dyn alfil_nn::Device>> {
        Ok(Box::new(TorchDevice { device: Device::choose(device)?.0, precision: Precision::Single }))
    }

    fn devices(&self, text: &str) -> anyhow::Result<Vec<String>> {
        let one = |name: &str| Ok(Device::choose(name.trim())?.0.to_string());
        text.split(',').map(one).collect()
    }

    fn learner(
        &self,
        architecture: EncodedArchitecture<'_>,
        settings: LearningSettings,
        devices: &[String],
        seed: u64,
    ) -> anyhow::Result<Box<dyn Learner>> {
        let choose = |name: &String| Ok(Device::choose(name)?.0);
        let devices = devices.iter().map(choose).collect::<Result<Vec<_>, alfil_torch::DeviceError>>()?;
        Ok(Box::new(TorchLearner::new(architecture, settings, &devices, seed)?))
    }
}

impl Devices for Linked {
    fn open(&self, name: &str) -> Result<Box<dyn alfil_nn::Device>, EvaluatorError> {
        let (device, _) = Device::choose(name).map_err(|why| EvaluatorError::on(name, why))?;
        Ok(Box::new(TorchDevice { device, precision: Precision::Half }))
    }
}
