//! The exchange of the token in a link for a cookie.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{DOCTYPE, html};
use serde::Deserialize;
use serde_json::json;

use super::Site;
use crate::answer::{self, Shown};

/// A token, as the script sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Token {
    token: String,
}

/// The page that a link leads to. Its script sends the token, which a browser does not send by itself: it is in the fragment.
pub(super) async fn page() -> Response {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "recall" }
                link rel="stylesheet" href="/open.css";
                script src="/open.js" defer {}
            }
            body {
                main {
                    h1 { "recall" }
                    p #said role="status" { "Opening the page …" }
                    noscript { p { "The link is exchanged by a script: allow it for this page. All pages can then be read without." } }
                }
            }
        }
    };
    answer::page(StatusCode::OK, markup)
}

pub(super) async fn script() -> Response {
    answer::file("text/javascript; charset=utf-8", include_str!("../assets/open.js"))
}

pub(super) async fn style() -> Response {
    answer::file("text/css; charset=utf-8", include_str!("../assets/open.css"))
}

pub(super) async fn exchange(State(site): State<Site>, Json(Token { token }): Json<Token>) -> Response {
    match site.access.exchange(&token) {
        Some(project) => {
            let location = format!("/{}/", project.key);
            answer::with_cookie(answer::done(json!({ "location": location })), &project.set_cookie())
        }
        None => answer::failure_page(&Shown {
            status: StatusCode::UNAUTHORIZED,
            reason: "PERMISSION_DENIED",
            message: "this link was used already, or is too old".to_owned(),
            hint: Some("run `recall ui` again".to_owned()),
        }),
    }
}
