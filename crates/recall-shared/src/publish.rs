//! Publication of a branch: what the store lacks is sent, then the branch's documents are replaced as a whole.
//!
//! ```text
//! branch (digest equal? done) ─► begin ─► manifest (what differs) ─► chunks, then documents, 64 at a time ─► commit ─► collect
//! ```
//!
//! Everything has the hash of its content as its key, so every request may be repeated, branches share chunks, and a killed
//! publication continues where it was: the store is the outbox (ADR 42). A queue on this machine would be lost with the disk of a
//! build server. Documents are staged and invisible; the commit swaps them all. Of two publications of a branch, the later one wins,
//! and the earlier fails with its next request.

use std::time::{Duration, Instant};

use crate::guarded::attempt_until;
use crate::{Branch, BranchState, ChunkRecord, DocumentRecord, Key, Manifest, Model, SharedStore, StoreError};

/// The documents of a branch on this machine.
pub trait Source {
    /// Why it cannot be read.
    type Error;

    /// The documents, by path, with the identities of their contents.
    fn manifest(&self) -> &Manifest;

    /// Reads documents. One that is gone meanwhile is left out. The chunks of each are in the order of the document's.
    fn read(&self, paths: &[String]) -> Result<Vec<(DocumentRecord, Vec<ChunkRecord>)>, Self::Error>;

    /// Embeds chunks: sets the vector of each.
    fn embed(&self, chunks: &mut [ChunkRecord]) -> Result<(), Self::Error>;

    /// Reports that `done` of `all` changed documents are stored. Returns whether to go on.
    fn report(&self, done: u64, all: u64) -> bool;
}

/// What a publication did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The generation that readers see.
    pub generation: u64,
    /// The number of documents of the branch.
    pub documents: u64,
    /// How many of them were sent.
    pub sent_documents: u64,
    /// How many documents were removed.
    pub removed_documents: u64,
    /// How many chunks were embedded and sent.
    pub sent_chunks: u64,
    /// How many chunks of the sent documents the store already had.
    pub known_chunks: u64,
}

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError<E: std::error::Error + 'static> {
    /// The store did not do what was asked, after the retries.
    #[error("the store failed")]
    Store(#[source] StoreError),
    /// The documents cannot be read.
    #[error("the documents cannot be read")]
    Source(#[source] E),
    /// The caller cancelled it.
    #[error("the publication was cancelled")]
    Cancelled,
}

/// How a branch on the server differs from the documents here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Paths that the server lacks, or whose chunks are not all there.
    pub missing: Vec<String>,
    /// Paths whose content differs.
    pub different: Vec<String>,
    /// Paths that only the server has.
    pub extra: Vec<String>,
}

impl Difference {
    /// Whether both are equal.
    pub fn is_empty(&self) -> bool {
        let Self { missing, different, extra } = self;
        missing.is_empty() && different.is_empty() && extra.is_empty()
    }

    fn new(here: &Manifest, there: &Manifest) -> Self {
        let mut difference = Self::default();
        for (path, key) in here {
            match there.get(path) {
                None => difference.missing.push(path.clone()),
                Some(known) if known != key => difference.different.push(path.clone()),
                Some(_) => {}
            }
        }
        difference.extra = there.keys().filter(|path| !here.contains_key(*path)).cloned().collect();
        difference
    }
}

/// How many documents are read and sent at a time.
const DOCUMENTS_AT_ONCE: usize = 64;

/// How often a call is repeated if the server cannot be reached, and the first pause. Together about half a minute, in which a
/// standby is promoted.
const ATTEMPTS: u32 = 9;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How often a publication starts over if the server lost a part of it, as after the failure of a primary whose standby was behind.
const RESTARTS: u32 = 3;

/// Publishes a branch. The documents that readers see change at the end, all at once.
///
/// An interrupted publication leaves nothing that readers see; the next one finds the chunks that were sent. An unchanged branch costs
/// one request.
pub fn publish<S: Source>(
    store: &dyn SharedStore,
    branch: &Branch,
    model: Option<&Model>,
    source: &S,
) -> Result<Outcome, PublishError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let digest = digest(source.manifest(), model);
    let known = patiently(store, || match store.branch(branch) {
        Err(StoreError::Empty) => Ok(None),
        found => found,
    })
    .map_err(PublishError::Store)?;
    if let Some(state) = known.filter(|state| state.digest == digest) {
        let BranchState { generation, documents, .. } = state;
        return Ok(Outcome { generation, documents, ..Outcome::default() });
    }
    replace(store, branch, model, source, digest)
}

/// Compares a branch on the server with the documents here, and repairs it if they differ. Returns what differed and, if it was
/// repaired, the publication.
pub fn verify<S: Source>(
    store: &dyn SharedStore,
    branch: &Branch,
    model: Option<&Model>,
    source: &S,
) -> Result<(Difference, Option<Outcome>), PublishError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let there = patiently(store, || match store.manifest(branch) {
        Err(StoreError::Empty) => Ok(Manifest::new()),
        found => found,
    });
    let difference = Difference::new(source.manifest(), &there.map_err(PublishError::Store)?);
    if difference.is_empty() {
        return Ok((difference, None));
    }
    let outcome = replace(store, branch, model, source, digest(source.manifest(), model))?;
    Ok((difference, Some(outcome)))
}

fn replace<S: Source>(
    store: &dyn SharedStore,
    branch: &Branch,
    model: Option<&Model>,
    source: &S,
    digest: [u8; 32],
) -> Result<Outcome, PublishError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    for _ in 0..RESTARTS {
        match attempt(store, branch, model, source, digest) {
            Err(PublishError::Store(StoreError::Lost { lost, sent })) => {
                tracing::warn!(lost, sent, "the server lost a part of the publication, which starts over");
            }
            done => return done,
        }
    }
    attempt(store, branch, model, source, digest)
}

fn attempt<S: Source>(
    store: &dyn SharedStore,
    branch: &Branch,
    model: Option<&Model>,
    source: &S,
    digest: [u8; 32],
) -> Result<Outcome, PublishError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let publication = patiently(store, || store.begin(branch, model)).map_err(PublishError::Store)?;
    let there = patiently(store, || store.manifest(branch)).map_err(PublishError::Store)?;
    let difference = Difference::new(source.manifest(), &there);
    let Difference { missing, different, extra } = difference;
    let changed: Vec<String> = missing.into_iter().chain(different).collect();
    let mut outcome = Outcome {
        documents: source.manifest().len() as u64,
        removed_documents: extra.len() as u64,
        ..Outcome::default()
    };
    for paths in changed.chunks(DOCUMENTS_AT_ONCE) {
        if !source.report(outcome.sent_documents, changed.len() as u64) {
            return Err(PublishError::Cancelled);
        }
        let read = source.read(paths).map_err(PublishError::Source)?;
        let (documents, chunks): (Vec<DocumentRecord>, Vec<Vec<ChunkRecord>>) = read.into_iter().unzip();
        // The chunks first: a document must not refer to chunks that are not there.
        send(store, model, source, chunks.into_iter().flatten().collect(), &mut outcome)?;
        patiently(store, || store.put_documents(&publication, &documents)).map_err(PublishError::Store)?;
        outcome.sent_documents += documents.len() as u64;
    }
    outcome.generation = publication.base + 1;
    let state = BranchState { generation: outcome.generation, digest, documents: outcome.documents };
    patiently(store, || store.commit(&publication, outcome.sent_documents, &extra, &state))
        .map_err(PublishError::Store)?;
    if let Err(error) = store.collect() {
        tracing::warn!(%error, "the space of replaced documents is freed by a later publication");
    }
    Ok(outcome)
}

/// Sends the chunks that the store lacks.
fn send<S: Source>(
    store: &dyn SharedStore,
    model: Option<&Model>,
    source: &S,
    mut chunks: Vec<ChunkRecord>,
    outcome: &mut Outcome,
) -> Result<(), PublishError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    chunks.sort_by_key(|chunk| chunk.key);
    chunks.dedup_by_key(|chunk| chunk.key);
    let keys: Vec<Key> = chunks.iter().map(|chunk| chunk.key).collect();
    let is_missing = patiently(store, || store.missing(&keys, model)).map_err(PublishError::Store)?;
    let known = chunks.len() as u64;
    let mut is_missing = is_missing.into_iter();
    chunks.retain(|_| is_missing.next().unwrap_or(true));
    if model.is_some() {
        // After the question what is missing, since embedding is the expensive part.
        source.embed(&mut chunks).map_err(PublishError::Source)?;
    }
    patiently(store, || store.put_chunks(&chunks, model)).map_err(PublishError::Store)?;
    outcome.known_chunks += known - chunks.len() as u64;
    outcome.sent_chunks += chunks.len() as u64;
    Ok(())
}

/// Repeats a call while the server cannot be reached, with growing pauses, until the deadline of the store's publications is over.
fn patiently<T>(store: &dyn SharedStore, call: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    // A deadline beyond the range of the clock is none.
    repeat_until(Instant::now().checked_add(store.publish_deadline()), call)
}

fn repeat_until<T>(end: Option<Instant>, call: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut pause = FIRST_PAUSE;
    for _ in 1..ATTEMPTS {
        match attempt_until(end, &call) {
            Err(error) if error.may_pass() => {
                let asked = match error {
                    StoreError::Overloaded { after, .. } => after.min(LONGEST_PAUSE),
                    _ => Duration::ZERO,
                };
                let wait = pause.mul_f64(0.5 + fastrand::f64() / 2.0).max(asked);
                if end.is_some_and(|end| Instant::now() + wait >= end) {
                    return Err(error);
                }
                tracing::info!(%error, "the request to the shared store is repeated");
                std::thread::sleep(wait);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            done => return done,
        }
    }
    attempt_until(end, call)
}

/// The digest of a manifest and the model of its vectors.
fn digest(manifest: &Manifest, model: Option<&Model>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for (path, key) in manifest {
        hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes()).update(&key.0);
    }
    hasher.update(model.map_or("", |model| &model.fingerprint).as_bytes());
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_request_is_not_repeated_after_its_deadline() {
        let attempts = Cell::new(0);
        let silent = || {
            attempts.set(attempts.get() + 1);
            Err::<(), _>(StoreError::Late { waited: Duration::from_secs(6) })
        };
        assert!(repeat_until(Some(Instant::now()), silent).is_err());
        assert_eq!(attempts.get(), 1);
    }
}
