//! Default limits, with their reasons. Every limit is a setting.

use std::time::Duration;

/// An answer whose confidence is below this is doubtful: its hits are shown with that mark. Of 318 questions about sixteen
/// repositories, two in a hundred fall below it; of the same questions asked of another repository, seven in ten do.
pub const LOW_CONFIDENCE: f64 = 0.33;

/// The limits that keep one request, file or query from starving the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest query. A pasted log may have some hundred kilobytes.
    pub query_bytes: usize,
    /// How much of a query is searched for; a longer one is [condensed](recall_text::condense()). The longest bug reports and traces that
    /// are pasted fit.
    pub searched_bytes: usize,
    /// The maximum number of hits of one search.
    pub hits: u32,
    /// The maximum number of entries of one listing.
    pub list_entries: u32,
    /// The largest file that is indexed. Larger files are in practice data.
    pub file_bytes: u64,
    /// The largest notebook that is read. Its pictures are left out before its size is compared with `file_bytes`.
    pub notebook_bytes: u64,
    /// The largest chunk, in estimated tokens.
    pub chunk_tokens: u32,
    /// The longest that a filter, a statement or an exact search reads a store.
    pub filter_time: Duration,
    /// The largest part of a file that is parsed at once. Its syntax tree takes about thirty times its size.
    pub parse_bytes: u64,
    /// The longest that one part of a file may be parsed before it is chunked in windows.
    pub parse_time: Duration,
    /// The deepest nesting that the chunker descends into; deeper nodes stay whole.
    pub parse_depth: u32,
    /// The most bytes of file text in flight between reading and the catalog.
    pub ingest_bytes_in_flight: u64,
    /// The time that a search waits for the freshness scan before it answers without it.
    pub scan_wait: Duration,
    /// The shortest time between two scans of a store that is not watched; zero scans before every search.
    pub scan_interval: Duration,
    /// The time that a search waits for the file watcher's events before it scans instead.
    pub watch_wait: Duration,
    /// The maximum number of watched directories of a store. The kernel needs about a kilobyte for each.
    pub watched_directories: u32,
    /// The time after which a watched store is scanned even if no change was reported.
    pub watched_scan_interval: Duration,
    /// The shortest time between two checks of an index's files and of the journals of memories.
    pub look_interval: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            query_bytes: 1024 * 1024,
            searched_bytes: 64 * 1024,
            hits: 50,
            list_entries: 100,
            file_bytes: 16 * 1024 * 1024,
            notebook_bytes: 256 * 1024 * 1024,
            chunk_tokens: 400,
            filter_time: Duration::from_secs(30),
            parse_bytes: 1024 * 1024,
            parse_time: Duration::from_secs(2),
            parse_depth: 400,
            ingest_bytes_in_flight: 32 * 1024 * 1024,
            scan_wait: Duration::from_millis(150),
            scan_interval: Duration::ZERO,
            watch_wait: Duration::from_millis(50),
            watched_directories: 50_000,
            watched_scan_interval: Duration::from_mins(1),
            look_interval: Duration::from_secs(1),
        }
    }
}
