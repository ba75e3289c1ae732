//! The files for service managers, compared with the programs.

use std::fs;
use std::path::Path;

use recall_config::{Dirs, Environment, PlatformDirs, Settings};
use recall_tests::workspace;

#[test]
fn systemd_listens_where_clients_look() {
    let platform = PlatformDirs { data: "/d".into(), config: "/c".into(), cache: "/x".into(), state: "/s".into() };
    let session =
        Environment { platform: Some(platform), runtime_dir: Some("/run/user/7".into()), ..Environment::default() };
    let dirs = Dirs::from_environment(&session).expect("absolute");
    let listens = value(&unit("recalld.socket"), "ListenStream").replace("%t", "/run/user/7");
    assert_eq!(Some(Path::new(&listens)), dirs.service_socket.as_deref());
}

#[test]
fn service_managers_wait_longer_than_the_daemon_drains() {
    let drain = Settings::default().daemon.drain.as_secs();
    let patience: u64 = value(&unit("recalld.service"), "TimeoutStopSec").parse().expect("seconds");
    assert!(patience > 2 * drain);
    let plist = read("launchd/dev.recall.recalld.plist");
    let (_, behind) = plist.split_once("<key>ExitTimeOut</key>").expect("said");
    let (_, behind) = behind.split_once("<integer>").expect("a number");
    let (patience, _) = behind.split_once("</integer>").expect("a number");
    assert!(patience.parse::<u64>().expect("seconds") > 2 * drain);
}

#[test]
fn systemd_leaves_room_above_the_memory_that_the_daemon_keeps() {
    let service = unit("recalld.service");
    let gibibytes = |key: &str| value(&service, key).trim_end_matches('G').parse::<u64>().expect("in GiB") << 30;
    let ceiling = Settings::default().daemon.memory_ceiling_bytes;
    assert!(gibibytes("MemoryHigh") >= 2 * ceiling);
    assert!(gibibytes("MemoryMax") > gibibytes("MemoryHigh"));
}

fn unit(name: &str) -> String {
    read(&format!("systemd/{name}"))
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The value of a key in a unit; the last one counts.
fn value(unit: &str, key: &str) -> String {
    let value = unit.lines().rev().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("no {key}")).to_owned()
}
