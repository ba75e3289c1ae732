//! docs/security.md and docs/stability.md: each claim names tests that exist, and each use of `unsafe` is in the audit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use recall_tests::workspace;

/// The folders of sources that are built into programs.
const SOURCES: &[&str] = &["crates", "recalld", "recall-cli", "recall-shim", "xtask", "fuzz", "tests/src"];

fn read_page(name: &str) -> String {
    let path = workspace().join("docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_claim_names_tests_that_exist() {
    for (name, least) in [("security.md", 70), ("stability.md", 8)] {
        let (mut claims, mut complaints) = (0, Vec::new());
        for row in claim_rows(&read_page(name)) {
            claims += 1;
            complaints.extend(complaint(&row).map(|why| format!("{name}: {row}: {why}")));
        }
        assert!(claims >= least, "{name} has {claims} claims");
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}

#[test]
fn a_claim_without_a_test_is_found() {
    assert_eq!(complaint("recall-os `tests/folder.rs`, `tests/tests/clones.rs`"), None);
    assert_eq!(complaint("recall-os `tests/gone.rs`"), Some("`tests/gone.rs` does not exist".to_owned()));
    assert_eq!(complaint("recall-os `src/lib.rs`"), Some("`src/lib.rs` has no test".to_owned()));
    assert_eq!(complaint("by inspection"), Some("no test is named".to_owned()));
}

/// Returns the cells that name tests: the last ones of the tables whose heading is `test` or `held by`.
fn claim_rows(page: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let mut is_table = false;
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let last = cells.last().copied().unwrap_or_default();
        match line.strip_prefix('|') {
            None => is_table = false,
            Some(_) if matches!(last, "test" | "held by") => is_table = true,
            Some(rest) if is_table && !rest.starts_with("--") => rows.push(last.to_owned()),
            Some(_) => {}
        }
    }
    rows
}

/// Returns what is wrong with a cell that names tests. A path is relative to the crate that is named before it.
fn complaint(cell: &str) -> Option<String> {
    let (mut folder, mut paths) = (workspace(), 0);
    for (at, part) in cell.split('`').enumerate() {
        if at % 2 == 0 {
            let krate = part.split([' ', ',', ';']).rfind(|word| word.starts_with("recall"));
            folder = krate.map_or(folder, crate_folder);
            continue;
        }
        paths += 1;
        let Some(path) = find(&folder, part) else { return Some(format!("`{part}` does not exist")) };
        if !has_test(&path) {
            return Some(format!("`{part}` has no test"));
        }
    }
    (paths == 0).then(|| "no test is named".to_owned())
}

fn crate_folder(krate: &str) -> PathBuf {
    let inner = workspace().join("crates").join(krate);
    if inner.exists() { inner } else { workspace().join(krate) }
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let root = workspace();
    let folders = [folder.join("src"), folder.join("tests"), folder.to_owned(), root.join("tests/tests"), root];
    folders.iter().map(|folder| folder.join(name)).find(|path| path.exists())
}

fn has_test(path: &Path) -> bool {
    if path.is_dir() {
        return fs::read_dir(path).expect("a folder").any(|entry| has_test(&entry.expect("readable").path()));
    }
    fs::read_to_string(path).is_ok_and(|text| {
        ["#[test]", "#[tokio::test", "proptest!", "fn main()", "const TRIALS"].iter().any(|mark| text.contains(mark))
            // A file of tests may consist of modules.
            || has_test(&path.with_extension("")) && path.with_extension("").is_dir()
    })
}

/// The audit has a row for each file with `unsafe`, and the number of its uses.
#[test]
fn every_use_of_unsafe_is_in_the_audit() {
    let mut found = BTreeMap::new();
    for folder in SOURCES {
        count_unsafe(&workspace().join(folder), &mut found);
    }
    let page = read_page("security.md");
    let (_, audit) = page.split_once("## Unsafe code\n").expect("the audit");
    let rows = audit.lines().take_while(|line| !line.starts_with("## ")).filter_map(audit_row);
    assert_eq!(rows.collect::<BTreeMap<_, _>>(), found, "docs/security.md, Unsafe code: uses by file");
}

/// Returns the file and the number of a row.
fn audit_row(row: &str) -> Option<(String, usize)> {
    let mut cells = row.strip_prefix("| `")?.split(" | ");
    Some((cells.next()?.trim_end_matches('`').to_owned(), cells.next()?.parse().ok()?))
}

fn count_unsafe(folder: &Path, found: &mut BTreeMap<String, usize>) {
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()) {
        if path.is_dir() {
            let is_source = !["tests", "benches", "target"].iter().any(|name| path.ends_with(name));
            if is_source {
                count_unsafe(&path, found);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("text");
            let uses = text.lines().filter(|line| is_unsafe(line)).count();
            let name = path.strip_prefix(workspace()).expect("below").to_string_lossy().replace('\\', "/");
            if uses > 0 {
                found.insert(name, uses);
            }
        }
    }
}

/// Whether a line of code begins a block, a function or an implementation that is unsafe, or calls a macro with the word.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "![unsafe "].iter().any(|mark| code.contains(mark))
        && !code.contains('"')
}

#[test]
fn a_planted_use_of_unsafe_is_found() {
    for line in
        ["    unsafe { call() }", "unsafe impl Send for A {}", "ortsys![unsafe Call()?];", "pub unsafe fn a() {}"]
    {
        assert!(is_unsafe(line), "{line}");
    }
    for line in ["// unsafe { call() }", "#![expect(unsafe_code, reason = \"a\")]", "    \"unsafe {\","] {
        assert!(!is_unsafe(line), "{line}");
    }
}
