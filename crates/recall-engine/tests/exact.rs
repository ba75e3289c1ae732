//! Exact search: every place of a text and no other, the latest edits included, ranked, counted, and without secrets.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::{Sandbox, request};
use recall_core::{Case, DocumentType, ExactRequest, Filters, Needle, OtherProjects, PathFilter, Scope};
use recall_engine::{Engine, ExactAnswer, Hit, SearchError, Warning};
use recall_text::Language;

pub(crate) fn literal(text: &str) -> ExactRequest {
    ExactRequest {
        needle: Needle::Literal(text.to_owned()),
        case: Case::Sensitive,
        scope: Scope::All,
        filters: Filters::default(),
        limit: 1_000,
        offset: 0,
        others: OtherProjects::None,
    }
}

fn regex(expression: &str) -> ExactRequest {
    ExactRequest { needle: Needle::Regex(expression.to_owned()), ..literal("") }
}

fn find(sandbox: &Sandbox, engine: &Engine, request: &ExactRequest) -> ExactAnswer {
    engine.find_exact(&sandbox.origin(), request).expect("an answer")
}

/// `path:line` of a hit.
fn place(hit: &Hit) -> String {
    format!("{}:{}", hit.document.path, hit.chunk.span.start_line)
}

fn places(answer: &ExactAnswer) -> Vec<String> {
    answer.hits.iter().map(place).collect()
}

/// Random text of few different pieces, so that literals repeat.
fn random_text(random: &mut fastrand::Rng, pieces: usize) -> String {
    const PIECES: &[&str] =
        &["ab", "Ba", "é", "名前", "🦀", "<=>", "?.", " ", "\n", "_", "fn ", "K", "\u{212A}", "x1", "->", "\t", "日"];
    (0..pieces).map(|_| PIECES[random.usize(..PIECES.len())]).collect()
}

#[test]
fn a_literal_is_found_where_a_comparison_of_every_text_finds_it() {
    let sandbox = Sandbox::new();
    let mut random = fastrand::Rng::with_seed(7);
    let texts: Vec<(String, String)> = (0..40)
        .map(|number| (format!("d{number}.txt"), "start ".to_owned() + &random_text(&mut random, 120)))
        .collect();
    for (path, text) in &texts {
        sandbox.write(path, text);
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let (mut found, mut absent) = (0, 0);
    for _ in 0..120 {
        let pieces = random.usize(1..5);
        let needle = random_text(&mut random, pieces);
        let answer = find(&sandbox, &engine, &literal(&needle));
        let expected: u64 = texts.iter().map(|(_, text)| text.matches(&*needle).count() as u64).sum();
        assert_eq!(answer.totals.matches, expected, "{needle:?}");
        let documents = texts.iter().filter(|(_, text)| text.contains(&*needle)).count() as u64;
        assert_eq!(answer.totals.documents, documents, "{needle:?}");
        let mut lines = BTreeSet::new();
        for (path, text) in &texts {
            let number = |at: usize| 1 + text[..at].matches('\n').count();
            lines.extend(text.match_indices(&*needle).map(|(at, _)| format!("{path}:{}", number(at))));
        }
        if lines.len() <= 1_000 {
            assert_eq!(places(&answer).into_iter().collect::<BTreeSet<_>>(), lines, "{needle:?}");
        }
        assert!(answer.is_complete && answer.documents_searched == 40);
        found += u32::from(expected > 0);
        absent += u32::from(expected == 0);
    }
    assert!(found > 30 && absent > 10, "{found} found, {absent} absent");
}

#[test]
fn operators_phrases_and_parts_of_words_are_found_with_their_lines() {
    let sandbox = Sandbox::with(&[
        ("v.rb", "class V\n  def <=>(other)\n    1\n  end\nend\n"),
        ("c.ts", "export const z = (u?: U) => u?.zip ?? 1\n"),
        ("a.txt", "connection reset by\npeer 🦀\n"),
    ]);
    let engine = sandbox.engine();
    let check = |request: &ExactRequest, expected: &[&str]| {
        assert_eq!(places(&find(&sandbox, &engine, request)), expected, "{request:?}");
    };
    check(&literal("<=>"), &["v.rb:2"]);
    check(&literal("?."), &["c.ts:1"]);
    check(&literal("reset by\npeer"), &["a.txt:1"]);
    check(&literal("nnection res"), &["a.txt:1"]);
    check(&literal("🦀"), &["a.txt:2"]);
    check(&literal("CONNECTION"), &[]);
    check(&ExactRequest { case: Case::Insensitive, ..literal("CONNECTION") }, &["a.txt:1"]);
    check(&regex(r"^\s+def \S+\("), &["v.rb:2"]);
    check(&regex(r"reset[^x]*peer"), &[]);
    let answer = find(&sandbox, &engine, &literal("u"));
    let [hit] = &answer.hits[..] else { panic!("one line") };
    assert_eq!((hit.text.as_str(), answer.totals.matches), ("export const z = (u?: U) => u?.zip ?? 1", 2));
    assert!(hit.highlights.iter().all(|range| hit.text[range.clone()] == *"u") && hit.highlights.len() == 2);
}

#[test]
fn a_saved_file_is_in_the_next_answer_and_a_deleted_one_is_not() {
    let sandbox = Sandbox::with(&[("a.rs", "fn before() {}\n"), ("b.rs", "fn other() {}\n")]);
    let engine = sandbox.engine();
    let found = |text: &str| places(&find(&sandbox, &engine, &literal(text)));
    assert_eq!(found("fn before"), ["a.rs:1"]);
    sandbox.write("a.rs", "\nfn after() {}\n");
    assert_eq!((found("fn before"), found("fn after")), (Vec::new(), vec!["a.rs:2".to_owned()]));
    std::fs::remove_file(sandbox.root().join("a.rs")).expect("it is there");
    assert_eq!(found("fn after"), [""; 0]);
}

#[test]
fn definitions_come_first_then_the_main_code_then_what_matches_often() {
    let sandbox = Sandbox::with(&[
        ("src/use.rs", "use crate::retry;\nfn go() { retry(); retry(); retry(); }\n"),
        ("src/once.rs", "fn once() { retry(); }\n"),
        ("src/retry.rs", "// About retry.\n/// Calls retry.\nfn other() {}\n\npub fn retry() {}\n"),
        ("tests/retry.rs", "#[test]\nfn works() { retry(); retry(); retry(); retry(); retry(); }\n"),
    ]);
    let engine = sandbox.engine();
    let answer = find(&sandbox, &engine, &literal("retry"));
    let documents: Vec<String> = answer.hits.iter().map(|hit| hit.document.path.to_string()).collect();
    let mut order = documents.clone();
    order.dedup();
    assert_eq!(order, ["src/retry.rs", "src/use.rs", "src/once.rs", "tests/retry.rs"]);
    assert_eq!(places(&answer)[0], "src/retry.rs:5", "the line of the definition");
    assert_eq!((answer.totals.matches, answer.totals.lines, answer.totals.documents), (13, 7, 4));
    sandbox.write("errors.md", &"Raise a GiveUp when GiveUp holds: GiveUp.\n".repeat(9));
    sandbox.write("errors.py", "class GiveUp(Exception):\n    \"\"\"GiveUp is raised in the end.\"\"\"\n");
    assert_eq!(places(&find(&sandbox, &engine, &literal("GiveUp")))[0], "errors.py:1");
}

#[test]
fn pages_have_every_line_once_and_say_where_the_next_begins() {
    let mut sandbox = Sandbox::new();
    sandbox.limits.scan_interval = Duration::from_hours(1);
    for number in 0..9 {
        sandbox.write(&format!("f{number}.txt"), &"a needle here\nnothing\n".repeat(number + 1));
    }
    let engine = sandbox.engine();
    let all = places(&find(&sandbox, &engine, &literal("needle")));
    assert_eq!((all.len(), all.iter().collect::<BTreeSet<_>>().len()), (45, 45));
    for limit in [1, 7, 45] {
        let (mut seen, mut next) = (Vec::new(), Some(0));
        while let Some(offset) = next {
            let page = find(&sandbox, &engine, &ExactRequest { limit, offset, ..literal("needle") });
            assert_eq!((page.totals.lines, page.totals.documents), (45, 9));
            seen.extend(places(&page));
            next = page.next_offset;
        }
        assert_eq!(seen, all, "pages of {limit}");
    }
    let beyond = find(&sandbox, &engine, &ExactRequest { offset: 99, ..literal("needle") });
    assert_eq!((beyond.hits.len(), beyond.next_offset, beyond.totals.lines), (0, None, 45));
}

#[test]
fn filters_hold_and_a_filter_without_a_document_is_counted() {
    let sandbox = Sandbox::with(&[
        ("src/a.rs", "fn needle() {}\n"),
        ("src/b.py", "def needle(): pass\n"),
        ("docs/c.md", "# About\n\nThe needle.\n"),
    ]);
    let engine = sandbox.engine();
    let check = |filters: Filters, expected: &[&str]| {
        let answer = find(&sandbox, &engine, &ExactRequest { filters: filters.clone(), ..literal("needle") });
        let found: BTreeSet<String> = answer.hits.iter().map(|hit| hit.document.path.to_string()).collect();
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{filters:?}");
        answer
    };
    let paths = |path: &str| Filters { paths: vec![PathFilter(path.to_owned())], ..Filters::default() };
    check(paths("src"), &["src/a.rs", "src/b.py"]);
    check(paths("*.md"), &["docs/c.md"]);
    check(Filters { languages: vec![Language::from("py".to_owned())], ..Filters::default() }, &["src/b.py"]);
    check(Filters { types: vec![DocumentType::Documentation], ..Filters::default() }, &["docs/c.md"]);
    assert_eq!(check(paths("nowhere"), &[]).documents_searched, 0);
    let unknown = Filters { languages: vec![Language::from("elvish-script".to_owned())], ..Filters::default() };
    let refused = engine.find_exact(&sandbox.origin(), &ExactRequest { filters: unknown, ..literal("x") });
    assert!(matches!(refused, Err(SearchError::Language(_))), "{refused:?}");
}

#[test]
fn a_bad_pattern_is_an_error_and_not_an_empty_answer() {
    let sandbox = Sandbox::with(&[("a.txt", "x\n")]);
    let engine = sandbox.engine();
    for bad in ["(", "x*", r"a\nb"] {
        let refused = engine.find_exact(&sandbox.origin(), &regex(bad));
        assert!(matches!(refused, Err(SearchError::Pattern(_))), "{bad}: {refused:?}");
    }
}

#[test]
fn a_secret_is_neither_shown_nor_confirmed() {
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
    let sandbox = Sandbox::with(&[("config.txt", &format!("name = demo\ntoken = \"{secret}\" # keep\n"))]);
    let engine = sandbox.engine();
    assert_eq!(find(&sandbox, &engine, &literal(&secret)).totals.matches, 0);
    assert_eq!(find(&sandbox, &engine, &regex("ghp_a[0-9a-zA-Z]+")).totals.matches, 0);
    let answer = find(&sandbox, &engine, &literal("token = "));
    let [hit] = &answer.hits[..] else { panic!("one line") };
    assert!(hit.text.starts_with("token = ") && !hit.text.contains(&secret), "{}", hit.text);
    assert!(answer.warnings.iter().any(|warning| matches!(warning, Warning::SecretsMasked { .. })));
}

#[test]
fn what_is_not_indexed_is_counted_next_to_nothing_found() {
    let sandbox = Sandbox::with(&[("a.txt", "words\n"), ("b.bin", "a\0b\0c")]);
    let engine = sandbox.engine();
    let answer = find(&sandbox, &engine, &literal("needle"));
    assert_eq!((answer.totals.matches, answer.documents_searched), (0, 1));
    assert!(answer.is_complete, "{:?}", answer.warnings);
}

#[test]
fn a_plain_search_for_an_operator_finds_the_files_that_hold_it() {
    let sandbox = Sandbox::with(&[
        ("v.rb", "class V\n  def <=>(other)\n    1\n  end\nend\n"),
        ("p.ex", "defmodule P do\n  def a ~> b, do: {a, b}\n  def run(x), do: x |> String.trim()\nend\n"),
        ("c.ts", "export const z = (u?: U) => u?.zip ?? 1\n"),
        ("n.md", "# Notes\n\nA crab: 🦀\n"),
    ]);
    let engine = sandbox.engine();
    let found = |query: &str| {
        let answer = engine.search_or_find(&sandbox.origin(), &request(query), None).expect("an answer");
        assert!(!answer.is_doubtful);
        answer.hits.iter().map(|hit| hit.document.path.to_string()).collect::<Vec<_>>()
    };
    for (query, path) in
        [("<=>", "v.rb"), ("~>", "p.ex"), ("|>", "p.ex"), ("?.", "c.ts"), ("??", "c.ts"), ("🦀", "n.md")]
    {
        assert_eq!(found(query), [path], "{query}");
    }
    assert_eq!(found("|> <=>"), ["v.rb", "p.ex"], "one of the parts, if the whole is nowhere");
    assert_eq!(found("<<<>>>"), [""; 0]);
    assert_eq!(found("def"), engine_paths(&sandbox, &engine, "def"), "a query with a word is ranked");
}

fn engine_paths(sandbox: &Sandbox, engine: &Engine, query: &str) -> Vec<String> {
    sandbox.search(engine, query).hits.iter().map(|hit| hit.document.path.to_string()).collect()
}

#[test]
fn a_complete_answer_counts_the_files_that_may_hold_the_text_and_were_not_searched() {
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeK");
    let sandbox = Sandbox::with(&[("a.rs", "fn heron() {}\n"), ("b.rs", &format!("fn heron() {{}}\n// {key}"))]);
    std::fs::write(sandbox.root().join("heron.png"), [0x89, b'P', b'N', b'G', 0, 1, 2, 0]).expect("written");
    let answer = find(&sandbox, &sandbox.engine(), &literal("fn heron"));
    assert_eq!(
        (answer.totals.lines, answer.is_complete, answer.files_left_out),
        (1, true, 1),
        "the picture has no text"
    );
}
