//! `recall_get` and `recall_related`: an item by its id, and what belongs to it.

use std::fmt::Write as _;

use recall_api::v1::{GetRequest, RelatedEntry, RelatedRequest, RelatedResponse, Scope};
use recall_text::quantity::count_noun;
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::cursor::Cursor;
use crate::error::{Code, Doing, ToolError};
use crate::render::{ANSWER_CHARS, Place, TAIL_CHARS, chars, inline, notes, origin};
use crate::tool::call::{Call, ScopeArgument};
use crate::tool::why;
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    id: String,
    limit: Option<u32>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    scope: ScopeArgument,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { id, limit, types, scope, format } = arguments;
    let scope = Scope::from(scope).into();
    let request = RelatedRequest { context: Some(call.context.clone()), id: id.clone(), scope, limit, types };
    let related = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.related(request).await }
    });
    let response = related.await?;
    Ok(match format {
        Format::Text => Answer::Text(text(&response, &id)),
        Format::Json => Answer::Json(json::related_answer(&response)),
    })
}

/// Formats the documents related to one, nearest first. Documents that do not fit are left out, with a note.
fn text(response: &RelatedResponse, id: &str) -> String {
    let RelatedResponse { results, generation: _, warnings } = response;
    let mut text = notes(warnings, None);
    let asked = inline(id, 200);
    if results.is_empty() {
        let _ = write!(text, "Nothing is related to {asked}. Try recall_search with what it is about.");
        return text;
    }
    let _ = write!(
        text,
        "{} related to {asked}, nearest first:\n\n",
        count_noun(results.len() as u64, "document", "documents")
    );
    for (shown, entry) in results.iter().enumerate() {
        let line = line(entry);
        if chars(&text) + chars(&line) > ANSWER_CHARS - TAIL_CHARS {
            let _ = write!(text, "\n{} more did not fit: ask for fewer.", results.len() - shown);
            break;
        }
        text.push_str(&line);
    }
    text
}

fn line(entry: &RelatedEntry) -> String {
    let doc = entry.doc.clone().unwrap_or_default();
    let place = match (entry.citation.rsplit_once('@'), doc.path.as_str()) {
        (Some((place, _)), _) => place,
        (None, "") => &doc.id,
        (None, path) => path,
    };
    let ways: Vec<&str> = entry.reasons.iter().map(|reason| in_words(reason)).collect();
    format!(
        "- {} · {} · {} · {} · id {}\n",
        inline(place, 400),
        inline(&ways.join(", "), 160),
        origin(&doc, None),
        inline(&doc.r#type, 20),
        inline(&doc.id, 80)
    )
}

/// Returns the words for a relation, from the viewpoint of the requested document.
fn in_words(reason: &str) -> &str {
    match reason {
        "imports" => "imported here",
        "imported_by" => "imports it",
        "references" => "used here",
        "referenced_by" => "uses it",
        "relates_to" => "linked",
        "supersedes" => "one replaces the other",
        "similar" => "similar words",
        other => other,
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct GetArguments {
    id: String,
    #[serde(default)]
    include_parent: bool,
    start_line: Option<u32>,
    end_line: Option<u32>,
    #[serde(default)]
    why: bool,
    cursor: Option<String>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn get(arguments: GetArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    if let (Some(start), Some(end)) = (arguments.start_line, arguments.end_line)
        && end < start
    {
        let message = format!("`end_line` must not be before `start_line`, {start}, but is {end}");
        return Err(ToolError::new(Code::InvalidArgument, message));
    }
    if arguments.why {
        let GetArguments { id, start_line, end_line, format, .. } = arguments;
        return why::call(why::Arguments { id, start_line, end_line, format }, call).await;
    }
    let page_before = arguments.cursor.as_deref().map(|cursor| Cursor::read(cursor, &call.question)).transpose()?;
    let from = page_before.map(|cursor| Place { line: cursor.position, within: cursor.within });
    let format = arguments.format;
    let request = GetRequest {
        context: Some(call.context.clone()),
        id: arguments.id,
        scope: Scope::All.into(),
        include_parent: arguments.include_parent,
        start_line: arguments.start_line,
        end_line: arguments.end_line,
        ..GetRequest::default()
    };
    let get = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.get(request).await }
    });
    let response = get.await?;
    let cursor = |place: Place| Cursor::new(&call.question, place.line, place.within, response.generation).to_string();
    Ok(match format {
        Format::Text => Answer::Text(render::get(&response, from, cursor)),
        Format::Json => Answer::Json(json::get(&response, from, cursor)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::sample::doc;

    fn entry(path: &str, citation: &str) -> RelatedEntry {
        RelatedEntry {
            score: 1.5,
            doc: Some(doc(path, "code", "rust")),
            reasons: vec!["references".to_owned(), "imports".to_owned()],
            citation: citation.to_owned(),
        }
    }

    #[test]
    fn a_document_is_a_line() {
        let results = vec![entry("src/a.rs", "src/a.rs:5-9@0123456789ab"), entry("src/\u{202e}b.rs", "")];
        let response = RelatedResponse { results, ..RelatedResponse::default() };
        insta::assert_snapshot!(text(&response, "src/lib.rs"), @r"
        2 documents related to src/lib.rs, nearest first:

        - src/a.rs:5-9 · used here, imported here · project file · code · id 0123456789abcdef
        - src/b.rs · used here, imported here · project file · code · id 0123456789abcdef
        ");
        let nothing = text(&RelatedResponse::default(), "a\nb");
        assert_eq!(nothing, "Nothing is related to a b. Try recall_search with what it is about.");
    }

    #[test]
    fn a_long_answer_is_bounded() {
        let results = vec![entry(&"a/".repeat(190), ""); 200];
        let text = text(&RelatedResponse { results, ..RelatedResponse::default() }, "x");
        assert!(chars(&text) <= ANSWER_CHARS && text.ends_with("more did not fit: ask for fewer."), "{text}");
    }
}
