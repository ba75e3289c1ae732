//! A cache of the signatures of a store's texts.
//!
//! A row and its text never change, so what was read of one generation holds for the next: only the signatures of new rows are
//! read. A store whose signatures are larger than the cache may be reads them from the catalog in each search.

use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::{DocumentRow, Generation};
use recall_index::catalog::{ReadError, Snapshot};
use recall_index::lexical::exact::Pattern;
use recall_text::TextSignature;

/// The most bytes of signatures that are cached of a store: those of half a million chunks.
const MOST_BYTES: usize = 64 << 20;

/// The signatures of the generation that was read last.
#[derive(Default)]
pub(crate) struct SignatureCache(Mutex<Cached>);

#[derive(Clone, Default)]
enum Cached {
    #[default]
    Nothing,
    Signatures(Arc<Signatures>),
    /// They are too large.
    TooLarge,
}

#[derive(Debug, Default)]
struct Signatures {
    generation: Generation,
    /// Ascending by row.
    all: Vec<(DocumentRow, Arc<TextSignature>)>,
}

impl SignatureCache {
    /// Returns the documents of a snapshot of its store whose texts may match a pattern, ascending. Every text that matches is among
    /// them.
    pub(crate) fn may_match(&self, snapshot: &Snapshot<'_>, pattern: &Pattern) -> Result<Vec<DocumentRow>, ReadError> {
        self.may_match_within(snapshot, pattern, MOST_BYTES)
    }

    fn may_match_within(
        &self,
        snapshot: &Snapshot<'_>,
        pattern: &Pattern,
        most_bytes: usize,
    ) -> Result<Vec<DocumentRow>, ReadError> {
        if !pattern.is_selective() {
            return snapshot.document_rows();
        }
        let Some(signatures) = self.signatures(snapshot, most_bytes)? else { return stream(snapshot, pattern) };
        let matching = signatures.all.iter().filter(|(_, signature)| pattern.may_match(signature));
        Ok(matching.map(|(row, _)| *row).collect())
    }

    /// Returns the signatures of a snapshot; `None` if they are too large for the cache.
    fn signatures(&self, snapshot: &Snapshot<'_>, most_bytes: usize) -> Result<Option<Arc<Signatures>>, ReadError> {
        let before = match self.0.lock().clone() {
            Cached::TooLarge => return Ok(None),
            Cached::Signatures(known) if known.generation == snapshot.generation() => return Ok(Some(known)),
            Cached::Signatures(known) => known,
            Cached::Nothing => Arc::default(),
        };
        let Some(read) = before.read_again(snapshot, most_bytes)?.map(Arc::new) else {
            *self.0.lock() = Cached::TooLarge;
            return Ok(None);
        };
        let mut cached = self.0.lock();
        if !matches!(&*cached, Cached::Signatures(newer) if newer.generation > read.generation) {
            *cached = Cached::Signatures(Arc::clone(&read));
        }
        Ok(Some(read))
    }
}

impl Signatures {
    /// Returns the signatures of another generation; `None` if they are larger than `most_bytes`.
    fn read_again(&self, snapshot: &Snapshot<'_>, most_bytes: usize) -> Result<Option<Self>, ReadError> {
        let rows = snapshot.document_rows()?;
        let is_there = |(row, _): &&(DocumentRow, _)| rows.binary_search(row).is_ok();
        let mut all: Vec<_> = self.all.iter().filter(is_there).cloned().collect();
        let mut bytes: usize = all.iter().map(|(_, signature)| signature.as_bytes().len()).sum();
        let last = self.all.last().map_or(DocumentRow(0), |(row, _)| *row);
        snapshot.signatures_after(last, |row, signature| {
            bytes += signature.as_bytes().len();
            // What is too large is not gathered.
            if bytes <= most_bytes {
                all.push((row, Arc::new(signature)));
            }
        })?;
        if bytes > most_bytes {
            return Ok(None);
        }
        // An older version stored no signatures, and a snapshot may be older than the cache.
        for row in without_signature(&rows, &all) {
            let signature = TextSignature::compute(&snapshot.text(row)?.unwrap_or_default());
            bytes += signature.as_bytes().len();
            if bytes > most_bytes {
                return Ok(None);
            }
            all.push((row, Arc::new(signature)));
        }
        all.sort_unstable_by_key(|(row, _)| *row);
        Ok(Some(Self { generation: snapshot.generation(), all }))
    }
}

/// Returns the rows that have no signature among these, which are ascending.
fn without_signature<S>(rows: &[DocumentRow], signatures: &[(DocumentRow, S)]) -> Vec<DocumentRow> {
    let has_none = |row: &&DocumentRow| signatures.binary_search_by_key(*row, |(row, _)| *row).is_err();
    rows.iter().filter(has_none).copied().collect()
}

/// The same without a cache. A document without a signature may match.
fn stream(snapshot: &Snapshot<'_>, pattern: &Pattern) -> Result<Vec<DocumentRow>, ReadError> {
    let mut read = Vec::new();
    snapshot.signatures_after(DocumentRow(0), |row, signature| read.push((row, pattern.may_match(&signature))))?;
    let mut rows = without_signature(&snapshot.document_rows()?, &read);
    rows.extend(read.iter().filter(|(_, may_match)| *may_match).map(|(row, _)| *row));
    rows.sort_unstable();
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall_core::{Case, ContentHash, Document, DocumentId, DocumentType, ParseOutcome, ParsedDocument, Timestamp};
    use recall_index::catalog::{Catalog, DocumentRecord};
    use recall_text::{DocPath, FileKind};

    fn insert(catalog: &Catalog, texts: &[(&str, &str)]) {
        let mut writer = catalog.writer().expect("no other writer");
        let mut transaction = writer.begin().expect("no other writer");
        for (path, text) in texts {
            let path = DocPath::new(path).expect("a path");
            let document = Document {
                id: DocumentId::from_path(&path),
                path,
                memory: None,
                document_type: DocumentType::Code,
                title: String::new(),
                language: None,
                hash: ContentHash([0; 32]),
                size_bytes: text.len() as u64,
                modified: Timestamp(1),
                file_kind: FileKind::Main,
                tags: Vec::new(),
                source: None,
            };
            let parsed = ParsedDocument {
                title: None,
                tags: Vec::new(),
                chunks: Vec::new(),
                symbols: Vec::new(),
                edges: Vec::new(),
                outcome: ParseOutcome::NoParser,
            };
            let record = DocumentRecord { document: &document, text, parsed: &parsed, indexed: Timestamp(1) };
            transaction.insert(&record).expect("there is space");
        }
        transaction.commit().expect("there is space");
    }

    fn paths(cache: &SignatureCache, snapshot: &Snapshot<'_>, literal: &str, most_bytes: usize) -> Vec<String> {
        let pattern = Pattern::literal(literal, Case::Sensitive).expect("a literal");
        let rows = cache.may_match_within(snapshot, &pattern, most_bytes).expect("readable");
        let path = |row| snapshot.document_with_run(row).expect("readable").expect("it is there").0.document.path;
        rows.into_iter().map(|row| path(row).to_string()).collect()
    }

    #[test]
    fn changes_are_seen_with_and_without_the_cache_and_by_older_snapshots() {
        let folder = tempfile::tempdir().expect("a folder");
        let catalog = Catalog::open(&folder.path().join("catalog.db")).expect("an empty folder");
        let (cache, none) = (SignatureCache::default(), SignatureCache::default());
        let check = |snapshot: &Snapshot<'_>, literal: &str, expected: &[&str]| {
            assert_eq!(paths(&cache, snapshot, literal, MOST_BYTES), expected, "{literal}");
            assert_eq!(paths(&none, snapshot, literal, 0), expected, "{literal}, without a cache");
        };
        insert(&catalog, &[("a", "the first alpha"), ("b", "the second beta"), ("c", "gamma")]);
        let first = catalog.snapshot().expect("readable");
        check(&first, "alpha", &["a"]);
        check(&first, "the ", &["a", "b"]);
        check(&first, "delta", &[]);
        check(&first, "a", &["a", "b", "c"]);
        insert(&catalog, &[("a", "delta"), ("d", "another alpha")]);
        let second = catalog.snapshot().expect("readable");
        check(&second, "alpha", &["d"]);
        check(&second, "delta", &["a"]);
        check(&second, "gamma", &["c"]);
        check(&first, "alpha", &["a"]);
        check(&second, "alpha", &["d"]);
    }
}
