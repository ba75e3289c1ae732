//! Edges and symbols, for the whole store and for single documents.

use proptest::prelude::*;
use recall_core::{ByteSpan, ChunkRow, DocumentRow, Edge, EdgeKind, Span, Symbol, SymbolKind};
use recall_index::catalog::{Catalog, Snapshot};

use crate::sample::{Sample, any_sample, path, store};

fn edges_seen(snapshot: &Snapshot<'_>) -> Vec<(DocumentRow, Edge)> {
    let mut seen = Vec::new();
    let edge = |kind, chunk, target: &str| Edge { kind, chunk, target: target.to_owned() };
    snapshot.each_edge(|row, kind, chunk, target| seen.push((row, edge(kind, chunk, target)))).unwrap();
    let references = |row, chunk, name: &str| seen.push((row, edge(EdgeKind::References, chunk, name)));
    snapshot.each_reference(references).unwrap();
    seen.sort_unstable();
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn passes_over_the_store_agree_with_its_documents(
        first in any_sample("a/first.rs"),
        second in any_sample("second.md"),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
        store(&catalog, &[first.clone(), second.clone(), first.clone()]);
        let snapshot = catalog.snapshot().unwrap();
        let (mut edges, mut definitions) = (Vec::new(), Vec::new());
        for (place, sample) in snapshot.places().unwrap().iter().zip([&second, &first]) {
            let Sample { document, parsed, .. } = sample;
            prop_assert_eq!((&place.path, &place.language), (&document.path, &document.language));
            prop_assert_eq!(place.file_kind, document.file_kind);
            prop_assert_eq!(&snapshot.document_in(place.row).unwrap().unwrap().document, document);
            let mut stated = snapshot.stated_edges_of(place.row).unwrap();
            stated.sort_unstable();
            let is_stated = |edge: &&Edge| edge.kind != EdgeKind::References;
            prop_assert_eq!(stated, parsed.edges.iter().filter(is_stated).cloned().collect::<Vec<_>>());
            edges.extend(parsed.edges.iter().map(|edge| (place.row, edge.clone())));
            let name = |symbol: &Symbol| (place.row, symbol.kind, symbol.name.clone(), symbol.qualified.clone());
            definitions.extend(parsed.symbols.iter().map(name));
        }
        let mut seen = Vec::new();
        let see = |row, kind, name: &str, qualified: &str| seen.push((row, kind, name.to_owned(), qualified.to_owned()));
        snapshot.each_definition(see).unwrap();
        prop_assert_eq!(seen, definitions);
        prop_assert_eq!(edges_seen(&snapshot), edges);
    }
}

/// A document whose lines are chunks, with their symbols and references.
fn code() -> Sample {
    let mut sample = Sample::of_lines("src/lib.rs", &["fn open() { größe(); }", "fn shut() { open(); größt() }"]);
    let symbol = |name: &str, chunk| Symbol {
        name: name.to_owned(),
        qualified: format!("Store::{name}"),
        kind: SymbolKind::Function,
        span: Span { bytes: ByteSpan { start: 0, end: 1 }, start_line: chunk + 1, end_line: chunk + 1 },
        chunk,
    };
    sample.parsed.symbols = vec![symbol("open", 0), symbol("shut", 1)];
    let names = [(0, "größe"), (1, "Data.Map.lookup"), (1, "absent"), (1, "größt"), (1, "open")];
    let edge = |(chunk, target): (u32, &str)| Edge { kind: EdgeKind::References, chunk, target: target.to_owned() };
    sample.parsed.edges = names.map(edge).to_vec();
    sample
}

#[test]
fn the_chunks_that_refer_to_a_name_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    let inserted = store(&catalog, &[code()])[0];
    let snapshot = catalog.snapshot().unwrap();
    let (document, first) = (inserted.document, inserted.first_chunk);
    let second = ChunkRow(first.0 + 1);
    let check = |name, chunks: &[ChunkRow], expected: &[ChunkRow]| {
        let expected: Vec<(ChunkRow, Option<String>)> = expected.iter().map(|&chunk| (chunk, None)).collect();
        assert_eq!(snapshot.chunks_referencing(document, name, chunks).unwrap(), expected, "{name}");
    };
    check("open", &[first, second], &[second]);
    check("open", &[first], &[]);
    check("größe", &[first, second], &[first]);
    check("größt", &[first, second], &[second]);
    check("absent", &[first, second], &[second]);
    check("shut", &[first, second], &[]);
    let map = |chunk| (chunk, Some("Data.Map".to_owned()));
    assert_eq!(snapshot.chunks_referencing(document, "lookup", &[first, second]).unwrap(), [map(second)]);
    assert_eq!(
        snapshot.chunks_referencing(document, "Data.Map.lookup", &[first, second]).unwrap(),
        [],
        "only bare names match"
    );
    let names = |chunk| -> Vec<String> {
        snapshot.symbols_in(document, chunk).unwrap().into_iter().map(|symbol| symbol.name).collect()
    };
    assert_eq!((names(first), names(second)), (vec!["open".to_owned()], vec!["shut".to_owned()]));
    assert!(names(ChunkRow(first.0 - 1)).is_empty());
    let around = |start, end| snapshot.symbols_around(document, ByteSpan { start, end }).unwrap().len();
    assert_eq!((around(0, 1), around(1, 9), around(0, 0)), (2, 0, 0), "both contain the first byte");
    assert!(snapshot.document_in(DocumentRow(99)).unwrap().is_none());
    assert_eq!(snapshot.document_at(&path("src/lib.rs")).unwrap().unwrap().row, document);
}
