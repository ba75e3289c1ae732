//! What a context window is about: the task, the files, and the uncommitted changes.

use recall_core::DocumentId;
use recall_text::DocPath;

use crate::Engine;
use crate::context::parts::definition_at;
use crate::context::request::{ContextError, ContextRequest, WorkTreeChanges};
use crate::error::GetError;
use crate::git::{ChangedLines, Git};
use crate::inspect::{Item, ItemRequest, Parent};
use crate::origin::Origin;

/// The most changed files that are read, in the order of paths, and the most names that are taken from their changed lines.
const MOST_CHANGED: usize = 20;
const MOST_NAMES: usize = 12;

/// The folder in which recall keeps a project's memories and sessions.
const OWN_FOLDER: &str = ".recall";

/// The subject of a window.
pub(crate) struct Subject {
    /// The query that finds what belongs to it.
    pub(crate) query: String,
    /// Its files, in the order of the request, then the changed ones.
    pub(crate) files: Vec<SubjectFile>,
}

pub(crate) struct SubjectFile {
    pub(crate) item: Item,
    /// The lines that changed; empty if the file is meant as a whole.
    pub(crate) changed: Vec<(u32, u32)>,
}

impl Subject {
    pub(crate) fn read(engine: &Engine, origin: &Origin, request: &ContextRequest) -> Result<Self, ContextError> {
        let mut files: Vec<SubjectFile> = Vec::new();
        let has = |files: &[SubjectFile], id: DocumentId| files.iter().any(|file| file.item.document.id == id);
        for name in &request.files {
            let item = engine.get(origin, &item_request(name, request))?;
            if !has(&files, item.document.id) {
                files.push(SubjectFile { item, changed: Vec::new() });
            }
        }
        let uncommitted = match request.changes {
            WorkTreeChanges::Ignore => ChangedLines::new(),
            WorkTreeChanges::Include => changed_lines(engine, origin),
        };
        let mut names: Vec<String> = Vec::new();
        for (path, lines) in uncommitted.iter().take(MOST_CHANGED) {
            let item = match engine.get(origin, &item_request(path.as_str(), request)) {
                Ok(item) => item,
                // A deleted file, or one that is not indexed.
                Err(GetError::NotFound { .. } | GetError::LeftOut { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let changed: Vec<(u32, u32)> = lines.iter().map(|lines| (*lines.start(), *lines.end())).collect();
            names.extend(names_of(&item, path, &changed));
            if !has(&files, item.document.id) {
                files.push(SubjectFile { item, changed });
            }
        }
        let task = request.task.trim();
        if task.is_empty() && files.is_empty() {
            let asked_for_changes = request.changes == WorkTreeChanges::Include;
            return Err(ContextError::NoSubject { asked_for_changes });
        }
        let mut distinct: Vec<String> = Vec::new();
        for name in names {
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        distinct.truncate(MOST_NAMES);
        let query = [task.to_owned(), distinct.join(" ")].join(" ").trim().to_owned();
        Ok(Self { query, files })
    }
}

fn item_request(name: &str, request: &ContextRequest) -> ItemRequest {
    ItemRequest { id: name.to_owned(), parent: Parent::Leave, scope: request.scope }
}

/// Returns the uncommitted lines of the project, without the files that recall writes; nothing without a repository.
fn changed_lines(engine: &Engine, origin: &Origin) -> ChangedLines {
    let root = origin.root(&engine.registry.places).ok();
    let mut changed = root.and_then(|root| Git::at(&root).changed_lines()).unwrap_or_default();
    changed.retain(|path, _| !path.components().any(|folder| folder == OWN_FOLDER));
    changed
}

/// Returns the names of the definitions that changed lines touch, or the name of the file.
fn names_of(item: &Item, path: &DocPath, changed: &[(u32, u32)]) -> Vec<String> {
    let touched = changed.iter().filter_map(|lines| definition_at(&item.symbols, *lines));
    let names: Vec<String> = touched.map(|symbol| symbol.name.clone()).collect();
    if !names.is_empty() {
        return names;
    }
    let name = path.as_str().rsplit('/').next().unwrap_or_default();
    vec![name.split('.').next().unwrap_or_default().to_owned()]
}
