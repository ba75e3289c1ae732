//! The paths that a person added to the index or removed from it, as exceptions to the ignore rules.
//!
//! The decisions are stored in a file with one JSON object per line; the last line about a path wins. A line that cannot be
//! parsed is ignored and stays in the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use recall_core::{DocumentId, DocumentType};
use recall_os::{Access, Folder, OpenError};
use recall_text::{DocPath, PROJECT_FOLDER};
use serde::{Deserialize, Serialize};

use crate::store_folder::is_initialised;
use crate::warning::UnreadLines;

/// The name of the file, in a project's folder of recall and in a store's folder.
const FILE: &str = "selection.jsonl";

/// The most bytes read of a file: a hundred thousand decisions.
const FILE_BYTES: u64 = 16 * 1024 * 1024;

/// How many lines that cannot be read are logged.
const LINES_LOGGED: usize = 10;

/// The decisions, by path.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The file that new decisions are appended to.
    file: SelectionFile,
    decisions: BTreeMap<DocPath, Decision>,
    /// The lines that cannot be read, in order.
    unread: Vec<UnreadLine>,
}

/// A line of the file that cannot be read. It is ignored and stays in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreadLine {
    pub(crate) file: PathBuf,
    /// Counted from 1; 1 if the file cannot be opened.
    pub(crate) line: u64,
    /// Why it cannot be read.
    pub(crate) reason: String,
}

/// The files that may hold decisions: in the project, and in the folder of the store.
fn places(root: &Path, store_folder: &Path) -> [SelectionFile; 2] {
    let project = SelectionFile { root: root.to_owned(), below: Path::new(PROJECT_FOLDER).join(FILE) };
    [project, SelectionFile { root: store_folder.to_owned(), below: FILE.into() }]
}

/// The paths of the files that may hold decisions.
pub(crate) fn files(root: &Path, store_folder: &Path) -> [PathBuf; 2] {
    places(root, store_folder).map(|place| place.path())
}

/// A file below a root. It is opened without following links.
#[derive(Clone, Debug)]
struct SelectionFile {
    root: PathBuf,
    below: PathBuf,
}

impl SelectionFile {
    fn path(&self) -> PathBuf {
        self.root.join(&self.below)
    }
}

/// A decision about a file or directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is indexed even if the rules ignore it.
    Added(Added),
    /// It is not indexed.
    Removed,
}

/// The options with which a path was added.
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
enum DecisionLine {
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
    /// Reads the decisions of a store: those in the project, which others may have committed, and those in the store's own folder.
    /// A missing file holds none. In an initialised project, the project's file is written to and its decisions win; otherwise
    /// the store's.
    pub(crate) fn load(root: &Path, store_folder: &Path) -> Self {
        let [project, own] = places(root, store_folder);
        let (first, written) = if is_initialised(root) { (own, project) } else { (project, own) };
        let mut selection = Self { file: written, decisions: BTreeMap::new(), unread: Vec::new() };
        let last = selection.file.clone();
        for file in [first, last] {
            selection.read(&file);
        }
        for UnreadLine { file, line, reason } in selection.unread.iter().take(LINES_LOGGED) {
            tracing::warn!(file = %file.display(), line, reason, "a line of the selection cannot be read");
        }
        selection
    }

    fn read(&mut self, file: &SelectionFile) {
        let unread = |line, reason| UnreadLine { file: file.path(), line, reason };
        let bytes = match Folder::open(&file.root).and_then(|root| root.read(&file.below, FILE_BYTES)) {
            Err(OpenError::Missing { .. }) => return,
            // The project's file may be anything. If it cannot be read, the other file still counts.
            Err(error) => return self.unread.push(unread(1, error.to_string())),
            Ok(bytes) => bytes,
        };
        for (line, number) in bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).zip(1..) {
            if line.is_empty() {
                continue;
            }
            match parse(line) {
                Ok((path, Some(decision))) => {
                    self.decisions.insert(path, decision);
                }
                Ok((path, None)) => {
                    self.decisions.remove(&path);
                }
                Err(reason) => self.unread.push(unread(number, reason)),
            }
        }
    }

    /// Returns the lines that cannot be read, in order.
    pub(crate) fn unread(&self) -> &[UnreadLine] {
        &self.unread
    }

    /// Returns the first line that cannot be read, and the number of such lines; `None` if all can be read.
    pub(crate) fn unread_lines(&self) -> Option<UnreadLines> {
        let UnreadLine { file, line, reason } = self.unread.first()?.clone();
        Some(UnreadLines { file, line, reason, count: self.unread.len() as u64 })
    }

    /// Stores a decision. Its line is synced to the file before this returns.
    pub(crate) fn decide(&mut self, path: DocPath, decision: Decision) -> Result<(), OpenError> {
        if self.decisions.get(&path) == Some(&decision) {
            return Ok(());
        }
        self.append(&write(&path, &decision))?;
        self.decisions.insert(path, decision);
        Ok(())
    }

    /// Deletes the decision about a path, so that only the rules apply. Returns whether there was one.
    pub(crate) fn forget(&mut self, path: &DocPath) -> Result<bool, OpenError> {
        if !self.decisions.contains_key(path) {
            return Ok(false);
        }
        self.append(&DecisionLine::Forget { path: path.as_str().to_owned() })?;
        self.decisions.remove(path);
        Ok(true)
    }

    /// Returns the path with this document's id about which there is a decision.
    pub(crate) fn decision(&self, id: DocumentId) -> Option<&DocPath> {
        self.decisions.keys().find(|path| DocumentId::from_path(path) == id)
    }

    /// Returns whether there is a decision about the path itself.
    pub(crate) fn decides(&self, path: &DocPath) -> bool {
        self.decisions.contains_key(path)
    }

    fn append(&self, line: &DecisionLine) -> Result<(), OpenError> {
        let failed = |source| OpenError::Io { path: self.file.path(), source };
        let mut line = serde_json::to_string(line).map_err(|error| failed(error.into()))?;
        line.push('\n');
        let mut file = Folder::open(&self.file.root)?.file(&self.file.below, Access::AppendOrCreate)?;
        // Without a newline at its end, the last line and the new one would become one line.
        if ends_within_a_line(&mut file).map_err(failed)? {
            line.insert(0, '\n');
        }
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)
    }

    /// Iterates over the decisions in the order of their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&DocPath, &Decision)> {
        self.decisions.iter()
    }

    /// Returns whether a path, or else its nearest directory with a decision, was removed.
    pub(crate) fn removes(&self, path: &DocPath) -> bool {
        let mut end = path.as_str().len();
        loop {
            let decision = DocPath::new(&path.as_str()[..end]).ok().and_then(|prefix| self.decisions.get(&prefix));
            if let Some(decision) = decision {
                return matches!(decision, Decision::Removed);
            }
            match path.as_str()[..end].rfind('/') {
                Some(above) => end = above,
                None => return false,
            }
        }
    }

    /// Returns the options with which a path, or else its nearest directory, was added.
    pub(crate) fn addition(&self, path: &DocPath) -> Option<&Added> {
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
fn ends_within_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Parses a line, or returns why it cannot be read.
fn parse(line: &[u8]) -> Result<(DocPath, Option<Decision>), String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8 from byte {}", error.valid_up_to()))?;
    // Some editors begin a file with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let line = serde_json::from_str::<DecisionLine>(text).map_err(|error| error.to_string())?;
    read(line).ok_or_else(|| "its path or type is not valid".to_owned())
}

/// Returns the path and the decision of a line; no decision if the line takes one back.
fn read(line: DecisionLine) -> Option<(DocPath, Option<Decision>)> {
    match line {
        DecisionLine::Add { path, recursive, globs, ignore, tags, source, document_type } => {
            let document_type = match document_type {
                Some(name) => Some(name.parse().ok()?),
                None => None,
            };
            let added = Added { recursive, globs, ignore, tags, source, document_type };
            Some((DocPath::new(&path).ok()?, Some(Decision::Added(added))))
        }
        DecisionLine::Remove { path } => Some((DocPath::new(&path).ok()?, Some(Decision::Removed))),
        DecisionLine::Forget { path } => Some((DocPath::new(&path).ok()?, None)),
    }
}

fn write(path: &DocPath, decision: &Decision) -> DecisionLine {
    let path = path.as_str().to_owned();
    match decision {
        Decision::Added(Added { recursive, globs, ignore, tags, source, document_type }) => DecisionLine::Add {
            path,
            recursive: *recursive,
            globs: globs.clone(),
            ignore: ignore.clone(),
            tags: tags.clone(),
            source: source.clone(),
            document_type: document_type.map(|kind| kind.as_str().to_owned()),
        },
        Decision::Removed => DecisionLine::Remove { path },
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn path(text: &str) -> DocPath {
        DocPath::new(text).expect("plain")
    }

    /// A project's root and the folder of its store.
    struct Project(tempfile::TempDir);

    impl Project {
        fn new() -> Self {
            let place = tempfile::tempdir().expect("a folder");
            for folder in ["root/.recall", "store"] {
                fs::create_dir_all(place.path().join(folder)).expect("made");
            }
            Self(place)
        }

        fn path(&self, below: &str) -> PathBuf {
            self.0.path().join(below)
        }

        fn load(&self) -> Selection {
            Selection::load(&self.path("root"), &self.path("store"))
        }

        /// Decides about the path `own` before the project is initialised.
        fn load_own_decision(&self) {
            let mut selection = self.load();
            selection.decide(path("own"), Decision::Removed).expect("written");
        }
    }

    #[test]
    fn an_unreadable_line_is_ignored_and_stays_in_the_file() {
        let project = Project::new();
        let file = project.path("store/selection.jsonl");
        let load = || Selection::load(&project.path("root"), &project.path("store"));
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
            let mut selection = load();
            assert!(selection.decides(&path("first.md")) && selection.decides(&path("last.md")), "{text:?}");
            let lines: Vec<u64> = selection.unread().iter().map(|unread| unread.line).collect();
            assert_eq!(lines, [2, 4], "{:?}", selection.unread());
            selection.decide(path("next.md"), Decision::Removed).expect("written");
            let again = load();
            assert!(again.decides(&path("next.md")), "it is on a line of its own");
            assert!(fs::read(&file).expect("there").starts_with(&text), "no line is changed");
        }
    }

    #[test]
    fn decisions_survive_the_process_and_the_last_one_wins() {
        let project = Project::new();
        let mut selection = project.load();
        let added = Added { recursive: true, tags: vec!["api".to_owned()], ..Added::default() };
        selection.decide(path("docs"), Decision::Removed).expect("written");
        selection.decide(path("docs"), Decision::Added(added.clone())).expect("written");
        selection.decide(path("old.md"), Decision::Removed).expect("written");
        selection.decide(path("new.md"), Decision::Removed).expect("written");
        selection.forget(&path("new.md")).expect("written");
        selection.forget(&path("never.md")).expect("nothing was");
        let again = project.load();
        assert_eq!(again.decisions, selection.decisions);
        assert!(again.decides(&path("old.md")) && !again.decides(&path("new.md")));
        assert_eq!(again.addition(&path("docs/a/b.md")), Some(&added));
        assert_eq!(again.addition(&path("src/a.md")), None);
    }

    #[test]
    fn an_unreadable_line_does_not_hide_other_lines() {
        let project = Project::new();
        fs::write(
            project.path("store/selection.jsonl"),
            "<<<<<<< HEAD\n{\"event\":\"remove\",\"path\":\"a\"}\n{\"event\":\"add\",\"path\":\"../b\"}\n",
        )
        .expect("written");
        assert_eq!(project.load().decisions, BTreeMap::from([(path("a"), Decision::Removed)]));
    }

    #[test]
    fn an_initialised_project_stores_its_decisions_in_itself_and_earlier_ones_still_apply() {
        let project = Project::new();
        project.load().decide(path("a"), Decision::Removed).expect("written");
        assert!(project.path("store/selection.jsonl").is_file());
        fs::write(project.path("root/.recall/recall.toml"), "").expect("written");
        let mut selection = project.load();
        assert!(selection.decides(&path("a")));
        selection.decide(path("b"), Decision::Removed).expect("written");
        selection.forget(&path("a")).expect("written");
        let again = project.load();
        assert!(again.decides(&path("b")) && !again.decides(&path("a")));
        assert!(project.path("root/.recall/selection.jsonl").is_file());
    }

    #[test]
    #[cfg(unix)]
    fn a_link_at_the_path_of_the_file_is_neither_read_nor_written() {
        let project = Project::new();
        let target = project.path("target");
        fs::write(&target, "{\"event\":\"remove\",\"path\":\"a\"}\n").expect("written");
        std::os::unix::fs::symlink(&target, project.path("root/.recall/selection.jsonl")).expect("linked");
        project.load_own_decision();
        fs::write(project.path("root/.recall/recall.toml"), "").expect("written");
        let mut selection = Selection::load(&project.path("root"), &project.path("store"));
        let [unread] = selection.unread() else { panic!("{:?}", selection.unread()) };
        assert!(unread.reason.ends_with("is a symbolic link"), "{unread:?}");
        assert!(selection.decides(&path("own")) && !selection.decides(&path("a")));
        let refused = selection.decide(path("b"), Decision::Removed).expect_err("a link");
        assert!(matches!(refused, OpenError::Link { .. }));
        assert_eq!(fs::read_to_string(target).expect("there").lines().count(), 1);
    }
}
