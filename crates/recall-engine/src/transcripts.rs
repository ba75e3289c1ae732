//! What was said in the conversations of coding agents in a project, as their transcripts have it.
//!
//! The transcripts are read in place, at each request, within the bounds of the settings. Nothing of them
//! is indexed or stored, so switching them off leaves nothing behind, and they cannot displace a memory in the list of a search (ADR 70). Secrets are masked before a text is cut. Begin with `read_transcripts` and `rank`.

mod rank;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use recall_agents::foreign::{Action, CommandRun, Transcript, TranscriptQuery, Turn, read_transcripts};
use recall_core::{
    ByteSpan, Chunk, ChunkKind, ContentHash, Document, DocumentId, DocumentType, Scope, Span, Timestamp,
};
use recall_text::{DocPath, FileKind, error_chain, tokens};

use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::session_log::story::first_chars;
use crate::store::{Store, work_trees};
use crate::{Engine, mask};
use rank::parse_citation;

pub use rank::{CommandOutcome, SaidTurn};
pub(crate) use rank::{Words, citation, share_of};

/// How much of the project's transcripts was read, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranscriptCoverage {
    /// Whether the user switched the reading on. Otherwise nothing was looked at.
    pub is_on: bool,
    /// The number of transcripts that were read.
    pub read: u64,
    /// The number of those of other projects that were looked at.
    pub elsewhere: u64,
    /// The number of files that are too old or too many. Those of other projects may be among them.
    pub older: u64,
    /// The number of files for which the bytes did not suffice.
    pub too_large: u64,
    /// The files and folders that could not be read, with the reasons.
    pub unreadable: Vec<(String, String)>,
}

/// The turns that contain words of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct SaidTurns {
    /// The turns, the best first.
    pub turns: Vec<SaidTurn>,
    /// The number of turns with words of the query.
    pub found: u64,
    /// What was read.
    pub coverage: TranscriptCoverage,
}

impl Engine {
    /// Returns the turns of a project's transcripts that contain words of a query, the best first.
    ///
    /// # Errors
    /// The store of the project cannot be opened.
    pub fn search_transcripts(&self, origin: &Origin, query: &str, limit: usize) -> Result<SaidTurns, SessionError> {
        let store = self.memory_store(origin, Scope::Project)?;
        Ok(self.said_turns(&store, query, limit))
    }

    /// Returns the turns of a store's transcripts that contain words of a query, the best first.
    pub(crate) fn said_turns(&self, store: &Store, query: &str, limit: usize) -> SaidTurns {
        let mut ranking = rank::TurnRanking::new(query);
        let coverage = self.read_transcripts(store, &mut |transcript| ranking.add(&transcript));
        let (turns, found) = ranking.finish(limit);
        SaidTurns { turns, found, coverage }
    }

    /// Passes the transcripts of a store's project to `visit`, the latest first, with their secrets masked. Passes none if the user
    /// did not switch the reading on.
    pub(crate) fn read_transcripts(&self, store: &Store, visit: &mut dyn FnMut(Transcript)) -> TranscriptCoverage {
        let settings = store.settings.transcripts();
        let places = &self.registry.places;
        let (true, Some(home)) = (settings.read, places.home.as_deref()) else {
            return TranscriptCoverage { is_on: settings.read, ..TranscriptCoverage::default() };
        };
        let age = i64::try_from(settings.age.as_nanos()).unwrap_or(i64::MAX);
        let roots = work_trees(&store.root);
        let query = TranscriptQuery {
            roots: &roots,
            home,
            folders: &places.agents,
            scratch: &store.folder.path,
            mask: |text| _ = mask::text(text),
            most: settings.files.get(),
            since: Timestamp(self.clock.now().0.saturating_sub(age)),
            most_bytes: settings.bytes,
        };
        let tally = read_transcripts(&query, &mut |mut transcript| {
            name_files_below(&roots, &mut transcript);
            visit(transcript);
        });
        let shown = |path: PathBuf| mask::shown_path(path.to_string_lossy().into_owned());
        TranscriptCoverage {
            is_on: true,
            read: tally.read,
            elsewhere: tally.elsewhere,
            older: tally.older,
            too_large: tally.too_large,
            unreadable: tally.unreadable.into_iter().map(|(path, error)| (shown(path), error_chain(&error))).collect(),
        }
    }
}

impl Engine {
    /// Returns the turn that a citation names as a document with its whole text; `None` if it is not one, or is not among the
    /// transcripts that are read.
    pub(crate) fn cited_turn(&self, store: &Store, cited: &str) -> Option<(Document, String)> {
        let (client, session, number) = parse_citation(cited)?;
        let mut named = None;
        self.read_transcripts(store, &mut |transcript| {
            if transcript.client == client && transcript.session == session {
                named = transcript.turns.get(number.wrapping_sub(1)).map(|turn| (turn.time, whole_text(turn)));
            }
        });
        let (time, text) = named?;
        Some((document_of_turn(cited, time, &text)?, text))
    }
}

/// Gives the edited files their paths below the root or the work tree that they are in, as everything else names them.
fn name_files_below(roots: &[PathBuf], transcript: &mut Transcript) {
    for step in transcript.turns.iter_mut().flat_map(|turn| &mut turn.steps) {
        if let Action::Edited(file) = &mut step.action {
            let below = roots.iter().find_map(|root| Path::new(file).strip_prefix(root).ok()?.to_str());
            if let Some(below) = below.map(str::to_owned) {
                *file = below;
            }
        }
    }
}

/// The most characters of a title.
const TITLE_CHARS: usize = 100;

/// Returns the document of a turn and the chunk that covers the text of it that is shown; `None` if its citation is no path, because
/// the id of the session is not a plain name.
pub(crate) fn hit_of_turn(turn: &SaidTurn) -> Option<(Document, Chunk, String)> {
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
    let document = document_of_turn(citation, *time, &text)?;
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
fn document_of_turn(citation: &str, time: Option<Timestamp>, text: &str) -> Option<Document> {
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
fn whole_text(turn: &Turn) -> String {
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
