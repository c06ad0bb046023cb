//! Tensors and texts as the bytes of a safetensors file.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Numbers with their shape.
pub type Tensor<'a> = (Vec<usize>, &'a [f32]);

/// The bytes of a safetensors file. Unlike those that the safetensors crate writes, whose metadata is in any order, they
/// depend on nothing except the contents.
pub fn to_safetensors(metadata: &BTreeMap<&str, String>, tensors: &BTreeMap<String, Tensor<'_>>) -> Vec<u8> {
    let mut header = Map::from_iter([("__metadata__".to_owned(), json!(metadata))]);
    let mut end = 0;
    for (name, (shape, numbers)) in tensors {
        let start = end;
        end += size_of_val(*numbers);
        header.insert(name.clone(), json!({"dtype": "F32", "shape": shape, "data_offsets": [start, end]}));
    }
    let mut header = Value::Object(header).to_string();
    // As the format recommends, the tensors begin at a multiple of 8 bytes.
    let missing = header.len().next_multiple_of(8) - header.len();
    header.extend(std::iter::repeat_n(' ', missing));
    let mut bytes = Vec::with_capacity(8 + header.len() + end);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    for (_, numbers) in tensors.values() {
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}
