//! Negotiation of the protocol revision.

use std::ops::RangeInclusive;

/// The revisions of `recall.v1` that this build supports.
///
/// The upper end is raised when a client needs something that an older daemon lacks, the lower end when an old client
/// would receive wrong answers. New messages and fields alone change neither.
pub const PROTOCOLS: RangeInclusive<u32> = 1..=1;

/// Returns the newest revision in both ranges; `None` if they do not overlap.
pub fn newest_common(one: &RangeInclusive<u32>, other: &RangeInclusive<u32>) -> Option<u32> {
    let newest = *one.end().min(other.end());
    (one.contains(&newest) && other.contains(&newest)).then_some(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_revision_is_chosen() {
        for (one, other, expected) in [
            (1..=1, 1..=1, Some(1)),
            (1..=3, 2..=5, Some(3)),
            (2..=5, 1..=3, Some(3)),
            (1..=1, 2..=3, None),
            (4..=5, 2..=3, None),
            (RangeInclusive::new(3, 1), 1..=5, None),
        ] {
            assert_eq!(newest_common(&one, &other), expected, "{one:?} and {other:?}");
        }
    }
}
