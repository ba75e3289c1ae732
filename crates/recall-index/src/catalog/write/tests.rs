//! Tests with a full disk.

use recall_core::{
    ByteSpan, Chunk, ChunkKind, ContentHash, Document, DocumentId, DocumentType, Generation, ParseOutcome,
    ParsedDocument, Span, Timestamp,
};
use recall_text::{DocPath, FileKind};

use super::{DocumentRecord, Inserted};
use crate::catalog::{Catalog, CatalogWriteError};

/// Stores an incompressible document in a transaction of its own.
fn store(catalog: &Catalog, path: &str, text_bytes: usize) -> Result<(Inserted, Generation), CatalogWriteError> {
    let text: String =
        (0..text_bytes / 64).map(|number| ContentHash::hash(&number.to_le_bytes()).to_string()).collect();
    let path = DocPath::new(path).unwrap();
    let document = Document {
        id: DocumentId::from_path(&path),
        title: path.to_string(),
        path,
        memory: None,
        document_type: DocumentType::Code,
        language: None,
        hash: ContentHash::hash(text.as_bytes()),
        size_bytes: text.len() as u64,
        modified: Timestamp(1),
        file_kind: FileKind::Main,
        tags: Vec::new(),
        source: None,
    };
    let bytes = ByteSpan { start: 0, end: text.len() as u32 };
    let chunk = Chunk {
        ordinal: 0,
        kind: ChunkKind::Window,
        span: Span { bytes, start_line: 1, end_line: 1 },
        symbol: None,
        signature: None,
        doc_comment: None,
        tokens: 1,
    };
    let parsed = ParsedDocument {
        title: None,
        tags: Vec::new(),
        chunks: vec![chunk],
        symbols: Vec::new(),
        edges: Vec::new(),
        outcome: ParseOutcome::NoParser,
    };
    let mut writer = catalog.writer()?;
    let mut transaction = writer.begin()?;
    let record = DocumentRecord { document: &document, text: &text, parsed: &parsed, indexed: Timestamp(1) };
    let inserted = transaction.insert(&record)?;
    Ok((inserted, transaction.commit()?))
}

/// Limits the growth of the catalog to this many pages.
fn leave_space(catalog: &Catalog, pages: i64) {
    let writer = catalog.writer().unwrap();
    let used: i64 = writer.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    writer.connection.query_row(&format!("PRAGMA max_page_count = {}", used + pages), [], |_| Ok(())).unwrap();
}

#[test]
fn a_full_disk_leaves_the_previous_state_and_a_working_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    let (kept, _) = store(&catalog, "kept", 10_000).unwrap();
    for pages in 0..20 {
        leave_space(&catalog, pages);
        let full = store(&catalog, "large", 400_000);
        assert!(matches!(full, Err(CatalogWriteError::DiskFull)), "{full:?}");
        let replacing = store(&catalog, "kept", 400_000);
        assert!(matches!(replacing, Err(CatalogWriteError::DiskFull)), "{replacing:?}");
        let snapshot = catalog.snapshot().unwrap();
        assert_eq!(snapshot.generation(), Generation(1));
        assert_eq!(snapshot.counts().unwrap().documents, 1);
        assert!(snapshot.hits(&[kept.first_chunk]).unwrap()[0].is_some());
    }
    assert_eq!(catalog.check().unwrap(), []);
    leave_space(&catalog, 1_000_000);
    let (_, generation) = store(&catalog, "large", 400_000).unwrap();
    assert_eq!(generation, Generation(2));
    assert_eq!(catalog.check().unwrap(), []);
}

#[test]
fn a_transaction_with_a_failed_write_cannot_be_committed() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    store(&catalog, "kept", 1000).unwrap();
    let path = DocPath::new("kept").unwrap();
    let mut writer = catalog.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    assert!(transaction.remove(&path).unwrap().is_some());
    assert!(transaction.attempt(|_| Err::<(), _>(CatalogWriteError::DiskFull)).is_err());
    assert!(matches!(transaction.remove(&path), Err(CatalogWriteError::Aborted)));
    assert!(matches!(transaction.commit(), Err(CatalogWriteError::Aborted)));
    drop(writer);
    assert_eq!(catalog.generation().unwrap(), Generation(1));
    assert_eq!(catalog.check().unwrap(), []);
}
