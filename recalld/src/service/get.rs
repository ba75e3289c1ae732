//! `Get`: returns the item with an id, a path or a citation.

use recall_core::{Citation, Scope};
use recall_engine::{Engine, GetError, Item, ItemRequest, Origin, Parent};
use recall_proto::convert::{chunk, document, scope, symbol};
use recall_proto::v1::{self, GetRequest, GetResponse, Severity};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use super::{Service, context, memory, published, store, warning};

pub(super) async fn handle(service: &Service, request: GetRequest) -> Result<GetResponse, Status> {
    let GetRequest { context, id, scope: wanted, include_parent, start_line, end_line } = request;
    if id.trim().is_empty() {
        return Err(InvalidRequest::new("id", Problem::Empty).into());
    }
    let wanted = scope::from_proto(wanted, Scope::All)?;
    let wanted_lines =
        (start_line.is_some() || end_line.is_some()).then(|| Lines::read(start_line, end_line)).transpose()?;
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let parent = if include_parent { Parent::Include } else { Parent::Leave };
    let (item, cited) = service.call(move |daemon| found(&daemon.engine, &origin, id, parent, wanted)).await?;
    let cited_lines = cited.as_ref().and_then(|cited| cited.lines);
    let lines = wanted_lines.or(cited_lines).unwrap_or(Lines::ALL);
    let mut response = response(item, lines, parent);
    if let Some(Cited { hash: Some(hash), .. }) = &cited {
        response.warnings.extend(changed_since(&response, hash));
    }
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

/// The lines and the hash of a citation.
struct Cited {
    lines: Option<Lines>,
    hash: Option<String>,
}

/// Finds the item with an id, a path or a citation. A path may end like a citation, so the whole text is tried first.
fn found(
    engine: &Engine,
    origin: &Origin,
    text: String,
    parent: Parent,
    scope: Scope,
) -> Result<(Item, Option<Cited>), GetError> {
    let citation = Citation::of(text.trim());
    let is_whole = citation.document == text.trim();
    let cited = Cited {
        lines: citation.lines.map(|recall_core::Lines { start, end }| Lines { first: start, last: end }),
        hash: citation.hash.map(ToOwned::to_owned),
    };
    let document = citation.document.to_owned();
    match engine.get(origin, &ItemRequest { id: text, parent, scope }) {
        Err(GetError::NotFound { .. }) if !is_whole => {
            let item = engine.get(origin, &ItemRequest { id: document, parent, scope })?;
            Ok((item, Some(cited)))
        }
        item => Ok((item?, None)),
    }
}

/// Returns a warning if the document's hash differs from the cited one.
fn changed_since(response: &GetResponse, hash: &str) -> Option<v1::Warning> {
    let (_, now) = response.citation.rsplit_once('@')?;
    let path = response.doc.as_ref().map(|doc| doc.path.clone()).unwrap_or_default();
    let message = format!("`{path}` has changed since it was cited; its current lines are shown");
    let is_same = now.starts_with(hash) || hash.starts_with(now);
    (!is_same).then(|| v1::Warning { path, ..warning::new("CITED_TEXT_CHANGED", Severity::Notice, message, "") })
}

/// Writes an item. With its parent, cited lines come in the text of their whole document, and the citation names them.
fn response(item: Item, lines: Lines, parent: Parent) -> GetResponse {
    let Item { scope, document: found, chunk: named, text, parent_text, symbols, memory: recalled, coverage, warnings } =
        item;
    let hash = found.hash.short();
    let mut doc = document::to_proto(&found, scope, &store::id(&coverage.root));
    if coverage.is_shared {
        published::name_document(&mut doc);
    }
    let (text, start_line, end_line, proto_chunk, cited) = if let Some((_, span)) = named {
        let whole = parent_text.unwrap_or_default();
        let cited = (span.span.start_line, span.span.end_line);
        let end = count_lines(&whole);
        let start = u32::from(end > 0);
        let mut part = chunk::to_proto(&span, found.id, &text);
        if coverage.is_shared {
            published::name_chunk(&mut part, &doc.path, span.ordinal);
        }
        (whole, start, end, Some(part), cited)
    } else {
        let (part, start, end) = lines.of(&text);
        let part = part.to_owned();
        match parent {
            Parent::Leave => (part, start, end, None, (start, end)),
            Parent::Include => {
                let all = count_lines(&text);
                (text, u32::from(all > 0), all, None, (start, end))
            }
        }
    };
    GetResponse {
        citation: format!("{}:{}-{}@{hash}", found.path, cited.0, cited.1),
        symbols: symbols.iter().map(|definition| symbol::to_proto(definition, found.id)).collect(),
        doc: Some(doc),
        chunk: proto_chunk,
        text,
        start_line,
        end_line,
        staleness: memory::staleness(recalled.as_deref()),
        memory: memory::to_proto(recalled.as_deref(), scope),
        generation: coverage.generation.0,
        warnings: warning::to_proto(warnings),
    }
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

    /// Returns the requested part of a text, with its first and last line; empty and 0 if the text has no such lines.
    fn of(self, text: &str) -> (&str, u32, u32) {
        let all = count_lines(text);
        if self.first > all {
            return ("", 0, 0);
        }
        let last = self.last.min(all);
        let begin = line_start(text, self.first);
        let end = if last == all { text.len() } else { line_start(text, last + 1) };
        (&text[begin..end], self.first, last)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, first: Option<u32>, last: Option<u32>, expected: (&str, u32, u32)) {
        assert_eq!(Lines::read(first, last).expect("a range").of(text), expected);
    }

    #[test]
    fn lines_of_a_document() {
        let text = "one\ntwo\r\nthree";
        check(text, None, None, (text, 1, 3));
        check(text, Some(2), None, ("two\r\nthree", 2, 3));
        check(text, Some(2), Some(2), ("two\r\n", 2, 2));
        check(text, None, Some(99), (text, 1, 3));
        check(text, Some(4), None, ("", 0, 0));
        check("", None, None, ("", 0, 0));
        check("one\n", Some(1), None, ("one\n", 1, 1));
    }

    #[test]
    fn an_invalid_range_is_rejected() {
        assert_eq!(Lines::read(Some(0), None).map_err(|error| error.field).err(), Some("start_line"));
        assert_eq!(Lines::read(Some(3), Some(2)).map_err(|error| error.field).err(), Some("end_line"));
    }
}
