//! The figures of a run as TensorBoard reads them.
//!
//! An event file is a sequence of records: the length of the event, a checksum of the length, the event, a checksum of the event.
//! An event is a protocol buffer with a time, a step and values by their tags (tensorflow/core/util/event.proto).

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use alfil_core::disk::{AppendFile, list, remove, write_whole};
use serde_json::Value;

use super::{Metrics, RunDirectory, RunError};

/// What the names of event files begin with: TensorBoard looks for it.
const NAME: &str = "events.out.tfevents.";

/// What ours end with.
const ENDING: &str = ".alfil";

/// The version that the first event names.
const VERSION: &str = "brain.Event:2";

/// The event file of a run: every generation is a step.
pub(crate) struct EventFile {
    path: PathBuf,
    file: AppendFile,
}

impl EventFile {
    /// What a run that goes on without it is warned of.
    pub const LOST: &str = "TensorBoard is told no more until the run resumes";

    /// Begins a new file with all that was measured so far: generations that are measured again are not there twice. Earlier files
    /// are removed.
    pub fn begin(directory: &RunDirectory) -> Result<EventFile, RunError> {
        let now = now();
        let path = directory.path().join(format!("{NAME}{now:010.0}{ENDING}"));
        let is_ours = |name: &str| name.starts_with(NAME) && name.ends_with(ENDING);
        for old in list(directory.path()).map_err(|why| RunError::io("list", directory.path(), why))? {
            if old.file_name().and_then(|name| name.to_str()).is_some_and(is_ours) {
                remove(&old).map_err(|why| RunError::io("remove", &old, why))?;
            }
        }
        let known = Metrics::load_readable(directory)?;
        let last = known.last().map_or(0.0, |metrics| metrics.seconds);
        let mut bytes = record(&first_event(now));
        // As if the run had gone on without a pause until now.
        known.iter().for_each(|metrics| bytes.extend(record(&event(metrics, now - (last - metrics.seconds)))));
        let failed = |why| RunError::io("write", &path, why);
        write_whole(&path, &bytes).map_err(failed)?;
        let file = AppendFile::open(&path).map_err(failed)?;
        Ok(EventFile { path, file })
    }

    /// Adds a generation.
    pub fn append(&mut self, metrics: &Metrics) -> Result<(), RunError> {
        let written = self.file.append(&record(&event(metrics, now())));
        written.map_err(|why| RunError::io("write", &self.path, why))
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn first_event(time: f64) -> Vec<u8> {
    let mut event = wall_time(time);
    message(3, VERSION.as_bytes(), &mut event);
    event
}

/// All numbers of a generation, by their path in metrics.jsonl.
fn event(metrics: &Metrics, time: f64) -> Vec<u8> {
    let mut summary = Vec::new();
    let json = serde_json::to_value(metrics).unwrap_or_default();
    numbers("", &json, &mut |tag, number| {
        let mut value = Vec::new();
        message(1, tag.as_bytes(), &mut value);
        value.push(2 << 3 | 5);
        value.extend((number as f32).to_le_bytes());
        message(1, &value, &mut summary);
    });
    let mut event = wall_time(time);
    event.push(2 << 3);
    varint(metrics.generation.into(), &mut event);
    message(5, &summary, &mut event);
    event
}

/// The numbers in an object, with the keys that lead to them. Lists are left out: curves and tables are no figures of a generation.
fn numbers(path: &str, value: &Value, take: &mut dyn FnMut(&str, f64)) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let path = if path.is_empty() { key.clone() } else { format!("{path}/{key}") };
                numbers(&path, value, take);
            }
        }
        Value::Number(number) => number.as_f64().into_iter().for_each(|number| take(path, number)),
        Value::Bool(is_so) => take(path, f64::from(u8::from(*is_so))),
        _ => {}
    }
}

fn wall_time(time: f64) -> Vec<u8> {
    let mut event = vec![1 << 3 | 1];
    event.extend(time.to_le_bytes());
    event
}

/// A field with a length: text, or a message.
fn message(field: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(field << 3 | 2);
    varint(bytes.len() as u64, out);
    out.extend(bytes);
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn record(event: &[u8]) -> Vec<u8> {
    let length = (event.len() as u64).to_le_bytes();
    let mut record = length.to_vec();
    record.extend(masked(&length).to_le_bytes());
    record.extend(event);
    record.extend(masked(event).to_le_bytes());
    record
}

/// The checksum of a record's part: CRC-32C, turned and moved so that checksums of checksums differ.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), bit by bit: a generation has a few kilobytes.
fn crc32c(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 })
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{RatingMetrics, SelfplayMetrics};

    #[test]
    fn checksums_are_those_of_others() {
        // RFC 3720, B.4.
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
    }

    #[test]
    fn a_file_has_every_generation_once() {
        let folder = std::env::temp_dir().join(format!("alfil-tensorboard-{}", std::process::id()));
        let directory = RunDirectory::new(&folder);
        directory.create().unwrap();
        let metrics = |generation| Metrics {
            generation,
            seconds: 60.0 * f64::from(generation),
            selfplay: SelfplayMetrics { games: 300, length: 12.5, ..SelfplayMetrics::default() },
            rating: Some(RatingMetrics { elo: -35.5, low: f64::NEG_INFINITY, ..RatingMetrics::default() }),
            ..Metrics::default()
        };
        for _ in 0..2 {
            metrics(1).append(&directory).unwrap();
            let mut file = EventFile::begin(&directory).unwrap();
            file.append(&metrics(2)).unwrap();
            Metrics::truncate_from(1, &directory).unwrap();
        }
        let files: Vec<_> =
            list(&folder).unwrap().into_iter().filter(|path| path.display().to_string().contains(NAME)).collect();
        assert_eq!(files.len(), 1);
        let mut bytes = &std::fs::read(&files[0]).unwrap()[..];
        let mut events = Vec::new();
        while !bytes.is_empty() {
            let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
            let (event, rest) = bytes.split_at(length + 16);
            assert_eq!(event, record(&event[12..12 + length]));
            events.push(event[12..12 + length].to_vec());
            bytes = rest;
        }
        assert_eq!(events.len(), 3);
        assert!(events[0].ends_with(VERSION.as_bytes()));
        for (event, generation) in events[1..].iter().zip(1..) {
            assert_eq!(event[9..11], [0x10, generation]);
            let value = |tag: &str, number: f32| [tag.as_bytes(), &[0x15], &number.to_le_bytes()].concat();
            let has = |part: &[u8]| event.windows(part.len()).any(|window| window == part);
            assert!(has(&value("selfplay/games", 300.0)) && has(&value("rating/elo", -35.5)));
            assert!(!has(b"rating/low"), "it is infinite");
        }
        // The real TensorBoard reads what metrics.jsonl says.
        [1, 2].iter().for_each(|generation| metrics(*generation).append(&directory).unwrap());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-tensorboard");
        match std::process::Command::new("python3").arg(script).arg(&folder).output() {
            Ok(read) => assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr)),
            Err(_) => alfil_skipped::skip("the reading of event files", "python3"),
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
