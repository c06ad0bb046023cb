//! Everything of Alfil that needs libtorch, and the only crate that may depend on `tch`.
//!
//! Knows nothing of games, search or files other than networks; other crates use it through plain Rust types.

mod device;
mod evaluator;
mod learning;

pub use device::{Device, DeviceError, cuda_device_count, libtorch_version};
pub use evaluator::{Precision, TorchDevice, TorchError, TorchEvaluator};
pub use learning::TorchLearner;
