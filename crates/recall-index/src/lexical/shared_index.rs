//! The state that the searchers and the writer of an index share: its files and its published snapshot.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use recall_core::Generation;
use tantivy::directory::error::LockError;
use tantivy::directory::{INDEX_WRITER_LOCK, META_LOCK};
use tantivy::{Directory as _, Index, IndexSettings, TantivyError};

use crate::lexical::fields::{self, Fields};
use crate::lexical::format::{self, FORMAT, FileStamps, Payload};
use crate::lexical::integrity::{self, IndexDirectory, LastWriteError, Sealed};
use crate::lexical::open::{LexicalOpenError, catch_panics};
use crate::lexical::snapshot::{CommittedState, LexicalSnapshot};
use crate::lexical::top_k::ScratchPool;

/// The state shared by the searchers and the writer of an index.
pub(crate) struct SharedIndex {
    pub(crate) dir: PathBuf,
    pub(crate) index: Index,
    pub(crate) fields: Fields,
    pub(crate) last_write_error: LastWriteError,
    pub(crate) scratch: ScratchPool,
    published: RwLock<Arc<LexicalSnapshot>>,
}

impl SharedIndex {
    pub(crate) fn open(dir: &Path) -> Result<Self, LexicalOpenError> {
        let (index, fields, last_write_error) = open_or_create(dir)?;
        fields::register_tokenizers(index.tokenizers());
        let metas = index.load_metas().map_err(|error| LexicalOpenError::classify(dir, error))?;
        let verify = || {
            integrity::verify(dir, index.directory(), &metas).map_err(|error| LexicalOpenError::classify(dir, error))
        };
        match index.directory().acquire_lock(&INDEX_WRITER_LOCK) {
            Ok(_lock) => {
                // With the lock, no writer is alive: what no commit names was left by a killed one.
                integrity::sweep(dir, &metas).map_err(|source| LexicalOpenError::io(dir, source))?;
                if verify()? == Sealed::No {
                    integrity::seal(dir, &metas).map_err(|source| LexicalOpenError::io(dir, source))?;
                }
            }
            // A live writer has verified the files that it builds on, and its files come and go.
            Err(LockError::LockBusy) => (),
            // The folder is read-only.
            Err(LockError::IoError(_)) => {
                verify()?;
            }
        }
        let snapshot = load(dir, &index, fields, None)?;
        Ok(Self {
            dir: dir.to_owned(),
            index,
            fields,
            last_write_error,
            scratch: ScratchPool::default(),
            published: RwLock::new(Arc::new(snapshot)),
        })
    }

    pub(crate) fn published_snapshot(&self) -> Arc<LexicalSnapshot> {
        Arc::clone(&self.published.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Loads the committed state and publishes it to new searchers.
    pub(crate) fn publish(&self) -> Result<(), LexicalOpenError> {
        let snapshot = Arc::new(load(&self.dir, &self.index, self.fields, Some(&self.published_snapshot()))?);
        *self.published.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(())
    }
}

fn open_or_create(dir: &Path) -> Result<(Index, Fields, LastWriteError), LexicalOpenError> {
    let failed = |error: TantivyError| LexicalOpenError::classify(dir, error);
    let (schema, fields) = Fields::schema();
    let directory = IndexDirectory::open(dir).map_err(|error| failed(error.into()))?;
    let last_write_error = directory.last_write_error().clone();
    if !Index::exists(&directory).map_err(|error| failed(error.into()))? {
        if integrity::has_orphans(dir).map_err(|source| LexicalOpenError::io(dir, source))? {
            return Err(LexicalOpenError::damaged(dir, "it has segments but no list of them".to_owned()));
        }
        let index = Index::create(directory, schema, IndexSettings::default()).map_err(failed)?;
        return Ok((index, fields, last_write_error));
    }
    let outdated = |found| LexicalOpenError::Outdated { path: dir.to_owned(), found, known: FORMAT };
    let index = match Index::open(directory) {
        Err(TantivyError::IncompatibleIndex(_)) => return Err(outdated(0)),
        opened => opened.map_err(failed)?,
    };
    if index.schema() != schema {
        let payload = index.load_metas().map_err(failed)?.payload;
        return match payload.as_deref().map(format::read) {
            Some(Payload::Foreign(found)) => Err(outdated(found)),
            // The fields are part of the format, so under this format number they can only have been altered.
            Some(Payload::Known(_) | Payload::Garbled) => {
                Err(LexicalOpenError::damaged(dir, "its fields do not match its format".to_owned()))
            }
            None => Err(outdated(0)),
        };
    }
    Ok((index, fields, last_write_error))
}

fn load(
    dir: &Path,
    index: &Index,
    fields: Fields,
    before: Option<&LexicalSnapshot>,
) -> Result<LexicalSnapshot, LexicalOpenError> {
    // The lock keeps a writer in another process from deleting segments after their list was read and before they are
    // opened. A read-only folder has no such writer.
    let _lock = index.directory().acquire_lock(&META_LOCK).ok();
    let meta = match integrity::read_meta(dir) {
        Err(source) if source.kind() == io::ErrorKind::NotFound => {
            return Err(LexicalOpenError::damaged(dir, "its list of segments is missing".to_owned()));
        }
        read => read.map_err(|source| LexicalOpenError::io(dir, source))?,
    };
    let list = FileStamps::read(dir, [PathBuf::from(integrity::META)], None);
    let metas = index.load_metas().map_err(|error| LexicalOpenError::classify(dir, error))?;
    let files = FileStamps::read(dir, integrity::live_files(&metas), before.map(|before| &before.files));
    let generation = match metas.payload.as_deref().map(format::read) {
        Some(Payload::Known(generation)) => generation,
        Some(Payload::Foreign(found)) => {
            return Err(LexicalOpenError::Outdated { path: dir.to_owned(), found, known: FORMAT });
        }
        // No commit was ever made.
        None if metas.segments.is_empty() => Generation::default(),
        Some(Payload::Garbled) | None => {
            return Err(LexicalOpenError::damaged(dir, "its last commit has no valid payload".to_owned()));
        }
    };
    catch_panics(|| {
        LexicalSnapshot::open(index, fields, &metas, CommittedState { meta, list, files, generation }, before)
    })
    .map_err(|error| LexicalOpenError::classify(dir, error))
}
