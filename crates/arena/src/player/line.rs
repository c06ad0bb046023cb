//! The line that names a player.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use alfil_game::Knowledge;
use alfil_nn::Bundled;
use alfil_search::PlaySettings;
use alfil_search::classical::AlphaBetaSettings;
use alfil_search::selection::{Puct, Rule};

use super::keys::{Keys, seconds};
use super::{ClassicalSettings, ExactSearch, ExternalSettings, LEVELS, TreeSettings};
use crate::engine::Go;
use alfil_core::wording::{did_you_mean, shorten};

/// The lines that name players, for a help text.
pub const GRAMMAR: &str = "\
Players:
  random                          any legal move
  oracle                          perfect play, where there is an exact solver
  alphabeta:depth=3               alpha-beta with the handcrafted evaluation
  alphabeta:movetime=0.1          the same with all enhancements, on a clock
  minimax:depth=2, sss:depth=2    the same value, with more work
  turns:depth=3,actions=4         plain alpha-beta over whole turns
  uct:rollouts=500                plain Monte Carlo tree search
  handcrafted:visits=800          tree search with the handcrafted evaluation
  trained:visits=800              tree search with the bundled network
  FILE.safetensors:visits=800     tree search with a network: a file, or a
                                  name of models/manifest.toml
  uci:PROGRAM ARGS,movetime=0.1   an engine that speaks UCI

Keys, with commas between them:
  every player    name=, book=FILE (an opening book: alfil book make)
  tree searches   visits= (or nodes=, or rollouts= for uct), threads=,
                  movetime= in seconds, temperature= (0: the best move),
                  policytemp= (above 1: looks at more moves), cpuct= (how
                  widely), fpu= (how much worse moves seem before they are
                  tried), these three not for uct;
                  or level=1 to 10 for all of these except threads=
  alphabeta       depth=, eval= (material: counts pieces only),
                  quiescence= (off: sees no exchange to its end); with
                  movetime=, nodes=, threads= or hash= (megabytes) as an
                  engine, otherwise as a sparring partner of fixed depth;
                  the engine's techniques, each on or off: captures= (no
                  other moves at the horizon), nullmove=, deeper= (entries
                  of the table), repetitions=, extensions=, reductions=,
                  futility=, exchanges=
  turns           depth= in turns, actions= (moves of each piece that
                  are looked at, where a turn is several moves)
  engines         movetime=, nodes=, depth=, tc=BASE+INCREMENT in seconds,
                  option.NAME=";

/// A player as one line names it. The module's documentation has the grammar.
///
/// ```
/// use alfil_arena::player::PlayerLine;
///
/// assert_eq!("alphabeta:depth=3,name=Claude".parse::<PlayerLine>().unwrap().name(), "Claude");
/// let typo = "alphabeta:dpeth=3".parse::<PlayerLine>().unwrap_err();
/// assert_eq!(typo.to_string(), "alphabeta has no key 'dpeth' (did you mean depth?): it has depth, movetime, nodes, threads, hash, eval, quiescence, captures, nullmove, deeper, repetitions, extensions, reductions, futility, exchanges, book, name");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerLine {
    pub(super) name: String,
    /// The line without its name, the path of a network left out.
    pub(super) settings: String,
    pub(super) kind: PlayerKind,
    /// A file with an opening book.
    pub(super) book: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum PlayerKind {
    Random,
    Oracle,
    AlphaBeta { depth: u32, knowledge: Knowledge, quiescence: bool },
    Classical(ClassicalSettings),
    Exact { search: ExactSearch, depth: u32 },
    Turns { depth: u32, actions: usize },
    Uct(TreeSettings),
    Handcrafted(TreeSettings),
    Trained(TreeSettings),
    Bundled(&'static Bundled, TreeSettings),
    Network(PathBuf, TreeSettings),
    External(ExternalSettings),
}

/// Why a line does not name a player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// Neither a kind of player nor a file.
    #[error("there is no player or network file '{word}'{nearest}: {KINDS_IN_WORDS}")]
    Unknown {
        /// The word in the kind's place.
        word: String,
        /// What may have been meant.
        nearest: String,
    },
    /// A key that this kind of player does not have.
    #[error("{player} has no key '{key}'{nearest}: it has {}", known.join(", "))]
    UnknownKey {
        /// The kind of player.
        player: String,
        /// The key.
        key: String,
        /// What may have been meant.
        nearest: String,
        /// The keys that there are.
        known: Vec<String>,
    },
    /// A part with no `=` in it.
    #[error("'{0}' should be written as key=value")]
    NoValue(String),
    /// A key is given twice.
    #[error("the key '{0}' is given twice")]
    Twice(String),
    /// Two keys that mean the same.
    #[error("{0} and {1} mean the same: use one of them")]
    Both(&'static str, &'static str),
    /// A key that the level already sets.
    #[error("level= stands for {0}= as well: use one of them")]
    Level(&'static str),
    /// An invalid value.
    #[error("{key}='{value}' should be {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// An engine without a limit.
    #[error("the engine '{0}' needs a limit: movetime=, nodes=, depth= or tc=")]
    NoLimit(String),
    /// A player of ours without a limit.
    #[error("{0} needs a limit: movetime=, nodes= or depth=")]
    NoLimitOf(&'static str),
    /// `uci:` without a program.
    #[error("uci: should be followed by the program, as in uci:stockfish,movetime=0.1")]
    NoProgram,
}

const KINDS: [&str; 10] =
    ["random", "oracle", "alphabeta", "minimax", "sss", "turns", "uct", "handcrafted", "trained", "uci"];
const KINDS_IN_WORDS: &str = "use random, oracle, alphabeta, minimax, sss, turns, uct, handcrafted, trained, uci:PROGRAM, a network file or the name of a bundled network";
const LONGEST_NAME: usize = 200;

impl FromStr for PlayerLine {
    type Err = LineError;

    fn from_str(text: &str) -> Result<PlayerLine, LineError> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("uci:") {
            return external(rest);
        }
        let (word, keys) = split(text);
        let plain = |kind: PlayerKind, keys: &Keys<'_>| {
            let written = keys.without_name();
            let settings = if written.is_empty() { word.to_owned() } else { format!("{word}:{written}") };
            PlayerLine { name: name(keys, &settings), settings, kind, book: book(keys) }
        };
        Ok(match word {
            "random" | "oracle" => {
                let kind = if word == "random" { PlayerKind::Random } else { PlayerKind::Oracle };
                plain(kind, &Keys::parse(word, keys, &["book", "name"])?)
            }
            "alphabeta" => {
                let switches = AlphaBetaSettings::INEXACT.map(|switch| switch.name);
                let known = ["depth", "movetime", "nodes", "threads", "hash", "eval"];
                let known: Vec<&str> = known.into_iter().chain(switches).chain(["book", "name"]).collect();
                let keys = Keys::parse(word, keys, &known)?;
                let depth = keys.number("depth", 1..=64)?.map(|depth| depth as u32);
                let knowledge = keys.word("eval", &[("full", Knowledge::Full), ("material", Knowledge::Material)])?;
                let mut search = AlphaBetaSettings::STRONG;
                for switch in AlphaBetaSettings::INEXACT {
                    *(switch.field)(&mut search) = keys.word(switch.name, &[("on", true), ("off", false)])?;
                }
                let only_engine = |key: &&str| !["depth", "eval", "quiescence", "book", "name"].contains(key);
                let engine = known.iter().filter(|key| only_engine(key)).any(|key| keys.get(key).is_some());
                if !engine {
                    let (depth, quiescence) = (depth.unwrap_or(3), search.quiescence);
                    return Ok(plain(PlayerKind::AlphaBeta { depth, knowledge, quiescence }, &keys));
                }
                let (movetime, nodes) = (keys.seconds("movetime")?, keys.number("nodes", 1..=u64::MAX)?);
                if movetime.is_none() && nodes.is_none() && depth.is_none() {
                    return Err(LineError::NoLimitOf("alphabeta"));
                }
                let settings = ClassicalSettings {
                    depth,
                    nodes,
                    movetime,
                    threads: keys.number("threads", 1..=256)?.unwrap_or(1) as u32,
                    knowledge,
                    search: AlphaBetaSettings {
                        table_bytes: (keys.number("hash", 1..=1_048_576)?.unwrap_or(16) as usize) << 20,
                        ..search
                    },
                };
                plain(PlayerKind::Classical(settings), &keys)
            }
            "minimax" | "sss" => {
                let keys = Keys::parse(word, keys, &["depth", "book", "name"])?;
                let search = if word == "sss" { ExactSearch::Sss } else { ExactSearch::Minimax };
                // Deeper ones take minutes per move in chess, or more memory than there is.
                let depth = keys.number("depth", 1..=6)?.unwrap_or(2) as u32;
                plain(PlayerKind::Exact { search, depth }, &keys)
            }
            "turns" => {
                let keys = Keys::parse(word, keys, &["depth", "actions", "book", "name"])?;
                let depth = keys.number("depth", 1..=64)?.unwrap_or(3) as u32;
                let actions = keys.number("actions", 1..=100)?.unwrap_or(4) as usize;
                plain(PlayerKind::Turns { depth, actions }, &keys)
            }
            "uct" => {
                let keys = Keys::parse(
                    word,
                    keys,
                    &["level", "rollouts", "movetime", "threads", "temperature", "book", "name"],
                )?;
                let settings = tree_settings(&keys, &["rollouts"], 500, PlaySettings::untempered())?;
                let play = PlaySettings { rule: Rule::UCT, ..settings.play };
                let settings = TreeSettings { play, ..settings };
                plain(PlayerKind::Uct(settings), &keys)
            }
            "handcrafted" | "trained" => {
                let keys = Keys::parse(word, keys, &TREE_KEYS)?;
                let trained = word == "trained";
                let play = if trained { PlaySettings::default() } else { PlaySettings::untempered() };
                let settings = tree_settings(&keys, &["visits", "nodes"], 800, play)?;
                plain(if trained { PlayerKind::Trained(settings) } else { PlayerKind::Handcrafted(settings) }, &keys)
            }
            path if Path::new(path).is_file() => {
                let keys = Keys::parse("a network", keys, &TREE_KEYS)?;
                let settings = tree_settings(&keys, &["visits", "nodes"], 800, PlaySettings::default())?;
                let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
                let written = keys.without_name();
                let shown = if written.is_empty() { stem.into_owned() } else { format!("{stem}:{written}") };
                let kind = PlayerKind::Network(PathBuf::from(path), settings);
                PlayerLine { name: name(&keys, &shown), settings: written, kind, book: book(&keys) }
            }
            _ => match Bundled::named(word) {
                Some(bundled) => {
                    let keys = Keys::parse(word, keys, &TREE_KEYS)?;
                    plain(
                        PlayerKind::Bundled(
                            bundled,
                            tree_settings(&keys, &["visits", "nodes"], 800, PlaySettings::default())?,
                        ),
                        &keys,
                    )
                }
                None => {
                    let known = KINDS.into_iter().chain(Bundled::all().iter().map(|bundled| bundled.name));
                    return Err(LineError::Unknown { word: shorten(word), nearest: did_you_mean(word, known) });
                }
            },
        })
    }
}

impl PlayerLine {
    /// Whether the player is made from its line alone: without a file, a program or a network.
    pub fn is_self_contained(&self) -> bool {
        use PlayerKind::{Bundled, External, Network, Trained};
        self.book.is_none() && !matches!(self.kind, Trained(_) | Bundled(..) | Network(..) | External(_))
    }

    /// Whether its moves follow from the position and a seed: it looks at no clock, and thinks in one thread.
    pub fn is_repeatable(&self) -> bool {
        match &self.kind {
            PlayerKind::Random | PlayerKind::Oracle | PlayerKind::AlphaBeta { .. } => true,
            PlayerKind::Exact { .. } | PlayerKind::Turns { .. } => true,
            PlayerKind::Classical(settings) => settings.movetime.is_none() && settings.threads == 1,
            PlayerKind::Uct(tree) | PlayerKind::Handcrafted(tree) | PlayerKind::Trained(tree) => tree.is_repeatable(),
            PlayerKind::Bundled(_, tree) | PlayerKind::Network(_, tree) => tree.is_repeatable(),
            PlayerKind::External(_) => false,
        }
    }
}

const TREE_KEYS: [&str; 11] =
    ["level", "visits", "nodes", "movetime", "threads", "temperature", "policytemp", "cpuct", "fpu", "book", "name"];

/// The kind or file, and its keys: after the first colon that a key and `=` follow. A file's name may contain colons.
fn split(text: &str) -> (&str, &str) {
    if let Some((kind, keys)) = text.split_once(':').filter(|(kind, _)| KINDS.contains(kind)) {
        return (kind, keys);
    }
    let is_key = |rest: &str| {
        let key = rest.split_once('=').map_or("", |(key, _)| key);
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let colon = text.match_indices(':').find(|(at, _)| is_key(&text[at + 1..]));
    match colon {
        Some((at, _)) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    }
}

fn book(keys: &Keys<'_>) -> Option<PathBuf> {
    keys.get("book").filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn name(keys: &Keys<'_>, otherwise: &str) -> String {
    let name = keys.get("name").filter(|name| !name.is_empty()).unwrap_or(otherwise);
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_NAME).collect()
}

fn tree_settings(
    keys: &Keys<'_>,
    counts: &[&'static str],
    usual: u32,
    play: PlaySettings,
) -> Result<TreeSettings, LineError> {
    let threads = keys.number("threads", 1..=1024)?.unwrap_or(1) as u32;
    if let Some(level) = keys.number("level", LEVELS)? {
        let mut others = counts.iter().chain(&["movetime", "temperature", "policytemp", "cpuct", "fpu"]);
        return match others.find(|key| keys.get(key).is_some()) {
            Some(key) => Err(LineError::Level(key)),
            None => Ok(TreeSettings { threads, ..TreeSettings::at_level(level) }),
        };
    }
    let mut visits = None;
    for &key in counts {
        if let Some(number) = keys.number(key, 1..=u32::MAX.into())? {
            if visits.is_some() {
                return Err(LineError::Both("visits", "nodes"));
            }
            visits = Some(number as u32);
        }
    }
    let movetime = keys.seconds("movetime")?;
    let rule = match play.rule {
        Rule::Puct(puct) => Rule::Puct(Puct {
            init: keys.decimal("cpuct", 0.0..=100.0)?.map_or(puct.init, |init| init as f32),
            fpu_reduction: keys.decimal("fpu", -10.0..=10.0)?.map_or(puct.fpu_reduction, |fpu| fpu as f32),
            ..puct
        }),
        rule => rule,
    };
    Ok(TreeSettings {
        visits: visits.or(movetime.is_none().then_some(usual)),
        movetime,
        threads,
        temperature: keys.decimal("temperature", 0.0..=100.0)?.unwrap_or(0.0),
        play: PlaySettings {
            policy_temperature: keys
                .decimal("policytemp", 0.1..=10.0)?
                .map_or(play.policy_temperature, |temperature| temperature as f32),
            rule,
        },
    })
}

fn external(text: &str) -> Result<PlayerLine, LineError> {
    let (command, rest) = text.split_once(',').unwrap_or((text, ""));
    let command = command.trim();
    if command.is_empty() {
        return Err(LineError::NoProgram);
    }
    let keys = Keys::parse("an engine", rest, &["movetime", "nodes", "depth", "tc", "option.", "book", "name"])?;
    let go = Go {
        movetime: keys.seconds("movetime")?,
        nodes: keys.number("nodes", 1..=u64::MAX)?,
        depth: keys.number("depth", 1..=1000)?.map(|depth| depth as u32),
        clock: keys.get("tc").map(clock).transpose()?,
    };
    if go == Go::default() {
        return Err(LineError::NoLimit(shorten(command)));
    }
    let written = keys.without_name();
    let program = command.split_whitespace().next().map_or(Path::new(command), Path::new);
    let shown = format!("{},{written}", program.file_name().unwrap_or_default().to_string_lossy());
    Ok(PlayerLine {
        name: name(&keys, &shown),
        settings: format!("uci:{command},{written}"),
        kind: PlayerKind::External(ExternalSettings {
            options: keys.beginning("option."),
            ..ExternalSettings::new(command, go)
        }),
        book: book(&keys),
    })
}

/// `BASE+INCREMENT` in seconds.
fn clock(text: &str) -> Result<(Duration, Duration), LineError> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    let both = seconds(base).filter(|base| !base.is_zero()).zip(seconds(increment));
    let expected = || "seconds for the game and for each move, as in 10+0.1".to_owned();
    both.ok_or_else(|| LineError::Value { key: "tc", value: shorten(text), expected: expected() })
}

impl PlayerLine {
    /// The player's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> PlayerLine {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn complaint(text: &str) -> String {
        text.parse::<PlayerLine>().unwrap_err().to_string()
    }

    #[test]
    fn the_help_fits_a_narrow_terminal() {
        assert!(GRAMMAR.lines().all(|line| line.len() <= 78), "{GRAMMAR}");
    }

    #[test]
    fn bundled_networks_are_players_by_name() {
        let PlayerKind::Bundled(bundled, tree) = read("connect4:visits=7").kind else { panic!() };
        assert_eq!((bundled.name, tree.visits), ("connect4", Some(7)));
        assert_eq!(read("connect4:visits=7").name, "connect4:visits=7");
        assert!(complaint("conect4").contains("(did you mean connect4?)"));
        assert!(Bundled::all().iter().all(|bundled| !KINDS.contains(&bundled.name)), "it could not be named");
    }

    #[test]
    fn a_limit_makes_alpha_beta_an_engine() {
        let PlayerKind::Classical(settings) = read("alphabeta:movetime=0.1,depth=9,threads=2,hash=1").kind else {
            panic!()
        };
        assert_eq!((settings.movetime, settings.depth), (Some(Duration::from_millis(100)), Some(9)));
        assert_eq!((settings.threads, settings.search.table_bytes, settings.nodes), (2, 1 << 20, None));
        assert!(matches!(read("alphabeta:depth=4").kind, PlayerKind::AlphaBeta { depth: 4, .. }));
    }

    #[test]
    fn every_inexact_technique_has_a_switch() {
        let search = |line: &str| match read(line).kind {
            PlayerKind::Classical(settings) => settings.search,
            kind => panic!("{kind:?}"),
        };
        assert_eq!(search("alphabeta:nodes=9"), AlphaBetaSettings::STRONG);
        for switch in AlphaBetaSettings::INEXACT {
            let mut without = AlphaBetaSettings::STRONG;
            *(switch.field)(&mut without) = false;
            assert_ne!(without, AlphaBetaSettings::STRONG);
            assert_eq!(search(&format!("alphabeta:nodes=9,{}=off", switch.name)), without);
        }
        // With a technique of the engine alone, a depth is the engine's.
        assert!(!search("alphabeta:depth=5,futility=off").futility);
    }

    #[test]
    fn keys_without_values_are_reported() {
        assert_eq!(complaint("handcrafted:visits"), "'visits' should be written as key=value");
        assert_eq!(complaint("alphabeta:3"), "'3' should be written as key=value");
    }

    #[test]
    fn every_kind_of_player_has_a_line() {
        assert_eq!(read("random").kind, PlayerKind::Random);
        assert_eq!(read(" oracle:name=God ").name, "God");
        assert_eq!(
            read("alphabeta").kind,
            PlayerKind::AlphaBeta { depth: 3, knowledge: Knowledge::Full, quiescence: true }
        );
        let material = PlayerKind::AlphaBeta { depth: 5, knowledge: Knowledge::Material, quiescence: false };
        assert_eq!(read("alphabeta:depth=5,eval=material,quiescence=off").kind, material);
        assert_eq!(read("turns").kind, PlayerKind::Turns { depth: 3, actions: 4 });
        assert_eq!(read("turns:depth=2,actions=5").kind, PlayerKind::Turns { depth: 2, actions: 5 });
        let PlayerKind::Uct(uct) = read("uct:rollouts=70,temperature=0.5").kind else { panic!() };
        assert_eq!((uct.visits, uct.temperature, uct.play.rule), (Some(70), 0.5, Rule::UCT));
        let PlayerKind::Handcrafted(tree) = read("handcrafted:movetime=0.25,threads=2").kind else { panic!() };
        assert_eq!((tree.visits, tree.movetime, tree.threads), (None, Some(Duration::from_millis(250)), 2));
        let PlayerKind::Handcrafted(tree) = read("handcrafted:nodes=1").kind else { panic!() };
        assert_eq!(tree.visits, Some(1));
        let PlayerKind::Trained(tree) = read("trained:level=3,threads=2").kind else { panic!() };
        assert_eq!(tree, TreeSettings { threads: 2, ..TreeSettings::at_level(3) });
        let PlayerKind::Uct(tree) = read("uct:level=10").kind else { panic!() };
        assert_eq!((tree.visits, tree.play.rule), (TreeSettings::at_level(10).visits, Rule::UCT));
        let PlayerKind::Trained(tree) = read("trained").kind else { panic!() };
        assert_eq!(tree, TreeSettings::default(), "networks are played as everywhere");
        let PlayerKind::Handcrafted(tree) = read("handcrafted").kind else { panic!() };
        assert_eq!(tree.play, PlaySettings::untempered());
        let PlayerKind::Trained(tree) = read("trained:policytemp=1.5").kind else { panic!() };
        assert_eq!(tree.play, PlaySettings { policy_temperature: 1.5, ..PlaySettings::default() });
    }

    #[test]
    fn files_are_networks_even_with_colons_in_their_names() {
        let path = std::env::temp_dir().join(format!("a:b,c-{}.safetensors", std::process::id()));
        std::fs::write(&path, "").unwrap();
        let line = read(&format!("{}:visits=8,name=N", path.display()));
        let PlayerKind::Network(found, settings) = &line.kind else { panic!() };
        assert_eq!((found, settings.visits, line.name.as_str()), (&path, Some(8), "N"));
        assert_eq!(read(&path.display().to_string()).name, path.file_stem().unwrap().to_str().unwrap());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn engines_take_arguments_options_and_clocks() {
        let line = read("uci:/usr/games/gnuchess --uci,tc=10+0.1,option.Skill Level=3,option.Clear Hash=");
        let PlayerKind::External(settings) = line.kind else { panic!() };
        assert_eq!(settings.command, "/usr/games/gnuchess --uci");
        assert_eq!(settings.go.clock, Some((Duration::from_secs(10), Duration::from_millis(100))));
        let options = [("Skill Level", "3"), ("Clear Hash", "")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(settings.options, options);
        assert_eq!(line.name, "gnuchess,tc=10+0.1,option.Skill Level=3,option.Clear Hash=");
    }

    #[test]
    fn the_help_has_every_key() {
        let engine = ["movetime", "nodes", "depth", "tc", "name", "book", "hash"];
        let switches = AlphaBetaSettings::INEXACT.map(|switch| switch.name);
        for key in TREE_KEYS.iter().chain(&engine).chain(&["rollouts", "eval", "actions"]).chain(&switches) {
            assert!(GRAMMAR.contains(&format!("{key}=")), "{key}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert!(complaint("randm").contains("'randm' (did you mean random?)"));
        assert!(complaint("no/such.safetensors:visits=8").contains("network file 'no/such.safetensors': use random"));
        assert!(complaint("handcrafted:vists=8").contains("'vists' (did you mean visits?)"));
        assert!(complaint("random:depth=3").contains("random has no key 'depth'"));
        assert!(complaint("alphabeta:depth=0").contains("depth='0' should be a whole number from 1 to 64"));
        assert!(complaint("turns:actions=0").contains("actions='0' should be a whole number from 1 to 100"));
        assert!(
            complaint("turns:action=3").contains("'action' (did you mean actions?): it has depth, actions, book, name")
        );
        assert!(complaint("alphabeta:threads=2").contains("alphabeta needs a limit"));
        assert!(complaint("alphabeta:movetime=1,hash=0").contains("hash='0' should be a whole number"));
        assert!(complaint("alphabeta:eval=x").contains("eval='x' should be full or material"));
        assert!(complaint("alphabeta:depth=3,deep").contains("'deep' should be written as key=value"));
        assert!(complaint("alphabeta:depth=3,depth=4").contains("twice"));
        assert!(complaint("handcrafted:visits=1,nodes=2").contains("mean the same"));
        assert!(complaint("handcrafted:movetime=0").contains("movetime='0' should be seconds"));
        assert!(complaint("handcrafted:movetime=NaN").contains("should be seconds"));
        assert!(complaint("handcrafted:movetime=-1").contains("should be seconds"));
        assert!(complaint("handcrafted:temperature=inf").contains("from 0 to 100"));
        assert!(complaint("trained:level=11").contains("level='11' should be a whole number from 1 to 10"));
        assert!(complaint("uct:level=2,rollouts=9").contains("level= stands for rollouts= as well"));
        assert!(complaint("uci:").contains("followed by the program"));
        assert!(complaint("uci:engine").contains("needs a limit"));
        assert!(complaint("uci:engine,tc=0+1").contains("as in 10+0.1"));
        assert!(complaint("uci:engine,movetme=1").contains("did you mean movetime?"));
        assert!(
            complaint("uci:engine,options.X=1").contains("it has movetime, nodes, depth, tc, option.NAME, book, name")
        );
        assert!(complaint("").contains("there is no player"));
        assert!(complaint(&"x".repeat(10_000)).len() < 300);
    }
}
