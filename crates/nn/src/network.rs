//! A network: its shape, its weights and where it comes from.

use std::collections::BTreeMap;

use alfil_game::Encoding;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::architecture::{Architecture, HeadShape, PolicyShape};
use crate::tensors::Tensor;

/// Bytes of a text of the origin at most.
const LONGEST_TEXT: usize = 4096;

/// Everything needed to play.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The shape.
    pub architecture: Architecture,
    /// The numbers. They fit the shape.
    pub weights: Weights,
    /// What it plays and how it came to be.
    pub origin: Origin,
}

/// What a network plays and how it came to be. Files of later versions may say more, which is ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the game.
    pub game: String,
    /// Name of the encoding.
    pub encoding: String,
    /// Version of the encoding.
    pub encoding_version: u32,
    /// Which generation of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u32>,
    /// The network that it was trained from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Training steps that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Elo, if it was measured, with its pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<String>,
    /// Anything else worth keeping, such as the file it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A convolution with its bias; weights are `[output][input][row][column]`, row 0 reaching to the row below.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    /// Output x input x kernel x kernel.
    pub weights: Vec<f32>,
    /// One per output.
    pub biases: Vec<f32>,
}

/// A dense layer; weights are `[output][input]`, inputs that were planes being `[plane][cell]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Output x input.
    pub weights: Vec<f32>,
    /// One per output.
    pub biases: Vec<f32>,
}

/// All weights of a network, batch norms folded.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// From planes to the tower.
    pub stem: Convolution,
    /// The tower.
    pub blocks: Vec<Block>,
    /// From the tower to logits.
    pub policy: PolicyHead,
    /// From the tower to the result.
    pub value: Head,
    /// From the tower to the plies left.
    pub moves_left: Option<Head>,
}

/// A residual block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Followed by the activation.
    pub first: Convolution,
    /// Followed by squeeze-excitation, skip connection and activation.
    pub second: Convolution,
    /// If the block has it.
    pub squeeze: Option<Squeeze>,
}

/// Squeeze-excitation: the mean of each channel goes through two dense layers, which give a gate (through a sigmoid) and
/// an offset for each channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Squeeze {
    /// Channels to fewer.
    pub reduce: Dense,
    /// To twice the channels: gates, then offsets.
    pub expand: Dense,
}

/// A policy head.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyHead {
    /// Two 3x3 convolutions.
    Convolution {
        /// Followed by the activation.
        hidden: Convolution,
        /// Gives the logits.
        output: Convolution,
    },
    /// A 1x1 convolution and a dense layer.
    Dense {
        /// Followed by the activation.
        hidden: Convolution,
        /// Gives the logits.
        output: Dense,
    },
}

/// A head that ends in a few numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// 1x1, followed by the activation.
    pub convolution: Convolution,
    /// Followed by the activation.
    pub hidden: Dense,
    /// The numbers.
    pub output: Dense,
}

/// How the tensors of a network are made, one after the other; each is asked for by name and shape.
pub(crate) trait TensorSource {
    type Error;
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Self::Error>;
}

/// Tensors from a function.
struct Given<F>(F);

impl<X, F: FnMut(&str, &[usize]) -> Result<Vec<f32>, X>> TensorSource for Given<F> {
    type Error = X;

    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, X> {
        (self.0)(name, shape)
    }
}

impl Weights {
    /// Weights for an architecture, whose tensors `tensor` gives by name and shape, as a network file has them.
    pub fn from_tensors<X>(
        architecture: &Architecture,
        tensor: impl FnMut(&str, &[usize]) -> Result<Vec<f32>, X>,
    ) -> Result<Weights, X> {
        Weights::assemble(architecture, &mut Given(tensor))
    }

    /// Assembles the weights of `architecture` from a source of tensors.
    pub(crate) fn assemble<S: TensorSource>(architecture: &Architecture, source: &mut S) -> Result<Weights, S::Error> {
        let a = architecture;
        let (c, cells) = (a.filters, a.cells());
        let blocks = a.blocks.iter().enumerate().map(|(i, &squeeze)| {
            Ok(Block {
                first: convolution(source, &format!("blocks.{i}.first"), c, c, 3)?,
                second: convolution(source, &format!("blocks.{i}.second"), c, c, 3)?,
                squeeze: match squeeze {
                    0 => None,
                    squeeze => Some(Squeeze {
                        reduce: dense(source, &format!("blocks.{i}.squeeze.reduce"), squeeze, c)?,
                        expand: dense(source, &format!("blocks.{i}.squeeze.expand"), 2 * c, squeeze)?,
                    }),
                },
            })
        });
        let blocks = blocks.collect::<Result<Vec<Block>, S::Error>>()?;
        let stem = convolution(source, "stem", c, a.planes, 3)?;
        let policy = match a.policy {
            PolicyShape::Convolution { planes } => PolicyHead::Convolution {
                hidden: convolution(source, "policy.hidden", c, c, 3)?,
                output: convolution(source, "policy.output", planes, c, 3)?,
            },
            PolicyShape::Dense { filters, outputs } => PolicyHead::Dense {
                hidden: convolution(source, "policy.hidden", filters, c, 1)?,
                output: dense(source, "policy.output", outputs, filters * cells)?,
            },
        };
        let mut head = |name: &str, shape: HeadShape, outputs: usize| {
            Ok(Head {
                convolution: convolution(source, &format!("{name}.convolution"), shape.filters, c, 1)?,
                hidden: dense(source, &format!("{name}.hidden"), shape.hidden, shape.filters * cells)?,
                output: dense(source, &format!("{name}.output"), outputs, shape.hidden)?,
            })
        };
        let value = head("value", a.value.head, a.value_outputs())?;
        let moves_left = a.moves_left.map(|shape| head("moves_left", shape, 1)).transpose()?;
        Ok(Weights { stem, blocks, policy, value, moves_left })
    }

    /// Calls `visit` with every tensor: name, shape, numbers; the names and shapes that [`assemble`](Weights::assemble)
    /// asks for.
    pub(crate) fn visit<'a>(
        &'a self,
        architecture: &Architecture,
        mut visit: impl FnMut(String, Vec<usize>, &'a [f32]),
    ) {
        let a = architecture;
        let (c, cells) = (a.filters, a.cells());
        let mut conv = |name: &str, layer: &'a Convolution, inputs: usize, kernel: usize| {
            let shape = vec![layer.biases.len(), inputs, kernel, kernel];
            visit(format!("{name}.weight"), shape, &layer.weights);
            visit(format!("{name}.bias"), vec![layer.biases.len()], &layer.biases);
        };
        conv("stem", &self.stem, a.planes, 3);
        for (i, block) in self.blocks.iter().enumerate() {
            conv(&format!("blocks.{i}.first"), &block.first, c, 3);
            conv(&format!("blocks.{i}.second"), &block.second, c, 3);
        }
        match &self.policy {
            PolicyHead::Convolution { hidden, output } => {
                conv("policy.hidden", hidden, c, 3);
                conv("policy.output", output, c, 3);
            }
            PolicyHead::Dense { hidden, .. } => conv("policy.hidden", hidden, c, 1),
        }
        let heads = [("value", Some(&self.value)), ("moves_left", self.moves_left.as_ref())];
        for (name, head) in heads {
            if let Some(head) = head {
                conv(&format!("{name}.convolution"), &head.convolution, c, 1);
            }
        }
        let mut dense = |name: &str, layer: &'a Dense, inputs: usize| {
            visit(format!("{name}.weight"), vec![layer.biases.len(), inputs], &layer.weights);
            visit(format!("{name}.bias"), vec![layer.biases.len()], &layer.biases);
        };
        for (i, block) in self.blocks.iter().enumerate() {
            if let Some(squeeze) = &block.squeeze {
                dense(&format!("blocks.{i}.squeeze.reduce"), &squeeze.reduce, c);
                dense(&format!("blocks.{i}.squeeze.expand"), &squeeze.expand, squeeze.reduce.biases.len());
            }
        }
        if let PolicyHead::Dense { hidden, output } = &self.policy {
            dense("policy.output", output, hidden.biases.len() * cells);
        }
        for (name, head) in heads {
            if let Some(head) = head {
                dense(&format!("{name}.hidden"), &head.hidden, head.convolution.biases.len() * cells);
                dense(&format!("{name}.output"), &head.output, head.hidden.biases.len());
            }
        }
    }
}

fn convolution<S: TensorSource>(
    source: &mut S,
    name: &str,
    outputs: usize,
    inputs: usize,
    kernel: usize,
) -> Result<Convolution, S::Error> {
    Ok(Convolution {
        weights: source.tensor(&format!("{name}.weight"), &[outputs, inputs, kernel, kernel])?,
        biases: source.tensor(&format!("{name}.bias"), &[outputs])?,
    })
}

fn dense<S: TensorSource>(source: &mut S, name: &str, outputs: usize, inputs: usize) -> Result<Dense, S::Error> {
    Ok(Dense {
        weights: source.tensor(&format!("{name}.weight"), &[outputs, inputs])?,
        biases: source.tensor(&format!("{name}.bias"), &[outputs])?,
    })
}

impl Network {
    /// An untrained network: weights as training starts from (He's normal distribution), all biases small.
    pub fn random<E: Encoding>(architecture: Architecture, seed: u64) -> Network {
        let mut source = RandomSource(Xoshiro256PlusPlus::seed_from_u64(seed));
        let Ok(weights) = Weights::assemble(&architecture, &mut source);
        Network { architecture, weights, origin: Origin::of::<E>() }
    }

    /// All tensors by name, as a network file has them.
    pub fn tensors(&self) -> BTreeMap<String, Tensor<'_>> {
        let mut tensors = BTreeMap::new();
        self.weights.visit(&self.architecture, |name, shape, numbers| _ = tensors.insert(name, (shape, numbers)));
        tensors
    }

    /// Numbers in all tensors together.
    pub fn parameters(&self) -> u64 {
        let mut count = 0;
        self.weights.visit(&self.architecture, |_, _, numbers| count += numbers.len() as u64);
        count
    }
}

impl Origin {
    /// A network for this encoding of which nothing else is known.
    pub fn of<E: Encoding>() -> Origin {
        let game = <E::Game as alfil_game::Game>::NAME.to_owned();
        Origin { game, encoding: E::NAME.to_owned(), encoding_version: E::VERSION, ..Origin::default() }
    }

    /// Whether all its texts can be shown: they are short, and have nothing in them that a terminal would obey.
    pub(crate) fn is_plain(&self) -> bool {
        let texts = [&self.game, &self.encoding].into_iter().chain(&self.parent).chain(&self.rating).chain(&self.note);
        texts.into_iter().all(|text| text.len() <= LONGEST_TEXT && !text.chars().any(char::is_control))
    }
}

struct RandomSource(Xoshiro256PlusPlus);

impl TensorSource for RandomSource {
    type Error = std::convert::Infallible;

    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Self::Error> {
        let count: usize = shape.iter().product();
        let inputs: usize = shape[1..].iter().product();
        // The sum of four uniform numbers is close enough to normal; its variance is a third.
        let scale = if name.ends_with(".bias") { 0.05 } else { (2.0 / inputs as f32).sqrt() };
        let mut normal = || (0..4).map(|_| self.0.random_range(-1.0f32..1.0)).sum::<f32>() * (0.75f32).sqrt();
        // Keeps the values of a deep tower from growing: each block adds little to its input.
        let damping = if name.contains(".second.") { 0.3 } else { 1.0 };
        Ok((0..count).map(|_| normal() * scale * damping).collect())
    }
}
