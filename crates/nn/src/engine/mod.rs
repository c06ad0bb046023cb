//! The CPU engine: networks on the processor, fast for the small boards and batches of a game.
//!
//! A [`Model`] is a network's weights made ready for an instruction set and shared by all threads; an [`Engine`] is one
//! thread's memory to run it with, allocated once.

mod aligned;
mod cpu;
mod heads;
mod instructions;
mod matrix;
mod squeeze;
mod stem;
mod winograd;

use std::sync::Arc;

use alfil_game::Encoding;

pub use cpu::Cpu;
pub use instructions::Instructions;

use crate::architecture::Architecture;
use crate::batch::{Batch, Outputs};
use crate::device::EncodedNetwork;
use crate::file::FileError;
use crate::network::{Network, PolicyHead};
use aligned::Aligned;
use heads::{Logits, NumberHead, NumberWorkspace, Pointwise, Tower};
use matrix::panel_width;
use squeeze::{Excitation, SqueezeWorkspace};
use stem::Stem;
use winograd::{Context, Finish, Geometry, Winograd, Workspace};

/// Tiles that are worked on together: enough to keep the processor busy with each weight, few enough to stay in the
/// second-level cache.
const TILES_AT_ONCE: usize = 32;

/// A network ready to run.
pub struct Model {
    instructions: Instructions,
    architecture: Architecture,
    geometry: Geometry,
    /// Tower channels with padding.
    channels: usize,
    stem: Stem,
    blocks: Vec<(Winograd, Winograd, Option<Excitation>)>,
    policy_hidden: Option<Winograd>,
    logits: Logits,
    value: NumberHead,
    moves_left: Option<NumberHead>,
    /// For each policy index its output of a convolutional head.
    head_outputs: Vec<u32>,
}

impl Model {
    /// Makes a network ready for this machine.
    pub fn new<E: Encoding>(network: &Network) -> Result<Model, FileError> {
        Model::with_instructions::<E>(network, Instructions::best())
    }

    /// Makes a network ready for an instruction set.
    pub fn with_instructions<E: Encoding>(network: &Network, instructions: Instructions) -> Result<Model, FileError> {
        Ok(Model::build(&EncodedNetwork::new::<E>(network)?, instructions))
    }

    /// Makes a network whose encoding was checked ready for this machine.
    pub fn of(network: &EncodedNetwork<'_>) -> Model {
        Model::build(network, Instructions::best())
    }

    fn build(encoded: &EncodedNetwork<'_>, instructions: Instructions) -> Model {
        let network = encoded.network();
        let (architecture, weights) = (&network.architecture, &network.weights);
        let lanes = instructions.lanes();
        let filters = architecture.filters;
        let channels = filters.next_multiple_of(panel_width(lanes));
        let cells = architecture.cells();
        let geometry = Geometry::new(architecture.height, architecture.width);
        let tower = |layer| Winograd::new(layer, filters, channels, lanes);
        let (policy_hidden, logits) = match &weights.policy {
            PolicyHead::Convolution { hidden, output } => {
                (Some(tower(hidden)), Logits::convolution(output, filters, channels))
            }
            PolicyHead::Dense { hidden, output } => {
                let pointwise = Pointwise::new(hidden, filters, channels, lanes);
                (None, Logits::dense(pointwise, hidden.biases.len(), output, cells))
            }
        };
        let excitation = |squeeze| Excitation::new(squeeze, cells, filters, channels, lanes);
        let head = |head| NumberHead::new(head, cells, filters, channels, lanes);
        Model {
            instructions,
            geometry,
            channels,
            stem: Stem::new(&weights.stem, architecture.planes, &geometry, channels),
            blocks: weights
                .blocks
                .iter()
                .map(|block| (tower(&block.first), tower(&block.second), block.squeeze.as_ref().map(excitation)))
                .collect(),
            policy_hidden,
            logits,
            value: head(&weights.value),
            moves_left: weights.moves_left.as_ref().map(head),
            head_outputs: encoded.head_outputs(),
            architecture: architecture.clone(),
        }
    }

    /// The network's shape.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }
}

/// What one thread needs to run a [`Model`].
pub struct Engine {
    model: Arc<Model>,
    /// Positions worked on together.
    group: usize,
    /// The boards that pass through the tower, and those within a block.
    main: Aligned,
    inner: Aligned,
    workspace: Workspace,
    squeeze: SqueezeWorkspace,
    value: NumberWorkspace,
    moves_left: Option<NumberWorkspace>,
    policy: Aligned,
}

impl Engine {
    /// Allocates all memory that evaluations need.
    pub fn new(model: Arc<Model>) -> Engine {
        let geometry = &model.geometry;
        let cells = model.architecture.cells();
        let group = (TILES_AT_ONCE / geometry.tiles()).max(1);
        let boards = |channels| Aligned::zeros(group * geometry.bordered() * channels);
        let excitations: Vec<&Excitation> = model.blocks.iter().filter_map(|(_, _, e)| e.as_ref()).collect();
        Engine {
            group,
            main: boards(model.channels),
            inner: boards(model.channels),
            workspace: Workspace::new(group * geometry.tiles(), model.channels),
            squeeze: SqueezeWorkspace::new(group, &excitations),
            value: model.value.workspace(group, cells),
            moves_left: model.moves_left.as_ref().map(|head| head.workspace(group, cells)),
            policy: Aligned::zeros(group * model.logits.workspace(cells)),
            model,
        }
    }

    /// The model it runs.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Evaluates a batch of any size. Allocates only where `outputs` is too small.
    pub fn evaluate(&mut self, batch: &Batch, outputs: &mut Outputs) {
        let wdl = self.model.architecture.value_outputs() == 3;
        outputs.prepare(batch, wdl, self.model.moves_left.is_some());
        let mut first = 0;
        while first < batch.len() {
            let positions = self.group.min(batch.len() - first);
            self.evaluate_group(batch, first, positions, outputs);
            first += positions;
        }
    }

    fn evaluate_group(&mut self, batch: &Batch, first: usize, positions: usize, outputs: &mut Outputs) {
        let Engine { model, main, inner, workspace, squeeze, value, moves_left, policy, .. } = self;
        let Model { instructions, geometry, architecture, channels, .. } = &**model;
        let (instructions, channels, activation) = (*instructions, *channels, architecture.activation);
        let mut context = Context { instructions, geometry, positions, workspace };
        for position in 0..positions {
            let board = &mut main[position * geometry.bordered() * channels..];
            model.stem.run(instructions, geometry, activation, batch.planes_of(first + position), board);
        }
        for (one, two, excitation) in &model.blocks {
            one.run(&mut context, main, inner, Finish::Activate(activation));
            match excitation {
                None => two.run(&mut context, inner, main, Finish::Skip(activation)),
                Some(excitation) => {
                    squeeze.sums.fill(0.0);
                    two.run_in_place(&mut context, inner, Finish::Sum { sums: &mut squeeze.sums });
                    excitation.run(&context, activation, inner, main, squeeze);
                }
            }
        }

        let tower = |boards| Tower { instructions, geometry, positions, channels, activation, boards };
        model.value.run(&tower(main), value, |position, raw| outputs.set_value(first + position, raw));
        if let (Some(head), Some(workspace)) = (&model.moves_left, moves_left) {
            head.run(&tower(main), workspace, |position, raw| outputs.moves_left[first + position] = raw[0].max(0.0));
        }
        let boards: &[f32] = match &model.policy_hidden {
            Some(hidden) => {
                hidden.run(&mut context, main, inner, Finish::Activate(activation));
                inner
            }
            None => main,
        };
        let tower = tower(boards);
        model.logits.prepare(&tower, policy);
        for position in 0..positions {
            let indices = batch.indices(first + position);
            outputs.set_priors(first + position, |at| {
                let index = indices[at] as usize;
                model.logits.get(&tower, policy, position, index, model.head_outputs[index] as usize)
            });
        }
    }
}
