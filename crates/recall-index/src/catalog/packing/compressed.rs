//! Compression of packed values, with a checksum.

use super::{Unpacker, push_number};
use crate::catalog::rows::texts::checksum;

/// The most bytes that a byte of LZ4 yields. A length beyond it is that of a damaged value.
const MOST_EXPANSION: usize = 255;

/// Compresses a packed value: its checksum, its length, and its bytes in LZ4, or as they are if that is not shorter.
pub(crate) fn compress(packed: &[u8]) -> Vec<u8> {
    let shrunk = lz4_flex::block::compress(packed);
    let shrunk = if shrunk.len() < packed.len() { &shrunk } else { packed };
    let mut stored = Vec::with_capacity(8 + shrunk.len());
    stored.extend_from_slice(&checksum(packed));
    push_number(&mut stored, packed.len());
    stored.extend_from_slice(shrunk);
    stored
}

/// Decompresses a packed value. `None` if the bytes are not a result of [`compress`].
pub(crate) fn decompress(stored: &[u8]) -> Option<Vec<u8>> {
    let (expected, rest) = stored.split_first_chunk()?;
    let mut rest = Unpacker(rest);
    let length = rest.number()?;
    let packed = match rest.0 {
        plain if plain.len() == length => plain.to_vec(),
        shrunk if length <= shrunk.len().saturating_mul(MOST_EXPANSION) => {
            lz4_flex::block::decompress(shrunk, length).ok()?
        }
        _ => return None,
    };
    (packed.len() == length && checksum(&packed) == *expected).then_some(packed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_length_beyond_what_the_bytes_can_hold_is_rejected() {
        let mut stored = checksum(b"").to_vec();
        push_number(&mut stored, 1 << 40);
        stored.extend_from_slice(&[0; 9]);
        assert_eq!(decompress(&stored), None);
        assert_eq!(decompress(&[]), None);
    }

    proptest! {
        #[test]
        fn values_round_trip(value in proptest::collection::vec(0..4_u8, 0..600)) {
            prop_assert_eq!(decompress(&compress(&value)), Some(value));
        }

        #[test]
        fn a_changed_byte_is_detected(
            value in proptest::collection::vec(0..4_u8, 1..600),
            place in any::<proptest::sample::Index>(),
            change in 1..=255_u8,
        ) {
            let mut stored = compress(&value);
            let place = place.index(stored.len());
            stored[place] ^= change;
            // LZ4 has several encodings of the same value, so a change may have no effect. It never gives another value.
            prop_assert!(decompress(&stored).is_none_or(|found| found == value));
        }
    }
}
