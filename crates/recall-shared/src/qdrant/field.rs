//! The names of the fields of points.

pub(super) const TENANT: &str = "tenant";
/// The identity of the branch's point.
pub(super) const BRANCH: &str = "branch";
pub(super) const REPOSITORY: &str = "repository";
pub(super) const NAME: &str = "name";
/// The number of the publication: of the last one that began, or of the one that a document belongs to.
pub(super) const TICKET: &str = "ticket";
/// A random number of who has the ticket.
pub(super) const OWNER: &str = "owner";
/// The ticket of the publication that readers see; 0 for none.
pub(super) const COMMITTED: &str = "committed";
pub(super) const GENERATION: &str = "generation";
pub(super) const DIGEST: &str = "digest";
pub(super) const DOCUMENTS: &str = "documents";
pub(super) const OCCURRENCES: &str = "occurrences";
/// The lengths of a chunk's terms, or of a path's.
pub(super) const LENGTHS: &str = "lengths";
/// The sums of the lengths of a document's chunks.
pub(super) const CHUNK_LENGTHS: &str = "chunk_lengths";
/// Whether the branch is its repository's default.
pub(super) const DEFAULT: &str = "default";
pub(super) const PATH: &str = "path";
/// The path and all directories that it is below.
pub(super) const BELOW: &str = "below";
pub(super) const KIND: &str = "kind";
pub(super) const LANGUAGE: &str = "language";
pub(super) const TAGS: &str = "tags";
pub(super) const KEY: &str = "key";
/// The numbers of terms.
pub(super) const KEYS: &str = "keys";
pub(super) const RECORD: &str = "record";
/// The identities of the points of a document's chunks.
pub(super) const CHUNKS: &str = "chunks";
/// The keys of a document's chunks, one after the other.
pub(super) const CHUNK_KEYS: &str = "chunk_keys";
/// Whether a document is staged, live or ended.
pub(super) const STATE: &str = "state";
/// The ticket of the publication that ended a document; 0 for none.
pub(super) const ENDED: &str = "ended";
/// When a document ended, in seconds since 1970.
pub(super) const ENDED_AT: &str = "ended_at";
pub(super) const TEXT: &str = "text";
/// When a publication relied on a chunk or vector, in seconds since 1970.
pub(super) const TOUCHED: &str = "touched";
