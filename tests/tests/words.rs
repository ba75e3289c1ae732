//! The house style, as far as a test can check it: sizes and names of files, manifests, and phrases.
//!
//! Lints of the compiler are in the workspace's `Cargo.toml`.

mod links;
mod names;
mod phrases;
mod schema;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use recall_tests::workspace;

/// A file of the repository.
struct File {
    /// Its path, relative to the workspace.
    path: String,
    text: String,
}

/// A longer file does more than one thing.
const MOST_LINES: usize = 500;

/// A `main` calls its library.
const MOST_LINES_OF_MAIN: usize = 15;

const PROGRAMS: &[&str] = &["recalld", "recall-cli", "recall-shim", "crates/recall-bench"];

/// Manifests of crates that need `unsafe`: for mapping files, for SIMD instructions, for C++ libraries, for functions of Windows.
const NEED_UNSAFE: &[&str] =
    &["crates/recall-models/Cargo.toml", "crates/recall-index/Cargo.toml", "crates/recall-os/Cargo.toml"];

/// Beginnings of paths that exist only on their author's machine. In pieces, so that this file has none.
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/."), concat!("/Us", "ers/")];

/// The snapshot of all answers as JSON.
const ANSWERS: &str = "crates/recall-api/tests/snapshots/runner__answers__every_answer_has_the_json_of_the_schema.snap";

/// How a question begins. The doc of a crate says what the crate provides.
const QUESTION_WORDS: &[&str] = &["Does", "Here", "How", "Is", "What", "Where", "Which", "Who", "Why"];

/// Names without meaning.
const EMPTY_WORDS: &[&str] = &["manager", "helper", "helpers", "util", "utils", "common", "misc", "imp"];

#[test]
fn no_file_is_too_long() {
    check(&sources(), too_long);
}

#[test]
fn modules_are_named_files() {
    check(&sources(), is_mod_rs);
}

#[test]
fn a_main_only_calls_its_library() {
    let mains: Vec<_> = sources().into_iter().filter(|file| file.path.ends_with("src/main.rs")).collect();
    for program in PROGRAMS {
        assert!(mains.iter().any(|main| main.path == format!("{program}/src/main.rs")), "{program} has no main.rs");
    }
    check(&mains, long_main);
}

#[test]
fn every_crate_says_what_it_provides() {
    check(&sources(), silent_crate);
}

#[test]
fn documents_hold_no_banned_phrase() {
    let found: Vec<_> = files(&["md"]).iter().flat_map(phrases::in_document).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_link_of_a_document_leads_somewhere() {
    let root = workspace();
    let dead: Vec<_> = files(&["md"]).iter().flat_map(|document| links::dead(&root, document)).collect();
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn no_more_string_literals_hold_a_banned_phrase() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // The list of the phrases itself holds each of them.
    for file in sources().iter().filter(|file| !file.path.starts_with("tests/tests/words")) {
        found.entry(phrases::folder(&file.path).to_owned()).or_default().extend(phrases::in_literals(file));
    }
    let too_many = |(folder, found): (&String, &Vec<String>)| {
        let most = phrases::still_held(folder);
        let report = || format!("{folder} may hold {most} and holds {}:\n{}", found.len(), found.join("\n"));
        (found.len() > most).then(report)
    };
    let problems: Vec<_> = found.iter().filter_map(too_many).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_page_on_json_names_every_field() {
    let page = fs::read_to_string(workspace().join("docs/json-output.md")).expect("the page can be read");
    let mut missing: Vec<_> = sources().iter().flat_map(|source| schema::missing_from(&page, source)).collect();
    let answers = fs::read_to_string(workspace().join(ANSWERS)).expect("the snapshot can be read");
    missing.extend(schema::missing_from_answers(&page, &answers));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_engine_lists_its_methods() {
    let all = sources();
    let in_engine = |file: &&File| file.path.starts_with("crates/recall-engine/src/");
    let (mut found, mut missing) = (0, Vec::new());
    let list = &all.iter().find(|file| file.path == "crates/recall-engine/src/engine.rs").expect("the engine").text;
    for file in all.iter().filter(in_engine) {
        for block in file.text.split("\nimpl Engine {\n").skip(1) {
            let block = block.split("\n}").next().unwrap_or_default();
            let methods = block.lines().filter_map(|line| line.strip_prefix("    pub fn "));
            for name in methods.filter_map(|line| line.split(['(', '<']).next()) {
                found += 1;
                let is_listed = list.contains(&format!("(Self::{name})"));
                missing.extend((!is_listed).then(|| format!("{}: {name}", file.path)));
            }
        }
    }
    assert!(found > 60, "{found} methods are found");
    assert!(missing.is_empty(), "the documentation of `Engine` lists each method: {missing:?}");
}

/// How many closures with a long body have a name. Only to be lowered.
const NAMED_CLOSURES: usize = 212;

/// How many types share their name with another one of their crate. Only to be lowered.
const REPEATED_TYPES: usize = 37;

#[test]
fn functions_are_named_by_verbs_and_nouns() {
    let found: Vec<_> = sources().iter().flat_map(names::unnamed_functions).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_more_closures_have_a_name() {
    let found: Vec<_> = sources().iter().flat_map(names::long_closures).collect();
    assert_eq!(
        found.len(),
        NAMED_CLOSURES,
        "a long closure is a function; correct the number if there are fewer:\n{}",
        found.join("\n")
    );
}

#[test]
fn no_more_types_share_a_name() {
    let found = names::repeated_types(&sources());
    assert_eq!(found.len(), REPEATED_TYPES, "rename one; correct the number if there are fewer:\n{}", found.join("\n"));
}

#[test]
fn planted_names_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let bad = "impl A {\n    pub(crate) fn of(x: u8) {}\n}\nfn shown() {}\nasync fn listed() {}\nfn embed() {}\nlet f: fn of = 1;\n";
    assert_eq!(
        names::unnamed_functions(&file("a/src/b.rs", bad)),
        ["a/src/b.rs:2: `of`", "a/src/b.rs:4: `shown`", "a/src/b.rs:5: `listed`"]
    );
    assert_eq!(names::unnamed_functions(&file("a/tests/b.rs", bad)), [""; 0]);
    let closures = "    let short = |x| {\n        x\n    };\n    let long = move |x| {\n        a;\n        b;\n        c\n    };\n";
    assert_eq!(names::long_closures(&file("a/src/b.rs", closures)), ["a/src/b.rs:4"]);
    let types = [
        file("a/src/b.rs", "struct Part;"),
        file("a/src/c.rs", "pub(crate) enum Part {}"),
        file("d/src/c.rs", "struct Part;"),
    ];
    assert_eq!(names::repeated_types(&types).len(), 1);
}

#[test]
fn every_crate_is_linted() {
    let manifests = manifests();
    assert!(manifests.len() > PROGRAMS.len());
    check(&manifests, unlinted_crate);
}

#[test]
fn every_version_is_in_the_workspace() {
    let manifests = manifests();
    check(&manifests, version_of_its_own);
}

#[test]
fn no_test_is_skipped() {
    check(&sources(), skipped_test);
}

#[test]
fn git_is_run_by_one_crate() {
    check(&sources(), runs_git);
}

#[test]
fn no_module_has_an_empty_name() {
    check(&sources(), empty_name);
}

#[test]
fn nothing_names_the_machine_that_it_was_written_on() {
    check(&files(&["rs", "toml", "md", "proto", "sh", "service", "socket", "plist", "run"]), machine_path);
}

#[test]
fn planted_violations_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    for (rule, planted) in [
        (too_long as fn(&File) -> Option<String>, file("a.rs", &"\n".repeat(MOST_LINES + 1))),
        (is_mod_rs, file("src/a/mod.rs", "")),
        (long_main, file("recalld/src/main.rs", &"\n".repeat(MOST_LINES_OF_MAIN + 1))),
        (silent_crate, file("crates/a/src/lib.rs", "mod a;")),
        (silent_crate, file("crates/a/src/lib.rs", "//! Chunks near an embedding?\n")),
        (silent_crate, file("crates/a/src/lib.rs", "//! Which chunks are near an embedding.\n")),
        (unlinted_crate, file("crates/a/Cargo.toml", "[package]\n")),
        (unlinted_crate, file("crates/recall-index/Cargo.toml", "[lints.rust]\nunsafe_code = \"deny\"\n")),
        (version_of_its_own, file("crates/a/Cargo.toml", "[dependencies]\nserde = \"1\"")),
        (version_of_its_own, file("crates/a/Cargo.toml", "[dev-dependencies]\nserde = { version = \"1\" }")),
        (skipped_test, file("a.rs", concat!("#[ign", "ore]"))),
        (skipped_test, file("a.rs", concat!("#[ign", "ore = \"slow\"]"))),
        (runs_git, file("recalld/src/a.rs", concat!("Command::new(\"gi", "t\")"))),
        (empty_name, file("src/utils.rs", "")),
        (empty_name, file("src/helpers/a.rs", "")),
        (machine_path, file("README.md", concat!("see /wo", "rk/here"))),
    ] {
        assert!(rule(&planted).is_some(), "{} passes", planted.path);
    }
    assert_eq!(machine_path(&file("a.rs", concat!("below part/wo", "rk/a"))), None);
}

/// Fails with everything that a rule finds in the files.
#[track_caller]
fn check(files: &[File], rule: fn(&File) -> Option<String>) {
    let found: Vec<_> = files.iter().filter_map(rule).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn too_long(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > MOST_LINES).then(|| format!("{} has {lines} lines", file.path))
}

/// A bare name is looked up in `PATH`, where a repository may have put its own program. Tests and our tasks may do that.
fn runs_git(file: &File) -> Option<String> {
    let is_ours = file.path.starts_with("tests/") || file.path.contains("/tests/") || file.path.starts_with("xtask/");
    let names_it = file.text.contains(concat!("Command::new(\"gi", "t\")"));
    (names_it && !is_ours).then(|| format!("{} runs git by itself; recall-os does", file.path))
}

fn is_mod_rs(file: &File) -> Option<String> {
    file.path.ends_with("/mod.rs").then(|| format!("{} should be a file next to its folder", file.path))
}

fn long_main(file: &File) -> Option<String> {
    let of_program = PROGRAMS.iter().any(|program| file.path == format!("{program}/src/main.rs"));
    let lines = file.text.lines().count();
    (of_program && lines > MOST_LINES_OF_MAIN).then(|| format!("{} has {lines} lines", file.path))
}

fn silent_crate(file: &File) -> Option<String> {
    let is_root = file.path.ends_with("src/lib.rs") || file.path.ends_with("xtask/src/main.rs");
    let first = file.text.lines().next().unwrap_or_default();
    let problem = match first.strip_prefix("//! ") {
        None => "does not begin with its doc",
        Some(doc) if doc.contains('?') => "begins with a question, not with what it provides",
        Some(doc) if QUESTION_WORDS.contains(&doc.split(' ').next().unwrap_or_default()) => {
            "begins with a question word, not with what it provides"
        }
        Some(_) => return None,
    };
    is_root.then(|| format!("{} {problem}", file.path))
}

fn unlinted_crate(file: &File) -> Option<String> {
    let takes_all = file.text.contains("[lints]\nworkspace = true");
    (!takes_all && !lints_all_but_unsafe(file)).then(|| format!("{} does not take the workspace's lints", file.path))
}

/// Whether a crate that needs `unsafe` repeats the workspace's lints, with `unsafe_code` denied instead of forbidden.
fn lints_all_but_unsafe(file: &File) -> bool {
    let workspace = fs::read_to_string(workspace().join("Cargo.toml")).expect("the workspace can be read");
    let expected = workspace.replace("[workspace.lints.", "[lints.").replace("\"forbid\"", "\"deny\"");
    NEED_UNSAFE.contains(&file.path.as_str()) && lints(&file.text) == lints(&expected)
}

/// The settings of lints in a manifest.
fn lints(manifest: &str) -> Vec<&str> {
    let mut in_lints = false;
    let of_lints = manifest.lines().filter(|line| {
        in_lints = if line.starts_with('[') { line.starts_with("[lints.") } else { in_lints };
        in_lints && !line.is_empty() && !line.starts_with('#')
    });
    of_lints.collect()
}

fn version_of_its_own(file: &File) -> Option<String> {
    let mut in_dependencies = false;
    let line = file.text.lines().find(|line| {
        if let Some(section) = line.strip_prefix('[') {
            in_dependencies = section.trim_end_matches(']').ends_with("dependencies");
            return false;
        }
        let names_one = line.contains(" = ") && !line.starts_with('#');
        in_dependencies && names_one && !line.contains("workspace = true")
    })?;
    Some(format!("{}: `{line}` should take its version from the workspace", file.path))
}

fn skipped_test(file: &File) -> Option<String> {
    let attribute = concat!("#[ign", "ore");
    file.text.contains(attribute).then(|| format!("{} skips a test", file.path))
}

fn empty_name(file: &File) -> Option<String> {
    let mut names = file.path.trim_end_matches(".rs").split('/');
    names.any(|name| EMPTY_WORDS.contains(&name)).then(|| format!("{} says nothing by its name", file.path))
}

fn machine_path(file: &File) -> Option<String> {
    let line = file.text.lines().position(|line| MACHINE_PATHS.iter().any(|path| begins_in(line, path)))?;
    Some(format!("{}:{} names a path of a machine", file.path, line + 1))
}

/// Whether a path begins somewhere in a line. In the middle of another path it does not count.
fn begins_in(line: &str, path: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '*' | '}' | '>');
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(goes_on))
}

/// The project's own Rust files, without samples.
fn sources() -> Vec<File> {
    let sources = files(&["rs"]);
    assert!(sources.iter().any(|file| file.path == "crates/recall-core/src/lib.rs"), "the sources are not found");
    sources
}

/// The manifests of the members. A crate that has a workspace of its own, as the one with libFuzzer, is not a member.
fn manifests() -> Vec<File> {
    let is_member = |file: &File| file.path.ends_with("/Cargo.toml") && !file.text.contains("\n[workspace]\n");
    files(&["toml"]).into_iter().filter(is_member).collect()
}

/// The files with one of these extensions. A name without a dot is its own extension.
fn files(endings: &[&str]) -> Vec<File> {
    let root = workspace();
    let mut found = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the workspace can be read") {
            let entry = entry.expect("the workspace can be read");
            let (path, kind) = (entry.path(), entry.file_type().expect("the workspace can be read"));
            if kind.is_dir() && !is_foreign_folder(&path) {
                open.push(path);
            } else if kind.is_file() && endings.contains(&ending(&path)) {
                found.push(read(&root, &path));
            }
        }
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

/// Whether a folder holds build output, git's data, or samples that tests read, such as the files of an invented project.
fn is_foreign_folder(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(name, "target" | ".git" | "fixtures" | "snapshots" | "proptest-regressions" | "corpus")
}

fn ending(path: &Path) -> &str {
    path.extension().or(path.file_name()).and_then(|ending| ending.to_str()).unwrap_or_default()
}

fn read(root: &Path, path: &PathBuf) -> File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let below = path.strip_prefix(root).expect("below the root");
    File { path: below.to_string_lossy().replace('\\', "/"), text }
}
