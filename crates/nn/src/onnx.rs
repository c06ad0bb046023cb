//! Networks as ONNX files, for other programs.
//!
//! The format is protobuf (onnx.proto3 of the ONNX project, version 8 with operators of set 13). The input is `planes`, `[batch,
//! planes, rows, columns]`; the outputs are `policy`, a logit for each policy index of the encoding, `value`, the probabilities
//! of win, draw and loss for the side to move or one number from -1 to 1, and `moves_left`, in plies, if there is one.

use crate::architecture::{Activation, Architecture, ValueOutput};
use crate::device::EncodedNetwork;
use crate::lc0::wire::Message;
use crate::network::{Convolution, Dense, Head, PolicyHead};

/// Versions of the format and of its operators.
const FORMAT: u64 = 8;
const OPERATORS: u64 = 13;

/// Kinds of numbers in tensors.
const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// The bytes of a network as an ONNX file.
pub fn export_bytes(network: &EncodedNetwork<'_>) -> Vec<u8> {
    let (architecture, weights, origin) =
        (&network.network().architecture, &network.network().weights, &network.network().origin);
    let mut graph = Graph { architecture, nodes: Vec::new(), tensors: Vec::new(), names: 0 };

    let stem = graph.convolution("planes", &weights.stem, 3);
    let mut tower = graph.activation(stem);
    for block in &weights.blocks {
        let first = graph.convolution(&tower, &block.first, 3);
        let first = graph.activation(first);
        let mut fresh = graph.convolution(&first, &block.second, 3);
        if let Some(squeeze) = &block.squeeze {
            let mean = graph.node("GlobalAveragePool", &[&fresh], &[]);
            let mean = graph.flatten(&mean);
            let reduced = graph.dense(&mean, &squeeze.reduce);
            let reduced = graph.activation(reduced);
            let [gates, offsets] = graph.halves(&reduced, &squeeze.expand);
            let gates = graph.node("Sigmoid", &[&gates], &[]);
            let gates = graph.of_channels(&gates);
            let offsets = graph.of_channels(&offsets);
            let gated = graph.node("Mul", &[&fresh, &gates], &[]);
            fresh = graph.node("Add", &[&gated, &offsets], &[]);
        }
        let sum = graph.node("Add", &[&tower, &fresh], &[]);
        tower = graph.activation(sum);
    }

    match &weights.policy {
        PolicyHead::Convolution { hidden, output } => {
            let hidden = graph.convolution(&tower, hidden, 3);
            let hidden = graph.activation(hidden);
            let all = graph.convolution(&hidden, output, 3);
            let all = graph.flatten(&all);
            let places: Vec<i64> = network.head_outputs().into_iter().map(i64::from).collect();
            let places = graph.integers(&places);
            graph.named("Gather", &[&all, &places], &[integer("axis", 1)], "policy");
        }
        PolicyHead::Dense { hidden, output } => {
            let hidden = graph.convolution(&tower, hidden, 1);
            let hidden = graph.activation(hidden);
            let hidden = graph.flatten(&hidden);
            let [weights, biases] = graph.dense_tensors(output);
            graph.named("Gemm", &[&hidden, &weights, &biases], &[integer("transB", 1)], "policy");
        }
    }
    let value = graph.head(&tower, &weights.value);
    match architecture.value.output {
        ValueOutput::Wdl => graph.named("Softmax", &[&value], &[integer("axis", 1)], "value"),
        ValueOutput::Tanh => graph.named("Tanh", &[&value], &[], "value"),
    }
    if let Some(head) = &weights.moves_left {
        let plies = graph.head(&tower, head);
        graph.named("Relu", &[&plies], &[], "moves_left");
    }

    let policy_size = network.head_outputs().len();
    let metadata = |message: Message, key: &str, value: &str| {
        message.message(14, &Message::default().bytes(1, key.as_bytes()).bytes(2, value.as_bytes()))
    };
    let model = Message::default()
        .number(1, FORMAT)
        .bytes(2, b"alfil")
        .bytes(3, env!("CARGO_PKG_VERSION").as_bytes())
        .message(7, &graph.message(policy_size))
        .message(8, &Message::default().bytes(1, b"").number(2, OPERATORS));
    let model = metadata(model, "game", &origin.game);
    metadata(model, "encoding", &origin.encoding).0
}

struct Graph<'a> {
    architecture: &'a Architecture,
    nodes: Vec<Message>,
    tensors: Vec<Message>,
    /// Names that were given so far.
    names: usize,
}

/// An attribute of a node.
fn integer(name: &str, value: u64) -> Message {
    Message::default().bytes(1, name.as_bytes()).number(3, value).number(20, 2)
}

fn integers(name: &str, values: &[u64]) -> Message {
    let message = Message::default().bytes(1, name.as_bytes());
    values.iter().fold(message, |message, value| message.number(8, *value)).number(20, 7)
}

impl Graph<'_> {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("t{}", self.names)
    }

    /// Adds a node whose output has a name of its own.
    fn named(&mut self, kind: &str, inputs: &[&str], attributes: &[Message], output: &str) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input.as_bytes()));
        let node =
            node.bytes(2, output.as_bytes()).bytes(3, format!("n_{output}").as_bytes()).bytes(4, kind.as_bytes());
        self.nodes.push(attributes.iter().fold(node, |node, attribute| node.message(5, attribute)));
    }

    /// Adds a node. Returns the name of its output.
    fn node(&mut self, kind: &str, inputs: &[&str], attributes: &[Message]) -> String {
        let output = self.name();
        self.named(kind, inputs, attributes, &output);
        output
    }

    fn tensor(&mut self, kind: u64, shape: &[usize], bytes: &[u8]) -> String {
        let name = self.name();
        let tensor = shape.iter().fold(Message::default(), |tensor, size| tensor.number(1, *size as u64));
        self.tensors.push(tensor.number(2, kind).bytes(8, name.as_bytes()).bytes(9, bytes));
        name
    }

    fn floats(&mut self, shape: &[usize], numbers: &[f32]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.tensor(FLOAT, shape, &bytes)
    }

    fn integers(&mut self, numbers: &[i64]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.tensor(INT64, &[numbers.len()], &bytes)
    }

    fn convolution(&mut self, input: &str, layer: &Convolution, kernel: usize) -> String {
        let outputs = layer.biases.len();
        let inputs = layer.weights.len() / (outputs * kernel * kernel);
        let weights = self.floats(&[outputs, inputs, kernel, kernel], &layer.weights);
        let biases = self.floats(&[outputs], &layer.biases);
        let (kernel, border) = (kernel as u64, kernel as u64 / 2);
        let attributes = [integers("kernel_shape", &[kernel; 2]), integers("pads", &[border; 4])];
        self.node("Conv", &[input, &weights, &biases], &attributes)
    }

    fn dense_tensors(&mut self, layer: &Dense) -> [String; 2] {
        let outputs = layer.biases.len();
        let weights = self.floats(&[outputs, layer.weights.len() / outputs], &layer.weights);
        [weights, self.floats(&[outputs], &layer.biases)]
    }

    fn dense(&mut self, input: &str, layer: &Dense) -> String {
        let [weights, biases] = self.dense_tensors(layer);
        self.node("Gemm", &[input, &weights, &biases], &[integer("transB", 1)])
    }

    /// The two halves of the outputs of a dense layer.
    fn halves(&mut self, input: &str, layer: &Dense) -> [String; 2] {
        let (weights, biases) = (layer.weights.len() / 2, layer.biases.len() / 2);
        let half = |weights: &[f32], biases: &[f32]| Dense { weights: weights.to_vec(), biases: biases.to_vec() };
        let first = half(&layer.weights[..weights], &layer.biases[..biases]);
        let second = half(&layer.weights[weights..], &layer.biases[biases..]);
        [self.dense(input, &first), self.dense(input, &second)]
    }

    fn activation(&mut self, input: String) -> String {
        match self.architecture.activation {
            Activation::Relu => self.node("Relu", &[&input], &[]),
            Activation::Mish => {
                let softplus = self.node("Softplus", &[&input], &[]);
                let tanh = self.node("Tanh", &[&softplus], &[]);
                self.node("Mul", &[&input, &tanh], &[])
            }
        }
    }

    fn flatten(&mut self, input: &str) -> String {
        self.node("Flatten", &[input], &[integer("axis", 1)])
    }

    /// A number for each channel, so that it can be combined with planes.
    fn of_channels(&mut self, input: &str) -> String {
        let shape = self.integers(&[0, -1, 1, 1]); // 0 keeps the size
        self.node("Reshape", &[input, &shape], &[])
    }

    fn head(&mut self, tower: &str, head: &Head) -> String {
        let convolved = self.convolution(tower, &head.convolution, 1);
        let convolved = self.activation(convolved);
        let convolved = self.flatten(&convolved);
        let hidden = self.dense(&convolved, &head.hidden);
        let hidden = self.activation(hidden);
        self.dense(&hidden, &head.output)
    }

    fn message(self, policy_size: usize) -> Message {
        let Architecture { planes, height, width, moves_left, .. } = self.architecture;
        // Tensors with any number of positions.
        let tensor = |name: &str, sizes: &[usize]| {
            let positions = Message::default().message(1, &Message::default().bytes(2, b"batch"));
            let shape = sizes
                .iter()
                .fold(positions, |shape, size| shape.message(1, &Message::default().number(1, *size as u64)));
            let kind = Message::default().number(1, FLOAT).message(2, &shape);
            Message::default().bytes(1, name.as_bytes()).message(2, &Message::default().message(1, &kind))
        };
        let mut graph = Message::default();
        for node in &self.nodes {
            graph = graph.message(1, node);
        }
        graph = graph.bytes(2, b"alfil");
        for tensor in &self.tensors {
            graph = graph.message(5, tensor);
        }
        graph = graph
            .message(11, &tensor("planes", &[*planes, *height, *width]))
            .message(12, &tensor("policy", &[policy_size]))
            .message(12, &tensor("value", &[self.architecture.value_outputs()]));
        if moves_left.is_some() { graph.message(12, &tensor("moves_left", &[1])) } else { graph }
    }
}
