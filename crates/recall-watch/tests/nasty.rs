//! Pipes, sockets, devices, symlinks and names that are not UTF-8.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test's failure is a panic")]

use std::ffi::OsStr;
use std::fs;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use recall_text::DocPath;
use recall_watch::content::{self, ContentError};
use recall_watch::{Addition, Depth, IgnoreRules, Rules, Scan, SkipReason, StatOutcome, scan, stat};
use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};

fn scan_all(root: &Path, rules: &Rules) -> Scan {
    scan(root, rules, NonZero::new(2).unwrap(), &AtomicBool::new(false)).unwrap()
}

fn make_fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

fn path(text: &str) -> DocPath {
    DocPath::new(text).unwrap()
}

/// Returns the result of reading, in one word.
fn outcome(root: &Path, at: &str) -> String {
    match content::read(root, &path(at), &content::ReadOptions::up_to(1024)) {
        Ok(content) => content.text,
        Err(ContentError::Refused { reason, .. }) => reason.as_str().to_owned(),
        Err(ContentError::Outside { .. }) => "outside".to_owned(),
        Err(ContentError::Gone { .. }) => "gone".to_owned(),
        Err(ContentError::Unreadable { .. }) => "unreadable".to_owned(),
    }
}

#[test]
fn only_regular_files_are_found_and_others_are_skipped_with_a_reason() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("root");
    fs::create_dir_all(root.join("dir")).unwrap();
    fs::write(root.join("dir/real.rs"), "real").unwrap();
    fs::write(place.path().join("secret"), "leaked").unwrap();
    make_fifo(&root.join("fifo.rs"));
    let _socket = UnixListener::bind(root.join("socket.rs")).unwrap();
    symlink("dir/real.rs", root.join("link-in.rs")).unwrap();
    symlink("dir", root.join("link-dir")).unwrap();
    symlink("../secret", root.join("link-out.rs")).unwrap();
    symlink(place.path(), root.join("link-up")).unwrap();
    symlink("/dev/zero", root.join("link-zero.rs")).unwrap();
    symlink("link-loop", root.join("link-loop")).unwrap();
    symlink("nowhere", root.join("link-broken")).unwrap();
    fs::write(root.join(OsStr::from_bytes(b"name-\xFF.rs")), "x").unwrap();
    fs::create_dir(root.join(OsStr::from_bytes(b"dir-\xFF"))).unwrap();
    fs::write(root.join(OsStr::from_bytes(b"dir-\xFF/below.rs")), "x").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"ignored-\xFF.log")), "x").unwrap();
    make_fifo(&root.join("fifo.log"));
    fs::write(root.join(".ignore"), "*.log\n.ignore\n").unwrap();

    let scan = scan_all(&root, &Rules::default());
    let found: Vec<&str> = scan.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(found, ["dir/real.rs"]);
    let skipped: Vec<(&str, &str)> =
        scan.skipped.iter().map(|file| (file.path.as_str(), file.reason.as_str())).collect();
    assert_eq!(
        skipped,
        [
            ("dir-\u{FFFD}", "not_utf8_name"),
            ("fifo.rs", "not_regular"),
            ("link-broken", "symlink_broken"),
            ("link-dir", "symlink_inside"),
            ("link-in.rs", "symlink_inside"),
            ("link-loop", "symlink_loop"),
            ("link-out.rs", "symlink_outside"),
            ("link-up", "symlink_outside"),
            ("link-zero.rs", "symlink_outside"),
            ("name-\u{FFFD}.rs", "not_utf8_name"),
            ("socket.rs", "not_regular"),
        ]
    );
}

#[test]
fn reading_follows_no_symlink_and_does_not_block_on_a_pipe() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("root");
    fs::create_dir_all(root.join("dir")).unwrap();
    fs::create_dir_all(place.path().join("out")).unwrap();
    fs::write(root.join("dir/real.rs"), "real").unwrap();
    fs::write(place.path().join("out/secret.rs"), "secret").unwrap();
    make_fifo(&root.join("fifo.rs"));
    let _socket = UnixListener::bind(root.join("socket.rs")).unwrap();
    symlink("dir/real.rs", root.join("link.rs")).unwrap();
    symlink("dir", root.join("link-dir")).unwrap();
    symlink("../out/secret.rs", root.join("link-out.rs")).unwrap();
    symlink("../out", root.join("out")).unwrap();
    symlink("out", root.join("chain")).unwrap();
    symlink("/proc/self/root", root.join("everything")).unwrap();
    symlink("/dev/zero", root.join("zero.rs")).unwrap();
    symlink("loop.rs", root.join("loop.rs")).unwrap();

    for (at, expected) in [
        ("dir/real.rs", "real"),
        ("link.rs", "symlink_inside"),
        ("link-dir/real.rs", "symlink_inside"),
        ("link-out.rs", "outside"),
        ("out/secret.rs", "outside"),
        ("chain/secret.rs", "outside"),
        ("everything/etc/passwd", "outside"),
        ("zero.rs", "outside"),
        ("loop.rs", "outside"),
        ("fifo.rs", "not_regular"),
        ("socket.rs", "not_regular"),
        ("dir", "not_regular"),
        ("gone.rs", "gone"),
        ("gone/below.rs", "gone"),
        ("dir/real.rs/below", "gone"),
        (&"n".repeat(300), "unreadable"),
    ] {
        assert_eq!(outcome(&root, at), expected, "{at}");
    }
}

#[test]
fn a_root_reached_through_a_symlink_is_read() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("root")).unwrap();
    fs::write(place.path().join("root/a.rs"), "text").unwrap();
    symlink("root", place.path().join("way")).unwrap();
    let way = place.path().join("way");
    assert_eq!(scan_all(&way, &Rules::default()).files.len(), 1);
    assert_eq!(outcome(&way, "a.rs"), "text");
}

#[test]
fn ignore_files_that_are_pipes_or_lead_outside_are_not_read() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("root");
    fs::create_dir_all(root.join(".git/info")).unwrap();
    fs::write(root.join("a.rs"), "text").unwrap();
    fs::write(place.path().join("rules"), "*.rs\n").unwrap();
    make_fifo(&root.join(".gitignore"));
    make_fifo(&root.join(".git/info/exclude"));
    symlink("../rules", root.join(".recallignore")).unwrap();
    fs::create_dir(root.join(".ignore")).unwrap();
    let scan = scan_all(&root, &Rules::default());
    assert_eq!(scan.files.len(), 1, "{scan:?}");
}

#[test]
fn an_addition_that_became_a_symlink_is_not_followed() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("root");
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(place.path().join("out/sub")).unwrap();
    fs::write(place.path().join("out/sub/secret.rs"), "secret").unwrap();
    symlink("../out", root.join("added")).unwrap();
    for at in ["added", "added/sub", "added/sub/secret.rs"] {
        let addition = Addition {
            path: Some(path(at)),
            depth: Depth::Recursive,
            globs: Vec::new(),
            ignore: Vec::new(),
            ignore_rules: IgnoreRules::PassOver,
        };
        let scan = scan_all(&root, &Rules { additions: vec![addition], ..Rules::default() });
        assert_eq!(scan.files, [], "{at}");
        assert_eq!(scan.skipped.len(), 1, "{at}: the link itself is reported, once");
        assert_eq!(scan.skipped[0].reason, SkipReason::SymlinkOutside, "{at}");
    }
}

#[test]
fn stat_distinguishes_files_from_other_types() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.rs"), "text").unwrap();
    fs::create_dir(root.path().join("dir")).unwrap();
    symlink("a.rs", root.path().join("link")).unwrap();
    let scan = scan_all(root.path(), &Rules::default());
    let found = &scan.files[0];
    let same = StatOutcome::File { size_bytes: found.size_bytes, modified: found.modified };
    assert_eq!(stat(root.path(), &found.path), same);
    assert_eq!(stat(root.path(), &path("dir")), StatOutcome::NotRegular);
    assert_eq!(stat(root.path(), &path("link")), StatOutcome::NotRegular);
    assert_eq!(stat(root.path(), &path("gone")), StatOutcome::Gone);
    assert_eq!(stat(root.path(), &path("a.rs/below")), StatOutcome::Gone);
}

#[test]
fn a_path_over_the_system_limit_is_reported_and_the_scan_continues() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("z.rs"), "text").unwrap();
    // Each component is short; the whole path exceeds Linux's limit of 4,096 bytes.
    let name = "n".repeat(200);
    let mut directory = openat(CWD, root.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..25 {
        mkdirat(&directory, &name, Mode::RWXU).unwrap();
        directory = openat(&directory, &name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let scan = scan_all(root.path(), &Rules::default());
    assert_eq!(scan.files.len(), 1);
    let reasons: Vec<&str> = scan.skipped.iter().map(|file| file.reason.as_str()).collect();
    assert_eq!(reasons, ["unreadable"]);
}

/// A directory is repeatedly swapped for a symlink to the outside while it is read.
#[test]
fn swapping_a_directory_for_a_symlink_never_leaks_outside_content() {
    let place = tempfile::tempdir().unwrap();
    let base = place.path();
    fs::create_dir_all(base.join("root/dir")).unwrap();
    fs::create_dir_all(base.join("out")).unwrap();
    fs::write(base.join("root/dir/a.rs"), "inside").unwrap();
    fs::write(base.join("out/a.rs"), "leaked").unwrap();
    symlink("../out", base.join("root/link")).unwrap();
    let (root, stop) = (base.join("root"), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for (from, to) in [("dir", "kept"), ("link", "dir"), ("dir", "link"), ("kept", "dir")] {
                    fs::rename(root.join(from), root.join(to)).unwrap();
                }
            }
        });
        let until = Instant::now() + Duration::from_millis(300);
        let mut read = 0;
        while Instant::now() < until {
            match outcome(&root, "dir/a.rs").as_str() {
                "inside" => read += 1,
                // The error may be built after the link was removed again.
                "gone" | "outside" | "symlink_inside" => {}
                other => panic!("read {other:?}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(read > 0, "the file was there at times");
    });
}
