use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::strategies::parts;

/// The bytes of a ranker with one feature and one tree, whose nodes are `nodes`, and a correct checksum.
fn seal_nodes(nodes: &[u8]) -> Vec<u8> {
    let mut bytes = b"RCLR\x01\x00\x01\x01f\0\0\0\0\0\x01".to_vec();
    bytes.extend_from_slice(nodes);
    seal(bytes)
}

fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

fn split(feature: u8, threshold: f32) -> Vec<u8> {
    [&[1 + 2 * feature][..], &threshold.to_le_bytes()].concat()
}

fn leaf(value: f32, cover: u8) -> Vec<u8> {
    [&[0][..], &value.to_le_bytes(), &[cover]].concat()
}

#[test]
fn malformed_bytes_are_rejected_with_a_reason() {
    #[track_caller]
    fn check(bytes: &[u8], expected: ReadError) {
        assert_eq!(read(bytes), Err(expected));
    }
    let good = seal_nodes(&[split(0, 0.5), leaf(1.0, 1), leaf(2.0, 1)].concat());
    assert!(read(&good).is_ok());

    check(b"", ReadError::Magic);
    check(b"RCLX\x01\x00", ReadError::Magic);
    check(b"RCLR", ReadError::Truncated { at: 4 });
    check(b"RCLR\x02\x00", ReadError::Version { found: 2 });
    check(b"RCLR\x01\x00\x01", ReadError::Truncated { at: 7 });
    let mut changed = good.clone();
    changed[20] ^= 1;
    let end = good.len() - CHECKSUM_BYTES;
    let found = u32::from_le_bytes(good[end..].try_into().unwrap());
    check(&changed, ReadError::Checksum { found, computed: crc32fast::hash(&changed[..end]) });
    check(&seal_nodes(&[split(0, 0.5), leaf(1.0, 1)].concat()), ReadError::Truncated { at: 26 });
    check(&seal_nodes(&[leaf(1.0, 1), leaf(2.0, 1)].concat()), ReadError::Trailing { at: 21 });
    check(
        &seal_nodes(&[split(1, 0.5), leaf(1.0, 1), leaf(2.0, 1)].concat()),
        ReadError::Feature { tree: 0, feature: 1 },
    );
    check(&seal_nodes(&[split(0, f32::NAN), leaf(1.0, 1), leaf(2.0, 1)].concat()), ReadError::Value { tree: 0 });
    check(&seal_nodes(&leaf(f32::INFINITY, 1)), ReadError::Value { tree: 0 });
    check(&seal_nodes(&leaf(f32::NAN, 1)), ReadError::Value { tree: 0 });
    check(&seal_nodes(&leaf(1.0, 0)), ReadError::Cover { tree: 0 });
    check(&seal_nodes(&[0x80, 0, 0, 0, 0, 0, 1]), ReadError::Number { at: 15 });
    check(&seal_nodes(&[0xff, 0xff, 0xff, 0xff, 0xff]), ReadError::Number { at: 15 });
    // Infinite and excessive splits: no encoding makes a tree cyclic or unboundedly deep.
    check(&seal_nodes(&split(0, 0.5).repeat(50)), ReadError::Truncated { at: 265 });
    check(&seal_nodes(&split(0, 0.5).repeat(100_000)), ReadError::Leaves { tree: 0 });

    let head = |rest: &[u8]| seal([&b"RCLR\x01\x00"[..], rest].concat());
    check(&head(b"\x00\x00\x00"), ReadError::FeatureCount { count: 0 });
    check(&head(b"\xff\xff\xff\xff\x0f\x00\x00"), ReadError::FeatureCount { count: u32::MAX as usize });
    check(&head(b"\x01\x00\0\0\0\0\x00\x00"), ReadError::FeatureName { feature: 0 });
    check(&head(b"\x02\x01f\0\0\0\0\x01f\0\0\0\0\x00\x00"), ReadError::FeatureName { feature: 1 });
    check(&head(b"\x01\x01\xff\0\0\0\0\x00\x00"), ReadError::FeatureName { feature: 0 });
    check(&head(b"\x01\x01f\0\0\x80\x7f\x00\x00"), ReadError::Gain { feature: 0 });
    let point = |score: f32, probability: f32| [score.to_le_bytes(), probability.to_le_bytes()].concat();
    let table = |points: &[u8]| {
        let count = u8::try_from(points.len() / 8).unwrap();
        head(&[&b"\x01\x01f\0\0\0\0"[..], &[count], points, &[0]].concat())
    };
    assert!(read(&table(&[point(0.0, 0.1), point(1.0, 0.1)].concat())).is_ok());
    check(&table(&[point(0.0, 0.1), point(0.0, 0.2)].concat()), ReadError::Calibration);
    check(&table(&[point(0.0, 0.2), point(1.0, 0.1)].concat()), ReadError::Calibration);
    check(&table(&point(f32::NAN, 0.2)), ReadError::Calibration);
    check(&table(&point(0.0, 1.5)), ReadError::Calibration);
}

proptest! {
    #[test]
    fn what_is_written_is_read(parts in parts(10, 64)) {
        prop_assert_eq!(read(&write(&parts)), Ok(parts));
    }

    #[test]
    fn random_bytes_are_refused(bytes in vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_err());
        prop_assert!(read(&[&MAGIC[..], &VERSION.to_le_bytes(), &bytes].concat()).is_err());
    }

    #[test]
    fn random_bytes_under_a_right_checksum_do_no_harm(bytes in vec(any::<u8>(), 0..300)) {
        let bytes = seal([&MAGIC[..], &VERSION.to_le_bytes(), &bytes].concat());
        if let Ok(parts) = read(&bytes) {
            prop_assert_eq!(write(&parts), bytes);
        }
    }

    #[test]
    fn changed_bytes_are_refused(parts in parts(4, 16), at in any::<prop::sample::Index>(), flip in 1..=255_u8) {
        let mut bytes = write(&parts);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn changed_bytes_under_a_right_checksum_do_no_harm(
        parts in parts(4, 16),
        at in any::<prop::sample::Index>(),
        flip in 1..=255_u8,
    ) {
        let mut bytes = write(&parts);
        bytes.truncate(bytes.len() - CHECKSUM_BYTES);
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let bytes = seal(bytes);
        if let Ok(parts) = read(&bytes) {
            prop_assert_eq!(write(&parts), bytes);
        }
    }

    #[test]
    fn cut_bytes_are_refused(parts in parts(4, 16), at in any::<prop::sample::Index>()) {
        let bytes = write(&parts);
        prop_assert!(read(&bytes[..at.index(bytes.len())]).is_err());
    }
}
