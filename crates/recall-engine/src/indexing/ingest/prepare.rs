//! Reading and parsing of one file or memory into a document.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use recall_catalog::{FailureKind, FileFailure};
use recall_chunk::{ChunkLimits, Chunker};
use recall_core::{
    ContentHash, DocPath, Document, DocumentId, DocumentType, FileKind, Memory, ParseOutcome, ParsedDocument,
    Timestamp, error_chain,
};
use recall_watch::content::{self, ContentError};

use crate::ledger;
use crate::settings::StoreSettings;
use crate::store::{Attention, Store};

/// A file to be read.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) path: DocPath,
    pub(crate) size_bytes: u64,
    pub(crate) modified: Timestamp,
    /// Whether the catalog holds a document of the path.
    pub(crate) is_known: bool,
    /// The hash of the indexed content, which is not parsed again; `None` if the file is rewritten in any case.
    pub(crate) hash: Option<ContentHash>,
    /// The tags, source and type that the path was added with.
    pub(crate) tags: Vec<String>,
    pub(crate) source: Option<String>,
    pub(crate) document_type: Option<DocumentType>,
    /// The memory whose document is to be written; `None` for a file.
    pub(crate) memory: Option<Arc<Memory>>,
}

/// The result of preparing a file.
pub(crate) enum Prepared {
    /// A document to be written.
    Document(Box<PreparedDocument>),
    /// Its content is unchanged; only its stat is updated.
    Touched { size_bytes: u64, modified: Timestamp },
    /// It no longer exists.
    Gone,
    /// It is not indexed; the record says why.
    Failure(FileFailure),
}

/// A document, ready to be written.
pub(crate) struct PreparedDocument {
    pub(crate) document: Document,
    pub(crate) text: String,
    pub(crate) parsed: ParsedDocument,
    /// When it was created; `None` for the time of this run.
    pub(crate) created: Option<Timestamp>,
}

/// Reads and parses files. Each thread has one.
pub(crate) struct Preparer<'a> {
    root: &'a Path,
    settings: Arc<StoreSettings>,
    /// The globs that set a document's type; the first match wins.
    types: Vec<(GlobMatcher, DocumentType)>,
    attention: &'a Attention,
    /// When the run began. A file that changed shortly before may change again without a new modification time.
    now: Timestamp,
    chunker: Chunker,
}

impl<'a> Preparer<'a> {
    pub(crate) fn new(store: &'a Store, now: Timestamp) -> Self {
        let Store { root, attention, .. } = store;
        let settings = store.settings();
        let chunker = Chunker::new(ChunkLimits::from(&settings.limits));
        let types = settings.types.iter().filter_map(|(glob, document_type)| {
            let glob = Glob::new(glob).ok()?;
            Some((glob.compile_matcher(), *document_type))
        });
        Self { root, types: types.collect(), settings, attention, now, chunker }
    }

    /// Reads and parses one file. A failure becomes a record and does not stop the run.
    pub(crate) fn prepare(&mut self, task: &Task) -> Prepared {
        if let Some(memory) = &task.memory {
            return self.remember(task, memory);
        }
        let content = match content::read(self.root, &task.path, self.settings.limits.file_bytes) {
            Ok(content) => content,
            Err(ContentError::Gone { .. }) => return Prepared::Gone,
            Err(error) => return Prepared::Failure(refused(task, &error)),
        };
        if recall_watch::is_racy(content.modified, self.now) {
            self.attention.racy(&task.path);
        }
        if task.hash == Some(content.hash) {
            return Prepared::Touched { size_bytes: content.size_bytes, modified: content.modified };
        }
        // A panic of the parser fails one file, not the run.
        match catch_unwind(AssertUnwindSafe(|| self.parse(task, content))) {
            Ok(document) => Prepared::Document(Box::new(document)),
            Err(_) => Prepared::Failure(self.panicked(task)),
        }
    }

    /// Builds the document of a memory.
    fn remember(&mut self, task: &Task, memory: &Memory) -> Prepared {
        let Ok(parsed) = catch_unwind(AssertUnwindSafe(|| ledger::parsed_of(memory, &mut self.chunker))) else {
            return Prepared::Failure(self.panicked(task));
        };
        Prepared::Document(Box::new(PreparedDocument {
            document: ledger::document_of(memory),
            text: ledger::text_of(memory).to_owned(),
            parsed,
            created: Some(memory.created),
        }))
    }

    fn panicked(&mut self, task: &Task) -> FileFailure {
        self.chunker = Chunker::new(ChunkLimits::from(&self.settings.limits));
        tracing::error!(path = %task.path, "the parser panicked");
        failure(task, FailureKind::Failed, "the parser panicked on this text".to_owned())
    }

    fn parse(&mut self, task: &Task, content: content::Content) -> PreparedDocument {
        let content::Content { mut text, hash, size_bytes, modified, .. } = content;
        if task.path.extension() == Some("ipynb")
            && let Some(rendered) = recall_chunk::notebook_text(&text)
        {
            text = rendered;
        }
        let language = recall_chunk::language_of(&task.path, &text);
        let parsed = self.chunker.parse(&task.path, language.as_ref(), &text);
        if let ParseOutcome::Failed { reason } = &parsed.outcome {
            tracing::debug!(path = %task.path, reason, "parsed in windows");
        }
        let document_type = task
            .document_type
            .or_else(|| self.configured_type(&task.path))
            .unwrap_or_else(|| recall_chunk::document_type_of(&task.path, language.as_ref(), &text));
        let mut tags: Vec<String> = task.tags.iter().chain(&parsed.tags).cloned().collect();
        tags.sort();
        tags.dedup();
        let file_kind = FileKind::of_parsed(&task.path, language.as_ref(), &text, &parsed);
        let document = Document {
            id: DocumentId::of(&task.path),
            path: task.path.clone(),
            document_type,
            title: parsed.title.clone().unwrap_or_else(|| task.path.file_name().to_owned()),
            language,
            hash,
            size_bytes,
            modified,
            file_kind,
            tags,
            source: task.source.clone(),
        };
        PreparedDocument { document, text, parsed, created: None }
    }

    fn configured_type(&self, path: &DocPath) -> Option<DocumentType> {
        self.types.iter().find(|(glob, _)| glob.is_match(path.as_str())).map(|&(_, document_type)| document_type)
    }
}

fn refused(task: &Task, error: &ContentError) -> FileFailure {
    let (kind, reason) = match error {
        ContentError::Refused { reason, .. } if !reason.is_failure() => (FailureKind::Skipped, reason.to_string()),
        ContentError::Refused { reason, .. } => (FailureKind::Failed, reason.to_string()),
        ContentError::Outside { .. } => (FailureKind::Skipped, "it leaves the root through a symlink".to_owned()),
        ContentError::Gone { .. } | ContentError::Unreadable { .. } => {
            // Permissions change without a new size or time. Without a recorded time, the next scan tries again.
            let failure = failure(task, FailureKind::Failed, error_chain(error));
            return FileFailure { modified: Timestamp::default(), ..failure };
        }
    };
    failure(task, kind, reason)
}

fn failure(task: &Task, kind: FailureKind, reason: String) -> FileFailure {
    FileFailure {
        path: task.path.as_str().to_owned(),
        kind,
        reason,
        size_bytes: task.size_bytes,
        modified: task.modified,
    }
}
