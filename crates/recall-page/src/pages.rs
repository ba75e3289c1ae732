//! The pages, and what a change does.
//!
//! Reading is `GET`, and every change of the project is a `POST` below `do`, so the guard can tell them apart. Each handler makes one
//! call of the service and writes HTML; a failure of the call is a page with its message and hint.

mod browse;
mod change;
mod decisions;
mod document;
mod exchange;
mod graph;
mod health;
mod history;
mod inbox;
mod memories;
mod memory;
mod overview;
mod search;
mod session;
mod sessions;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Extension};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};

use crate::access::{Access, Project};
use crate::answer::{self, Shown};
use crate::saved::SavedSearches;
use crate::view::{self, Tab};
use crate::{PageSettings, Rpc, api, guard};

/// The largest body of a change. Apart from an amendment, no change carries more than ids and a note.
const BODY_BYTES: usize = 64 * 1024;

/// What every page uses.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) access: Arc<Access>,
    pub(crate) rpc: Rpc,
    pub(crate) settings: Arc<PageSettings>,
    pub(crate) saved: Arc<SavedSearches>,
}

/// The project of a request, as the guard found it.
type Here = Extension<Arc<Project>>;

/// Returns the routes with the guard before them.
pub(crate) fn router(site: Site) -> Router {
    let access = Arc::clone(&site.access);
    let api = api::router(site.clone());
    Router::new()
        .route("/open", get(exchange::page).post(exchange::exchange))
        .route("/open.js", get(exchange::script))
        .route("/open.css", get(exchange::style))
        .route("/{key}/", get(search::page))
        .route("/{key}/why", get(search::why))
        .route("/{key}/doc", get(document::page))
        .route("/{key}/history", get(history::page))
        .route("/{key}/memories", get(memories::list))
        .route("/{key}/memory", get(memory::page))
        .route("/{key}/inbox", get(inbox::page))
        .route("/{key}/sessions", get(sessions::list))
        .route("/{key}/session", get(session::page))
        .route("/{key}/briefing", get(sessions::briefing))
        .route("/{key}/browse", get(browse::page))
        .route("/{key}/decisions", get(decisions::page))
        .route("/{key}/graph", get(graph::page))
        .route("/{key}/health", get(health::page))
        .route("/{key}/do/confirm", post(change::confirm))
        .route("/{key}/do/review", post(change::review))
        .route("/{key}/do/promote", post(change::promote))
        .route("/{key}/do/feedback", post(change::feedback))
        .route("/{key}/do/delete", post(change::delete))
        .route("/{key}/do/save", post(search::save))
        .route("/{key}/do/unsave", post(search::unsave))
        .route("/{key}/do/amend", post(change::amend).layer(DefaultBodyLimit::max(change::BODY_BYTES)))
        .route("/{key}/page.js", get(script))
        .route("/{key}/style.css", get(style))
        .route("/{key}/icon.svg", get(icon))
        .fallback(unknown)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(access, guard::guard))
        .with_state(site)
        .merge(api)
}

async fn script() -> Response {
    answer::file("text/javascript; charset=utf-8", include_str!("assets/page.js"))
}

async fn style() -> Response {
    answer::file("text/css; charset=utf-8", include_str!("assets/style.css"))
}

async fn icon() -> Response {
    answer::file("image/svg+xml", include_str!("assets/icon.svg"))
}

async fn unknown() -> Response {
    answer::refusal_page(StatusCode::NOT_FOUND, "this page does not exist")
}

/// Returns a page that says why there is no other one.
fn failure(project: &Project, tab: Tab, shown: &Shown) -> Response {
    answer::page(shown.status, view::page(project, tab, "Not shown", &html! { h1 { "Not shown" } (problem(shown)) }))
}

/// Returns a failure as a part of a page.
fn problem(shown: &Shown) -> Markup {
    html! {
        div.problem role="alert" {
            p { strong { (view::code_markup(&shown.message)) } }
            @if let Some(hint) = &shown.hint { p { (view::code_markup(hint)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    /// The most bytes of the script and the style, uncompressed: a page must not wait for them.
    const ASSET_BYTES: usize = 60 * 1024;

    #[test]
    fn the_script_and_the_style_stay_small() {
        let bytes = include_str!("assets/page.js").len() + include_str!("assets/style.css").len();
        assert!(bytes <= ASSET_BYTES, "{bytes}");
    }
}
