//! Backups that are damaged or made to do harm.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use recall_testkit::{Project, Sandbox};
use recall_tests::sandbox;
use serde_json::{Value, json};

use super::{filled, json_of, path, refused, remember, unpack, zoo};

/// A backup of one memory.
fn backup(sandbox: &Sandbox, project: &Project) -> String {
    remember(sandbox, project, "Wombats are fed at midnight.", "project");
    let file = path(sandbox, "zoo.tar.gz");
    json_of(sandbox, project, &["backup", &file]);
    file
}

fn compress(tar: &[u8], file: &Path) {
    let mut gzip = Command::new("gzip")
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(fs::File::create(file).expect("a file"))
        .spawn()
        .expect("gzip runs");
    gzip.stdin.take().expect("piped").write_all(tar).expect("written");
    assert!(gzip.wait().expect("gzip ends").success());
}

fn decompress(file: &str) -> Vec<u8> {
    let gzip = Command::new("gzip").args(["-dc", file]).output().expect("gzip runs");
    assert!(gzip.status.success(), "{gzip:?}");
    gzip.stdout
}

/// Whether a file decompresses to a text without an error.
fn decompresses_to(file: &str, expected: &[u8]) -> bool {
    let gzip = Command::new("gzip").args(["-dc", file]).output().expect("gzip runs");
    gzip.status.success() && gzip.stdout == expected
}

/// A tar header as recall writes it.
fn header(path: &str, bytes: usize) -> [u8; 512] {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, path.as_bytes());
    put(100, b"0000600\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{bytes:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:07o}\0").as_bytes());
    header
}

fn entry(path: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = header(path, content.len()).to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// A file in the format of backups with this manifest, followed by other bytes.
fn forged(sandbox: &Sandbox, manifest: &Value, rest: &[u8]) -> String {
    let mut tar = entry("manifest.json", manifest.to_string().as_bytes());
    tar.extend_from_slice(rest);
    tar.extend_from_slice(&[0; 1024]);
    let file = path(sandbox, "forged.tar.gz");
    compress(&tar, Path::new(&file));
    file
}

fn manifest(entries: &Value) -> Value {
    json!({
        "format": "recall-backup", "format_version": 1, "recall_version": "0.1.0", "created": "2026-11-20T12:00:00Z",
        "project": "/p", "scope": "all", "entries": entries,
    })
}

/// Everything below a folder, except what the daemon itself changes: its indexes, logs and sockets.
fn durable_files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.clone(), fs::read(path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

/// Checks that a file is refused for a reason, and that no project or durable data changes.
#[track_caller]
fn check(sandbox: &Sandbox, project: &Project, file: &str, code: &str, message: &str) {
    let durable = || {
        let data = sandbox.dirs().data;
        [project.root().to_owned(), data.join("global"), data.join("written")].map(|folder| durable_files(&folder))
    };
    let before = durable();
    for arguments in [&["restore", file, "--trust"][..], &["restore", file, "--dry-run"]] {
        let error = refused(sandbox, project, arguments);
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(message)), "{error}");
    }
    assert!(durable() == before, "{file} changed something");
}

#[test]
fn a_damaged_backup_is_refused_before_anything_is_written() {
    let here = sandbox!();
    let file = backup(&here, &zoo(&here));
    let there = sandbox!();
    let project = zoo(&there);
    let whole = fs::read(&file).expect("there");
    let bad = path(&there, "bad.tar.gz");
    for keep in [0, 1, 9, 100, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        fs::write(&bad, &whole[..keep]).expect("written");
        let error = refused(&there, &project, &["restore", &bad]);
        assert!(["STORE_DAMAGED", "INVALID_ARGUMENT"].contains(&error["code"].as_str().unwrap_or_default()), "{error}");
    }
    let tar = decompress(&file);
    let step = (whole.len() / 40).max(1);
    for at in (10..whole.len()).step_by(step) {
        let mut changed = whole.clone();
        changed[at] ^= 0x20;
        fs::write(&bad, &changed).expect("written");
        // Some bits, like the padding of the stream, have no meaning.
        if !decompresses_to(&bad, &tar) {
            refused(&there, &project, &["restore", &bad]);
        }
    }
    fs::write(&bad, [&whole[..], b"more"].concat()).expect("written");
    check(&there, &project, &bad, "STORE_DAMAGED", "more than its manifest");
    assert!(!project.path(".recall").exists());
    // Without a change it is accepted.
    json_of(&there, &project, &["restore", &file]);
}

#[test]
fn a_changed_file_in_a_backup_is_found_by_its_checksum() {
    let here = sandbox!();
    let project = zoo(&here);
    let file = backup(&here, &project);
    let mut tar = decompress(&file);
    let at = tar.windows(7).rposition(|window| window == b"Wombats").expect("there");
    tar[at] = b'C';
    let bad = path(&here, "bad.tar.gz");
    compress(&tar, Path::new(&bad));
    check(&here, &project, &bad, "STORE_DAMAGED", "checksum");
}

#[test]
fn other_files_and_newer_formats_are_refused() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    let text = path(&sandbox, "text");
    fs::write(&text, "not a backup\n".repeat(100)).expect("written");
    check(&sandbox, &project, &text, "INVALID_ARGUMENT", "is not a backup");
    let foreign = path(&sandbox, "foreign.tar.gz");
    let tar =
        Command::new("tar").args(["-czf", &foreign, "-C"]).arg(project.root()).arg("src").output().expect("tar runs");
    assert!(tar.status.success(), "{tar:?}");
    check(&sandbox, &project, &foreign, "INVALID_ARGUMENT", "manifest.json");
    let mut newer = manifest(&json!([]));
    newer["format_version"] = json!(2);
    newer["entries"] = json!("in another form");
    check(&sandbox, &project, &forged(&sandbox, &newer, b""), "SCHEMA_NEWER", "format 2");
    newer["format"] = json!("another");
    check(&sandbox, &project, &forged(&sandbox, &newer, b""), "INVALID_ARGUMENT", "another program");
    let missing = refused(&sandbox, &project, &["restore", &path(&sandbox, "missing")]);
    assert_eq!(missing["code"], "NOT_FOUND", "{missing}");
    check(&sandbox, &project, &path(&sandbox, "src"), "INVALID_ARGUMENT", "is a folder, not a backup");
}

#[test]
fn a_backup_cannot_write_anywhere_else() {
    let sandbox = sandbox!();
    let project = zoo(&sandbox);
    remember(&sandbox, &project, "Wombats are fed at midnight.", "project");
    let hash = |content: &[u8]| blake3_of(&sandbox, &project, content);
    let content = b"evil\n";
    let paths = [
        "../../escaped",
        "/tmp/escaped",
        ".recall/../../escaped",
        ".git/hooks/post-checkout",
        ".recall/history/../../x",
        "src/zoo.rs",
        ".recall/.gitattributes",
        "a\\b",
        "",
    ];
    for area in [json!("project"), json!("global"), json!("written"), json!({"domain": "d"})] {
        for path in paths.iter().filter(|path| area != "global" || **path != "src/zoo.rs") {
            let listed = json!([{"area": area, "path": path, "bytes": content.len(), "blake3": hash(content)}]);
            let file = forged(&sandbox, &manifest(&listed), &entry("files/0", content));
            check(&sandbox, &project, &file, "PERMISSION_DENIED", "refused");
        }
    }
    // The same entry with another type: a link, a device, a directory, an extension.
    let listed =
        json!([{"area": "project", "path": ".recall/history/a.md", "bytes": content.len(), "blake3": hash(content)}]);
    for kind in b"12345678xgLK" {
        let mut bytes = entry("project/.recall/history/a.md", content);
        bytes[156] = *kind;
        let file = forged(&sandbox, &manifest(&listed), &bytes);
        check(&sandbox, &project, &file, "STORE_DAMAGED", "something else");
    }
    let file = forged(&sandbox, &manifest(&listed), &entry("project/.recall/history/a.md", content));
    json_of(&sandbox, &project, &["restore", &file]);
    assert_eq!(fs::read(project.path(".recall/history/a.md")).expect("there"), content);
}

#[test]
fn stated_and_real_sizes_are_bounded() {
    let sandbox = sandbox!();
    let project = zoo(&sandbox);
    remember(&sandbox, &project, "Wombats are fed at midnight.", "project");
    let listed = |bytes: u64| json!([{"area": "project", "path": ".recall/profile.md", "bytes": bytes, "blake3": "0"}]);
    let huge = forged(&sandbox, &manifest(&listed(u64::MAX)), b"");
    check(&sandbox, &project, &huge, "LIMIT_EXCEEDED", "limit");
    let many: Vec<Value> = (0..40).map(|number| {
        json!({"area": "global", "path": format!("{number}.md"), "bytes": 128 * 1024 * 1024, "blake3": "0"})
    }).collect();
    check(&sandbox, &project, &forged(&sandbox, &manifest(&json!(many)), b""), "LIMIT_EXCEEDED", "limit");
    // A stream of a gigabyte in a file of a megabyte, of which the manifest names a few bytes.
    let bomb = vec![0; 64 * 1024 * 1024];
    let file = forged(&sandbox, &manifest(&listed(4)), &[entry("project/.recall/profile.md", b"evil"), bomb].concat());
    check(&sandbox, &project, &file, "STORE_DAMAGED", "checksum");
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    let here = sandbox!();
    let (project, _) = filled(&here);
    let file = path(&here, "zoo.tar.gz");
    json_of(&here, &project, &["backup", &file]);
    unpack(&file, &here.path().join("unpacked"));
    let there = sandbox!();
    let copy = zoo(&there);
    let outside = there.path().join("outside");
    fs::create_dir_all(outside.join("sessions")).expect("a folder");
    fs::create_dir_all(copy.path(".recall")).expect("a folder");
    std::os::unix::fs::symlink(outside.join("profile.md"), copy.path(".recall/profile.md")).expect("a link");
    std::os::unix::fs::symlink(outside.join("sessions"), copy.path(".recall/sessions")).expect("a link");
    let restored = json_of(&there, &copy, &["restore", &file]);
    assert!(!restored["conflicts"].as_array().expect("a list").is_empty(), "{restored}");
    assert_eq!(fs::read_dir(outside.join("sessions")).expect("there").count(), 0);
    assert!(!outside.join("profile.md").exists());
}

/// The checksum of a content, as a backup of a file with this content has it.
fn blake3_of(sandbox: &Sandbox, project: &Project, content: &[u8]) -> String {
    fs::create_dir_all(project.path(".recall/history")).expect("a folder");
    fs::write(project.path(".recall/history/sum.md"), content).expect("written");
    let file = path(sandbox, "sum.tar.gz");
    json_of(sandbox, project, &["backup", &file, "--force", "--scope", "project"]);
    let folder = sandbox.path().join("sum");
    unpack(&file, &folder);
    let manifest = fs::read_to_string(folder.join("manifest.json")).expect("there");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let entries = manifest["entries"].as_array().expect("a list");
    let entry = entries.iter().find(|entry| entry["path"] == ".recall/history/sum.md").expect("there");
    entry["blake3"].as_str().expect("a text").to_owned()
}
