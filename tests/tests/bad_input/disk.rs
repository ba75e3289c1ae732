//! A full disk: searches report it until there is space again, and nothing that was indexed is lost.

use std::fs;
use std::path::Path;
use std::process::Command;

use recall_testkit::{Running, wait_until};
use rustix::process::geteuid;

use super::case::{Case, KNOWN};

/// The folders of the system's programs; the sandbox contains only recall's.
const SYSTEM_PROGRAMS: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Adds files with about a megabyte of text. Their index takes at least as much space.
fn fill_project(case: &Case) {
    for file in 0..100 {
        let line = |n: u32| format!("pub fn part_{file}_{n}(a_{}: usize) -> usize {{ a_{} }}\n", n * 7, n * 7);
        case.project.write(&format!("src/part_{file}.rs"), (0..200).map(line).collect::<String>());
    }
}

/// Runs a script as the first of a mount namespace, with `$1` the folder and `$2` the daemon's program.
fn in_a_namespace(case: &Case, folder: &Path, script: &str) -> Command {
    let mut command = case.sandbox.command(Path::new("/bin/sh"), case.sandbox.path());
    // An unprivileged user may mount in a user namespace, as its root.
    let user = if geteuid().is_root() { "" } else { "--user --map-root-user" };
    let unshare = format!("exec unshare {user} --mount sh -c '{script}' sh \"$1\" \"$2\"");
    command.env("PATH", SYSTEM_PROGRAMS).args(["-c", &unshare, "sh"]);
    command.arg(folder).arg(&case.sandbox.binaries().recalld);
    command
}

#[test]
fn a_full_disk_is_an_error_until_there_is_space() {
    let case = Case::new();
    fill_project(&case);
    let folder = case.sandbox.recall_home().join("data/stores");
    std::fs::create_dir_all(&folder).expect("a new folder");
    // Enough space for an empty index, but not for the index of the files.
    let mount = "mount -t tmpfs -o size=1m none \"$1\"";
    if Running::to_end(in_a_namespace(&case, &folder, mount)).code != Some(0) {
        // A container may withhold this from its root; the limit on the sizes of files below is tested everywhere.
        return;
    }
    let mut daemon = Running::start(in_a_namespace(&case, &folder, &format!("{mount} && exec \"$2\"")));
    wait_until("the daemon to answer", || case.sandbox.is_listening().then_some(()));
    let pid = case.daemon();
    for _ in 0..2 {
        case.refuses(&["search", KNOWN.0], 4, "DISK_FULL", "could not be indexed");
        case.refuses(&["search", "--scope", "project", KNOWN.0], 4, "DISK_FULL", "could not be indexed");
        let added = case.recall(&["add", "."]);
        assert_eq!(added.code, Some(4), "{added:?}");
        assert!(
            added.stderr.contains("No space left on device") || added.stderr.contains("no space is left"),
            "{added:?}"
        );
        assert!(added.stderr.contains("hint: make room on the disk"), "{added:?}");
    }
    let mut remount = case.sandbox.command(Path::new("/bin/sh"), case.sandbox.path());
    let script = "exec nsenter --preserve-credentials --user --mount --target \"$1\" mount -o remount,size=200m \"$2\"";
    let script = if geteuid().is_root() { script.replace("--user ", "") } else { script.to_owned() };
    remount.env("PATH", SYSTEM_PROGRAMS).args(["-c", &script, "sh", &pid.to_string()]).arg(&folder);
    let remounted = Running::to_end(remount);
    assert_eq!(remounted.code, Some(0), "{remounted:?}");
    assert_eq!(case.recall(&["add", "."]).code, Some(0));
    assert_eq!(case.search("part_57_123").0.first().map(String::as_str), Some("src/part_57.rs"));
    case.still_answers(pid);
    assert!(!daemon.has_ended());
}

#[test]
fn an_index_that_cannot_grow_is_an_error_and_keeps_its_content() {
    let case = Case::new();
    // A write beyond the limit fails with an error because the signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 800; exec \"$1\"";
    let mut limited = case.sandbox.command(Path::new("/bin/sh"), case.sandbox.path());
    limited.args(["-c", script, "sh"]).arg(&case.sandbox.binaries().recalld);
    let mut daemon = Running::start(limited);
    wait_until("the daemon to answer", || case.sandbox.is_listening().then_some(()));
    let pid = case.daemon();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    fill_project(&case);
    let added = case.recall(&["add", "."]);
    assert_eq!(added.code, Some(4), "{added:?}");
    // While the daemon retries, the response reports that instead.
    wait_until("the reported failure", || {
        let (found, warnings) = case.search(KNOWN.0);
        assert_eq!(found.first().map(String::as_str), Some(KNOWN.1));
        assert!(!warnings.is_empty(), "the incomplete index is not reported");
        warnings.contains(&"NOT_REFRESHED".to_owned()).then_some(())
    });
    case.still_answers(pid);
    assert!(!daemon.has_ended());
    assert_eq!(case.recall(&["daemon", "stop"]).code, Some(0));
    // Without the limit, everything is indexed.
    assert_eq!(case.recall(&["add", "."]).code, Some(0));
    assert_eq!(case.search("part_57_123").0.first().map(String::as_str), Some("src/part_57.rs"));
    assert!(fs::read_dir(case.index()).expect("readable").count() > 0);
}
