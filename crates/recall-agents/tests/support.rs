//! Fixtures in a temporary folder, and the items that are read from them.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use recall_agents::foreign::{ForeignMemory, ForeignSession, Item, ReadError, Reading};
use recall_core::ForeignKind;

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    /// Writes a database by statements.
    pub(crate) fn database(&self, name: &str, statements: &str) -> PathBuf {
        let path = self.path().join(name);
        let connection = rusqlite::Connection::open(&path).expect("opened");
        connection.execute_batch(statements).expect("statements");
        path
    }
}

/// Reads all items, with the folder of the tests as that for copies.
pub(crate) fn read(kind: ForeignKind, path: &Path) -> Vec<Item> {
    read_for(kind, path, None)
}

pub(crate) fn read_for(kind: ForeignKind, path: &Path, root: Option<&Path>) -> Vec<Item> {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut items = Vec::new();
    let reading = Reading { scratch: scratch.path(), root };
    recall_agents::foreign::read(kind, path, reading, &mut |item| {
        items.push(item);
        ControlFlow::Continue(())
    })
    .expect("readable");
    assert_eq!(fs::read_dir(scratch.path()).expect("a folder").count(), 0, "the copies are deleted");
    items
}

pub(crate) fn read_until(
    kind: ForeignKind,
    path: &Path,
    mut goes_on: impl FnMut(Item) -> bool,
) -> Result<(), ReadError> {
    let scratch = tempfile::tempdir().expect("a folder");
    let reading = Reading { scratch: scratch.path(), root: None };
    recall_agents::foreign::read(kind, path, reading, &mut |item| {
        if goes_on(item) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
}

pub(crate) fn error(kind: ForeignKind, path: &Path) -> ReadError {
    match read_until(kind, path, |_| true) {
        Err(error) => error,
        Ok(()) => panic!("{} is read as {kind}", path.display()),
    }
}

pub(crate) fn memories(items: &[Item]) -> Vec<&ForeignMemory> {
    let mut memories = Vec::new();
    for item in items {
        if let Item::Memory(memory) = item {
            memories.push(&**memory);
        }
    }
    memories
}

pub(crate) fn sessions(items: &[Item]) -> Vec<&ForeignSession> {
    let mut sessions = Vec::new();
    for item in items {
        if let Item::Session(session) = item {
            sessions.push(&**session);
        }
    }
    sessions
}

/// The codes of the reasons for what was left out, with how many.
pub(crate) fn reasons(items: &[Item]) -> Vec<(&'static str, u64)> {
    let mut reasons = BTreeMap::new();
    for item in items {
        if let Item::LeftOut(left) = item {
            *reasons.entry(left.reason.code()).or_default() += left.count;
        }
    }
    reasons.into_iter().collect()
}

/// Every file below a folder, with its bytes.
pub(crate) fn bytes_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable"));
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap_or_default()))
        .collect()
}
