//! What computes networks, and how that can fail.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use alfil_game::Encoding;

use crate::{Architecture, Batch, FileError, Network, Outputs};

/// Why positions could not be evaluated. Displays as one sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluatorError {
    /// A device could not compute.
    #[error("the evaluator on {device} failed: {why}")]
    Failed {
        /// The device's name.
        device: String,
        /// What it says.
        why: String,
    },
    /// A thread panicked, which is a bug in the program.
    #[error("a thread of {part} panicked: {why}")]
    Panicked {
        /// What the thread worked at.
        part: &'static str,
        /// The panic's message.
        why: String,
    },
    /// The system allows no more threads, or has no memory for one.
    #[error("{part} cannot start a thread: {why}; use fewer threads, or allow more")]
    NoThread {
        /// What the thread would have worked at.
        part: &'static str,
        /// What the system says.
        why: String,
    },
}

impl EvaluatorError {
    /// A failure of the device with this name.
    pub fn on(device: impl Into<String>, why: impl ToString) -> EvaluatorError {
        EvaluatorError::Failed { device: device.into(), why: why.to_string() }
    }

    /// What a thread of `part` left when it panicked.
    pub fn panicked(part: &'static str, panic: &(dyn Any + Send)) -> EvaluatorError {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let why = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
        EvaluatorError::Panicked { part, why }
    }

    /// Why a thread of `part` could not be started.
    pub fn no_thread(part: &'static str, why: &io::Error) -> EvaluatorError {
        EvaluatorError::NoThread { part, why: why.to_string() }
    }
}

/// Does the work of a thread, and turns a panic into an error. Every thread that plays or evaluates begins with this,
/// so that no other thread waits for one that is gone.
pub fn catch_panic<T>(part: &'static str, work: impl FnOnce() -> T) -> Result<T, EvaluatorError> {
    // What the work has touched is dropped or no longer used after an error.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| EvaluatorError::panicked(part, &*panic))
}

/// Starts a thread of `part`. Unlike [`Scope::spawn`], it does not panic if there can be no more threads.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    part: &'static str,
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, EvaluatorError> {
    Builder::new().spawn_scoped(scope, work).map_err(|why| EvaluatorError::no_thread(part, &why))
}

/// How many positions a device computes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSizes {
    /// Batches larger than this are hardly faster per position.
    pub preferred: usize,
    /// Batches larger than this are not worth the wait, or do not fit.
    pub largest: usize,
}

impl Default for BatchSizes {
    /// For the CPU, which gains little from batches.
    fn default() -> BatchSizes {
        BatchSizes { preferred: 1, largest: 256 }
    }
}

/// What one thread needs to compute a network.
pub trait Inference: Send {
    /// Evaluates a batch of any size. After an error `outputs` is meaningless.
    fn evaluate(&mut self, batch: &Batch, outputs: &mut Outputs) -> Result<(), EvaluatorError>;
}

/// A network on a device.
pub trait LoadedNetwork: Send + Sync {
    /// For one thread to compute it with.
    fn inference(&self) -> Result<Box<dyn Inference>, EvaluatorError>;

    /// How many positions it computes together, if that depends on the network.
    fn batch_sizes(&self) -> Option<BatchSizes> {
        None
    }
}

/// Something that computes networks: the CPU, or a graphics card.
pub trait Device: Send + Sync {
    /// Its name, for people.
    fn name(&self) -> String;

    /// How many positions it computes together.
    fn batch_sizes(&self) -> BatchSizes;

    /// Makes a network ready to be computed.
    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError>;
}

/// Finds devices by name, where there are more than the CPU.
pub trait Devices: Send + Sync {
    /// The device that a name stands for: `cpu`, `cuda`, `cuda:N` or `auto`.
    fn open(&self, name: &str) -> Result<Box<dyn Device>, EvaluatorError>;
}

/// Several devices, at least one, that threads are spread over in turn.
pub struct DeviceGroup(Vec<Box<dyn Device>>);

impl DeviceGroup {
    /// The first device, and the others.
    pub fn new(first: Box<dyn Device>, others: impl IntoIterator<Item = Box<dyn Device>>) -> DeviceGroup {
        DeviceGroup(std::iter::once(first).chain(others).collect())
    }
}

impl Device for DeviceGroup {
    fn name(&self) -> String {
        self.0.iter().map(|device| device.name()).collect::<Vec<_>>().join(", ")
    }

    fn batch_sizes(&self) -> BatchSizes {
        self.0[0].batch_sizes()
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        let loaded = self.0.iter().map(|device| device.load(network)).collect::<Result<_, _>>()?;
        Ok(Box::new(LoadedGroup { loaded, next: AtomicUsize::new(0) }))
    }
}

struct LoadedGroup {
    loaded: Vec<Box<dyn LoadedNetwork>>,
    next: AtomicUsize,
}

impl LoadedNetwork for LoadedGroup {
    fn inference(&self) -> Result<Box<dyn Inference>, EvaluatorError> {
        self.loaded[self.next.fetch_add(1, Relaxed) % self.loaded.len()].inference()
    }

    fn batch_sizes(&self) -> Option<BatchSizes> {
        self.loaded[0].batch_sizes()
    }
}

/// A network that was checked to fit an encoding, with what a device has to know of that encoding.
#[derive(Clone, Copy)]
pub struct EncodedNetwork<'a> {
    network: &'a Network,
    policy_size: usize,
    head_output: fn(usize) -> usize,
    random_positions: fn(&Architecture, usize, u64) -> Batch,
}

impl<'a> EncodedNetwork<'a> {
    /// Fails if the network was made for another encoding.
    pub fn new<E: Encoding>(network: &'a Network) -> Result<EncodedNetwork<'a>, FileError> {
        network.check_encoding::<E>()?;
        Ok(EncodedNetwork {
            network,
            policy_size: E::POLICY_SIZE,
            head_output: E::head_output,
            random_positions: Batch::random::<E>,
        })
    }

    /// The network.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// Positions of random games, the same for the same seed.
    pub fn random_positions(&self, positions: usize, seed: u64) -> Batch {
        (self.random_positions)(&self.network.architecture, positions, seed)
    }

    /// For each policy index its output of a convolutional policy head.
    pub fn head_outputs(&self) -> Vec<u32> {
        (0..self.policy_size).map(|index| (self.head_output)(index) as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_one_sentence() {
        let failed = EvaluatorError::on("cuda:0", "out of memory");
        assert_eq!(failed.to_string(), "the evaluator on cuda:0 failed: out of memory");
        assert_eq!(catch_panic("the search", || 3), Ok(3));
        let panicked = catch_panic("the search", || -> u32 { panic!("no {}", "way") }).unwrap_err();
        assert_eq!(panicked.to_string(), "a thread of the search panicked: no way");
        let panicked = catch_panic("the search", || -> u32 { std::panic::panic_any(7) }).unwrap_err();
        assert_eq!(panicked.to_string(), "a thread of the search panicked: no message");
    }
}
