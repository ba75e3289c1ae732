//! What the rank of a hit is made of.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{Explain, Hit, Retrieved};
use recall_core::feature_words;

use super::{Asked, WantedPage, request};
use crate::answer::{self, Shown};
use crate::pages::{Here, Site, failure};
use crate::view::{self, Tab};

/// Shows what the rank of one hit is made of.
pub(crate) async fn why(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
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
                    text x="180" y=(at * ROW + 14) text-anchor="end" { (feature_words(name).unwrap_or(name)) }
                    rect.minus[*value < 0.0] x=(format!("{x:.1}")) y=(at * ROW + 4) width=(format!("{width:.1}")) height="12" rx="2" {}
                    text x="436" y=(at * ROW + 14) text-anchor="end" { (format!("{value:+.2}")) }
                }
                line x1="290" y1="0" x2="290" y2=(contributions.len() * ROW) {}
            }
        }
    }
}
