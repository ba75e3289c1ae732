//! What was shown and recorded in a session, so that nothing is shown twice.
//!
//! Each session has a file in the state folder with a line an entry. Concurrent hooks of a session take turns by a lock on it.
//! Files that were not written for a week are removed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use recall_config::Dirs;
use recall_core::ContentHash;

/// The folder in the state folder.
const FOLDER: &str = "hooks";

/// A session may be resumed for a while.
const KEPT_FOR: Duration = Duration::from_hours(7 * 24);

/// The most bytes of a file, some thousand entries. After that, the older half is forgotten.
const FILE_BYTES: u64 = 256 * 1024;

/// The longest entry. Few paths are longer.
const ENTRY_BYTES: usize = 400;

/// The entries of a session, which no other hook of the session changes while this exists.
#[derive(Debug)]
pub(crate) struct Seen {
    file: File,
    entries: BTreeSet<String>,
    changes: String,
}

impl Seen {
    /// Opens the entries of a session. Waits for another hook of the session.
    ///
    /// # Errors
    /// The file cannot be created or read.
    pub(crate) fn open(dirs: &Dirs, session: &str) -> io::Result<Self> {
        let folder = dirs.state.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let mut file = File::options().read(true).append(true).create(true).open(path(&folder, session))?;
        match file.lock() {
            // Without locks, two hooks at the same moment may show the same.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            locked => locked?,
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(2 * FILE_BYTES).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut entries = BTreeSet::new();
        // A line may have been cut by a full disk.
        for line in text.lines() {
            match line.split_at_checked(1) {
                Some(("+", entry)) => drop(entries.insert(entry.to_owned())),
                Some(("-", entry)) => drop(entries.remove(entry)),
                _ => {}
            }
        }
        let mut seen = Self { file, entries, changes: String::new() };
        if bytes.len() as u64 > FILE_BYTES {
            seen.forget_older_half(&text)?;
        }
        Ok(seen)
    }

    /// Whether there is an entry.
    pub(crate) fn has(&self, entry: &str) -> bool {
        self.entries.contains(&entry_key(entry))
    }

    /// Returns the entries with a prefix, in their order as texts.
    pub(crate) fn entries_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.entries.iter().map(String::as_str).filter(move |entry| entry.starts_with(prefix))
    }

    /// Adds an entry; returns whether it is new.
    pub(crate) fn add(&mut self, entry: &str) -> bool {
        let entry = entry_key(entry);
        let is_new = !self.entries.contains(&entry);
        if is_new {
            self.changes.extend(["+", &entry, "\n"]);
            self.entries.insert(entry);
        }
        is_new
    }

    /// Removes an entry; returns whether it was there.
    pub(crate) fn remove(&mut self, entry: &str) -> bool {
        let entry = entry_key(entry);
        let was_there = self.entries.remove(&entry);
        if was_there {
            self.changes.extend(["-", &entry, "\n"]);
        }
        was_there
    }

    /// Removes the entries with a prefix.
    pub(crate) fn remove_all(&mut self, prefix: &str) {
        let found: Vec<String> = self.entries.iter().filter(|entry| entry.starts_with(prefix)).cloned().collect();
        for entry in found {
            self.remove(&entry);
        }
    }

    /// Writes the changes, in one write.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn save(mut self) -> io::Result<()> {
        if self.changes.is_empty() { Ok(()) } else { self.file.write_all(self.changes.as_bytes()) }
    }

    fn forget_older_half(&mut self, text: &str) -> io::Result<()> {
        let half = text.floor_char_boundary(text.len() / 2);
        let from = text[half..].find('\n').map_or(text.len(), |at| half + at + 1);
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text.as_bytes()[from..])
    }
}

/// Removes the files of sessions that were not written for a week. A file that cannot be removed is left.
pub(crate) fn remove_old(dirs: &Dirs, now: SystemTime) {
    let Ok(files) = fs::read_dir(dirs.state.join(FOLDER)) else { return };
    for file in files.flatten() {
        let written = file.metadata().and_then(|seen| seen.modified());
        if written.is_ok_and(|written| now.duration_since(written).is_ok_and(|age| age > KEPT_FOR)) {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// The file of a session. A client chooses the session's name, so only its hash is part of the path.
fn path(folder: &Path, session: &str) -> PathBuf {
    folder.join(ContentHash::hash(session.as_bytes()).short())
}

/// Returns an entry as it is kept: on one line, a long one as its hash.
fn entry_key(entry: &str) -> String {
    match entry.split_at_checked(entry.floor_char_boundary(ENTRY_BYTES)) {
        Some((_, "")) | None => entry.replace(['\n', '\r'], " "),
        // The prefix says what kind of entry it is.
        Some((start, _)) => {
            let prefix = start.split_once(' ').map_or("", |(prefix, _)| prefix);
            format!("{prefix} {}", ContentHash::hash(entry.as_bytes()).short())
        }
    }
}

#[cfg(test)]
mod tests {
    use recall_config::Environment;

    use super::*;

    fn dirs(home: &Path) -> Dirs {
        let environment = Environment { recall_home: Some(home.to_owned()), ..Environment::default() };
        Dirs::from_environment(&environment).expect("absolute")
    }

    #[test]
    fn an_entry_is_new_once_a_session() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let dirs = dirs(home.path());
        for (session, entry, expected) in
            [("a", "x\ny", true), ("a", "x\ny", false), ("../../b\0", "x\ny", true), ("a", "x y", false)]
        {
            let mut seen = Seen::open(&dirs, session).expect("opened");
            assert_eq!(seen.add(entry), expected, "{session} {entry}");
            seen.save().expect("saved");
        }
        let mut seen = Seen::open(&dirs, "a").expect("opened");
        seen.remove_all("x");
        seen.save().expect("saved");
        assert!(!Seen::open(&dirs, "a").expect("opened").has("x y"));
        assert_eq!(fs::read_dir(dirs.state.join(FOLDER)).expect("there").count(), 2);
    }

    #[test]
    fn hooks_of_a_session_at_the_same_time_agree() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let dirs = dirs(home.path());
        let claim = || {
            let mut seen = Seen::open(&dirs, "s").expect("opened");
            let is_new = seen.add("x");
            seen.save().expect("saved");
            is_new
        };
        let new = std::thread::scope(|scope| {
            let claims: Vec<_> = (0..16).map(|_| scope.spawn(claim)).collect();
            claims.into_iter().map(|claim| claim.join().expect("no panic")).filter(|new| *new).count()
        });
        assert_eq!(new, 1);
    }

    #[test]
    fn a_file_does_not_grow_without_end() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let dirs = dirs(home.path());
        let folder = dirs.state.join(FOLDER);
        fs::create_dir_all(&folder).expect("made");
        let file = path(&folder, "s");
        let lines: Vec<String> = (0..30_000).map(|number| format!("+entry {number}")).collect();
        let lines = lines.join("\n") + "\n";
        fs::write(&file, &lines).expect("written");
        let seen = Seen::open(&dirs, "s").expect("opened");
        assert!(seen.has("entry 0") && seen.has("entry 20000"));
        drop(seen);
        let after = fs::read_to_string(&file).expect("there");
        assert!(after.len() <= lines.len() / 2 && lines.ends_with(&after), "{}", after.len());
    }

    #[test]
    fn a_long_entry_takes_little_space() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let dirs = dirs(home.path());
        let long = format!("shown file /{}", "ü".repeat(1_000_000));
        let mut seen = Seen::open(&dirs, "s").expect("opened");
        assert!(seen.add(&long) && !seen.add(&long) && seen.add(&format!("{long}x")));
        seen.save().expect("saved");
        assert!(fs::metadata(path(&dirs.state.join(FOLDER), "s")).expect("there").len() < 100);
        let mut seen = Seen::open(&dirs, "s").expect("opened");
        assert!(seen.has(&long));
        seen.remove_all("shown ");
        assert!(!seen.has(&long));
    }

    #[test]
    fn old_files_are_removed() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let dirs = dirs(home.path());
        Seen::open(&dirs, "s").expect("opened");
        #[expect(clippy::disallowed_methods, reason = "compared with the times of files")]
        let now = SystemTime::now();
        let count = || fs::read_dir(dirs.state.join(FOLDER)).expect("there").count();
        remove_old(&dirs, now);
        assert_eq!(count(), 1);
        remove_old(&dirs, now + KEPT_FOR + Duration::from_secs(2));
        assert_eq!(count(), 0);
    }
}
