//! Text output of `recall` without a command.

use std::fmt::Write as _;

use jiff::Timestamp;
use recall_api::v1;

use super::quantity::{count, count_noun};
use super::style::{DIM, GOOD, PATH, STRONG, SYMBOL, WARNING};
use super::text::{columns, fit, fit_path, moment, printable};
use crate::output::format::Screen;

/// A command to run next, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// The command as it is typed.
    pub(crate) command: &'static str,
    /// What it does, or why it is suggested.
    pub(crate) reason: String,
}

/// What is known about the project and the user's own store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overview<'a> {
    /// The project's store; `None` if the working directory has no usable root.
    pub(crate) project: Option<&'a v1::StoreStatus>,
    /// The global store.
    pub(crate) global: Option<&'a v1::StoreStatus>,
    /// The latest sessions of the project, the latest first.
    pub(crate) sessions: &'a [v1::Session],
}

/// Formats an overview and the suggestions for a width.
pub(crate) fn render(overview: Overview<'_>, next: &[Suggestion], screen: Screen) -> String {
    let Screen { width, now, .. } = screen;
    let mut text = String::new();
    match overview.project {
        Some(project) => {
            let room = width.map(|width| width.saturating_sub(columns(&project.name) + 2));
            let path = printable(&project.root).into_owned();
            let _ = writeln!(
                text,
                "{STRONG}{}{STRONG:#}  {PATH}{}{PATH:#}",
                printable(&project.name),
                fit_path(&path, room)
            );
            fact(&mut text, "index", &index(project, now), width);
        }
        None => text.push_str("no project here\n"),
    }
    if let Some(memories) = memories(overview.project, overview.global) {
        fact(&mut text, "memories", &memories, width);
    }
    if let Some(sessions) = sessions(overview.sessions, now) {
        fact(&mut text, "sessions", &sessions, width);
    }
    let widest = next.iter().map(|suggestion| columns(suggestion.command)).max().unwrap_or(0);
    text.push('\n');
    for Suggestion { command, reason } in next {
        let padding = " ".repeat(widest - columns(command));
        let room = width.map(|width| width.saturating_sub(widest + 4));
        let _ = writeln!(text, "  {SYMBOL}{command}{SYMBOL:#}{padding}  {DIM}{}{DIM:#}", fit(reason, room));
    }
    text
}

/// Appends `  name     value`, cut at the width. Styles have no width.
fn fact(text: &mut String, name: &str, value: &Fact, width: Option<usize>) {
    let Fact { style, lead, rest } = value;
    let room = width.map(|width| width.saturating_sub(12 + columns(lead)));
    let _ = writeln!(text, "  {name:<9} {style}{lead}{style:#}{}", fit(rest, room));
}

/// A value whose beginning has a style.
struct Fact {
    style: anstyle::Style,
    lead: String,
    rest: String,
}

fn index(project: &v1::StoreStatus, now: Option<Timestamp>) -> Fact {
    let run = project.indexing.filter(|run| run.running);
    let documents = count_noun(project.documents, "document", "documents");
    if let Some(run) = run {
        let lead = format!("{} of {} files", count(run.done), count(run.total));
        return Fact { style: WARNING, lead, rest: " are indexed so far".to_owned() };
    }
    if !project.indexed {
        return Fact { style: WARNING, lead: "none yet".to_owned(), rest: "; the first search makes it".to_owned() };
    }
    let pending = project.files.as_ref().map_or(0, |files| files.pending);
    let hidden = project.left_out.iter().filter(|group| group.may_hide_text).map(|group| group.files).sum();
    let (style, lead) = match (project.failed, pending) {
        (0, 0) if hidden > 0 => (GOOD, format!("complete but for {} left out", count_noun(hidden, "file", "files"))),
        (0, 0) => (GOOD, "complete".to_owned()),
        (0, pending) => (WARNING, format!("{} not indexed yet", count_noun(pending, "file", "files"))),
        (failed, _) => (WARNING, format!("{} failed", count_noun(failed, "file", "files"))),
    };
    let mut rest = format!(", {documents} in {}", count_noun(project.chunks, "chunk", "chunks"));
    if let Some(changed) = &project.last_change {
        let _ = write!(rest, ", changed {}", moment(changed, now));
    }
    Fact { style, lead, rest }
}

/// The number of memories of a project that no longer match their files.
pub(crate) fn outdated_count(store: &v1::StoreStatus) -> u64 {
    let verified = store.memories_verified.unwrap_or(1.0).clamp(0.0, 1.0);
    ((1.0 - verified) * store.memories as f64).round() as u64
}

fn memories(project: Option<&v1::StoreStatus>, global: Option<&v1::StoreStatus>) -> Option<Fact> {
    let here = project.map_or(0, |store| store.memories);
    let everywhere = global.map_or(0, |store| store.memories);
    if here + everywhere == 0 {
        return None;
    }
    let rest = if everywhere > 0 {
        format!("{} of this project, {} for all projects", count(here), count(everywhere))
    } else {
        format!("{} of this project", count(here))
    };
    let outdated = project.map_or(0, outdated_count);
    let lead = if outdated > 0 { format!("{} outdated; ", count(outdated)) } else { String::new() };
    Some(Fact { style: WARNING, lead, rest })
}

fn sessions(sessions: &[v1::Session], now: Option<Timestamp>) -> Option<Fact> {
    let last = sessions.first()?;
    let open = sessions.iter().filter(|session| session.state() == v1::SessionState::Open).count() as u64;
    let mut rest = String::new();
    if open > 0 {
        let _ = write!(rest, "{} open; ", count(open));
    }
    let began = last.started_at.as_ref().map(|time| moment(time, now)).unwrap_or_default();
    let _ = write!(rest, "the last began {began}");
    let goal = last.goal.lines().next().unwrap_or_default();
    if !goal.is_empty() {
        let _ = write!(rest, ": {}", printable(goal));
    }
    Some(Fact { style: anstyle::Style::new(), lead: String::new(), rest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    fn time(seconds: i64) -> prost_types::Timestamp {
        prost_types::Timestamp { seconds, nanos: 0 }
    }

    #[test]
    fn a_project_is_shown_with_its_index_memories_and_sessions() {
        let project = v1::StoreStatus {
            name: "flask".to_owned(),
            root: "/home/me/src/flask".to_owned(),
            indexed: true,
            documents: 226,
            chunks: 1_780,
            memories: 4,
            memories_verified: Some(0.75),
            last_change: Some(time(1_699_999_000)),
            ..v1::StoreStatus::default()
        };
        let global = v1::StoreStatus { memories: 2, ..v1::StoreStatus::default() };
        let session = v1::Session {
            state: v1::SessionState::Open.into(),
            started_at: Some(time(1_699_990_000)),
            goal: "make retries bounded\nand fast".to_owned(),
            ..v1::Session::default()
        };
        let next = [
            Suggestion { command: "recall search \"…\"", reason: "find code".to_owned() },
            Suggestion { command: "recall verify", reason: "1 memory is outdated".to_owned() },
        ];
        let sessions = [session];
        let overview = Overview { project: Some(&project), global: Some(&global), sessions: &sessions };
        let now = Timestamp::new(1_700_000_000, 0).ok();
        insta::assert_snapshot!(plain(&render(overview, &next, Screen { width: Some(80), now, ..Screen::default() })), @r#"
        flask  /home/me/src/flask
          index     complete, 226 documents in 1,780 chunks, changed 16 min ago
          memories  1 outdated; 4 of this project, 2 for all projects
          sessions  1 open; the last began 2 hours ago: make retries bounded

          recall search "…"  find code
          recall verify      1 memory is outdated
        "#);
    }

    #[test]
    fn a_narrow_terminal_cuts_every_line() {
        let project = v1::StoreStatus {
            name: "flask".to_owned(),
            root: "/home/me/a/very/long/path/to/src/flask".to_owned(),
            indexed: true,
            failed: 3,
            documents: 226,
            ..v1::StoreStatus::default()
        };
        let next = [Suggestion { command: "recall status", reason: "a reason that is longer than this".to_owned() }];
        let overview = Overview { project: Some(&project), global: None, sessions: &[] };
        let shown = plain(&render(overview, &next, Screen { width: Some(32), ..Screen::default() }));
        assert!(shown.contains("3 files failed"), "{shown}");
        assert!(shown.lines().all(|line| columns(line) <= 32), "{shown}");
    }
}
