//! The saved state of a learner: safetensors, with everything that is not a tensor as JSON in its metadata. Equal states have
//! equal bytes.

use std::collections::BTreeMap;

use alfil_core::wording::shorten;
use alfil_nn::learning::LearnError;
use alfil_nn::{Architecture, to_safetensors};
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::layout::{Slot, is_of_training_only};

/// What is written. Incremented when older programs cannot read a state.
pub const FORMAT: u32 = 1;

/// The entry of the metadata.
const ENTRY: &str = "training";

/// Everything that is not a tensor. States of later versions may say more, which is ignored.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub format: u32,
    pub architecture: Architecture,
    /// Name and version.
    pub encoding: (String, u32),
    /// "sgd" or "adamw".
    pub optimizer: String,
    pub steps: u64,
    /// Whether there is an average of the weights.
    pub average: bool,
    /// Factor and good steps, with float16.
    pub loss_scale: Option<(f64, u32)>,
    /// Whether mixed precision computes in bfloat16, where that has been measured.
    #[serde(default)]
    pub bfloat16: Option<bool>,
}

/// Flat numbers that are saved as the tensors of their slots, with a prefix to their names.
pub struct Section<'a> {
    pub prefix: &'static str,
    pub slots: &'a [Slot],
    pub numbers: Vec<f32>,
}

impl Section<'_> {
    fn name(&self, slot: &Slot) -> String {
        if self.prefix.is_empty() { slot.name.clone() } else { format!("{}.{}", self.prefix, slot.name) }
    }
}

/// The bytes of a state.
pub fn write(header: &Header, sections: &[Section<'_>]) -> Result<Vec<u8>, LearnError> {
    let json = serde_json::to_string(header).map_err(unusable)?;
    let tensors = sections.iter().flat_map(|section| {
        let tensor = |slot: &Slot| (section.name(slot), (slot.shape.clone(), slot.part(&section.numbers)));
        section.slots.iter().map(tensor)
    });
    Ok(to_safetensors(&BTreeMap::from([(ENTRY, json)]), &tensors.collect()))
}

/// The header of a state.
pub fn read_header(bytes: &[u8]) -> Result<Header, LearnError> {
    #[derive(Deserialize)]
    struct Versioned {
        format: u32,
    }
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(unusable)?;
    let entry = metadata.metadata().as_ref().and_then(|metadata| metadata.get(ENTRY));
    let entry = entry.ok_or_else(|| LearnError::State("it is not a training state".to_owned()))?;
    match serde_json::from_str(entry).map_err(unusable)? {
        Versioned { format: FORMAT } => serde_json::from_str(entry).map_err(unusable),
        Versioned { format } if format > FORMAT => Err(LearnError::State(format!(
            "it was written by a newer alfil, in format {format}, and this one knows {FORMAT}: update it"
        ))),
        Versioned { format } => Err(LearnError::State(format!("its format is {format} instead of {FORMAT}"))),
    }
}

/// Messages of other crates may quote the state.
fn unusable(error: impl std::error::Error) -> LearnError {
    LearnError::State(shorten(&error.to_string()))
}

/// Replaces the numbers of the sections. The state must have no other tensors, except that those of a head that only training
/// has may be missing, so that their numbers stay, or left over.
pub fn read(bytes: &[u8], sections: &mut [Section<'_>]) -> Result<(), LearnError> {
    let tensors = SafeTensors::deserialize(bytes).map_err(unusable)?;
    let prefixes: Vec<String> = sections.iter().map(|section| format!("{}.", section.prefix)).collect();
    let may_vary = |name: &str| {
        let bare = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_str())).unwrap_or(name);
        is_of_training_only(bare)
    };
    let expected =
        sections.iter().flat_map(|section| section.slots).filter(|slot| !is_of_training_only(&slot.name)).count();
    let found = tensors.names().into_iter().filter(|name| !may_vary(name)).count();
    if found != expected {
        return Err(LearnError::State(format!("it has {found} tensors instead of {expected}")));
    }
    for section in sections {
        let before = std::mem::take(&mut section.numbers);
        for slot in section.slots {
            let name = section.name(slot);
            if is_of_training_only(&slot.name) && tensors.tensor(&name).is_err() {
                section.numbers.extend_from_slice(slot.part(&before));
                continue;
            }
            let problem = |problem: String| LearnError::State(format!("its tensor '{name}' {problem}"));
            let view = tensors.tensor(&name).map_err(|_| problem("is missing".to_owned()))?;
            if view.dtype() != Dtype::F32 || view.shape() != slot.shape {
                let found = format!("{:?} {:?}", view.dtype(), view.shape());
                return Err(problem(format!("is {found} instead of F32 {:?}", slot.shape)));
            }
            let start = section.numbers.len();
            section.numbers.extend(view.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            if let Some(number) = section.numbers[start..].iter().find(|number| !number.is_finite()) {
                return Err(problem(format!("holds {number}")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alfil_game::tictactoe::Stones;
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_are_ignored_and_later_formats_are_named() {
        let header = Header {
            format: FORMAT,
            architecture: Architecture::new::<Stones>("4x1".parse().unwrap()),
            encoding: ("tictactoe/stones".to_owned(), 1),
            optimizer: "sgd".to_owned(),
            steps: 7,
            average: false,
            loss_scale: None,
            bfloat16: None,
        };
        assert_eq!(read_header(&write(&header, &[]).unwrap()).unwrap(), header);
        let state = |key: &str, value: u32| {
            let mut json = json!(header);
            json[key] = value.into();
            to_safetensors(&BTreeMap::from([(ENTRY, json.to_string())]), &BTreeMap::new())
        };
        assert_eq!(read_header(&state("mood", 3)).unwrap(), header);
        let error = read_header(&state("format", 2)).unwrap_err().to_string();
        assert!(error.ends_with("by a newer alfil, in format 2, and this one knows 1: update it"), "{error}");
    }
}
