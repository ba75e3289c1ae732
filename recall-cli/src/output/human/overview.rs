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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overview<'a> {
    /// The project's store; `None` if the working directory has no usable root.
    pub(crate) project: Option<&'a v1::StoreStatus>,
    /// The global store.
    pub(crate) global: Option<&'a v1::StoreStatus>,
    /// The sessions that are at work, the latest first.
    pub(crate) at_work: &'a [v1::LiveSession],
    /// The latest sessions of the project, the latest first.
    pub(crate) sessions: &'a [v1::Session],
    /// The latest decisions, the latest first.
    pub(crate) decisions: &'a [v1::ListEntry],
    /// The number of items flagged for review; 0 if they were not counted.
    pub(crate) flagged: u64,
    /// The number of proposed memories.
    pub(crate) proposed: u64,
}

/// The number of sessions at work, of earlier sessions, and of decisions that are shown.
const SHOWN: usize = 3;

/// The column in which values begin.
const VALUE_INDENT: usize = 12;

/// Formats an overview and the next step for a width, in at most about 20 lines.
pub(crate) fn render(overview: Overview<'_>, next: &[Suggestion], screen: Screen) -> String {
    let Screen { width, now, .. } = screen;
    let Overview { project, global, at_work, sessions, decisions, flagged, proposed } = overview;
    let mut text = String::new();
    match project {
        Some(project) => {
            let room = width.map(|width| width.saturating_sub(columns(&project.name) + 2));
            let path = printable(&project.root).into_owned();
            let _ = writeln!(
                text,
                "{STRONG}{}{STRONG:#}  {PATH}{}{PATH:#}\n",
                printable(&project.name),
                fit_path(&path, room)
            );
            facts(&mut text, "index", vec![index(project, now)], width);
        }
        None => text.push_str("no project here\n\n"),
    }
    facts(&mut text, "memories", memories(project, global).into_iter().collect(), width);
    facts(&mut text, "review", review(project, flagged, proposed).into_iter().collect(), width);
    let here = project.map_or("", |project| project.root.as_str());
    let blocks = [
        ("at work", at_work.iter().map(|session| session_at_work(session, here, now)).collect()),
        ("lately", sessions.iter().filter_map(|session| earlier_session(session, now)).take(SHOWN).collect()),
        ("decided", decisions.iter().take(SHOWN).filter_map(|entry| decision(entry, now)).collect::<Vec<_>>()),
    ];
    if blocks.iter().any(|(_, facts)| !facts.is_empty()) {
        text.push('\n');
    }
    for (name, mut lines) in blocks {
        let more = lines.len().saturating_sub(SHOWN) as u64;
        lines.truncate(SHOWN);
        if more > 0 {
            let rest = format!("and {} more: recall status --sessions", count(more));
            lines.push(Fact { style: DIM, lead: rest, rest: String::new() });
        }
        facts(&mut text, name, lines, width);
    }
    text.push('\n');
    let steps = next.first().map(|Suggestion { command, reason }| Fact {
        style: SYMBOL,
        lead: (*command).to_owned(),
        rest: format!("  {reason}"),
    });
    let all = Fact { style: SYMBOL, lead: "recall --help".to_owned(), rest: "  lists all commands".to_owned() };
    facts(&mut text, "next", steps.into_iter().chain([all]).collect(), width);
    text
}

/// Appends `  name     value`, one line a value, each cut at the width. Styles have no width.
fn facts(text: &mut String, name: &str, values: Vec<Fact>, width: Option<usize>) {
    for (at, Fact { style, lead, rest }) in values.into_iter().enumerate() {
        let name = if at == 0 { name } else { "" };
        let room = width.map(|width| width.saturating_sub(VALUE_INDENT));
        let lead = fit(&lead, room);
        let room = room.map(|room| room.saturating_sub(columns(&lead)));
        let rest = if room == Some(0) { "".into() } else { fit(&rest, room) };
        let _ = writeln!(text, "  {DIM}{name:<9}{DIM:#} {style}{lead}{style:#}{rest}");
    }
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
    Some(Fact { style: anstyle::Style::new(), lead: String::new(), rest })
}

/// What a person should look at: memories that no longer match their files, flagged items, and proposals.
fn review(project: Option<&v1::StoreStatus>, flagged: u64, proposed: u64) -> Option<Fact> {
    let outdated = project.map_or(0, outdated_count);
    let stale = (outdated > 0).then(|| format!("{} stale", count_noun(outdated, "memory", "memories")));
    let flagged = (flagged > 0).then(|| format!("{} flagged", count_noun(flagged, "item", "items")));
    let proposed = (proposed > 0).then(|| format!("{} proposed", count_noun(proposed, "memory", "memories")));
    let lead = stale.into_iter().chain(flagged).chain(proposed).collect::<Vec<_>>().join(", ");
    (!lead.is_empty()).then(|| Fact { style: WARNING, lead, rest: String::new() })
}

/// `claude-code on main, 2 min ago: make retries bounded`, and where, if that is another folder.
fn session_at_work(session: &v1::LiveSession, here: &str, now: Option<Timestamp>) -> Fact {
    let v1::LiveSession { id: _, agent, work_tree, branch, goal, last_at, files } = session;
    let lead = if agent.is_empty() { "a person".to_owned() } else { printable(agent).into_owned() };
    let mut rest = String::new();
    if work_tree != here {
        let folder = work_tree.rsplit('/').next().unwrap_or_default();
        let _ = write!(rest, " in {}", printable(folder));
    }
    if !branch.is_empty() {
        let _ = write!(rest, " on {}", printable(branch));
    }
    if let Some(last) = last_at {
        let _ = write!(rest, ", {}", moment(last, now));
    }
    let goal = goal.lines().next().unwrap_or_default();
    if !goal.is_empty() {
        let _ = write!(rest, ": {}", printable(goal));
    } else if let Some(file) = files.first() {
        let _ = write!(rest, ": edits {}", printable(file));
    }
    Fact { style: GOOD, lead, rest }
}

/// When a session that is over began, and its title; `None` for one at work, or if nothing happened in it.
fn earlier_session(session: &v1::Session, now: Option<Timestamp>) -> Option<Fact> {
    let title = session.title.lines().next().filter(|title| !title.is_empty())?;
    (session.state() != v1::SessionState::Open).then(|| dated_fact(session.started_at.as_ref(), title, "", now))
}

fn decision(entry: &v1::ListEntry, now: Option<Timestamp>) -> Option<Fact> {
    let memory = entry.memory.as_ref()?;
    Some(dated_fact(memory.created_at.as_ref(), &memory.title, &memory.id, now))
}

fn dated_fact(time: Option<&prost_types::Timestamp>, title: &str, id: &str, now: Option<Timestamp>) -> Fact {
    let lead = time.map(|time| moment(time, now)).unwrap_or_default();
    let id = if id.is_empty() { String::new() } else { format!("{}  ", printable(id)) };
    Fact { style: DIM, lead: format!("{lead:<13}"), rest: format!(" {id}{}", printable(title)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    fn time(seconds: i64) -> prost_types::Timestamp {
        prost_types::Timestamp { seconds, nanos: 0 }
    }

    fn session(state: v1::SessionState, title: &str) -> v1::Session {
        let (state, title) = (state.into(), title.to_owned());
        v1::Session { state, title, started_at: Some(time(1_699_990_000)), ..v1::Session::default() }
    }

    fn live(agent: &str, work_tree: &str, goal: &str) -> v1::LiveSession {
        v1::LiveSession {
            agent: agent.to_owned(),
            work_tree: work_tree.to_owned(),
            branch: "main".to_owned(),
            goal: goal.to_owned(),
            last_at: Some(time(1_699_999_900)),
            files: vec!["src/flask/app.py".to_owned()],
            ..v1::LiveSession::default()
        }
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
        let decision = v1::Memory {
            id: "D-2fd81ec0".to_owned(),
            title: "Use WAL for the catalog".to_owned(),
            created_at: Some(time(1_699_700_000)),
            ..v1::Memory::default()
        };
        let overview = Overview {
            project: Some(&project),
            global: Some(&global),
            at_work: &[
                live("claude-code", "/home/me/src/flask", "make retries bounded\nand fast"),
                live("codex", "/home/me/src/shop", ""),
                live("", "/home/me/src/flask", ""),
                live("gemini", "/home/me/src/flask", ""),
            ],
            sessions: &[
                session(v1::SessionState::Open, "at work"),
                session(v1::SessionState::Ended, "fix the redirect test"),
                session(v1::SessionState::Ended, ""),
            ],
            decisions: &[v1::ListEntry { memory: Some(decision), ..v1::ListEntry::default() }],
            flagged: 2,
            proposed: 3,
        };
        let next = [
            Suggestion { command: "recall verify", reason: "1 memory is outdated".to_owned() },
            Suggestion { command: "recall search \"…\"", reason: "find code".to_owned() },
        ];
        let now = Timestamp::new(1_700_000_000, 0).ok();
        insta::assert_snapshot!(plain(&render(overview, &next, Screen { width: Some(80), now, ..Screen::default() })), @r"
        flask  /home/me/src/flask

          index     complete, 226 documents in 1,780 chunks, changed 16 min ago
          memories  4 of this project, 2 for all projects
          review    1 memory stale, 2 items flagged, 3 memories proposed

          at work   claude-code on main, 1 min ago: make retries bounded
                    codex in shop on main, 1 min ago: edits src/flask/app.py
                    a person on main, 1 min ago: edits src/flask/app.py
                    and 1 more: recall status --sessions
          lately    2 hours ago   fix the redirect test
          decided   3 days ago    D-2fd81ec0  Use WAL for the catalog

          next      recall verify  1 memory is outdated
                    recall --help  lists all commands
        ");
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
        let overview = Overview { project: Some(&project), ..Overview::default() };
        let shown = plain(&render(overview, &next, Screen { width: Some(32), ..Screen::default() }));
        assert!(shown.contains("3 files failed"), "{shown}");
        assert!(shown.lines().all(|line| columns(line) <= 32), "{shown}");
    }
}
