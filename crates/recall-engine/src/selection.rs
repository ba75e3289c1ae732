//! Which paths did a person add to the index or take out of it, beyond the rules?
//!
//! The file is the truth of these decisions: one JSON object a line, the last one about a path holds. A line that
//! cannot be read is kept and passed over.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use recall_core::{DocPath, DocumentType};
use serde::{Deserialize, Serialize};

use crate::answer::UnreadLines;

/// How many lines that cannot be read are logged.
const LINES_LOGGED: usize = 10;

/// What was decided about each path, by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    file: PathBuf,
    decisions: BTreeMap<DocPath, Decision>,
    /// The lines that cannot be read, in order.
    unread: Vec<UnreadLine>,
}

/// A line of the file that cannot be read. It decides nothing, and stays in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreadLine {
    /// Counted from 1.
    pub(crate) line: u64,
    /// What is wrong with it.
    pub(crate) reason: String,
}

/// What was decided about a file or directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is indexed even where the rules leave it out.
    Added(Added),
    /// It is not indexed.
    Removed,
}

/// With what a path was added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Added {
    pub(crate) recursive: bool,
    pub(crate) globs: Vec<String>,
    pub(crate) ignore: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) source: Option<String>,
    pub(crate) document_type: Option<DocumentType>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line {
    Add {
        path: String,
        #[serde(default)]
        recursive: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        globs: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ignore: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
        document_type: Option<String>,
    },
    Remove {
        path: String,
    },
    Forget {
        path: String,
    },
}

impl Selection {
    /// Reads the decisions; a file that is not there holds none.
    pub(crate) fn load(file: PathBuf) -> io::Result<Self> {
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let (mut decisions, mut unread) = (BTreeMap::new(), Vec::new());
        for (line, number) in bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).zip(1..) {
            if line.is_empty() {
                continue;
            }
            match parse(line) {
                Ok((path, Some(decision))) => {
                    decisions.insert(path, decision);
                }
                Ok((path, None)) => {
                    decisions.remove(&path);
                }
                Err(reason) => unread.push(UnreadLine { line: number, reason }),
            }
        }
        for UnreadLine { line, reason } in unread.iter().take(LINES_LOGGED) {
            tracing::warn!(file = %file.display(), line, reason, "a line of the selection cannot be read");
        }
        Ok(Self { file, decisions, unread })
    }

    /// The file that it was read from.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The lines that cannot be read, in order.
    pub(crate) fn unread(&self) -> &[UnreadLine] {
        &self.unread
    }

    /// The first line that cannot be read, and how many there are; `None` if all can be read.
    pub(crate) fn unread_lines(&self) -> Option<UnreadLines> {
        let UnreadLine { line, reason } = self.unread.first()?.clone();
        Some(UnreadLines { file: self.file.clone(), line, reason, count: self.unread.len() as u64 })
    }

    /// Writes a decision to the file, and holds it.
    ///
    /// The line is on disk when this returns.
    pub(crate) fn decide(&mut self, path: DocPath, decision: Decision) -> io::Result<()> {
        if self.decisions.get(&path) == Some(&decision) {
            return Ok(());
        }
        self.append(&write(&path, &decision))?;
        self.decisions.insert(path, decision);
        Ok(())
    }

    /// Takes back what was decided about a path, so that the rules alone decide; nothing where nothing was.
    pub(crate) fn forget(&mut self, path: &DocPath) -> io::Result<()> {
        if self.decisions.contains_key(path) {
            self.append(&Line::Forget { path: path.as_str().to_owned() })?;
            self.decisions.remove(path);
        }
        Ok(())
    }

    /// Whether something was decided about the path itself.
    pub(crate) fn decides(&self, path: &DocPath) -> bool {
        self.decisions.contains_key(path)
    }

    fn append(&self, line: &Line) -> io::Result<()> {
        let mut line = serde_json::to_string(line).map_err(io::Error::other)?;
        line.push('\n');
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = fs::OpenOptions::new().create(true).read(true).append(true).open(&self.file)?;
        // A last line without an end would take the new one into itself.
        if ends_within_a_line(&mut file)? {
            line.insert(0, '\n');
        }
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    /// What was decided, in the order of paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&DocPath, &Decision)> {
        self.decisions.iter()
    }

    /// With what the document at a path was added: by itself, or by the nearest directory above it.
    pub(crate) fn added(&self, path: &DocPath) -> Option<&Added> {
        let mut end = path.as_str().len();
        loop {
            let prefix = DocPath::new(&path.as_str()[..end]).ok()?;
            if let Some(Decision::Added(added)) = self.decisions.get(&prefix) {
                return Some(added);
            }
            end = path.as_str()[..end].rfind('/')?;
        }
    }
}

/// Whether the last line of a file has no newline.
fn ends_within_a_line(file: &mut fs::File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// What a line says, or why it cannot be read.
fn parse(line: &[u8]) -> Result<(DocPath, Option<Decision>), String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8 from byte {}", error.valid_up_to()))?;
    // Some editors begin a file with it.
    let text = text.trim_start_matches('\u{feff}');
    let line = serde_json::from_str::<Line>(text).map_err(|error| error.to_string())?;
    read(line).ok_or_else(|| "its path or type is not valid".to_owned())
}

/// The path that a line is about, and what it decides; no decision where it takes one back.
fn read(line: Line) -> Option<(DocPath, Option<Decision>)> {
    match line {
        Line::Add { path, recursive, globs, ignore, tags, source, document_type } => {
            let document_type = match document_type {
                Some(name) => Some(name.parse().ok()?),
                None => None,
            };
            let added = Added { recursive, globs, ignore, tags, source, document_type };
            Some((DocPath::new(&path).ok()?, Some(Decision::Added(added))))
        }
        Line::Remove { path } => Some((DocPath::new(&path).ok()?, Some(Decision::Removed))),
        Line::Forget { path } => Some((DocPath::new(&path).ok()?, None)),
    }
}

fn write(path: &DocPath, decision: &Decision) -> Line {
    let path = path.as_str().to_owned();
    match decision {
        Decision::Added(Added { recursive, globs, ignore, tags, source, document_type }) => Line::Add {
            path,
            recursive: *recursive,
            globs: globs.clone(),
            ignore: ignore.clone(),
            tags: tags.clone(),
            source: source.clone(),
            document_type: document_type.map(|kind| kind.as_str().to_owned()),
        },
        Decision::Removed => Line::Remove { path },
    }
}

/// Where the selection of a store is kept: beside its index, never inside.
pub(crate) fn file_in(store_folder: &Path) -> PathBuf {
    store_folder.join("selection.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> DocPath {
        DocPath::new(text).expect("plain")
    }

    #[test]
    fn a_line_that_cannot_be_read_costs_that_line_and_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = file_in(folder.path());
        let removal = |path: &str| format!("{{\"event\":\"remove\",\"path\":\"{path}\"}}");
        let outside = removal("../up.md");
        let bad: [&[u8]; 5] = [
            b"{\"event\":\"remove\",\"path\":\"caf\xe9.md\"}",
            b"{\"event\":",
            b"\0\0",
            b"<<<<<<< HEAD",
            outside.as_bytes(),
        ];
        for bad in bad {
            let text = [removal("first.md").as_bytes(), bad, removal("last.md").as_bytes(), bad].join(&b'\n');
            fs::write(&file, &text).expect("written");
            let mut selection = Selection::load(file.clone()).expect("the rest is read");
            assert!(selection.decides(&path("first.md")) && selection.decides(&path("last.md")), "{text:?}");
            let lines: Vec<u64> = selection.unread().iter().map(|unread| unread.line).collect();
            assert_eq!(lines, [2, 4], "{:?}", selection.unread());
            selection.decide(path("next.md"), Decision::Removed).expect("written");
            let again = Selection::load(file.clone()).expect("the rest is read");
            assert!(again.decides(&path("next.md")), "it stands on a line of its own");
            assert!(fs::read(&file).expect("there").starts_with(&text), "no line is changed");
        }
    }

    #[test]
    fn decisions_outlive_the_process_and_the_last_one_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = file_in(folder.path());
        let mut selection = Selection::load(file.clone()).expect("no file is no decision");
        let added = Added { recursive: true, tags: vec!["api".to_owned()], ..Added::default() };
        selection.decide(path("docs"), Decision::Removed).expect("written");
        selection.decide(path("docs"), Decision::Added(added.clone())).expect("written");
        selection.decide(path("old.md"), Decision::Removed).expect("written");
        selection.decide(path("new.md"), Decision::Removed).expect("written");
        selection.forget(&path("new.md")).expect("written");
        selection.forget(&path("never.md")).expect("nothing was");
        let again = Selection::load(file).expect("readable");
        assert_eq!(again.decisions, selection.decisions);
        assert!(again.decides(&path("old.md")) && !again.decides(&path("new.md")));
        assert_eq!(again.added(&path("docs/a/b.md")), Some(&added));
        assert_eq!(again.added(&path("src/a.md")), None);
    }

    #[test]
    fn a_line_that_cannot_be_read_hides_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = file_in(folder.path());
        fs::write(
            &file,
            "<<<<<<< HEAD\n{\"event\":\"remove\",\"path\":\"a\"}\n{\"event\":\"add\",\"path\":\"../b\"}\n",
        )
        .expect("written");
        let selection = Selection::load(file).expect("readable");
        assert_eq!(selection.decisions, BTreeMap::from([(path("a"), Decision::Removed)]));
    }
}
