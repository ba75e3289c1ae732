//! A document: its text with lines to link to, its chunks and symbols, and what is related to it.

use std::collections::HashMap;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use recall_api::v1::{self, GetRequest, GetResponse, QueryRequest, RelatedEntry, RelatedRequest, Symbol};
use recall_text::quantity::{bytes, count_noun};
use serde::Deserialize;

use super::{Here, Site, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::{self, Tab, code};

/// The lines of a part. A browser lays out this many at once without a pause.
const LINES: u32 = 1_500;

/// How many related documents a document's page lists at most.
const RELATED: u32 = 50;

/// The reasons of documents that this one uses, and of those that use it.
const USED: [&str; 2] = ["imports", "references"];
const USERS: [&str; 2] = ["imported_by", "referenced_by"];

/// The chunks that are marked. A part has fewer.
const CHUNKS: u32 = 1_000;

/// The parameters of a document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// An id, a path or a citation.
    id: String,
    /// A line in the part that is shown.
    line: Option<u32>,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { id, line }) = asked;
    let first = line.map(|line| line.saturating_sub(1) / LINES * LINES + 1);
    let context = || Some(project.subject.context.clone());
    let last = first.map_or(LINES, |first| first.saturating_add(LINES - 1));
    let get = GetRequest {
        context: context(),
        id: id.clone(),
        include_parent: false,
        start_line: Some(first.unwrap_or(1)),
        end_line: Some(last),
        ..GetRequest::default()
    };
    let found = match site.rpc.get(get).await {
        Ok(found) => found.into_inner(),
        Err(status) => return failure(&project, Tab::Search, &Shown::from(status)),
    };
    if found.memory.is_some() {
        let id = found.doc.as_ref().map(|doc| doc.id.clone()).unwrap_or_default();
        return Redirect::to(&view::link_to("memory", &[("id", &id)])).into_response();
    }
    // What stands beside the text is left out if it cannot be read; the text is what was asked for.
    let related = RelatedRequest { context: context(), id, limit: Some(RELATED), ..RelatedRequest::default() };
    let related = site.rpc.related(related).await.map(|answer| answer.into_inner().results).unwrap_or_default();
    let doc_id = found.doc.as_ref().map(|doc| doc.id.clone()).unwrap_or_default();
    let rql = format!(
        "SELECT chunk.start_line, chunk.end_line, chunk.kind, chunk.tokens FROM chunk FILTER doc.id = '{}' AND chunk.start_line >= {} \
         AND chunk.start_line <= {} LIMIT {CHUNKS}",
        doc_id.replace('\'', "''"),
        found.start_line,
        found.end_line,
    );
    let chunks = QueryRequest { context: context(), rql, ..QueryRequest::default() };
    let chunks = site.rpc.query(chunks).await.map(|answer| answer.into_inner().results).unwrap_or_default();
    let chunks: Vec<_> = chunks.into_iter().filter_map(|row| row.chunk).collect();
    let title = found.doc.as_ref().map(|doc| doc.path.clone()).unwrap_or_default();
    let shown = content(&site, &project, &found, line, &chunks, &related);
    answer::page(StatusCode::OK, view::page(&project, Tab::Search, &title, &shown))
}

fn content(
    site: &Site,
    project: &Project,
    found: &GetResponse,
    target: Option<u32>,
    chunks: &[v1::Chunk],
    related: &[RelatedEntry],
) -> Markup {
    let doc = found.doc.clone().unwrap_or_default();
    let root = if doc.root.is_empty() { &project.subject.root } else { &doc.root };
    let at = target.unwrap_or(1);
    let in_editor = view::link_in_editor(site.settings.editor.as_deref(), root, &doc.path, at)
        .filter(|_| doc.scope() == v1::StoreScope::Project);
    let (memories, documents): (Vec<_>, Vec<_>) = related.iter().partition(|entry| is_memory(entry));
    let tied = |ties: &[&str]| -> Vec<&RelatedEntry> {
        let is_tied = |entry: &&RelatedEntry| entry.reasons.iter().any(|reason| ties.contains(&reason.as_str()));
        documents.iter().copied().filter(is_tied).collect()
    };
    let (used, users) = (tied(&USED), tied(&USERS));
    let is_other = |entry: &&RelatedEntry| {
        !entry.reasons.iter().any(|reason| [USED, USERS].as_flattened().contains(&reason.as_str()))
    };
    let others: Vec<_> = documents.iter().copied().filter(is_other).collect();
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
                @if doc.scope() != v1::StoreScope::Domain {
                    a href=(view::link_to("graph", &[("node", &doc.id)])) { "Graph" }
                    a href=(view::link_to("history", &[("id", &doc.id)])) { "History" }
                }
                @if let Some(address) = in_editor { a href=(address) data-editor="" { "Editor" } }
            }
        }
        @for warning in &found.warnings { p.note { (warning.message) } }
        div.document {
            div.code.whole tabindex="0" { (text(&doc, found, target, chunks)) }
            aside {
                (symbols(&doc.id, &found.symbols))
                (entries("Memories about it", &memories))
                (entries("Uses", &used))
                (entries("Used by", &users))
                (entries("Related", &others))
            }
        }
        (parts(&doc.id, found))
    }
}

fn is_memory(entry: &RelatedEntry) -> bool {
    entry.doc.as_ref().is_some_and(|doc| {
        ["decision", "pattern", "lesson", "failure", "note", "context"].contains(&doc.r#type.as_str())
    })
}

fn text(doc: &v1::Document, found: &GetResponse, target: Option<u32>, chunks: &[v1::Chunk]) -> Markup {
    let starts: HashMap<u32, &v1::Chunk> = chunks.iter().map(|chunk| (chunk.start_line, chunk)).collect();
    let mut symbols: HashMap<u32, Vec<&Symbol>> = HashMap::new();
    for symbol in found.symbols.iter().filter(|symbol| symbol.kind != "key") {
        symbols.entry(symbol.start_line).or_default().push(symbol);
    }
    html! {
        @if found.text.is_empty() { p.empty { "There is no text here." } }
        @for line in code::lines(&found.text, found.start_line, &doc.language, &[]) {
            @let chunk = starts.get(&line.number);
            div.line.begins[chunk.is_some()].target[target == Some(line.number)] id={ "L" (line.number) } {
                a.no href={ "#L" (line.number) } { (line.number) }
                code { (line.markup()) }
                span.margin {
                    @for symbol in symbols.get(&line.number).into_iter().flatten().take(2) { span title=(symbol.kind) { (symbol.name) } }
                    @if let Some(chunk) = chunk { span.chunk { (chunk.kind) " · " (count_noun(chunk.tokens.into(), "token", "tokens")) } }
                }
            }
        }
    }
}

fn symbols(id: &str, symbols: &[Symbol]) -> Markup {
    let shown: Vec<_> = symbols.iter().filter(|symbol| symbol.kind != "key").collect();
    html! {
        @if !shown.is_empty() {
            details open[shown.len() <= 40] {
                summary { "Symbols " span.count { (shown.len()) } }
                ul.symbols {
                    @for symbol in shown.iter().take(500) {
                        li { a href=(view::link_to_line(id, symbol.start_line)) title=(symbol.qualified) { (symbol.name) } span.dim { (symbol.kind) } }
                    }
                }
            }
        }
    }
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
fn parts(id: &str, found: &GetResponse) -> Markup {
    let (before, after) = (found.start_line.saturating_sub(1), found.end_line.saturating_add(1));
    let shown = found.end_line.saturating_sub(found.start_line) + 1;
    html! {
        p.more {
            @if before > 0 { a rel="prev" href=(view::link_to_line(id, before)) { "Lines before " (found.start_line) } " " }
            @if shown >= LINES { a rel="next" href=(view::link_to_line(id, after)) { "Lines after " (found.end_line) } }
        }
    }
}
