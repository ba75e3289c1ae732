use super::*;

#[test]
fn paths_below_an_unreadable_directory_are_unseen() {
    let skipped = |path: &str, reason| SkippedFile { path: path.to_owned(), reason, size_bytes: None, modified: None };
    let scan = Scan {
        skipped: vec![
            skipped("dir", SkipReason::Unreadable { error: "no".to_owned() }),
            skipped("fifo", SkipReason::NotRegular),
        ],
        ..Scan::default()
    };
    for (path, expected) in [("dir", true), ("dir/a/b", true), ("dir-b/a", false), ("fifo", false), ("other", false)] {
        assert_eq!(scan.is_unseen(&DocPath::new(path).expect("plain")), expected, "{path}");
    }
}
