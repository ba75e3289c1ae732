//! Readers of what other tools remember (feature `foreign`): databases, notes and transcripts become [items](Item).
//!
//! [`places()`] returns where a tool keeps its files, and [`read`] passes the items of one of them to a sink, one at a time.
//! Nothing is ever written to a foreign file or next to it: a database is read from a private copy.
//!
//! The module decides what an item becomes. It does not decide whether it belongs to a project, is known already or may be
//! stored; it masks nothing.
//!
//! SQLite writes next to a database that it opens, even read-only, and with `immutable` it ignores the log, where the latest commits
//! are; hence the copy (ADR 34). Begin with `item` and `kinds`.

mod database;
mod item;
mod kinds;
mod moment;
mod text_file;
mod transcript;

use std::path::{Path, PathBuf};

pub use item::{
    Belonging, ForeignEvent, ForeignFeedback, ForeignFile, ForeignMemory, ForeignOrigin, ForeignSession, Item, LeftOut,
    LeftOutReason, ReadError, Sink,
};
pub use kinds::{Mask, Reading, TranscriptQuery, TranscriptTally, read, read_transcripts};
use recall_core::{ForeignKind, StoreScope};
pub use transcript::{Action, CommandRun, Step, Transcript, TranscriptClient, Turn};

/// Returns the places where a tool keeps its files for a store: all are read that exist, unless
/// [one is enough](ForeignKind::BasicMemory).
///
/// They are below the project's root, which the global store does not have, or below the user's home or `codex`, the folder of
/// `OpenAI` Codex. Empty for a tool without a usual place.
pub fn places(
    kind: ForeignKind,
    scope: StoreScope,
    root: &Path,
    home: Option<&Path>,
    codex: Option<&Path>,
) -> Vec<PathBuf> {
    let project = |below: &str| (scope == StoreScope::Project).then(|| root.join(below));
    let home = |below: &str| home.map(|home| home.join(below));
    let places = match kind {
        ForeignKind::RecallV0 => {
            vec![project(".edi/recall/project.db"), home(".edi/recall/global.db"), home(".recall/recall.db")]
        }
        ForeignKind::EdiCodex => vec![home(".edi/codex.db")],
        ForeignKind::OpenAiCodex => vec![codex.map(|folder| folder.join("memories"))],
        ForeignKind::Edi if scope == StoreScope::Project => vec![project(".edi")],
        ForeignKind::Edi => vec![home(".edi")],
        ForeignKind::ClaudeMem => vec![home(".claude-mem/claude-mem.db")],
        ForeignKind::Mem0 => vec![home(".mem0/history.db")],
        ForeignKind::BasicMemory => vec![home("basic-memory"), home(".basic-memory/memory.db")],
        ForeignKind::Serena => vec![project(".serena/memories")],
        ForeignKind::Transcripts if scope == StoreScope::Project => {
            vec![home(".claude/projects"), home(".codex/sessions"), home(".gemini/tmp"), home(".copilot/session-state")]
        }
        ForeignKind::MemoryServer | ForeignKind::Transcripts => Vec::new(),
    };
    places.into_iter().flatten().collect()
}
