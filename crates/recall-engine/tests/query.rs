//! Statements of the query language, compared with a naive evaluation over all rows.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use recall_core::rql::{
    Combined, Comparison, Expression, Field, Filter, Literal, Moment, Operator, Query, parse_statement,
};
use recall_core::{AddMemory, ChunkKind, Explain, MemoryOrigin, MemoryType, Provenance, Repeats, Scope};
use recall_engine::{Engine, Evaluated, QueryAnswer, QueryRequest, QueryRow, RowOrder, SearchError, StoreError};

use crate::support::{Sandbox, new_memory, paths, request};

fn ask(sandbox: &Sandbox, engine: &Engine, text: &str) -> QueryAnswer {
    let query = Query::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let request = QueryRequest { query, scope: Scope::All, explain: Explain::On };
    engine.query(&sandbox.origin(), &request).expect("an answer")
}

fn rows(answer: &QueryAnswer) -> Vec<String> {
    answer.rows.iter().map(name).collect()
}

/// The identity of a row: its path, and the first line of its chunk.
fn name(row: &QueryRow) -> String {
    match &row.chunk {
        Some((_, chunk, _)) => format!("{}:{}", row.document.path, chunk.span.start_line),
        None => row.document.path.to_string(),
    }
}

const FILES: &[(&str, &str)] = &[
    (
        "src/store.rs",
        "//! Stores.\n\npub struct Store {\n    rows: u32,\n}\n\nimpl Store {\n    pub fn open() -> Self {\n        Store { rows: 0 }\n    }\n}\n",
    ),
    ("src/session.rs", "/// Closes a session.\npub fn close_session(id: u64) {\n    drop(id);\n}\n"),
    (
        "src/net/client.py",
        "def connect(host):\n    return host\n\n\nclass Client:\n    def close(self):\n        pass\n",
    ),
    (
        "docs/guide.md",
        "---\ntitle: Guide\ntags: [release, ops]\n---\n# Guide\n\nHow to close a session.\n\n## Deploy\n\nPush it.\n",
    ),
    ("docs/adr/0001-rows.md", "# 1. Rows\n\n## Status\nAccepted\n\n## Decision\nWe count rows.\n"),
    ("notes.txt", "plain text\n"),
];

fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::with(FILES);
    // No file changes unless a test says so: one scan is enough.
    sandbox.limits.scan_interval = Duration::from_hours(1);
    sandbox
}

#[test]
fn rows_come_in_the_order_of_paths_and_spans() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let documents = ask(&sandbox, &engine, "SELECT * FROM doc");
    assert_eq!(
        rows(&documents),
        ["docs/adr/0001-rows.md", "docs/guide.md", "notes.txt", "src/net/client.py", "src/session.rs", "src/store.rs"]
    );
    let chunks = ask(&sandbox, &engine, "SELECT * FROM chunk FILTER doc.path GLOB 'src/**/*.rs'");
    assert!(rows(&chunks).is_sorted(), "{:?}", rows(&chunks));
    assert_eq!(chunks.plan.as_ref().expect("asked").order, RowOrder::Read);
    let by_size = ask(&sandbox, &engine, "SELECT path FROM doc ORDER BY doc.size DESC LIMIT 2");
    let mut sizes: Vec<_> = FILES.iter().map(|(path, text)| (std::cmp::Reverse(text.len()), *path)).collect();
    sizes.sort_unstable();
    assert_eq!(rows(&by_size), sizes[..2].iter().map(|(_, path)| *path).collect::<Vec<_>>());
}

#[test]
fn a_filter_reads_no_longer_than_its_limit() {
    let mut sandbox = sandbox();
    let text = "SELECT path FROM chunk FILTER chunk.text LIKE '%session%'";
    assert!(!rows(&ask(&sandbox, &sandbox.engine(), text)).is_empty());
    sandbox.limits.filter_time = Duration::ZERO;
    let engine = sandbox.engine();
    let query = Query::parse(text).expect("a statement");
    let asked = QueryRequest { query, scope: Scope::All, explain: Explain::Off };
    let error = engine.query(&sandbox.origin(), &asked).expect_err("the time is over at once");
    assert!(matches!(error, SearchError::Store(StoreError::FilterTime { documents: 0, .. })), "{error:?}");
}

#[test]
fn only_texts_that_may_hold_a_literal_are_read() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let texts = |filter: &str| {
        let answer = ask(&sandbox, &engine, &format!("SELECT path FROM chunk FILTER {filter}"));
        answer.plan.expect("asked").stores[0].read.texts
    };
    assert_eq!(texts("chunk.text LIKE '%a text that is nowhere%'"), 0);
    assert_eq!(texts("chunk.text LIKE '%drop(%' AND chunk.text LIKE '%connect%'"), 0, "no file has both");
    let all = texts("chunk.text LIKE '%'");
    let some = texts("chunk.text LIKE '%plain text%'");
    assert!(0 < some && some < all, "{some} of {all}");
}

#[test]
fn the_texts_of_chunks_cover_the_files() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for row in ask(&sandbox, &engine, "SELECT * FROM chunk").rows {
        texts.entry(row.document.path.to_string()).or_default().push_str(&row.chunk.expect("a chunk").2);
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for (path, text) in FILES {
        assert_eq!(words(&texts[*path]), words(text), "{path}");
    }
}

#[test]
fn pages_have_every_row_once() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    for order in ["", "ORDER BY chunk.tokens DESC"] {
        let all = rows(&ask(&sandbox, &engine, &format!("SELECT * FROM chunk {order}")));
        for limit in [1, 3, 5] {
            let (mut seen, mut offset) = (Vec::new(), Some(0));
            while let Some(from) = offset {
                let page = ask(&sandbox, &engine, &format!("SELECT * FROM chunk {order} LIMIT {limit} OFFSET {from}"));
                seen.extend(rows(&page));
                offset = page.next_offset;
            }
            assert_eq!(seen, all);
        }
    }
}

#[test]
fn the_plan_says_what_the_catalog_evaluated() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let plan = |text: &str| ask(&sandbox, &engine, text).plan.expect("asked");
    let one = plan("SELECT * FROM doc FILTER doc.path = 'src/store.rs'");
    assert_eq!(one.stores[0].read.documents, 1);
    assert!(one.stores[0].search[0].contains("USING INDEX") && one.stores[0].search[0].contains("path=?"), "{one:?}");
    let below = plan("SELECT * FROM chunk FILTER doc.path GLOB 'src/*.rs' AND chunk.text LIKE '%drop%'");
    assert!(below.stores[0].search[0].contains("path>? AND path<?"), "{below:?}");
    assert_eq!(below.stores[0].read.documents, 3, "those below src/");
    let evaluated: Vec<_> = below.conditions.iter().map(|one| (one.text.as_str(), one.evaluated)).collect();
    assert_eq!(
        evaluated,
        [("doc.path GLOB 'src/*.rs'", Evaluated::Both), ("chunk.text LIKE '%drop%'", Evaluated::Rows)]
    );
    let id = ask(&sandbox, &engine, "SELECT id FROM doc LIMIT 1").rows[0].document.id;
    let by_id = plan(&format!("SELECT * FROM chunk FILTER chunk.doc_id = '{id}'"));
    assert!(by_id.stores[0].search[0].contains("documents_by_id"), "{by_id:?}");
    assert_eq!(plan("SELECT * FROM chunk FILTER doc.scope = 'global'").stores[0].read.documents, 0);
    assert_eq!(
        plan("SELECT * FROM chunk LIMIT 1").stores[0].read.documents,
        2,
        "those of the page and of one more row"
    );
    let named = plan("SELECT * FROM chunk FILTER chunk.symbol = 'fn close_session'");
    assert_eq!(named.stores[0].read.documents, 1, "{named:?}");
}

#[test]
fn a_changed_file_is_indexed_before_its_rows_are_shown() {
    let mut sandbox = sandbox();
    sandbox.limits.scan_interval = Duration::from_hours(1);
    let engine = sandbox.engine();
    let statement = "SELECT * FROM chunk FILTER doc.path = 'src/session.rs'";
    assert!(ask(&sandbox, &engine, statement).rows[0].chunk.as_ref().expect("a chunk").2.contains("drop(id)"));
    sandbox.write("src/session.rs", "/// Ends it.\npub fn end_session() {\n    todo_list();\n}\n");
    let answer = ask(&sandbox, &engine, statement);
    assert!(answer.rows[0].chunk.as_ref().expect("a chunk").2.contains("todo_list"), "{answer:?}");
    std::fs::remove_file(sandbox.root().join("src/session.rs")).expect("removed");
    assert_eq!(rows(&ask(&sandbox, &engine, statement)), [""; 0]);
}

#[test]
fn secrets_are_masked_and_no_filter_finds_them() {
    let secret = ["ghp_", "1kR8sTq0ZxW7cVb3NmP5uYd2LfGh9JeA4oQi"].concat();
    let sandbox = Sandbox::with(&[("deploy.sh", &format!("#!/bin/sh\nexport GITHUB_TOKEN={secret}\n"))]);
    let engine = sandbox.engine();
    let all = ask(&sandbox, &engine, "SELECT * FROM chunk");
    let text = &all.rows[0].chunk.as_ref().expect("a chunk").2;
    assert!(!text.contains("ghp_") && text.contains("[secret: "), "{text}");
    assert!(!all.warnings.is_empty());
    let found = |filter: &str| ask(&sandbox, &engine, &format!("SELECT * FROM chunk FILTER {filter}")).rows.len();
    assert_eq!(found("chunk.text LIKE '%ghp_0%'"), 0);
    assert_eq!(found("NOT chunk.text LIKE '%ghp_0%'"), 1);
    // What a mask holds is not in the file.
    for masked in ["[secret: ", "secret", "GITHUB_TOKEN=[secret: github-token]", "github-token", "cret: git"] {
        assert_eq!(found(&format!("chunk.text LIKE '%{masked}%'")), 1, "{masked}");
    }
}

#[test]
fn retrievers_rank_rows_and_filters_restrict_them() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let ranked = |text: &str| ask(&sandbox, &engine, text);
    let answer = ranked("SELECT path, score FROM chunk USING lexical('close session')");
    assert!(name(&answer.rows[0]).starts_with("src/session.rs") || name(&answer.rows[0]).starts_with("docs/guide.md"));
    let scores: Vec<f64> = answer.rows.iter().map(|row| row.score.expect("ranked")).collect();
    assert!((scores[0] - 1.0).abs() < 1e-9 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let documents = rows(&ranked("SELECT path FROM doc USING lexical('close session')"));
    let mut distinct = documents.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(documents.len(), distinct.len());
    let filtered = ranked("SELECT path FROM doc USING lexical('close session') FILTER doc.language = 'markdown'");
    assert_eq!(rows(&filtered), ["docs/guide.md"]);
    let ascending = rows(&ranked("SELECT path FROM doc USING lexical('close session') ORDER BY score ASC"));
    assert_eq!(ascending.iter().rev().collect::<Vec<_>>(), documents.iter().collect::<Vec<_>>());
    let nothing = ranked("SELECT path FROM chunk USING lexical('lang:rust')");
    assert!(nothing.rows.iter().all(|row| row.document.path.as_str() != "src/store.rs"), "a word, not a filter");
}

#[test]
fn a_filter_restricts_a_search() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let search = |filter: &str| {
        let filter = Filter::parse(filter).expect("valid");
        let answer =
            engine.search_where(&sandbox.origin(), &request("close session"), Some(&filter)).expect("an answer");
        let mut found: Vec<String> = paths(&answer).into_iter().map(str::to_owned).collect();
        found.sort();
        found.dedup();
        found
    };
    assert_eq!(search("doc.path GLOB 'docs/**'"), ["docs/guide.md"]);
    assert_eq!(search("chunk.kind = 'function' AND NOT doc.language = 'python'"), ["src/session.rs"]);
    assert_eq!(search("doc.path = 'nowhere'"), [""; 0]);
    assert_eq!(search("memory.type = 'lesson'"), [""; 0]);
}

#[test]
fn the_passage_of_a_hit_passes_the_filter_too() {
    let body = "    let sum = numbers.iter().sum::<u64>();\n".repeat(12);
    let code = format!(
        "impl Session {{\nfn close_session(&self, numbers: &[u64]) {{\n{body}}}\n}}\n\n\
         fn add_up(numbers: &[u64]) {{\n    session.close_session(numbers);\n{body}}}\n"
    );
    let sandbox = Sandbox::with(&[("src/pool.rs", &code)]);
    let engine = sandbox.engine();
    for (kind, expected) in [("function", ChunkKind::Function), ("type", ChunkKind::Type)] {
        let filter = Filter::parse(&format!("chunk.kind = '{kind}'")).expect("valid");
        let answer = engine.search_where(&sandbox.origin(), &request("close_session"), Some(&filter));
        let kinds: Vec<ChunkKind> = answer.expect("an answer").hits.iter().map(|hit| hit.chunk.kind).collect();
        assert!(!kinds.is_empty() && kinds.iter().all(|found| *found == expected), "{kind}: {kinds:?}");
    }
}

#[test]
fn memories_are_rows_with_their_own_fields() {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let add = |memory_type, title: &str, tags: &[&str], session: &str| {
        let memory = AddMemory {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            origin: Some(MemoryOrigin::Human),
            repeats: Repeats::Refuse,
            provenance: Provenance { session: Some(session.to_owned()), ..Provenance::default() },
            ..new_memory(memory_type, title, format!("{title}, in detail."))
        };
        engine.add_memory(&sandbox.origin(), &memory).expect("kept").id
    };
    let lesson = add(MemoryType::Lesson, "Close sessions before the store", &["ops"], "s-1");
    let decision = add(MemoryType::Decision, "Rows are counted lazily", &[], "s-2");
    let found = |filter: &str| {
        let answer = ask(&sandbox, &engine, &format!("SELECT * FROM memory FILTER {filter}"));
        answer.rows.iter().map(|row| row.memory.as_ref().expect("a memory").memory.id).collect::<Vec<_>>()
    };
    assert_eq!(found("memory.type = 'lesson'"), [lesson]);
    assert_eq!(found("memory.session = 's-2'"), [decision]);
    assert_eq!(found("memory.tag = 'ops' AND memory.scope = 'project'"), [lesson]);
    assert_eq!(found(&format!("memory.id = '{decision}'")), [decision]);
    assert_eq!(found("memory.content LIKE '%lazily, in detail.'"), [decision]);
    assert_eq!(found("memory.usefulness >= 0"), []);
    assert_eq!(found("memory.created_at > '2999-01-01'"), []);
    let ranked = ask(&sandbox, &engine, "SELECT id FROM memory USING lexical('close sessions')");
    assert_eq!(ranked.rows[0].memory.as_ref().expect("a memory").memory.id, lesson);
    assert!(ask(&sandbox, &engine, "SELECT id FROM doc FILTER doc.type = 'lesson'").rows[0].document.memory.is_some());
}

#[test]
fn a_scope_without_a_store_is_an_error() {
    let sandbox = sandbox();
    let query = Query::parse("SELECT * FROM doc").expect("valid");
    let request = QueryRequest { query, scope: Scope::Domain, explain: Explain::Off };
    let error = sandbox.engine().query(&sandbox.origin(), &request);
    assert!(matches!(error, Err(SearchError::NoStore { scope: Scope::Domain })), "{error:?}");
}

/// The values of a row, by the words of the specification.
fn values(row: &QueryRow, field: Field) -> Vec<Literal> {
    let text = |text: &str| vec![Literal::Text(text.to_owned())];
    let number = |number: u64| vec![Literal::Number(number.to_string())];
    let document = &row.document;
    let chunk = row.chunk.as_ref();
    match field {
        Field::DocPath => text(document.path.as_str()),
        Field::DocType => text(document.document_type.as_str()),
        Field::DocTitle => text(&document.title),
        Field::DocScope => text(row.scope.as_str()),
        Field::DocLanguage => document.language.iter().flat_map(|language| text(language.as_str())).collect(),
        Field::DocTag => document.tags.iter().flat_map(|tag| text(tag)).collect(),
        Field::DocSize => number(document.size_bytes),
        Field::DocHash => text(&document.hash.to_string()),
        Field::DocId => text(&document.id.to_string()),
        Field::ChunkKind => chunk.iter().flat_map(|(_, chunk, _)| text(chunk.kind.as_str())).collect(),
        Field::ChunkSymbol => chunk.iter().filter_map(|(_, chunk, _)| chunk.symbol.as_deref()).flat_map(text).collect(),
        Field::ChunkText => chunk.iter().flat_map(|(_, _, content)| text(content)).collect(),
        Field::ChunkId => chunk.iter().flat_map(|(id, _, _)| text(&id.to_string())).collect(),
        Field::ChunkTokens => chunk.iter().flat_map(|(_, chunk, _)| number(u64::from(chunk.tokens))).collect(),
        Field::ChunkStartLine => {
            chunk.iter().flat_map(|(_, chunk, _)| number(u64::from(chunk.span.start_line))).collect()
        }
        other => panic!("{other}"),
    }
}

fn naive(expression: &Expression, row: &QueryRow) -> bool {
    match expression {
        Expression::Combined(Combined::And, parts) => parts.iter().all(|part| naive(part, row)),
        Expression::Combined(Combined::Or, parts) => parts.iter().any(|part| naive(part, row)),
        Expression::Not(part) => !naive(part, row),
        Expression::Comparison(Comparison { field, operator, values: given }) => {
            let field = Field::from_name(&field.node).expect("known");
            let compare = |operator| {
                given.iter().any(|given| match (field, &given.node) {
                    (Field::DocMtime, Literal::Text(date)) => {
                        let moment = Moment::parse(date).expect("a date");
                        let time = row.document.modified.0;
                        holds(operator, if time < moment.start { -1 } else { i32::from(time >= moment.end) }.cmp(&0))
                    }
                    (_, given) => values(row, field).iter().any(|own| one(own, operator, given)),
                })
            };
            if operator.node == Operator::NotEqual { !compare(Operator::Equal) } else { compare(operator.node) }
        }
    }
}

fn one(own: &Literal, operator: Operator, given: &Literal) -> bool {
    match (own, given) {
        (Literal::Number(own), Literal::Number(given)) => {
            let number = |digits: &str| digits.parse::<f64>().expect("digits");
            holds(operator, number(own).total_cmp(&number(given)))
        }
        (Literal::Text(own), Literal::Text(given)) => match operator {
            Operator::Like => recall_core::rql::Pattern::like(given).matches(own),
            Operator::Glob => recall_core::rql::Pattern::glob(given).matches(own),
            _ => holds(operator, own.cmp(given)),
        },
        _ => false,
    }
}

fn holds(operator: Operator, order: std::cmp::Ordering) -> bool {
    match operator {
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        _ => order.is_eq(),
    }
}

/// Comparisons whose values occur in the rows, so that most filters select some rows and not all.
fn comparison(rows: Vec<QueryRow>) -> impl Strategy<Value = String> + Clone {
    let texts = [
        Field::DocPath,
        Field::DocType,
        Field::DocTitle,
        Field::DocScope,
        Field::DocLanguage,
        Field::DocTag,
        Field::DocSize,
        Field::DocHash,
        Field::DocId,
        Field::ChunkKind,
        Field::ChunkSymbol,
        Field::ChunkText,
        Field::ChunkId,
        Field::ChunkTokens,
        Field::ChunkStartLine,
    ];
    let pick = (prop::sample::select(texts.to_vec()), prop::collection::vec(any::<prop::sample::Index>(), 1..4));
    (pick, any::<prop::sample::Index>(), 0_usize..6).prop_map(move |((field, places), operator, length)| {
        let known: Vec<Literal> = rows.iter().flat_map(|row| values(row, field)).collect();
        let given: Vec<&Literal> = places.iter().map(|place| place.get(&known)).collect();
        let operator = *operator.get(field.kind().operators());
        let given: Vec<String> = given
            .into_iter()
            .map(|literal| match (literal, operator) {
                (Literal::Text(text), Operator::Like | Operator::Glob) => {
                    let any = if operator == Operator::Like { "%" } else { "**" };
                    let part: String = text.chars().take(length).collect();
                    let rest: String = text.chars().skip(length + 2).collect();
                    Literal::Text(if length % 2 == 0 { format!("{part}{any}") } else { format!("{part}{any}{rest}") })
                }
                (literal, _) => literal.clone(),
            })
            .map(|literal| literal.to_string())
            .collect();
        if operator == Operator::In {
            format!("{field} IN ({})", given.join(", "))
        } else {
            format!("{field} {} {}", operator.as_str(), given[0])
        }
    })
}

fn filter(rows: Vec<QueryRow>) -> impl Strategy<Value = String> {
    let date = prop::sample::select(vec!["1980-01-01", "2999-01-01"]);
    let date = (date, prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="]))
        .prop_map(|(date, operator)| format!("doc.mtime {operator} '{date}'"));
    let leaf = prop_oneof![9 => comparison(rows), 1 => date];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 2..4), any::<bool>())
                .prop_map(|(parts, is_and)| format!("({})", parts.join(if is_and { " AND " } else { " OR " }))),
            inner.prop_map(|part| format!("NOT ({part})")),
        ]
    })
}

#[test]
fn answers_agree_with_a_naive_evaluation_over_all_rows() {
    let sandbox = sandbox();
    for number in 0..12 {
        let body = (0..40).map(|line| format!("    total += step({line}, {number});\n")).collect::<Vec<_>>().concat();
        let function =
            |name: &str| format!("pub fn {name}_{number}(mut total: u64) -> u64 {{\n{body}    total\n}}\n\n");
        sandbox.write(&format!("gen/m{number}.rs"), &["first", "second", "third"].map(function).concat());
    }
    // A second store, so that rows of two stores are merged.
    let global = sandbox.home().join("global");
    std::fs::create_dir_all(&global).expect("made");
    std::fs::write(global.join("patterns.md"), "# Patterns\n\nClose what you open.\n").expect("written");
    std::fs::write(global.join("notes.txt"), "other text\n").expect("written");
    let engine = sandbox.engine();
    let all = ask(&sandbox, &engine, "SELECT * FROM chunk LIMIT 1000").rows;
    assert!(all.len() > 40, "{}", all.len());
    let statement =
        (filter(all.clone()), 0_u32..4, 1_u32..8, prop::sample::select(vec!["", "ORDER BY chunk.tokens DESC"]));
    let mut runner = TestRunner::new(Config { cases: 400, ..Config::default() });
    runner
        .run(&statement, |(filter, offset, limit, order)| {
            let text = format!("SELECT * FROM chunk FILTER {filter} {order} LIMIT {limit} OFFSET {offset}");
            let tree = parse_statement(&text).expect("valid").filter.expect("given");
            let mut expected: Vec<&QueryRow> = all.iter().filter(|row| naive(&tree, row)).collect();
            if !order.is_empty() {
                // The sort is stable, and all rows are in the default order.
                let tokens = |row: &QueryRow| row.chunk.as_ref().map(|(_, chunk, _)| chunk.tokens);
                expected.sort_by_key(|row| std::cmp::Reverse(tokens(row)));
            }
            let total = expected.len();
            let page = expected.into_iter().skip(offset as usize).take(limit as usize);
            let answer = ask(&sandbox, &engine, &text);
            prop_assert_eq!(rows(&answer), page.map(name).collect::<Vec<_>>(), "{}", &text);
            prop_assert_eq!(answer.next_offset.is_some(), total > (offset + limit) as usize, "{}", &text);
            Ok(())
        })
        .expect("they agree");
}
