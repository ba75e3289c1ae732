//! The exchange of the token in a link for a cookie.

use axum::extract::{FromRequest as _, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::{Form, Json};
use maud::{DOCTYPE, html};
use serde::Deserialize;
use serde_json::json;

use super::Site;
use crate::answer::{self, Shown};
use crate::guard;

/// A token, as the script or the form sends it.
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
                    p #said role="status" {}
                    noscript {
                        p { "This browser runs no script here, so the last step is yours: paste the whole link once more." }
                        form method="post" action="/open" {
                            label { "The link of " code { "recall ui" } input name="token" required autocomplete="off" spellcheck="false"; }
                            button { "Open" }
                        }
                    }
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

/// Exchanges a token. The script gets JSON, and the form is led to the page.
pub(super) async fn exchange(State(site): State<Site>, request: Request) -> Response {
    if guard::is_json(request.headers()) {
        return match Json::<Token>::from_request(request, &()).await {
            Ok(Json(Token { token })) => exchange_for_script(&site, &token),
            Err(refused) => refused.into_response(),
        };
    }
    match Form::<Token>::from_request(request, &()).await {
        Ok(Form(Token { token })) => exchange_for_form(&site, &token),
        Err(refused) => refused.into_response(),
    }
}

fn exchange_for_script(site: &Site, token: &str) -> Response {
    match site.access.exchange(token) {
        Some(project) => {
            let location = format!("/{}/", project.key);
            answer::with_cookie(answer::done(json!({ "location": location })), &project.set_cookie())
        }
        None => answer::failure_page(&Shown {
            status: StatusCode::UNAUTHORIZED,
            reason: "PERMISSION_DENIED",
            message: USED.to_owned(),
            hint: Some("run `recall ui` again".to_owned()),
        }),
    }
}

/// A person pastes the whole link, of which the token is the fragment.
fn exchange_for_form(site: &Site, link: &str) -> Response {
    let token = link.trim().rsplit('#').next().unwrap_or_default();
    match site.access.exchange(token) {
        Some(project) => {
            answer::with_cookie(Redirect::to(&format!("/{}/", project.key)).into_response(), &project.set_cookie())
        }
        None => answer::refusal_page(StatusCode::UNAUTHORIZED, USED),
    }
}

/// Why a token is refused.
const USED: &str = "this link was used already, or is too old";
