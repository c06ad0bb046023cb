//! Reading Leela's files.

use std::io::Read;
use std::path::Path;

use alfil_core::wording::shorten;
use alfil_game::Encoding;
use alfil_game::chess::Lc0;

use super::wire::{Fields, Value};
use super::{BEGINNING, Lc0Error, MAGIC};
use crate::architecture::{Activation, Architecture, HeadShape, PolicyShape, ValueOutput, ValueShape};
use crate::file::read_whole;
use crate::network::{Block, Convolution, Dense, Head, Network, Origin, PolicyHead, Squeeze, Weights};

/// More than any residual network takes once unpacked.
const LARGEST_UNPACKED: u64 = 1 << 28;
const CELLS: usize = 64;
/// Added to the variance in every batch norm.
const EPSILON: f32 = 1e-5;

/// Reads a Leela network from a file, packed by gzip or not.
pub fn import(path: &Path) -> Result<Network, Lc0Error> {
    let mut network = import_bytes(&read_whole(path)?)?;
    network.origin.note = path.file_name().map(|name| format!("imported from {}", shorten(&name.to_string_lossy())));
    Ok(network)
}

/// Reads the bytes of a Leela network, packed by gzip or not.
pub fn import_bytes(bytes: &[u8]) -> Result<Network, Lc0Error> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let damaged = |_| Lc0Error::Damaged("it cannot be unpacked");
        let mut unpacker = flate2::read::MultiGzDecoder::new(bytes);
        // A file of another kind is not unpacked any further.
        let mut unpacked = vec![0; BEGINNING.len()];
        unpacker.read_exact(&mut unpacked).map_err(damaged)?;
        if unpacked.starts_with(BEGINNING) {
            unpacker.take(LARGEST_UNPACKED).read_to_end(&mut unpacked).map_err(damaged)?;
            if unpacked.len() as u64 >= LARGEST_UNPACKED {
                return Err(Lc0Error::Damaged("it unpacks to more than 256 MB"));
            }
        }
        import_message(&unpacked)
    } else {
        import_message(bytes)
    }
}

fn import_message(bytes: &[u8]) -> Result<Network, Lc0Error> {
    if bytes.starts_with(b"1\n") || bytes.starts_with(b"2\n") {
        return Err(Lc0Error::Unsupported("a network in the old text format"));
    }
    let (mut magic, mut format, mut weights) = (None, None, None);
    for field in Fields(bytes) {
        match field? {
            (1, value) => magic = Some(value.number()?),
            (4, value) => format = Some(value.bytes()?),
            (10, value) => weights = Some(value.bytes()?),
            (11, _) => return Err(Lc0Error::Unsupported("an ONNX network")),
            _ => {}
        }
    }
    if magic != Some(MAGIC.into()) {
        return Err(Lc0Error::Damaged("its first field is wrong"));
    }
    let format = Format::read(format.unwrap_or_default())?;
    let weights = weights.ok_or(Lc0Error::Damaged("it has no weights"))?;
    assemble(&format, &Parts::read(weights)?)
}

/// Which kinds of heads the network has.
struct Format {
    dense_policy: bool,
    wdl: bool,
    moves_left: bool,
    activation: Activation,
}

impl Format {
    fn read(bytes: &[u8]) -> Result<Format, Lc0Error> {
        let mut network_format = None;
        for field in Fields(bytes) {
            if let (2, value) = field? {
                network_format = Some(value.bytes()?);
            }
        }
        // Numbers of input, output, network, policy, value, moves left and activation; very old files have none.
        let mut numbers = match network_format {
            None => [0, 1, 1, 3, 1, 1, 0, 0],
            Some(_) => [0; 8],
        };
        for field in Fields(network_format.unwrap_or_default()) {
            let (field, value) = field?;
            if let (Some(number), Value::Varint(value)) = (numbers.get_mut(field as usize), value) {
                *number = value;
            }
        }
        let [_, input, _, network, mut policy, mut value, moves_left, activation] = numbers;
        match network {
            1 | 2 => (policy, value) = (1, 1),
            3 | 4 => {}
            5 => return Err(Lc0Error::Unsupported("an ONNX network")),
            6 | 7 | 134 => return Err(Lc0Error::Unsupported("an attention-body (transformer) network")),
            found => return Err(Lc0Error::Unknown { what: "network format", found }),
        }
        if input != 1 {
            return Err(Lc0Error::Unknown { what: "input format", found: input });
        }
        Ok(Format {
            dense_policy: match policy {
                1 => true,
                2 => false,
                3 => return Err(Lc0Error::Unsupported("a network with an attention policy head")),
                found => return Err(Lc0Error::Unknown { what: "policy format", found }),
            },
            wdl: match value {
                1 => false,
                2 => true,
                found => return Err(Lc0Error::Unknown { what: "value format", found }),
            },
            moves_left: match moves_left {
                0 => false,
                1 => true,
                found => return Err(Lc0Error::Unknown { what: "moves-left format", found }),
            },
            activation: match activation {
                0 => Activation::Relu,
                1 => Activation::Mish,
                found => return Err(Lc0Error::Unknown { what: "activation", found }),
            },
        })
    }
}

/// The messages that layers are read from.
#[derive(Default)]
struct Parts<'a> {
    input: Option<&'a [u8]>,
    blocks: Vec<&'a [u8]>,
    policy_hidden: Option<&'a [u8]>,
    policy: Option<&'a [u8]>,
    policy_dense: [Option<&'a [u8]>; 2],
    value: Option<&'a [u8]>,
    value_dense: [Option<&'a [u8]>; 4],
    moves_left: Option<&'a [u8]>,
    moves_left_dense: [Option<&'a [u8]>; 4],
}

impl<'a> Parts<'a> {
    fn read(bytes: &'a [u8]) -> Result<Parts<'a>, Lc0Error> {
        let mut parts = Parts::default();
        let (mut value_heads, mut policy_heads) = (None, None);
        for field in Fields(bytes) {
            let (field, value) = field?;
            match field {
                1 => parts.input = Some(value.bytes()?),
                2 => parts.blocks.push(value.bytes()?),
                3 => parts.policy = Some(value.bytes()?),
                4 | 5 => parts.policy_dense[field as usize - 4] = Some(value.bytes()?),
                6 => parts.value = Some(value.bytes()?),
                7..=10 => parts.value_dense[field as usize - 7] = Some(value.bytes()?),
                11 => parts.policy_hidden = Some(value.bytes()?),
                12 => parts.moves_left = Some(value.bytes()?),
                13..=16 => parts.moves_left_dense[field as usize - 13] = Some(value.bytes()?),
                17..=22 | 24 => return Err(Lc0Error::Unsupported("a network with an attention policy head")),
                25..=43 => return Err(Lc0Error::Unsupported("an attention-body (transformer) network")),
                44 => value_heads = Some(value.bytes()?),
                45 => policy_heads = Some(value.bytes()?),
                _ => {}
            }
        }
        // A network with several heads is played with its main ones.
        if let Some(heads) = policy_heads {
            parts.policy_hidden = None;
            parts.policy = None;
            for field in Fields(heads) {
                match field? {
                    (field @ 1..=2, value) => parts.policy_dense[field as usize - 1] = Some(value.bytes()?),
                    (3, vanilla) => {
                        for field in Fields(vanilla.bytes()?) {
                            match field? {
                                (field @ 1..=2, value) => parts.policy_dense[field as usize - 1] = Some(value.bytes()?),
                                (10, value) => parts.policy_hidden = Some(value.bytes()?),
                                (11, value) => parts.policy = Some(value.bytes()?),
                                _ => {}
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        for field in Fields(value_heads.unwrap_or_default()) {
            if let (1, winner) = field? {
                for field in Fields(winner.bytes()?) {
                    match field? {
                        (field @ 3..=6, value) => parts.value_dense[field as usize - 3] = Some(value.bytes()?),
                        (11, value) => parts.value = Some(value.bytes()?),
                        _ => {}
                    }
                }
            }
        }
        Ok(parts)
    }
}

fn assemble(format: &Format, parts: &Parts) -> Result<Network, Lc0Error> {
    let mut stem = folded(parts.input, "input")?;
    let filters = stem.biases.len();
    expect("input", stem.weights.len(), filters * Lc0::PLANES * 9)?;
    let (plane, scale) = Lc0::SCALED_PLANE;
    for output in stem.weights.chunks_exact_mut(Lc0::PLANES * 9) {
        output[plane * 9..][..9].iter_mut().for_each(|weight| *weight *= scale);
    }

    let tower = |bytes, name: &str| convolution(bytes, name, filters, filters, 3);
    let mut blocks = Vec::new();
    for (number, bytes) in parts.blocks.iter().enumerate() {
        let [mut first, mut second, mut squeeze] = [None; 3];
        for field in Fields(bytes) {
            match field? {
                (1, value) => first = Some(value.bytes()?),
                (2, value) => second = Some(value.bytes()?),
                (3, value) => squeeze = Some(value.bytes()?),
                _ => {}
            }
        }
        blocks.push(Block {
            first: tower(first, &format!("residual {number} conv1"))?,
            second: tower(second, &format!("residual {number} conv2"))?,
            squeeze: squeeze.map(|bytes| read_squeeze(bytes, number, filters)).transpose()?,
        });
    }
    if blocks.is_empty() {
        return Err(Lc0Error::Missing("residual".to_owned()));
    }

    let (policy_shape, policy) = if format.dense_policy {
        let hidden = pointwise(parts.policy, "policy", filters)?;
        let planes = hidden.biases.len();
        let output = dense(&parts.policy_dense, "policy dense", Some(Lc0::POLICY_SIZE), planes * CELLS)?;
        let shape = PolicyShape::Dense { filters: planes, outputs: Lc0::POLICY_SIZE };
        (shape, PolicyHead::Dense { hidden, output })
    } else {
        let hidden = tower(parts.policy_hidden, "policy1")?;
        let mut output = folded(parts.policy, "policy")?;
        let planes = output.biases.len();
        expect("policy", output.weights.len(), planes * filters * 9)?;
        if planes < Lc0::POLICY_PLANES {
            return Err(Lc0Error::Size { layer: "policy".to_owned(), found: planes, expected: Lc0::POLICY_PLANES });
        }
        // Planes beyond those of the 73 ways to move are padding.
        output.biases.truncate(Lc0::POLICY_PLANES);
        output.weights.truncate(Lc0::POLICY_PLANES * filters * 9);
        let shape = PolicyShape::Convolution { planes: Lc0::POLICY_PLANES };
        (shape, PolicyHead::Convolution { hidden, output })
    };
    let outputs = if format.wdl { 3 } else { 1 };
    let value = read_head(parts.value, &parts.value_dense, "value", filters, outputs)?;
    let moves_left = match format.moves_left {
        true => Some(read_head(parts.moves_left, &parts.moves_left_dense, "moves left", filters, 1)?),
        false => None,
    };
    let shape = |head: &Head| HeadShape { filters: head.convolution.biases.len(), hidden: head.hidden.biases.len() };
    let architecture = Architecture {
        planes: Lc0::PLANES,
        height: Lc0::HEIGHT,
        width: Lc0::WIDTH,
        filters,
        blocks: blocks.iter().map(|b| b.squeeze.as_ref().map_or(0, |squeeze| squeeze.reduce.biases.len())).collect(),
        activation: format.activation,
        policy: policy_shape,
        value: ValueShape {
            output: if format.wdl { ValueOutput::Wdl } else { ValueOutput::Tanh },
            head: shape(&value),
        },
        moves_left: moves_left.as_ref().map(shape),
    };
    architecture.check()?;
    let weights = Weights { stem, blocks, policy, value, moves_left };
    Ok(Network { architecture, weights, origin: Origin::of::<Lc0>() })
}

fn expect(layer: &str, found: usize, expected: usize) -> Result<(), Lc0Error> {
    if found == expected { Ok(()) } else { Err(Lc0Error::Size { layer: layer.to_owned(), found, expected }) }
}

fn read_squeeze(bytes: &[u8], number: usize, filters: usize) -> Result<Squeeze, Lc0Error> {
    let mut layers = [None; 4];
    for field in Fields(bytes) {
        if let (field @ 1..=4, value) = field? {
            layers[field as usize - 1] = Some(value.bytes()?);
        }
    }
    let [w1, b1, w2, b2] = layers;
    let name = |part| format!("residual {number} se {part}");
    let reduce = dense(&[w1, b1], &name("1"), None, filters)?;
    let expand = dense(&[w2, b2], &name("2"), Some(2 * filters), reduce.biases.len())?;
    Ok(Squeeze { reduce, expand })
}

fn read_head(
    convolution: Option<&[u8]>,
    dense_layers: &[Option<&[u8]>; 4],
    name: &str,
    filters: usize,
    outputs: usize,
) -> Result<Head, Lc0Error> {
    let convolution = pointwise(convolution, name, filters)?;
    let [w1, b1, w2, b2] = *dense_layers;
    let hidden = dense(&[w1, b1], &format!("{name} dense 1"), None, convolution.biases.len() * CELLS)?;
    let output = dense(&[w2, b2], &format!("{name} dense 2"), Some(outputs), hidden.biases.len())?;
    Ok(Head { convolution, hidden, output })
}

/// A dense layer. If the number of outputs is not given, it is that of the biases.
fn dense(layers: &[Option<&[u8]>; 2], name: &str, outputs: Option<usize>, inputs: usize) -> Result<Dense, Lc0Error> {
    let biases = layer(layers[1], &format!("{name} biases"))?;
    let weights = layer(layers[0], &format!("{name} weights"))?;
    let outputs = outputs.unwrap_or(biases.len());
    if outputs == 0 {
        return Err(Lc0Error::Missing(format!("{name} biases")));
    }
    expect(&format!("{name} biases"), biases.len(), outputs)?;
    expect(&format!("{name} weights"), weights.len(), outputs * inputs)?;
    Ok(Dense { weights, biases })
}

fn pointwise(bytes: Option<&[u8]>, name: &str, inputs: usize) -> Result<Convolution, Lc0Error> {
    let convolution = folded(bytes, name)?;
    expect(name, convolution.weights.len(), convolution.biases.len() * inputs)?;
    Ok(convolution)
}

fn convolution(
    bytes: Option<&[u8]>,
    name: &str,
    outputs: usize,
    inputs: usize,
    kernel: usize,
) -> Result<Convolution, Lc0Error> {
    let convolution = folded(bytes, name)?;
    expect(&format!("{name} outputs"), convolution.biases.len(), outputs)?;
    expect(name, convolution.weights.len(), outputs * inputs * kernel * kernel)?;
    Ok(convolution)
}

/// A convolution with its batch norm folded into weights and biases.
fn folded(bytes: Option<&[u8]>, name: &str) -> Result<Convolution, Lc0Error> {
    let bytes = bytes.ok_or_else(|| Lc0Error::Missing(name.to_owned()))?;
    let mut layers = [None; 6];
    for field in Fields(bytes) {
        if let (field @ 1..=6, value) = field? {
            layers[field as usize - 1] = Some(value.bytes()?);
        }
    }
    let mut read = Vec::new();
    for (bytes, part) in layers.iter().zip(["weights", "biases", "means", "variances", "gammas", "betas"]) {
        read.push(match bytes {
            Some(bytes) => Some(layer(Some(bytes), &format!("{name} {part}"))?).filter(|numbers| !numbers.is_empty()),
            None => None,
        });
    }
    let mut read = read.into_iter();
    let mut next = || read.next().flatten();
    let (weights, biases, means, variances, gammas, betas) = (next(), next(), next(), next(), next(), next());
    let mut weights = weights.ok_or_else(|| Lc0Error::Missing(format!("{name} weights")))?;
    let outputs = means.as_ref().or(biases.as_ref()).map_or(0, Vec::len);
    if outputs == 0 || !weights.len().is_multiple_of(outputs) {
        return Err(Lc0Error::Size { layer: format!("{name} weights"), found: weights.len(), expected: outputs });
    }
    let vector = |numbers: Option<Vec<f32>>, missing: f32, part: &str| {
        let numbers = numbers.unwrap_or_else(|| vec![missing; outputs]);
        expect(&format!("{name} {part}"), numbers.len(), outputs).map(|()| numbers)
    };
    let mut biases = vector(biases, 0.0, "biases")?;
    if let Some(means) = means {
        let variances = vector(variances, 1.0, "variances")?;
        let gammas = vector(gammas, 1.0, "gammas")?;
        let betas = vector(betas, 0.0, "betas")?;
        let size = weights.len() / outputs;
        for (output, kernel) in weights.chunks_exact_mut(size).enumerate() {
            let scale = gammas[output] / (variances[output] + EPSILON).sqrt();
            kernel.iter_mut().for_each(|weight| *weight *= scale);
            biases[output] = betas[output] + scale * (biases[output] - means[output]);
        }
    }
    if weights.iter().chain(&biases).any(|number| !number.is_finite()) {
        return Err(Lc0Error::NotFinite(name.to_owned()));
    }
    Ok(Convolution { weights, biases })
}

/// The numbers of a layer.
fn layer(bytes: Option<&[u8]>, name: &str) -> Result<Vec<f32>, Lc0Error> {
    let bytes = bytes.ok_or_else(|| Lc0Error::Missing(name.to_owned()))?;
    let (mut min, mut max, mut encoding) = (0.0, 0.0, 1);
    let mut params: &[u8] = &[];
    for field in Fields(bytes) {
        match field? {
            (1, value) => min = value.float()?,
            (2, value) => max = value.float()?,
            (3, value) => params = value.bytes()?,
            (4, value) => encoding = value.number()?,
            _ => {}
        }
    }
    let size = if encoding == 4 { 4 } else { 2 };
    if !params.len().is_multiple_of(size) {
        return Err(Lc0Error::Damaged("a layer ends in the middle of a number"));
    }
    let halves = params.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
    let numbers: Vec<f32> = match encoding {
        // Fused as Leela's own program computes it: small weights in a wide range differ visibly otherwise.
        0 | 1 => {
            let decode = |u: u16| {
                let t = f32::from(u) / 65_535.0;
                min.mul_add(1.0 - t, max * t)
            };
            halves.map(decode).collect()
        }
        2 => halves.map(half_to_float).collect(),
        3 => halves.map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
        4 => params.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        found => return Err(Lc0Error::Unknown { what: "layer encoding", found }),
    };
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(Lc0Error::NotFinite(name.to_owned()));
    }
    Ok(numbers)
}

fn half_to_float(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}
