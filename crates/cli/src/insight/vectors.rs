//! `alfil insight vectors`

use std::io::Write;
use std::path::PathBuf;

use alfil_core::disk::write_whole;
use alfil_core::numbers::count;
use alfil_insight::chess::{Mistake, NetworkVectors, Vectors};
use alfil_insight::read_errors;
use anyhow::Context;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::check_outputs;
use crate::Verdict;

/// What is added to the name of a file of vectors for the file that says what they are.
const NAMES: &str = "json";

/// What vectors there are.
#[derive(Clone, Copy, ValueEnum)]
pub enum Kind {
    /// Labels of the position, material, piece, phase, scores and tactics
    Hand,
    /// What a network of policy and value thinks before and after the move
    Network,
}

/// Which vectors are meant.
#[derive(Args)]
pub struct KindOptions {
    /// What vectors
    #[arg(long, value_name = "KIND", default_value = "hand")]
    kind: Kind,
    /// With --kind network: which one, by its name or file [default: the bundled one for chess]
    #[arg(long, value_name = "NETWORK")]
    net: Option<String>,
}

impl KindOptions {
    /// The vectors of mistakes.
    pub fn of(&self, mistakes: &[Mistake<'_>]) -> anyhow::Result<Vectors> {
        match (self.kind, &self.net) {
            (Kind::Hand, None) => Ok(Vectors::by_hand(mistakes)),
            (Kind::Hand, Some(_)) => anyhow::bail!("--net goes with --kind network"),
            (Kind::Network, net) => {
                let name = net.as_deref().unwrap_or_else(|| NetworkVectors::default_name());
                Ok(NetworkVectors::open(name)?.vectors(mistakes))
            }
        }
    }
}

#[derive(Args)]
pub struct VectorsCommand {
    /// A table of mistakes that alfil insight extract has written
    table: PathBuf,
    /// The vectors, for numpy; beside them FILE.json has the names of the columns, and game and ply of each row
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    kind: KindOptions,
}

pub fn run(command: &VectorsCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let names = command.output.with_added_extension(NAMES);
    check_outputs([&command.table], [&command.output, &names])?;
    let records = read_errors(&command.table)?;
    let mistakes: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
    let vectors = command.kind.of(&mistakes)?;
    let rows: Vec<(u64, u32)> = mistakes.iter().map(|mistake| (mistake.record.game, mistake.record.ply)).collect();
    let what = json!({ "kind": vectors.kind, "columns": vectors.names, "rows": rows });
    let write = |path: &PathBuf, bytes: &[u8]| {
        write_whole(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    write(&names, format!("{what}\n").as_bytes())?;
    write(&command.output, &vectors.rows.npy())?;
    let (rows, columns) = (vectors.rows.len(), vectors.rows.columns());
    writeln!(
        out,
        "{} vectors of {columns} numbers, {}, in {}",
        count(rows as u64),
        vectors.kind,
        command.output.display()
    )?;
    Ok(Verdict::Fine)
}
