//! A benchmark of indexing a source tree: speed of indexing, size of the index, and latency of queries.
//!
//! `cargo bench -p recall-index --bench lexical -- <folder> [max chunks]` reads the folder's text files, cuts them every 30 lines,
//! takes lines that look like definitions for symbols, and prints the figures. Without a folder it does nothing.

#![expect(clippy::print_stdout, reason = "a benchmark reports to its terminal")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_core::{
    ByteSpan, Chunk, ChunkKind, ChunkRow, ContentHash, Document, DocumentId, DocumentRow, DocumentType, Filters,
    Generation, ParseOutcome, ParsedDocument, Span, Symbol, SymbolKind, Timestamp, Understood, understand,
};
use recall_index::lexical::{IndexedDocument, Lexical, LexicalWriter, WriterSettings};
use recall_text::{DocPath, FileKind, Language};

const CHUNK_LINES: usize = 30;
const ROUNDS: usize = 300;

const QUESTIONS: &[&str] = &[
    "how are connection pools closed on shutdown",
    "parse http header fields",
    "where is the write ahead log flushed to disk",
    "convert utf8 string to bytes without allocation",
    "retry with exponential backoff",
    "thread local cache of buffers",
    "error when the file does not exist",
    "serialize struct fields in order of declaration",
    "Mutex poisoned lock guard drop",
    "compute sha256 digest of a stream",
];
const NAMES: &[&str] = &[
    "Store::open",
    "HashMap",
    "parse",
    "new",
    "from_str",
    "read_to_end",
    "TokenStream",
    "poll_next",
    "Builder",
    "fmt",
];
const PATHS: &[&str] =
    &["src/lib.rs", "lib.rs", "src/sync/mutex.rs", "error", "tests/common/mod.rs", "Cargo.toml", "http header map"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let Some(folder) = arguments.first() else { return };
    let most_chunks = arguments.get(1).and_then(|number| number.parse().ok()).unwrap_or(100_000);
    let sources = read(Path::new(folder), most_chunks);
    let text_bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    let chunks: usize = sources.iter().map(|source| source.parsed.chunks.len()).sum();
    println!("{} files, {chunks} chunks, {:.1} MB", sources.len(), megabytes(text_bytes as u64));

    let dir = tempfile::tempdir().expect("a temporary folder");
    let lexical = Lexical::open(dir.path()).expect("created");
    let start = Instant::now();
    let cpu = cpu_time();
    let mut writer = lexical.writer(WriterSettings::default()).expect("opened");
    for source in &sources {
        source.add_to(&mut writer, source.row);
    }
    writer.commit(Generation(1)).expect("committed");
    let committed = start.elapsed();
    let committed_cpu = cpu_time().saturating_sub(cpu);
    writer.finish().expect("closed");
    println!(
        "indexed in {committed:.2?} ({:.1} MB/s; {:.1} MB a CPU-second), with merges {:.2?}",
        megabytes(text_bytes as u64) / committed.as_secs_f64(),
        megabytes(text_bytes as u64) / committed_cpu.as_secs_f64(),
        start.elapsed()
    );
    let index_bytes = size(dir.path());
    println!("index {:.1} MB, {:.2} × the text", megabytes(index_bytes), index_bytes as f64 / text_bytes as f64);
    for (extension, bytes) in sizes(dir.path()) {
        println!("  {extension:>6} {:6.1} MB", megabytes(bytes));
    }
    let start = Instant::now();
    let reopened = Lexical::open(dir.path()).expect("opened");
    println!("reopened in {:.2?}, {} segments", start.elapsed(), segments(dir.path()));
    latencies("", &reopened);

    let small = WriterSettings { threads: 1, heap_bytes: 0 };
    let mut writer = lexical.writer(small).expect("opened");
    let mut commits: Vec<Duration> = (0_i64..30)
        .map(|number| {
            let source = &sources[number as usize * 97 % sources.len()];
            let start = Instant::now();
            writer.remove(DocumentRow(source.row));
            source.add_to(&mut writer, 1_000_000 + number);
            writer.commit(Generation(2 + number as u64)).expect("committed");
            start.elapsed()
        })
        .collect();
    report("commit of one file", &mut commits);
    println!("{} segments", segments(dir.path()));
    latencies(" after commits", &lexical);
}

fn latencies(when: &str, lexical: &Lexical) {
    let searcher = lexical.searcher();
    let none = Filters::default();
    let code = understand("type:code").filters;
    let narrow = understand("path:**/tests/*.rs lang:rust").filters;
    let all = |queries: &[&str]| queries.iter().map(|query| understand(query)).collect::<Vec<_>>();
    time(&format!("lexical{when}"), &all(QUESTIONS), |query| {
        searcher.lexical(query, &none, 100).expect("searched").len()
    });
    time(&format!("lexical type:code{when}"), &all(QUESTIONS), |query| {
        searcher.lexical(query, &code, 100).expect("searched").len()
    });
    time(&format!("lexical narrow{when}"), &all(QUESTIONS), |query| {
        searcher.lexical(query, &narrow, 100).expect("searched").len()
    });
    time(&format!("symbols of names{when}"), &all(NAMES), |query| {
        searcher.symbols(query, &none, 100).expect("searched").len()
    });
    time(&format!("symbols of questions{when}"), &all(QUESTIONS), |query| {
        searcher.symbols(query, &none, 100).expect("searched").len()
    });
    time(&format!("paths of paths{when}"), &all(PATHS), |query| {
        searcher.paths(query, &none, 100).expect("searched").len()
    });
    time(&format!("paths of questions{when}"), &all(QUESTIONS), |query| {
        searcher.paths(query, &none, 100).expect("searched").len()
    });
}

fn time(what: &str, queries: &[Understood], search: impl Fn(&Understood) -> usize) {
    let mut times = Vec::with_capacity(ROUNDS * queries.len());
    let mut found = 0;
    for round in 0..ROUNDS + 3 {
        for query in queries {
            let start = Instant::now();
            found += search(query);
            if round >= 3 {
                times.push(start.elapsed());
            }
        }
    }
    assert!(found > 0, "{what} finds nothing");
    report(what, &mut times);
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!("{what:<36} p50 {:>9.1?}  p99 {:>9.1?}", at(50), at(99));
}

struct Source {
    row: i64,
    document: Document,
    parsed: ParsedDocument,
    text: String,
}

impl Source {
    fn add_to(&self, writer: &mut LexicalWriter, row: i64) {
        let indexed = IndexedDocument {
            row: DocumentRow(row),
            first_chunk: ChunkRow(row * 1_000_000),
            document: &self.document,
            parsed: &self.parsed,
            text: &self.text,
        };
        writer.add(&indexed).expect("added");
    }
}

fn read(folder: &Path, most_chunks: usize) -> Vec<Source> {
    let mut files = Vec::new();
    list(folder, &mut files);
    files.sort();
    let mut sources = Vec::new();
    let mut chunks = 0;
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let Ok(path) = DocPath::from_relative(file.strip_prefix(folder).expect("below")) else { continue };
        if text.trim().is_empty() || text.len() > 1024 * 1024 {
            continue;
        }
        let source = cut(sources.len() as i64 + 1, path, text);
        chunks += source.parsed.chunks.len();
        sources.push(source);
        if chunks >= most_chunks {
            break;
        }
    }
    sources
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("listed") {
        let path = entry.expect("listed").path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            list(&path, files);
        } else if ["rs", "md", "toml", "c", "h", "py", "go", "ts", "js", "java", "cpp"].contains(&extension) {
            files.push(path);
        }
    }
}

fn cut(row: i64, path: DocPath, text: String) -> Source {
    let mut chunks = Vec::new();
    let mut symbols = Vec::new();
    let (mut start, mut end, mut lines) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        end += line.len();
        lines += 1;
        let bytes = ByteSpan { start: (end - line.len()) as u32, end: end as u32 };
        let span = Span { bytes, start_line: 1, end_line: 1 };
        if let Some(name) = defined(line) {
            symbols.push(Symbol {
                name: name.to_owned(),
                qualified: name.to_owned(),
                kind: SymbolKind::Function,
                span,
                chunk: chunks.len() as u32,
            });
        }
        if lines == CHUNK_LINES || end == text.len() {
            chunks.push(Chunk {
                ordinal: chunks.len() as u32,
                kind: ChunkKind::Window,
                span: Span { bytes: ByteSpan { start, end: end as u32 }, start_line: 1, end_line: 1 },
                symbol: None,
                signature: None,
                doc_comment: None,
                tokens: 0,
            });
            (start, lines) = (end as u32, 0);
        }
    }
    let document = Document {
        id: DocumentId::from_path(&path),
        document_type: if path.extension() == Some("md") { DocumentType::Documentation } else { DocumentType::Code },
        title: path.file_name().to_owned(),
        language: path
            .extension()
            .map(|extension| Language::from(if extension == "rs" { "rust" } else { extension }.to_owned())),
        hash: ContentHash::hash(text.as_bytes()),
        size_bytes: text.len() as u64,
        modified: Timestamp(0),
        file_kind: FileKind::from_path(&path),
        tags: Vec::new(),
        source: None,
        path,
        memory: None,
    };
    let parsed = ParsedDocument {
        title: None,
        tags: Vec::new(),
        chunks,
        symbols,
        edges: Vec::new(),
        outcome: ParseOutcome::NoParser,
    };
    Source { row, document, parsed, text }
}

/// The name after a keyword that introduces a definition in most languages.
fn defined(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let keywords =
        ["fn", "struct", "enum", "trait", "mod", "const", "type", "class", "def", "func", "function", "interface"];
    words.by_ref().take(4).find(|word| keywords.contains(word))?;
    words.next()
}

fn size(dir: &Path) -> u64 {
    sizes(dir).iter().map(|(_, bytes)| bytes).sum()
}

fn sizes(dir: &Path) -> Vec<(String, u64)> {
    let mut sizes = std::collections::BTreeMap::new();
    for entry in fs::read_dir(dir).expect("listed") {
        let path = entry.expect("listed").path();
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        *sizes.entry(extension).or_insert(0) += fs::metadata(&path).map_or(0, |known| known.len());
    }
    sizes.into_iter().filter(|(_, bytes)| *bytes > 0).collect()
}

fn segments(dir: &Path) -> usize {
    let meta = fs::read_to_string(dir.join("meta.json")).expect("read");
    meta.matches("\"segment_id\"").count()
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The CPU time of all threads of the process. Zero if the system does not report it.
fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<i64> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // After the name and the state come ten fields, then user and system time in ticks of 10 ms.
    Duration::from_millis(10 * fields.get(10..12).map_or(0, |times| times.iter().sum::<i64>()) as u64)
}
