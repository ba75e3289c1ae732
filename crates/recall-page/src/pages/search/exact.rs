//! The exact search: every line that holds a text or matches a regular expression.

use maud::{Markup, html};
use recall_api::v1::{Document, ExactRequest, ExactResponse, Hit};
use recall_core::MemoryId;
use recall_text::quantity::{count, count_noun, millis};

use super::{Asked, EVERYWHERE, link_in_editor, link_to_line, notes, path, saved};
use crate::access::Project;
use crate::pages::Site;
use crate::view::{self, code};

/// The mode that finds a text as it is.
pub(super) const LITERAL: &str = "exact";

/// The mode that finds what a regular expression matches.
pub(super) const REGEX: &str = "regex";

/// The lines of a page. The service accepts 1,000.
const LINES: u32 = 100;

/// Returns the request. A text is taken as it is, with its blanks.
pub(super) fn request(project: &Project, asked: &Asked) -> ExactRequest {
    let query = asked.q.clone();
    let (literal, regex) = if asked.mode == REGEX { (String::new(), query) } else { (query, String::new()) };
    ExactRequest {
        context: Some(project.subject.context.clone()),
        literal,
        regex,
        ignore_case: !asked.any_case.is_empty(),
        scope: asked.scope().into(),
        everywhere: asked.scope == EVERYWHERE,
        limit: Some(LINES),
        offset: asked.offset,
        ..ExactRequest::default()
    }
}

pub(super) fn results(site: &Site, project: &Project, asked: &Asked, answer: &ExactResponse) -> Markup {
    let stats = answer.stats.clone().unwrap_or_default();
    html! {
        p.summary {
            @if answer.total_lines == 0 { "Nothing matches" } @else {
                (count_noun(answer.total_matches, "match", "matches"))
                " in " (count_noun(answer.total_lines, "line", "lines"))
                " of " (count_noun(answer.total_documents, "document", "documents"))
            }
            ", " (millis(stats.took_ms)) " · " (coverage(answer, stats.documents))
            (saved::button(site, project, asked))
        }
        (notes(&answer.warnings))
        ol.hits {
            @for lines in answer.results.chunk_by(is_same_document) { (document(site, project, lines)) }
        }
        @if let Some(next) = answer.next_offset {
            @let more = answer.total_lines.saturating_sub(next.into());
            p.more { a rel="next" href=(asked.link_to(&asked.q, next)) { "Next lines" } " " span.dim { (count(more)) " more" } }
        }
    }
}

/// Says what was searched, and what was not.
fn coverage(answer: &ExactResponse, documents: u64) -> Markup {
    let left_out = answer.files_left_out;
    html! {
        @if answer.complete { "all " (count_noun(documents, "document", "documents")) " were searched" }
        @else { (count_noun(documents, "document", "documents")) " were searched, but some are still being read" }
        @if left_out > 0 { ", and " a href="health" { (count_noun(left_out, "file is", "files are")) " not indexed" } }
    }
}

fn is_same_document(left: &Hit, right: &Hit) -> bool {
    let id = |hit: &Hit| hit.doc.as_ref().map(|doc| (doc.id.clone(), doc.root.clone()));
    id(left) == id(right)
}

/// Shows the lines of one document, in their order there. A memory has no path: it is called by its title.
fn document(site: &Site, project: &Project, hits: &[Hit]) -> Markup {
    let first_line = |hit: &Hit| hit.chunk.as_ref().map_or(1, |chunk| chunk.start_line);
    let mut lines: Vec<&Hit> = hits.iter().collect();
    lines.sort_by_key(|hit| first_line(hit));
    let Some(&first) = lines.first() else { return Markup::default() };
    let doc = first.doc.clone().unwrap_or_default();
    let first_line = first_line(first);
    html! {
        li.hit data-item="" {
            div.head {
                a.title href=(link_to(&doc, first_line)) data-open="" {
                    @if is_memory(&doc) { (if doc.title.is_empty() { &doc.id } else { &doc.title }) } @else { (path(&doc)) }
                }
                span.lines { (count_noun(lines.len() as u64, "line", "lines")) }
                span.labels { span.label { (doc.r#type) } }
            }
            div.code { @for hit in lines { (line(&doc, hit)) } }
            div.foot {
                button.quiet type="button" data-copy=(first.citation) title="Copy the citation" { (first.citation) }
                @if let Some(address) = link_in_editor(site, project, &doc, first_line).filter(|_| !is_memory(&doc)) { a href=(address) data-editor="" { "Editor" } }
            }
        }
    }
}

/// Returns the address of a line: of a memory, that of its page.
fn link_to(doc: &Document, line: u32) -> String {
    if is_memory(doc) { view::link_to("memory", &[("id", &doc.id)]) } else { link_to_line(doc, line) }
}

fn is_memory(doc: &Document) -> bool {
    doc.path.is_empty() && doc.id.parse::<MemoryId>().is_ok()
}

fn line(doc: &Document, hit: &Hit) -> Markup {
    let chunk = hit.chunk.clone().unwrap_or_default();
    let matches: Vec<_> = hit.highlights.iter().map(|range| range.start as usize..range.end as usize).collect();
    html! {
        @for line in &code::lines(&chunk.text, chunk.start_line, &doc.language, &matches) {
            div.line { a.no href=(link_to(doc, line.number)) { (line.number) } code { (line.markup()) } }
        }
    }
}
