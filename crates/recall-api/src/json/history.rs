//! The commits that changed a document.

use crate::v1;
use serde::Serialize;

use crate::json::{Warning, answer, warnings};

#[derive(Debug, Serialize)]
pub(crate) struct History<'a> {
    path: &'a str,
    commits: Vec<Commit<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Commit<'a> {
    id: &'a str,
    day: &'a str,
    author: &'a str,
    subject: &'a str,
}

impl<'a> From<&'a v1::Commit> for Commit<'a> {
    fn from(message: &'a v1::Commit) -> Self {
        let v1::Commit { id, day, author, subject } = message;
        Self { id, day, author, subject }
    }
}

/// The commits that changed a document.
pub fn history(message: &v1::HistoryResponse) -> impl Serialize {
    let v1::HistoryResponse { path, commits, warnings: messages } = message;
    answer(History { path, commits: commits.iter().map(Commit::from).collect(), warnings: warnings(messages) })
}
