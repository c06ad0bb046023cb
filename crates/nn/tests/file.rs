//! Network files read back as written, and whatever else is given is refused with an error.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::sync::LazyLock;

use alfil_game::chess::{Az21, Az119, Lc0};
use alfil_game::{connect4, tictactoe};
use alfil_nn::lc0::{export_bytes, import_bytes};
use alfil_nn::{Architecture, HeadShape, Network, PolicyShape};
use proptest::prelude::*;

fn network() -> Network {
    let mut architecture = Architecture::new::<Az21>("8x2s3".parse().unwrap());
    architecture.moves_left = Some(HeadShape { filters: 2, hidden: 4 });
    let mut network = Network::random::<Az21>(architecture, 1);
    network.origin.generation = Some(7);
    network.origin.parent = Some("generation 6".to_owned());
    network.origin.rating = Some("1,234 ± 30 in the pool of 2026-11-16".to_owned());
    network
}

/// Header and data of a safetensors file.
fn split(bytes: &[u8]) -> (String, Vec<u8>) {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (String::from_utf8(bytes[8..8 + length].to_vec()).unwrap(), bytes[8 + length..].to_vec())
}

fn join(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn error(bytes: &[u8]) -> String {
    Network::from_bytes(bytes).unwrap_err().to_string()
}

#[test]
fn a_network_reads_back_as_written() {
    let network = network();
    assert_eq!(Network::from_bytes(&network.to_bytes().unwrap()).unwrap(), network);
    let folder = std::env::temp_dir().join(format!("alfil-nn-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.safetensors");
    network.save(&path).unwrap();
    assert_eq!(Network::load(&path).unwrap(), network);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing but the network is left");
    let damaged = folder.join("damaged.safetensors");
    std::fs::write(&damaged, &network.to_bytes().unwrap()[1..]).unwrap();
    let named = format!("cannot use the network {}: it is not a network file", damaged.display());
    assert!(Network::load(&damaged).unwrap_err().to_string().starts_with(&named));
    assert!(network.save(&folder.join("no/such/folder")).unwrap_err().to_string().starts_with("cannot write"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(Network::load(&path).unwrap_err().to_string().starts_with("cannot read"));
}

#[test]
fn equal_networks_have_equal_bytes() {
    let bytes = network().to_bytes().unwrap();
    for _ in 0..8 {
        assert_eq!(network().to_bytes().unwrap(), bytes);
    }
    assert_eq!(Network::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes);
}

#[test]
fn messages_quote_nothing_that_a_terminal_would_obey() {
    let (header, data) = split(&network().to_bytes().unwrap());
    let quoted = serde_json::to_string(&"\u{1b}[31m".repeat(50)).unwrap();
    let inner = serde_json::to_string(&quoted).unwrap();
    let inner = inner.trim_matches('"');
    let damaged = [
        header.replace("\"format\":\"1\"", &format!("\"format\":{quoted}")),
        header.replace("\"F32\"", &quoted),
        header.replace("\\\"generation\\\":7", &format!("\\\"generation\\\":{inner}")),
        header.replace("\\\"filters\\\":8", &format!("{inner}:8")),
    ];
    for changed in damaged {
        assert_ne!(changed, header);
        let error = error(&join(&changed, &data));
        assert!(!error.contains('\u{1b}') && error.len() < 500, "{error:?}");
    }
}

#[test]
fn each_kind_of_damage_has_its_own_message() {
    let bytes = network().to_bytes().unwrap();
    let (header, data) = split(&bytes);
    assert!(error(b"").contains("not a network file"));
    assert!(error(b"not a network, but long enough to have a header").contains("not a network file"));
    assert!(error(&bytes[..bytes.len() - 4]).contains("not a network file"));
    let newer = error(&join(&header.replace("\"format\":\"1\"", "\"format\":\"2\""), &data));
    assert_eq!(newer, "it was written by a newer alfil, in format 2, and this one knows 1: update it");
    assert!(error(&join(&header.replace("\"origin\"", "\"origen\""), &data)).contains("lacks 'origin'"));
    assert!(error(&join(&header.replace("\\\"filters\\\":8", "\\\"filters\\\":0"), &data)).contains("filters of 0"));
    let absurd = header.replace("\\\"filters\\\":8", "\\\"filters\\\":99999999999");
    assert!(error(&join(&absurd, &data)).contains("out of range"));
    let other = header.replace("\\\"filters\\\":8", "\\\"filters\\\":16");
    assert!(error(&join(&other, &data)).contains("has shape"));
    assert!(error(&join(&header.replace("stem.bias", "stem.bais"), &data)).contains("'stem.bias' is missing"));
    let mut poisoned = data.clone();
    poisoned[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(error(&join(&header, &poisoned)).contains("holds NaN"));
    let mut flipped = data.clone();
    flipped[4_001] ^= 1;
    assert!(error(&join(&header, &flipped)).contains("checksum"));
    let large = Architecture::new::<Az21>("2048x256".parse().unwrap());
    assert!(large.check().unwrap_err().to_string().contains("too large"));
}

#[test]
fn a_network_for_something_else_is_refused() {
    let network = network();
    network.check_encoding::<Az21>().unwrap();
    let found = network.check_encoding::<Az119>().unwrap_err().to_string();
    assert_eq!(found, "it was made for chess/az21 version 1, but chess/az119 version 1 is needed");
    assert!(network.check_encoding::<connect4::Stones>().is_err());
    let mut later = network.clone();
    later.origin.encoding_version = 2;
    assert!(later.check_encoding::<Az21>().is_err());
    let mut liar =
        Network::random::<tictactoe::Stones>(Architecture::new::<tictactoe::Stones>("4x1".parse().unwrap()), 1);
    liar.architecture.policy = PolicyShape::Convolution { planes: 2 };
    assert!(liar.check_encoding::<tictactoe::Stones>().unwrap_err().to_string().contains("2 policy planes"));
}

static OURS: LazyLock<Vec<u8>> = LazyLock::new(|| network().to_bytes().unwrap());

static LEELA_PACKED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let architecture = Architecture::new::<Lc0>("4x1s2".parse().unwrap());
    export_bytes(&Network::random::<Lc0>(architecture, 2)).unwrap()
});

static LEELA: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(LEELA_PACKED.as_slice()), &mut bytes).unwrap();
    bytes
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cut_files_are_refused(share in 0.0f64..1.0) {
        prop_assert!(Network::from_bytes(&OURS[..(OURS.len() as f64 * share) as usize]).is_err());
        prop_assert!(import_bytes(&LEELA[..(LEELA.len() as f64 * share) as usize]).is_err());
    }

    #[test]
    fn a_flipped_bit_is_noticed(at in any::<prop::sample::Index>(), bit in 0u8..8, early in any::<bool>()) {
        let flip = |mut file: Vec<u8>, header: usize| {
            // Half of the damage goes to the beginning, where the structure is.
            let range = if early { file.len().min(3_000) } else { file.len() };
            file[header + at.index(range - header)] ^= 1u8 << bit;
            file
        };
        prop_assert!(Network::from_bytes(&flip(OURS.clone(), 0)).is_err());
        // The first ten bytes of a gzip file hold things like the time of packing, which do not matter.
        prop_assert!(import_bytes(&flip(LEELA_PACKED.clone(), 10)).is_err());
        // Unpacked, Leela's format has no checksum: damaged weights cannot be detected, but nothing may break.
        let _ = import_bytes(&flip(LEELA.clone(), 0));
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(Network::from_bytes(&bytes).is_err());
        prop_assert!(import_bytes(&bytes).is_err());
        let packed = [&[0x1f, 0x8b][..], &bytes].concat();
        prop_assert!(import_bytes(&packed).is_err());
    }
}
