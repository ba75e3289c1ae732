//! A memory: its text, what it needs, its evidence, and where it was used.

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use recall_api::v1::{
    self, AnchorChange, GetRequest, Memory, MemoryStatus, Ownership, RecordedUses, VerificationState, VerifyMode,
    VerifyRequest,
};
use recall_text::quantity::count_noun;
use serde::Deserialize;
use tonic::Status;

use super::{Here, Site, change, failure};
use crate::access::Project;
use crate::answer::{self, Shown};
use crate::view::memory::{inline, shorten, unusual_labels};
use crate::view::{self, Tab, markdown};

/// The characters of a commit's id that are shown.
const COMMIT_CHARS: usize = 12;

/// The most characters of a query that found a memory.
const QUERY_CHARS: usize = 120;

/// The parameters of a memory.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    id: String,
}

pub(super) async fn page(Extension(project): Here, State(mut site): State<Site>, asked: Query<Asked>) -> Response {
    let Query(Asked { id }) = asked;
    let context = Some(project.subject.context.clone());
    let request = GetRequest { context, id, with_uses: true, ..GetRequest::default() };
    let found = match site.rpc.get(request).await {
        Ok(found) => found.into_inner(),
        Err(status) => return failure(&project, Tab::Memories, &Shown::from(status)),
    };
    let Some(memory) = found.memory else {
        let shown = Shown {
            status: StatusCode::NOT_FOUND,
            reason: "NOT_FOUND",
            message: "this is a document, not a memory".to_owned(),
            hint: None,
        };
        return failure(&project, Tab::Memories, &shown);
    };
    // The page is shown without them if they cannot be read; the memory is what was asked for.
    let changes = match &memory.verification {
        Some(verification) if !verification.broken.is_empty() => {
            changes(&mut site, &project, &memory.id).await.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let uses = found.recorded_uses.unwrap_or_default();
    let shown = html! {
        div.head {
            h1 { (inline(&memory.title)) }
            p.facts {
                span { (memory.r#type) }
                span.labels { (unusual_labels(&memory)) }
                @for tag in &memory.tags { a href=(view::link_to("memories", &[("tag", tag)])) { "#" (tag) } }
                button.quiet type="button" data-copy=(memory.id) title="Copy the id" { (memory.id) }
            }
        }
        @for warning in &found.warnings { p.note { (warning.message) } }
        (rivals(&uses))
        div.document {
            div {
                @if let Some(text) = text_without_title(&memory) { div.rendered { (markdown::text(text)) } }
                (actions(&memory))
                (change::form(&memory))
                (anchor_changes(&changes))
                (use_list(&memory, &uses))
            }
            aside { (evidence(&memory)) (similar(&uses)) (facts(&memory)) }
        }
    };
    answer::page(StatusCode::OK, view::page(&project, Tab::Memories, &memory.title, &shown))
}

/// Returns the text of a memory, if it says more than its title.
fn text_without_title(memory: &Memory) -> Option<&str> {
    let text = memory.content.trim();
    let rest = text.strip_prefix(memory.title.trim());
    match rest {
        Some("") => None,
        // The title may be the beginning of a longer line.
        Some(rest) if rest.starts_with('\n') => Some(rest.trim_start()),
        _ => Some(text),
    }
}

/// What a reader can do with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Confirm,
    Amend,
    Retire,
}

/// Returns what a memory needs first, and why, in a sentence.
fn main_action(memory: &Memory) -> (Action, &'static str) {
    let state = memory.verification.as_ref().map(v1::Verification::state).unwrap_or_default();
    let is_flagged = memory.stats.is_some_and(|stats| stats.flagged);
    match (memory.status(), state) {
        _ if memory.proposed => (Action::Amend, "It is proposed: nothing shows it until it is accepted in the inbox."),
        (MemoryStatus::Deprecated, _) => (Action::Amend, describe_end(memory)),
        (_, VerificationState::Gone) => (Action::Retire, "What it is about is gone."),
        _ if memory.ownership() == Ownership::Repository => {
            (Action::Confirm, "It came with the repository, and you have not confirmed it.")
        }
        (_, VerificationState::Changed) => {
            (Action::Confirm, "Its files have changed since it was written. Does it still hold?")
        }
        _ if is_flagged => (Action::Amend, "Its ratings ask for a review."),
        (MemoryStatus::Stale, _) => (Action::Confirm, "It is old. Does it still hold?"),
        _ => (Action::Amend, ""),
    }
}

/// Says in a sentence why a memory does not hold now, and what searches do about it.
fn describe_end(memory: &Memory) -> &'static str {
    match memory.holds.as_str() {
        _ if !memory.superseded_by.is_empty() => "Another memory took its place: searches do not show it.",
        "" => "It is retired: searches show it lower.",
        "expired" => "Its time is over: searches show it lower.",
        _ => "Its time has not begun: searches show it lower.",
    }
}

/// The changes that can be made: the one that the memory needs, and a menu of the others. They need the script.
fn actions(memory: &Memory) -> Markup {
    let (main, reason) = main_action(memory);
    let is_retired = memory.status() == MemoryStatus::Deprecated;
    html! {
        @if !reason.is_empty() { p.verdict { (reason) } }
        div.actions data-needs-script="" {
            span.main-action { (standard_button(memory, main)) }
            details.menu {
                summary { "More" }
                div {
                    @for action in [Action::Confirm, Action::Amend, Action::Retire] {
                        @if action != main && !(is_retired && action == Action::Retire) { (standard_button(memory, action)) }
                    }
                    (button(memory, "Rate useful", "feedback", "useful", "Rated useful."))
                    (button(memory, "Rate not useful", "feedback", "not_useful", "Rated not useful."))
                    @if memory.scope() == v1::StoreScope::Project { (button(memory, "Promote to global", "promote", "", "Promoted to the global store.")) }
                    button.danger type="button" data-do="delete" data-id=(memory.id) data-scope=(view::memory::scope(memory)) data-then="memories" data-said="Deleted." { "Delete" }
                }
            }
        }
    }
}

fn standard_button(memory: &Memory, action: Action) -> Markup {
    match action {
        Action::Confirm => button(memory, "Confirm", "confirm", "", "Confirmed."),
        Action::Retire => button(memory, "Retire", "feedback", "outdated", "Retired: rated outdated."),
        Action::Amend => html! { button type="button" data-reveal="amend" { "Amend" } },
    }
}

fn button(memory: &Memory, title: &str, action: &str, extra: &str, said: &str) -> Markup {
    html! {
        button type="button" data-do=(action) data-id=(memory.id) data-scope=(view::memory::scope(memory)) data-extra=(extra) data-said=(said) { (title) }
    }
}

/// Returns what changed in the files of a memory.
async fn changes(site: &mut Site, project: &Project, id: &str) -> Result<Vec<AnchorChange>, Status> {
    let request = VerifyRequest {
        context: Some(project.subject.context.clone()),
        ids: vec![id.to_owned()],
        scope: v1::Scope::All.into(),
        mode: VerifyMode::Check.into(),
        with_changes: true,
    };
    let verified = site.rpc.verify(request).await?.into_inner().results;
    Ok(verified.into_iter().flat_map(|memory| memory.changes).collect())
}

fn short_commit(commit: &str) -> &str {
    commit.get(..COMMIT_CHARS).unwrap_or(commit)
}

/// Shows what changed in the files of a memory: the differences if git has the earlier text, else why there are none.
fn anchor_changes(changes: &[AnchorChange]) -> Markup {
    html! {
        @for AnchorChange { path, symbol, commit, exact, diff, is_cut } in changes {
            section.changed {
                h2 { "Changed: " a href=(view::link_to("doc", &[("id", path)])) { (path) } @if !symbol.is_empty() { " " code { (symbol) } } }
                @if commit.is_empty() {
                    p.dim { "What it was is not known: git does not have the text that the memory was written for." }
                } @else if diff.is_empty() {
                    p.dim {
                        "It is as it was in commit " code { (short_commit(commit)) }
                        ". The memory was written for changes that were never committed, and that are not there any more."
                    }
                } @else {
                    p.dim {
                        "Since commit " code { (short_commit(commit)) }
                        @if !exact { ". The memory was written for changes that were never committed, so a part of it may have been there" }
                        "."
                    }
                    pre.diff tabindex="0" { @for line in diff.lines() { (difference(line)) } }
                    @if *is_cut { p.dim { "The rest is left out." } }
                }
            }
        }
    }
}

fn difference(line: &str) -> Markup {
    html! {
        @match line.as_bytes().first() {
            Some(b'+') => { ins { (line) "\n" } },
            Some(b'-') => { del { (line) "\n" } },
            Some(b'@') => { span.dim { (line) "\n" } },
            _ => { (line) "\n" },
        }
    }
}

/// Shows the memories that it may contradict.
fn rivals(uses: &RecordedUses) -> Markup {
    html! {
        @for rival in uses.similar.iter().filter(|other| other.may_contradict) {
            p.problem { "It may contradict " a href=(view::link_to("memory", &[("id", &rival.id)])) { (inline(&rival.title)) }
                (judge(&rival.judged_by))
            }
        }
    }
}

/// Names the language model that says that two memories may contradict each other; nothing if only the words do.
pub(super) fn judge(model: &str) -> Markup {
    html! { @if !model.is_empty() { " (by the language model " (model) ")" } }
}

/// Shows where a memory was found, used and rated, and whether it helped.
fn use_list(memory: &Memory, RecordedUses { uses, sessions, cut, .. }: &RecordedUses) -> Markup {
    let stats = memory.stats.unwrap_or_default();
    let (useful, not_useful) = (stats.useful, stats.not_useful);
    html! {
        section.uses {
            h2 { "Use" }
            p {
                "Found by " (count_noun(stats.retrievals, "search", "searches"))
                ", used in " (count_noun(stats.uses, "session", "sessions"))
                @if useful + not_useful == 0 { ", not rated" } @else { ", rated " (useful) " useful, " (not_useful) " not" }
                "."
            }
            @if !uses.is_empty() {
                ul.events {
                    @for known in uses {
                        li {
                            (view::time(known.time.as_ref()))
                            span.kind { (known.kind) }
                            div {
                                @if known.kind == "found" { "by “" (shorten(&known.text, QUERY_CHARS)) "”" } @else { (known.text) }
                                p.facts { span { "in " a href=(view::link_to("session", &[("id", &known.session_id)])) { @if known.title.is_empty() { "a session" } @else { (inline(&known.title)) } } } }
                            }
                        }
                    }
                }
            }
            p.dim {
                "By the events of " @if *cut { "the latest " } (count_noun((*sessions).into(), "session", "sessions")) " of this project"
                @if *cut { "; earlier ones were not looked through" }
                "."
            }
        }
    }
}

/// What the standing is based on: the files, and what became of them.
fn evidence(memory: &Memory) -> Markup {
    let verification = memory.verification.clone().unwrap_or_default();
    html! {
        h2 { "Evidence" }
        p { (verdict(verification.state())) }
        @if !verification.moved.is_empty() {
            ul.related {
                @for moved in &verification.moved {
                    li { code { (moved.from) } " moved to " a href=(view::link_to("doc", &[("id", &moved.to)])) { (moved.to) } }
                }
            }
        }
        @if !verification.broken.is_empty() {
            ul.related {
                @for anchor in &verification.broken {
                    li {
                        a href=(view::link_to("doc", &[("id", &anchor.path)])) { (anchor.path) }
                        span.dim {
                            @if !anchor.symbol.is_empty() { (anchor.symbol) " " }
                            (view::state(anchor.state()))
                            @if !verification.since_commit.is_empty() { " " code { (short_commit(&verification.since_commit)) } }
                        }
                    }
                }
            }
        }
        @if !memory.cues.is_empty() {
            h2 { "Shown unasked at" }
            ul.related { @for cue in &memory.cues { li { code { (cue) } } } }
        }
        @if !memory.related_files.is_empty() {
            h2 { "Files" }
            ul.related { @for file in &memory.related_files { li data-item="" { a href=(view::link_to("doc", &[("id", file)])) data-open="" { (file) } } } }
        }
    }
}

/// Says in a sentence what became of the files of a memory.
fn verdict(state: VerificationState) -> Markup {
    let word = view::state(state);
    html! {
        @match state {
            VerificationState::Unspecified => { "Its files were " strong { (word) } "." },
            VerificationState::Changed => { "Its files have " strong { (word) } "." },
            VerificationState::Unanchored => { "It is about " strong { (word) } "." },
            VerificationState::Verified | VerificationState::Gone => { "Its files are " strong { (word) } "." },
        }
    }
}

fn similar(uses: &RecordedUses) -> Markup {
    html! {
        @if !uses.similar.is_empty() {
            h2 { "Similar" }
            ul.related { @for other in &uses.similar { li { a href=(view::link_to("memory", &[("id", &other.id)])) { (inline(&other.title)) } } } }
        }
    }
}

fn facts(memory: &Memory) -> Markup {
    let provenance = memory.provenance.clone().unwrap_or_default();
    let texts = [
        ("Standing", memory.standing.as_str()),
        ("Trust", view::trust(memory)),
        ("Source", memory.source.as_str()),
        ("Agent", memory.agent.as_str()),
        ("Branch", provenance.git_branch.as_str()),
        ("Added by", memory.added_by.as_str()),
    ];
    let others = [("Supersedes", &memory.supersedes), ("Superseded by", &memory.superseded_by)];
    html! {
        h2 { "Facts" }
        dl.facts {
            dt { "Store" } dd { (view::memory::scope(memory)) }
            dt { "Added" } dd { (view::time(memory.created_at.as_ref())) }
            @for (name, point) in [("Holds from", &memory.valid_from), ("Holds until", &memory.valid_until)] {
                @if let Some(v1::TimePoint { at, .. }) = point { dt { (name) } dd { (view::time(at.as_ref())) } }
            }
            @if memory.updated_at != memory.created_at { dt { "Amended" } dd { (view::time(memory.updated_at.as_ref())) } }
            @for (name, text) in texts { @if !text.is_empty() { dt { (name) } dd { (text) } } }
            @if !memory.session.is_empty() { dt { "Session" } dd { a href=(view::link_to("session", &[("id", &memory.session)])) { (memory.session.get(..8).unwrap_or(&memory.session)) } } }
            @for (name, id) in others { @if !id.is_empty() { dt { (name) } dd { a href=(view::link_to("memory", &[("id", id)])) { (id) } } } }
        }
    }
}
