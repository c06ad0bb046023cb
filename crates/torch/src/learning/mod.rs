//! Training a network with libtorch.

mod export;
mod layout;
mod loss;
mod network;
mod optimizer;
mod precision;
mod replica;
mod scale;
mod state;

use alfil_nn::learning::{EncodedArchitecture, LearnError, Learner, LearningSettings, Losses, Samples};
use alfil_nn::{Architecture, Network, Weights};
use tch::{Kind, Tensor};

use self::export::AS_IN_TRAINING;
use self::layout::{Layout, Slot};
use self::loss::{Counts, LossSums, SampleLayout};
use self::network::{Norms, TrainingNetwork};
use self::optimizer::{OptimizerState, StepSettings};
use self::precision::TrainingPrecision;
use self::replica::{Replica, Task};
use self::scale::LossScale;
use self::state::{Header, Section};
use crate::{Device, TorchError};

/// Trains a network on one device or on several at once, each of which takes its part of every batch.
pub struct TorchLearner {
    architecture: Architecture,
    /// Name and version.
    encoding: (String, u32),
    settings: LearningSettings,
    layout: Layout,
    form: SampleLayout,
    /// One per device.
    replicas: Vec<Replica>,
    /// All parameters, on the first device.
    parameters: Tensor,
    /// Running statistics of the batch norms.
    statistics: Tensor,
    /// Moving averages of both, if asked for.
    average: Option<[Tensor; 2]>,
    descent: OptimizerState,
    /// What mixed precision is on these devices, once it has been asked for: on CPUs that is measured.
    mixed: Option<TrainingPrecision>,
    /// Whether that was measured and comes from no state.
    has_measured: bool,
    /// What is used.
    precision: TrainingPrecision,
    /// With float16 only.
    scale: Option<LossScale>,
    steps: u64,
}

impl TorchLearner {
    /// A learner with a new network, whose weights depend only on the seed. A device may be named more than once:
    /// `[Cpu, Cpu]` learns with two threads. Each replica has one thread: with more, those of libtorch spend their time
    /// waiting for each other on boards this small.
    pub fn new(
        encoded: EncodedArchitecture<'_>,
        settings: LearningSettings,
        devices: &[Device],
        seed: u64,
    ) -> Result<TorchLearner, TorchError> {
        let architecture = encoded.architecture();
        tch::set_num_threads(1);
        let first = devices.first().ok_or(TorchError::NoDevice)?.torch();
        let reply = settings.weights.reply > 0.0;
        let layout = Layout::new(encoded, reply);
        let parameters = Tensor::f_from_slice(&layout.initial_parameters(seed))?.f_to_device(first)?;
        let statistics = Tensor::f_from_slice(&layout.initial_statistics())?.f_to_device(first)?;
        let replica = |device: &Device| Replica::new(architecture, &layout, &parameters, &statistics, device.torch());
        let replicas = devices.iter().map(replica).collect::<Result<Vec<_>, _>>()?;
        let mut learner = TorchLearner {
            encoding: (encoded.encoding().0.to_owned(), encoded.encoding().1),
            form: SampleLayout::new(encoded, reply),
            descent: OptimizerState::new(settings.optimizer, &parameters)?,
            mixed: None,
            has_measured: false,
            precision: TrainingPrecision::Single,
            scale: None,
            architecture: architecture.clone(),
            settings: LearningSettings::default(),
            layout,
            replicas,
            parameters,
            statistics,
            average: None,
            steps: 0,
        };
        learner.take_settings(settings)?;
        Ok(learner)
    }

    /// Takes over settings with the same optimizer: an average or a loss scale that is missing starts afresh, one that is
    /// not asked for is dropped.
    fn take_settings(&mut self, settings: LearningSettings) -> Result<(), TorchError> {
        match settings.average > 0.0 {
            true if self.average.is_none() => self.average = Some([copy(&self.parameters)?, copy(&self.statistics)?]),
            true => {}
            false => self.average = None,
        }
        if settings.mixed_precision && self.mixed.is_none() {
            let devices: Vec<_> = self.replicas.iter().map(|replica| replica.device).collect();
            let certain = TrainingPrecision::certain(&self.architecture, &devices);
            self.has_measured = certain.is_none();
            self.mixed = match certain {
                Some(precision) => Some(precision),
                None => Some(TrainingPrecision::measured(&self.architecture, &self.layout)?),
            };
        }
        self.precision = self.mixed.filter(|_| settings.mixed_precision).unwrap_or(TrainingPrecision::Single);
        let is_half = self.precision == TrainingPrecision::Half;
        self.scale = is_half.then(|| self.scale.unwrap_or_else(LossScale::new));
        self.settings = settings;
        Ok(())
    }

    /// What is exported: parameters and statistics.
    fn exported(&self) -> (&Tensor, &Tensor) {
        match &self.average {
            Some([parameters, statistics]) => (parameters, statistics),
            None => (&self.parameters, &self.statistics),
        }
    }

    /// The gradient of a batch, times the loss scale, with the sums of its losses and the norm of the gradient, which
    /// come from the device in one copy. Leaves the running statistics to [`advance`](TorchLearner::advance).
    fn gradient(&mut self, samples: &Samples, counts: Counts) -> Result<(Tensor, Report), TorchError> {
        for replica in &mut self.replicas {
            replica.update(&self.parameters, &self.statistics)?;
        }
        let task = Task {
            form: &self.form,
            samples,
            counts,
            weights: self.settings.weights,
            scale: self.scale.map_or(1.0, |scale| scale.factor),
            precision: self.precision,
        };
        let parts = replica::compute_together(&mut self.replicas, task)?;
        let device = self.parameters.device();
        let mut gradient = self.parameters.f_zeros_like()?;
        let mut sums = Tensor::f_zeros([LossSums::LEN as i64], (Kind::Float, device))?;
        for part in &parts {
            let _ = gradient.f_add_(&part.gradient.f_to_device(device)?)?;
            let _ = sums.f_add_(&part.sums.f_to_device(device)?)?;
        }
        let length = gradient.f_norm()?.f_view([1])?;
        let report = numbers(&Tensor::f_cat(&[sums, length], 0)?)?;
        Ok((gradient, Report(report)))
    }

    /// Takes a step along `factor` times the gradient of a batch of `samples` samples.
    fn advance(&mut self, mut gradient: Tensor, factor: f64, samples: usize) -> Result<(), TorchError> {
        let _no_gradients = tch::no_grad_guard();
        if factor != 1.0 {
            gradient = gradient.f_mul_scalar_(factor)?;
        }
        let rate = self.settings.schedule.at(self.steps);
        let stride = StepSettings { rate, step: self.steps, decayed: self.layout.decayed };
        self.descent.apply(&mut self.parameters, gradient, stride)?;

        let used = self.replicas.len().min(samples);
        let _ = self.statistics.f_zero_()?;
        for replica in &self.replicas[..used] {
            let share = replica.statistics().f_to_device(self.parameters.device())?.f_mul_scalar(1.0 / used as f64)?;
            let _ = self.statistics.f_add_(&share)?;
        }
        if let Some([parameters, statistics]) = &mut self.average {
            // Short at first, so that the random start is soon forgotten.
            let t = self.steps as f64;
            let kept = self.settings.average.min((1.0 + t) / (10.0 + t));
            let _ = parameters.f_lerp_(&self.parameters, 1.0 - kept)?;
            let _ = statistics.f_lerp_(&self.statistics, 1.0 - kept)?;
        }
        self.steps += 1;
        Ok(())
    }

    /// The sums of the losses of what is exported.
    fn evaluate(&self, samples: &Samples) -> Result<Report, TorchError> {
        let _no_gradients = tch::no_grad_guard();
        let (parameters, statistics) = self.exported();
        let views = self.layout.parameters.iter().map(|slot| slot.view(parameters)).collect::<Result<Vec<_>, _>>()?;
        let network = TrainingNetwork::new(&self.architecture, &self.layout, &views, statistics)?;
        let loaded = self.form.load(samples, 0..samples.len(), parameters.device())?;
        let sums = LossSums::new(&network.forward(&loaded.planes, Norms::Stored)?, &loaded, false)?;
        Ok(Report(numbers(&sums.stacked()?)?))
    }

    /// The statistics of all batch norms of a network with these parameters.
    fn gather(
        &self,
        parameters: &Tensor,
        norms: Norms,
        batches: &mut dyn Iterator<Item = Samples>,
    ) -> Result<Option<Tensor>, LearnError> {
        let mut checked = Ok(());
        let mut batches = batches.take_while(|batch| {
            checked = self.form.check(batch);
            checked.is_ok()
        });
        let (architecture, layout) = (&self.architecture, &self.layout);
        let gathered = export::gather_statistics(architecture, layout, &self.form, parameters, norms, &mut batches)?;
        checked?;
        Ok(gathered)
    }

    fn header(&self) -> Header {
        Header {
            format: state::FORMAT,
            architecture: self.architecture.clone(),
            encoding: self.encoding.clone(),
            optimizer: self.descent.kind().to_owned(),
            steps: self.steps,
            average: self.average.is_some(),
            loss_scale: self.scale.map(|scale| (scale.factor, scale.good_steps)),
            bfloat16: self.mixed.map(|mixed| mixed == TrainingPrecision::Bfloat16),
        }
    }

    /// Everything that is saved, with the tensors that hold it.
    fn tensors(&self) -> Vec<(&'static str, &[Slot], &Tensor)> {
        let (parameters, statistics) = (self.layout.parameters.as_slice(), self.layout.statistics.as_slice());
        let mut tensors = vec![("", parameters, &self.parameters), ("", statistics, &self.statistics)];
        tensors.extend(self.descent.memory().into_iter().map(|(name, tensor)| (name, parameters, tensor)));
        if let Some([average, average_statistics]) = &self.average {
            tensors.push(("average", parameters, average));
            tensors.push(("average", statistics, average_statistics));
        }
        tensors
    }
}

impl Learner for TorchLearner {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn begin_with(
        &mut self,
        network: &Network,
        batches: &mut dyn Iterator<Item = Samples>,
    ) -> Result<Vec<&'static str>, LearnError> {
        let new_heads = self.architecture.new_heads(&network.architecture)?;
        let (mut parameters, mut statistics) = (numbers(&self.parameters)?, numbers(&self.statistics)?);
        self.layout.take_over(network, &new_heads, &mut parameters, &mut statistics);
        fill(&self.parameters, &parameters)?;
        if let Some(gathered) = self.gather(&self.parameters, Norms::Folded, batches)? {
            statistics = numbers(&gathered)?;
            self.layout.unfold(&mut parameters, &statistics);
            fill(&self.parameters, &parameters)?;
        }
        fill(&self.statistics, &statistics)?;
        if let Some([average, average_statistics]) = &self.average {
            fill(average, &parameters)?;
            fill(average_statistics, &statistics)?;
        }
        Ok(new_heads)
    }

    fn change(&mut self, settings: LearningSettings) -> Result<(), LearnError> {
        if !self.descent.change(settings.optimizer) {
            return Err(LearnError::State("it has another optimizer".to_owned()));
        }
        Ok(self.take_settings(settings)?)
    }

    fn step(&mut self, samples: &Samples) -> Result<Losses, LearnError> {
        self.form.check(samples)?;
        if samples.is_empty() {
            return Ok(Losses::default());
        }
        let counts = Counts::of(samples);
        let (gradient, report) = self.gradient(samples, counts)?;
        let losses = report.losses(samples, counts);
        let scale = self.scale.map_or(1.0, |scale| scale.factor);
        if !report.is_finite() {
            let too_large = self.scale.as_mut().is_some_and(LossScale::shrink);
            return if too_large { Ok(losses) } else { Err(LearnError::Diverged { step: self.steps }) };
        }
        let length = report.gradient() / scale;
        let clip = self.settings.clip;
        let cut = if clip > 0.0 && length > clip { clip / length } else { 1.0 };
        self.advance(gradient, cut / scale, samples.len())?;
        if let Some(scale) = &mut self.scale {
            scale.grow();
        }
        Ok(Losses { gradient: length, ..losses })
    }

    fn measure(&mut self, samples: &Samples) -> Result<Losses, LearnError> {
        self.form.check(samples)?;
        if samples.is_empty() {
            return Ok(Losses::default());
        }
        Ok(self.evaluate(samples)?.losses(samples, Counts::of(samples)))
    }

    fn export(&mut self, batches: &mut dyn Iterator<Item = Samples>) -> Result<Weights, LearnError> {
        let (parameters, statistics) = self.exported();
        let gathered = self.gather(parameters, AS_IN_TRAINING, batches)?;
        let statistics = gathered.as_ref().unwrap_or(statistics);
        Ok(export::fold(&self.architecture, &self.layout, parameters, statistics)?)
    }

    fn state(&self) -> Result<Vec<u8>, LearnError> {
        let section = |(prefix, slots, tensor)| Ok(Section { prefix, slots, numbers: numbers(tensor)? });
        let sections = self.tensors().into_iter().map(section).collect::<Result<Vec<_>, TorchError>>()?;
        state::write(&self.header(), &sections)
    }

    /// A state with another optimizer is refused. An average, a loss scale or a reply head that the state lacks starts afresh;
    /// one that is not asked for is dropped.
    fn restore(&mut self, state: &[u8]) -> Result<(), LearnError> {
        let header = state::read_header(state)?;
        let ours = self.header();
        let differs = |what: &str| Err(LearnError::State(format!("it has another {what}")));
        if header.architecture != ours.architecture {
            return differs("architecture");
        }
        if header.encoding != ours.encoding {
            return differs("encoding");
        }
        if header.optimizer != ours.optimizer {
            return differs("optimizer");
        }
        let (parameters, statistics) = (self.layout.parameters.as_slice(), self.layout.statistics.as_slice());
        let mut places = vec![("", parameters, &self.parameters), ("", statistics, &self.statistics)];
        places.extend(self.descent.memory().into_iter().map(|(name, tensor)| (name, parameters, tensor)));
        if header.average {
            places.extend([("average", parameters, &self.parameters), ("average", statistics, &self.statistics)]);
        }
        let section = |(prefix, slots, tensor)| Ok(Section { prefix, slots, numbers: numbers(tensor)? });
        let mut sections = places.into_iter().map(section).collect::<Result<Vec<_>, TorchError>>()?;
        state::read(state, &mut sections)?;

        // If the state has no average, the average starts from its weights.
        let saved = sections.iter().map(|section| section.numbers.as_slice());
        let again = sections[..2].iter().map(|section| section.numbers.as_slice());
        for ((_, _, tensor), numbers) in self.tensors().into_iter().zip(saved.chain(again)) {
            fill(tensor, numbers)?;
        }
        if let Some(scale) = &mut self.scale {
            *scale =
                header.loss_scale.map_or_else(LossScale::new, |(factor, good_steps)| LossScale { factor, good_steps });
        }
        // What was measured at the beginning of the run holds to its end: another precision would give other numbers.
        if self.mixed != Some(TrainingPrecision::Half)
            && let Some(bfloat16) = header.bfloat16
        {
            let mixed = if bfloat16 { TrainingPrecision::Bfloat16 } else { TrainingPrecision::Single };
            (self.mixed, self.has_measured) = (Some(mixed), false);
            self.precision = if self.settings.mixed_precision { mixed } else { TrainingPrecision::Single };
        }
        self.steps = header.steps;
        Ok(())
    }

    fn has_measured(&self) -> bool {
        self.has_measured
    }

    fn slowness(&self) -> Option<&'static str> {
        let is_emulated = self.precision == TrainingPrecision::Bfloat16 && !precision::computes_bfloat16();
        is_emulated.then_some(EMULATED)
    }
}

/// What is wrong with bfloat16 on a processor without it.
const EMULATED: &str = "training goes on in bfloat16, as this run began, and is slow: this processor has no instructions for it; \
    training.mixed_precision = false is faster here, with 32 bits and therefore other networks";

/// What comes back from the device: the sums of the losses and, after learning, the norm of the gradient.
struct Report(Vec<f32>);

impl Report {
    fn is_finite(&self) -> bool {
        self.0.iter().all(|number| number.is_finite())
    }

    fn gradient(&self) -> f64 {
        self.0.get(LossSums::LEN).copied().map_or(0.0, f64::from)
    }

    fn losses(&self, samples: &Samples, counts: Counts) -> Losses {
        LossSums::means(&self.0, samples, counts)
    }
}

impl From<TorchError> for LearnError {
    fn from(error: TorchError) -> LearnError {
        LearnError::Device(error.to_string())
    }
}

/// The numbers of a flat tensor.
fn numbers(tensor: &Tensor) -> Result<Vec<f32>, TorchError> {
    let mut numbers = vec![0.0; tensor.numel()];
    let count = numbers.len();
    tensor.f_to_device(tch::Device::Cpu)?.f_copy_data(&mut numbers, count)?;
    Ok(numbers)
}

/// Puts numbers into a flat tensor.
fn fill(tensor: &Tensor, numbers: &[f32]) -> Result<(), TorchError> {
    let _no_gradients = tch::no_grad_guard();
    Ok(tensor.shallow_clone().f_copy_(&Tensor::f_from_slice(numbers)?)?)
}

fn copy(tensor: &Tensor) -> Result<Tensor, TorchError> {
    let mut copy = tensor.f_zeros_like()?;
    copy.f_copy_(tensor)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use alfil_game::{Game, Mover, Wdl, tictactoe};
    use alfil_nn::HeadShape;
    use alfil_nn::learning::{LossWeights, Optimizer, Schedule, Target};

    use super::*;

    fn learner() -> TorchLearner {
        let mut architecture = Architecture::new::<tictactoe::Stones>("8x1".parse().unwrap());
        architecture.value.head = HeadShape { filters: 4, hidden: 8 };
        let settings = LearningSettings {
            optimizer: Optimizer { beta2: 0.99, weight_decay: 0.01, ..Optimizer::default() },
            schedule: Schedule { rate: 0.01, warm_up: 0, ..Schedule::default() },
            clip: 1.0,
            weights: LossWeights { moves_left: 0.0, ..LossWeights::default() },
            average: 0.9,
            mixed_precision: false,
        };
        let encoded = EncodedArchitecture::new::<tictactoe::Stones>(&architecture).unwrap();
        TorchLearner::new(encoded, settings, &[Device::Cpu], 3).unwrap()
    }

    fn samples(learner: &TorchLearner) -> Samples {
        let mut samples = Samples::new(&learner.architecture);
        let mut game = tictactoe::TicTacToe::new(&());
        let mut moves = Vec::new();
        while game.legal_moves(&mut moves).is_none() {
            let mut policy = vec![0.0; moves.len()];
            policy[0] = 1.0;
            let target = Target { policy: &policy, wdl: Mover(Wdl::DRAW), moves_left: Some(3.0), reply: &[] };
            samples.push::<tictactoe::Stones>(&game, &moves, target, None);
            game.play(moves[0]);
        }
        samples
    }

    // Mixed precision needs CUDA, but its loss scale can be tested without it.
    #[test]
    fn a_loss_scale_that_is_too_large_costs_steps_and_nothing_else() {
        let (mut plain, mut scaled) = (learner(), learner());
        let samples = samples(&plain);
        scaled.scale = Some(LossScale { factor: 2f64.powi(126), good_steps: 5 });
        let state = numbers(&scaled.parameters).unwrap();
        let statistics = numbers(&scaled.statistics).unwrap();
        assert_eq!(scaled.step(&samples).unwrap().gradient, 0.0);
        assert_eq!(scaled.scale, Some(LossScale { factor: 2f64.powi(125), good_steps: 0 }));
        assert_eq!(scaled.steps(), 0);
        assert_eq!(numbers(&scaled.parameters).unwrap(), state);
        assert_eq!(numbers(&scaled.statistics).unwrap(), statistics);

        let mut calls = 0;
        while scaled.steps() < 5 {
            scaled.step(&samples).unwrap();
            calls += 1;
        }
        assert!(calls < 100);
        (0..5).for_each(|_| _ = plain.step(&samples).unwrap());
        let pairs = numbers(&plain.parameters).unwrap().into_iter().zip(numbers(&scaled.parameters).unwrap());
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5));

        let mut restored = learner();
        restored.scale = Some(LossScale::new());
        restored.restore(&scaled.state().unwrap()).unwrap();
        assert_eq!(restored.scale, scaled.scale);
    }

    // Processors without instructions for bfloat16 compute with it too, slowly.
    #[test]
    fn bfloat16_learns_the_same_and_is_kept_in_the_state() {
        let (mut single, mut bfloat16) = (learner(), learner());
        let mixed = LearningSettings { mixed_precision: true, ..single.settings.clone() };
        bfloat16.mixed = Some(TrainingPrecision::Bfloat16);
        single.mixed = Some(TrainingPrecision::Single);
        bfloat16.change(mixed.clone()).unwrap();
        let samples = samples(&single);
        let mut last = [Losses::default(); 2];
        for step in 0..60 {
            last = [single.step(&samples).unwrap(), bfloat16.step(&samples).unwrap()];
            let [a, b] = last.map(|losses| losses.policy + losses.value);
            assert!((a - b).abs() < 0.05 + 0.1 * a, "step {step}: {a} {b}");
        }
        assert!(last[1].policy < 0.5, "{last:?}");
        assert_ne!(numbers(&single.parameters).unwrap(), numbers(&bfloat16.parameters).unwrap());

        let mut restored = learner();
        restored.change(mixed).unwrap();
        restored.has_measured = true;
        restored.restore(&bfloat16.state().unwrap()).unwrap();
        assert_eq!(restored.precision, TrainingPrecision::Bfloat16);
        assert!(!restored.has_measured() && restored.slowness().is_some() != precision::computes_bfloat16());
        assert_eq!(restored.step(&samples).unwrap(), bfloat16.step(&samples).unwrap());
        restored.restore(&single.state().unwrap()).unwrap();
        assert_eq!(restored.precision, TrainingPrecision::Single);
        assert!(restored.slowness().is_none());
    }

    #[test]
    fn both_precisions_can_be_timed() {
        let learner = learner();
        // This one is too small to be timed, and without a GPU only the answer can be checked.
        for (device, precision) in
            [(Device::Cpu, TrainingPrecision::Single), (Device::Cuda(0), TrainingPrecision::Half)]
        {
            assert_eq!(TrainingPrecision::certain(&learner.architecture, &[device.torch()]), Some(precision));
        }
        assert_ne!(
            TrainingPrecision::measured(&learner.architecture, &learner.layout).unwrap(),
            TrainingPrecision::Half
        );
        for precision in [TrainingPrecision::Single, TrainingPrecision::Bfloat16] {
            assert!(precision::time(&learner.architecture, &learner.layout, precision).is_ok());
        }
    }

    #[test]
    fn a_loss_scale_is_not_blamed_forever() {
        let mut learner = learner();
        let samples = samples(&learner);
        learner.scale = Some(LossScale { factor: 4.0, good_steps: 0 });
        fill(&learner.parameters, &vec![f32::NAN; learner.parameters.numel()]).unwrap();
        assert!(learner.step(&samples).is_ok());
        assert!(learner.step(&samples).is_ok());
        assert!(matches!(learner.step(&samples), Err(LearnError::Diverged { step: 0 })));
    }
}
