//! Writing Leela's files.

use std::io::Write;
use std::path::Path;

use alfil_game::Encoding;
use alfil_game::chess::Lc0;

use super::wire::Message;
use super::{FILE_POLICY_PLANES, Lc0Error, MAGIC};
use crate::architecture::{Activation, ValueOutput};
use crate::file::write_whole;
use crate::network::{Convolution, Dense, Head, Network, PolicyHead};

/// Writes a network with the encoding `chess/lc0-112` as a Leela network. Weights are rounded to 16 bits, as in Leela's
/// own files.
pub fn export(network: &Network, path: &Path) -> Result<(), Lc0Error> {
    Ok(write_whole(path, &export_bytes(network)?)?)
}

/// The bytes of a Leela network, packed by gzip.
pub fn export_bytes(network: &Network) -> Result<Vec<u8>, Lc0Error> {
    network.check_encoding::<Lc0>()?;
    let architecture = &network.architecture;
    let wdl = u64::from(architecture.value.output == ValueOutput::Wdl) + 1;
    let mish = architecture.activation == Activation::Mish;
    let squeeze = architecture.blocks.iter().any(|squeeze| *squeeze > 0);
    let dense_policy = matches!(network.weights.policy, PolicyHead::Dense { .. });
    let mut network_format = Message::default()
        .number(1, 1)
        .number(2, wdl)
        .number(3, if squeeze { 4 } else { 3 })
        .number(4, if dense_policy { 1 } else { 2 })
        .number(5, wdl);
    if architecture.moves_left.is_some() {
        network_format = network_format.number(6, 1);
    }
    if mish {
        network_format = network_format.number(7, 1);
    }
    let format = Message::default().number(1, 1).message(2, &network_format);
    // The oldest version that knows what the network uses.
    let version = Message::default().number(1, 0).number(2, if mish { 29 } else { 21 }).number(3, 0);
    let message = Message::default()
        .fixed32(1, MAGIC)
        .message(3, &version)
        .message(4, &format)
        .message(10, &write_weights(network));
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    // Writing to memory cannot fail.
    let packed = packer.write_all(&message.0).and_then(|()| packer.finish());
    packed.map_err(|_| Lc0Error::Damaged("it could not be packed"))
}

fn write_weights(network: &Network) -> Message {
    let weights = &network.weights;
    let mut stem = weights.stem.clone();
    let (plane, scale) = Lc0::SCALED_PLANE;
    for output in stem.weights.chunks_exact_mut(Lc0::PLANES * 9) {
        output[plane * 9..][..9].iter_mut().for_each(|weight| *weight /= scale);
    }
    let mut message = Message::default().message(1, &convolution(&stem));
    for block in &weights.blocks {
        let mut residual =
            Message::default().message(1, &convolution(&block.first)).message(2, &convolution(&block.second));
        if let Some(squeeze) = &block.squeeze {
            let unit = dense(dense(Message::default(), [1, 2], &squeeze.reduce), [3, 4], &squeeze.expand);
            residual = residual.message(3, &unit);
        }
        message = message.message(2, &residual);
    }
    message = match &weights.policy {
        PolicyHead::Convolution { hidden, output } => {
            let mut padded = output.clone();
            let size = padded.weights.len() / padded.biases.len();
            padded.weights.resize(FILE_POLICY_PLANES * size, 0.0);
            padded.biases.resize(FILE_POLICY_PLANES, 0.0);
            message.message(11, &convolution(hidden)).message(3, &convolution(&padded))
        }
        PolicyHead::Dense { hidden, output } => dense(message.message(3, &convolution(hidden)), [4, 5], output),
    };
    message = head(message, 6, &weights.value);
    match &weights.moves_left {
        Some(moves_left) => head(message, 12, moves_left),
        None => message,
    }
}

/// A convolution at `field` and its two dense layers in the fields after it.
fn head(message: Message, field: u64, head: &Head) -> Message {
    let message = dense(message.message(field, &convolution(&head.convolution)), [field + 1, field + 2], &head.hidden);
    dense(message, [field + 3, field + 4], &head.output)
}

fn convolution(convolution: &Convolution) -> Message {
    Message::default().message(1, &layer(&convolution.weights)).message(2, &layer(&convolution.biases))
}

fn dense(message: Message, [weights, biases]: [u64; 2], dense: &Dense) -> Message {
    message.message(weights, &layer(&dense.weights)).message(biases, &layer(&dense.biases))
}

/// Numbers as 16-bit steps between the smallest and the largest.
fn layer(numbers: &[f32]) -> Message {
    let (mut min, mut max) = match numbers {
        [one] => (0.0, if *one == 0.0 { 1.0 } else { *one }),
        _ => (f32::INFINITY, f32::NEG_INFINITY),
    };
    if numbers.len() > 1 {
        for &number in numbers {
            (min, max) = (min.min(number), max.max(number));
        }
    }
    let range = f64::from(max) - f64::from(min);
    let step = |number: f32| {
        if range == 0.0 { 0 } else { ((f64::from(number) - f64::from(min)) / range * 65_535.0).round() as u16 }
    };
    let params: Vec<u8> = numbers.iter().flat_map(|&number| step(number).to_le_bytes()).collect();
    Message::default().fixed32(1, min.to_bits()).fixed32(2, max.to_bits()).bytes(3, &params)
}
