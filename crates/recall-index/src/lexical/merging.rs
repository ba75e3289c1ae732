//! Merge policies.

use tantivy::SegmentMeta;
use tantivy::indexer::{LogMergePolicy, MergeCandidate, MergePolicy};

/// Segments below this size are small: rewriting one takes a few milliseconds.
const SMALL_CHUNKS: u32 = 2_000;

/// The number of segments merged into one. Every search looks up every word in each segment.
const MERGE_FACTOR: usize = 4;

/// Segments below this size form one level while commits follow each other.
const TINY_CHUNKS: u32 = 64;

/// The share of removed entries from which a segment is rewritten. Otherwise a large segment would keep them for ever.
const MAX_REMOVED_SHARE: f32 = 0.25;

/// A policy that keeps the number of segments small.
///
/// Segments of similar size are merged, four at a time. Each level is four times the size of the one below, and all
/// small segments form one level. A commit of one file thereby rewrites a few thousand chunks at most, and 100,000
/// chunks are at most a dozen segments.
pub(crate) fn default_policy() -> LogMergePolicy {
    by_size(SMALL_CHUNKS)
}

/// A policy that keeps the number of merges small while commits follow each other. It merges small segments by size
/// too.
///
/// Merging all small segments at every third commit would write each chunk ten times or more before it is in a large
/// segment. With this policy it is written three times. At most nine small segments remain until [`default_policy`] merges them.
#[derive(Debug)]
pub(crate) struct BurstPolicy {
    small: LogMergePolicy,
    large: LogMergePolicy,
}

impl Default for BurstPolicy {
    fn default() -> Self {
        Self { small: by_size(TINY_CHUNKS), large: default_policy() }
    }
}

impl MergePolicy for BurstPolicy {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let (small, large): (Vec<_>, Vec<_>) =
            segments.iter().cloned().partition(|segment| segment.num_docs() < SMALL_CHUNKS);
        let mut candidates = self.small.compute_merge_candidates(&small);
        candidates.extend(self.large.compute_merge_candidates(&large));
        candidates
    }
}

/// Merges the segments of a level. Each level is four times the size of the one below, and all segments below `least`
/// form one level.
fn by_size(least: u32) -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGE_FACTOR);
    policy.set_min_layer_size(least);
    policy.set_level_log_size((MERGE_FACTOR as f64).log2());
    policy.set_del_docs_ratio_before_merge(MAX_REMOVED_SHARE);
    policy
}
