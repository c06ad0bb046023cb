//! Checkpoints, which training resumes from.
//!
//! ```text
//! magic (8)  version (4)  checksum of the version and the learner's state (8)  the learner's state
//! ```
//!
//! Numbers are little-endian. Version 1 is what commit de99b77 wrote: the checksum of the state, and the state.

use std::path::{Path, PathBuf};

use alfil_core::checksum::{Fnv, checksum};
use alfil_nn::learning::Learner;

use super::Tell;
use crate::Event;
use crate::run::{Phase, RunDirectory, RunError, State};

/// Checkpoints that are kept: if the newest one is damaged, the one before it is used.
const KEPT: usize = 2;

const ENDING: &str = "checkpoint";

/// The extension that the name of a damaged checkpoint gets.
const SET_ASIDE: &str = "damaged";

const MAGIC: &[u8; 8] = b"ALFILCKP";
const VERSION: u32 = 2;

/// Writes a checkpoint, and removes old ones.
pub(super) fn save(learner: &dyn Learner, folder: &Path) -> Result<(), RunError> {
    let path = folder.join(format!("{:010}.{ENDING}", learner.steps()));
    let state = learner.state()?;
    let sum = checksum_with(VERSION, &state).to_le_bytes();
    let bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &sum, &state].concat();
    alfil_core::disk::write_whole(&path, &bytes).map_err(|why| RunError::io("write", &path, why))?;
    tracing::debug!(?path, "checkpoint written");
    let known = list(folder)?;
    for (_, path) in known.iter().rev().skip(KEPT) {
        alfil_core::disk::remove(path).map_err(|why| RunError::io("remove", path, why))?;
    }
    Ok(())
}

/// Restores the learner from the newest checkpoint. Damaged ones are set aside. If steps are lost with them, the state says
/// so afterwards: it counts as steps before this generation only those that the learner has, and its target stays, so that
/// the next training takes the lost steps again.
pub(super) fn restore(
    learner: &mut dyn Learner,
    state: &mut State,
    directory: &RunDirectory,
    tell: &mut Tell<'_>,
) -> Result<(), RunError> {
    let expected = if state.phase > Phase::Learn { state.target } else { state.steps };
    let folder = directory.checkpoints_of(state.size);
    let mut damaged = 0;
    for (_, path) in list(&folder)?.iter().rev().filter(|(steps, _)| *steps <= state.target) {
        let bytes = alfil_core::disk::read(path, 1 << 36).map_err(|why| RunError::io("read", path, why))?;
        let newer = |found| RunError::Newer { path: path.clone(), found, known: VERSION };
        if let Some(saved) = content(&bytes).map_err(newer)? {
            learner.restore(saved).map_err(|why| RunError::Checkpoint { path: path.clone(), why })?;
            break;
        }
        tell(Event::DamagedCheckpoint { path: &set_aside(path)? });
        damaged += 1;
    }
    // A run that has not trained needs no checkpoint, and one that was in its first training can begin it again.
    let is_first = state.steps == 0 && (expected == 0 || damaged > 0);
    if learner.steps() == 0 && !is_first {
        return Err(RunError::NoCheckpoint(folder));
    }
    if learner.steps() < expected {
        tell(Event::LostSteps { steps: learner.steps(), lost: expected - learner.steps() });
        state.steps = state.steps.min(learner.steps());
    }
    Ok(())
}

/// The learner's state in a checkpoint; none if it is damaged. The error is the version of one that a newer program wrote.
fn content(bytes: &[u8]) -> Result<Option<&[u8]>, u32> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let whole = bytes.split_first_chunk().filter(|(sum, state)| u64::from_le_bytes(**sum) == checksum(state));
        return Ok(whole.map(|(_, state)| state));
    };
    let Some((version, rest)) = rest.split_first_chunk() else { return Ok(None) };
    let Some((sum, state)) = rest.split_first_chunk() else { return Ok(None) };
    let version = u32::from_le_bytes(*version);
    let is_whole = u64::from_le_bytes(*sum) == checksum_with(VERSION, state);
    match version {
        VERSION => Ok(Some(state).filter(|_| is_whole)),
        // If everything else is right, only the number is damaged.
        newer if newer > VERSION && !is_whole => Err(newer),
        _ => Ok(None),
    }
}

fn checksum_with(version: u32, state: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.feed(&version.to_le_bytes());
    hash.feed(state);
    hash.finish()
}

/// Renames a damaged checkpoint, so that it is no longer used and can be inspected.
fn set_aside(path: &Path) -> Result<PathBuf, RunError> {
    let aside = path.with_added_extension(SET_ASIDE);
    alfil_core::disk::rename(path, &aside).map_err(|why| RunError::io("rename", path, why))?;
    Ok(aside)
}

/// The checkpoints and their steps, oldest first.
fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>, RunError> {
    let paths = alfil_core::disk::list(folder).map_err(|why| RunError::io("read", folder, why))?;
    let steps = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|ending| ending == ENDING);
    let paths = paths.into_iter().filter(is_whole);
    let mut known: Vec<(u64, PathBuf)> = paths.filter_map(|path| Some((steps(&path)?, path))).collect();
    known.sort();
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_of_all_versions_are_read_and_damage_is_noticed() {
        let state = b"the state of a learner";
        let sums = [&b"\x34\x2a\x1f\xae\x74\x4d\x9e\x22"[..], b"ALFILCKP\x02\0\0\0\x86\xb8\xed\x6e\xc1\x1f\x91\x01"];
        for sum in sums {
            let bytes = [sum, state].concat();
            assert_eq!(content(&bytes), Ok(Some(&state[..])));
            for at in 0..bytes.len() * 8 {
                let mut flipped = bytes.clone();
                flipped[at / 8] ^= 1 << (at % 8);
                assert_eq!(content(&flipped), Ok(None), "bit {at}");
            }
            (0..bytes.len()).for_each(|length| assert_eq!(content(&bytes[..length]), Ok(None), "{length} bytes"));
        }
        let sum = checksum_with(3, state).to_le_bytes();
        assert_eq!(content(&[&b"ALFILCKP\x03\0\0\0"[..], &sum, state].concat()), Err(3));
    }
}
