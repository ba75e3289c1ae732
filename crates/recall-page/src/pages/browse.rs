//! What is indexed, by type, language, directory and tag.

use std::collections::BTreeMap;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{ListEntry, ListRequest, ListSort, StatsRequest};
use recall_text::quantity::{count, count_noun};
use serde::Deserialize;

use super::{Here, Site, failure};
use crate::answer::{self, Shown};
use crate::view::{self, Tab};

/// The entries of a page. The service accepts 100.
const PAGE: u32 = 100;

/// The filters of the list; empty ones are none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    r#type: String,
    language: String,
    path: String,
    tag: String,
    cursor: String,
}

impl Asked {
    /// Returns the address of a list: this one with one filter replaced.
    fn with(&self, name: &str, value: &str) -> String {
        let mut filters = self.filters();
        for filter in &mut filters {
            if filter.0 == name {
                filter.1 = value;
            }
        }
        view::link_to("browse", &filters)
    }

    fn filters(&self) -> [(&str, &str); 4] {
        [("type", &self.r#type), ("language", &self.language), ("path", &self.path), ("tag", &self.tag)]
    }
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(asked) = asked;
    let context = || Some(project.subject.context.clone());
    let request = ListRequest {
        context: context(),
        r#type: asked.r#type.clone(),
        language: asked.language.clone(),
        path: asked.path.clone(),
        tags: if asked.tag.is_empty() { Vec::new() } else { vec![asked.tag.clone()] },
        cursor: asked.cursor.clone(),
        limit: Some(PAGE),
        sort: ListSort::Path.into(),
        ..ListRequest::default()
    };
    let answer = match site.rpc.list(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Browse, &Shown::from(status)),
    };
    let stats = StatsRequest { context: context(), ..StatsRequest::default() };
    let stores = site.rpc.stats(stats).await.map(|answer| answer.into_inner().stores).unwrap_or_default();
    let (mut types, mut languages) = (BTreeMap::new(), BTreeMap::new());
    for store in &stores {
        for (all, some) in [(&mut types, &store.types), (&mut languages, &store.languages)] {
            for (name, number) in some {
                *all.entry(name.as_str()).or_insert(0) += number;
            }
        }
    }
    let shown = html! {
        h1 { "Browse" }
        p.summary {
            (count_noun(answer.total, "document", "documents"))
            @for (name, value) in asked.filters() {
                @if !value.is_empty() { " · " a href=(asked.with(name, "")) title="Without this filter" { (value) " ×" } }
            }
        }
        div.found-list {
            aside.facets aria-label="Narrow the list" {
                (choices("Type", "type", &types, &asked))
                (choices("Language", "language", &languages, &asked))
            }
            ul.memories { @for entry in &answer.entries { (row(entry, &asked)) } }
        }
        @if !answer.next_cursor.is_empty() {
            @let next = view::link_to(&asked.with("", ""), &[("cursor", &answer.next_cursor)]);
            p.more { a rel="next" href=(next) { "Next documents" } }
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Browse, "Browse", &shown))
}

fn choices(title: &str, name: &str, numbers: &BTreeMap<&str, u64>, asked: &Asked) -> Markup {
    html! {
        @if !numbers.is_empty() {
            h2 { (title) }
            ul {
                @for (value, number) in numbers {
                    li { a href=(asked.with(name, value)) { span { (value) } span.count { (count(*number)) } } }
                }
            }
        }
    }
}

fn row(entry: &ListEntry, asked: &Asked) -> Markup {
    let doc = entry.doc.clone().unwrap_or_default();
    html! {
        li data-item="" {
            div.head {
                a.title href=(view::link_to("doc", &[("id", &doc.id)])) data-open="" {
                    @match &entry.memory { Some(memory) => (memory.title), None => (doc.path) }
                }
                span.labels {
                    @if let Some(memory) = &entry.memory { (view::standing_labels(memory)) } @else { span.label { (doc.r#type) } }
                }
            }
            p.facts {
                @if entry.memory.is_none() {
                    @if let Some((folder, _)) = doc.path.rsplit_once('/') { a href=(asked.with("path", folder)) { (folder) "/" } }
                    @if !doc.title.is_empty() && !doc.path.ends_with(&doc.title) { span { (doc.title) } }
                }
                span { (view::time(doc.updated_at.as_ref().or(doc.mtime.as_ref()))) }
                @for tag in &doc.tag { a href=(asked.with("tag", tag)) { "#" (tag) } }
            }
        }
    }
}
