//! The commits that changed a document, with the sessions that made them.

use std::collections::HashMap;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{Commit, HistoryRequest, ListEventsRequest, ListSessionsRequest, Session};
use serde::Deserialize;

use super::{Here, Site, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::{self, Tab};

/// The commits that are shown.
const COMMITS: u32 = 100;

/// The latest sessions that are looked through for the commits, and their milestones. The service accepts 100 of each.
const SESSIONS: u32 = 50;
const MILESTONES: u32 = 100;

/// What the text of a milestone begins with that reports a commit; the hash follows.
const COMMITTED: &str = "committed ";

/// The shortest hash that names a commit.
const HASH: usize = 7;

/// The parameters of a history.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// An id or a path.
    id: String,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { id }) = asked;
    let context = Some(project.subject.context.clone());
    let request = HistoryRequest { context, id: id.clone(), limit: Some(COMMITS), ..HistoryRequest::default() };
    let answer = match site.rpc.history(request).await {
        Ok(answer) => answer.into_inner(),
        Err(status) => return failure(&project, Tab::Search, &Shown::from(status)),
    };
    let makers = if answer.commits.is_empty() { Makers::default() } else { Makers::read(&mut site, &project).await };
    let shown = html! {
        h1 { "History of " a href=(view::link_to("doc", &[("id", &id)])) { (answer.path) } }
        @for warning in &answer.warnings { p.note { (warning.message) } }
        @if answer.commits.is_empty() && answer.warnings.is_empty() { p.empty { "No commit has changed it." } }
        @if let Some(note) = &makers.note { p.note { (note) } }
        ol.timeline {
            @for commit in &answer.commits {
                li data-item="" {
                    div.head { span.title { (commit.subject) } }
                    p.facts { span { (commit.day) } span { (commit.author) } code { (commit.id) } (makers.link(commit)) }
                }
            }
        }
        @if answer.commits.len() == COMMITS as usize { p.note { "The latest " (COMMITS) " commits are shown." } }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Search, &format!("History of {}", answer.path), &shown))
}

/// The sessions that recorded a commit, by its hash as they recorded it.
#[derive(Debug, Default)]
struct Makers {
    sessions: HashMap<String, Session>,
    /// Which sessions were not looked at.
    note: Option<String>,
}

impl Makers {
    async fn read(site: &mut Site, project: &Project) -> Self {
        let context = || Some(project.subject.context.clone());
        let request =
            ListSessionsRequest { context: context(), limit: Some(SESSIONS), ..ListSessionsRequest::default() };
        let Ok(answer) = site.rpc.list_sessions(request).await else {
            return Self {
                note: Some("The sessions behind these commits cannot be read.".to_owned()),
                ..Self::default()
            };
        };
        let answer = answer.into_inner();
        let is_cut = !answer.next_cursor.is_empty();
        let mut makers = Self {
            note: is_cut.then(|| format!("Commits of the latest {SESSIONS} sessions are marked.")),
            ..Self::default()
        };
        for session in answer.sessions {
            let request = ListEventsRequest {
                context: context(),
                session_id: session.id.clone(),
                types: vec!["milestone".to_owned()],
                limit: Some(MILESTONES),
                ..ListEventsRequest::default()
            };
            let Ok(events) = site.rpc.list_events(request).await else { continue };
            for event in events.into_inner().events {
                if let Some(hash) = committed_hash(&event.content) {
                    makers.sessions.entry(hash.to_owned()).or_insert_with(|| session.clone());
                }
            }
        }
        makers
    }

    fn link(&self, commit: &Commit) -> Markup {
        // A hash may be shortened differently here and there.
        let is_same = |hash: &str| hash.starts_with(&commit.id) || commit.id.starts_with(hash);
        let session = self.sessions.iter().find(|(hash, _)| is_same(hash)).map(|(_, session)| session);
        html! {
            @if let Some(session) = session {
                a href=(view::link_to("session", &[("id", &session.id)])) {
                    "session: " @if session.title.is_empty() { (session.id) } @else { (session.title) }
                }
            }
        }
    }
}

/// Returns the hash of the commit that a milestone reports.
fn committed_hash(text: &str) -> Option<&str> {
    let hash = text.strip_prefix(COMMITTED)?.split_whitespace().next()?;
    (hash.len() >= HASH && hash.bytes().all(|digit| digit.is_ascii_hexdigit())).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_found_by_the_hash_that_a_session_recorded() {
        let session = Session { id: "s-1".to_owned(), title: "Dig <deeper>".to_owned(), ..Session::default() };
        let hash = committed_hash("committed 0123abc Add jitter").expect("a hash").to_owned();
        let makers = Makers { sessions: HashMap::from([(hash, session)]), note: None };
        let link = |id: &str| makers.link(&Commit { id: id.to_owned(), ..Commit::default() }).into_string();
        assert_eq!(link("0123abcdef"), "<a href=\"session?id=s-1\">session: Dig &lt;deeper&gt;</a>");
        assert_eq!(link("7654fed"), "");
    }

    #[test]
    fn other_milestones_name_no_commit() {
        for text in ["committed to the plan", "committed abc x", "deployed 0123abc", ""] {
            assert_eq!(committed_hash(text), None, "{text}");
        }
    }
}
