//! Files that cannot be indexed: binary, special, too large or unreadable. Each is skipped with a reason, and the
//! others are found.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::process::Command;

use super::case::{Case, KNOWN};

/// Indexes the project and checks that each file is skipped for its reason.
fn check(case: &Case, expected: &[(&str, &str)]) {
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let daemon = case.daemon();
    for (path, reason) in expected {
        let reported = case.reason(path).unwrap_or_default();
        assert!(reported.ends_with(reason), "{path}: {reported:?}");
        assert_ne!(case.search(path).0.first().map(String::as_str), Some(*path), "it was indexed");
    }
    case.still_answers(daemon);
}

#[test]
fn special_files_are_skipped_without_blocking() {
    let case = Case::new();
    let path = |name: &str| case.project.path(name);
    let made = Command::new("mkfifo").arg(path("pipe.rs")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let _socket = UnixListener::bind(path("socket.rs")).expect("a new socket");
    let mut expected = vec![("pipe.rs", "not a regular file"), ("socket.rs", "not a regular file")];
    // Only root may make a device, and a container may withhold even that.
    for (name, minor) in [("null.rs", "3"), ("zero.rs", "5")] {
        let made = Command::new("mknod").arg(path(name)).args(["c", "1", minor]).output();
        if made.is_ok_and(|output| output.status.success()) {
            expected.push((name, "not a regular file"));
        }
    }
    check(&case, &expected);
    // A file that is named explicitly gets the same response.
    assert_eq!(case.recall(&["add", "pipe.rs"]).code, Some(0));
    assert_eq!(case.reason("pipe.rs").as_deref(), Some("not a regular file"));
}

#[test]
fn a_file_over_the_size_limit_is_not_read() {
    let case = Case::new();
    File::create(case.project.path("sparse.rs")).expect("a new file").set_len(4 << 30).expect("a sparse one");
    let mut line = File::create(case.project.path("line.rs")).expect("a new file");
    for _ in 0..100 {
        line.write_all(&vec![b'x'; 1_000_000]).expect("there is room");
    }
    check(
        &case,
        &[
            ("sparse.rs", "too large: 4.0 GiB, the limit is 16.0 MiB (setting `limits.file_bytes`)"),
            ("line.rs", "too large: 95.4 MiB, the limit is 16.0 MiB (setting `limits.file_bytes`)"),
        ],
    );
}

#[test]
fn binary_files_are_skipped_and_minified_ones_are_indexed() {
    let case = Case::new();
    let bytes: Vec<u8> = (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    case.project.write("noise.rs", bytes);
    case.project.write("nul.rs", "pub fn with_nul() {}\n\0\n");
    case.project.write("bundle.js", "var a=1;function b(){return a};".repeat(3_000));
    case.project.write("line.json", "1,".repeat(500_000));
    check(&case, &[("noise.rs", "binary"), ("nul.rs", "binary")]);
    for path in ["bundle.js", "line.json"] {
        assert_eq!(case.search(path).0.first().map(String::as_str), Some(path));
    }
}

#[test]
fn text_in_another_encoding_is_converted() {
    let case = Case::new();
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    case.project.write("little.rs", wide("pub fn little_größe() {}\n", u16::to_le_bytes));
    case.project.write("big.rs", wide("pub fn big_größe() {}\n", u16::to_be_bytes));
    case.project.write("marked.rs", "\u{feff}pub fn marked_text() {}\n");
    case.project.write("latin.rs", b"// caf\xe9\npub fn latin_text() {}\n");
    for (query, path) in [
        ("little_größe", "little.rs"),
        ("big_größe", "big.rs"),
        ("marked_text", "marked.rs"),
        ("latin_text", "latin.rs"),
        ("café", "latin.rs"),
    ] {
        assert_eq!(case.search(query).0.first().map(String::as_str), Some(path), "{query}");
    }
    let read = case.recall(&["get", "latin.rs"]);
    assert!(read.stdout.contains("// café"), "{read:?}");
    case.still_answers(case.daemon());
}

#[test]
fn bytes_in_no_known_encoding_are_harmless() {
    let case = Case::new();
    case.project.write("invalid.rs", b"// \xff\xfe\xc0\x80 \xed\xa0\x80\npub fn among_invalid_bytes() {}\n");
    case.project.write("half.rs", b"\xff\xfep\0u\0b\0 \0f\0n\0 \0x\0(\0)\0\xd8");
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    for path in ["invalid.rs", "half.rs"] {
        let listed = case.recall(&["list", "--type", "code"]).stdout;
        assert!(listed.contains(path) || case.reason(path).is_some(), "{path} is neither indexed nor reported");
    }
    case.still_answers(case.daemon());
}

#[test]
fn an_unreadable_file_is_reported_and_found_once_it_is_readable() {
    let case = Case::new();
    let mut daemon = case.start_daemon_bound_by_permissions();
    case.project.write("private.rs", "pub fn private_matter() {}\n");
    case.project.write("closed/inside.rs", "pub fn inside_matter() {}\n");
    let set = |path: &str, mode| {
        fs::set_permissions(case.project.path(path), fs::Permissions::from_mode(mode)).expect("ours");
    };
    set("private.rs", 0o000);
    set("closed", 0o000);
    check(&case, &[("private.rs", "Permission denied (os error 13)"), ("closed", "Permission denied (os error 13)")]);
    set("private.rs", 0o644);
    set("closed", 0o755);
    assert_eq!(case.recall(&["add", "."]).code, Some(0));
    assert_eq!(case.search("private_matter").0.first().map(String::as_str), Some("private.rs"));
    assert_eq!(case.search("inside_matter").0.first().map(String::as_str), Some("closed/inside.rs"));
    assert_eq!(case.reason("private.rs"), None);
    assert!(!daemon.has_ended());
}

#[test]
fn a_million_nested_brackets_are_indexed_like_any_other_text() {
    let case = Case::new();
    // In lines, so that the file does not count as minified, and as large as a text that is parsed at once.
    let lines = |brackets: &str| format!("{}\n", brackets.repeat(50)).repeat(1_000_000 / 50 / brackets.len());
    let files = [
        ("deep.rs", format!("fn rust_surface() {{}}\nfn f() {{ {}", lines("("))),
        ("deep.json", format!("{{\"json_surface\": {}", lines("["))),
        ("deep.c", format!("int c_surface(void);\nint x = {}", lines("("))),
        ("deep.py", format!("def python_surface(): pass\nx = {}", lines("["))),
        ("deep.html", format!("<p>html_surface</p>\n{}", lines("<b>"))),
        ("deep.md", format!("# markdown_surface\n\n{}", lines("> "))),
    ];
    for (path, text) in &files {
        case.project.write(path, text);
    }
    assert_eq!(case.recall(&["add", "."]).code, Some(0));
    let daemon = case.daemon();
    for (path, _) in &files {
        let query = format!(
            "{}_surface",
            match *path {
                "deep.rs" => "rust",
                "deep.json" => "json",
                "deep.c" => "c",
                "deep.py" => "python",
                "deep.html" => "html",
                _ => "markdown",
            }
        );
        let (found, _) = case.search(&query);
        assert!(found.iter().any(|hit| hit == path), "{path}: {found:?}, {:?}", case.reason(path));
    }
    case.still_answers(daemon);
}
