//! Snapshots of how one source of each language is cut: with the default limit, and with one that its largest function
//! exceeds.
//!
//! Every file in `fixtures/` has a snapshot. A snapshot line is a chunk: its lines, kind, tokens, symbol path and signature.

pub(crate) mod files;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use recall_chunk::{ChunkLimits, Chunker, notebook_text};
use recall_core::{EdgeKind, Limits, ParsedDocument};
use recall_text::{DocPath, Language};

/// A limit that cuts the `open` of every fixture.
const SMALL_TOKENS: u32 = 120;

fn check(name: &str) {
    let file = files::folder().join(name);
    let stored = std::fs::read_to_string(&file).expect("the fixture is there");
    let text = if file.extension().is_some_and(|extension| extension == "ipynb") {
        notebook_text(&stored).expect("a notebook")
    } else {
        stored
    };
    let path = DocPath::new(name).expect("plain");
    let language = Language::detect(&path, &text);
    let parse = |max_tokens| {
        let limits = ChunkLimits { max_tokens, ..ChunkLimits::from(&Limits::default()) };
        Chunker::new(limits).parse(&path, language.as_ref(), &text)
    };
    let (large, small) = (parse(Limits::default().chunk_tokens), parse(SMALL_TOKENS));
    let mut shown = format!("{} {:?}\n", language.as_ref().map_or("unknown", Language::as_str), large.outcome);
    if large.title.is_some() || !large.tags.is_empty() {
        let _ = writeln!(shown, "title {:?}, tags {:?}", large.title, large.tags);
    }
    shown.push_str("\nchunks\n");
    show_chunks(&mut shown, &text, &large);
    let _ = writeln!(shown, "\nchunks of at most {SMALL_TOKENS} tokens");
    show_chunks(&mut shown, &text, &small);
    show_names(&mut shown, &large);
    insta::assert_snapshot!(name, shown);
}

fn show_chunks(shown: &mut String, text: &str, parsed: &ParsedDocument) {
    for chunk in &parsed.chunks {
        let doc = chunk.doc_comment.and_then(|doc| doc.slice(text)).and_then(|doc| doc.lines().next());
        let _ = write!(
            shown,
            "  {:>3}-{:<3} {:8} {:3}  {}",
            chunk.span.start_line,
            chunk.span.end_line,
            chunk.kind.as_str(),
            chunk.tokens,
            chunk.symbol.as_deref().unwrap_or("-"),
        );
        for (mark, detail) in [(" | ", chunk.signature.as_deref()), (" | doc: ", doc)] {
            let _ = detail.map(|detail| write!(shown, "{mark}{detail}"));
        }
        shown.push('\n');
    }
}

fn show_names(shown: &mut String, parsed: &ParsedDocument) {
    shown.push_str("\nsymbols\n");
    for symbol in &parsed.symbols {
        let (span, kind) = (symbol.span, symbol.kind.as_str());
        let _ = writeln!(
            shown,
            "  {:>3}-{:<3} {kind:9} {} in {}",
            span.start_line, span.end_line, symbol.qualified, symbol.chunk
        );
    }
    let mut edges: BTreeMap<(EdgeKind, u32), Vec<&str>> = BTreeMap::new();
    for edge in &parsed.edges {
        edges.entry((edge.kind, edge.chunk)).or_default().push(&edge.target);
    }
    shown.push_str("\nedges\n");
    for ((kind, chunk), targets) in edges {
        let _ = writeln!(shown, "  {} from {chunk}: {}", kind.as_str(), targets.join(", "));
    }
}

#[test]
fn every_fixture_is_cut_like_its_snapshot() {
    for name in files::names() {
        check(&name);
    }
}
