use std::fs;
use std::io::{Seek, SeekFrom, Write};

use tempfile::TempDir;

use super::*;

const LIMIT_BYTES: u64 = 1024 * 1024;

fn root_with(name: &str, bytes: &[u8]) -> (TempDir, DocPath) {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join(name), bytes).unwrap();
    (root, DocPath::new(name).unwrap())
}

fn refusal_of(name: &str, bytes: &[u8]) -> SkipReason {
    let (root, path) = root_with(name, bytes);
    match read(root.path(), &path, LIMIT_BYTES) {
        Err(ContentError::Refused { reason, .. }) => reason,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_text_comes_with_what_was_seen_of_its_file() {
    let bytes = b"\xEF\xBB\xBFone\r\ntwo\n";
    let (root, path) = root_with("a.rs", bytes);
    let content = read(root.path(), &path, LIMIT_BYTES).unwrap();
    let metadata = fs::metadata(root.path().join("a.rs")).unwrap();
    let expected = Content {
        text: "one\r\ntwo\n".to_owned(),
        hash: ContentHash::of(bytes),
        size_bytes: metadata.len(),
        modified: modified(&metadata),
        encoding: Encoding::Utf8Marked,
    };
    assert_eq!(content, expected);
}

#[test]
fn every_kind_that_is_not_indexed_is_refused_with_its_reason() {
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeK");
    assert_eq!(refusal_of("a.rs", b"a\0b"), SkipReason::Binary);
    assert_eq!(refusal_of("notes.txt", key.as_bytes()), SkipReason::PrivateKey);
    assert_eq!(refusal_of(".env", b"A=1\n"), SkipReason::Secret);
    assert_eq!(refusal_of("Cargo.lock", b"# lock\n"), SkipReason::LockFile);
    assert_eq!(refusal_of("a.rs", b"// @generated\n"), SkipReason::Generated);
    assert_eq!(refusal_of("a.js", "f();".repeat(20_000).as_bytes()), SkipReason::Minified);
    assert_eq!(refusal_of("a.txt", b"\xFF\xFEodd"), SkipReason::UnknownEncoding);
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let (root, path) = root_with("line.json", b"");
    let mut file = fs::OpenOptions::new().write(true).open(root.path().join("line.json")).unwrap();
    for bytes in [100 * 1024 * 1024, 4 << 30, LIMIT_BYTES + 1] {
        file.set_len(bytes).unwrap();
        let answer = read(root.path(), &path, LIMIT_BYTES);
        let expected = SkipReason::TooLarge { bytes, limit_bytes: LIMIT_BYTES };
        assert!(matches!(&answer, Err(ContentError::Refused { reason, .. }) if *reason == expected), "{answer:?}");
    }
    file.set_len(0).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&vec![b'\n'; LIMIT_BYTES as usize]).unwrap();
    assert_eq!(read(root.path(), &path, LIMIT_BYTES).unwrap().size_bytes, LIMIT_BYTES);
}

#[test]
fn a_file_that_grows_while_it_is_read_is_not_taken() {
    let (root, path) = root_with("a.log", b"one\n");
    let place = root.path().join("a.log");
    let mut file = File::open(&place).unwrap();
    // The length is taken from the file as it is now; what the reader finds is one line more.
    let before = file.metadata().unwrap();
    fs::OpenOptions::new().append(true).open(&place).unwrap().write_all(b"two\n").unwrap();
    file.rewind().unwrap();
    let raw = take(&file, &before, &path).unwrap();
    assert!(raw.is_none());
}

#[test]
fn every_error_but_that_of_a_missing_file_is_a_reason_to_skip() {
    let path = || DocPath::new("a").unwrap();
    let refused = ContentError::Refused { path: path(), reason: SkipReason::Binary };
    assert_eq!(refused.reason(), Some(SkipReason::Binary));
    assert_eq!(ContentError::Outside { path: path() }.reason(), Some(SkipReason::SymlinkOutside));
    assert_eq!(ContentError::Gone { path: path() }.reason(), None);
    let unreadable = ContentError::Unreadable { path: path(), source: io::Error::other("no") };
    assert_eq!(unreadable.reason(), Some(SkipReason::Unreadable { error: "no".to_owned() }));
}
