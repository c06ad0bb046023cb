//! A device that fails, and a process that can start no threads, for tests of how games, runs and engines handle that. No
//! part of the program depends on this crate.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use alfil_nn::{
    Batch, BatchSizes, Cpu, Device, Devices, EncodedNetwork, EvaluatorError, Inference, LoadedNetwork, Outputs,
};

/// What a failure on this device says.
pub const SENTENCE: &str = "the evaluator on test:0 failed: out of memory";

const NAME: &str = "test:0";

/// The CPU until all its evaluators together have computed a number of batches; from then on every batch fails.
#[derive(Clone)]
pub struct FailingDevice {
    left: Arc<AtomicI64>,
    panics: bool,
}

impl FailingDevice {
    /// Fails after this many batches.
    pub fn after(batches: u32) -> FailingDevice {
        FailingDevice { left: Arc::new(AtomicI64::new(batches.into())), panics: false }
    }

    /// Panics after this many batches instead.
    pub fn panicking_after(batches: u32) -> FailingDevice {
        FailingDevice { panics: true, ..FailingDevice::after(batches) }
    }

    /// Never fails.
    pub fn never() -> FailingDevice {
        FailingDevice { left: Arc::new(AtomicI64::new(i64::MAX)), panics: false }
    }
}

impl Device for FailingDevice {
    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn batch_sizes(&self) -> BatchSizes {
        BatchSizes::default()
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        Ok(Box::new(Loaded { inner: Cpu.load(network)?, device: self.clone() }))
    }
}

/// The same device under every name.
impl Devices for FailingDevice {
    fn open(&self, _: &str) -> Result<Box<dyn Device>, EvaluatorError> {
        Ok(Box::new(self.clone()))
    }
}

struct Loaded {
    inner: Box<dyn LoadedNetwork>,
    device: FailingDevice,
}

impl LoadedNetwork for Loaded {
    fn inference(&self) -> Result<Box<dyn Inference>, EvaluatorError> {
        Ok(Box::new(Failing { inner: self.inner.inference()?, device: self.device.clone() }))
    }
}

struct Failing {
    inner: Box<dyn Inference>,
    device: FailingDevice,
}

impl Inference for Failing {
    fn evaluate(&mut self, batch: &Batch, outputs: &mut Outputs) -> Result<(), EvaluatorError> {
        if self.device.left.fetch_sub(1, Relaxed) <= 0 {
            assert!(!self.device.panics, "the test wants it");
            return Err(EvaluatorError::on(NAME, "out of memory"));
        }
        self.inner.evaluate(batch, outputs)
    }
}

/// Threads of this process; 0 where that is unknown.
#[allow(clippy::disallowed_methods, reason = "no file: what the system tells of this process")]
pub fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, |tasks| tasks.count())
}

/// Whether there are soon no more threads than `before`. One that has been joined may take a moment to disappear. Other tests of
/// the same process have threads too: those that ask for this are [`alone`].
pub fn no_thread_is_left(before: usize) -> bool {
    let began = Instant::now();
    while threads() > before {
        if began.elapsed() > Duration::from_secs(120) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// The variable from which a Rust program reads the size of a thread's stack when it starts its first thread.
pub const STACK_SIZE: &str = "RUST_MIN_STACK";

/// More than there is: no thread can be started.
pub const TOO_LARGE: &str = "4611686018427387904";

/// Does `work`, the body of the test with this full name, in a process of its own that can start no threads.
pub fn without_threads(test: &str, work: impl FnOnce()) -> std::io::Result<()> {
    apart(test, [STACK_SIZE, TOO_LARGE], work)
}

/// Does `work`, the body of the test with this full name, in a process of its own: that of `cargo test` has the threads of other
/// tests too, and the time that they take.
pub fn alone(test: &str, work: impl FnOnce()) -> std::io::Result<()> {
    apart(test, ["ALFIL_TEST_ALONE", test], work)
}

/// Does `work` in a process of its own, in which a variable has a value.
fn apart(test: &str, [name, value]: [&str; 2], work: impl FnOnce()) -> std::io::Result<()> {
    if std::env::var_os(name).is_some_and(|has| has == value) {
        work();
        return Ok(());
    }
    let output = Command::new(std::env::current_exe()?)
        .args([test, "--exact", "--test-threads=1", "--nocapture"])
        .env(name, value)
        .output()?;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{test} in a process of its own: {said}");
    Ok(())
}
