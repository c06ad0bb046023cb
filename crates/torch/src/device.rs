//! Where tensors live: the CPU or one of the CUDA devices.

use std::fmt;

/// A device that exists on this machine.
///
/// ```
/// use alfil_torch::Device;
///
/// let (cpu, _) = Device::choose("cpu")?;
/// assert_eq!(cpu.to_string(), "cpu");
/// assert!(Device::choose("gpu").is_err());
/// # Ok::<(), alfil_torch::DeviceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// The processor.
    Cpu,
    /// The CUDA device with this number.
    Cuda(usize),
}

/// Why a device cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The text names no device.
    #[error("'{0}' is not a device: use cpu, cuda, cuda:N or auto")]
    Unknown(String),
    /// This libtorch was built without CUDA.
    #[error("this libtorch has no CUDA: run scripts/setup --cuda and build again, or use the device cpu")]
    NoCuda,
    /// This libtorch has CUDA, but CUDA finds no device.
    #[error("CUDA finds no device: check the NVIDIA driver with nvidia-smi, or use the device cpu")]
    NoDevice,
    /// There are devices, but not that one.
    #[error("there is no device cuda:{wanted}: this machine has {count}, numbered from 0")]
    OutOfRange {
        /// The number asked for.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
}

impl Device {
    /// The device that `text` names (`cpu`, `cuda`, `cuda:N`, `auto`), and why it was chosen, in words for the user.
    pub fn choose(text: &str) -> Result<(Device, String), DeviceError> {
        let device = match text {
            "auto" => return Ok(Device::auto()),
            "cpu" => Device::Cpu,
            "cuda" => require_cuda(0)?,
            _ => match text.strip_prefix("cuda:").and_then(|number| number.parse().ok()) {
                Some(number) => require_cuda(number)?,
                None => return Err(DeviceError::Unknown(text.to_owned())),
            },
        };
        Ok((device, format!("{device}, as asked")))
    }

    /// The same device, as libtorch calls it.
    pub(crate) fn torch(self) -> tch::Device {
        match self {
            Device::Cpu => tch::Device::Cpu,
            Device::Cuda(number) => tch::Device::Cuda(number),
        }
    }

    /// The first CUDA device if there is one, else the CPU.
    fn auto() -> (Device, String) {
        match require_cuda(0) {
            Ok(device) => (device, format!("{device}, the first of {} CUDA devices", cuda_device_count())),
            Err(DeviceError::NoCuda) => (Device::Cpu, "cpu, because this libtorch has no CUDA".to_owned()),
            Err(_) => (Device::Cpu, "cpu, because CUDA finds no device".to_owned()),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

fn require_cuda(wanted: usize) -> Result<Device, DeviceError> {
    if !tch::utils::has_cuda() {
        // `has_cuda` asks the driver: it is false both without CUDA in libtorch and without a device.
        return Err(if tch::utils::has_cudart() { DeviceError::NoDevice } else { DeviceError::NoCuda });
    }
    match cuda_device_count() {
        0 => Err(DeviceError::NoDevice),
        count if wanted >= count => Err(DeviceError::OutOfRange { wanted, count }),
        _ => Ok(Device::Cuda(wanted)),
    }
}

/// How many CUDA devices libtorch sees.
pub fn cuda_device_count() -> usize {
    usize::try_from(tch::Cuda::device_count()).unwrap_or(0)
}

/// The version of the libtorch that this program was built for.
pub fn libtorch_version() -> &'static str {
    env!("ALFIL_LIBTORCH_VERSION")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtorch_computes() {
        let product = tch::Tensor::from_slice(&[1.0f32, 2.0, 3.0]).dot(&tch::Tensor::from_slice(&[4.0f32, 5.0, 6.0]));
        assert_eq!(f32::try_from(product).unwrap(), 32.0);
    }

    #[test]
    fn a_device_that_does_not_exist_is_refused() {
        let beyond = format!("cuda:{}", cuda_device_count() + 7);
        assert!(Device::choose(&beyond).is_err());
        assert_eq!(Device::choose("tpu"), Err(DeviceError::Unknown("tpu".to_owned())));
        assert_eq!(Device::choose("cuda:-1"), Err(DeviceError::Unknown("cuda:-1".to_owned())));
    }

    #[test]
    fn auto_always_finds_a_device() {
        let (device, why) = Device::choose("auto").unwrap();
        assert!(why.starts_with(&device.to_string()), "{why}");
    }
}
