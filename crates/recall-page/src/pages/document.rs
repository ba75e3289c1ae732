//! A document: its text, rendered or with lines to link to, its outline, the memories at its lines, and what is related to it.

mod gutter;
mod margin;

use std::collections::HashMap;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use recall_api::v1::{self, GetRequest, GetResponse, ListRequest, QueryRequest, RelatedEntry, RelatedRequest, Symbol};
use recall_text::quantity::{bytes, count, count_noun};
use serde::Deserialize;
use tonic::Status;

use super::{Here, Site, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::markdown::{self, Notes};
use crate::view::{self, Tab, code};
use gutter::Gutter;

/// The lines of a part. A browser lays out this many at once without a pause.
const LINES: u32 = 1_500;

/// The lines of the longest document that is rendered. A part of it alone could begin inside a block of code.
const RENDERED_LINES: u32 = 5_000;

/// How many related documents a document's page lists at most.
const RELATED: u32 = 50;

/// The reasons of documents that this one uses, and of those that use it.
const USED: [&str; 2] = ["imports", "references"];
const USERS: [&str; 2] = ["imported_by", "referenced_by"];

/// The chunks that are marked. A part has fewer.
const CHUNKS: u32 = 1_000;

/// The symbols of an outline.
const OUTLINED: usize = 500;

/// The value of `view` for a text as it is written.
const SOURCE: &str = "source";

/// The parameters of a document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// An id, a path or a citation.
    id: String,
    /// A line in the part that is shown.
    line: Option<u32>,
    /// `source`: a document that could be rendered is shown as it is written.
    view: String,
    /// `1`: each line shows where it comes from. A document that could be rendered is shown as it is written.
    why: String,
}

/// How a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As it is written. It has no other form.
    Plain,
    /// As it is written, though it can be rendered.
    Source,
    /// As Markdown.
    Rendered,
    /// As it is written, because it is too long to be rendered.
    TooLong,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { id, line, view, why }) = asked;
    let first = line.map_or(1, |line| line.saturating_sub(1) / LINES * LINES + 1);
    let mut found = match get(&mut site, &project, &id, first, first.saturating_add(LINES - 1)).await {
        Ok(found) => found,
        Err(status) => return missing(&mut site, &project, &id, status).await,
    };
    if found.memory.is_some() {
        let id = found.doc.as_ref().map(|doc| doc.id.clone()).unwrap_or_default();
        return Redirect::to(&view::link_to("memory", &[("id", &id)])).into_response();
    }
    let doc = found.doc.clone().unwrap_or_default();
    let mut form = match (doc.language.as_str(), view.as_str()) {
        ("markdown", _) if !why.is_empty() => Form::Source,
        ("markdown", SOURCE) => Form::Source,
        ("markdown", _) => Form::Rendered,
        (_, _) => Form::Plain,
    };
    if form == Form::Rendered && (found.start_line > 1 || found.end_line >= LINES) {
        match get(&mut site, &project, &id, 1, RENDERED_LINES).await {
            Ok(whole) if whole.end_line < RENDERED_LINES => found = whole,
            _ => form = Form::TooLong,
        }
    }
    // What stands beside the text is left out if it cannot be read; the text is what was asked for.
    let gutter = if why.is_empty() { None } else { Some(Gutter::read(&mut site, &project, &id, &found).await) };
    let context = || Some(project.subject.context.clone());
    let related = RelatedRequest { context: context(), id, limit: Some(RELATED), ..RelatedRequest::default() };
    let related = site.rpc.related(related).await.map(|answer| answer.into_inner().results).unwrap_or_default();
    let (memories, documents): (Vec<_>, Vec<_>) = related.iter().partition(|entry| is_memory(entry));
    let notes = Notes { target: line, by_line: margin::notes(&mut site, &project, &found, &memories).await };
    let text = match form {
        Form::Rendered => html! { div.rendered { (markdown::document(&doc.path, &found.text, &notes)) } },
        Form::Plain | Form::Source | Form::TooLong => {
            let chunks = chunks(&mut site, &project, &doc.id, &found).await;
            html! { div.code.whole tabindex="0" { (text(&doc, &found, &notes, &chunks, gutter.as_ref())) } }
        }
    };
    let shown = html! {
        (head(&site, &project, &found, line, form))
        @for warning in &found.warnings { p.note { (warning.message) } }
        @if let Some(gutter) = &gutter { (gutter.notes()) }
        @if form == Form::TooLong {
            p.note { "This text has " (count(RENDERED_LINES.into())) " lines or more. It is shown as it is written." }
        }
        div.document {
            div { @if found.text.is_empty() { p.empty { "There is no text here." } } @else { (text) } (parts(&doc.id, form, &found)) }
            aside {
                (outline(&doc.id, form, &found))
                @if let Some(gutter) = &gutter { (gutter.ties()) }
                (entries("Memories about it", &memories))
                (related_documents(&documents))
            }
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Search, &doc.path, &shown))
}

async fn get(site: &mut Site, project: &Project, id: &str, first: u32, last: u32) -> Result<GetResponse, Status> {
    let request = GetRequest {
        context: Some(project.subject.context.clone()),
        id: id.to_owned(),
        include_parent: false,
        start_line: Some(first),
        end_line: Some(last),
        ..GetRequest::default()
    };
    Ok(site.rpc.get(request).await?.into_inner())
}

/// Leads to the list of a folder, if that is what was named; otherwise says what was not found.
async fn missing(site: &mut Site, project: &Project, id: &str, status: Status) -> Response {
    let shown = Shown::from(status);
    let folder = id.trim_end_matches('/');
    if shown.status == StatusCode::NOT_FOUND && !folder.is_empty() && !folder.contains(['*', '?', '[', '{']) {
        let request = ListRequest {
            context: Some(project.subject.context.clone()),
            path: folder.to_owned(),
            limit: Some(1),
            ..ListRequest::default()
        };
        let first = site.rpc.list(request).await.ok().and_then(|answer| answer.into_inner().entries.into_iter().next());
        let path = first.and_then(|entry| entry.doc).map(|doc| doc.path).unwrap_or_default();
        if path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) {
            return Redirect::to(&view::link_to("browse", &[("path", folder)])).into_response();
        }
    }
    failure(project, Tab::Search, &shown)
}

/// Returns the chunks of the part that is shown.
async fn chunks(site: &mut Site, project: &Project, id: &str, found: &GetResponse) -> Vec<v1::Chunk> {
    let rql = format!(
        "SELECT chunk.start_line, chunk.end_line, chunk.kind, chunk.tokens FROM chunk FILTER doc.id = '{}' AND chunk.start_line >= {} \
         AND chunk.start_line <= {} LIMIT {CHUNKS}",
        id.replace('\'', "''"),
        found.start_line,
        found.end_line,
    );
    let request = QueryRequest { context: Some(project.subject.context.clone()), rql, ..QueryRequest::default() };
    let rows = site.rpc.query(request).await.map(|answer| answer.into_inner().results).unwrap_or_default();
    rows.into_iter().filter_map(|row| row.chunk).collect()
}

fn head(site: &Site, project: &Project, found: &GetResponse, line: Option<u32>, form: Form) -> Markup {
    let doc = found.doc.clone().unwrap_or_default();
    let root = if doc.root.is_empty() { &project.subject.root } else { &doc.root };
    let in_editor = view::link_in_editor(site.settings.editor.as_deref(), root, &doc.path, line.unwrap_or(1))
        .filter(|_| doc.scope() == v1::StoreScope::Project);
    let line = line.map(|line| line.to_string()).unwrap_or_default();
    let other = |view| view::link_to("doc", &[("id", &doc.id), ("line", &line), ("view", view)]);
    html! {
        div.head {
            h1 { (doc.path) }
            p.facts {
                span.labels {
                    span.label { (doc.r#type) }
                    @if !doc.language.is_empty() { span.label { (doc.language) } }
                    @if !doc.file_kind.is_empty() && doc.file_kind != "main" { span.label { (doc.file_kind.replace('_', " ")) } }
                    @for tag in &doc.tag { span.label { "#" (tag) } }
                }
                span { (bytes(doc.size)) }
                span { "changed " (view::time(doc.mtime.as_ref())) }
                button.quiet type="button" data-copy=(found.citation) title="Copy the citation" { (found.citation) }
                @match form {
                    Form::Rendered => a href=(other(SOURCE)) data-form="" title="As it is written (s)" { "Source" },
                    Form::Source => a href=(other("")) data-form="" title="As a page (s)" { "Rendered" },
                    Form::Plain | Form::TooLong => {},
                }
                @if doc.scope() != v1::StoreScope::Domain {
                    a href=(view::link_to("graph", &[("node", &doc.id)])) { "Graph" }
                    a href=(view::link_to("history", &[("id", &doc.id)])) { "History" }
                    a href=(view::link_to("doc", &[("id", &doc.id), ("line", &line), ("why", "1")])) title="Where each line comes from" { "Why" }
                }
                @if let Some(address) = in_editor { a href=(address) data-editor="" { "Editor" } }
            }
        }
    }
}

fn is_memory(entry: &RelatedEntry) -> bool {
    entry.doc.as_ref().is_some_and(|doc| {
        ["decision", "pattern", "lesson", "failure", "note", "context"].contains(&doc.r#type.as_str())
    })
}

fn text(
    doc: &v1::Document,
    found: &GetResponse,
    notes: &Notes,
    chunks: &[v1::Chunk],
    gutter: Option<&Gutter>,
) -> Markup {
    let starts: HashMap<u32, &v1::Chunk> = chunks.iter().map(|chunk| (chunk.start_line, chunk)).collect();
    let mut symbols: HashMap<u32, Vec<&Symbol>> = HashMap::new();
    for symbol in found.symbols.iter().filter(|symbol| symbol.kind != "key") {
        symbols.entry(symbol.start_line).or_default().push(symbol);
    }
    html! {
        @for line in code::lines(&found.text, found.start_line, &doc.language, &[]) {
            @let chunk = starts.get(&line.number);
            @if let Some(note) = notes.by_line.get(&line.number) { (note) }
            div.line.begins[chunk.is_some()].target[notes.target == Some(line.number)] id={ "L" (line.number) } {
                a.no href={ "#L" (line.number) } { (line.number) }
                @if let Some(gutter) = gutter { span.why { @if let Some(origin) = gutter.by_line.get(&line.number) { (origin) } } }
                code { (line.markup()) }
                span.margin {
                    @for symbol in symbols.get(&line.number).into_iter().flatten().take(2) { span title=(symbol.kind) { (symbol.name) } }
                    @if let Some(chunk) = chunk { span.chunk { (chunk.kind) " · " (count_noun(chunk.tokens.into(), "token", "tokens")) } }
                }
            }
        }
    }
}

/// The definitions of a document, each below the one that encloses it.
fn outline(id: &str, form: Form, found: &GetResponse) -> Markup {
    let symbols: Vec<_> = found.symbols.iter().filter(|symbol| symbol.kind != "key").collect();
    let mut open: Vec<u32> = Vec::new();
    let mut depths = Vec::with_capacity(symbols.len());
    for symbol in &symbols {
        while open.last().is_some_and(|&end| end < symbol.start_line) {
            open.pop();
        }
        depths.push(open.len());
        open.push(symbol.end_line);
    }
    html! {
        @if !symbols.is_empty() {
            details open[symbols.len() <= 40] {
                summary { "Outline " span.count { (symbols.len()) } }
                ul.outline {
                    @for (symbol, depth) in symbols.iter().zip(depths).take(OUTLINED) {
                        li class={ "in-" (depth.min(4)) } {
                            a href=(line_link(id, form, found, symbol.start_line)) title=(symbol.qualified) { (symbol.name) }
                            @if symbol.kind != "heading" { span.dim { (symbol.kind) } }
                        }
                    }
                }
                @if symbols.len() > OUTLINED { p.dim { "The first " (OUTLINED) " are shown." } }
            }
        }
    }
}

/// Returns the address of a line: of this page if it is shown, else of the document in the same form.
fn line_link(id: &str, form: Form, found: &GetResponse, line: u32) -> String {
    if (found.start_line..=found.end_line).contains(&line) {
        return format!("#L{line}");
    }
    let view = if form == Form::Source { SOURCE } else { "" };
    format!("{}#L{line}", view::link_to("doc", &[("id", id), ("line", &line.to_string()), ("view", view)]))
}

fn related_documents(documents: &[&RelatedEntry]) -> Markup {
    let tied = |ties: &[&str]| -> Vec<&RelatedEntry> {
        let is_tied = |entry: &&RelatedEntry| entry.reasons.iter().any(|reason| ties.contains(&reason.as_str()));
        documents.iter().copied().filter(is_tied).collect()
    };
    let is_other = |entry: &&RelatedEntry| {
        !entry.reasons.iter().any(|reason| [USED, USERS].as_flattened().contains(&reason.as_str()))
    };
    let others: Vec<_> = documents.iter().copied().filter(is_other).collect();
    html! { (entries("Uses", &tied(&USED))) (entries("Used by", &tied(&USERS))) (entries("Related", &others)) }
}

fn entries(title: &str, entries: &[&RelatedEntry]) -> Markup {
    html! {
        @if !entries.is_empty() {
            h2 { (title) }
            ul.related {
                @for entry in entries {
                    @let doc = entry.doc.clone().unwrap_or_default();
                    @let name = if doc.path.is_empty() || is_memory(entry) { &doc.title } else { &doc.path };
                    li data-item="" {
                        a href=(view::link_to("doc", &[("id", &doc.id)])) data-open="" { (name) }
                        span.dim { (entry.reasons.iter().map(|reason| reason.replace('_', " ")).collect::<Vec<_>>().join(", ")) }
                    }
                }
            }
        }
    }
}

/// The links to the other parts of a long document.
fn parts(id: &str, form: Form, found: &GetResponse) -> Markup {
    let (before, after) = (found.start_line.saturating_sub(1), found.end_line.saturating_add(1));
    let shown = found.end_line.saturating_sub(found.start_line) + 1;
    html! {
        @if form != Form::Rendered {
            p.more {
                @if before > 0 { a rel="prev" href=(line_link(id, form, found, before)) { "Lines before " (found.start_line) } " " }
                @if shown >= LINES { a rel="next" href=(line_link(id, form, found, after)) { "Lines after " (found.end_line) } }
            }
        }
    }
}
