//! The engine's options, each declared once: for the protocol, the command line and the help.

use alfil_core::wording::did_you_mean;
use alfil_game::{FullGame, registry};
use alfil_nn::Precision;

/// The value of the network option that means none.
pub const HANDCRAFTED: &str = "handcrafted";

/// The search that plays: of a tree with an evaluator, or alpha-beta with the handcrafted evaluation.
pub const TREE: &str = "tree";
/// See [`TREE`].
pub const ALPHA_BETA: &str = "alphabeta";

/// The values of all options.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each is described in DECLARATIONS")]
pub struct Options {
    pub game: String,
    pub rules: String,
    pub engine: String,
    pub hash: u32,
    pub threads: u32,
    pub multi_pv: u32,
    pub ponder: bool,
    pub chess960: bool,
    pub show_wdl: bool,
    pub limit_strength: bool,
    pub elo: u32,
    pub syzygy_path: String,
    pub own_book: bool,
    pub book_file: String,
    pub weights_file: String,
    pub device: String,
    pub precision: String,
    pub instructions: String,
    pub batch: u32,
    pub move_overhead: u32,
    pub cpuct: f32,
    pub fpu_reduction: f32,
    pub policy_temperature: f32,
    pub temperature: f32,
    pub draw_score: i32,
    pub verbose_move_stats: bool,
    pub nodes_per_move: u32,
}

impl Default for Options {
    fn default() -> Options {
        let puct = alfil_search::selection::Puct::default();
        Options {
            game: registry::DEFAULT.to_owned(),
            rules: String::new(),
            engine: TREE.to_owned(),
            hash: 256,
            threads: 1,
            multi_pv: 1,
            ponder: false,
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: 1500,
            syzygy_path: String::new(),
            own_book: false,
            book_file: String::new(),
            weights_file: String::new(),
            device: "cpu".to_owned(),
            precision: Precision::Reduced.text().to_owned(),
            instructions: BEST.to_owned(),
            batch: 0,
            // For a busy machine: with 50, on two cores with other work, one of 350 games of 1 s + 0.01 s was lost on
            // time.
            move_overhead: 100,
            cpuct: puct.init,
            fpu_reduction: puct.fpu_reduction,
            policy_temperature: alfil_search::PlaySettings::default().policy_temperature,
            temperature: 0.0,
            draw_score: 0,
            verbose_move_stats: false,
            nodes_per_move: 0,
        }
    }
}

/// One option.
pub struct Declaration {
    /// The name in the protocol.
    pub name: &'static str,
    /// The name on the command line.
    pub flag: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// What a game must have for the option to make sense.
    needs: Needs,
    kind: Kind,
}

enum Kind {
    Whole { least: i64, most: i64, get: fn(&Options) -> i64, set: fn(&mut Options, i64) },
    Real { least: f32, most: f32, field: fn(&mut Options) -> &mut f32 },
    Check { field: fn(&mut Options) -> &mut bool },
    Text { field: fn(&mut Options) -> &mut String },
    Device { field: fn(&mut Options) -> &mut String },
    Game { field: fn(&mut Options) -> &mut String },
    Choice { choices: &'static [&'static str], field: fn(&mut Options) -> &mut String },
    Button,
}

/// Something that only some games have.
enum Needs {
    Nothing,
    Chess960,
    Tablebase,
}

/// The variant that `UCI_Chess960` switches to.
pub(crate) const CHESS960: &str = "Chess960";

/// The value of the instructions option that means the best ones.
pub(crate) const BEST: &str = "best";

/// What the CPU engine can be held to.
const INSTRUCTIONS: &[&str] = &[BEST, "avx512", "avx2", "neon", "plain"];

/// Where networks can run, besides `cuda:1` and so on.
const DEVICES: &[&str] = &["cpu", "auto", "cuda"];

/// Why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no option of that name.
    #[error("there is no option '{name}'{}", did_you_mean(name, DECLARATIONS.iter().map(|declaration| declaration.name)))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The value is not allowed.
    #[error("{name} cannot be '{value}': {expected}")]
    Value {
        /// Which option.
        name: &'static str,
        /// What was asked for.
        value: String,
        /// What it can be.
        expected: String,
    },
}

macro_rules! whole {
    ($field:ident, $least:expr, $most:expr) => {
        Kind::Whole {
            least: $least,
            most: $most,
            get: |options| options.$field.into(),
            // Within the range that has been checked.
            set: |options, value| options.$field = value as _,
        }
    };
}

/// All options.
pub const DECLARATIONS: &[Declaration] = &[
    Declaration {
        name: "UCI_Variant",
        flag: "game",
        help: "The game that is played",
        needs: Needs::Nothing,
        kind: Kind::Game { field: |options| &mut options.game },
    },
    Declaration {
        name: "Rules",
        flag: "rules",
        help: "Options of the game's rules, with commas between them; empty for the usual rules",
        needs: Needs::Nothing,
        kind: Kind::Text { field: |options| &mut options.rules },
    },
    Declaration {
        name: "Engine",
        flag: "engine",
        help: "How it searches: a tree with a network or the handcrafted evaluation, or alphabeta with the latter",
        needs: Needs::Nothing,
        kind: Kind::Choice { choices: &[TREE, ALPHA_BETA], field: |options| &mut options.engine },
    },
    Declaration {
        name: "WeightsFile",
        flag: "weights",
        help: "The network: a file, ours or Leela's; the word handcrafted; a name of models/manifest.toml, or empty for the bundled one",
        needs: Needs::Nothing,
        kind: Kind::Text { field: |options| &mut options.weights_file },
    },
    Declaration {
        name: "Hash",
        flag: "hash",
        help: "Megabytes for tree and cache together, or for the table of alphabeta",
        needs: Needs::Nothing,
        kind: whole!(hash, 1, 1_048_576),
    },
    Declaration {
        name: "Clear Hash",
        flag: "clear-hash",
        help: "Forgets the tree",
        needs: Needs::Nothing,
        kind: Kind::Button,
    },
    Declaration {
        name: "Threads",
        flag: "threads",
        help: "Threads that search the tree together",
        needs: Needs::Nothing,
        kind: whole!(threads, 1, 256),
    },
    Declaration {
        name: "MultiPV",
        flag: "multipv",
        help: "How many of the best moves to report",
        needs: Needs::Nothing,
        kind: whole!(multi_pv, 1, 256),
    },
    Declaration {
        name: "Ponder",
        flag: "ponder",
        help: "Whether the program lets the engine think in the opponent's time",
        needs: Needs::Nothing,
        kind: Kind::Check { field: |options| &mut options.ponder },
    },
    Declaration {
        name: "UCI_Chess960",
        flag: "chess960",
        help: "Castling as in Chess960",
        needs: Needs::Chess960,
        kind: Kind::Check { field: |options| &mut options.chess960 },
    },
    Declaration {
        name: "UCI_ShowWDL",
        flag: "show-wdl",
        help: "Reports the probabilities of win, draw and loss, in thousandths",
        needs: Needs::Nothing,
        kind: Kind::Check { field: |options| &mut options.show_wdl },
    },
    Declaration {
        name: "UCI_LimitStrength",
        flag: "limit-strength",
        help: "Plays weaker, about as UCI_Elo says",
        needs: Needs::Nothing,
        kind: Kind::Check { field: |options| &mut options.limit_strength },
    },
    Declaration {
        name: "UCI_Elo",
        flag: "elo",
        help: "The rating to play at: by networks that imitate people of about that rating, or roughly by fewer visits and random moves",
        needs: Needs::Nothing,
        kind: whole!(elo, 600, 2600),
    },
    Declaration {
        name: "SyzygyPath",
        flag: "syzygy",
        help: "Folders with Syzygy tablebases, which decide the move when they can",
        needs: Needs::Tablebase,
        kind: Kind::Text { field: |options| &mut options.syzygy_path },
    },
    Declaration {
        name: "OwnBook",
        flag: "own-book",
        help: "Plays moves from BookFile when it has one",
        needs: Needs::Nothing,
        kind: Kind::Check { field: |options| &mut options.own_book },
    },
    Declaration {
        name: "BookFile",
        flag: "book",
        help: "An opening book: one of alfil book make, or in Polyglot's format",
        needs: Needs::Nothing,
        kind: Kind::Text { field: |options| &mut options.book_file },
    },
    Declaration {
        name: "Device",
        flag: "device",
        help: "The device that networks run on",
        needs: Needs::Nothing,
        kind: Kind::Device { field: |options| &mut options.device },
    },
    Declaration {
        name: "Precision",
        flag: "precision",
        help: "How exactly the CPU computes networks: reduced uses 16-bit numbers where they are faster, full never does",
        needs: Needs::Nothing,
        kind: Kind::Choice {
            choices: &[Precision::Reduced.text(), Precision::Full.text()],
            field: |options| &mut options.precision,
        },
    },
    Declaration {
        name: "Instructions",
        flag: "instructions",
        help: "The instruction set that the CPU computes networks with",
        needs: Needs::Nothing,
        kind: Kind::Choice { choices: INSTRUCTIONS, field: |options| &mut options.instructions },
    },
    Declaration {
        name: "Batch",
        flag: "batch",
        help: "The most positions that a thread evaluates together; 0 for what suits device, network and tree",
        needs: Needs::Nothing,
        kind: whole!(batch, 0, 256),
    },
    Declaration {
        name: "MoveOverhead",
        flag: "move-overhead",
        help: "Milliseconds per move that are lost between the program and the engine",
        needs: Needs::Nothing,
        kind: whole!(move_overhead, 0, 10_000),
    },
    Declaration {
        name: "CPuct",
        flag: "cpuct",
        help: "The weight of exploration",
        needs: Needs::Nothing,
        kind: Kind::Real { least: 0.0, most: 100.0, field: |options| &mut options.cpuct },
    },
    Declaration {
        name: "FpuReduction",
        flag: "fpu-reduction",
        help: "How much worse than its parent a move is assumed to be before it is tried",
        needs: Needs::Nothing,
        kind: Kind::Real { least: -10.0, most: 10.0, field: |options| &mut options.fpu_reduction },
    },
    Declaration {
        name: "PolicyTemperature",
        flag: "policy-temperature",
        help: "Temperature of the network's priors: above 1 flattens them",
        needs: Needs::Nothing,
        kind: Kind::Real { least: 0.1, most: 10.0, field: |options| &mut options.policy_temperature },
    },
    Declaration {
        name: "Temperature",
        flag: "temperature",
        help: "Above 0, a random move is played, weighted by visits (with alphabeta: by values), instead of the best",
        needs: Needs::Nothing,
        kind: Kind::Real { least: 0.0, most: 10.0, field: |options| &mut options.temperature },
    },
    Declaration {
        name: "DrawScore",
        flag: "draw-score",
        help: "What a draw is worth to the engine, in hundredths of a win",
        needs: Needs::Nothing,
        kind: whole!(draw_score, -100, 100),
    },
    Declaration {
        name: "VerboseMoveStats",
        flag: "verbose-move-stats",
        help: "Reports visits, prior and value of every move after each search",
        needs: Needs::Nothing,
        kind: Kind::Check { field: |options| &mut options.verbose_move_stats },
    },
    Declaration {
        name: "NodesPerMove",
        flag: "nodes-per-move",
        help: "The most visits per move, 0 for no limit; 1 plays a Maia network as it is meant",
        needs: Needs::Nothing,
        kind: whole!(nodes_per_move, 0, 1_000_000_000),
    },
];

impl Declaration {
    /// Whether a game has it.
    pub(crate) fn is_for<G: FullGame>(&self) -> bool {
        match self.needs {
            Needs::Nothing => true,
            Needs::Chess960 => G::variant_rules(CHESS960, &G::Rules::default()).is_some(),
            Needs::Tablebase => G::TABLEBASE.is_some(),
        }
    }

    /// The option of that name; upper and lower case are the same.
    pub fn find(name: &str) -> Result<&'static Declaration, OptionError> {
        let found = DECLARATIONS.iter().find(|declaration| declaration.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| OptionError::Unknown { name: name.to_owned() })
    }

    /// Whether it needs no value to be turned on.
    pub fn is_check(&self) -> bool {
        matches!(self.kind, Kind::Check { .. })
    }

    /// Whether it does something once, and has no value.
    pub fn is_button(&self) -> bool {
        matches!(self.kind, Kind::Button)
    }

    /// Its value as text.
    pub fn get(&self, options: &Options) -> String {
        let mut options = options.clone();
        match &self.kind {
            Kind::Whole { get, .. } => get(&options).to_string(),
            Kind::Real { field, .. } => field(&mut options).to_string(),
            Kind::Check { field } => field(&mut options).to_string(),
            Kind::Text { field } | Kind::Device { field } | Kind::Choice { field, .. } | Kind::Game { field } => {
                field(&mut options).clone()
            }
            Kind::Button => String::new(),
        }
    }

    /// Reads a value and sets it, or changes nothing.
    pub fn set(&self, options: &mut Options, text: &str) -> Result<(), OptionError> {
        let wrong = |expected: String| OptionError::Value { name: self.name, value: text.to_owned(), expected };
        match &self.kind {
            Kind::Whole { least, most, set, .. } => {
                let value = text.parse().ok().filter(|value| (*least..=*most).contains(value));
                set(options, value.ok_or_else(|| wrong(format!("use a number from {least} to {most}")))?);
            }
            Kind::Real { least, most, field } => {
                let value = text.parse().ok().filter(|value| (*least..=*most).contains(value));
                *field(options) = value.ok_or_else(|| wrong(format!("use a number from {least} to {most}")))?;
            }
            Kind::Check { field } => {
                *field(options) = match text.to_ascii_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(wrong("use true or false".to_owned())),
                };
            }
            // The way chess programs write an empty text.
            Kind::Text { field } => *field(options) = if text == "<empty>" { String::new() } else { text.to_owned() },
            Kind::Device { field } => {
                let numbered = text.strip_prefix("cuda:").is_some_and(|number| number.parse::<u8>().is_ok());
                if !numbered && !DEVICES.contains(&text) {
                    return Err(wrong(format!("use {}", DEVICES.join(", "))));
                }
                *field(options) = text.to_owned();
            }
            Kind::Choice { choices, field } => {
                let known = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text));
                let known = known.ok_or_else(|| wrong(format!("use {}", choices.join(", "))))?;
                *field(options) = (*known).to_owned();
            }
            Kind::Game { field } => {
                let known = registry::names().iter().find(|name| name.eq_ignore_ascii_case(text));
                let known = known.ok_or_else(|| wrong(format!("use {}", registry::names().join(", "))))?;
                *field(options) = (*known).to_owned();
            }
            Kind::Button => {}
        }
        Ok(())
    }

    /// The line that declares it to a chess program, with its default from `options`.
    pub fn line(&self, options: &Options) -> String {
        let default = self.get(options);
        let kind = match &self.kind {
            Kind::Whole { least, most, .. } => format!("spin default {default} min {least} max {most}"),
            Kind::Check { .. } => format!("check default {default}"),
            // The protocol has no type for decimal numbers.
            Kind::Real { .. } => format!("string default {default}"),
            Kind::Text { .. } if default.is_empty() => "string default <empty>".to_owned(),
            Kind::Text { .. } => format!("string default {default}"),
            Kind::Device { .. } => format!("combo default {default} var {}", DEVICES.join(" var ")),
            Kind::Game { .. } => format!("combo default {default} var {}", registry::names().join(" var ")),
            Kind::Choice { choices, .. } => format!("combo default {default} var {}", choices.join(" var ")),
            Kind::Button => "button".to_owned(),
        };
        format!("option name {} type {kind}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_declares_itself_and_accepts_its_own_default() {
        let defaults = Options::default();
        for declaration in DECLARATIONS {
            let mut options = defaults.clone();
            if !declaration.is_button() {
                let value = declaration.get(&defaults);
                declaration.set(&mut options, &value).unwrap_or_else(|error| panic!("{}: {error}", declaration.name));
            }
            assert_eq!(options, defaults, "{}", declaration.name);
            assert!(declaration.line(&defaults).starts_with(&format!("option name {} type ", declaration.name)));
        }
        assert_eq!(
            Declaration::find("hash").unwrap().line(&defaults),
            "option name Hash type spin default 256 min 1 max 1048576"
        );
    }

    #[test]
    fn bad_values_change_nothing_and_are_explained() {
        let mut options = Options::default();
        for (name, value) in [
            ("Hash", "0"),
            ("Threads", "many"),
            ("CPuct", "nan"),
            ("Ponder", "yes"),
            ("Device", "tpu"),
            ("Precision", "8"),
        ] {
            assert!(Declaration::find(name).unwrap().set(&mut options, value).is_err(), "{name} {value}");
        }
        assert_eq!(options, Options::default());
        let error = Declaration::find("Threads").unwrap().set(&mut options, "0").unwrap_err();
        assert_eq!(error.to_string(), "Threads cannot be '0': use a number from 1 to 256");
        let error = Declaration::find("Thread").err().unwrap();
        assert_eq!(error.to_string(), "there is no option 'Thread' (did you mean Threads?)");
    }
}
