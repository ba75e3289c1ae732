//! The layout of a project: its folders with their code, what they import from each other, and its hot files.
//!
//! A folder is divided into its folders as long as it has more code than the average and the answer has room, so the parts of an
//! answer are of similar size, whatever the shape of the project.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

use recall_core::{DocumentType, EdgeKind, Timestamp};

use crate::git::FileCommit;
use crate::indexing::freshen;
use crate::links::meaning::Stated;
use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::store::Store;
use crate::{Engine, mask};

/// The commits that are looked at for hot files, the latest of the branch.
const COMMITS: usize = 300;

/// The sessions that are looked at for hot files, the latest.
const SESSIONS: usize = 50;

/// A request for the layout of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutRequest {
    /// The most folders.
    pub folders: usize,
    /// The most hot files.
    pub files: usize,
}

/// The layout of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectLayout {
    /// The folders that have code, by path. No file is in two of them.
    pub folders: Vec<LayoutFolder>,
    /// What they import from each other, by their indexes; sorted.
    pub imports: Vec<FolderImports>,
    /// The files that changed most, the hottest first.
    pub hot: Vec<HotFile>,
    /// The number of the latest commits that were looked at for them.
    pub commits: u64,
    /// The number of the latest sessions that were looked at for them.
    pub sessions: u64,
}

/// A folder with its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutFolder {
    /// Its path; empty for the root.
    pub path: String,
    /// Whether only the files directly in it count, because its folders are listed too.
    pub is_flat: bool,
    /// The number of files of code.
    pub files: u64,
    /// The size of their texts.
    pub bytes: u64,
}

impl LayoutFolder {
    /// Whether a file is one of its files.
    fn has(&self, path: &str) -> bool {
        below(&self.path, path).is_some_and(|rest| !self.is_flat || !rest.contains('/'))
    }
}

/// The imports from a folder to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderImports {
    /// The index of the folder that imports.
    pub from: usize,
    /// The index of the imported folder.
    pub to: usize,
    /// How many times a file of the one imports a file of the other.
    pub imports: u64,
}

/// A file that changed often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotFile {
    /// Its path.
    pub path: String,
    /// The number of commits that changed it.
    pub commits: u64,
    /// The number of sessions whose events name it.
    pub sessions: u64,
}

impl Engine {
    /// Returns the layout of the project.
    ///
    /// # Errors
    /// The store cannot be opened or read, or the sessions cannot be listed.
    pub fn layout(&self, origin: &Origin, request: LayoutRequest) -> Result<ProjectLayout, SessionError> {
        self.recorder.flush();
        let store = self.registry.project(origin, &*self.clock)?;
        freshen(&store, &self.settings, &self.clock)?;
        let snapshot = store.index.snapshot()?;
        let stated = store.index.stated_links(&snapshot)?;
        let mut sizes = BTreeMap::new();
        let read = snapshot.each_document(None, |stored, _| {
            if stored.document.document_type == DocumentType::Code {
                sizes.insert(stored.document.path.as_str().to_owned(), stored.document.size_bytes);
            }
            Ok(ControlFlow::Continue(()))
        });
        read.map_err(|source| store.index.read_error(source))?;
        let division = Division::divide(&sizes, request.folders);
        let imports = division.imports(&stated);
        let mut layout = ProjectLayout { folders: division.folders, imports, ..ProjectLayout::default() };
        for folder in &mut layout.folders {
            folder.path = mask::shown_path(std::mem::take(&mut folder.path));
        }
        let commits = self.recent_commits.read(&store.root, COMMITS);
        layout.add_hot_files(&store, &stated, &commits, self.clock.now(), request.files)?;
        Ok(layout)
    }
}

impl ProjectLayout {
    fn add_hot_files(
        &mut self,
        store: &Store,
        stated: &Stated,
        commits: &[FileCommit],
        now: Timestamp,
        most: usize,
    ) -> Result<(), SessionError> {
        let mut changes: HashMap<String, (u64, u64)> = HashMap::new();
        self.commits = commits.len() as u64;
        for path in commits.iter().flat_map(|commit| &commit.files) {
            changes.entry(path.as_str().to_owned()).or_default().0 += 1;
        }
        let mut sessions: Vec<_> = store.sessions.all()?.into_iter().map(|session| session.at(now)).collect();
        sessions.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.id.cmp(&b.id)));
        sessions.truncate(SESSIONS);
        for session in &sessions {
            let Some(events) = store.sessions.read(&session.id)? else { continue };
            self.sessions += 1;
            let files: BTreeSet<_> = events.into_iter().flat_map(|event| event.details.related_files).collect();
            for path in files {
                changes.entry(path.as_str().to_owned()).or_default().1 += 1;
            }
        }
        // What is gone has no page to look at.
        changes.retain(|path, _| stated.paths.at(path).is_some());
        let mut hot: Vec<HotFile> = changes
            .into_iter()
            .map(|(path, (commits, sessions))| HotFile { path: mask::shown_path(path), commits, sessions })
            .collect();
        hot.sort_by(|a, b| (b.commits + b.sessions).cmp(&(a.commits + a.sessions)).then_with(|| a.path.cmp(&b.path)));
        hot.truncate(most);
        self.hot = hot;
        Ok(())
    }
}

/// A project divided into folders.
struct Division {
    folders: Vec<LayoutFolder>,
}

impl Division {
    /// Divides files by their sizes into at most `most` folders.
    fn divide(sizes: &BTreeMap<String, u64>, most: usize) -> Self {
        let average = sizes.values().sum::<u64>() / most.max(1) as u64;
        let mut done = Vec::new();
        let mut open =
            vec![LayoutFolder { files: sizes.len() as u64, bytes: sizes.values().sum(), ..LayoutFolder::default() }];
        while let Some(largest) = (0..open.len()).max_by_key(|&at| open[at].bytes) {
            let folder = open.swap_remove(largest);
            let parts = parts_of(&folder.path, sizes);
            let has_folders = parts.iter().any(|part| !part.is_flat);
            if folder.bytes <= average || !has_folders || done.len() + open.len() + parts.len() > most {
                done.push(folder);
                continue;
            }
            for part in parts {
                if part.is_flat { done.push(part) } else { open.push(part) }
            }
        }
        done.retain(|folder| folder.files > 0);
        done.sort_by(|a, b| a.path.cmp(&b.path));
        Self { folders: done }
    }

    /// Returns the index of the folder that has a file.
    fn folder_of(&self, path: &str) -> Option<usize> {
        self.folders.iter().position(|folder| folder.has(path))
    }

    fn imports(&self, stated: &Stated) -> Vec<FolderImports> {
        let folders: Vec<_> = stated.paths.places().iter().map(|place| self.folder_of(place.path.as_str())).collect();
        let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for edge in stated.edges().iter().filter(|edge| edge.kind == EdgeKind::Imports) {
            if let (Some(from), Some(to)) = (folders[edge.from as usize], folders[edge.to as usize])
                && from != to
            {
                *counts.entry((from, to)).or_default() += 1;
            }
        }
        counts.into_iter().map(|((from, to), imports)| FolderImports { from, to, imports }).collect()
    }
}

/// Returns the folders in a folder, and the files directly in it as one more.
fn parts_of(folder: &str, sizes: &BTreeMap<String, u64>) -> Vec<LayoutFolder> {
    let mut parts: BTreeMap<Option<&str>, (u64, u64)> = BTreeMap::new();
    for (path, size) in sizes {
        let Some(rest) = below(folder, path) else { continue };
        let part = parts.entry(rest.split_once('/').map(|(first, _)| first)).or_default();
        *part = (part.0 + 1, part.1 + size);
    }
    let mut folders = Vec::new();
    for (name, (files, bytes)) in parts {
        let path = match name {
            Some(name) if folder.is_empty() => name.to_owned(),
            Some(name) => format!("{folder}/{name}"),
            None => folder.to_owned(),
        };
        folders.push(LayoutFolder { path, is_flat: name.is_none(), files, bytes });
    }
    folders
}

/// Returns the part of a path below a folder; `None` if it is not below it.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sizes: &[(&str, u64)], most: usize, expected: &[(&str, bool, u64)]) {
        let sizes: BTreeMap<_, _> = sizes.iter().map(|(path, size)| ((*path).to_owned(), *size)).collect();
        let division = Division::divide(&sizes, most);
        let found: Vec<_> =
            division.folders.iter().map(|folder| (folder.path.as_str(), folder.is_flat, folder.bytes)).collect();
        assert_eq!(found, expected);
        for path in sizes.keys() {
            let folders = division.folders.iter().filter(|folder| folder.has(path));
            assert_eq!(folders.count(), 1, "{path} is in one folder");
        }
    }

    #[test]
    fn the_folder_with_the_most_code_is_divided_first() {
        let sizes = [("a/x/1.rs", 50), ("a/y/2.rs", 40), ("a/3.rs", 1), ("b/x/4.rs", 5), ("5.rs", 1)];
        check(&sizes, 5, &[("", true, 1), ("a", true, 1), ("a/x", false, 50), ("a/y", false, 40), ("b", false, 5)]);
        check(&sizes, 3, &[("", true, 1), ("a", false, 91), ("b", false, 5)]);
        check(&sizes, 2, &[("", false, 97)]);
    }

    #[test]
    fn folders_with_a_common_beginning_are_apart() {
        check(&[("a/1.rs", 5), ("ab/2.rs", 5)], 4, &[("a", false, 5), ("ab", false, 5)]);
        check(
            &[("src/main/java/1.rs", 5), ("src/main/java/a/2.rs", 5)],
            4,
            &[("src/main/java", true, 5), ("src/main/java/a", false, 5)],
        );
        check(&[], 4, &[]);
    }
}
