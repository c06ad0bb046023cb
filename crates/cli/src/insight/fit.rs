//! `alfil insight fit`

use std::io::Write;
use std::path::PathBuf;

use alfil_core::disk::write_whole;
use alfil_core::numbers::{count, percent};
use alfil_insight::chess::Mistake;
use alfil_insight::cluster::KMeans;
use alfil_insight::profile::{Fitted, Model, model_page};
use alfil_insight::{Extracted, read_errors};
use anyhow::{Context, bail};
use clap::Args;

use super::check_outputs;
use super::vectors::KindOptions;
use crate::Verdict;

/// Clusters that an elbow curve tries.
const ELBOW: [usize; 10] = [2, 5, 8, 11, 14, 17, 20, 25, 30, 40];

#[derive(Args)]
pub struct FitCommand {
    /// Tables of mistakes that alfil insight extract has written, of different games
    #[arg(required = true)]
    tables: Vec<PathBuf>,
    /// The model
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Clusters
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=200))]
    clusters: u16,
    /// Starts of k-means from other centres, of which the best one counts
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    starts: u64,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    kind: KindOptions,
    /// What the model is called in profiles [default: the first table's name]
    #[arg(long, value_name = "TEXT")]
    corpus: Option<String>,
    /// Write a page with clusters, heat maps and an elbow curve
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the vectors of the mistakes, after merging and scaling, for numpy
    #[arg(long, value_name = "FILE")]
    npy: Option<PathBuf>,
}

pub fn run(command: &FitCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let outputs = [Some(&command.output), command.html.as_ref(), command.npy.as_ref()];
    check_outputs(&command.tables, outputs.into_iter().flatten())?;
    // A table named twice would count twice.
    check_outputs([], &command.tables)?;
    let (mut records, mut extracted) = (Vec::new(), Extracted::default());
    for table in &command.tables {
        records.extend(read_errors(table)?);
        extracted.merge(&Extracted::read(table)?);
    }
    let mistakes: Vec<Mistake<'_>> = records.iter().filter_map(Mistake::read).collect();
    let clusters = usize::from(command.clusters);
    if mistakes.len() < clusters {
        bail!("there are {} mistakes in chess: too few for {clusters} clusters", mistakes.len());
    }
    let name = command.tables[0].file_stem().unwrap_or_default().to_string_lossy();
    let all = |name: &str| format!("{name} ({} games, {} mistakes)", count(extracted.games), count(extracted.errors));
    let corpus = all(command.corpus.as_deref().unwrap_or(&name));
    let search = KMeans { groups: clusters, starts: command.starts, seed: command.seed };
    let vectors = command.kind.of(&mistakes)?;
    let fitted = Model::fit(&mistakes, &vectors, &extracted, corpus, search);
    let Fitted { model, points, .. } = &fitted;
    let write = |path: &PathBuf, bytes: &[u8]| {
        write_whole(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    model.write(&command.output)?;
    if let Some(path) = &command.npy {
        write(path, &points.npy())?;
    }
    if let Some(path) = &command.html {
        let elbow = search.elbow(points, ELBOW.into_iter().filter(|groups| *groups <= mistakes.len()));
        write(path, model_page(&fitted, &elbow).as_bytes())?;
    }
    let of: u64 = model.base.clusters.iter().sum();
    for (place, (cluster, size)) in model.clusters.iter().zip(&model.base.clusters).enumerate() {
        let share = percent(*size as f64 / of.max(1) as f64);
        writeln!(out, "{:>3} {:>8} {share:>8}  {}", place + 1, count(*size), cluster.name)?;
    }
    writeln!(
        out,
        "{} mistakes in {} clusters of vectors {}, mean differentiation of labels {:.3} (by chance {:.3}), in {}",
        count(mistakes.len() as u64),
        model.clusters.len(),
        model.vectors,
        fitted.differentiation(),
        fitted.differentiation_by_chance(),
        command.output.display()
    )?;
    Ok(Verdict::Fine)
}
