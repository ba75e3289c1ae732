//! Turns as documents, which searches and `get` return like those of the index.

use std::fmt::Write as _;

use recall_agents::foreign::{Action, CommandRun, Turn};
use recall_core::{ByteSpan, Chunk, ChunkKind, ContentHash, Document, DocumentId, DocumentType, Span, Timestamp};
use recall_text::{DocPath, FileKind, tokens};

use super::rank::{CommandOutcome, SaidTurn};
use crate::session_log::story::first_chars;

/// The most characters of a title.
const TITLE_CHARS: usize = 100;

/// Returns the document of a turn and the chunk that covers the text of it that is shown; `None` if its citation is no path, because
/// the id of the session is not a plain name.
pub(crate) fn hit(turn: &SaidTurn) -> Option<(Document, Chunk, String)> {
    let SaidTurn { citation, time, prompt, excerpt, commands, edited, .. } = turn;
    let mut text = prompt.clone();
    if *excerpt != text {
        let _ = write!(text, "\n\n{excerpt}");
    }
    for CommandOutcome { command, has_failed } in commands.iter().filter(|run| !excerpt.contains(&run.command)) {
        let _ = write!(text, "\n$ {command}{}", if *has_failed { " (failed)" } else { "" });
    }
    if !edited.is_empty() {
        let _ = write!(text, "\nedited {}", edited.join(", "));
    }
    let document = document(citation, *time, &text)?;
    let end_line = u32::try_from(text.lines().count().max(1)).unwrap_or(u32::MAX);
    let bytes = ByteSpan { start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) };
    let chunk = Chunk {
        ordinal: 0,
        kind: ChunkKind::Section,
        span: Span { bytes, start_line: 1, end_line },
        symbol: None,
        signature: None,
        doc_comment: None,
        tokens: tokens::estimate(&text),
    };
    Some((document, chunk, text))
}

/// Returns the document that a citation names, with the first line of its text as the title.
pub(super) fn document(citation: &str, time: Option<Timestamp>, text: &str) -> Option<Document> {
    let path = DocPath::new(citation.trim()).ok()?;
    Some(Document {
        id: DocumentId::from_path(&path),
        path,
        memory: None,
        document_type: DocumentType::Transcript,
        title: first_chars(text.lines().next().unwrap_or_default(), TITLE_CHARS),
        language: None,
        hash: ContentHash::hash(text.as_bytes()),
        size_bytes: text.len() as u64,
        modified: time.unwrap_or_default(),
        file_kind: FileKind::Main,
        tags: Vec::new(),
        source: None,
    })
}

/// Returns everything that is kept of a turn: the request, and what was said, run and edited after it.
pub(super) fn whole_text(turn: &Turn) -> String {
    let mut text = turn.prompt.clone();
    for step in &turn.steps {
        match &step.action {
            Action::Said(said) => _ = write!(text, "\n\n{said}"),
            Action::Edited(file) => _ = write!(text, "\n\nedited {file}"),
            Action::Ran(CommandRun { command, output, has_failed }) => {
                let outcome = if *has_failed { " (failed)" } else { "" };
                let _ = write!(text, "\n\n$ {command}{outcome}\n{output}");
            }
        }
    }
    format!("{}\n", text.trim())
}
