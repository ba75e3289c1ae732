//! A benchmark of the catalog: its speed and size.
//!
//! `cargo bench -p recall-index --bench catalog -- [--chunks N] [DIRECTORY]` stores the Rust files of a directory (by default of this
//! workspace) repeatedly under different paths until there are enough chunks, and reads them back.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_core::{
    ByteSpan, Chunk, ChunkKind, ChunkRow, ContentHash, Document, DocumentId, DocumentRow, DocumentType, Edge, EdgeKind,
    ParseOutcome, ParsedDocument, Span, Symbol, SymbolKind, Timestamp,
};
use recall_index::catalog::{Catalog, DocumentRecord, ListQuery};
use recall_text::{DocPath, FileKind, Language};

/// About the size of a real chunk.
const CHUNK_BYTES: usize = 1000;

/// The number of documents per transaction, as in an ingest.
const BATCH: usize = 256;

fn main() {
    let mut wanted_chunks = 100_000_usize;
    let mut directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        if argument == "--chunks" {
            wanted_chunks = arguments.next().and_then(|count| count.parse().ok()).expect("--chunks takes a number");
        } else {
            directory = PathBuf::from(argument);
        }
    }
    let mut files = Vec::new();
    collect(&directory, &mut files);
    files.sort();
    let sources: Vec<(String, ParsedDocument)> = files
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .filter(|text| !text.is_empty())
        .map(|text| {
            let parsed = parse(&text);
            (text, parsed)
        })
        .collect();
    assert!(!sources.is_empty(), "{} holds no Rust files", directory.display());

    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("catalog.db");
    let catalog = Catalog::open(&path).expect("an empty directory takes a catalog");
    let (documents, chunks, text_bytes) = fill(&catalog, &sources, wanted_chunks);
    let size = catalog.size_bytes().expect("the file is there");
    let edges: usize = sources.iter().map(|(_, parsed)| parsed.edges.len()).sum();
    let cut: usize = sources.iter().map(|(_, parsed)| parsed.chunks.len()).sum();
    let edges = edges as f64 / cut as f64;
    println!(
        "{documents} documents, {chunks} chunks with {edges:.0} edges each, {:.1} MB of text",
        text_bytes as f64 / 1e6
    );
    println!("size: {:.1} MB, {:.3} of the text", size as f64 / 1e6, size as f64 / text_bytes as f64);
    read(&catalog, chunks, documents);
    rewrite(&catalog, &sources);

    drop(catalog);
    report("open", 20, || drop(Catalog::open(&path).expect("it was closed properly")));
}

fn fill(catalog: &Catalog, sources: &[(String, ParsedDocument)], wanted_chunks: usize) -> (usize, usize, usize) {
    let mut writer = catalog.writer().expect("no other writer");
    let (mut documents, mut chunks, mut text_bytes) = (0, 0, 0);
    let begun = Instant::now();
    while chunks < wanted_chunks {
        let mut transaction = writer.begin().expect("no other writer");
        for _ in 0..BATCH {
            let (text, parsed) = &sources[documents % sources.len()];
            let document = document(documents, text);
            transaction
                .insert(&DocumentRecord { document: &document, text, parsed, indexed: Timestamp(1) })
                .expect("there is space");
            documents += 1;
            chunks += parsed.chunks.len();
            text_bytes += text.len();
        }
        transaction.commit().expect("there is space");
    }
    let written = begun.elapsed();
    drop(writer);
    let begun = Instant::now();
    catalog.checkpoint().expect("there is space");
    let folded = begun.elapsed();
    println!(
        "insert: {:.0} chunks/s, {:.0} documents/s, {:.1} MB/s of text; {written:.2?} and {folded:.2?} for the checkpoint",
        chunks as f64 / written.as_secs_f64(),
        documents as f64 / written.as_secs_f64(),
        text_bytes as f64 / 1e6 / written.as_secs_f64(),
    );
    (documents, chunks, text_bytes)
}

fn read(catalog: &Catalog, chunks: usize, documents: usize) {
    let mut place = 0;
    let mut rows = move || -> Vec<ChunkRow> {
        (0..10)
            .map(|_| {
                place = (place + 7_919) % chunks;
                ChunkRow(place as i64 + 1)
            })
            .collect()
    };
    report("snapshot", 2000, || drop(catalog.snapshot().expect("readable")));
    report("10 hits of 10 documents", 2000, || {
        let found = catalog.snapshot().expect("readable").hits(&rows()).expect("readable");
        assert!(found.iter().all(Option::is_some));
    });
    let snapshot = catalog.snapshot().expect("readable");
    report("file_states", 20, || {
        let mut count = 0;
        snapshot.file_states(|_| count += 1).expect("readable");
        assert_eq!(count, documents);
    });
    report("counts", 20, || drop(snapshot.counts().expect("readable")));
    report("list, first 100", 20, || {
        drop(snapshot.list(&ListQuery { limit: 100, ..ListQuery::default() }).expect("readable"));
    });
    let begun = Instant::now();
    let mut after = DocumentRow(0);
    while let Some(last) = snapshot.records_after(after, BATCH).expect("readable").last() {
        after = last.row;
    }
    println!("{:<28} {:.0} chunks/s", "records_after", chunks as f64 / begun.elapsed().as_secs_f64());
}

/// The write of an editor's save: one document replaced in a transaction of its own.
fn rewrite(catalog: &Catalog, sources: &[(String, ParsedDocument)]) {
    let mut number = 0;
    report("replace one document", 200, || {
        let (text, parsed) = &sources[number % sources.len()];
        let document = document(number, text);
        let mut writer = catalog.writer().expect("no other writer");
        let mut transaction = writer.begin().expect("no other writer");
        transaction
            .insert(&DocumentRecord { document: &document, text, parsed, indexed: Timestamp(1) })
            .expect("there is space");
        transaction.commit().expect("there is space");
        number += 1;
    });
}

fn report(name: &str, rounds: u32, mut run: impl FnMut()) {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{name:<28} p50 {:>10.1?}  p99 {:>10.1?}  best {:>10.1?}", at(0.5), at(0.99), times[0]);
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if name != "target" && !name.as_encoded_bytes().starts_with(b".") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn document(number: usize, text: &str) -> Document {
    let path = DocPath::new(&format!("crates/part-{}/src/module_{number}.rs", number % 50)).expect("a plain path");
    Document {
        id: DocumentId::from_path(&path),
        title: path.file_name().to_owned(),
        path,
        memory: None,
        document_type: DocumentType::Code,
        language: Some(Language::from_static("rust")),
        hash: ContentHash::hash(text.as_bytes()),
        size_bytes: text.len() as u64,
        modified: Timestamp(number as i64),
        file_kind: FileKind::Main,
        tags: Vec::new(),
        source: None,
    }
}

/// Cuts a text at lines. Words that look like symbols and references are taken for such.
fn parse(text: &str) -> ParsedDocument {
    let (mut chunks, mut symbols, mut edges) = (Vec::new(), Vec::new(), BTreeSet::new());
    let (mut start, mut end, mut start_line, mut line) = (0, 0, 1, 0);
    for piece in text.split_inclusive('\n') {
        end += piece.len();
        line += 1;
        let ordinal = chunks.len() as u32;
        let span = |from: usize, first: u32| Span {
            bytes: ByteSpan { start: from as u32, end: end as u32 },
            start_line: first,
            end_line: line,
        };
        if let Some(name) = defined(piece) {
            symbols.push(Symbol {
                qualified: format!("Owner::{name}"),
                name: name.to_owned(),
                kind: SymbolKind::Function,
                span: span(end - piece.len(), line),
                chunk: ordinal,
            });
        }
        for word in piece.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| referred(word, piece)) {
            edges.insert(Edge { kind: EdgeKind::References, chunk: ordinal, target: word.to_owned() });
        }
        if piece.starts_with("use ") {
            edges.insert(Edge { kind: EdgeKind::Imports, chunk: ordinal, target: piece.trim().to_owned() });
        }
        if end - start >= CHUNK_BYTES || end == text.len() {
            let signature = text[start..end].lines().find(|line| defined(line).is_some());
            chunks.push(Chunk {
                ordinal,
                kind: ChunkKind::Function,
                span: span(start, start_line),
                symbol: signature.and_then(defined).map(|name| format!("impl Owner > fn {name}")),
                signature: signature.map(|line| line.trim().to_owned()),
                doc_comment: None,
                tokens: 300,
            });
            (start, start_line) = (end, line + 1);
        }
    }
    ParsedDocument {
        title: None,
        tags: Vec::new(),
        chunks,
        symbols,
        edges: edges.into_iter().collect(),
        outcome: ParseOutcome::Parsed,
    }
}

fn defined(line: &str) -> Option<&str> {
    let (_, after) = line.split_once("fn ").or_else(|| line.split_once("struct "))?;
    after.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

fn referred(word: &str, line: &str) -> bool {
    let call = || line.split_once(word).is_some_and(|(_, after)| after.starts_with(['(', ':', '!']));
    word.len() > 2 && (word.starts_with(char::is_uppercase) || call())
}
