//! The places where tools keep what they remember.

use std::path::{Path, PathBuf};

use recall_core::{ForeignKind, StoreScope};

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
