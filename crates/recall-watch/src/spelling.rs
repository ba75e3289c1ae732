//! The spelling of a name on the disk.
//!
//! Windows and macOS find a file by its name in any case, and macOS in any normalisation of Unicode; a document has one path.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

/// Whether a file may be found by another name than the one on the disk.
const IS_LOOSE: bool = cfg!(any(windows, target_os = "macos"));

/// Returns the name on the disk of a file that a folder has; `None` if it is written as given, or cannot be listed.
pub(crate) fn on_disk(folder: &Path, name: &OsStr) -> Option<OsString> {
    if IS_LOOSE { find(folder, name) } else { None }
}

fn find(folder: &Path, name: &OsStr) -> Option<OsString> {
    let wanted = name.to_str()?;
    let names: Vec<OsString> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name()).collect();
    if names.iter().any(|name| name.to_str() == Some(wanted)) {
        return None;
    }
    names.into_iter().find(|name| name.to_str().is_some_and(|name| is_same(name, wanted)))
}

/// Whether two names lead to the same file where case and normalisation do not count.
fn is_same(a: &str, b: &str) -> bool {
    fold(a).eq(fold(b))
}

fn fold(name: &str) -> impl Iterator<Item = char> {
    name.nfc().flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, expected: bool) {
        assert_eq!(is_same(a, b), expected, "{a} {b}");
    }

    #[test]
    fn case_and_normalisation_do_not_count() {
        check("README.md", "readme.MD", true);
        check("Gr\u{f6}\u{df}e.md", "GRO\u{308}\u{df}E.md", true);
        check("caf\u{e9}", "cafe\u{301}", true);
        check("cafe", "caf\u{e9}", false);
        check("a.md", "ab.md", false);
        check("\u{65e5}\u{672c}", "\u{65e5}\u{672c}", true);
    }

    #[test]
    fn the_name_on_the_disk_is_found() {
        let place = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(place.path().join("Gro\u{308}\u{df}e.md"), "").expect("writable");
        let found = find(place.path(), OsStr::new("gr\u{f6}\u{df}e.MD"));
        assert_eq!(found.as_deref(), Some(OsStr::new("Gro\u{308}\u{df}e.md")));
        assert_eq!(find(place.path(), OsStr::new("Gro\u{308}\u{df}e.md")), None, "it is written so");
        assert_eq!(find(place.path(), OsStr::new("other.md")), None);
        assert_eq!(find(&place.path().join("missing"), OsStr::new("a")), None);
    }
}
