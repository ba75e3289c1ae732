//! The search, whole and as the part that changes while one types, and the chart of what a rank is made of.

use std::sync::Arc;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{self, Explain, Hit, Retrieved, SearchRequest, SearchResponse};
use recall_text::quantity::{count, count_noun, millis};
use serde::Deserialize;

use super::{Here, Site, failure, problem};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::{self, Tab, code};

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

/// The scopes to choose from; the first is the default.
const SCOPES: [(&str, &str); 4] =
    [("", "everything"), ("project", "this project"), ("domain", "domains"), ("global", "global")];

/// The parameters of a search.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// The query, with its filters.
    q: String,
    /// The scope; empty for all.
    scope: String,
    /// The number of hits to skip.
    offset: u32,
    /// Set by the script: only the part that it inserts is wanted, and the search is not recorded.
    part: String,
    /// The id of a hit's chunk, to explain its rank.
    id: String,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let (status, results) = if asked.q.trim().is_empty() {
        (StatusCode::OK, start())
    } else {
        match site.rpc.search(request(&project, &asked, WantedPage::Facets)).await {
            Ok(answer) => (StatusCode::OK, results(&site, &project, &asked, &answer.into_inner())),
            Err(status) => {
                let shown = Shown::from(status);
                (shown.status, problem(&shown))
            }
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
            select name="scope" aria-label="Where" {
                @for (value, name) in SCOPES { option value=(value) selected[value == asked.scope] { (name) } }
            }
            button { "Search" }
        }
        div #results aria-live="off" { (results) }
    };
    let title = if asked.q.is_empty() { "Search" } else { asked.q.as_str() };
    answer::page(status, view::page(&project, Tab::Search, title, &content))
}

/// Shows what the rank of one hit is made of.
pub(super) async fn why(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let answer = match site.rpc.search(request(&project, &asked, WantedPage::Reasons)).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Search, &Shown::from(status)),
    };
    let found = answer.results.iter().find(|hit| hit.chunk.as_ref().is_some_and(|chunk| chunk.id == asked.id));
    let Some(Hit { explain: Some(explain), citation, .. }) = found else {
        let shown = Shown {
            status: StatusCode::NOT_FOUND,
            reason: "NOT_FOUND",
            message: "this is no longer among the hits".to_owned(),
            hint: Some("search again".to_owned()),
        };
        return failure(&project, Tab::Search, &shown);
    };
    let chart = chart(explain);
    if !asked.part.is_empty() {
        return answer::page(StatusCode::OK, chart);
    }
    let content = html! { h1 { "Why here" } p { code { (citation) } " for " q { (asked.q) } } (chart) };
    answer::page(StatusCode::OK, view::page(&project, Tab::Search, "Why here", &content))
}

/// What is wanted beside the hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WantedPage {
    /// The values by which the search can be narrowed.
    Facets,
    /// What each rank is made of.
    Reasons,
}

fn request(project: &Arc<Project>, asked: &Asked, wanted: WantedPage) -> SearchRequest {
    let scope = match asked.scope.as_str() {
        "project" => v1::Scope::Project,
        "domain" => v1::Scope::Domain,
        "global" => v1::Scope::Global,
        _ => v1::Scope::All,
    };
    SearchRequest {
        context: Some(project.subject.context.clone()),
        query: asked.q.clone(),
        scope: scope.into(),
        limit: Some(HITS),
        offset: asked.offset,
        explain: wanted == WantedPage::Reasons,
        facets: wanted == WantedPage::Facets,
        preview: !asked.part.is_empty() || wanted == WantedPage::Reasons,
        ..SearchRequest::default()
    }
}

/// What is shown without a query.
fn start() -> Markup {
    html! {
        div.start {
            p { "Ask in words, or name a symbol, a path or an error." }
            ul.examples {
                @for example in ["where are sessions expired", "type:decision retry", "lang:rust path:src open", "\"an exact phrase\""] {
                    li { a href=(view::link_to("./", &[("q", example)])) { code { (example) } } }
                }
            }
        }
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
        }
        @for warning in &answer.warnings {
            p.note { (warning.message) @if !warning.path.is_empty() { " " code { (warning.path) } } }
        }
        @if !answer.did_you_mean.is_empty() {
            p.note { "Spelled like it: " @for name in &answer.did_you_mean { a href=(view::link_to("./", &[("q", name)])) { code { (name) } } " " } }
        }
        div.found-list {
            (facets(asked, answer))
            ol.hits start=(asked.offset + 1) {
                @let first_weak = first_weak_hit(&answer.results);
                @for (at, found) in answer.results.iter().enumerate() {
                    @if Some(at) == first_weak { li.dim { "What follows hardly answers the question." } }
                    (hit(site, project, asked, found))
                }
            }
        }
        @if let Some(next) = answer.next_offset {
            p.more { a rel="next" href=(view::link_to("./", &[("q", &asked.q), ("scope", &asked.scope), ("offset", &next.to_string())])) { "Next hits" } }
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
                                a href=(view::link_to("./", &[("q", &narrow(&asked.q, filter, value)), ("scope", &asked.scope)])) {
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

fn hit(site: &Site, project: &Project, asked: &Asked, hit: &Hit) -> Markup {
    let offset = asked.offset.to_string();
    let (doc, chunk) = (hit.doc.clone().unwrap_or_default(), hit.chunk.clone().unwrap_or_default());
    let matches: Vec<_> = hit.highlights.iter().map(|range| range.start as usize..range.end as usize).collect();
    let lines = code::lines(&chunk.text, chunk.start_line, &doc.language, &matches);
    let shown = code::excerpt(&lines, LINES);
    let is_elsewhere = !doc.root.is_empty();
    let root = if is_elsewhere { &doc.root } else { &project.subject.root };
    let address = match &hit.memory {
        Some(memory) => view::link_to("memory", &[("id", &memory.id)]),
        None if is_elsewhere => view::link_to_line(&format!("{root}/{}", doc.path), chunk.start_line),
        None => view::link_to_line(&doc.id, chunk.start_line),
    };
    let is_project = doc.scope() == v1::StoreScope::Project;
    let in_editor = view::link_in_editor(site.settings.editor.as_deref(), root, &doc.path, chunk.start_line)
        .filter(|_| hit.memory.is_none() && is_project);
    html! {
        li.hit data-item="" {
            div.head {
                a.title href=(address) data-open="" {
                    @match &hit.memory {
                        Some(memory) => (memory.title),
                        None => { (doc.path) span.lines { ":" (chunk.start_line) } },
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
                @for other in &hit.also_at { span { "also at " code { (other) } } }
                @let why = view::link_to("why", &[("q", &asked.q), ("scope", &asked.scope), ("offset", &offset), ("id", &chunk.id)]);
                // Explaining all hits takes longer than finding them.
                details data-part=(why) { summary { "Why here" } a href=(why) { "What the rank is made of" } }
            }
        }
    }
}

/// How many contributions are shown.
const SHOWN: usize = 8;

/// The height of a row.
const ROW: usize = 20;

/// The width of the longest bar; bars lead from the middle to both sides.
const HALF: f64 = 100.0;

/// Shows which retrievers found a hit, and which contributions decided its rank.
pub(crate) fn chart(explain: &Explain) -> Markup {
    let lists = [
        ("words", &explain.lexical),
        ("meaning", &explain.semantic),
        ("names", &explain.symbol),
        ("paths", &explain.path),
    ];
    let mut contributions: Vec<(&str, f64)> = explain
        .contributions
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .filter(|(_, value)| value.is_finite())
        .collect();
    contributions.sort_by(|(_, left), (_, right)| right.abs().total_cmp(&left.abs()));
    contributions.truncate(SHOWN);
    let most = contributions.first().map_or(1.0, |(_, value)| value.abs()).max(f64::MIN_POSITIVE);
    html! {
        p.found {
            @for (name, found) in lists { @if let Some(Retrieved { rank, .. }) = found { span { (name) " " b { "#" (rank) } } } }
            @for (name, factor) in &explain.priors { @if (factor - 1.0).abs() > 1e-9 { span { (name) " × " (format!("{factor:.2}")) } } }
            @if let Some(rerank) = &explain.rerank { span { "reread from #" (rerank.rank_before) } }
        }
        @if !contributions.is_empty() {
            svg.chart viewBox={ "0 0 440 " (contributions.len() * ROW) } role="img" aria-label="What the rank is made of" {
                @for (at, (name, value)) in contributions.iter().enumerate() {
                    @let width = (value.abs() / most * HALF).max(1.0);
                    @let x = if *value < 0.0 { 290.0 - width } else { 290.0 };
                    text x="180" y=(at * ROW + 14) text-anchor="end" { (name.replace('_', " ")) }
                    rect.minus[*value < 0.0] x=(format!("{x:.1}")) y=(at * ROW + 4) width=(format!("{width:.1}")) height="12" rx="2" {}
                    text x="436" y=(at * ROW + 14) text-anchor="end" { (format!("{value:+.2}")) }
                }
                line x1="290" y1="0" x2="290" y2=(contributions.len() * ROW) {}
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
