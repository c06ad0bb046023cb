//! What training minimises: the terms of the loss, each listed once.

use std::ops::{Index, IndexMut};

use alfil_core::settings;
use serde::{Deserialize, Serialize};

/// Declares the terms of the loss and the other numbers that are measured beside them. For each term: its variant of [`Loss`],
/// its name in metrics files, what it is a mean over, the title of its chart, and the key, default and meaning of its weight.
/// Everything that deals with losses iterates [`Loss::ALL`]; how a term is computed is a `match` over [`Loss`] in the learner.
macro_rules! losses {
    (
        terms {
            $(
                $(#[doc = $term_doc:literal])+
                $term:ident: $name:ident, over $over:ident, $title:literal,
                weight $key:literal = $weight:literal, $weight_doc:literal;
            )+
        }
        measures { $($(#[doc = $measure_doc:literal])+ $measure:ident;)+ }
    ) => {
        /// A term of the loss.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Loss {
            $($(#[doc = $term_doc])+ $term,)+
        }

        impl Loss {
            /// All terms, in the order in which they are shown.
            pub const ALL: [Loss; [$($title),+].len()] = [$(Loss::$term),+];

            /// Its name in metrics files and on screen.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Loss::$term => stringify!($name),)+
                }
            }

            /// The title of its chart.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Loss::$term => $title,)+
                }
            }

            /// What its mean is taken over.
            pub const fn over(self) -> Over {
                match self {
                    $(Loss::$term => Over::$over,)+
                }
            }
        }

        /// How far a network is from what it should say: means over the samples.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Losses {
            $($(#[doc = $term_doc])+ pub $name: f64,)+
            $($(#[doc = $measure_doc])+ pub $measure: f64,)+
        }

        impl Losses {
            /// Every number of these losses combined with its counterpart of others.
            fn combine(self, other: Losses, combine: impl Fn(f64, f64) -> f64) -> Losses {
                Losses {
                    $($name: combine(self.$name, other.$name),)+
                    $($measure: combine(self.$measure, other.$measure),)+
                }
            }

            fn is_finite(&self) -> bool {
                [$(self.$name,)+ $(self.$measure),+].iter().all(|number| number.is_finite())
            }
        }

        impl Index<Loss> for Losses {
            type Output = f64;

            fn index(&self, loss: Loss) -> &f64 {
                match loss {
                    $(Loss::$term => &self.$name,)+
                }
            }
        }

        impl IndexMut<Loss> for Losses {
            fn index_mut(&mut self, loss: Loss) -> &mut f64 {
                match loss {
                    $(Loss::$term => &mut self.$name,)+
                }
            }
        }

        settings! {
            /// The weight of each term of the loss.
            #[derive(Copy)]
            pub struct LossWeights {
                $(#[doc = $weight_doc] pub $name: f64 = $weight, in 0.0..=1000.0, key $key;)+
            }
        }

        impl Index<Loss> for LossWeights {
            type Output = f64;

            fn index(&self, loss: Loss) -> &f64 {
                match loss {
                    $(Loss::$term => &self.$name,)+
                }
            }
        }

        impl IndexMut<Loss> for LossWeights {
            fn index_mut(&mut self, loss: Loss) -> &mut f64 {
                match loss {
                    $(Loss::$term => &mut self.$name,)+
                }
            }
        }
    };
}

losses! {
    terms {
        /// Cross-entropy of the policy, over the samples that have one.
        Policy: policy, over Policies, "Policy loss",
            weight "policy_weight" = 1.0, "The weight of the policy in the loss.";
        /// Cross-entropy of win, draw and loss, or squared error of the expected result.
        Value: value, over Samples, "Value loss",
            weight "value_weight" = 1.0, "The weight of the value in the loss.";
        /// Huber loss of the plies to the end, over the samples that have them; 0 for a network without that head.
        MovesLeft: moves_left, over Lengths, "Moves-left loss",
            weight "moves_left_weight" = 0.01, "The weight of the plies left in the loss.";
        /// Cross-entropy of the opponent's reply, over the samples that have one; 0 for a network without that head.
        Reply: reply, over Replies, "Reply loss",
            weight "reply_weight" = 0.0, "The weight of the opponent's reply in the loss: a second policy, which only training \
            computes, predicts what the opponent will do. 0.15 in KataGo; 0 leaves it out.";
    }
    measures {
        /// Entropy of the policies to learn: what the policy loss of a perfect network would be.
        policy_entropy;
        /// The share of samples with a policy whose best move is the network's best.
        agreement;
        /// Length of the gradient before it was clipped; 0 where nothing was learnt.
        gradient;
    }
}

/// The samples that the mean of a term is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All of them.
    Samples,
    /// Those that have a policy to learn.
    Policies,
    /// Those of games that ended by their rules, whose length is known.
    Lengths,
    /// Those that the opponent replies to.
    Replies,
}

/// The mean of the losses of many batches.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanLosses {
    count: f64,
    sum: Losses,
}

impl MeanLosses {
    /// Adds the losses of a batch. Those that are not finite are left out: they would spoil the mean of the others.
    pub fn add(&mut self, losses: &Losses) {
        if losses.is_finite() {
            self.count += 1.0;
            self.sum = self.sum.combine(*losses, |sum, number| sum + number);
        }
    }

    /// The mean; none if there was no batch.
    pub fn mean(&self) -> Option<Losses> {
        (self.count > 0.0).then(|| self.sum.combine(Losses::default(), |sum, _| sum / self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_files_name_every_term() {
        let losses = Losses { policy: 1.0, policy_entropy: 2.0, value: 3.0, ..Losses::default() };
        let json = serde_json::to_value(losses).unwrap();
        for loss in Loss::ALL {
            assert_eq!(json[loss.name()], losses[loss], "{loss:?}");
        }
        // A file of a program that did not have the other terms yet.
        let old = r#"{"policy": 1.0, "policy_entropy": 2.0, "value": 3.0}"#;
        assert_eq!(serde_json::from_str::<Losses>(old).unwrap(), losses);
    }

    #[test]
    fn a_batch_that_is_not_finite_is_left_out_of_the_mean() {
        let mut mean = MeanLosses::default();
        assert_eq!(mean.mean(), None);
        mean.add(&Losses { policy: 1.0, gradient: 3.0, ..Losses::default() });
        mean.add(&Losses { policy: 2.0, gradient: f64::INFINITY, ..Losses::default() });
        mean.add(&Losses { policy: 3.0, gradient: 1.0, ..Losses::default() });
        assert_eq!(mean.mean(), Some(Losses { policy: 2.0, gradient: 2.0, ..Losses::default() }));
    }
}
