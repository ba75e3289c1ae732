//! The allowed dependencies between crates, and the crates that may name a foreign library.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use recall_tests::workspace;
use serde_json::{Value, json};

/// The crates of the workspace that a crate may depend on. A crate that is not listed may depend on none.
const ARROWS: &[(&str, &[&str])] = &[
    ("recall-text", &[]),
    ("recall-core", &["recall-text"]),
    ("recall-os", &["recall-text"]),
    ("recall-chunk", &["recall-text", "recall-core", "recall-os"]),
    ("recall-index", &["recall-text", "recall-core", "recall-os"]),
    ("recall-rank", &[]),
    ("recall-secrets", &[]),
    ("recall-models", &["recall-text", "recall-core", "recall-os", "recall-secrets"]),
    ("recall-shared", &["recall-core"]),
    ("recall-journal", &["recall-text", "recall-core", "recall-os"]),
    ("recall-watch", &["recall-text", "recall-core", "recall-os"]),
    ("recall-api", &["recall-text", "recall-core"]),
    ("recall-config", &["recall-text", "recall-core", "recall-os"]),
    ("recall-agents", &["recall-text", "recall-core"]),
    (
        "recall-engine",
        &[
            "recall-text",
            "recall-core",
            "recall-os",
            "recall-chunk",
            "recall-index",
            "recall-agents",
            "recall-journal",
            "recall-rank",
            "recall-secrets",
            "recall-shared",
            "recall-watch",
        ],
    ),
    ("recall-client", &["recall-core", "recall-os", "recall-api", "recall-config"]),
    ("recall-page", &["recall-text", "recall-core", "recall-api"]),
    (
        "recalld",
        &[
            "recall-text",
            "recall-core",
            "recall-chunk",
            "recall-engine",
            "recall-models",
            "recall-page",
            "recall-api",
            "recall-config",
            "recall-shared",
            "recall-os",
        ],
    ),
    (
        "recall-cli",
        // The journal and the secrets for the review of a branch, which asks no daemon.
        &[
            "recall-agents",
            "recall-text",
            "recall-core",
            "recall-api",
            "recall-config",
            "recall-client",
            "recall-os",
            "recall-journal",
            "recall-secrets",
        ],
    ),
    // The last three only by its feature `training`, without which it is built and installed.
    (
        "recall-bench",
        &[
            "recall-text",
            "recall-core",
            "recall-os",
            "recall-api",
            "recall-client",
            "recall-rank",
            "recall-cli",
            "recall-chunk",
            "recall-engine",
            "recall-models",
        ],
    ),
    ("recall-shim", &["recall-text", "recall-core", "recall-api", "recall-config", "recall-client"]),
    ("recall-testkit", &["recall-core", "recall-config", "recall-journal"]),
    (
        "recall-tests",
        &[
            "recall-text",
            "recall-core",
            "recall-api",
            "recall-config",
            "recall-client",
            "recall-agents",
            "recall-testkit",
            "recalld",
            "recall-cli",
            "recall-shim",
            "recall-bench",
        ],
    ),
    (
        "recall-fuzz",
        &[
            "recall-text",
            "recall-core",
            "recall-chunk",
            "recall-config",
            "recall-journal",
            "recall-api",
            "recall-testkit",
        ],
    ),
    ("xtask", &[]),
    ("recall-dist", &["recall-os"]),
];

/// The additional crates that the tests of a crate may use: real implementations of a port.
const TESTED_WITH: &[(&str, &str)] = &[("recall-engine", "recall-models")];

/// Crates for tests only; the tests of every crate may use them.
const FOR_TESTS: &[&str] = &["recall-testkit"];

/// The crates that may name a foreign library. A name that ends in `*` matches as a prefix.
const FOREIGN: &[(&str, &[&str])] = &[
    ("rusqlite", &["recall-index", "recall-agents", "recall-tests"]),
    ("tantivy", &["recall-index"]),
    ("tree-sitter*", &["recall-chunk"]),
    ("cap-*", &["recall-os"]),
    ("ignore", &["recall-watch"]),
    ("notify", &["recall-watch"]),
    ("usearch", &["recall-index"]),
    ("memmap2", &["recall-index"]),
    ("ort", &["recall-models"]),
    ("regex*", &["recall-text", "recall-core", "recall-index", "recall-secrets"]),
    ("strsim", &["recall-text"]),
    ("jiff", &["recall-agents", "recall-journal", "recall-api", "recall-core", "recall-cli", "recall-shim"]),
    ("serde-saphyr", &["recall-agents", "recall-cli", "recall-tests"]),
    ("tokenizers", &["recall-models"]),
    ("ureq", &["recall-models"]),
    ("rustls", &["recall-models", "recall-shared"]),
    ("rustls-platform-verifier", &["recall-shared"]),
    ("tokio-postgres*", &["recall-shared"]),
    ("qdrant-client", &["recall-shared", "recall-testkit"]),
    ("zip", &["recall-models", "recall-dist", "recall-testkit"]),
    ("tar", &["recall-engine", "recall-dist"]),
    ("flate2", &["recall-engine", "recall-dist"]),
    ("toml", &["recall-config", "recall-bench"]),
    ("toml_edit", &["recall-config", "recall-agents"]),
    ("jsonc-parser", &["recall-agents"]),
    ("saphyr", &["recall-agents"]),
    ("directories", &["recall-config"]),
    ("sysinfo", &["recall-config", "recalld"]),
    ("widestring", &["recalld"]),
    ("windows-sys", &["recall-os"]),
    ("raunch", &["recall-os"]),
    ("prost", &["recall-api", "recall-fuzz"]),
    (
        "tonic",
        &[
            "recall-api",
            "recall-client",
            "recall-page",
            "recalld",
            "recall-cli",
            "recall-bench",
            "recall-shared",
            "recall-shim",
            "recall-testkit",
            "recall-tests",
        ],
    ),
    ("axum*", &["recall-page"]),
    ("hyper", &["recall-page"]),
    ("maud", &["recall-page"]),
    ("pulldown-cmark", &["recall-page", "recall-cli"]),
    ("interprocess", &["recall-client", "recalld", "recall-tests"]),
    ("rmcp", &["recall-shim"]),
    ("ratatui", &["recall-cli"]),
    ("crossterm", &["recall-cli"]),
    ("clap_mangen", &["recall-cli"]),
    ("portable-pty", &["recall-tests"]),
    ("vt100", &["recall-tests"]),
    ("clap", &["recall-cli", "recall-bench", "recalld", "recall-shim", "recall-tests"]),
];

/// The libraries that the small programs must not link, directly or indirectly.
const HEAVY: &[&str] = &[
    "recall-engine",
    "recall-index",
    "recall-models",
    "recall-chunk",
    "recall-watch",
    "recall-page",
    "recall-shared",
    "rusqlite",
    "libsqlite3-sys",
    "tantivy",
    "tree-sitter",
    "usearch",
    "ort",
    "tokenizers",
    "ureq",
    "rustls",
    "tokio-postgres",
    "qdrant-client",
    "zip",
    "ignore",
    "notify",
];

/// The programs that stay small.
const SMALL: &[&str] = &["recall-cli", "recall-bench", "recall-shim"];

#[test]
fn every_arrow_is_an_allowed_one() {
    assert_eq!(complaints_about_arrows(&metadata(&["--no-deps"])), [""; 0]);
}

/// The list in ARCHITECTURE.md is a copy of the table, from the programs down.
#[test]
fn the_architecture_shows_the_table() {
    let page = std::fs::read_to_string(workspace().join("ARCHITECTURE.md")).expect("the page");
    let expected = drawn_arrows();
    assert!(page.contains(&expected), "ARCHITECTURE.md must contain:\n{expected}");
}

#[test]
fn foreign_libraries_are_named_where_they_belong() {
    assert_eq!(complaints_about_foreign_names(&metadata(&["--no-deps"])), [""; 0]);
}

#[test]
fn the_small_programs_link_nothing_heavy() {
    for program in SMALL {
        assert_eq!(complaints_about_weight(program, &linked(program)), [""; 0]);
    }
}

#[test]
fn a_planted_arrow_is_found() {
    let planted = plant(metadata(&["--no-deps"]), "recall-chunk", "recall-index", &Value::Null);
    assert_eq!(complaints_about_arrows(&planted), ["recall-chunk must not depend on recall-index"]);
    let planted = plant(metadata(&["--no-deps"]), "recall-core", "recall-testkit", &json!("build"));
    assert_eq!(complaints_about_arrows(&planted), ["recall-core must not depend on recall-testkit"]);
    let planted = plant(metadata(&["--no-deps"]), "recall-cli", "recall-engine", &json!("dev"));
    assert_eq!(complaints_about_arrows(&planted), ["recall-cli must not depend on recall-engine"]);
}

#[test]
fn a_crate_without_a_row_in_the_table_is_found() {
    let mut planted = metadata(&["--no-deps"]);
    let packages = planted["packages"].as_array_mut().expect("a list");
    packages.push(json!({ "name": "recall-new", "dependencies": [] }));
    assert_eq!(complaints_about_arrows(&planted), ["recall-new is not in the table of arrows"]);
}

#[test]
fn a_planted_foreign_name_is_found() {
    let planted = plant(metadata(&["--no-deps"]), "recall-engine", "rusqlite", &Value::Null);
    assert_eq!(complaints_about_foreign_names(&planted), ["recall-engine must not name rusqlite"]);
    let planted = plant(metadata(&["--no-deps"]), "recall-engine", "tree-sitter-rust", &Value::Null);
    assert_eq!(complaints_about_foreign_names(&planted), ["recall-engine must not name tree-sitter-rust"]);
}

/// The daemon links what the small programs must not.
#[test]
fn a_heavy_library_is_found_however_far_away() {
    let complaints = complaints_about_weight("recalld", &linked("recalld"));
    for expected in ["recalld links recall-index", "recalld links libsqlite3-sys", "recalld links rustls"] {
        assert!(complaints.iter().any(|complaint| complaint == expected), "{complaints:?}");
    }
}

/// A line for each crate with the crates that it may depend on, in a block of text.
fn drawn_arrows() -> String {
    let short = |name: &'static str| name.strip_prefix("recall-").unwrap_or(name);
    let lines = ARROWS.iter().rev().filter(|(_, to)| !to.is_empty()).map(|(from, to)| {
        let to: Vec<&str> = to.iter().map(|name| short(name)).collect();
        format!("{:9} ► {}\n", short(from), to.join(", "))
    });
    format!("```text\n{}```\n", lines.collect::<String>())
}

fn complaints_about_arrows(metadata: &Value) -> Vec<String> {
    let table: BTreeMap<_, _> = ARROWS.iter().copied().collect();
    let packages = list(&metadata["packages"]);
    let members: BTreeSet<_> = packages.iter().map(|package| text(&package["name"])).collect();
    let mut complaints = Vec::new();
    for package in packages {
        let name = text(&package["name"]);
        let Some(allowed) = table.get(name) else {
            complaints.push(format!("{name} is not in the table of arrows"));
            continue;
        };
        for dependency in list(&package["dependencies"]) {
            let to = text(&dependency["name"]);
            let for_tests =
                dependency["kind"] == "dev" && (FOR_TESTS.contains(&to) || TESTED_WITH.contains(&(name, to)));
            if members.contains(to) && !allowed.contains(&to) && !for_tests {
                complaints.push(format!("{name} must not depend on {to}"));
            }
        }
    }
    complaints
}

fn complaints_about_foreign_names(metadata: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = text(&package["name"]);
        for dependency in list(&package["dependencies"]) {
            let foreign = text(&dependency["name"]);
            let row = FOREIGN.iter().find(|(pattern, _)| match pattern.strip_suffix('*') {
                Some(prefix) => foreign.starts_with(prefix),
                None => foreign == *pattern,
            });
            if row.is_some_and(|(_, allowed)| !allowed.contains(&name)) {
                complaints.push(format!("{name} must not name {foreign}"));
            }
        }
    }
    complaints
}

fn complaints_about_weight(program: &str, linked: &BTreeSet<String>) -> Vec<String> {
    let found = HEAVY.iter().filter(|heavy| linked.contains(**heavy));
    found.map(|heavy| format!("{program} links {heavy}")).collect()
}

/// The packages that a program links if it is built alone. Together with others it may get features of a library that these need,
/// such as TLS, so the graph of the whole workspace does not tell.
fn linked(program: &str) -> BTreeSet<String> {
    let mut command = cargo();
    command.args(["tree", "--locked", "--package", program, "--edges", "normal", "--prefix", "none"]);
    let output = command.args(["--format", "{p}", "--target", &host()]).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let names: BTreeSet<String> = text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    assert!(names.len() > 10, "cargo lists what is linked: {names:?}");
    names
}

fn plant(mut metadata: Value, from: &str, to: &str, kind: &Value) -> Value {
    let packages = metadata["packages"].as_array_mut().expect("a list");
    let package = packages.iter_mut().find(|package| package["name"] == from).expect("in the workspace");
    package["dependencies"].as_array_mut().expect("a list").push(json!({ "name": to, "kind": kind }));
    metadata
}

pub(crate) fn metadata(arguments: &[&str]) -> Value {
    let mut command = cargo();
    command.args(["metadata", "--locked", "--format-version", "1"]).args(arguments);
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

/// The platform that the tests run on. Dependencies of other platforms have not been downloaded.
fn host() -> String {
    let output = cargo().arg("-vV").output().expect("cargo runs");
    let version = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("cargo tells its host").to_owned()
}

fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(workspace());
    command
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
