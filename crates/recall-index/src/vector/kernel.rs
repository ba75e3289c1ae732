//! Records, that is the layout of an embedding in memory and on disk, and dot products of them with a query.
//!
//! Integer arithmetic only, so every processor computes the same sum. The components of an embedding are bytes in two's
//! complement.
//!
//! A record is the components, one byte each, followed by the factor that normalises the length to 1, so that
//! everything a cosine needs is adjacent. Records follow each other without gaps.

#![expect(unsafe_code, reason = "calls AVX2 instructions after checking that the processor has them")]

use recall_core::Quantised;

/// The dot product of a query, with components of at most 12 bits plus sign, and an embedding.
///
/// Both have the same number of components, at most [`MOST_DIMENSIONS`](recall_core::Quantised::MOST_DIMENSIONS), so
/// the sum cannot overflow.
pub(crate) fn dot(query: &[i16], embedding: &[u8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { avx2::dot(query, embedding) };
    }
    plain::dot(query, embedding)
}

/// The dot product of two embeddings.
pub(crate) fn dot_bytes(left: &[u8], right: &[u8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { avx2::dot_bytes(left, right) };
    }
    plain::dot_bytes(left, right)
}

/// The dot products of a query and each of the records, which are `stride` bytes apart, in order.
pub(crate) fn dots(query: &[i16], records: &[u8], stride: usize, sums: &mut [i32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { avx2::dots(query, records, stride, sums) };
    }
    for (record, sum) in records.chunks_exact(stride).zip(sums) {
        *sum = plain::dot(query, &record[..query.len()]);
    }
}

/// The portable version. Compilers vectorise it for targets with vector instructions.
mod plain {
    pub(super) fn dot(query: &[i16], embedding: &[u8]) -> i32 {
        query.iter().zip(embedding).map(|(query, byte)| i32::from(*query) * i32::from(*byte as i8)).sum()
    }

    pub(super) fn dot_bytes(left: &[u8], right: &[u8]) -> i32 {
        left.iter().zip(right).map(|(left, right)| i32::from(*left as i8) * i32::from(*right as i8)).sum()
    }
}

/// 16 products per instruction. The compiler's version of the plain loop uses half of the register width: 17 ns for 256
/// components, where this takes 8.
#[cfg(target_arch = "x86_64")]
#[expect(clippy::cast_ptr_alignment, reason = "these loads take any address")]
mod avx2 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256,
    };

    use super::plain;

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn dot(query: &[i16], embedding: &[u8]) -> i32 {
        let (query_blocks, query_rest) = query.as_chunks::<32>();
        let (blocks, rest) = embedding.as_chunks::<32>();
        let (mut even, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for (query, block) in query_blocks.iter().zip(blocks) {
            let (left, right) = halves(block);
            let query = query.as_ptr().cast::<__m256i>();
            // SAFETY: a block of the query is 64 bytes, two loads of 32.
            let (first, second) = unsafe { (_mm256_loadu_si256(query), _mm256_loadu_si256(query.add(1))) };
            even = _mm256_add_epi32(even, _mm256_madd_epi16(first, left));
            odd = _mm256_add_epi32(odd, _mm256_madd_epi16(second, right));
        }
        sum(_mm256_add_epi32(even, odd)) + plain::dot(query_rest, rest)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn dot_bytes(left: &[u8], right: &[u8]) -> i32 {
        let (left_blocks, left_rest) = left.as_chunks::<32>();
        let (right_blocks, right_rest) = right.as_chunks::<32>();
        let (mut even, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for (left, right) in left_blocks.iter().zip(right_blocks) {
            let (left, right) = (halves(left), halves(right));
            even = _mm256_add_epi32(even, _mm256_madd_epi16(left.0, right.0));
            odd = _mm256_add_epi32(odd, _mm256_madd_epi16(left.1, right.1));
        }
        sum(_mm256_add_epi32(even, odd)) + plain::dot_bytes(left_rest, right_rest)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn dots(query: &[i16], records: &[u8], stride: usize, sums: &mut [i32]) {
        for (record, sum) in records.chunks_exact(stride).zip(sums) {
            *sum = dot(query, &record[..query.len()]);
        }
    }

    /// The 32 components of a block, sign-extended to 16 bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn halves(block: &[u8; 32]) -> (__m256i, __m256i) {
        let block = block.as_ptr().cast::<__m128i>();
        // SAFETY: a block is 32 bytes, two loads of 16.
        let (first, second) = unsafe { (_mm_loadu_si128(block), _mm_loadu_si128(block.add(1))) };
        (_mm256_cvtepi8_epi16(first), _mm256_cvtepi8_epi16(second))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn sum(lanes: __m256i) -> i32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
    }
}

const FACTOR_BYTES: usize = 4;

/// The size of a record in bytes.
pub(crate) fn stride(dimensions: usize) -> usize {
    dimensions + FACTOR_BYTES
}

pub(crate) fn push(records: &mut Vec<u8>, embedding: &Quantised) {
    let squares: i32 = embedding.components().iter().map(|component| i32::from(*component).pow(2)).sum();
    records.extend(embedding.components().iter().map(|component| *component as u8));
    records.extend((1.0 / (squares as f32).sqrt()).to_le_bytes());
}

/// The normalisation factor of a record.
pub(crate) fn factor(record: &[u8]) -> f32 {
    let (_, factor) = record.split_last_chunk::<FACTOR_BYTES>().expect("a record ends with its factor");
    f32::from_le_bytes(*factor)
}

pub(crate) fn components(record: &[u8]) -> &[u8] {
    &record[..record.len() - FACTOR_BYTES]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_sum_does_not_overflow() {
        let most = recall_core::Quantised::MOST_DIMENSIONS;
        for (component, byte) in [(4095_i16, 127_i8), (-4095, 127), (-4095, -127)] {
            let expected = i64::from(component) * i64::from(byte) * most as i64;
            assert_eq!(i64::from(dot(&vec![component; most], &vec![byte as u8; most])), expected);
        }
    }

    proptest! {
        #[test]
        fn avx2_and_plain_code_give_the_same_sum(pairs in prop::collection::vec((-4095_i16..=4095, any::<u8>()), 0..300)) {
            let (query, embedding): (Vec<i16>, Vec<u8>) = pairs.into_iter().unzip();
            let other: Vec<u8> = embedding.iter().rev().copied().collect();
            prop_assert_eq!(dot(&query, &embedding), plain::dot(&query, &embedding));
            prop_assert_eq!(dot_bytes(&other, &embedding), plain::dot_bytes(&other, &embedding));
            if !query.is_empty() {
                let records = [&embedding[..], &[9; 4], &other[..], &[9; 4]].concat();
                let mut sums = [0; 2];
                dots(&query, &records, query.len() + 4, &mut sums);
                prop_assert_eq!(sums, [plain::dot(&query, &embedding), plain::dot(&query, &other)]);
            }
        }
    }
}
