//! What is the sum of products of a query's components and an embedding's?
//!
//! Whole numbers all the way, so that every processor tells the same sum. An embedding's components are bytes in two's
//! complement.

#![expect(
    unsafe_code,
    reason = "instructions that not every processor has are called where they are known to be there"
)]

/// The sum of products of a query with components of at most 12 bits, and an embedding.
///
/// Both have equally many components, at most
/// [`MOST_DIMENSIONS`](recall_core::Quantised::MOST_DIMENSIONS); the sum then fits its type.
pub(crate) fn dot(query: &[i16], embedding: &[u8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { avx2::dot(query, embedding) };
    }
    plain::dot(query, embedding)
}

/// The sum of products of two embeddings.
pub(crate) fn dot_bytes(left: &[u8], right: &[u8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { avx2::dot_bytes(left, right) };
    }
    plain::dot_bytes(left, right)
}

/// The sums of products of a query and each of the records, that stand `stride` bytes apart, in their order.
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

/// What every processor can do. Compilers find vector instructions for it, where the target has them by all means.
mod plain {
    pub(super) fn dot(query: &[i16], embedding: &[u8]) -> i32 {
        query.iter().zip(embedding).map(|(query, byte)| i32::from(*query) * i32::from(*byte as i8)).sum()
    }

    pub(super) fn dot_bytes(left: &[u8], right: &[u8]) -> i32 {
        left.iter().zip(right).map(|(left, right)| i32::from(*left as i8) * i32::from(*right as i8)).sum()
    }
}

/// 16 products an instruction. What compilers make of the plain loop uses half of the registers' width: 17 ns for 256
/// components where this takes 8.
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

    /// The 32 components of a block, widened.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_greatest_sum_fits() {
        let most = recall_core::Quantised::MOST_DIMENSIONS;
        for (component, byte) in [(4095_i16, 127_i8), (-4095, 127), (-4095, -127)] {
            let expected = i64::from(component) * i64::from(byte) * most as i64;
            assert_eq!(i64::from(dot(&vec![component; most], &vec![byte as u8; most])), expected);
        }
    }

    proptest! {
        #[test]
        fn every_processor_tells_the_same_sum(pairs in prop::collection::vec((-4095_i16..=4095, any::<u8>()), 0..300)) {
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
