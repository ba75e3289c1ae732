//! Pages of hits: no text twice, every hit once, each with its enclosing definitions or headings.

use std::collections::BTreeSet;
use std::time::Duration;

use recall_core::{DocumentType, Facets, Filters, SearchRequest};
use recall_engine::{Answer, Engine, Facet, SearchError};
use recall_text::Language;

use crate::support::{Sandbox, paths, request};

fn page(sandbox: &Sandbox, engine: &Engine, query: &str, offset: u32, limit: u32) -> Answer {
    let request = SearchRequest { offset, limit, ..request(query) };
    engine.search(&sandbox.origin(), &request).expect("a page")
}

/// Returns the citations of all hits, page by page, each with the places of the texts that nearly repeat it.
fn pages(sandbox: &Sandbox, engine: &Engine, query: &str, limit: u32) -> Vec<(String, Vec<String>)> {
    let (mut seen, mut offset) = (Vec::new(), Some(0));
    while let Some(from) = offset {
        let page = page(sandbox, engine, query, from, limit);
        assert!(page.hits.len() as u32 == limit || page.next_offset.is_none(), "only the last page may be short");
        seen.extend(page.hits.iter().map(|hit| (hit.citation(), hit.also_at.clone())));
        offset = page.next_offset;
    }
    seen
}

/// Returns a function of twelve lines, of which `changed` are unique to it.
fn function(name: &str, changed: usize) -> String {
    let line = |n: usize| {
        let of = if n < changed { name } else { "every" };
        format!("    let backoff_{of}_{n} = delay.retry({n});\n")
    };
    let body: String = (0..12).map(line).collect();
    format!("fn retry_backoff() {{\n{body}}}\n")
}

#[test]
fn pages_of_any_length_have_every_hit_once_even_if_texts_repeat() {
    let mut sandbox = Sandbox::new();
    // No file changes: one scan is enough.
    sandbox.limits.scan_interval = Duration::from_hours(1);
    for n in 0..30 {
        // Every third file is a copy of one function with at most a line of its own; the others differ in most lines.
        let changed = if n % 3 == 0 { usize::from(n % 2 == 0) } else { 10 };
        sandbox.write(&format!("m{n:02}.rs"), &function(&format!("m{n:02}"), changed));
    }
    let engine = sandbox.engine();
    let all = pages(&sandbox, &engine, "retry backoff delay", 50);
    assert_eq!(all.len(), 21, "ten copies are one hit");
    let repeated: Vec<_> = all.iter().filter(|(_, also_at)| !also_at.is_empty()).collect();
    assert_eq!(repeated.iter().map(|(_, also_at)| also_at.len()).collect::<Vec<_>>(), [9]);
    let citations = |hits: &[(String, Vec<String>)]| hits.iter().map(|(hit, _)| hit.clone()).collect::<Vec<_>>();
    for limit in [1, 4, 20] {
        let hits = citations(&pages(&sandbox, &engine, "retry backoff delay", limit));
        assert_eq!(hits, citations(&all), "pages of {limit}");
    }
    let named: BTreeSet<_> = all.iter().flat_map(|(hit, also_at)| also_at.iter().chain([hit])).collect();
    assert_eq!(named.len(), 30, "every file is named once");
}

#[test]
fn texts_that_only_share_a_pattern_stay_separate_hits() {
    let sandbox = Sandbox::with(&[
        ("a.rs", "fn retry_a(delay: u64) -> u64 {\n    delay + 1\n}\n"),
        ("b.rs", "fn retry_b(delay: u64) -> u64 {\n    delay + 2\n}\n"),
        ("c.rs", "\nfn retry_b(delay: u64) -> u64 {\n    delay + 2\n}\n"),
    ]);
    let answer = sandbox.search(&sandbox.engine(), "retry delay");
    assert_eq!(answer.hits.len(), 2, "{:?}", paths(&answer));
}

/// Returns the name, kind and signature of each definition or heading around the first hit, outermost first.
fn around(sandbox: &Sandbox, query: &str) -> (String, Vec<String>) {
    let answer = sandbox.search(&sandbox.engine(), query);
    let hit = answer.hits.first().expect("a hit");
    let shown = hit.parents.iter().map(|parent| {
        let signature = parent.signature.as_deref().unwrap_or("-");
        format!("{} {} {signature} {}-{}", parent.kind.as_str(), parent.name, parent.start_line, parent.end_line)
    });
    (hit.chunk.symbol.clone().unwrap_or_default(), shown.collect())
}

/// A project with small chunks, so that short texts are cut too.
fn sandbox_of_small_chunks(path: &str, text: &str) -> Sandbox {
    let mut sandbox = Sandbox::with(&[(path, text)]);
    sandbox.limits.chunk_tokens = 100;
    sandbox
}

#[test]
fn a_method_has_its_class_and_module_around_it() {
    let body = "        let socket = self.connect(address, timeout, retries);\n".repeat(4);
    let method =
        |name: &str| format!("    pub fn {name}(&self, address: &str) -> Socket {{\n{body}        socket\n    }}\n");
    let text = format!(
        "use std::io;\n\nmod net {{\nimpl Client {{\n{}\n{}}}\n}}\n",
        method("open_channel"),
        method("shut_channel")
    );
    let (symbol, parents) = around(&sandbox_of_small_chunks("net.rs", &text), "shut_channel");
    assert_eq!(symbol, "mod net > impl Client > fn shut_channel");
    assert_eq!(parents, ["module net mod net 3-21", "type impl Client impl Client 4-21"]);

    let body = "        socket = self.connect(address, timeout, retries)\n".repeat(4);
    let method = |name: &str| format!("    def {name}(self, address):\n{body}        return socket\n");
    let filler = "Keeps one channel for each address and closes the idle ones. ".repeat(5);
    let text = format!(
        "import socket\n\nclass Client(Base):\n    \"\"\"{filler}\"\"\"\n\n{}\n{}",
        method("open_channel"),
        method("shut_channel")
    );
    let (symbol, parents) = around(&sandbox_of_small_chunks("net.py", &text), "shut_channel");
    assert_eq!(symbol, "class Client > def shut_channel");
    assert_eq!(parents, ["class Client class Client(Base) 3-18"]);
}

#[test]
fn a_section_has_its_enclosing_headings_and_text_outside_of_headings_has_none() {
    let filler = "Segments are sealed, folded and read again by whoever follows the journal. ".repeat(6);
    let text =
        format!("# Store\n\n{filler}\n\n## Journal\n\n{filler}\n\n### Torn tails\n\nA torn tail is cut. {filler}\n");
    let (symbol, parents) = around(&sandbox_of_small_chunks("store.md", &text), "torn tail is cut");
    assert_eq!(symbol, "Store > Journal > Torn tails");
    // The passage with the words is shown, which is below its heading.
    assert_eq!(parents, ["heading Store - 1-11", "heading Journal - 5-11", "heading Torn tails - 9-11"]);

    let (symbol, parents) = around(&Sandbox::with(&[("a.rs", "fn retry() {}\n")]), "retry");
    assert_eq!((symbol.as_str(), parents.len()), ("fn retry", 0));
}

#[test]
fn facets_count_all_matching_documents_not_only_the_hits() {
    let sandbox = Sandbox::new();
    for n in 0..30 {
        sandbox.write(&format!("src/net/deep/m{n}.rs"), &format!("/// Retry number {n}.\nfn retry_{n}() {{}}\n"));
    }
    sandbox.write("docs/a.md", "---\ntags: [ops]\n---\n# Retry\n\nRetry twice.\n\n# More\n\nRetry again.\n");
    sandbox.write("b.py", "def retry():\n    pass\n");
    sandbox.write("other.py", "def unrelated():\n    pass\n");
    let engine = sandbox.engine();
    let counted = |filters| {
        let request = SearchRequest { facets: Facets::On, limit: 1, filters, ..request("retry") };
        engine.search(&sandbox.origin(), &request).expect("an answer").facets
    };
    let shown = |facets: Vec<Facet>| {
        let facet = |Facet { name, counts, left_out }: Facet| {
            assert_eq!(left_out, 0);
            let counts: Vec<String> = counts.iter().map(|(value, count)| format!("{value} {count}")).collect();
            format!("{name}: {}", counts.join(", "))
        };
        facets.into_iter().map(facet).collect::<Vec<_>>()
    };
    assert_eq!(
        shown(counted(Filters::default())),
        [
            "type: code 31, documentation 1",
            "language: rust 30, markdown 1, python 1",
            "directory: src/net 30, . 1, docs 1",
            "tag: ops 1"
        ]
    );
    let prose = Filters { types: vec![DocumentType::Documentation], ..Filters::default() };
    assert_eq!(
        shown(counted(prose)),
        ["type: documentation 1", "language: markdown 1", "directory: docs 1", "tag: ops 1"]
    );
    assert_eq!(sandbox.search(&engine, "retry").facets, []);
}

#[test]
fn an_unknown_language_is_rejected_and_an_alias_is_accepted() {
    let sandbox = Sandbox::with(&[("a.py", "def retry():\n    pass\n"), ("b.rs", "fn retry() {}\n")]);
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "lang:py retry")), ["a.py"]);
    let check = |request: SearchRequest| match engine.search(&sandbox.origin(), &request) {
        Err(SearchError::Language(unknown)) => assert_eq!(unknown.near, ["python"]),
        other => panic!("{other:?}"),
    };
    check(request("lang:pyton retry"));
    let filters = Filters { languages: vec![Language::from("pyton".to_owned())], ..Filters::default() };
    check(SearchRequest { filters, ..request("retry") });
}

/// Returns the lines of a body that is long enough to be a chunk of its own.
fn steps(name: &str) -> String {
    (0..30).fold(String::new(), |lines, n| lines + &format!("    let step_{n} = {name}.advance({n});\n"))
}

#[test]
fn the_code_of_a_file_is_shown_and_not_its_tests() {
    let code = ["/// Completes the call of a method.\nfn complete_call(method: Method) {\n", &steps("method"), "}\n"];
    let test = [
        "#[cfg(test)]\nmod tests {\n#[test]\nfn completion_of_method_calls() {\n",
        "    // Completion of method calls completes method calls.\n",
        &steps("call"),
        "}\n}\n",
    ];
    let source = [code.concat(), test.concat()].join("\n");
    let sandbox = Sandbox::with(&[("src/completion.rs", source.as_str()), ("src/other.rs", "fn other() {}\n")]);
    let engine = sandbox.engine();
    for (query, expected) in [
        ("completion of method calls", "fn complete_call"),
        ("tests for the completion of method calls", "mod tests > fn completion_of_method_calls"),
        ("completion_of_method_calls", "mod tests > fn completion_of_method_calls"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(answer.hits[0].chunk.symbol.as_deref(), Some(expected), "{query}");
    }
}
