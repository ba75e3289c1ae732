//! The request for a context window, and its answer.

use std::collections::BTreeSet;

use recall_core::{Chunk, Document, DocumentType, Filters, Scope, StoreScope};

use crate::context::draft::ContextSection;
use crate::coverage::Coverage;
use crate::error::{GetError, GraphError, SearchError, StoreError};
use crate::search::Answer;
use crate::warning::Warning;

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
