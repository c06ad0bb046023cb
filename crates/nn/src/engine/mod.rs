//! The CPU engine: networks on the processor, fast for the small boards and batches of a game.
//!
//! A [`Model`] is a network's weights made ready for an instruction set and shared by all threads; an [`Engine`] is one
//! thread's memory to run it with, allocated once.

mod aligned;
mod calibration;
mod cpu;
mod heads;
mod instructions;
mod matrix;
mod peak;
mod plan;
mod processor;
mod product;
mod squeeze;
mod stem;
mod tile;
mod tolerance;
mod winograd;

use std::sync::Arc;

use alfil_game::Encoding;

pub use calibration::{Calibration, Measurement};
pub use cpu::{CalibratedCpu, Cpu, FixedCpu};
pub use instructions::{INSTRUCTION_NAMES, Instructions};
pub use peak::Peak;
pub use plan::{Choice, Plan, Precision};
pub use product::Numbers;
pub use tile::TileSize;
pub use tolerance::{Deviation, TOLERANCE};
pub use winograd::Algorithm;

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
use tolerance::Test;
use winograd::{Context, Finish, Geometry, Winograd, Workspace};

/// A network ready to run.
pub struct Model {
    instructions: Instructions,
    architecture: Architecture,
    geometry: Geometry,
    /// Tower channels with padding.
    channels: usize,
    stem: Stem,
    plan: Plan,
    /// For each algorithm of the plan.
    towers: Vec<(Algorithm, Convolutions)>,
    excitations: Vec<Option<Excitation>>,
    logits: Logits,
    value: NumberHead,
    moves_left: Option<NumberHead>,
    /// For each policy index its output of a convolutional head.
    head_outputs: Vec<u32>,
}

/// The convolutions of a tower, made ready for an algorithm.
struct Convolutions {
    blocks: Vec<(Winograd, Winograd)>,
    policy_hidden: Option<Winograd>,
}

impl Model {
    /// Makes a network ready for this machine, with 32-bit numbers. Its outputs depend only on the instruction set.
    pub fn new<E: Encoding>(network: &Network) -> Result<Model, FileError> {
        Model::with_instructions::<E>(network, Instructions::best())
    }

    /// The same for an instruction set.
    pub fn with_instructions<E: Encoding>(network: &Network, instructions: Instructions) -> Result<Model, FileError> {
        let network = EncodedNetwork::new::<E>(network)?;
        Ok(Model::planned(&network, instructions, Plan::usual(Algorithm::EXACT, &Geometry::of(&network))))
    }

    /// Makes a network whose encoding was checked ready, in a way that follows from the network, the instructions and the
    /// precision alone: on machines with the same instructions the outputs are the same to the bit, for batches of all
    /// sizes.
    pub fn fixed(network: &EncodedNetwork<'_>, instructions: Instructions, precision: Precision) -> Arc<Model> {
        let geometry = Geometry::of(network);
        let model = |algorithm| Arc::new(Model::planned(network, instructions, Plan::usual(algorithm, &geometry)));
        if precision == Precision::Reduced && instructions.are_for(Numbers::Brain) {
            let test = Test::new(network, model(Algorithm::EXACT));
            for algorithm in Algorithm::BRAIN {
                let model = model(algorithm);
                if test.failures(&model).is_empty() {
                    return model;
                }
            }
        }
        model(Algorithm::EXACT)
    }

    /// Makes a network ready in the way that is the fastest on this machine. Which one that is depends on measurements,
    /// so outputs may differ within the tolerance of the precision from one time to the next, and from one size of a
    /// batch to another.
    pub fn calibrated(network: &EncodedNetwork<'_>, instructions: Instructions, precision: Precision) -> Arc<Model> {
        let architecture = &network.network().architecture;
        let calibration = Calibration::of(architecture, instructions, precision);
        let mut plan = calibration.plan.clone();
        let geometry = Geometry::of(network);
        let mut excluded = Vec::new();
        let mut test = None;
        loop {
            let model = Arc::new(Model::planned(network, instructions, plan));
            if model.towers.iter().all(|(algorithm, _)| algorithm.numbers == Numbers::Single) {
                return model;
            }
            let test = test.get_or_insert_with(|| {
                let usual = Plan::usual(Algorithm::EXACT, &geometry);
                Test::new(network, Arc::new(Model::planned(network, instructions, usual)))
            });
            let failures = test.failures(&model);
            if failures.is_empty() {
                return model;
            }
            tracing::info!(?failures, "too inexact for this network");
            excluded.extend(failures);
            plan = calibration.plan_without(&excluded);
        }
    }

    /// Makes a network ready to be computed as a plan says, whose numbers the instructions must allow.
    pub fn planned(encoded: &EncodedNetwork<'_>, instructions: Instructions, plan: Plan) -> Model {
        let network = encoded.network();
        let (architecture, weights) = (&network.architecture, &network.weights);
        let lanes = instructions.lanes();
        let filters = architecture.filters;
        let channels = filters.next_multiple_of(panel_width(lanes));
        let cells = architecture.cells();
        let geometry = Geometry::new(architecture.height, architecture.width);
        let tower = |algorithm: Algorithm| {
            let layer = |layer| Winograd::new(algorithm, layer, filters, channels, lanes);
            let policy_hidden = match &weights.policy {
                PolicyHead::Convolution { hidden, .. } => Some(layer(hidden)),
                PolicyHead::Dense { .. } => None,
            };
            let blocks = weights.blocks.iter().map(|block| (layer(&block.first), layer(&block.second))).collect();
            (algorithm, Convolutions { blocks, policy_hidden })
        };
        let logits = match &weights.policy {
            PolicyHead::Convolution { output, .. } => Logits::convolution(output, filters, channels),
            PolicyHead::Dense { hidden, output } => {
                let pointwise = Pointwise::new(hidden, filters, channels, lanes);
                Logits::dense(pointwise, hidden.biases.len(), output, cells)
            }
        };
        let excitation = |squeeze| Excitation::new(squeeze, cells, filters, channels, lanes);
        let head = |head| NumberHead::new(head, cells, filters, channels, lanes);
        Model {
            instructions,
            geometry,
            channels,
            stem: Stem::new(&weights.stem, architecture.planes, &geometry, channels),
            towers: plan.algorithms().into_iter().map(tower).collect(),
            plan,
            excitations: weights.blocks.iter().map(|block| block.squeeze.as_ref().map(excitation)).collect(),
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

    /// How batches are computed.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What its outputs follow from besides the network: models with the same name of their arithmetic give outputs that
    /// are the same to the bit. `None` if the outputs depend on the size of the batch.
    pub fn arithmetic(&self) -> Option<String> {
        match self.towers.as_slice() {
            [(algorithm, _)] => Some(format!("{}, {algorithm}", self.instructions.name())),
            _ => None,
        }
    }
}

/// What one thread needs to run a [`Model`].
pub struct Engine {
    model: Arc<Model>,
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
        let groups = model.plan.choices().map(|choice| (choice.algorithm.tile, choice.group));
        let group = model.plan.choices().map(|choice| choice.group).max().unwrap_or(1);
        let boards = |channels| Aligned::zeros(group * geometry.bordered() * channels);
        let excitations: Vec<&Excitation> = model.excitations.iter().flatten().collect();
        Engine {
            main: boards(model.channels),
            inner: boards(model.channels),
            workspace: Workspace::new(geometry, groups, model.channels),
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
        self.evaluate_as(self.model.plan.choice(batch.len()), batch, outputs);
    }

    /// The same, and what the tower hands to the heads: the mean of each channel over the board, `[position][channel]`, in place
    /// of what is in `means`.
    pub fn evaluate_with_means(&mut self, batch: &Batch, outputs: &mut Outputs, means: &mut Vec<f32>) {
        means.clear();
        means.resize(batch.len() * self.model.architecture.filters, 0.0);
        self.evaluate_in_groups(self.model.plan.choice(batch.len()), batch, outputs, Some(means));
    }

    /// Evaluates a batch by one of the algorithms of the model's plan, in groups of at most the size of its largest one.
    fn evaluate_as(&mut self, choice: Choice, batch: &Batch, outputs: &mut Outputs) {
        self.evaluate_in_groups(choice, batch, outputs, None);
    }

    fn evaluate_in_groups(
        &mut self,
        Choice { algorithm, group }: Choice,
        batch: &Batch,
        outputs: &mut Outputs,
        mut means: Option<&mut [f32]>,
    ) {
        let wdl = self.model.architecture.value_outputs() == 3;
        outputs.prepare(batch, wdl, self.model.moves_left.is_some());
        let tower = self.model.towers.iter().position(|(other, _)| *other == algorithm).unwrap_or(0);
        let mut first = 0;
        while first < batch.len() {
            let positions = group.min(batch.len() - first);
            self.evaluate_group(tower, batch, first, positions, outputs);
            if let Some(means) = means.as_deref_mut() {
                let filters = self.model.architecture.filters;
                self.add_means(positions, &mut means[first * filters..][..positions * filters]);
            }
            first += positions;
        }
    }

    /// Adds the means of the boards that have just passed through the tower.
    fn add_means(&self, positions: usize, means: &mut [f32]) {
        let Model { geometry, architecture, channels, .. } = &*self.model;
        let Architecture { height, width, filters, .. } = *architecture;
        let share = 1.0 / (height * width) as f32;
        for (position, means) in means.chunks_exact_mut(filters).take(positions).enumerate() {
            let board = &self.main[position * geometry.bordered() * channels..];
            for place in (0..height).flat_map(|row| (0..width).map(move |column| geometry.cell(row, column))) {
                let cell = &board[place * channels..][..filters];
                means.iter_mut().zip(cell).for_each(|(mean, value)| *mean += share * value);
            }
        }
    }

    fn evaluate_group(&mut self, tower: usize, batch: &Batch, first: usize, positions: usize, outputs: &mut Outputs) {
        let Engine { model, main, inner, workspace, squeeze, value, moves_left, policy } = self;
        let Model { instructions, geometry, architecture, channels, .. } = &**model;
        let (instructions, channels, activation) = (*instructions, *channels, architecture.activation);
        let mut context = Context { instructions, geometry, positions, workspace };
        for position in 0..positions {
            let board = &mut main[position * geometry.bordered() * channels..];
            model.stem.run(instructions, geometry, activation, batch.planes_of(first + position), board);
        }
        let (_, convolutions) = &model.towers[tower];
        for ((one, two), excitation) in convolutions.blocks.iter().zip(&model.excitations) {
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
        let boards: &[f32] = match &convolutions.policy_hidden {
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
