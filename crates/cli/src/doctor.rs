//! `alfil doctor`

use std::io::Write;

use clap::Args;
use serde_json::json;

use crate::{Verdict, torch};

/// Check what this machine can compute with.
#[derive(Args)]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(doctor: &Doctor, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let torch =
        torch::find().map(|torch| (torch.version(), torch.cuda_devices(), torch.choose("auto").unwrap_or_default()));
    if doctor.json {
        let torch = torch.map(|(version, devices, auto)| json!({"version": version, "cuda": devices, "device": auto}));
        writeln!(out, "{}", json!({"version": env!("CARGO_PKG_VERSION"), "threads": threads, "libtorch": torch}))?;
        return Ok(Verdict::Fine);
    }
    writeln!(out, "alfil     {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "threads   {threads}")?;
    match torch {
        Some((version, devices, auto)) => {
            writeln!(out, "libtorch  {version}")?;
            writeln!(out, "CUDA      {devices} device{}", if devices == 1 { "" } else { "s" })?;
            writeln!(out, "auto      {auto}")?;
        }
        None => writeln!(out, "libtorch  not in this build: training needs one with the default features")?,
    }
    Ok(Verdict::Fine)
}
