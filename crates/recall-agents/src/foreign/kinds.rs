//! The readers, one for each kind.
//!
//! A reader passes items to a sink one by one, so that a large source is never held in memory, and stops when the sink breaks. It
//! reports what the source says; whether an item is new or belongs to the project is decided by the engine (ADR 34).

mod claude_mem;
mod edi;
mod mem0;
mod memory_server;
mod notes;
mod transcripts;

use std::path::Path;

use recall_core::ForeignKind;

use crate::foreign::{ReadError, Sink};

pub use transcripts::{Mask, TranscriptQuery, TranscriptTally, read_transcripts};

/// How a source is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// A folder of the caller for private copies of databases.
    pub scratch: &'a Path,
    /// The root of the project, by which transcripts are selected; `None` to read those of all projects.
    pub root: Option<&'a Path>,
}

/// Passes the items of a source to a sink, until it breaks.
///
/// # Errors
/// The source is missing, is not of the kind, is damaged or cannot be read. Items may have been passed before that.
pub fn read(kind: ForeignKind, path: &Path, reading: Reading<'_>, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    match kind {
        ForeignKind::RecallV0 | ForeignKind::EdiCodex => edi::read_database(kind, path, reading.scratch, sink),
        ForeignKind::OpenAiCodex => notes::read_codex(path, reading.root, sink),
        ForeignKind::Edi => edi::read_folder(path, sink),
        ForeignKind::ClaudeMem => claude_mem::read(path, reading.scratch, sink),
        ForeignKind::Mem0 => mem0::read(path, reading.scratch, sink),
        ForeignKind::BasicMemory => notes::read_basic_memory(path, reading.scratch, sink),
        ForeignKind::MemoryServer => memory_server::read(path, sink),
        ForeignKind::Serena => notes::read_serena(path, sink),
        ForeignKind::Transcripts => transcripts::read(path, reading.root, sink),
    }
}
