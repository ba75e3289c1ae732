//! Division of texts into batches.

use std::ops::Range;

use crate::manifest::Batching;

/// The largest share of padding in a batch. A text that would exceed it begins the next batch.
const MOST_PADDING: f64 = 0.125;

/// Divides texts, sorted by token count, into consecutive batches.
///
/// A batch has at most `most_tokens` tokens, including padding, unless it is a single longer text.
pub(crate) fn batches(lengths: &[usize], most_tokens: usize, batching: Batching) -> Vec<Range<usize>> {
    debug_assert!(lengths.is_sorted(), "texts are sorted by length");
    let mut batches = Vec::new();
    let (mut begin, mut tokens) = (0, 0);
    for (at, length) in lengths.iter().enumerate() {
        let padded = (at + 1 - begin) * length;
        let padding = padded - (tokens + length);
        let fits =
            batching == Batching::Together && padded <= most_tokens && padding as f64 <= MOST_PADDING * padded as f64;
        if !fits && at > begin {
            batches.push(begin..at);
            (begin, tokens) = (at, 0);
        }
        tokens += length;
    }
    if begin < lengths.len() {
        batches.push(begin..lengths.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_batch_ends_before_too_many_tokens_or_too_much_padding() {
        let sizes = |lengths: &[usize], most_tokens, batching| -> Vec<usize> {
            batches(lengths, most_tokens, batching).iter().map(ExactSizeIterator::len).collect()
        };
        for (lengths, most_tokens, expected) in [
            (&[][..], 10, &[][..]),
            (&[5, 5, 5], 10, &[2, 1]),
            (&[2, 2, 9, 9], 100, &[2, 2]),
            (&[90], 10, &[1]),
            (&[0, 0, 3], 10, &[2, 1]),
        ] {
            assert_eq!(sizes(lengths, most_tokens, Batching::Together), expected, "{lengths:?}");
        }
        assert_eq!(sizes(&[5, 5], 10, Batching::Alone), [1, 1]);
    }

    proptest! {
        #[test]
        fn every_text_is_in_one_batch_within_the_limits(
            mut lengths in prop::collection::vec(0_usize..300, 0..100), most_tokens in 1_usize..2000
        ) {
            lengths.sort_unstable();
            let batches = batches(&lengths, most_tokens, Batching::Together);
            let texts: Vec<usize> = batches.iter().cloned().flatten().collect();
            prop_assert_eq!(texts, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                let lengths = &lengths[batch];
                let padded = lengths.len() * lengths.last().copied().unwrap_or(0);
                prop_assert!(lengths.len() == 1 || padded <= most_tokens);
                let padding = padded - lengths.iter().sum::<usize>();
                prop_assert!(lengths.len() == 1 || padding as f64 <= MOST_PADDING * padded as f64);
            }
        }
    }
}
