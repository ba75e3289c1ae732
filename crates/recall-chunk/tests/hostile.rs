//! Texts that must not crash, hang or exhaust any parser.

use std::time::{Duration, Instant};

use recall_chunk::{ChunkLimits, Chunker, PARSE_STACK_BYTES};
use recall_core::{Limits, ParsedDocument};
use recall_text::{DocPath, Language};

use crate::fixtures::files;

/// The languages of the fixtures, and others that are cut by their own rules.
fn languages() -> Vec<Language> {
    let language_of = |name: &String| {
        let path = DocPath::new(name).expect("plain");
        Language::detect(&path, "").expect("a fixture has a language")
    };
    let others = ["asciidoc", "org", "text"].map(Language::from_static);
    files::names().iter().map(language_of).chain(others).collect()
}

/// Brackets, chains and prefixes of all languages, and constructs that scanners keep state for.
const PATTERNS: &[&str] = &[
    "(",
    "[",
    "{",
    "<",
    ")",
    "\"",
    "'",
    "`",
    "<div>",
    "if x {",
    "if (x) ",
    "else if x {",
    "a.",
    "a(",
    "a::",
    "-",
    "!",
    "*",
    "not ",
    "- ",
    "- - ",
    "a: - ",
    "[ - ",
    "\" - ",
    "? ",
    ": ",
    "a=",
    "a+",
    "a?",
    "?:",
    "a: ",
    "# ",
    "\n",
    " ",
    "/*",
    "{-",
    "[[",
    "#{",
    "\"#{",
    "${",
    "\"${",
    "$(",
    "do ",
    "begin ",
    "def x ",
    "func(){",
    "\\x->",
    "let x=",
    "@a(",
    "case x of ",
    "f $ ",
    "a,",
    "é",
    "<<A\n",
    "<<A,",
    "%w(",
    "f\"{",
    "'''",
    "```\n",
    "> ",
    "  - a:\n",
    "a\n",
    "[a]\n",
    "select(",
    "a{b:",
    "template<",
    "a<b<",
    "#if 1\n",
    "namespace a{",
    "class A:\n ",
    "x if ",
    "x=>",
    "()=>{",
];

/// The largest file that is read.
const SIZE_BYTES: usize = 1024 * 1024;

/// The patterns tried at full size in every grammar. The others are tried at a size that keeps the test short.
const LARGEST: &[&str] = &["(", "{", "<div>", "if x {", "not ", "- "];
const SMALL_BYTES: usize = 2 * 1024;

/// Runs the work for all languages on a few threads that have the stack that parsing needs.
fn for_languages(work: impl Fn(&Language) + Send + Sync) {
    let all = languages();
    std::thread::scope(|scope| {
        for languages in all.chunks(all.len() / 4) {
            let work = &work;
            let thread = std::thread::Builder::new().stack_size(PARSE_STACK_BYTES);
            thread.spawn_scoped(scope, move || languages.iter().for_each(work)).expect("a thread starts");
        }
    });
}

fn parse(language: &Language, text: &str) -> ParsedDocument {
    let limits = ChunkLimits { parse_time: Duration::from_millis(50), ..ChunkLimits::from(&Limits::default()) };
    let path = DocPath::new("hostile").expect("plain");
    Chunker::new(limits).parse(&path, Some(language), text)
}

fn assert_covered(text: &str, parsed: &ParsedDocument, what: &str) {
    let most_tokens = 4 * Limits::default().chunk_tokens;
    let mut covered = 0;
    for chunk in &parsed.chunks {
        let (start, end) = (chunk.span.bytes.start as usize, chunk.span.bytes.end as usize);
        assert!(start <= covered || text[covered..start].trim().is_empty(), "{what}: a gap before {start}");
        assert!(end > covered, "{what}: nothing new at {start}");
        assert!(chunk.tokens <= most_tokens, "{what}: a chunk of {} tokens", chunk.tokens);
        covered = end;
    }
    assert!(text[covered..].trim().is_empty(), "{what}: the end is missing");
}

#[test]
fn every_grammar_survives_any_repeated_pattern() {
    /// A parse is cancelled at its limit, and all else is linear. On a loaded machine this only bounds hanging.
    const PATIENCE: Duration = Duration::from_secs(30);
    for_languages(|language| {
        for &pattern in PATTERNS {
            let size = if LARGEST.contains(&pattern) { SIZE_BYTES } else { SMALL_BYTES };
            let text = pattern.repeat(size / pattern.len());
            let start = Instant::now();
            let parsed = parse(language, &text);
            let what = format!("{language} {pattern:?}");
            assert!(start.elapsed() < PATIENCE, "{what} took {:?}", start.elapsed());
            assert_covered(&text, &parsed, &what);
        }
    });
}

/// Indentation, heredocs and interpolations that exceed the buffers of the scanners.
#[test]
fn scanner_state_stays_within_its_buffer() {
    let stairs = |line: &str| {
        let lines: Vec<String> = (0..600).map(|level| " ".repeat(level) + line + "\n").collect();
        lines.concat()
    };
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(300), close.repeat(300));
    let texts = [
        stairs("if x:"),
        stairs("if f'{x}': f'{f\"{"),
        stairs("a:"),
        stairs("- a: |"),
        stairs("where x ="),
        stairs("object A:"),
        stairs("<div>"),
        nested("\"#{", "}\""),
        nested("$\"{", "}\""),
        format!("<<{}\n", "A".repeat(1_019)),
        format!("x = <<{}A\n", "<<~AAAA, ".repeat(127)),
        format!("cat <<{}\n", "A".repeat(1_015)),
        format!("${}${}", "a".repeat(1_023), "b".repeat(1_024)),
        format!("R\"{}(x", "a".repeat(2_000)),
        format!("<{}>", "x-".repeat(600)),
        format!("r{}\"x", "#".repeat(300)),
    ];
    for_languages(|language| {
        for text in &texts {
            let parsed = parse(language, text);
            assert_covered(text, &parsed, &format!("{language} {:?}", &text[..20]));
        }
    });
}

/// Some scanners index C's tables with characters outside of them.
#[test]
fn a_character_of_any_plane_after_a_brace_is_safe() {
    for_languages(|language| {
        for text in ["{\u{31860}", "{1\u{FFFFF}", "{1..\u{10FFFF}"] {
            assert_covered(text, &parse(language, text), &format!("{language} {text:?}"));
        }
    });
}
