//! Malicious trees of files, generated from a seed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use oorandom::Rand32;
use rustix::fs::{CWD, FileType, mknodat};

/// The paths that recall uses in a project, and some that older releases used. `DAY` is the day of the commands.
const PLACES: &[&str] = &[
    ".recall",
    ".recall/index",
    ".recall/index/vectors",
    ".recall/index/vectors.lock",
    ".recall/index/lexical",
    ".recall/index/lexical/.managed.json",
    ".recall/index/lexical/meta.json",
    ".recall/index/catalog.db",
    ".recall/index/catalog.db-wal",
    ".recall/index/.writable",
    ".recall/index/retrievals",
    ".recall/selection.jsonl",
    ".recall/recall.toml",
    ".recall/.gitignore",
    ".recall/.gitattributes",
    ".recall/.unfinished-1-0",
    ".recall/sessions",
    ".recall/sessions/s1",
    ".recall/sessions/s1/events.jsonl",
    ".recall/history",
    ".recall/history/2026-01-01-s.md",
    ".recall/2026-01-01",
    ".recall/2026-01-01/memories.jsonl",
    ".recall/DAY",
    ".recall/DAY/memories.jsonl",
    ".recall/profile.md",
    ".gitignore",
    ".ignore",
    ".recallignore",
    ".git",
    "docs",
    "docs/b.md",
    "src",
];

/// The targets of links.
const TARGETS: &[&str] = &[
    "HOME/home",
    "HOME/home/.bashrc",
    "HOME/home/.ssh/id_ed25519",
    "HOME/precious.txt",
    "HOME/src",
    "HOME/src/aaa",
    "HOME/src/zzz/main.rs",
    "HOME/missing",
    "HOME/r/data/global/profile.md",
    "HOME/r/data",
    "../../..",
    "../..",
    "..",
    ".",
    "../../home/.bashrc",
    "../../../home/.bashrc",
    "../../../../home/thesis",
    "/dev/zero",
    "/etc",
];

/// Creates a tree in a folder; returns a description of its content, for a message.
pub(super) fn make(clone: &Path, genuine_index: &Path, seed: u64) -> Vec<String> {
    let mut random = Rand32::new(seed);
    let home = clone.parent().and_then(Path::parent).expect("two folders above").to_str().expect("plain").to_owned();
    let mut shipped = Vec::new();
    write(&clone.join("src/a.rs"), b"pub fn burrow() {}\n");
    write(&clone.join("docs/b.md"), b"# Burrows\n\nWombats.\n");
    if random.rand_range(0..4) == 0 {
        copy(genuine_index, &clone.join(".recall/index"));
        shipped.push("a genuine index of another project".to_owned());
    }
    for _ in 0..=random.rand_range(1..5) {
        let place = pick(PLACES, &mut random).replace("DAY", &today());
        let path = clone.join(&place);
        // A path below a link or a file cannot be created.
        let Some(parent) = path.parent().filter(|parent| is_plain(clone, parent)) else { continue };
        fs::create_dir_all(parent).expect("made");
        remove(&path);
        let kind = random.rand_range(0..10);
        shipped.push(match kind {
            0..=4 => {
                let target = pick(TARGETS, &mut random).replace("HOME", &home);
                symlink(&target, &path).expect("linked");
                format!("{place} -> {target}")
            }
            5 => {
                mknodat(CWD, &path, FileType::Fifo, 0o600.into(), 0).expect("made");
                format!("{place}: a pipe")
            }
            6 => {
                fs::create_dir(&path).expect("made");
                format!("{place}: a folder")
            }
            7 => {
                let target = path.file_name().expect("a name");
                symlink(target, &path).expect("linked");
                format!("{place}: a loop")
            }
            8 => {
                let bytes: Vec<u8> = (0..random.rand_range(0..2000)).map(|_| random.rand_u32() as u8).collect();
                write(&path, &bytes);
                format!("{place}: {} bytes of noise", bytes.len())
            }
            _ => {
                let names = [
                    format!("[\"{home}/precious.txt\", \"../../../../precious.txt\", \"../../../../home/.bashrc\"]"),
                    format!("{{\"event\":\"add\",\"path\":\"{home}/home\",\"recursive\":true}}\n"),
                    format!("[roots]\nallowed = [\"{home}\"]\n[index]\ninclude = [\"../**\"]\n"),
                    format!("gitdir: {home}/home\n"),
                ];
                let text = &names[random.rand_range(0..names.len() as u32) as usize];
                write(&path, text.as_bytes());
                format!("{place}: {text}")
            }
        });
    }
    shipped
}

/// Deletes a tree without following links.
pub(super) fn delete(clone: &Path) {
    fs::remove_dir_all(clone).expect("removed");
}

/// Copies a folder of files.
pub(super) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("readable").is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("copied");
        }
    }
}

/// Today's date in UTC, as the folder of a day is named. A test that runs over midnight uses another day, which is just as good.
fn today() -> String {
    let output = std::process::Command::new("date").args(["-u", "+%F"]).output().expect("`date` runs");
    String::from_utf8(output.stdout).expect("a date").trim().to_owned()
}

fn pick<'t>(of: &[&'t str], random: &mut Rand32) -> &'t str {
    of[random.rand_range(0..of.len() as u32) as usize]
}

/// Whether every folder from the clone to a path is a folder or missing.
fn is_plain(clone: &Path, path: &Path) -> bool {
    path.ancestors()
        .take_while(|above| *above != clone)
        .all(|above| fs::symlink_metadata(above).map_or(true, |found| found.is_dir()))
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).expect("removed"),
        Ok(_) => fs::remove_file(path).expect("removed"),
        Err(_) => {}
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("below the clone")).expect("made");
    fs::write(path, bytes).expect("written");
}
