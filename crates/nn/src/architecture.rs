//! The shape of a network, without its weights.

use std::fmt;
use std::str::FromStr;

use alfil_core::{choices, settings};
use alfil_game::Encoding;
use serde::{Deserialize, Serialize};

/// What a residual network is made of.
///
/// A stem (3x3 convolution, activation), a tower of residual blocks (two 3x3 convolutions, squeeze-excitation where
/// asked, skip connection, activation) and the heads. Batch norms are folded into the convolutions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Input planes.
    pub planes: usize,
    /// Rows of the board.
    pub height: usize,
    /// Columns of the board.
    pub width: usize,
    /// Channels of the tower.
    pub filters: usize,
    /// For each block the channels of its squeeze-excitation, 0 for none.
    pub blocks: Vec<usize>,
    /// Used everywhere except at the outputs.
    pub activation: Activation,
    /// Gives a logit for every policy index.
    pub policy: PolicyShape,
    /// Gives the expected result.
    pub value: ValueShape,
    /// Gives the expected number of plies to the end, where there is one.
    pub moves_left: Option<HeadShape>,
}

choices! {
    /// The non-linearity.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Activation {
        /// max(x, 0)
        Relu = "relu",
        /// x tanh(ln(1 + e^x)), in some Leela networks.
        Mish = "mish",
    }
}

impl Activation {
    /// The activation of one number.
    #[inline]
    pub fn apply(self, x: f32) -> f32 {
        match self {
            Activation::Relu => x.max(0.0),
            // ln(1 + e^x) is x itself long before e^x overflows.
            Activation::Mish if x > 30.0 => x,
            Activation::Mish => x * x.exp().ln_1p().tanh(),
        }
    }
}

/// A policy head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PolicyShape {
    /// A 3x3 convolution to as many channels as the tower has, activation, then a 3x3 convolution to `planes`, of which
    /// the encoding picks its policy indices.
    Convolution {
        /// Output planes.
        planes: usize,
    },
    /// A 1x1 convolution to `filters` channels, activation, then a dense layer to `outputs` logits.
    Dense {
        /// Channels of the convolution.
        filters: usize,
        /// Policy indices.
        outputs: usize,
    },
}

/// A value head and what comes out of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueShape {
    /// Win, draw and loss, or one number.
    pub output: ValueOutput,
    /// What comes before.
    pub head: HeadShape,
}

choices! {
    /// What a value head puts out.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ValueOutput {
        /// Three logits: the mover wins, draws, loses.
        Wdl = "wdl",
        /// One number through tanh, as in the AlphaZero paper.
        Tanh = "tanh",
    }
}

choices! {
    /// A kind of policy head.
    pub enum PolicyKind {
        /// Convolutions.
        Convolution = "convolution",
        /// A dense layer.
        Dense = "dense",
    }
}

/// Channels of a dense policy head: as many as AlphaGo Zero's had.
const DENSE_POLICY_FILTERS: usize = 2;

/// The moves-left head, where there is one.
const MOVES_LEFT: HeadShape = HeadShape { filters: 8, hidden: 64 };

settings! {
    /// The options of a run's network; the rest follows from the encoding.
    pub struct NetworkSettings {
        /// Filters x blocks, followed by sN for squeeze-excitation with N channels.
        pub size: String = "32x4".to_owned(), fixed = true;
        /// relu or mish.
        pub activation: Activation = Activation::Relu, fixed = true;
        /// convolution (3x3 convolutions, a plane for each kind of move) or dense.
        pub policy: PolicyKind = PolicyKind::Convolution, fixed = true;
        /// wdl (win, draw and loss) or tanh (one number, as in the AlphaZero paper).
        pub value: ValueOutput = ValueOutput::Wdl, fixed = true;
        /// Channels of the value head.
        pub value_filters: usize = 32, in 1..=512, fixed = true;
        /// Units of the value head.
        pub value_units: usize = 128, in 1..=4096, fixed = true;
        /// Whether the network also learns how many plies are left.
        pub moves_left: bool = false, fixed = true;
        /// A network that a new run begins with instead of random weights: a file of ours or of Leela's, or the name of a
        /// bundled network. Its encoding, size and activation must be the run's; heads that it lacks, or has in another
        /// shape, begin with random weights. A run that goes on does not read it again.
        pub start: String = String::new();
    }
}

impl NetworkSettings {
    /// The shape of the network for an encoding.
    pub fn architecture<E: Encoding>(&self) -> Result<Architecture, ArchitectureError> {
        let usual = Architecture::new::<E>(self.size.parse()?);
        let architecture = Architecture {
            activation: self.activation,
            policy: match self.policy {
                PolicyKind::Convolution => usual.policy,
                PolicyKind::Dense => PolicyShape::Dense { filters: DENSE_POLICY_FILTERS, outputs: E::POLICY_SIZE },
            },
            value: ValueShape {
                output: self.value,
                head: HeadShape { filters: self.value_filters, hidden: self.value_units },
            },
            moves_left: self.moves_left.then_some(MOVES_LEFT),
            ..usual
        };
        architecture.check()?;
        Ok(architecture)
    }
}

/// A 1x1 convolution, activation, a dense layer, activation, and the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadShape {
    /// Channels of the convolution.
    pub filters: usize,
    /// Units of the dense layer.
    pub hidden: usize,
}

/// A size such as `64x6`: filters by blocks, followed by `s8` for squeeze-excitation with 8 channels.
///
/// ```
/// use alfil_nn::Size;
///
/// let size: Size = "64x6s8".parse().unwrap();
/// assert_eq!((size.filters, size.blocks, size.squeeze), (64, 6, 8));
/// assert_eq!(size.to_string(), "64x6s8");
/// assert!("64".parse::<Size>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size {
    /// Channels of the tower.
    pub filters: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Channels of the squeeze-excitation, 0 for none.
    pub squeeze: usize,
}

/// Limits of what is accepted as a network.
const MOST_FILTERS: usize = 2_048;
const MOST_BLOCKS: usize = 256;
/// Products per position: three times those of AlphaZero's 256x40 on 19x19. Bounds the weights as well: each is used.
const MOST_PRODUCTS: u64 = 50_000_000_000;

/// Why an architecture is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchitectureError {
    /// Not the form of a size.
    #[error("'{0}' is not a network size: write filters x blocks, such as 64x6, or 64x6s8 with squeeze-excitation")]
    Size(String),
    /// A number is 0 or unreasonably large.
    #[error("a network with {what} of {found} is out of range (1 to {most})")]
    Range {
        /// Which number.
        what: &'static str,
        /// What it is.
        found: usize,
        /// The largest that is accepted.
        most: usize,
    },
    /// All numbers together are unreasonably large.
    #[error("a network of {0} is too large")]
    TooLarge(String),
    /// Another tower than that of a network that is to go on learning.
    #[error("its tower is {found}, and {needed} is needed")]
    Tower {
        /// What it is.
        found: String,
        /// What it must be.
        needed: String,
    },
    /// The heads or planes do not fit the encoding.
    #[error("the network has {found} {what}, but {encoding} needs {expected}")]
    Encoding {
        /// Which number.
        what: &'static str,
        /// What it is.
        found: usize,
        /// The encoding's name.
        encoding: &'static str,
        /// What it must be.
        expected: usize,
    },
}

impl Architecture {
    /// A network of this size for an encoding, with our usual heads: 3x3 convolutions for the policy, win/draw/loss from
    /// 32 channels and 128 hidden units, no moves-left head.
    pub fn new<E: Encoding>(size: Size) -> Architecture {
        Architecture {
            planes: E::PLANES,
            height: E::HEIGHT,
            width: E::WIDTH,
            filters: size.filters,
            blocks: vec![size.squeeze; size.blocks],
            activation: Activation::Relu,
            policy: PolicyShape::Convolution { planes: E::POLICY_PLANES },
            value: ValueShape { output: ValueOutput::Wdl, head: HeadShape { filters: 32, hidden: 128 } },
            moves_left: None,
        }
    }

    /// Cells of the board.
    pub fn cells(&self) -> usize {
        self.height * self.width
    }

    /// The size's name. Squeeze-excitation is named if all blocks have the same.
    pub fn size(&self) -> Size {
        let first = self.blocks.first().copied().unwrap_or(0);
        let squeeze = if self.blocks.iter().all(|squeeze| *squeeze == first) { first } else { 0 };
        Size { filters: self.filters, blocks: self.blocks.len(), squeeze }
    }

    /// 3x3 convolutions from all filters to all: two of each block, and the first of a convolutional policy head.
    pub fn tower_layers(&self) -> usize {
        2 * self.blocks.len() + usize::from(matches!(self.policy, PolicyShape::Convolution { .. }))
    }

    /// Numbers of the value head's output.
    pub fn value_outputs(&self) -> usize {
        match self.value.output {
            ValueOutput::Wdl => 3,
            ValueOutput::Tanh => 1,
        }
    }

    /// The heads, by the beginning of the names of their tensors, that a network of this architecture cannot take over from
    /// another one, because they have another shape there or are missing. Fails if it cannot take over the tower.
    pub fn new_heads(&self, other: &Architecture) -> Result<Vec<&'static str>, ArchitectureError> {
        let board = |a: &Architecture| (a.planes, a.height, a.width);
        let tower = |a: &Architecture| (board(a), a.filters, a.blocks.clone(), a.activation);
        if tower(self) != tower(other) {
            let name = |a: &Architecture| {
                let Architecture { planes, height, width, activation, .. } = a;
                format!("{} with {activation:?} for {planes} planes of {width}x{height}", a.size())
            };
            return Err(ArchitectureError::Tower { found: name(other), needed: name(self) });
        }
        let heads = [
            ("policy", self.policy != other.policy),
            ("value", self.value != other.value),
            ("moves_left", self.moves_left.is_some() && self.moves_left != other.moves_left),
        ];
        Ok(heads.into_iter().filter(|(_, is_new)| *is_new).map(|(name, _)| name).collect())
    }

    /// Refuses numbers that no network has, so that nothing is ever allocated for them.
    pub fn check(&self) -> Result<(), ArchitectureError> {
        let mut limits = vec![
            ("planes", self.planes, 1_024),
            ("board height", self.height, 32),
            ("board width", self.width, 32),
            ("filters", self.filters, MOST_FILTERS),
            ("blocks", self.blocks.len(), MOST_BLOCKS),
            ("value filters", self.value.head.filters, 512),
            ("value units", self.value.head.hidden, 4_096),
        ];
        limits.extend(self.blocks.iter().map(|&squeeze| ("squeeze channels", squeeze.max(1), MOST_FILTERS)));
        match self.policy {
            PolicyShape::Convolution { planes } => limits.push(("policy planes", planes, 1_024)),
            PolicyShape::Dense { filters, outputs } => {
                limits.push(("policy filters", filters, 512));
                limits.push(("policy outputs", outputs, 65_535));
            }
        }
        if let Some(HeadShape { filters, hidden }) = self.moves_left {
            limits.push(("moves-left filters", filters, 512));
            limits.push(("moves-left units", hidden, 4_096));
        }
        match limits.into_iter().find(|&(_, found, most)| found == 0 || found > most) {
            Some((what, found, most)) => Err(ArchitectureError::Range { what, found, most }),
            None if self.flops() / 2 > MOST_PRODUCTS => Err(ArchitectureError::TooLarge(self.size().to_string())),
            None => Ok(()),
        }
    }

    /// Refuses a network whose inputs or outputs do not fit the encoding.
    pub fn check_encoding<E: Encoding>(&self) -> Result<(), ArchitectureError> {
        let policy = match self.policy {
            PolicyShape::Convolution { planes } => ("policy planes", planes, E::POLICY_PLANES),
            PolicyShape::Dense { outputs, .. } => ("policy outputs", outputs, E::POLICY_SIZE),
        };
        let pairs = [
            ("input planes", self.planes, E::PLANES),
            ("board rows", self.height, E::HEIGHT),
            ("board columns", self.width, E::WIDTH),
            policy,
        ];
        match pairs.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => {
                Err(ArchitectureError::Encoding { what, found, encoding: E::NAME, expected })
            }
            None => Ok(()),
        }
    }

    /// Multiplications and additions for one position if all convolutions were direct and the whole policy computed.
    pub fn flops(&self) -> u64 {
        let cells = self.cells();
        let mut products = cells * 9 * self.planes * self.filters;
        for squeeze in &self.blocks {
            products += 2 * cells * 9 * self.filters * self.filters + 3 * squeeze * self.filters;
        }
        products += match self.policy {
            PolicyShape::Convolution { planes } => cells * 9 * self.filters * (self.filters + planes),
            PolicyShape::Dense { filters, outputs } => cells * filters * (self.filters + outputs),
        };
        for head in [Some(self.value.head), self.moves_left].into_iter().flatten() {
            products += cells * head.filters * (self.filters + head.hidden);
        }
        2 * products as u64
    }
}

impl TryFrom<String> for Size {
    type Error = ArchitectureError;

    fn try_from(text: String) -> Result<Size, ArchitectureError> {
        text.parse()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> String {
        size.to_string()
    }
}

impl FromStr for Size {
    type Err = ArchitectureError;

    fn from_str(text: &str) -> Result<Size, ArchitectureError> {
        let parse = || {
            let (filters, rest) = text.split_once('x')?;
            let (blocks, squeeze) = rest.split_once('s').unwrap_or((rest, "0"));
            Some(Size { filters: filters.parse().ok()?, blocks: blocks.parse().ok()?, squeeze: squeeze.parse().ok()? })
        };
        let size = parse().ok_or_else(|| ArchitectureError::Size(text.to_owned()))?;
        let limits = [
            ("filters", size.filters, MOST_FILTERS),
            ("blocks", size.blocks, MOST_BLOCKS),
            ("squeeze channels", size.squeeze.max(1), MOST_FILTERS),
        ];
        match limits.into_iter().find(|&(_, found, most)| found == 0 || found > most) {
            Some((what, found, most)) => Err(ArchitectureError::Range { what, found, most }),
            None => Ok(size),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.filters, self.blocks)?;
        if self.squeeze > 0 { write!(f, "s{}", self.squeeze) } else { Ok(()) }
    }
}
