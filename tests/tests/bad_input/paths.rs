//! Paths outside the project, missing paths, and folders that are not a project.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use recall_api::{Failure, Reason, v1};
use recall_testkit::Running;

use super::case::{Case, KNOWN};

/// A case with a private file next to its project.
fn beside_a_secret() -> Case {
    let case = Case::new();
    case.sandbox.project("other", &[("secret.rs", "pub fn nobodys_business() {}\n")]);
    let other = case.sandbox.path().join("src/other");
    symlink(&other, case.project.path("folder_link")).expect("a new link");
    symlink(other.join("secret.rs"), case.project.path("file_link.rs")).expect("a new link");
    case
}

#[test]
fn no_path_outside_the_root_is_indexed() {
    let case = beside_a_secret();
    let absolute = case.sandbox.path().join("src/other/secret.rs");
    let absolute = absolute.to_str().expect("plain");
    for path in [
        "..",
        "../..",
        "../other",
        "../other/secret.rs",
        "src/../../other/secret.rs",
        absolute,
        "/etc/passwd",
        "/",
        "folder_link",
        "folder_link/secret.rs",
        "file_link.rs",
        "folder_link/../other/secret.rs",
    ] {
        case.refuses(&["add", path], 4, "PERMISSION_DENIED", "is outside the root");
    }
    let daemon = case.daemon();
    assert_eq!(case.recall(&["add", "."]).code, Some(0));
    assert_eq!(case.reason("file_link.rs").as_deref(), Some("symlink that leaves the root"));
    assert_eq!(case.reason("folder_link").as_deref(), Some("symlink that leaves the root"));
    assert!(case.search("nobodys_business").0.is_empty());
    case.still_answers(daemon);
}

#[test]
fn no_path_outside_the_root_is_read() {
    let case = beside_a_secret();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let daemon = case.daemon();
    for path in ["../other/secret.rs", "folder_link/secret.rs", "/etc/passwd", "src/../../other/secret.rs"] {
        case.refuses(&["get", path], 1, "NOT_FOUND", &format!("not found: `{path}`"));
    }
    let link = "`file_link.rs` is not indexed: symlink that leaves the root";
    case.refuses(&["get", "file_link.rs"], 1, "NOT_FOUND", link);
    case.refuses(&["rm", "../other/secret.rs"], 2, "INVALID_ARGUMENT", "is not a path below the root");
    case.refuses(&["rm", "src/nothing.rs"], 1, "NOT_FOUND", "not found: `src/nothing.rs`");
    case.still_answers(daemon);
}

#[test]
fn a_missing_path_is_refused() {
    let case = Case::new();
    symlink("nowhere", case.project.path("broken")).expect("a new link");
    symlink("loop", case.project.path("loop")).expect("a new link");
    case.refuses(&["add", "nothing"], 1, "NOT_FOUND", "nothing` does not exist");
    case.refuses(&["add", "broken"], 4, "PERMISSION_DENIED", "broken` cannot be indexed here");
    case.refuses(&["add", "loop"], 4, "PERMISSION_DENIED", "loop` cannot be indexed here");
    case.refuses(&["add", "["], 2, "INVALID_ARGUMENT", "is not a glob");
    case.still_answers(case.daemon());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_with_nul_is_refused() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let (client, daemon) = (case.client().await, case.daemon());
    let get = v1::GetRequest { context: Some(case.context()), id: "src/\0.rs".to_owned(), ..v1::GetRequest::default() };
    let failure = Failure::from_status(&client.get(get).await.expect_err("not a path"));
    assert!(matches!(failure.reason, Reason::NotFound | Reason::InvalidArgument), "{failure}");
    let paths = vec!["src/\0.rs".to_owned()];
    let index = v1::IndexRequest { context: Some(case.context()), paths, ..v1::IndexRequest::default() };
    let refused = client.index(index).await.expect_err("not a path");
    let failure = Failure::from_status(&refused);
    assert_eq!(failure.reason, Reason::InvalidArgument, "{failure}");
    assert!(failure.message.contains("without NUL"), "{failure}");
    case.still_answers(daemon);
}

#[test]
fn a_file_name_that_is_not_utf8_is_refused() {
    let case = Case::new();
    let name = OsStr::from_bytes(b"src/caf\xe9.rs");
    std::fs::write(case.project.root().join(name), "pub fn no_text() {}\n").expect("Linux takes any bytes");
    let mut command = case.sandbox.command(&case.sandbox.binaries().recall, case.project.root());
    command.arg("add").arg(name);
    let outcome = Running::to_end(command);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
    assert!(outcome.stderr.contains("is not UTF-8") && outcome.stderr.contains("\nhint: "), "{outcome:?}");
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    assert_eq!(case.reason("src/caf\u{fffd}.rs").as_deref(), Some("the name is not UTF-8"));
    case.still_answers(case.daemon());
}

#[test]
fn the_root_directory_and_the_home_folder_are_not_projects() {
    let case = Case::new();
    let home = case.sandbox.user_home();
    std::fs::write(home.join("diary.md"), "# Diary\n\nDear diary.\n").expect("a new file");
    let link = case.sandbox.path().join("link_to_home");
    symlink(&home, &link).expect("a new link");
    let (home, link) = (home.to_str().expect("plain"), link.to_str().expect("plain"));
    for (root, says) in [
        ("/", "`/` is the root of a file system"),
        ("/usr/..", "is the root of a file system"),
        (home, "is the home folder"),
        (link, "is the home folder"),
    ] {
        for command in [&["search", "x"][..], &["add", "."], &["list"], &["rebuild"]] {
            let arguments = [&["--project", root], command].concat();
            case.refuses(&arguments, 4, "PERMISSION_DENIED", says);
        }
        assert_eq!(case.recall(&["--project", root, "init"]).code, Some(4), "{root}");
    }
    let insisted = case.recall(&["--project", home, "--allow-broad-root", "search", "diary"]);
    assert_eq!(insisted.code, Some(0), "{insisted:?}");
    case.still_answers(case.daemon());
}

#[test]
fn an_unknown_project_is_refused() {
    let case = Case::new();
    case.refuses(&["--project", "/no/such/folder", "search", "x"], 2, "INVALID_ARGUMENT", "there is no directory");
    case.refuses(&["--project", "src/sessions.rs", "search", "x"], 2, "INVALID_ARGUMENT", "is not a directory");
    case.still_answers(case.daemon());
}
