//! `Get`: returns the item with an id, a path or a citation.

use recall_api::convert::{document, limits, remember, scope, time};
use recall_api::v1::{self, Commit, GetRequest, GetResponse, HistoryRequest, HistoryResponse, Severity};
use recall_api::{Failure, InvalidRequest, Problem, Reason};
use recall_core::{ItemId, MemoryId, Provenance, Scope};
use recall_engine::{CitedItem, DocumentCommit, GetError, History, Item, ItemRequest, ItemUse, Origin, Parent};
use recall_text::{DocPath, normalize_text};
use tonic::Status;

use super::{Service, context, ids, memory, warning};
use crate::daemon::Daemon;

pub(super) async fn handle(service: &Service, request: GetRequest) -> Result<GetResponse, Status> {
    let GetRequest { context, id, scope: wanted, include_parent, start_line, end_line, with_uses } = request;
    if id.trim().is_empty() {
        return Err(InvalidRequest::new("id", Problem::Empty).into());
    }
    let wanted = scope::from_proto(wanted, Scope::All)?;
    let wanted_lines =
        (start_line.is_some() || end_line.is_some()).then(|| Lines::read(start_line, end_line)).transpose()?;
    let session = context::session(context.as_ref());
    let provenance = remember::provenance(&context.clone().unwrap_or_default());
    let origin = service.origin(context).await?;
    let parent = if include_parent { Parent::Include } else { Parent::Leave };
    let asked_id = id.clone();
    let asked = ItemRequest { id, parent, scope: wanted };
    let here = origin.clone();
    let open = move |daemon: &Daemon| open(daemon, &here, &provenance, &asked);
    // Memories are in journals and turns in transcripts, so these are read although nothing is indexed, or nothing can be.
    let cited = if is_outside_index(&asked_id) {
        service.call(open).await?
    } else {
        service.call_after_index(&origin, wanted, open).await?
    };
    let CitedItem { item, lines: cited_lines, hash } = cited;
    let known = item.memory.as_ref().map(|view| view.memory.id).filter(|_| with_uses);
    let cited_lines = cited_lines.map(|recall_core::Lines { start, end }| Lines { first: start, last: end });
    let mut response = response(item, wanted_lines.or(cited_lines).unwrap_or(Lines::ALL), parent)?;
    if let Some(id) = known {
        response.recorded_uses = Some(memory::uses(service, origin, id).await?);
    }
    response.warnings.extend(hash.and_then(|hash| changed_since(&response, &hash)));
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

/// Returns whether an item with that id is read from elsewhere than the index.
fn is_outside_index(id: &str) -> bool {
    normalize_text(id).parse::<MemoryId>().is_ok() || id.trim_start().starts_with("transcript:")
}

/// Reads an item, and notes that the session opened it.
fn open(daemon: &Daemon, origin: &Origin, provenance: &Provenance, asked: &ItemRequest) -> Result<CitedItem, GetError> {
    let cited = daemon.engine.get_cited(origin, asked)?;
    let Item { memory, document, .. } = &cited.item;
    let item = memory.as_ref().map_or(ItemId::Document(document.id), |view| ItemId::Memory(view.memory.id));
    daemon.engine.note_use(origin, provenance, ItemUse::Opened(item));
    Ok(cited)
}

/// Returns a warning if the document's hash differs from the cited one.
fn changed_since(response: &GetResponse, hash: &str) -> Option<v1::Warning> {
    let (_, now) = response.citation.rsplit_once('@')?;
    let path = response.doc.as_ref().map(|doc| doc.path.clone()).unwrap_or_default();
    let message = format!("`{path}` has changed since it was cited; its current lines are shown");
    let is_same = now.starts_with(hash) || hash.starts_with(now);
    (!is_same).then(|| v1::Warning { path, ..warning::new("CITED_TEXT_CHANGED", Severity::Notice, message, "") })
}

/// Writes an item, or the wanted lines of a document. With its parent, cited lines come in the text of their whole document, and
/// the citation names them.
///
/// # Errors
/// The document has none of the lines.
fn response(item: Item, lines: Lines, parent: Parent) -> Result<GetResponse, Failure> {
    let Item {
        scope,
        document: found,
        created,
        chunk: named,
        text,
        parent_text,
        symbols,
        memory: recalled,
        coverage,
        warnings,
    } = item;
    let hash = found.hash.short();
    let doc = document::to_proto(&found, scope, &ids::store_id(&coverage.root));
    let mut doc = v1::Document { created_at: created.map(time::to_proto), ..doc };
    if coverage.is_shared {
        ids::name_document(&mut doc);
    }
    let (text, start_line, end_line, proto_chunk, cited) = if let Some((_, span)) = named {
        let whole = parent_text.unwrap_or_default();
        let cited = (span.span.start_line, span.span.end_line);
        let end = count_lines(&whole);
        let start = u32::from(end > 0);
        let mut part = document::chunk_to_proto(&span, found.id, &text);
        if coverage.is_shared {
            ids::name_chunk(&mut part, &doc.path, span.ordinal);
        }
        (whole, start, end, Some(part), cited)
    } else {
        let (part, start, end) = lines.cut(&text).ok_or_else(|| lines.absent_from(&found.path, &text))?;
        let part = part.to_owned();
        match parent {
            Parent::Leave => (part, start, end, None, (start, end)),
            Parent::Include => {
                let all = count_lines(&text);
                (text, u32::from(all > 0), all, None, (start, end))
            }
        }
    };
    Ok(GetResponse {
        citation: format!("{}:{}-{}@{hash}", found.path, cited.0, cited.1),
        symbols: symbols.iter().map(|definition| document::symbol_to_proto(definition, found.id)).collect(),
        doc: Some(doc),
        chunk: proto_chunk,
        text,
        start_line,
        end_line,
        staleness: memory::staleness(recalled.as_deref()),
        memory: memory::to_proto(recalled.as_deref(), scope),
        generation: coverage.generation.0,
        warnings: warning::to_proto(warnings),
        recorded_uses: None,
    })
}

/// The requested lines of a document.
#[derive(Clone, Copy, Debug)]
struct Lines {
    first: u32,
    last: u32,
}

impl Lines {
    /// Every line.
    const ALL: Self = Self { first: 1, last: u32::MAX };

    fn read(first: Option<u32>, last: Option<u32>) -> Result<Self, InvalidRequest> {
        if first == Some(0) {
            return Err(InvalidRequest::new("start_line", Problem::Zero));
        }
        let (first, last) = (first.unwrap_or(1), last.unwrap_or(u32::MAX));
        if last < first {
            return Err(InvalidRequest::new("end_line", Problem::Contradiction { other: "start_line" }));
        }
        Ok(Self { first, last })
    }

    /// Returns the requested part of a text, with its first and last line; `None` if the text has no such lines. Of an empty
    /// text, the lines of a whole document are empty, from 0 to 0.
    fn cut(self, text: &str) -> Option<(&str, u32, u32)> {
        let all = count_lines(text);
        if all == 0 && self.first <= 1 && self.last == u32::MAX {
            return Some(("", 0, 0));
        }
        if self.first > all || self.last == 0 {
            return None;
        }
        let (first, last) = (self.first.max(1), self.last.min(all));
        let begin = line_start(text, first);
        let end = if last == all { text.len() } else { line_start(text, last + 1) };
        Some((&text[begin..end], first, last))
    }

    /// Returns the failure that a document has none of the lines.
    fn absent_from(self, path: &DocPath, text: &str) -> Failure {
        let all = match count_lines(text) {
            0 => "it is empty".to_owned(),
            1 => "it has one line".to_owned(),
            all => format!("it has {all} lines"),
        };
        let asked = match (self.first, self.last) {
            (first, last) if first == last => format!("no line {first}"),
            (first, u32::MAX) => format!("no lines from {first}"),
            (first, last) => format!("none of the lines {first} to {last}"),
        };
        Failure::new(Reason::NotFound, format!("`{path}` has {asked}: {all}"))
            .with_detail("path", path.as_str())
            .with_hint("leave the lines out for the whole document")
    }
}

fn count_lines(text: &str) -> u32 {
    text.lines().count() as u32
}

/// Returns the byte offset of an existing line.
fn line_start(text: &str, line: u32) -> usize {
    let skipped = line as usize - 1;
    text.split_inclusive('\n').take(skipped).map(str::len).sum()
}

pub(super) async fn history(service: &Service, request: HistoryRequest) -> Result<HistoryResponse, Status> {
    let HistoryRequest { context, id, scope: wanted, limit } = request;
    if id.trim().is_empty() {
        return Err(InvalidRequest::new("id", Problem::Empty).into());
    }
    let limit = limits::commits(limit)? as usize;
    let asked = recall_engine::HistoryRequest { id, scope: scope::from_proto(wanted, Scope::All)?, limit };
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let (here, wanted) = (origin.clone(), asked.scope);
    let read = move |daemon: &Daemon| daemon.engine.history(&origin, &asked);
    let found = service.call_after_index(&here, wanted, read).await?;
    let mut response = history_response(found);
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn history_response(history: History) -> HistoryResponse {
    let History { path, commits, warnings } = history;
    let commit = |DocumentCommit { id, day, author, subject }| Commit { id, day, author, subject };
    HistoryResponse { path, commits: commits.into_iter().map(commit).collect(), warnings: warning::to_proto(warnings) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, first: Option<u32>, last: Option<u32>, expected: (&str, u32, u32)) {
        assert_eq!(Lines::read(first, last).expect("a range").cut(text), Some(expected));
    }

    #[test]
    fn lines_of_a_document() {
        let text = "one\ntwo\r\nthree";
        check(text, None, None, (text, 1, 3));
        check(text, Some(2), None, ("two\r\nthree", 2, 3));
        check(text, Some(2), Some(2), ("two\r\n", 2, 2));
        check(text, None, Some(99), (text, 1, 3));
        check("", None, None, ("", 0, 0));
        check("one\n", Some(1), None, ("one\n", 1, 1));
    }

    #[test]
    fn lines_that_a_document_does_not_have_are_told_with_their_number() {
        let path = DocPath::new("a.py").expect("a path");
        let check = |text: &str, first, last, expected: &str| {
            let lines = Lines { first, last };
            assert_eq!(lines.cut(text), None, "{first} to {last}");
            assert_eq!(lines.absent_from(&path, text).message, expected);
        };
        let text = "one\ntwo\nthree\n";
        check(text, 9000, 9100, "`a.py` has none of the lines 9000 to 9100: it has 3 lines");
        check(text, 4, u32::MAX, "`a.py` has no lines from 4: it has 3 lines");
        check(text, 0, 0, "`a.py` has no line 0: it has 3 lines");
        check("", 2, 2, "`a.py` has no line 2: it is empty");
        assert_eq!(Lines { first: 0, last: 2 }.cut(text), Some(("one\ntwo\n", 1, 2)));
    }

    #[test]
    fn an_invalid_range_is_rejected() {
        assert_eq!(Lines::read(Some(0), None).map_err(|error| error.field).err(), Some("start_line"));
        assert_eq!(Lines::read(Some(3), Some(2)).map_err(|error| error.field).err(), Some("end_line"));
    }
}
