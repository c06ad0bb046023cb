//! Where each tensor of a network is in the one flat tensor that holds them all.
//!
//! With all parameters in one tensor an optimizer is a handful of operations, whatever the depth of the network, and a
//! replica is updated by a single copy.

use std::convert::Infallible;

use alfil_nn::learning::EncodedArchitecture;
use alfil_nn::{Network, Weights};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use tch::Tensor;

use super::network::EPSILON;
use crate::TorchError;

/// The tensors of a network in training. Their names are those of a network file, except that the bias of a convolution
/// with a folded batch norm is replaced by the batch norm.
pub struct Layout {
    /// What is learnt: first the weights, then biases and batch norms.
    pub parameters: Vec<Slot>,
    /// Numbers in the weights, the only parameters that decay.
    pub decayed: usize,
    /// Statistics of the batch norms: all means, then all variances.
    pub statistics: Vec<Slot>,
    /// With a head for the opponent's reply: for each cell as the opponent sees it, where the mover sees it.
    pub reply: Option<Vec<i64>>,
}

/// What the names of the reply head's tensors begin with. It is a second policy head that only training has.
const REPLY: &str = "reply.";

/// A named part of a flat tensor.
pub struct Slot {
    pub name: String,
    pub shape: Vec<usize>,
    start: usize,
}

impl Layout {
    pub fn new(encoded: EncodedArchitecture<'_>, reply: bool) -> Layout {
        let mut named = Vec::new();
        let Ok(_) = Weights::from_tensors::<Infallible>(encoded.architecture(), |name, shape| {
            named.push((name.to_owned(), shape.to_vec()));
            Ok(Vec::new())
        });
        if reply {
            let policy = named.iter().filter_map(|(name, shape)| Some((name.strip_prefix("policy.")?, shape)));
            let copies: Vec<_> = policy.map(|(name, shape)| (format!("{REPLY}{name}"), shape.clone())).collect();
            named.extend(copies);
        }
        let [mut weights, mut others, mut means, mut variances] = [const { Vec::new() }; 4];
        for (name, shape) in named {
            match name.strip_suffix(".bias") {
                None => weights.push((name, shape)),
                Some(layer) if is_normed(layer) => {
                    others.push((format!("{layer}.norm.gamma"), shape.clone()));
                    others.push((format!("{layer}.norm.beta"), shape.clone()));
                    means.push((format!("{layer}.norm.mean"), shape.clone()));
                    variances.push((format!("{layer}.norm.variance"), shape));
                }
                Some(_) => others.push((name, shape)),
            }
        }
        let decayed = weights.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
        weights.append(&mut others);
        means.append(&mut variances);
        let reply = reply.then(|| {
            let mut cells = vec![0; encoded.architecture().cells()];
            encoded.opponent_cells().zip(0..).for_each(|(seen, cell)| cells[seen] = cell);
            cells
        });
        Layout { parameters: side_by_side(weights), decayed, statistics: side_by_side(means), reply }
    }

    /// The parameters of a new network: He's normal distribution for weights, no biases, batch norms that change
    /// nothing. It gives about the same output for every move and every position, since its outputs are small.
    pub fn initial_parameters(&self, seed: u64) -> Vec<f32> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut numbers = Vec::with_capacity(size(&self.parameters));
        for slot in &self.parameters {
            let inputs: usize = slot.shape[1..].iter().product();
            let scale = if slot.name.ends_with(".output.weight") { 0.1 } else { 1.0 };
            let deviation = scale * (2.0 / inputs as f32).sqrt();
            let mut number = || match slot.name.as_str() {
                name if name.ends_with(".weight") => {
                    let normal: f32 = StandardNormal.sample(&mut random);
                    normal * deviation
                }
                // A new block is the identity, which lets deep towers start to learn.
                name if name.ends_with(".second.norm.gamma") => 0.0,
                name if name.ends_with(".gamma") => 1.0,
                _ => 0.0,
            };
            numbers.extend((0..slot.len()).map(|_| number()));
        }
        numbers
    }

    /// Replaces parameters by those of a network file, except those of some heads, and all batch norms by ones that only add
    /// a bias: what a file has folded cannot be told apart any more.
    pub fn take_over(&self, network: &Network, but: &[&str], parameters: &mut [f32], statistics: &mut [f32]) {
        let tensors = network.tensors();
        for slot in &self.parameters {
            let is_kept = slot.name.split('.').next().is_some_and(|head| but.contains(&head));
            let folded = slot.name.strip_suffix(".norm.beta").map(|layer| format!("{layer}.bias"));
            match tensors.get(folded.as_ref().unwrap_or(&slot.name)) {
                _ if slot.name.ends_with(".norm.gamma") => slot.part_mut(parameters).fill(1.0),
                Some((shape, numbers)) if !is_kept && *shape == slot.shape => {
                    slot.part_mut(parameters).copy_from_slice(numbers);
                }
                _ => {}
            }
        }
        let (means, variances) = statistics.split_at_mut(size(&self.statistics) / 2);
        means.fill(0.0);
        variances.fill((1.0 - EPSILON) as f32);
    }

    /// Gives batch norms that only add a bias these statistics, so that the network still computes the same: with the
    /// deviation `s` and the mean `m` of a channel, `s (x - m) / s + (bias + m) = x + bias`.
    pub fn unfold(&self, parameters: &mut [f32], statistics: &[f32]) {
        for slot in &self.statistics {
            let Some((norm, part)) = slot.name.rsplit_once('.') else { continue };
            let name = format!("{norm}.{}", if part == "mean" { "beta" } else { "gamma" });
            let Some(parameter) = self.parameters.iter().find(|parameter| parameter.name == name) else { continue };
            for (number, &seen) in parameter.part_mut(parameters).iter_mut().zip(slot.part(statistics)) {
                match part {
                    "mean" => *number += seen,
                    _ => *number = (f64::from(seen) + EPSILON).sqrt() as f32,
                }
            }
        }
    }

    /// Means of 0 and variances of 1.
    pub fn initial_statistics(&self) -> Vec<f32> {
        let mut numbers = vec![0.0; size(&self.statistics)];
        let (_, variances) = numbers.split_at_mut(size(&self.statistics) / 2);
        variances.fill(1.0);
        numbers
    }
}

impl Slot {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// This part of a flat tensor, without copying it.
    pub fn view(&self, flat: &Tensor) -> Result<Tensor, TorchError> {
        let shape: Vec<i64> = self.shape.iter().map(|&size| size as i64).collect();
        Ok(flat.f_narrow(0, self.start as i64, self.len() as i64)?.f_view(shape.as_slice())?)
    }

    fn part_mut<'a>(&self, flat: &'a mut [f32]) -> &'a mut [f32] {
        &mut flat[self.start..][..self.len()]
    }

    /// This part of flat numbers.
    pub fn part<'a>(&self, flat: &'a [f32]) -> &'a [f32] {
        &flat[self.start..][..self.len()]
    }
}

/// Whether a batch norm follows a layer.
pub fn is_normed(layer: &str) -> bool {
    let ends = [".first", ".second", ".convolution"];
    ["stem", "policy.hidden", "reply.hidden"].contains(&layer) || ends.iter().any(|end| layer.ends_with(end))
}

/// Whether only training has this tensor, by its name without a prefix: it comes and goes with the weight of its loss.
pub fn is_of_training_only(name: &str) -> bool {
    name.starts_with(REPLY)
}

/// Numbers in all parts together.
fn size(slots: &[Slot]) -> usize {
    slots.iter().map(Slot::len).sum()
}

fn side_by_side(named: Vec<(String, Vec<usize>)>) -> Vec<Slot> {
    let mut start = 0;
    let place = |(name, shape)| {
        let slot = Slot { name, shape, start };
        start += slot.len();
        slot
    };
    named.into_iter().map(place).collect()
}
