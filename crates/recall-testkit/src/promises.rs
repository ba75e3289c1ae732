//! Lists of what releases promise: a test compares a stored list with what the code has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// With the value `store`, the lists are written instead of compared. That is done before a release.
const VARIABLE: &str = "RECALL_PROMISES";

/// Checks that the code still has each line of a stored list.
///
/// Other lines are additions, which any release may make. They are promised once the list is stored with them.
///
/// # Panics
/// If a line of the list is missing, or the list cannot be read or written.
#[track_caller]
pub fn check_promises(list: &Path, lines: &BTreeSet<String>) {
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "store") {
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        fs::write(list, text).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
    }
    let stored = fs::read_to_string(list).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
    let broken = broken_promises(&stored, lines);
    assert!(!stored.is_empty(), "{} promises nothing", list.display());
    assert!(
        broken.is_empty(),
        "docs/stability.md promises what {} lists, and the code lacks:\n{}",
        list.display(),
        broken.join("\n")
    );
}

/// Returns the stored lines that are missing.
fn broken_promises<'s>(stored: &'s str, lines: &BTreeSet<String>) -> Vec<&'s str> {
    stored.lines().filter(|line| !lines.contains(*line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_added_and_not_removed_or_changed() {
        let lines = ["A.a = 1: string", "A.b = 2: bool"].map(str::to_owned).into();
        assert_eq!(broken_promises("A.a = 1: string\n", &lines), [""; 0]);
        assert_eq!(broken_promises("A.a = 1: string\nA.c = 3: bool\n", &lines), ["A.c = 3: bool"]);
        assert_eq!(
            broken_promises("A.a = 3: string\nA.b = 2: string\n", &lines),
            ["A.a = 3: string", "A.b = 2: string"]
        );
    }
}
