//! A model test of the catalog against a map.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use recall_core::{ChunkId, ChunkRow, DocumentId, DocumentRow, Timestamp};
use recall_index::catalog::{Catalog, FailureKind, FileFailure, OwnedRecord, StoredChunk};

use crate::sample::{Sample, any_sample, path};

const PATHS: [&str; 4] = ["README.md", "src/lib.rs", "src/ä b.rs", "z"];

const KINDS: [FailureKind; 3] = [FailureKind::Skipped, FailureKind::Failed, FailureKind::Repository];

#[derive(Clone, Debug)]
enum Change {
    Insert(Box<Sample>),
    Remove(&'static str),
    Touch(&'static str, u64, i64),
    Fail(FileFailure),
    ClearFailure(&'static str),
}

#[derive(Clone, Copy, Debug)]
enum End {
    Commit,
    Rollback,
    /// The process is killed, and another opens the file.
    Crash,
    /// The catalog is forked. The test continues with the fork, or with the source.
    Fork {
        continues: bool,
    },
    Compact,
}

fn any_change() -> impl Strategy<Value = Change> {
    let place = || proptest::sample::select(&PATHS);
    let kind = proptest::sample::select(&KINDS);
    prop_oneof![
        4 => place().prop_flat_map(any_sample).prop_map(|sample| Change::Insert(Box::new(sample))),
        2 => place().prop_map(Change::Remove),
        1 => (place(), any::<u64>(), any::<i64>()).prop_map(|(at, size, time)| Change::Touch(at, size, time)),
        1 => (place(), kind, ".{0,9}", any::<u64>(), any::<i64>()).prop_map(|(at, kind, reason, size_bytes, time)| {
            Change::Fail(FileFailure { path: at.to_owned(), kind, reason, size_bytes, modified: Timestamp(time) })
        }),
        1 => place().prop_map(Change::ClearFailure),
    ]
}

fn any_end() -> impl Strategy<Value = End> {
    prop_oneof![
        4 => Just(End::Commit),
        1 => Just(End::Rollback),
        1 => Just(End::Crash),
        2 => any::<bool>().prop_map(|continues| End::Fork { continues }),
        1 => Just(End::Compact),
    ]
}

/// A document with its rows.
#[derive(Clone, Debug)]
struct Placed {
    sample: Sample,
    row: DocumentRow,
    first_chunk: ChunkRow,
    created: Timestamp,
}

/// The expected contents of the catalog.
#[derive(Clone, Debug, Default)]
struct Model {
    documents: BTreeMap<&'static str, Placed>,
    failures: BTreeMap<String, FileFailure>,
    generation: u64,
}

impl Model {
    /// Returns the contents of a fork.
    fn forked(mut self) -> Self {
        let documents = self.documents.values_mut().map(|placed| &mut placed.sample.document.modified);
        for modified in documents.chain(self.failures.values_mut().map(|failure| &mut failure.modified)) {
            modified.0 = modified.0.saturating_sub(1);
        }
        self
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_catalog_behaves_like_a_map(
        transactions in vec((vec(any_change(), 0..6), any_end()), 1..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut file = folder.path().join("catalog.db");
        let mut catalog = Catalog::open(&file).unwrap();
        let mut model = Model::default();
        let mut rows_used = BTreeSet::new();
        for (time, (changes, end)) in (1..).zip(transactions) {
            let mut next = model.clone();
            let mut next_rows = rows_used.clone();
            let mut changed = false;
            let mut writer = catalog.writer().unwrap();
            let mut transaction = writer.begin().unwrap();
            for change in changes {
                changed |= apply(&mut transaction, &mut next, &mut next_rows, change, Timestamp(time));
            }
            match end {
                End::Commit => {
                    next.generation += u64::from(changed);
                    prop_assert_eq!(transaction.commit().unwrap().0, next.generation);
                    drop(writer);
                    (model, rows_used) = (next, next_rows);
                }
                End::Rollback => drop(transaction),
                End::Crash => {
                    drop(transaction);
                    drop(writer);
                    drop(catalog);
                    catalog = Catalog::open(&file).unwrap();
                }
                End::Fork { continues } => {
                    drop(transaction);
                    drop(writer);
                    let fork = folder.path().join(time.to_string()).join("catalog.db");
                    fs::create_dir(fork.parent().unwrap()).unwrap();
                    catalog.fork(&fork).unwrap();
                    let forked = Catalog::open(&fork).unwrap();
                    forked.adopt_base().unwrap();
                    if continues {
                        // Changes of one are not seen by the other.
                        let source = std::mem::replace(&mut catalog, forked);
                        let mut writer = source.writer().unwrap();
                        let mut transaction = writer.begin().unwrap();
                        for at in PATHS {
                            transaction.remove(&path(at)).unwrap();
                        }
                        transaction.commit().unwrap();
                        file = fork;
                        model = model.forked();
                    } else {
                        compare(&forked, &model.clone().forked(), &rows_used);
                        prop_assert_eq!(forked.check().unwrap(), []);
                        drop(catalog);
                        catalog = Catalog::open(&file).unwrap();
                        catalog.adopt_base().unwrap();
                    }
                }
                End::Compact => {
                    drop(transaction);
                    drop(writer);
                    catalog.compact().unwrap();
                }
            }
            compare(&catalog, &model, &rows_used);
        }
        prop_assert_eq!(catalog.check().unwrap(), []);
    }
}

/// Applies a change to both. Returns whether a document was stored or removed.
fn apply(
    transaction: &mut recall_index::catalog::Transaction<'_>,
    model: &mut Model,
    rows_used: &mut BTreeSet<ChunkRow>,
    change: Change,
    now: Timestamp,
) -> bool {
    match change {
        Change::Insert(sample) => {
            let at = PATHS.into_iter().find(|&at| sample.document.path.as_str() == at).unwrap();
            let inserted = transaction.insert(&sample.record(now)).unwrap();
            let old = model.documents.get(at);
            assert_eq!(inserted.replaced, old.map(|old| old.row));
            let created = old.map_or(now, |old| old.created);
            for place in 0..sample.parsed.chunks.len() as i64 {
                let row = ChunkRow(inserted.first_chunk.0 + place);
                let highest = rows_used.last().copied();
                assert!(highest.is_none_or(|highest| highest < row) || place > 0, "{row:?} was used before");
                rows_used.insert(row);
            }
            let placed = Placed { sample: *sample, row: inserted.document, first_chunk: inserted.first_chunk, created };
            model.documents.insert(at, placed);
            model.failures.remove(at);
            true
        }
        Change::Remove(at) => {
            let removed = model.documents.remove(at).map(|old| old.row);
            assert_eq!(transaction.remove(&path(at)).unwrap(), removed);
            removed.is_some()
        }
        Change::Touch(at, size_bytes, time) => {
            let touched = model.documents.get_mut(at).map(|old| {
                old.sample.document.size_bytes = size_bytes;
                old.sample.document.modified = Timestamp(time);
                old.row
            });
            assert_eq!(transaction.touch(&path(at), size_bytes, Timestamp(time)).unwrap(), touched);
            false
        }
        Change::Fail(failure) => {
            let removed = model.documents.remove(failure.path.as_str()).map(|old| old.row);
            assert_eq!(transaction.record_failure(&failure).unwrap(), removed);
            model.failures.insert(failure.path.clone(), failure);
            removed.is_some()
        }
        Change::ClearFailure(at) => {
            assert_eq!(transaction.clear_failure(at).unwrap(), model.failures.remove(at).is_some());
            false
        }
    }
}

fn compare(catalog: &Catalog, model: &Model, rows_used: &BTreeSet<ChunkRow>) {
    let snapshot = catalog.snapshot().unwrap();
    assert_eq!(snapshot.generation().0, model.generation);

    let mut live = BTreeMap::new();
    for placed in model.documents.values() {
        let Placed { sample, row, first_chunk, created } = placed;
        let id = DocumentId::from_path(&sample.document.path);
        let stored = snapshot.document(id).unwrap().unwrap();
        assert_eq!((stored.row, &stored.document, stored.created), (*row, &sample.document, *created));
        assert_eq!(stored.chunk_count as usize, sample.parsed.chunks.len());
        assert_eq!(snapshot.document_at(&sample.document.path).unwrap().as_ref(), Some(&stored));
        assert_eq!(snapshot.text(*row).unwrap().as_deref(), Some(&*sample.text));
        assert_eq!(snapshot.chunks_of(*row).unwrap(), sample.parsed.chunks);
        assert_eq!(snapshot.symbols_of(*row).unwrap(), sample.parsed.symbols);
        assert_eq!(snapshot.edges_of(*row).unwrap(), sample.parsed.edges);
        for (chunk, text) in sample.parsed.chunks.iter().zip(sample.chunk_texts()) {
            let chunk_row = ChunkRow(first_chunk.0 + i64::from(chunk.ordinal));
            let id = ChunkId { document: id, ordinal: chunk.ordinal };
            let hit = StoredChunk {
                id,
                row: chunk_row,
                document: stored.clone(),
                chunk: chunk.clone(),
                text: text.to_owned(),
            };
            assert_eq!(snapshot.chunk(id).unwrap().as_ref(), Some(&hit));
            live.insert(chunk_row, hit);
        }
        let after_last = ChunkId { document: id, ordinal: sample.parsed.chunks.len() as u32 };
        assert_eq!(snapshot.chunk(after_last).unwrap(), None);
    }

    // Every row ever returned has the same chunk or is removed.
    let requested: Vec<ChunkRow> = rows_used.iter().rev().copied().collect();
    let expected: Vec<_> = requested.iter().map(|row| live.get(row).cloned()).collect();
    assert_eq!(snapshot.hits(&requested).unwrap(), expected);

    let mut by_row: Vec<&Placed> = model.documents.values().collect();
    by_row.sort_by_key(|placed| placed.row);
    let records: Vec<OwnedRecord> = by_row.iter().map(|placed| record(placed)).collect();
    assert_eq!(snapshot.records_after(DocumentRow(0), usize::MAX).unwrap(), records);
    if let [first, rest @ ..] = &*records {
        assert_eq!(snapshot.records_after(first.row, 1).unwrap(), rest[..rest.len().min(1)]);
    }

    let mut failures: Vec<FileFailure> = model.failures.values().cloned().collect();
    failures.sort_by_key(|failure| failure.kind.as_str());
    assert_eq!(snapshot.failures(usize::MAX).unwrap(), failures);
    for kind in KINDS {
        let count = failures.iter().filter(|failure| failure.kind == kind).count();
        assert_eq!(snapshot.failure_count(kind).unwrap(), count as u64);
    }
    compare_totals(&snapshot, model);
}

fn compare_totals(snapshot: &recall_index::catalog::Snapshot<'_>, model: &Model) {
    let mut known = Vec::new();
    snapshot
        .file_states(|file| known.push((file.path.to_owned(), file.row, file.size_bytes, file.modified, file.hash)))
        .unwrap();
    known.sort();
    let documents = model.documents.values().map(|placed| {
        let document = &placed.sample.document;
        (
            document.path.as_str().to_owned(),
            Some(placed.row),
            document.size_bytes,
            document.modified,
            Some(document.hash),
        )
    });
    let failures =
        model.failures.values().map(|failure| (failure.path.clone(), None, failure.size_bytes, failure.modified, None));
    let mut expected: Vec<_> = documents.chain(failures).collect();
    expected.sort();
    assert_eq!(known, expected);

    let counts = snapshot.counts().unwrap();
    let total = |size: fn(&Sample) -> usize| -> u64 {
        model.documents.values().map(|placed| size(&placed.sample) as u64).sum()
    };
    assert_eq!(counts.documents, total(|_| 1));
    assert_eq!(counts.chunks, total(|sample| sample.parsed.chunks.len()));
    assert_eq!(counts.symbols, total(|sample| sample.parsed.symbols.len()));
    assert_eq!(counts.edges, total(|sample| sample.parsed.edges.len()));
    assert_eq!(counts.text_bytes, total(|sample| sample.text.len()));
    assert_eq!(counts.by_type.values().sum::<u64>(), counts.documents);
    assert_eq!(counts.unparsed, snapshot.unparsed_documents(usize::MAX).unwrap().len() as u64);
}

fn record(placed: &Placed) -> OwnedRecord {
    OwnedRecord {
        row: placed.row,
        first_chunk: placed.first_chunk,
        document: placed.sample.document.clone(),
        created: placed.created,
        text: placed.sample.text.clone(),
        parsed: placed.sample.parsed.clone(),
    }
}
