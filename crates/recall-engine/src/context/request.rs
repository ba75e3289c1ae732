//! The request for a context window and its answer, and what the window is about: the task, the files, and the
//! uncommitted changes.

use std::collections::BTreeSet;

use recall_core::{Chunk, Document, DocumentId, DocumentType, Filters, Scope, StoreScope};
use recall_text::DocPath;

use crate::Engine;
use crate::context::draft::ContextSection;
use crate::context::parts::definition_at;
use crate::error::{GetError, GraphError, SearchError, StoreError};
use crate::git::{ChangedLines, Git};
use crate::inspect::{Item, ItemRequest, Parent};
use crate::origin::Origin;
use crate::search::Answer;
use crate::warning::{Coverage, Warning};

/// A request for a context window: what the work is about, and how many tokens it may take.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextRequest {
    /// The task in words, with inline filters as in a search; empty for none.
    pub task: String,
    /// Paths or ids of the files that it concerns.
    pub files: Vec<String>,
    /// Whether the changes of the work tree that are not committed belong to the work.
    pub changes: WorkTreeChanges,
    /// The wanted sections in order of priority; empty for [`ContextSection::DEFAULT`].
    pub sections: Vec<ContextSection>,
    /// The most tokens of the window.
    pub budget_tokens: u32,
    /// The most parts of a document; that of the store's searches if `None`.
    pub diversity: Option<u32>,
    /// The stores to read.
    pub scope: Scope,
    /// Conditions on the documents that answer the task.
    pub filters: Filters,
}

impl ContextRequest {
    /// Returns the wanted sections.
    pub(crate) fn sections(&self) -> &[ContextSection] {
        if self.sections.is_empty() { &ContextSection::DEFAULT } else { &self.sections }
    }

    pub(crate) fn wants(&self, section: ContextSection) -> bool {
        self.sections().contains(&section)
    }

    /// Returns the types of documents that the sections are made of. The lists follow from code, so they need it too.
    pub(crate) fn types(&self) -> Vec<DocumentType> {
        use DocumentType::{
            Adr, Code, Context, Decision, Documentation, Failure, Lesson, Note, Pattern, Playbook, Session,
        };
        let of = |section: &ContextSection| match section {
            ContextSection::Code
            | ContextSection::Signatures
            | ContextSection::Tests
            | ContextSection::Changes
            | ContextSection::Owners => &[Code][..],
            ContextSection::Documentation => &[Documentation, Playbook, Session],
            ContextSection::Adrs => &[Adr],
            ContextSection::Decisions => &[Code, Decision, Pattern, Lesson, Failure, Note, Context],
        };
        let wanted: BTreeSet<DocumentType> = self.sections().iter().flat_map(of).copied().collect();
        let is_asked = |kind: &DocumentType| self.filters.types.is_empty() || self.filters.types.contains(kind);
        wanted.into_iter().filter(is_asked).collect()
    }
}

/// Whether the uncommitted changes of the work tree are a part of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkTreeChanges {
    /// They do not matter.
    #[default]
    Ignore,
    /// The changed files belong to the work, and what their changed lines define is searched for.
    Include,
}

/// What an agent should read for a task: one text, and the spans that it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextWindow {
    /// The text, for a model to read. Quoted lines are data of the files and memories.
    pub text: String,
    /// The tokens of the text by [`count`](recall_text::tokens::count); never above the budget.
    pub used_tokens: u32,
    /// The spans of documents, in the order of the text.
    pub spans: Vec<ContextSpan>,
    /// The query that was searched: the task, or what the changes are about.
    pub query: String,
    /// The search for the query, without its hits; `None` if nothing was searched.
    pub search: Option<Answer>,
    /// The state of each store as this answer saw it.
    pub coverage: Vec<Coverage>,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// A span of a document in a context window.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextSpan {
    /// The section of the text that it is in.
    pub section: ContextSection,
    /// The scope of the store that it is from.
    pub scope: StoreScope,
    /// The index of its store in the window's coverage.
    pub store: usize,
    /// The document that it is a part of, with the path that the client sees.
    pub document: Document,
    /// The chunk that it was taken from, with the lines and the text of the span.
    pub chunk: Chunk,
    /// The shown text, with secrets masked.
    pub text: String,
    /// `path:start-end@hash`.
    pub citation: String,
    /// The score of its document; comparable within one window.
    pub score: f64,
    /// The tokens of its text.
    pub tokens: u32,
    /// Whether a part of the chunk is left out.
    pub is_cut: bool,
}

/// A context window cannot be assembled.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// The request has no task, no file and no changes.
    #[error("nothing says what the context is for: {}", if *asked_for_changes { "no file has uncommitted changes" } else { "neither a task nor a file is given" })]
    NoSubject {
        /// Whether the changes of the work tree were asked for.
        asked_for_changes: bool,
    },
    /// The search for the subject of the work failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] GetError),
    /// The documents related to a file cannot be read.
    #[error(transparent)]
    Related(#[from] GraphError),
    /// A store cannot be opened or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

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
                Err(error) if error.is_missing() => continue,
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
