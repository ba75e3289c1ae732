//! Folders: opening, refusing, replacing and deleting.

#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use recall_os::{Access, Folder, OpenError};
use tempfile::TempDir;

/// Creates a folder `inside` next to a folder `outside` that has a file.
fn place() -> (TempDir, Folder) {
    let place = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(place.path().join("inside/sub")).expect("made");
    fs::create_dir(place.path().join("outside")).expect("made");
    fs::write(place.path().join("outside/file"), "foreign").expect("written");
    fs::write(place.path().join("inside/sub/file"), "own").expect("written");
    let folder = Folder::open(&place.path().join("inside")).expect("a folder");
    (place, folder)
}

fn reason(error: &OpenError) -> &'static str {
    match error {
        OpenError::Missing { .. } => "missing",
        OpenError::Link { .. } => "link",
        OpenError::NotAFolder { .. } => "not a folder",
        OpenError::NotAFile { .. } => "not a file",
        OpenError::NotPlain { .. } => "not plain",
        OpenError::NotOurs { .. } => "not ours",
        OpenError::Io { .. } => "io",
    }
}

#[test]
fn a_regular_file_is_read_and_anything_else_is_refused() {
    let (place, folder) = place();
    let inside = place.path().join("inside");
    symlink("../outside", inside.join("link")).expect("linked");
    symlink("../outside/file", inside.join("sub/link")).expect("linked");
    symlink("sub", inside.join("within")).expect("linked");
    symlink("loop", inside.join("loop")).expect("linked");
    rustix::fs::mknodat(rustix::fs::CWD, inside.join("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .expect("made");
    assert_eq!(folder.read("sub/file", 100).expect("readable"), b"own");
    assert_eq!(folder.read("sub/file", 2).expect("readable"), b"ow");
    for (path, expected) in [
        ("link/file", "link"),
        ("sub/link", "link"),
        ("within/file", "link"),
        ("loop", "link"),
        ("loop/file", "link"),
        ("fifo", "not a file"),
        ("fifo/file", "not a folder"),
        ("sub", "not a file"),
        ("sub/file/more", "not a folder"),
        ("none", "missing"),
        ("none/file", "missing"),
        ("../outside/file", "not plain"),
        ("sub/../../outside/file", "not plain"),
        ("/etc/passwd", "not plain"),
        ("", "not plain"),
    ] {
        for access in [Access::Read, Access::Append] {
            let error = folder.file(path, access).expect_err(path);
            assert_eq!(reason(&error), expected, "{path} {access:?}: {error}");
        }
        if expected != "missing" {
            for access in [Access::AppendOrCreate, Access::CreateNew] {
                assert_eq!(reason(&folder.file(path, access).expect_err(path)), expected, "{path} {access:?}");
            }
        }
    }
    assert_eq!(fs::read(place.path().join("outside/file")).expect("there"), b"foreign");
}

#[test]
fn a_created_file_is_private_and_can_be_appended_to() {
    let (place, folder) = place();
    let mut file = folder.file("sub/new", Access::AppendOrCreate).expect("created");
    file.write_all(b"one").expect("written");
    let mut again = folder.file("sub/new", Access::Append).expect("there");
    again.write_all(b" two").expect("written");
    let mut text = String::new();
    folder.file("sub/new", Access::Read).expect("there").read_to_string(&mut text).expect("read");
    assert_eq!(text, "one two");
    let mode = fs::metadata(place.path().join("inside/sub/new")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let error = folder.file("sub/new", Access::CreateNew).expect_err("it is there");
    assert_eq!(reason(&error), "io");
}

#[test]
fn folders_are_created_but_not_through_links() {
    let (place, folder) = place();
    symlink("../outside", place.path().join("inside/link")).expect("linked");
    for _ in 0..2 {
        let made = folder.make_folder("a/b").expect("made, or there");
        assert!(made.names().expect("listed").is_empty());
    }
    assert_eq!(reason(&folder.make_folder("link/a").expect_err("a link")), "link");
    assert_eq!(reason(&folder.make_folder("link").expect_err("a link")), "link");
    assert_eq!(reason(&folder.make_folder("sub/file/a").expect_err("a file")), "not a folder");
    assert_eq!(fs::read_dir(place.path().join("outside")).expect("there").count(), 1);
}

#[test]
fn a_file_is_replaced_and_a_link_in_its_place_is_not_followed() {
    let (place, folder) = place();
    symlink("../outside/file", place.path().join("inside/link")).expect("linked");
    folder.replace("link", b"new").expect("replaced");
    folder.replace("fresh", b"new").expect("written");
    assert_eq!(folder.read("link", 10).expect("a file"), b"new");
    assert_eq!(folder.read("fresh", 10).expect("a file"), b"new");
    assert_eq!(fs::read(place.path().join("outside/file")).expect("there"), b"foreign");
    assert_eq!(reason(&folder.replace("sub/file", b"new").expect_err("not a name")), "not plain");
    assert_eq!(folder.names().expect("listed").len(), 3, "no temporary file is left");
}

#[test]
fn only_plain_names_are_deleted_and_links_are_not_followed() {
    let (place, folder) = place();
    let inside = place.path().join("inside");
    symlink("../outside", inside.join("link")).expect("linked");
    symlink("../../outside", inside.join("sub/link")).expect("linked");
    for name in ["..", ".", "", "/", "sub/file", "../outside", "/etc", "sub/"] {
        assert_eq!(reason(&folder.remove(name).expect_err(name)), "not plain", "{name}");
    }
    folder.remove("link").expect("removed");
    folder.remove("sub").expect("removed");
    assert_eq!(reason(&folder.remove("sub").expect_err("gone")), "missing");
    assert!(folder.names().expect("listed").is_empty());
    assert_eq!(fs::read(place.path().join("outside/file")).expect("there"), b"foreign");
}

#[test]
fn a_folder_is_deleted_while_a_thread_still_writes_into_it() {
    const ROUNDS: usize = 40;
    let (place, folder) = place();
    for _ in 0..ROUNDS {
        let full = folder.make_folder("full").expect("made");
        let path = place.path().join("inside/full");
        let writer = std::thread::spawn(move || {
            for n in 0..200 {
                // Fails once the folder is gone.
                let _ = fs::write(path.join(n.to_string()), "");
            }
        });
        while full.names().expect("names").is_empty() && !writer.is_finished() {}
        folder.remove("full").expect("removed");
        writer.join().expect("written");
        assert!(folder.metadata("full").expect("seen").is_none());
    }
}

#[test]
fn a_private_folder_excludes_other_users_and_is_not_a_link() {
    let place = tempfile::tempdir().expect("a folder");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let fresh = place.path().join("a/b");
    Folder::private(&fresh).expect("made");
    assert_eq!((mode(&fresh), mode(&place.path().join("a"))), (0o700, 0o700));
    let open = place.path().join("open");
    fs::create_dir(&open).expect("made");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).expect("set");
    Folder::private(&open).expect("ours");
    assert_eq!(mode(&open), 0o700);
    symlink("open", place.path().join("link")).expect("linked");
    assert_eq!(reason(&Folder::private(&place.path().join("link")).expect_err("a link")), "link");
    fs::write(place.path().join("file"), "").expect("written");
    let error = Folder::private(&place.path().join("file")).expect_err("a file");
    assert_eq!(reason(&error), "not a folder");
}

#[test]
fn metadata_does_not_follow_links() {
    let (place, folder) = place();
    symlink("../outside/file", place.path().join("inside/link")).expect("linked");
    symlink("../outside", place.path().join("inside/away")).expect("linked");
    assert!(folder.metadata("link").expect("seen").expect("there").is_symlink());
    assert!(folder.metadata("none").expect("seen").is_none());
    assert_eq!(reason(&folder.metadata("away/file").expect_err("a link")), "link");
    assert!(folder.has_file("sub/file") && !folder.has_file("link") && !folder.has_file("sub"));
}
