//! Properties of every text in every language.
//!
//! Each run checks the same 400 cases. `PROPTEST_CASES=100000 PROPTEST_RNG_SEED=7 cargo test -p recall-chunk` checks
//! others.

#[path = "fixtures/laws.rs"]
pub(crate) mod law;

use std::sync::LazyLock;

use proptest::prelude::*;
use recall_chunk::notebook_text;
use recall_core::{ChunkKind, ParseOutcome};

use crate::fixtures::files;
use law::{assert_laws, parse};

static FIXTURES: LazyLock<Vec<String>> = LazyLock::new(files::names);

fn fixture(name: &str) -> String {
    std::fs::read_to_string(files::folder().join(name)).expect("the fixture is there")
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
        assert_laws(&FIXTURES[which], &damaged(&fixture(&FIXTURES[which]), &edits), max_tokens);
    }

    #[test]
    fn any_text_is_covered_by_ordered_chunks(
        which in 0..FIXTURES.len(),
        text in "([ \\t\\r\\n(){}\\[\\]<>\"'`;:,.#@=a-c0-9/*\\\\$%&|+-]|é|漢|\\PC){0,300}",
        max_tokens in 1_u32..60,
    ) {
        assert_laws(&FIXTURES[which], &text, max_tokens);
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
    let symbols: Vec<&str> = symbols.iter().filter_map(|symbol| symbol.span.bytes.slice(text)).collect();
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
    for name in &*FIXTURES {
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
