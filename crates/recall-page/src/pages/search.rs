//! The search, whole and as the part that changes while one types.

mod exact;
mod reasons;
mod saved;
mod start;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{self, Document, Hit, SearchRequest, SearchResponse, Warning};
use recall_text::quantity::{count, count_noun, millis};
use serde::Deserialize;

use super::{Here, Site, problem};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::saved::SavedSearch;
use crate::view::{self, Tab, code};

pub(super) use reasons::why;
pub(super) use saved::{save, unsave};

/// The hits of a page. The service accepts 50.
const HITS: u32 = 20;

/// The lines shown of a hit.
const LINES: usize = 12;

/// The values of a facet that are shown.
const VALUES: usize = 8;

/// The facets, by their name in the answer and in a query.
const FACETS: [(&str, &str, &str); 4] = [
    ("type", "type", "Type"),
    ("language", "lang", "Language"),
    ("directory", "path", "Directory"),
    ("tag", "tag", "Tag"),
];

/// The scope of a search in every project of the user that has an index.
const EVERYWHERE: &str = "everywhere";

/// The scopes to choose from; the first is the default.
const SCOPES: [(&str, &str); 5] = [
    ("", "project, domains, global"),
    ("project", "this project"),
    ("domain", "domains"),
    ("global", "global"),
    (EVERYWHERE, "every project"),
];

/// The modes to choose from; the first is the default.
const MODES: [(&str, &str); 3] = [("", "ranked"), (exact::LITERAL, "exact text"), (exact::REGEX, "regular expression")];

/// The parameters of a search.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// The query; in a ranked search with its filters.
    q: String,
    /// The mode; empty for a ranked search.
    mode: String,
    /// In an exact search, whether the case of letters counts; empty if it does.
    any_case: String,
    /// The scope; empty for the project's and the global store.
    scope: String,
    /// The number of hits to skip.
    offset: u32,
    /// Set by the script: only the part that it inserts is wanted, and the search is not recorded.
    part: String,
    /// The id of a hit's chunk, to explain its rank.
    id: String,
}

impl Asked {
    fn is_exact(&self) -> bool {
        [exact::LITERAL, exact::REGEX].contains(&self.mode.as_str())
    }

    fn scope(&self) -> v1::Scope {
        match self.scope.as_str() {
            "project" => v1::Scope::Project,
            "domain" => v1::Scope::Domain,
            "global" => v1::Scope::Global,
            _ => v1::Scope::All,
        }
    }

    /// Returns the search without its place in the list.
    fn search(&self) -> SavedSearch {
        // Blanks around an exact text belong to it.
        let (q, any_case) = if self.is_exact() { (&*self.q, &*self.any_case) } else { (self.q.trim(), "") };
        let (q, any_case) = (q.to_owned(), any_case.to_owned());
        SavedSearch { q, any_case, mode: self.mode.clone(), scope: self.scope.clone() }
    }

    /// Returns the address of the same search with another query, from a hit on.
    fn link_to(&self, query: &str, offset: u32) -> String {
        let offset = if offset > 0 { offset.to_string() } else { String::new() };
        view::link_to(&address(&SavedSearch { q: query.to_owned(), ..self.search() }), &[("offset", &offset)])
    }
}

/// Returns the address of a search.
fn address(search: &SavedSearch) -> String {
    let SavedSearch { q, mode, any_case, scope } = search;
    view::link_to("./", &[("q", q), ("mode", mode), ("any_case", any_case), ("scope", scope)])
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let found = if asked.q.trim().is_empty() {
        Ok(start::start(&mut site, &project).await)
    } else if asked.is_exact() {
        let answer = site.rpc.exact(exact::request(&project, &asked)).await;
        answer.map(|answer| exact::results(&site, &project, &asked, &answer.into_inner()))
    } else {
        let answer = site.rpc.search(request(&project, &asked, WantedPage::Facets)).await;
        answer.map(|answer| results(&site, &project, &asked, &answer.into_inner()))
    };
    let (status, results) = match found {
        Ok(results) => (StatusCode::OK, results),
        Err(status) => {
            let shown = Shown::from(status);
            (shown.status, problem(&shown))
        }
    };
    if !asked.part.is_empty() {
        return answer::page(status, results);
    }
    let content = html! {
        h1.unseen { "Search" }
        form.search role="search" data-live-search="" {
            input #q type="search" name="q" value=(asked.q) placeholder="Search code, documents and memories" aria-label="Search"
                autocomplete="off" autocapitalize="off" spellcheck="false" autofocus[asked.q.is_empty()];
            (choices("mode", "How", &MODES, &asked.mode))
            label.any-case { input type="checkbox" name="any_case" value="1" checked[!asked.any_case.is_empty()]; "any case" }
            (choices("scope", "Where", &SCOPES, &asked.scope))
            button { "Search" }
        }
        div #results aria-live="off" { (results) }
    };
    let title = if asked.q.is_empty() { "Search" } else { asked.q.as_str() };
    answer::page(status, view::page(&project, Tab::Search, title, &content))
}

fn choices(name: &str, label: &str, choices: &[(&str, &str)], chosen: &str) -> Markup {
    html! {
        select name=(name) aria-label=(label) {
            @for (value, name) in choices { option value=(value) selected[*value == chosen] { (name) } }
        }
    }
}

/// What is wanted beside the hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WantedPage {
    /// The values by which the search can be narrowed.
    Facets,
    /// What each rank is made of.
    Reasons,
}

fn request(project: &Project, asked: &Asked, wanted: WantedPage) -> SearchRequest {
    SearchRequest {
        context: Some(project.subject.context.clone()),
        query: asked.q.clone(),
        scope: asked.scope().into(),
        everywhere: asked.scope == EVERYWHERE,
        limit: Some(HITS),
        offset: asked.offset,
        explain: wanted == WantedPage::Reasons,
        facets: wanted == WantedPage::Facets,
        preview: !asked.part.is_empty() || wanted == WantedPage::Reasons,
        ..SearchRequest::default()
    }
}

fn results(site: &Site, project: &Project, asked: &Asked, answer: &SearchResponse) -> Markup {
    let stats = answer.stats.clone().unwrap_or_default();
    html! {
        p.summary {
            @if answer.results.is_empty() { "Nothing was found" } @else {
                (count_noun(answer.results.len() as u64, "hit", "hits"))
                @if asked.offset > 0 { " from " (asked.offset + 1) }
            }
            " in " (count_noun(stats.documents, "document", "documents")) ", " (millis(stats.took_ms))
            @if answer.low_confidence { " · " span.label.warn { "low confidence: these may not answer" } }
            (saved::button(site, project, asked))
        }
        (notes(&answer.warnings))
        @if !answer.did_you_mean.is_empty() {
            p.note { "Spelled like it: " @for name in &answer.did_you_mean { a href=(asked.link_to(name, 0)) { code { (name) } } " " } }
        }
        div.found-list {
            (facets(asked, answer))
            ol.hits start=(asked.offset + 1) {
                @let first_weak = first_weak_hit(&answer.results);
                @for (at, found) in answer.results.iter().enumerate() {
                    @if Some(at) == first_weak { li.weak-from { "What follows hardly answers the question." } }
                    (hit(site, project, asked, found))
                }
            }
        }
        @if let Some(next) = answer.next_offset {
            p.more { a rel="next" href=(asked.link_to(&asked.q, next)) { "Next hits" } }
        }
    }
}

fn notes(warnings: &[Warning]) -> Markup {
    html! {
        @for warning in warnings {
            p.note { (warning.message) @if !warning.path.is_empty() { " " code { (warning.path) } } }
        }
    }
}

fn facets(asked: &Asked, answer: &SearchResponse) -> Markup {
    html! {
        aside.facets aria-label="Narrow the search" {
            @for (name, filter, title) in FACETS {
                @if let Some(facet) = answer.facets.get(name).filter(|facet| facet.counts.len() > 1) {
                    @let counts = most(&facet.counts);
                    h2 { (title) }
                    ul {
                        @for (value, number) in counts.iter().take(VALUES) {
                            li {
                                a href=(asked.link_to(&narrow(&asked.q, filter, value), 0)) {
                                    span { (value) } span.count { (count(*number)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn most(counts: &std::collections::BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut counts: Vec<_> = counts.iter().map(|(value, number)| (value.as_str(), *number)).collect();
    counts.sort_by(|(left, most), (right, least)| least.cmp(most).then(left.cmp(right)));
    counts
}

/// Returns the query with one more filter.
fn narrow(query: &str, filter: &str, value: &str) -> String {
    let value = if value.contains(char::is_whitespace) { format!("\"{value}\"") } else { value.to_owned() };
    format!("{} {filter}:{value}", query.trim())
}

/// The probabilities from which a hit is called likely, and possible. Below it is weak.
///
/// A right first hit often has a quarter: several hits answer, and each takes its share. A number reads as doubt there.
const LIKELY: f64 = 0.4;
const POSSIBLE: f64 = 0.08;

/// Returns a word for the probability that a hit answers the query.
fn certainty(confidence: f64) -> &'static str {
    match confidence {
        LIKELY.. => "likely",
        POSSIBLE.. => "possible",
        _ => "weak",
    }
}

/// Returns the place of the first of the weak hits at the end of a list; `None` if there is none, or nothing better before them.
fn first_weak_hit(hits: &[Hit]) -> Option<usize> {
    let is_weak = |hit: &Hit| hit.confidence.is_some_and(|confidence| confidence < POSSIBLE);
    let weak = hits.iter().rev().take_while(|hit| is_weak(hit)).count();
    (weak > 0 && weak < hits.len()).then(|| hits.len() - weak)
}

/// Returns the path of a document; with its root, if that is another project's.
fn path(doc: &Document) -> String {
    if doc.root.is_empty() { doc.path.clone() } else { format!("{}/{}", doc.root, doc.path) }
}

fn link_to_line(doc: &Document, line: u32) -> String {
    let id = if doc.root.is_empty() { doc.id.clone() } else { path(doc) };
    view::link_to_line(&id, line)
}

fn link_in_editor(site: &Site, project: &Project, doc: &Document, line: u32) -> Option<String> {
    let root = if doc.root.is_empty() { &project.subject.root } else { &doc.root };
    view::link_in_editor(site.settings.editor.as_deref(), root, &doc.path, line)
        .filter(|_| doc.scope() == v1::StoreScope::Project)
}

fn hit(site: &Site, project: &Project, asked: &Asked, hit: &Hit) -> Markup {
    let offset = asked.offset.to_string();
    let (doc, chunk) = (hit.doc.clone().unwrap_or_default(), hit.chunk.clone().unwrap_or_default());
    let matches: Vec<_> = hit.highlights.iter().map(|range| range.start as usize..range.end as usize).collect();
    let lines = code::lines(&chunk.text, chunk.start_line, &doc.language, &matches);
    let shown = code::excerpt(&lines, LINES);
    let address = match &hit.memory {
        Some(memory) => view::link_to("memory", &[("id", &memory.id)]),
        None => link_to_line(&doc, chunk.start_line),
    };
    let in_editor = link_in_editor(site, project, &doc, chunk.start_line).filter(|_| hit.memory.is_none());
    html! {
        li.hit data-item="" {
            div.head {
                a.title href=(address) data-open="" {
                    @match &hit.memory {
                        Some(memory) => (memory.title),
                        None => { (path(&doc)) span.lines { ":" (chunk.start_line) } },
                    }
                }
                @if !chunk.symbol.is_empty() && hit.memory.is_none() { span.symbol { (chunk.symbol) } }
                span.labels {
                    @if let Some(memory) = &hit.memory { (view::standing_labels(memory)) } @else { span.label { (doc.r#type) } }
                    @if let Some(confidence) = hit.confidence {
                        span.label title=(format!("It answers the query with a probability of {:.0} %", confidence * 100.0)) { (certainty(confidence)) }
                    }
                }
            }
            div.code { @for (at, index) in shown.iter().enumerate() {
                @let line = &lines[*index];
                @if at > 0 && shown[at - 1] + 1 != *index { div.gap { "⋮" } }
                div.line { span.no { (line.number) } code { (line.markup()) } }
            } }
            div.foot {
                button.quiet type="button" data-copy=(hit.citation) title="Copy the citation" { (hit.citation) }
                @if let Some(address) = in_editor { a href=(address) data-editor="" { "Editor" } }
                @if doc.root.is_empty() { a href=(view::link_to("graph", &[("node", &chunk.id)])) { "Graph" } }
                @for other in &hit.also_at { span { "also at " code { (other) } } }
                @let why = view::link_to("why", &[("q", &asked.q), ("scope", &asked.scope), ("offset", &offset), ("id", &chunk.id)]);
                // Explaining all hits takes longer than finding them.
                details data-part=(why) { summary { "Why here" } a href=(why) { "What the rank is made of" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_before_the_weak_hits_at_the_end() {
        let check = |confidences: &[f64], expected: Option<usize>| {
            let hits: Vec<Hit> =
                confidences.iter().map(|part| Hit { confidence: Some(*part), ..Hit::default() }).collect();
            assert_eq!(first_weak_hit(&hits), expected, "{confidences:?}");
        };
        check(&[0.25, 0.43, 0.05, 0.02], Some(2));
        check(&[0.25, 0.05, 0.43], None);
        check(&[0.05, 0.02], None);
        check(&[], None);
        assert_eq!([0.43, 0.25, 0.05].map(certainty), ["likely", "possible", "weak"]);
    }
}
