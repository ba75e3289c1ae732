//! Which segments are merged, in the background?

use tantivy::SegmentMeta;
use tantivy::indexer::{LogMergePolicy, MergeCandidate, MergePolicy};

/// Below so many chunks a segment is small: to rewrite it takes some milliseconds.
const SMALL_CHUNKS: u32 = 2_000;

/// How many segments of like size are merged into one. Every search looks up every word in each.
const AT_A_TIME: usize = 4;

/// Below so many chunks, segments that are made while commits follow each other are of like size.
const TINY_CHUNKS: u32 = 64;

/// Which share of a segment may be removed before it is rewritten; else its dead weight would stay for ever.
const MOST_REMOVED: f32 = 0.25;

/// Keeps the segments few.
///
/// Segments of like size are merged, four at a time, where a level is four times the size of the one below and everything
/// small is one level: a commit of one file rewrites a few thousand chunks at most, and 100,000 chunks are at most a dozen
/// segments.
pub(crate) fn few() -> LogMergePolicy {
    by_size(SMALL_CHUNKS)
}

/// Keeps the merges few while commits follow each other: small segments are merged by their size too.
///
/// To merge all small segments at every third commit would write each chunk ten times and more before it is in a segment that
/// is not small; so it is written three times. There are nine small segments at most, until [`few`] merges them.
#[derive(Debug)]
pub(crate) struct Between {
    small: LogMergePolicy,
    large: LogMergePolicy,
}

impl Default for Between {
    fn default() -> Self {
        Self { small: by_size(TINY_CHUNKS), large: few() }
    }
}

impl MergePolicy for Between {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let (small, large): (Vec<_>, Vec<_>) =
            segments.iter().cloned().partition(|segment| segment.num_docs() < SMALL_CHUNKS);
        let mut candidates = self.small.compute_merge_candidates(&small);
        candidates.extend(self.large.compute_merge_candidates(&large));
        candidates
    }
}

/// Merges the segments of a level, where a level is four times the size of the one below, and everything under some size is
/// one level.
fn by_size(least: u32) -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(AT_A_TIME);
    policy.set_min_layer_size(least);
    policy.set_level_log_size((AT_A_TIME as f64).log2());
    policy.set_del_docs_ratio_before_merge(MOST_REMOVED);
    policy
}
