//! The list of what recall registered, so that it can be undone, with what it replaced in each file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use recall_core::ContentHash;
use serde::{Deserialize, Serialize};

use crate::config_file;
use crate::error::RegisterError;

/// The version of the file's format.
const VERSION: u32 = 1;

/// What was registered in an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The entry that starts the MCP server.
    Mcp,
    /// The entries that run `recall hook`.
    Hooks,
    /// The block about recall in the rules.
    Rules,
}

/// A registration that recall made, with what an undo needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the agent.
    pub agent: String,
    /// Which part was registered.
    pub part: Part,
    /// The file, as the agent's row names it.
    pub file: PathBuf,
    /// The folders that the file must stay in, links included.
    pub(crate) within: Vec<PathBuf>,
    /// Whether the vendor's command did it.
    pub(crate) by_vendor: bool,
    /// Whether the file had the object that holds the entries.
    pub(crate) had_section: bool,
    /// The folders that were made, the highest first.
    pub(crate) made_folders: Vec<PathBuf>,
    /// What became of the text.
    pub(crate) patch: Patch,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    records: Vec<Record>,
}

/// The list of registrations, in the order in which they were made. Only one process has it open.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    records: Vec<Record>,
    /// Held until the list is dropped.
    _lock: Option<File>,
}

impl Ledger {
    /// Opens the list in a folder, which need not exist. Waits for another process that has it open.
    ///
    /// # Errors
    /// The file cannot be read, or a newer version of recall wrote it.
    pub fn open(folder: &Path) -> Result<Self, RegisterError> {
        let path = folder.join("registrations.json");
        let failed = |source| RegisterError::Io { doing: "open", path: path.clone(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = folder.join("registrations.lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(lock).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Self { records: read(&path)?, path, _lock: Some(lock) })
    }

    /// Reads the list without opening it for changes.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(folder: &Path) -> Result<Self, RegisterError> {
        let path = folder.join("registrations.json");
        Ok(Self { records: read(&path)?, path, _lock: None })
    }

    /// Returns the registrations, in the order in which they were made.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns the registration in a file. Two agents may share a file of hooks, and what is in it.
    pub(crate) fn find(&self, part: Part, file: &Path) -> Option<&Record> {
        self.records.iter().find(|record| record.is(part, file))
    }

    /// Adds or replaces a registration.
    pub(crate) fn put(&mut self, record: Record) -> Result<(), RegisterError> {
        self.records.retain(|known| !known.is(record.part, &record.file));
        self.records.push(record);
        self.save()
    }

    pub(crate) fn remove(&mut self, part: Part, file: &Path) -> Result<(), RegisterError> {
        self.records.retain(|known| !known.is(part, file));
        self.save()
    }

    fn save(&self) -> Result<(), RegisterError> {
        let stored = Stored { version: VERSION, records: self.records.clone() };
        let text = serde_json::to_string_pretty(&stored).expect("the list has text keys only");
        config_file::write(&self.path, &(text + "\n"), None).map_err(|source| RegisterError::Io {
            doing: "write",
            path: self.path.clone(),
            source,
        })
    }
}

impl Record {
    fn is(&self, part: Part, file: &Path) -> bool {
        self.part == part && self.file == file
    }
}

fn read(path: &Path) -> Result<Vec<Record>, RegisterError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(RegisterError::Io { doing: "read", path: path.to_owned(), source }),
    };
    let unusable = |message: String| RegisterError::Ledger { path: path.to_owned(), message };
    let stored: Stored = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    if stored.version > VERSION {
        return Err(unusable(format!("its version is {}, and this program knows {VERSION}", stored.version)));
    }
    Ok(stored.records)
}

/// How a text became another one: a range was replaced. It holds the replaced part only, not the rest of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Patch {
    /// Whether there was no file before.
    pub(crate) created: bool,
    /// The byte offset of the range.
    at: usize,
    /// What was in the range before.
    removed: String,
    /// The length of what is in the range after.
    inserted_bytes: usize,
    /// The hash of the text after.
    after: String,
}

impl Patch {
    /// Compares two texts; `None` for no file.
    pub(crate) fn between(before: Option<&str>, after: &str) -> Self {
        let old = before.unwrap_or_default();
        let at = common_start(old, after);
        let end = common_end(&old[at..], &after[at..]);
        Self {
            created: before.is_none(),
            at,
            removed: old[at..old.len() - end].to_owned(),
            inserted_bytes: after.len() - end - at,
            after: hash(after),
        }
    }

    /// Whether a text is the one after the change.
    pub(crate) fn is_last(&self, text: &str) -> bool {
        self.after == hash(text)
    }

    /// Returns the text before the change; `None` for no file. The text must be the one after the change.
    pub(crate) fn undone(&self, text: &str) -> Option<String> {
        let rest = text.get(self.at + self.inserted_bytes..).unwrap_or_default();
        let start = text.get(..self.at).unwrap_or_default();
        (!self.created).then(|| format!("{start}{}{rest}", self.removed))
    }
}

fn hash(text: &str) -> String {
    ContentHash::hash(text.as_bytes()).to_string()
}

fn common_start(a: &str, b: &str) -> usize {
    let pairs = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    pairs.map(|(char, _)| char.len_utf8()).sum()
}

fn common_end(a: &str, b: &str) -> usize {
    let pairs = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b);
    pairs.map(|(char, _)| char.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_before_is_restored() {
        let texts = ["", "{}", "{\"a\":1}\n", "aaa", "aaaa", "ä", "äö", "öä", "\r\n", "{\n  \"ä\": 1,\n  \"b\": 2\n}"];
        for before in texts {
            for after in texts {
                let patch = Patch::between(Some(before), after);
                assert!(patch.is_last(after));
                assert_eq!(patch.undone(after).as_deref(), Some(before), "{before:?} → {after:?}");
            }
        }
        assert_eq!(Patch::between(None, "x").undone("x"), None);
        assert!(!Patch::between(None, "x").is_last("y"));
    }

    #[test]
    fn only_the_replaced_part_is_kept() {
        let patch = Patch::between(Some("{\"token\":\"secret\"}"), "{\"token\":\"secret\",\"b\":1}");
        assert_eq!(patch.removed, "");
    }
}
