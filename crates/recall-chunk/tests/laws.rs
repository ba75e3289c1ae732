//! Properties of every text in every language.
//!
//! Each run checks the same 400 cases. `PROPTEST_CASES=100000 PROPTEST_RNG_SEED=7 cargo test -p recall-chunk` checks
//! others.

use std::path::Path;

use proptest::prelude::*;
use recall_chunk::{ChunkLimits, Chunker, language_of, notebook_text};
use recall_core::{ChunkKind, DocPath, EdgeKind, Limits, ParseOutcome, ParsedDocument, tokens};

const FIXTURES: &[&str] = &[
    "store.rs",
    "store.py",
    "store.go",
    "Store.java",
    "store.js",
    "store.ts",
    "Store.tsx",
    "store.c",
    "store.cpp",
    "Store.cs",
    "store.rb",
    "Store.php",
    "Store.scala",
    "Store.kt",
    "Store.swift",
    "store.sh",
    "store.lua",
    "store.ex",
    "Store.hs",
    "store.zig",
    "store.sql",
    "store.html",
    "store.css",
    "store.json",
    "store.yaml",
    "store.toml",
    "store.md",
    "store.rst",
    "store.ipynb",
    "store.vue",
];

fn fixture(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    std::fs::read_to_string(file).expect("the fixture is there")
}

fn parse(name: &str, text: &str, max_tokens: u32) -> ParsedDocument {
    let path = DocPath::new(name).expect("plain");
    let limits = ChunkLimits { max_tokens, ..ChunkLimits::from(&Limits::default()) };
    Chunker::new(limits).parse(&path, language_of(&path, text).as_ref(), text)
}

#[expect(clippy::naive_bytecount, reason = "a test needs no faster way")]
fn assert_laws(name: &str, text: &str, max_tokens: u32) {
    let parsed = parse(name, text, max_tokens);
    let is_windowed = parsed.outcome != ParseOutcome::Parsed;
    let mut covered = 0;
    for (ordinal, chunk) in parsed.chunks.iter().enumerate() {
        let (start, end) = (chunk.span.bytes.start as usize, chunk.span.bytes.end as usize);
        assert_eq!(chunk.ordinal as usize, ordinal);
        assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{:?} cuts a character", chunk.span);
        assert!(start >= covered || is_windowed, "chunk {ordinal} overlaps the one before");
        assert!(start <= covered || text[covered..start].trim().is_empty(), "a gap before chunk {ordinal}");
        assert!(end > covered, "chunk {ordinal} adds nothing");
        let content = &text[start..end];
        assert!(!content.trim().is_empty(), "chunk {ordinal} is blank");
        assert_eq!(chunk.tokens, tokens::estimate(content));
        // A fenced block is kept whole up to four times the limit.
        let most = if matches!(chunk.kind, ChunkKind::Section | ChunkKind::Cell) { 4 * max_tokens } else { max_tokens };
        assert!(chunk.tokens <= most, "chunk {ordinal} has {} tokens", chunk.tokens);
        let line_of = |byte: usize| text.as_bytes()[..byte].iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
        assert_eq!(chunk.span.start_line, line_of(start));
        assert_eq!(chunk.span.end_line, line_of(end.saturating_sub(1).max(start)));
        assert!(chunk.doc_comment.is_none_or(|doc| doc.of(text).is_some()));
        assert!(chunk.signature.as_ref().is_none_or(|signature| !signature.is_empty() && !signature.contains('\n')));
        covered = end;
    }
    assert!(text[covered..].trim().is_empty(), "the end is missing");
    assert!(!is_windowed || parsed.chunks.iter().all(|chunk| chunk.span.end_line - chunk.span.start_line < 100));
    let count = parsed.chunks.len() as u32;
    for symbol in &parsed.symbols {
        assert!(!symbol.name.is_empty() && symbol.qualified.ends_with(&symbol.name), "{symbol:?}");
        assert!(symbol.span.bytes.of(text).is_some() && symbol.span.start_line <= symbol.span.end_line);
        assert!(symbol.chunk < count);
    }
    assert!(parsed.symbols.is_sorted_by_key(|symbol| symbol.span.bytes.start));
    assert!(parsed.edges.is_sorted_by(|one, next| one < next), "edges repeat or are not sorted");
    assert!(parsed.edges.iter().all(|edge| edge.chunk < count && !edge.target.is_empty()));
    assert!(parsed.edges.iter().all(|edge| edge.kind != EdgeKind::Defines));
    assert_eq!(parsed, parse(name, text, max_tokens), "the second time differs");
}

/// Edits of a file: lines are removed, swapped, truncated and duplicated.
fn damaged(text: &str, edits: &[(u8, usize, usize)]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for &(edit, one, other) in edits {
        if lines.is_empty() {
            break;
        }
        let (one, other) = (one % lines.len(), other % lines.len());
        match edit % 4 {
            0 => drop(lines.remove(one)),
            1 => lines.swap(one, other),
            2 => lines[one] = &lines[one][..lines[one].floor_char_boundary(other)],
            _ => lines.insert(other, lines[one]),
        }
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn damaged_sources_are_covered_by_ordered_chunks(
        which in 0..FIXTURES.len(),
        edits in prop::collection::vec((any::<u8>(), any::<usize>(), any::<usize>()), 0..12),
        max_tokens in 20_u32..500,
    ) {
        assert_laws(FIXTURES[which], &damaged(&fixture(FIXTURES[which]), &edits), max_tokens);
    }

    #[test]
    fn any_text_is_covered_by_ordered_chunks(
        which in 0..FIXTURES.len(),
        text in "([ \\t\\r\\n(){}\\[\\]<>\"'`;:,.#@=a-c0-9/*\\\\$%&|+-]|é|漢|\\PC){0,300}",
        max_tokens in 1_u32..60,
    ) {
        assert_laws(FIXTURES[which], &text, max_tokens);
    }

    #[test]
    fn any_text_is_a_notebook_or_none(text in "\\PC{0,200}") {
        assert!(notebook_text(&text).is_none_or(|text| text.ends_with('\n')));
    }
}

#[test]
fn a_text_that_is_one_definition_is_cut_as_that_definition() {
    let parsed = parse("a.rs", "/// Tries again.\nfn retry() {\n    again();\n}\n", 500);
    let symbols: Vec<_> = parsed.chunks.iter().map(|chunk| (chunk.kind, chunk.symbol.as_deref())).collect();
    assert_eq!(symbols, [(ChunkKind::Function, Some("fn retry"))]);
}

#[test]
fn definitions_in_a_decorator_follow_what_it_decorates() {
    let text = "@Card({ open() {} })\nexport class Store {}\n";
    assert_laws("card.ts", text, 400);
    let names: Vec<String> = parse("card.ts", text, 400).symbols.into_iter().map(|symbol| symbol.name).collect();
    assert_eq!(names, ["Store", "open"]);
}

#[test]
fn only_the_first_of_a_list_includes_the_declaration() {
    let text = "export const open = { now() {} }, closed = 1;\n";
    let symbols = parse("list.js", text, 400).symbols;
    let symbols: Vec<&str> = symbols.iter().filter_map(|symbol| symbol.span.bytes.of(text)).collect();
    assert_eq!(symbols, [text.trim_end(), "now() {}", "closed = 1"]);
}

#[test]
fn a_variable_may_be_called_self() {
    let [symbol] = &parse("self.js", "const self = this;\n", 400).symbols[..] else { panic!("one symbol") };
    assert_eq!((&*symbol.name, &*symbol.qualified), ("self", "self"));
}

#[test]
fn a_window_before_a_blank_line_is_not_repeated() {
    let rows = format!("{}\n{}", "a\n".repeat(100), "b ".repeat(210));
    assert_laws("rows.xyz", &rows, 220);
}

#[test]
fn a_line_over_the_limit_is_cut_between_words() {
    let text = format!("let x = \"{}\";\n", "word ".repeat(2_000));
    for name in ["long.rs", "long.md", "long.xyz"] {
        assert_laws(name, &text, 400);
    }
}

#[test]
fn an_empty_or_blank_text_has_no_chunks() {
    for name in FIXTURES {
        for text in ["", "\n", "  \n\t\n"] {
            assert!(parse(name, text, 400).chunks.is_empty(), "{name} {text:?}");
        }
    }
}

#[test]
fn a_few_hundred_levels_are_parsed() {
    let text = format!("const X = {}1{};\n", "[".repeat(500), "]".repeat(500));
    assert_eq!(parse("deep.js", &text, 400).outcome, ParseOutcome::Parsed);
}

#[test]
fn windows_overlap_only_if_they_cut_between_full_lines() {
    let dense = "one two three four\n".repeat(150);
    let chunks = parse("dense.xyz", &dense, 400).chunks;
    for pair in chunks.windows(2) {
        let overlap = pair[0].span.end_line + 1 - pair[1].span.start_line;
        assert_eq!(overlap, 10);
    }
    let airy = "one two three four\n\n".repeat(75);
    let chunks = parse("airy.xyz", &airy, 400).chunks;
    assert!(chunks.len() > 1);
    assert!(chunks.windows(2).all(|pair| pair[0].span.end_line < pair[1].span.start_line));
}
