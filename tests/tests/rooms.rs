//! The layering of the files of a crate: imports have no cycles, and a room of the engine imports only rooms below it.

use std::path::PathBuf;

use recall_tests::imports::{Arrows, Sources, arrows, circles, module, sources};
use recall_tests::workspace;

/// The engine.
const ENGINE: &str = "crates/recall-engine/src";

/// The crates whose files are checked, by the folders of their sources. The number is fewer than the files that each has;
/// with fewer, the sources were not found.
const CRATES: &[(&str, usize)] = &[
    (ENGINE, 100),
    ("crates/recall-agents/src", 10),
    ("crates/recall-bench/src", 20),
    ("crates/recall-client/src", 10),
    ("crates/recall-config/src", 10),
    ("crates/recall-core/src", 25),
    ("crates/recall-text/src", 20),
    ("crates/recall-index/src", 60),
    ("crates/recall-os/src", 5),
    ("crates/recall-journal/src", 12),
    ("crates/recall-models/src", 30),
    ("crates/recall-shared/src", 18),
    ("crates/recall-testkit/src", 12),
    ("recall-cli/src", 30),
    ("recalld/src", 50),
    ("recall-shim/src", 30),
];

/// The rooms of the engine from the top to the bottom. A room is a folder with the file of its name; it may know the rooms of
/// the lines below its own, and none on its own line.
///
/// What a `Store` holds does not know `Store`: it stands below. What acts on its parts is a method of one, or a function above it.
const STAIRS: [&[&str]; 17] = [
    &["migrate"],
    &["backup", "publish", "session"],
    &["context", "remind"],
    &["exact", "inspect", "query"],
    &["search"],
    &["matching", "transcripts"],
    &["occurrences"],
    &["graph"],
    &["memory"],
    &["adopted"],
    &["indexing", "past"],
    &["engine"],
    &["store"],
    &["shared"],
    &["embeddings", "ledger", "links", "session_log"],
    LEAVES,
    &["ranking"],
];

/// Files without a room, which every room above them may know. They may know each other.
const LEAVES: &[&str] = &[
    "auto_memory",
    "budget",
    "doubt",
    "error",
    "fault",
    "finding",
    "git",
    "home_memory",
    "index_runs",
    "known",
    "live",
    "mask",
    "moments",
    "mount",
    "operations",
    "origin",
    "past_root",
    "settings",
    "store_folder",
    "task_pool",
    "warning",
];

/// Pairs of files in a circle that is still to be cut. Only to be shortened.
const EXCEPTIONS: [&str; 0] = [];

#[test]
fn no_two_files_of_a_crate_import_each_other() {
    let mut found = Vec::new();
    for (folder, least_files) in CRATES {
        let sources = sources(&below(folder));
        assert!(sources.len() >= *least_files, "{folder} has {} files", sources.len());
        let arrows = arrows(&sources);
        assert!(arrows.len() > least_files / 3, "{folder} has {} files with arrows", arrows.len());
        found.extend(circles(&arrows).into_iter().map(|circle| format!("{folder}: {circle}")));
    }
    assert_eq!(found, EXCEPTIONS);
}

/// The list in ARCHITECTURE.md has every room, from the top to the bottom.
#[test]
fn the_architecture_lists_the_rooms_in_their_order() {
    let page = std::fs::read_to_string(workspace().join("ARCHITECTURE.md")).expect("the page");
    let (_, section) = page.split_once("### The rooms of the engine").expect("the section");
    let list = section.split("```").nth(1).expect("the list");
    let line_of = |room: &str| list.lines().position(|line| line.split("  ").any(|column| column.trim() == room));
    let mut above = None;
    for rooms in STAIRS.iter().filter(|rooms| **rooms != LEAVES) {
        let lines: Vec<usize> =
            rooms.iter().map(|room| line_of(room).unwrap_or_else(|| panic!("{room} is not listed"))).collect();
        assert!(above <= lines.iter().min().copied(), "{rooms:?} must be below");
        above = lines.into_iter().max();
    }
}

#[test]
fn the_rooms_of_the_engine_know_only_rooms_below_them() {
    assert_eq!(complaints(&arrows(&sources(&below(ENGINE)))), [""; 0]);
}

#[test]
fn a_planted_arrow_upwards_is_found() {
    let check = |file: &str, planted: &str, expected: &str| {
        let complaints = complaints(&arrows(&with(sources(&below(ENGINE)), file, planted)));
        assert!(complaints.iter().any(|complaint| complaint == expected), "{file}: {complaints:?}");
    };
    check(
        "store/known_files",
        "use crate::session::EndedSession;",
        "store must not know session: store/known_files takes EndedSession from session/end",
    );
    check(
        "ledger/own/extra",
        "fn f() { crate::store::Store::open() }",
        "ledger must not know store: ledger/own/extra takes Store from store",
    );
    check(
        "links/extra",
        "use super::super::ledger::Ledger;",
        "links must not know ledger: links/extra takes Ledger from ledger",
    );
    check(
        "settings",
        "use crate::{budget, store};\nfn f(_: store::IndexLock) {}",
        "settings must not know store: settings takes IndexLock from store/index/lock",
    );
    check("attic", "use crate::store::Store;", "attic is not in the table of rooms");
}

#[test]
fn a_planted_circle_is_found_however_it_is_written() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let sources = files.iter().map(|(name, text)| (module(name), (*text).to_owned())).collect();
        assert_eq!(circles(&arrows(&sources)), expected, "{files:?}");
    };
    let circle = ["a takes B from b; b takes A from a"];
    check(&[("a", "use crate::b::B;"), ("b", "use crate::a::A;")], &circle);
    check(&[("a", "use crate::{b::{B}, c};"), ("b", "fn f(_: &crate::a::A) {}"), ("c", "")], &circle);
    check(&[("a", "use super::b::B as Other;"), ("b", "use crate::a; fn f() { a::A::new() }")], &circle);
    check(
        &[("lib", "mod a; mod b; pub use b::B;"), ("a", "use crate::B;"), ("b", "use super::a::{self, A};")],
        &circle,
    );
    check(&[("a", "mod b; fn f() { b::B }"), ("a/b", "use super::A;")], &["a takes B from a/b; a/b takes A from a"]);
    check(
        &[("a", "use crate::b::B;"), ("b", "use crate::c::C;"), ("c", "use crate::a::A;")],
        &["a takes B from b; b takes C from c; c takes A from a"],
    );
}

#[test]
fn only_imports_are_arrows() {
    let check = |text: &str| {
        let sources = [("a", text), ("b", "use crate::a::A;")];
        let sources: Sources = sources.into_iter().map(|(name, text)| (module(name), text.to_owned())).collect();
        assert_eq!(circles(&arrows(&sources)), [""; 0], "{text}");
    };
    check("// use crate::b::B;");
    check("/// See [`crate::b::B`].\nfn f<'a>(_: &'a str, _: char) { f(\"crate::b::B\", '\"') }");
    check("fn f() -> &'static str { r#\"\" crate::b::B\"# }");
    check("mod b;\npub use crate::b::B;");
    check("#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}");
    check("use other::b::B; use std::b;");
}

/// The forbidden imports between the rooms of the engine.
fn complaints(arrows: &Arrows) -> Vec<String> {
    let step = |room: &str| STAIRS.iter().position(|step| step.contains(&room));
    let mut complaints = Vec::new();
    for (file, known) in arrows {
        let room = room(file);
        let Some(here) = step(room) else {
            if room != "lib" {
                complaints.push(format!("{room} is not in the table of rooms"));
            }
            continue;
        };
        let both_are_leaves = |other| LEAVES.contains(&room) && LEAVES.contains(&other);
        for (to, names) in known {
            let other = self::room(to);
            let is_below = step(other).is_some_and(|there| there > here);
            if other != room && !is_below && !both_are_leaves(other) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let names = names.join(", ");
                complaints.push(format!("{room} must not know {other}: {file} takes {names} from {to}"));
            }
        }
    }
    complaints
}

/// The room that a file is in: the first part of its path.
fn room(file: &str) -> &str {
    file.split('/').next().unwrap_or(file)
}

/// The sources with a text prepended to a file, which need not exist.
fn with(mut sources: Sources, file: &str, planted: &str) -> Sources {
    let text = sources.entry(module(file)).or_default();
    *text = format!("{planted}\n{text}");
    sources
}

fn below(folder: &str) -> PathBuf {
    workspace().join(folder)
}
