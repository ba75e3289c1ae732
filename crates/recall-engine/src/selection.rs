//! Which paths did a person add to the index or take out of it, beyond the rules?
//!
//! The file is the truth of these decisions: one JSON object a line, the last one about a path holds. A line that
//! cannot be read is kept and passed over.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use recall_core::{DocPath, DocumentType};
use serde::{Deserialize, Serialize};

/// What was decided about each path, by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    file: PathBuf,
    decisions: BTreeMap<DocPath, Decision>,
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
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut decisions = BTreeMap::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str::<Line>(line).ok().and_then(read) {
                Some((path, Some(decision))) => {
                    decisions.insert(path, decision);
                }
                Some((path, None)) => {
                    decisions.remove(&path);
                }
                None => tracing::warn!(file = %file.display(), "a line of the selection cannot be read"),
            }
        }
        Ok(Self { file, decisions })
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
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.file)?;
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
