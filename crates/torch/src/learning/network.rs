//! The network in training: that of the network file before its batch norms are folded.

use std::collections::HashMap;

use alfil_nn::{Activation, Architecture, FileError, PolicyShape};
use tch::{Kind, Tensor};

use super::layout::Layout;
use crate::TorchError;

/// Added to a variance before its root is taken; PyTorch's default.
pub const EPSILON: f64 = 1e-5;

/// Which statistics batch norms use.
#[derive(Clone, Copy)]
pub enum Norms {
    /// Those of the batch, which are mixed into the stored ones with this share.
    Batch { share: f64 },
    /// The stored ones.
    Stored,
    /// None: a norm only adds its bias, as if the rest were folded into the weights. The stored ones become those of the
    /// batch.
    Folded,
}

/// A network whose tensors are views of flat ones.
pub struct TrainingNetwork {
    activation: Activation,
    dense_policy: bool,
    stem: NormedConvolution,
    blocks: Vec<ResidualBlock>,
    policy: PolicyHead,
    value: Head,
    moves_left: Option<Head>,
    /// The opponent's policy, and for each cell as the opponent sees it, where the mover sees it.
    reply: Option<(PolicyHead, Tensor)>,
}

/// What comes out, before any softmax.
pub struct RawOutputs {
    /// One row of logits per sample.
    pub policy: Tensor,
    /// Three logits per sample, or one number before its tanh.
    pub value: Tensor,
    /// One number of plies per sample.
    pub moves_left: Option<Tensor>,
    /// One row of logits per sample, as the opponent sees the board.
    pub reply: Option<Tensor>,
}

/// A convolution without a bias, then a batch norm.
struct NormedConvolution {
    weight: Tensor,
    /// Cells of padding around its input.
    padding: i64,
    gamma: Tensor,
    beta: Tensor,
    mean: Tensor,
    variance: Tensor,
}

/// A dense layer or a convolution with a bias.
struct Layer {
    weight: Tensor,
    bias: Tensor,
}

struct ResidualBlock {
    first: NormedConvolution,
    second: NormedConvolution,
    /// Reduces and expands.
    squeeze: Option<[Layer; 2]>,
}

struct PolicyHead {
    hidden: NormedConvolution,
    output: Layer,
}

struct Head {
    convolution: NormedConvolution,
    hidden: Layer,
    output: Layer,
}

impl TrainingNetwork {
    /// A network of these parameters, in the order of the layout, and of these flat statistics.
    pub fn new(
        architecture: &Architecture,
        layout: &Layout,
        parameters: &[Tensor],
        statistics: &Tensor,
    ) -> Result<TrainingNetwork, TorchError> {
        let mut named = Named(HashMap::new());
        for (slot, tensor) in layout.parameters.iter().zip(parameters) {
            named.0.insert(&slot.name, tensor.shallow_clone());
        }
        for slot in &layout.statistics {
            named.0.insert(&slot.name, slot.view(statistics)?);
        }
        let mut blocks = Vec::new();
        for (i, &squeeze) in architecture.blocks.iter().enumerate() {
            let layers = |reduce: &str, expand: &str| Ok::<_, TorchError>([named.layer(reduce)?, named.layer(expand)?]);
            let names = [format!("blocks.{i}.squeeze.reduce"), format!("blocks.{i}.squeeze.expand")];
            blocks.push(ResidualBlock {
                first: named.normed(&format!("blocks.{i}.first"))?,
                second: named.normed(&format!("blocks.{i}.second"))?,
                squeeze: if squeeze > 0 { Some(layers(&names[0], &names[1])?) } else { None },
            });
        }
        let reply = match &layout.reply {
            Some(cells) => {
                let cells = Tensor::f_from_slice(cells)?.f_to_device(statistics.device())?;
                Some((named.policy("reply")?, cells))
            }
            None => None,
        };
        Ok(TrainingNetwork {
            activation: architecture.activation,
            dense_policy: matches!(architecture.policy, PolicyShape::Dense { .. }),
            stem: named.normed("stem")?,
            blocks,
            policy: named.policy("policy")?,
            value: named.head("value")?,
            moves_left: architecture.moves_left.map(|_| named.head("moves_left")).transpose()?,
            reply,
        })
    }

    /// The network's outputs for planes, `[sample][plane][row][column]`. Convolutions and dense layers compute in the kind of
    /// the planes.
    pub fn forward(&self, planes: &Tensor, norms: Norms) -> Result<RawOutputs, TorchError> {
        let mut x = self.activate(self.stem.forward(planes, norms)?)?;
        for ResidualBlock { first, second, squeeze } in &self.blocks {
            let mut y = second.forward(&self.activate(first.forward(&x, norms)?)?, norms)?;
            if let Some([reduce, expand]) = squeeze {
                let means = y.f_mean_dim([2i64, 3].as_slice(), false, None)?;
                let gates = expand.multiply(&self.activate(reduce.multiply(&means)?)?)?;
                let halves = gates.f_unsqueeze(-1)?.f_unsqueeze(-1)?.f_chunk(2, 1)?;
                y = y.f_mul(&halves[0].f_sigmoid()?)?.f_add_(&halves[1])?;
            }
            x = self.activate(y.f_add_(&x)?)?;
        }
        let head = |head: &Head| -> Result<Tensor, TorchError> {
            let convolved = self.activate(head.convolution.forward(&x, norms)?)?.f_flatten(1, -1)?;
            head.output.multiply(&self.activate(head.hidden.multiply(&convolved)?)?)
        };
        let policy = |PolicyHead { hidden, output }: &PolicyHead, x: &Tensor| -> Result<Tensor, TorchError> {
            let hidden = self.activate(hidden.forward(x, norms)?)?;
            match self.dense_policy {
                true => output.multiply(&hidden.f_flatten(1, -1)?),
                false => Ok(output.convolve(&hidden)?.f_flatten(1, -1)?),
            }
        };
        let reply = |(head, cells): &(PolicyHead, Tensor)| {
            let seen = x.f_flatten(2, -1)?.f_index_select(2, cells)?.f_view_as(&x)?;
            policy(head, &seen)
        };
        Ok(RawOutputs {
            policy: policy(&self.policy, &x)?,
            value: head(&self.value)?,
            moves_left: self.moves_left.as_ref().map(head).transpose()?,
            reply: self.reply.as_ref().map(reply).transpose()?,
        })
    }

    fn activate(&self, mut x: Tensor) -> Result<Tensor, TorchError> {
        Ok(match self.activation {
            Activation::Relu => x.f_relu_()?,
            Activation::Mish => x.f_mish()?,
        })
    }
}

impl NormedConvolution {
    fn forward(&self, x: &Tensor, norms: Norms) -> Result<Tensor, TorchError> {
        let padding = [self.padding, self.padding];
        let weight = self.weight.f_to_kind(x.kind())?;
        let convolved = x.f_conv2d(&weight, None::<&Tensor>, [1, 1], padding, [1, 1], 1)?;
        let (training, share) = match norms {
            Norms::Batch { share } => (true, share),
            Norms::Stored => (false, 0.0),
            Norms::Folded => {
                let all = [0i64, 2, 3];
                self.mean.shallow_clone().f_copy_(&convolved.f_mean_dim(all.as_slice(), false, None)?)?;
                self.variance.shallow_clone().f_copy_(&convolved.f_var_dim(all.as_slice(), true, false)?)?;
                return Ok(convolved.f_add(&self.beta.f_view([1, -1, 1, 1])?)?);
            }
        };
        let (gamma, beta) = (Some(&self.gamma), Some(&self.beta));
        let (mean, variance) = (Some(&self.mean), Some(&self.variance));
        Ok(convolved.f_batch_norm(gamma, beta, mean, variance, training, share, EPSILON, true)?)
    }
}

impl Layer {
    /// A 3x3 convolution.
    fn convolve(&self, x: &Tensor) -> Result<Tensor, TorchError> {
        let (weight, bias) = self.of_kind(x.kind())?;
        Ok(x.f_conv2d(&weight, Some(&bias), [1, 1], [1, 1], [1, 1], 1)?)
    }

    fn multiply(&self, x: &Tensor) -> Result<Tensor, TorchError> {
        let (weight, bias) = self.of_kind(x.kind())?;
        Ok(x.f_linear(&weight, Some(&bias))?)
    }

    /// Weight and bias in the kind of the input.
    fn of_kind(&self, kind: Kind) -> Result<(Tensor, Tensor), TorchError> {
        Ok((self.weight.f_to_kind(kind)?, self.bias.f_to_kind(kind)?))
    }
}

/// Tensors by name, to make layers of.
struct Named<'a>(HashMap<&'a str, Tensor>);

impl Named<'_> {
    fn tensor(&self, name: String) -> Result<Tensor, TorchError> {
        match self.0.get(name.as_str()) {
            Some(tensor) => Ok(tensor.shallow_clone()),
            None => Err(FileError::Tensor { name, problem: "is missing".to_owned() }.into()),
        }
    }

    fn normed(&self, layer: &str) -> Result<NormedConvolution, TorchError> {
        let weight = self.tensor(format!("{layer}.weight"))?;
        let kernel = weight.size().last().copied().unwrap_or(1);
        Ok(NormedConvolution {
            weight,
            padding: kernel / 2,
            gamma: self.tensor(format!("{layer}.norm.gamma"))?,
            beta: self.tensor(format!("{layer}.norm.beta"))?,
            mean: self.tensor(format!("{layer}.norm.mean"))?,
            variance: self.tensor(format!("{layer}.norm.variance"))?,
        })
    }

    fn layer(&self, layer: &str) -> Result<Layer, TorchError> {
        Ok(Layer { weight: self.tensor(format!("{layer}.weight"))?, bias: self.tensor(format!("{layer}.bias"))? })
    }

    fn policy(&self, name: &str) -> Result<PolicyHead, TorchError> {
        let (hidden, output) = (self.normed(&format!("{name}.hidden"))?, self.layer(&format!("{name}.output"))?);
        Ok(PolicyHead { hidden, output })
    }

    fn head(&self, name: &str) -> Result<Head, TorchError> {
        Ok(Head {
            convolution: self.normed(&format!("{name}.convolution"))?,
            hidden: self.layer(&format!("{name}.hidden"))?,
            output: self.layer(&format!("{name}.output"))?,
        })
    }
}
