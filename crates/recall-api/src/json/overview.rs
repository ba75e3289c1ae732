//! The overview of a project.

use crate::v1;
use serde::Serialize;

use crate::json::session::Session;
use crate::json::status::Store;
use crate::json::{Warning, answer, warnings};

#[derive(Debug, Serialize)]
struct Overview<'a> {
    stores: Vec<Store<'a>>,
    sessions: Vec<Session<'a>>,
    next: Vec<Next<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Next<'a> {
    command: &'a str,
    reason: &'a str,
}

/// What is here, and the commands to run next, each with its reason.
pub fn overview<'a>(
    status: &'a v1::StatusResponse,
    sessions: &'a [v1::Session],
    next: &[(&'a str, &'a str)],
) -> impl Serialize {
    answer(Overview {
        stores: status.stores.iter().map(Store::from).collect(),
        sessions: sessions.iter().map(Session::from).collect(),
        next: next.iter().map(|&(command, reason)| Next { command, reason }).collect(),
        warnings: warnings(&status.warnings),
    })
}
