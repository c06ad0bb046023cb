//! Checkpoints, which training resumes from: the learner's state after its checksum.

use std::path::{Path, PathBuf};

use alfil_nn::learning::Learner;

use super::Tell;
use crate::Event;
use crate::run::{Phase, RunDirectory, RunError, State};

/// Checkpoints that are kept: if the newest one cannot be read in the middle of training, the one before it is used.
const KEPT: usize = 2;

const ENDING: &str = "checkpoint";

/// Writes a checkpoint, and removes old ones.
pub(super) fn save(learner: &dyn Learner, directory: &RunDirectory) -> Result<(), RunError> {
    let path = directory.checkpoints().join(format!("{:010}.{ENDING}", learner.steps()));
    let state = learner.state()?;
    let bytes = [&alfil_core::checksum::checksum(&state).to_le_bytes(), state.as_slice()].concat();
    alfil_core::disk::write_whole(&path, &bytes).map_err(|why| RunError::io("write", &path, why))?;
    tracing::debug!(?path, "checkpoint written");
    let known = list(directory)?;
    for (_, path) in known.iter().rev().skip(KEPT) {
        std::fs::remove_file(path).map_err(|why| RunError::io("remove", path, why))?;
    }
    Ok(())
}

/// Restores the learner to where the run is: to the newest checkpoint of the generation's training, if that is under
/// way.
pub(super) fn restore(
    learner: &mut dyn Learner,
    state: &State,
    directory: &RunDirectory,
    tell: &mut Tell<'_>,
) -> Result<(), RunError> {
    let wanted = match state.phase {
        Phase::Selfplay => state.steps..=state.steps,
        Phase::Learn => state.steps..=state.target,
        Phase::Gate | Phase::Rate => state.target..=state.target,
    };
    let known = list(directory)?;
    for (_, path) in known.iter().rev().filter(|(steps, _)| wanted.contains(steps)) {
        match read(learner, path) {
            Ok(()) => return Ok(()),
            Err(error) => tell(Event::BadCheckpoint { path, why: error.to_string() }),
        }
    }
    // The beginning needs no checkpoint.
    if *wanted.start() == 0 { Ok(()) } else { Err(RunError::NoCheckpoint(directory.checkpoints())) }
}

fn read(learner: &mut dyn Learner, path: &Path) -> Result<(), RunError> {
    let bytes = std::fs::read(path).map_err(|why| RunError::io("read", path, why))?;
    match bytes.split_first_chunk() {
        Some((checksum, state)) if u64::from_le_bytes(*checksum) == alfil_core::checksum::checksum(state) => {
            Ok(learner.restore(state)?)
        }
        _ => Err(RunError::Damaged { path: path.to_owned(), why: "its checksum does not match".to_owned() }),
    }
}

/// The checkpoints and their steps, oldest first.
fn list(directory: &RunDirectory) -> Result<Vec<(u64, PathBuf)>, RunError> {
    let folder = directory.checkpoints();
    let paths = alfil_core::disk::list(&folder).map_err(|why| RunError::io("read", &folder, why))?;
    let steps = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|ending| ending == ENDING);
    let paths = paths.into_iter().filter(is_whole);
    let mut known: Vec<(u64, PathBuf)> = paths.filter_map(|path| Some((steps(&path)?, path))).collect();
    known.sort();
    Ok(known)
}
