//! Where the lines of a document come from, next to them: the commit and the session of each range, loaded when asked for.

use std::collections::HashMap;

use maud::{Markup, html};
use recall_api::v1::{GetResponse, LineOrigin, LineTie, WhyRequest, WhyResponse};

use crate::access::Project;
use crate::pages::Site;
use crate::view;

/// The digits of a hash that are shown.
const HASH_CHARS: usize = 8;

/// The most characters of a session's name.
const TITLE_CHARS: usize = 24;

/// Where the shown lines come from.
#[derive(Debug, Default)]
pub(super) struct Gutter {
    /// What is shown before the first line of each range, by the line.
    pub(super) by_line: HashMap<u32, Markup>,
    ties: Vec<LineTie>,
    /// What is missing, for a person.
    notes: Vec<String>,
}

impl Gutter {
    /// Asks where the shown lines come from.
    pub(super) async fn read(site: &mut Site, project: &Project, id: &str, found: &GetResponse) -> Self {
        let request = WhyRequest {
            context: Some(project.subject.context.clone()),
            file: id.to_owned(),
            start_line: Some(found.start_line.max(1)),
            end_line: Some(found.end_line.max(1)),
        };
        match site.rpc.why(request).await {
            Ok(answer) => Self::new(answer.into_inner()),
            Err(status) => Self { notes: vec![status.message().to_owned()], ..Self::default() },
        }
    }

    fn new(answer: WhyResponse) -> Self {
        let WhyResponse { path: _, ranges, ties, more_ties: _, warnings } = answer;
        Self {
            by_line: ranges.iter().map(|range| (range.start_line, origin(range))).collect(),
            ties,
            notes: warnings.into_iter().map(|warning| warning.message).collect(),
        }
    }

    /// Returns what is missing.
    pub(super) fn notes(&self) -> Markup {
        html! { @for note in &self.notes { p.note { (note) } } }
    }

    /// Returns what belongs to the lines.
    pub(super) fn ties(&self) -> Markup {
        html! {
            @if !self.ties.is_empty() {
                h2 { "Decided about these lines" }
                ul.related {
                    @for LineTie { id, title, how, state, r#type: _ } in &self.ties {
                        li data-item="" {
                            a href=(view::link_to("doc", &[("id", id)])) data-open="" { (title) }
                            span.dim { (how) @if !state.is_empty() { "; " (state) } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the commit and the session of a range, with the rest in tooltips.
fn origin(range: &LineOrigin) -> Markup {
    html! {
        @match &range.commit {
            Some(commit) => {
                @let hash = commit.hash.get(..HASH_CHARS).unwrap_or(&commit.hash);
                code title={ (commit.subject) ", by " (commit.author) } { (hash) }
            }
            None => span title=(range.commit_unknown) { (range.commit_unknown) },
        }
        " "
        @match &range.session {
            Some(session) => {
                @let name = if session.title.is_empty() { &session.id } else { &session.title };
                a href=(view::link_to("session", &[("id", &session.id)])) title={ (session.prompt) " — " (session.evidence) } {
                    (name.chars().take(TITLE_CHARS).collect::<String>())
                }
            }
            None => span title=(range.session_unknown) { "no session" },
        }
        @if let Some(trace) = &range.trace {
            " " span title={ (trace.model_id) " " (trace.tool) ", in " (trace.source) } { (trace.contributor) }
        }
    }
}

#[cfg(test)]
mod tests {
    use recall_api::v1::{LineCommit, LineSession};

    use super::*;

    #[test]
    fn a_range_shows_its_commit_and_leads_to_its_session() {
        let range = LineOrigin {
            start_line: 3,
            commit: Some(LineCommit {
                hash: "0123456789".to_owned(),
                subject: "Dig <b>".to_owned(),
                ..LineCommit::default()
            }),
            session: Some(LineSession {
                id: "s 1".to_owned(),
                title: "Pools & <more>".to_owned(),
                ..LineSession::default()
            }),
            ..LineOrigin::default()
        };
        let gutter = Gutter::new(WhyResponse { ranges: vec![range], ..WhyResponse::default() });
        let shown = gutter.by_line[&3].clone().into_string();
        assert!(shown.contains("<code title=\"Dig &lt;b&gt;, by \">01234567</code>"), "{shown}");
        assert!(
            shown.contains("<a href=\"session?id=s%201\"") && shown.contains("Pools &amp; &lt;more&gt;"),
            "{shown}"
        );
        let unknown = LineOrigin { commit_unknown: "not committed".to_owned(), ..LineOrigin::default() };
        assert!(origin(&unknown).into_string().contains("not committed"));
    }
}
