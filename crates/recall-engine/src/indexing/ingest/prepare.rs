//! Reading and parsing of one file or memory into a document.
//!
//! Nothing of a single file stops a run: a file that cannot be read, or on which a parser panics, becomes a record that `status`
//! shows. A file is parsed only if the hash of its content differs from the indexed one. A file that was modified just before the run
//! may change again within the resolution of its modification time, so it is marked to be read again.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use recall_chunk::{ChunkLimits, Chunker, CodeParser};
use recall_core::{
    ContentHash, Document, DocumentId, DocumentType, Memory, MemoryId, ParseOutcome, ParsedDocument, Timestamp,
};
use recall_index::catalog::{FailureKind, FileFailure};
use recall_text::{DocPath, Language, ToolFile, is_minified};
use recall_watch::SkipReason;
use recall_watch::content::{self, ContentError};

use crate::ledger;
use crate::settings::StoreSettings;
use crate::store::{ImportedDocument, Store};

/// A file or memory whose document is to be written.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// A file to be read.
    File(FileTask),
    Memory {
        memory: Arc<Memory>,
        /// Whether the catalog holds a document of it.
        is_known: bool,
    },
}

impl Task {
    /// Returns the path of the document.
    pub(crate) fn path(&self) -> Cow<'_, DocPath> {
        match self {
            Self::File(file) => Cow::Borrowed(&file.path),
            Self::Memory { memory, .. } => Cow::Owned(memory.id.to_path()),
        }
    }

    /// Returns the memory; `None` for a file.
    pub(crate) fn memory(&self) -> Option<MemoryId> {
        match self {
            Self::File(_) => None,
            Self::Memory { memory, .. } => Some(memory.id),
        }
    }

    /// Returns the size of the file, or of the memory's text.
    pub(crate) fn size_bytes(&self) -> u64 {
        match self {
            Self::File(file) => file.size_bytes,
            Self::Memory { memory, .. } => ledger::text_of(memory).len() as u64,
        }
    }

    /// Returns whether the catalog holds a document of it.
    pub(crate) fn is_known(&self) -> bool {
        match self {
            Self::File(FileTask { is_known, .. }) | Self::Memory { is_known, .. } => *is_known,
        }
    }
}

/// A file to be read.
#[derive(Clone, Debug)]
pub(crate) struct FileTask {
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
    /// Whether its text is larger than what is parsed at once.
    pub(crate) is_in_parts: bool,
}

/// Reads and parses files. Each thread has one.
pub(crate) struct Preparer<'a> {
    store: &'a Store,
    settings: Arc<StoreSettings>,
    /// The globs that set a document's type; the first match wins.
    types: Vec<(GlobMatcher, DocumentType)>,
    /// When the run began. A file that changed shortly before may change again without a new modification time.
    now: Timestamp,
    code_parser: Option<&'a Arc<dyn CodeParser>>,
    chunker: Chunker,
}

impl<'a> Preparer<'a> {
    pub(crate) fn new(store: &'a Store, now: Timestamp) -> Self {
        let code_parser = store.files.code_parser();
        let settings = store.settings();
        let chunker = chunker(&settings, code_parser);
        let types = settings.types.iter().filter_map(|(glob, document_type)| {
            let glob = Glob::new(glob).ok()?;
            Some((glob.compile_matcher(), *document_type))
        });
        Self { store, types: types.collect(), settings, now, code_parser, chunker }
    }

    /// Reads and parses one file or memory. A failure becomes a record and does not stop the run.
    pub(crate) fn prepare(&mut self, task: &Task) -> Prepared {
        match task {
            Task::File(file) => self.prepare_file(file),
            Task::Memory { memory, .. } => self.prepare_memory(memory),
        }
    }

    fn prepare_file(&mut self, task: &FileTask) -> Prepared {
        let (content, imported) = match self.store.files.read_file(&task.path, &self.settings.limits) {
            Ok(read) => read,
            Err(ContentError::Gone { .. }) => return Prepared::Gone,
            Err(error) => return Prepared::Failure(content_failure(task, &error)),
        };
        if recall_watch::is_racy(content.modified, self.now) {
            self.store.files.dirty().racy(&task.path);
        }
        if task.hash == Some(content.hash) {
            return Prepared::Touched { size_bytes: content.size_bytes, modified: content.modified };
        }
        // A panic of the parser fails one file, not the run.
        match catch_unwind(AssertUnwindSafe(|| self.parse(task, content))) {
            Ok(document) => Prepared::Document(Box::new(with_imported_kind(document, imported.as_deref()))),
            Err(_) => Prepared::Failure(self.panic_failure(&task.path, task.size_bytes, task.modified)),
        }
    }

    fn prepare_memory(&mut self, memory: &Memory) -> Prepared {
        let Ok(parsed) = catch_unwind(AssertUnwindSafe(|| ledger::parsed_of(memory, &mut self.chunker))) else {
            let size_bytes = ledger::text_of(memory).len() as u64;
            return Prepared::Failure(self.panic_failure(&memory.id.to_path(), size_bytes, memory.updated));
        };
        Prepared::Document(Box::new(PreparedDocument {
            document: ledger::document_of(memory),
            text: ledger::text_of(memory).to_owned(),
            parsed,
            created: Some(memory.created),
            is_in_parts: false,
        }))
    }

    fn panic_failure(&mut self, path: &DocPath, size_bytes: u64, modified: Timestamp) -> FileFailure {
        self.chunker = chunker(&self.settings, self.code_parser);
        tracing::error!(%path, "the parser panicked");
        let reason = "the parser panicked on this text".to_owned();
        FileFailure { path: path.as_str().to_owned(), kind: FailureKind::Failed, reason, size_bytes, modified }
    }

    fn parse(&mut self, task: &FileTask, content: content::Content) -> PreparedDocument {
        let content::Content { mut text, hash, size_bytes, modified, .. } = content;
        if task.path.extension() == Some("ipynb")
            && let Some(rendered) = recall_chunk::notebook_text(&text)
        {
            text = rendered;
        }
        let language = Language::detect(&task.path, &text);
        // The names in what a tool wrote are not those of the project, and its lines may be as long as the file.
        let is_readable =
            ToolFile::from_name(task.path.file_name()).is_none() && !is_minified(language.as_ref(), &text);
        let parsed = self.chunker.parse(&task.path, language.as_ref().filter(|_| is_readable), &text);
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
        let file_kind = parsed.file_kind(&task.path, language.as_ref(), &text);
        let document = Document {
            id: DocumentId::from_path(&task.path),
            path: task.path.clone(),
            memory: None,
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
        let is_in_parts = text.len() as u64 > self.settings.limits.parse_bytes;
        PreparedDocument { document, text, parsed, created: None, is_in_parts }
    }

    fn configured_type(&self, path: &DocPath) -> Option<DocumentType> {
        self.types.iter().find(|(glob, _)| glob.is_match(path.as_str())).map(|&(_, document_type)| document_type)
    }
}

/// Gives a document what an import states and its text does not.
fn with_imported_kind(prepared: PreparedDocument, imported: Option<&ImportedDocument>) -> PreparedDocument {
    let Some(imported) = imported else { return prepared };
    let document = Document {
        document_type: imported.document_type,
        tags: imported.tags.clone(),
        source: imported.source.clone(),
        ..prepared.document
    };
    PreparedDocument { document, created: Some(imported.created), ..prepared }
}

fn chunker(settings: &StoreSettings, code_parser: Option<&Arc<dyn CodeParser>>) -> Chunker {
    Chunker::with_code_parser(ChunkLimits::from(&settings.limits), code_parser.cloned())
}

fn content_failure(task: &FileTask, error: &ContentError) -> FileFailure {
    let reason = error.reason().unwrap_or(SkipReason::NotRegular);
    let kind = if reason.is_failure() { FailureKind::Failed } else { FailureKind::Skipped };
    let failure = failure(task, kind, reason.to_string());
    match error {
        // Permissions change without a new size or time. Without a recorded time, the next scan tries again.
        ContentError::Unreadable { .. } => FileFailure { modified: Timestamp::default(), ..failure },
        _ => failure,
    }
}

fn failure(task: &FileTask, kind: FailureKind, reason: String) -> FileFailure {
    FileFailure {
        path: task.path.as_str().to_owned(),
        kind,
        reason,
        size_bytes: task.size_bytes,
        modified: task.modified,
    }
}
