//! What a network is: its [`Architecture`], its weights, its file, and a CPU [`Engine`] to run it.
//!
//! A [`Device`] computes networks, which can fail; the CPU is one.
//!
//! How it is [trained](learning) is here as a contract; the gradients are computed elsewhere.
//!
//! Knows games only through their encodings, and nothing of libtorch or search.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod architecture;
mod batch;
mod bundled;
mod device;
mod engine;
mod file;
// The build script uses it; here it is only tested.
#[cfg(test)]
mod manifest;
mod network;
mod open;
mod tensors;

pub mod lc0;
pub mod learning;
pub mod onnx;

pub use architecture::{
    Activation, Architecture, ArchitectureError, HeadShape, NetworkSettings, PolicyKind, PolicyShape, Size,
    ValueOutput, ValueShape,
};
pub use batch::{Batch, Outputs};
pub use bundled::{Bundled, BundledError};
pub use device::{
    BatchSizes, Device, DeviceGroup, Devices, EncodedNetwork, EvaluatorError, Inference, LoadedNetwork, catch_panic,
    spawn_scoped,
};
pub use engine::{
    Algorithm, CalibratedCpu, Calibration, Choice, Cpu, Deviation, Engine, FixedCpu, INSTRUCTION_NAMES, Instructions,
    Measurement, Model, Numbers, Peak, Plan, Precision, TOLERANCE, TileSize,
};
pub use file::FileError;
pub use network::{Block, Convolution, Dense, Head, Network, Origin, PolicyHead, Squeeze, Weights};
pub use open::OpenError;
pub use tensors::{Tensor, to_safetensors};
