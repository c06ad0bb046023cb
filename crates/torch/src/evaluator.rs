//! A network file on libtorch: the way to a GPU, and the reference that the CPU engine is compared with.

use alfil_nn::{
    Activation, Architecture, Batch, BatchSizes, Convolution, Dense, EncodedNetwork, EvaluatorError, FileError, Head,
    Inference, LoadedNetwork, Network, Outputs, PolicyHead, Squeeze,
};
use tch::{Kind, Tensor};

use crate::Device;

/// Why libtorch could not evaluate or learn.
#[derive(Debug, thiserror::Error)]
pub enum TorchError {
    /// The network is for something else.
    #[error(transparent)]
    Network(#[from] FileError),
    /// A learner without a device.
    #[error("training needs a device")]
    NoDevice,
    /// A thread panicked.
    #[error(transparent)]
    Thread(#[from] EvaluatorError),
    /// An error of libtorch.
    #[error("libtorch: {}", .0.to_string().lines().next().unwrap_or_default())]
    Torch(#[from] tch::TchError),
}

/// The precision of the numbers on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits everywhere.
    Single,
    /// 16 bits on CUDA, where it is faster; 32 on the CPU, where it is not.
    Half,
}

/// Runs a network on libtorch. Holds the whole network: one per thread.
pub struct TorchEvaluator {
    /// The device's name, for messages.
    name: String,
    device: tch::Device,
    kind: Kind,
    architecture: Architecture,
    stem: Layer,
    blocks: Vec<ResidualBlock>,
    policy_hidden: Layer,
    policy: Layer,
    dense_policy: bool,
    value: [Layer; 3],
    moves_left: Option<[Layer; 3]>,
    head_outputs: Vec<u32>,
    /// What came back from the device: one row per position.
    rows: Vec<f32>,
}

/// Two convolutions, and the two dense layers of a squeeze-excitation.
struct ResidualBlock {
    first: Layer,
    second: Layer,
    squeeze: Option<[Layer; 2]>,
}

/// Weights and biases.
struct Layer {
    weights: Tensor,
    biases: Tensor,
    /// Cells of padding around a convolution's input.
    padding: i64,
}

/// A device of libtorch on which networks are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct TorchDevice {
    /// The device.
    pub device: Device,
    /// The precision of the numbers.
    pub precision: Precision,
}

impl alfil_nn::Device for TorchDevice {
    fn name(&self) -> String {
        self.device.to_string()
    }

    fn batch_sizes(&self) -> BatchSizes {
        match self.device {
            Device::Cpu => BatchSizes::default(),
            // Smaller batches leave a GPU mostly idle.
            Device::Cuda(_) => BatchSizes { preferred: 64, ..BatchSizes::default() },
        }
    }

    fn load(&self, network: &EncodedNetwork<'_>) -> Result<Box<dyn LoadedNetwork>, EvaluatorError> {
        let loaded = OnTorch { network: network.network().clone(), head_outputs: network.head_outputs(), on: *self };
        // Errors that would hit every thread show up here, once.
        drop(loaded.inference()?);
        Ok(Box::new(loaded))
    }
}

/// A network that each thread copies to the device for itself: libtorch's tensors belong to one thread at a time.
struct OnTorch {
    network: Network,
    head_outputs: Vec<u32>,
    on: TorchDevice,
}

impl LoadedNetwork for OnTorch {
    fn inference(&self) -> Result<Box<dyn Inference>, EvaluatorError> {
        let TorchDevice { device, precision } = self.on;
        let evaluator = TorchEvaluator::build(&self.network, self.head_outputs.clone(), device, precision);
        Ok(Box::new(evaluator.map_err(|why| EvaluatorError::on(device.to_string(), why))?))
    }
}

impl Inference for TorchEvaluator {
    fn evaluate(&mut self, batch: &Batch, outputs: &mut Outputs) -> Result<(), EvaluatorError> {
        TorchEvaluator::evaluate(self, batch, outputs).map_err(|why| EvaluatorError::on(self.name.clone(), why))
    }
}

impl TorchEvaluator {
    /// Puts a network on a device. On the CPU libtorch is limited to one thread per evaluator: with more, its threads
    /// spend their time waiting for each other on boards this small.
    pub fn new(network: &EncodedNetwork<'_>, device: Device, precision: Precision) -> Result<Self, TorchError> {
        TorchEvaluator::build(network.network(), network.head_outputs(), device, precision)
    }

    fn build(
        network: &Network,
        head_outputs: Vec<u32>,
        device: Device,
        precision: Precision,
    ) -> Result<Self, TorchError> {
        tch::set_num_threads(1);
        let half = precision == Precision::Half && matches!(device, Device::Cuda(_));
        let name = device.to_string();
        let (device, kind) = (device.torch(), if half { Kind::Half } else { Kind::Float });
        let architecture = network.architecture.clone();
        let (weights, filters) = (&network.weights, architecture.filters);
        let place = Place { device, kind };
        let mut blocks = Vec::new();
        for block in &weights.blocks {
            blocks.push(ResidualBlock {
                first: place.convolution(&block.first, filters)?,
                second: place.convolution(&block.second, filters)?,
                squeeze: block.squeeze.as_ref().map(|squeeze| place.squeeze(squeeze)).transpose()?,
            });
        }
        let (policy_hidden, policy, dense_policy) = match &weights.policy {
            PolicyHead::Convolution { hidden, output } => {
                (place.convolution(hidden, filters)?, place.convolution(output, filters)?, false)
            }
            PolicyHead::Dense { hidden, output } => (place.convolution(hidden, filters)?, place.dense(output)?, true),
        };
        Ok(TorchEvaluator {
            name,
            stem: place.convolution(&weights.stem, architecture.planes)?,
            blocks,
            policy_hidden,
            policy,
            dense_policy,
            value: place.head(&weights.value, filters)?,
            moves_left: weights.moves_left.as_ref().map(|head| place.head(head, filters)).transpose()?,
            head_outputs,
            rows: Vec::new(),
            architecture,
            device,
            kind,
        })
    }

    /// Evaluates a batch: one copy to the device, one back.
    pub fn evaluate(&mut self, batch: &Batch, outputs: &mut Outputs) -> Result<(), TorchError> {
        let values = self.architecture.value_outputs();
        outputs.prepare(batch, values == 3, self.moves_left.is_some());
        if batch.is_empty() {
            return Ok(());
        }
        let all = self.forward(batch)?;
        let width = all.size()[1] as usize;
        self.rows.resize(batch.len() * width, 0.0);
        all.f_copy_data(&mut self.rows, batch.len() * width)?;
        for (position, row) in self.rows.chunks_exact(width).enumerate() {
            let (value, row) = row.split_at(values);
            outputs.set_value(position, value);
            let (moves_left, logits) = row.split_at(usize::from(self.moves_left.is_some()));
            if let [plies] = moves_left {
                outputs.moves_left[position] = plies.max(0.0);
            }
            let indices = batch.indices(position);
            let logit = |at: usize| {
                let index = indices[at] as usize;
                logits[if self.dense_policy { index } else { self.head_outputs[index] as usize }]
            };
            outputs.set_priors(position, logit);
        }
        Ok(())
    }

    /// All raw outputs of a batch side by side, on the CPU: value, moves left, policy.
    fn forward(&self, batch: &Batch) -> Result<Tensor, TorchError> {
        let _no_gradients = tch::no_grad_guard();
        let a = &self.architecture;
        let shape = [batch.len() as i64, a.planes as i64, a.height as i64, a.width as i64];
        let input = Tensor::f_from_slice(batch.planes())?.f_view(shape)?.f_to_device(self.device)?;
        let input = channels_last(&input.f_to_kind(self.kind)?)?;
        let mut x = self.activate(self.stem.convolve(&input)?)?;
        for ResidualBlock { first, second, squeeze } in &self.blocks {
            let mut y = second.convolve(&self.activate(first.convolve(&x)?)?)?;
            if let Some([reduce, expand]) = squeeze {
                let means = y.f_mean_dim([2i64, 3].as_slice(), false, self.kind)?;
                let gates = expand.multiply(&self.activate(reduce.multiply(&means)?)?)?;
                let halves = gates.f_view([-1, 2 * a.filters as i64, 1, 1])?.f_chunk(2, 1)?;
                y = (y.f_mul(&halves[0].f_sigmoid()?)?).f_add(&halves[1])?;
            }
            x = self.activate(y.f_add(&x)?)?;
        }
        let head = |[convolution, hidden, output]: &[Layer; 3]| -> Result<Tensor, TorchError> {
            let convolved = self.activate(convolution.convolve(&x)?)?.f_flatten(1, -1)?;
            output.multiply(&self.activate(hidden.multiply(&convolved)?)?)
        };
        let hidden = self.activate(self.policy_hidden.convolve(&x)?)?;
        let policy = match self.dense_policy {
            true => self.policy.multiply(&hidden.f_flatten(1, -1)?)?,
            false => self.policy.convolve(&hidden)?.f_flatten(1, -1)?,
        };
        let mut parts = vec![head(&self.value)?];
        if let Some(moves_left) = &self.moves_left {
            parts.push(head(moves_left)?);
        }
        parts.push(policy);
        Ok(Tensor::f_cat(&parts, 1)?.f_to_kind(Kind::Float)?.f_to_device(tch::Device::Cpu)?.f_contiguous()?)
    }

    fn activate(&self, mut x: Tensor) -> Result<Tensor, TorchError> {
        Ok(match self.architecture.activation {
            Activation::Relu => x.f_relu_()?,
            Activation::Mish => x.f_mish()?,
        })
    }
}

impl Layer {
    fn convolve(&self, x: &Tensor) -> Result<Tensor, TorchError> {
        let padding = [self.padding, self.padding];
        Ok(x.f_conv2d(&self.weights, Some(&self.biases), [1, 1], padding, [1, 1], 1)?)
    }

    fn multiply(&self, x: &Tensor) -> Result<Tensor, TorchError> {
        Ok(x.f_linear(&self.weights, Some(&self.biases))?)
    }
}

/// The same tensor with its channels next to each other in memory, which libtorch convolves faster: about 1.3 times at
/// batch 1 and 1.1 times at batch 32 on the CPU. It learns about 1.08 times as fast.
pub(crate) fn channels_last(tensor: &Tensor) -> Result<Tensor, TorchError> {
    Ok(tensor.f_permute([0, 2, 3, 1])?.f_contiguous()?.f_permute([0, 3, 1, 2])?)
}

/// Where layers are put.
struct Place {
    device: tch::Device,
    kind: Kind,
}

impl Place {
    fn tensor(&self, numbers: &[f32], shape: &[i64]) -> Result<Tensor, TorchError> {
        Ok(Tensor::f_from_slice(numbers)?.f_view(shape)?.f_to_device(self.device)?.f_to_kind(self.kind)?)
    }

    fn convolution(&self, layer: &Convolution, inputs: usize) -> Result<Layer, TorchError> {
        let outputs = layer.biases.len();
        let kernel = if layer.weights.len() == outputs * inputs { 1 } else { 3 };
        let shape = [outputs as i64, inputs as i64, kernel, kernel];
        Ok(Layer {
            weights: channels_last(&self.tensor(&layer.weights, &shape)?)?,
            biases: self.tensor(&layer.biases, &[outputs as i64])?,
            padding: kernel / 2,
        })
    }

    fn dense(&self, layer: &Dense) -> Result<Layer, TorchError> {
        let outputs = layer.biases.len() as i64;
        Ok(Layer {
            weights: self.tensor(&layer.weights, &[outputs, -1])?,
            biases: self.tensor(&layer.biases, &[outputs])?,
            padding: 0,
        })
    }

    fn squeeze(&self, squeeze: &Squeeze) -> Result<[Layer; 2], TorchError> {
        Ok([self.dense(&squeeze.reduce)?, self.dense(&squeeze.expand)?])
    }

    fn head(&self, head: &Head, filters: usize) -> Result<[Layer; 3], TorchError> {
        Ok([self.convolution(&head.convolution, filters)?, self.dense(&head.hidden)?, self.dense(&head.output)?])
    }
}
