//! The saved searches on the page: the button that saves one, their list, and what a change of them does.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_text::error_chain;
use serde_json::json;

use super::{Asked, MODES, SCOPES, address};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::pages::{Here, Site, problem};
use crate::saved::{SavedError, SavedSearch};

pub(crate) async fn save(
    Extension(project): Here,
    State(site): State<Site>,
    Json(search): Json<SavedSearch>,
) -> Response {
    response(site.saved.insert(&project.subject.root, search))
}

pub(crate) async fn unsave(
    Extension(project): Here,
    State(site): State<Site>,
    Json(search): Json<SavedSearch>,
) -> Response {
    response(site.saved.remove(&project.subject.root, &search))
}

fn response(changed: Result<(), SavedError>) -> Response {
    match changed {
        Ok(()) => answer::done(json!({})),
        Err(error) => answer::failure_page(&failure(&error)),
    }
}

fn failure(error: &SavedError) -> Shown {
    let (status, reason, hint) = match error {
        SavedError::File { .. } => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "check that you may write there"),
        SavedError::Damaged { .. } => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "move the file away"),
        SavedError::Full => (StatusCode::BAD_REQUEST, "LIMIT_EXCEEDED", "remove one first"),
    };
    Shown { status, reason, message: error_chain(error), hint: Some(hint.to_owned()) }
}

/// Shows the button that saves the search, or forgets it if it is saved.
pub(super) fn button(site: &Site, project: &Project, asked: &Asked) -> Markup {
    let search = asked.search();
    // A file that cannot be read is reported when somebody saves, and on the page without a query.
    let is_saved = site.saved.list(&project.subject.root).is_ok_and(|saved| saved.contains(&search));
    html! { " " (keep(&search, if is_saved { Keep::Forget } else { Keep::Save })) }
}

/// What the button does.
#[derive(Clone, Copy)]
enum Keep {
    Save,
    Forget,
}

fn keep(search: &SavedSearch, keep: Keep) -> Markup {
    let (action, name, title) = match keep {
        Keep::Save => ("save", "Save this search", "It is offered where the search is empty"),
        Keep::Forget => ("unsave", "Forget", "Remove it from the saved searches"),
    };
    html! {
        button.quiet type="button" data-needs-script="" data-keep=(action) data-search=(json!(search)) title=(title) { (name) }
    }
}

/// Shows the saved searches of the project.
pub(super) fn list(site: &Site, project: &Project) -> Markup {
    match site.saved.list(&project.subject.root) {
        Ok(searches) => html! {
            @if !searches.is_empty() {
                h2 { "Saved" }
                ul.saved { @for search in &searches { li { a href=(address(search)) { code { (search.q) } } span.dim { (conditions(search)) } (keep(search, Keep::Forget)) } } }
            }
        },
        Err(error) => problem(&failure(&error)),
    }
}

/// Says how and where a saved search searches, if not as usual.
fn conditions(search: &SavedSearch) -> String {
    let name = |choices: &[(&str, &'static str)], chosen: &str| {
        choices.iter().skip(1).find(|(value, _)| *value == chosen).map(|(_, name)| *name)
    };
    let parts =
        [name(&MODES, &search.mode), (!search.any_case.is_empty()).then_some("any case"), name(&SCOPES, &search.scope)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
