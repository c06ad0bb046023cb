//! What a network learns from: the window of self-play, folders of games, or both.

use alfil_core::seed::derive;
use alfil_game::Encoding;
use alfil_selfplay::replay::{
    Cursor, Damage, Dataset, Draw, DrawSettings, EpochDraw, Epochs, Replay, ReplayError, Sample, Window,
};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// How samples are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceSettings {
    /// How many, from which games, and with what seed.
    pub draw: DrawSettings,
    /// The share of them that comes from folders.
    pub share: f64,
    /// The order of the positions in the folders.
    pub epochs: Epochs,
    /// The place in that order where the samples begin.
    pub cursor: Cursor,
}

/// Samples from a window and from folders, of each a fixed share of every batch.
pub(super) struct Source<'a> {
    replay: &'a mut Replay,
    window: Draw,
    folders: EpochDraw<'a>,
    share: f64,
    /// Samples that have been asked for.
    given: u64,
    random: Xoshiro256PlusPlus,
}

impl<'a> Source<'a> {
    pub fn new(replay: &'a mut Replay, window: &Window, dataset: &'a Dataset, settings: SourceSettings) -> Source<'a> {
        let SourceSettings { draw, share, epochs, cursor } = settings;
        let of_folders = part(draw.samples, share);
        let of_window = DrawSettings { samples: draw.samples - of_folders, ..draw };
        Source {
            replay,
            window: Draw::new(window, of_window),
            folders: EpochDraw::new(dataset, epochs, cursor, DrawSettings { samples: of_folders, ..draw }),
            share,
            given: 0,
            random: Xoshiro256PlusPlus::seed_from_u64(derive(draw.seed, &[])),
        }
    }

    /// The next samples, or fewer at the end.
    pub fn next<E: Encoding>(&mut self, samples: usize) -> Result<Vec<Sample>, ReplayError> {
        let before = part(self.given, self.share);
        self.given += samples as u64;
        let of_folders = (part(self.given, self.share) - before) as usize;
        let mut drawn = self.window.next::<E>(self.replay, samples - of_folders)?;
        let others = self.folders.next::<E>(of_folders)?;
        if !drawn.is_empty() && !others.is_empty() {
            drawn.extend(others);
            // Replicas get parts of a batch that are alike.
            drawn.shuffle(&mut self.random);
            return Ok(drawn);
        }
        drawn.extend(others);
        Ok(drawn)
    }

    /// Chunks of the window that turned out to be damaged since the last call.
    pub fn damages(&mut self) -> Vec<Damage> {
        self.window.damages()
    }

    /// Where the samples from folders end, as soon as all have been drawn.
    pub fn end<E: Encoding>(&mut self) -> Result<Cursor, ReplayError> {
        Ok(self.folders.end::<E>()?)
    }
}

/// How many of this many samples come from folders.
fn part(samples: u64, share: f64) -> u64 {
    ((samples as f64 * share) as u64).min(samples)
}
