//! Where lines come from: commits, sessions, decisions and records of other tools.

use std::process::Command;

use recall_core::{
    EndReason, EndSession, HookRecord, LogEvent, MemoryType, Metadata, MetadataValue, Provenance, SessionEventType,
    StartSession,
};
use recall_engine::{
    Engine, EngineSettings, LineOrigin, TraceContributor, UnknownCommit, Warning, Why, WhyRequest, WhySettings,
};

use crate::support::{Sandbox, new_memory};

const DIG: &str = "pub fn dig_the_pool(depth: u32) -> u32 {\n    let shovels = depth * 2;\n    let buckets = shovels + depth;\n    \
                   buckets.saturating_mul(3)\n}\n";

pub(crate) fn git(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(arguments);
    let output = git.current_dir(sandbox.root()).output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Commits everything and returns the hash.
pub(crate) fn commit(sandbox: &Sandbox, subject: &str) -> String {
    git(sandbox, &["add", "-A"]);
    git(sandbox, &["commit", "-q", "-m", subject]);
    git(sandbox, &["rev-parse", "HEAD"])
}

pub(crate) fn in_session(id: &str) -> Provenance {
    Provenance { session: Some(id.to_owned()), agent: Some("claude-code".to_owned()), ..Provenance::default() }
}

fn start(sandbox: &Sandbox, engine: &Engine, id: &str, goal: &str) {
    let request = StartSession { goal: Some(goal.to_owned()), provenance: in_session(id) };
    engine.start_session(&sandbox.origin(), &request).expect("begun");
}

/// Logs what a hook recorded.
pub(crate) fn record(
    sandbox: &Sandbox,
    engine: &Engine,
    session: &str,
    content: &str,
    record: HookRecord,
    files: &[&str],
) {
    let metadata = Metadata::from([(HookRecord::KEY.to_owned(), MetadataValue::Text(record.as_str().to_owned()))]);
    let event_type =
        if record == HookRecord::Commit { SessionEventType::Milestone } else { SessionEventType::Observation };
    let event = LogEvent {
        event_type,
        content: content.to_owned(),
        rationale: None,
        resolution: None,
        from_agent: None,
        to_agent: None,
        related_files: files.iter().map(|&file| file.to_owned()).collect(),
        metadata,
        key: None,
        replacements: Vec::new(),
        provenance: in_session(session),
    };
    engine.log_event(&sandbox.origin(), &event).expect("kept");
}

fn edit(sandbox: &Sandbox, engine: &Engine, session: &str, path: &str) {
    record(sandbox, engine, session, &format!("edited {path}"), HookRecord::Edit, &[path]);
}

#[track_caller]
fn why(sandbox: &Sandbox, engine: &Engine, file: &str) -> Why {
    engine.why(&sandbox.origin(), &WhyRequest { file: file.to_owned(), lines: None }).expect("an answer")
}

/// Returns the only range of an answer.
#[track_caller]
fn only(why: &Why) -> &LineOrigin {
    let [range] = &why.ranges[..] else { panic!("{why:?}") };
    range
}

#[test]
fn a_moved_function_leads_to_the_session_that_wrote_it_and_to_what_was_decided() {
    let sandbox =
        Sandbox::with(&[("src/pool.rs", DIG), ("docs/adr/0007-pools.md", "# 7. Pools\n\nStatus: accepted\n")]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    let engine = sandbox.engine();
    start(&sandbox, &engine, "s-dig", "Make pools deeper");
    edit(&sandbox, &engine, "s-dig", "src/pool.rs");
    let hash = commit(&sandbox, "Dig the pool (ADR 7)");
    record(&sandbox, &engine, "s-dig", &format!("committed {} Dig", &hash[..7]), HookRecord::Commit, &[]);
    let mut decision = new_memory(MemoryType::Decision, "Three buckets", "`dig_the_pool` uses three buckets.");
    decision.related_files = vec!["src/pool.rs".to_owned()];
    engine.add_memory(&sandbox.origin(), &decision).expect("added");
    let citing = new_memory(MemoryType::Lesson, "Deep pools leak", format!("Since {} they do.", &hash[..9]));
    engine.add_memory(&sandbox.origin(), &citing).expect("added");
    engine.add_memory(&sandbox.origin(), &new_memory(MemoryType::Note, "Gulls", "They eat chips.")).expect("added");
    // The function moves into another file, which nobody recorded.
    sandbox.write("src/pool.rs", "pub mod garden;\n");
    sandbox.write("src/garden.rs", &format!("pub fn rake() {{}}\n\n{DIG}"));
    commit(&sandbox, "Move the pool");

    let found = why(&sandbox, &engine, "src/garden.rs:3-6");
    let range = only(&found);
    let written = range.commit.as_ref().expect("committed");
    assert_eq!((written.hash.as_str(), written.author.as_str()), (hash.as_str(), "Ada"));
    assert_eq!((range.first, range.last, range.moved_from.as_deref()), (3, 6, Some("src/pool.rs")));
    let session = range.session.as_ref().expect("recorded");
    assert_eq!((session.id.as_str(), session.evidence.as_str()), ("s-dig", "recorded the commit"));
    assert_eq!(session.prompt.as_deref(), Some("Make pools deeper"));
    let ties: Vec<(&str, &str)> = found.ties.iter().map(|tie| (tie.title.as_str(), tie.how.as_str())).collect();
    let expected = [
        ("Deep pools leak", format!("cites commit {}", &hash[..7])),
        ("7. Pools", format!("named by commit {}", &hash[..7])),
    ];
    assert_eq!(ties, expected.each_ref().map(|(title, how)| (*title, how.as_str())), "{found:?}");
    assert_eq!(found.ties[1].state, "accepted");

    let rake = why(&sandbox, &engine, "src/garden.rs:1");
    let session = only(&rake).session.as_ref().expect_err("nobody recorded it");
    assert!(session.starts_with("no session of this work tree recorded this commit"), "{session}");
}

#[test]
fn a_memory_about_the_symbol_belongs_to_its_lines_and_not_to_others() {
    let sandbox = Sandbox::with(&[("src/pool.rs", &format!("pub fn rake() {{}}\n\n{DIG}"))]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    commit(&sandbox, "Pools");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let mut decision = new_memory(MemoryType::Decision, "Three buckets", "`dig_the_pool` uses three buckets.");
    decision.related_files = vec!["src/pool.rs".to_owned()];
    engine.add_memory(&sandbox.origin(), &decision).expect("added");
    let here = why(&sandbox, &engine, "src/pool.rs:4");
    assert_eq!(here.ties.len(), 1, "{here:?}");
    assert_eq!(here.ties[0].how, "anchored to `dig_the_pool`");
    assert_eq!(why(&sandbox, &engine, "src/pool.rs:1").ties, []);
}

#[test]
fn an_edit_shortly_before_a_commit_is_evidence_and_says_so() {
    let sandbox = Sandbox::with(&[("src/pool.rs", DIG)]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    let engine = sandbox.engine();
    let first = why(&sandbox, &engine, "src/pool.rs:1");
    assert_eq!(only(&first).commit, Err(UnknownCommit::NewFile));
    start(&sandbox, &engine, "s-edit", "Make pools deeper");
    edit(&sandbox, &engine, "s-edit", "src/pool.rs");
    let live = why(&sandbox, &engine, "src/pool.rs:1");
    let session = only(&live).session.as_ref().expect("it edited the file");
    assert!(session.id == "s-edit" && session.evidence.ends_with(" ago"), "{session:?}");
    commit(&sandbox, "Pools");
    let found = why(&sandbox, &engine, "src/pool.rs");
    let session = only(&found).session.as_ref().expect("it edited the file");
    assert!(session.id == "s-edit" && session.evidence.ends_with("before the commit"), "{session:?}");

    sandbox.write("src/pool.rs", &DIG.replace("* 2", "* 4"));
    let [before, changed, _] = &why(&sandbox, &engine, "src/pool.rs").ranges[..] else { panic!("three ranges") };
    assert!(before.commit.is_ok() && changed.commit == Err(UnknownCommit::NewLines), "{changed:?}");
    assert_eq!((changed.first, changed.last), (2, 2));
}

#[test]
fn a_commit_that_is_older_than_all_sessions_is_not_said_to_be_nobodys() {
    let sandbox = Sandbox::with(&[("src/pool.rs", DIG)]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    let old = "2001-02-03T04:05:06Z";
    git(&sandbox, &["add", "-A"]);
    let dated = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=a@example.com", "commit", "-q", "-m", "Pools", "--date", old])
        .env("GIT_COMMITTER_DATE", old)
        .current_dir(sandbox.root())
        .status();
    assert!(dated.expect("git runs").success());
    let engine = sandbox.engine();
    let reason = |engine: &Engine| only(&why(&sandbox, engine, "src/pool.rs:2")).session.clone().expect_err("unknown");
    assert_eq!(reason(&engine), "no session of this work tree is recorded");
    start(&sandbox, &engine, "s-1", "Look");
    let reason = reason(&engine);
    assert!(
        reason.starts_with("the sessions of this work tree begin on 2") && reason.ends_with("is older"),
        "{reason}"
    );
}

#[test]
fn the_end_of_a_session_notes_its_lines_and_other_notes_are_read() {
    let mut sandbox = Sandbox::with(&[("src/pool.rs", DIG), ("src/other.rs", "fn other() {}\n")]);
    sandbox.traces = true;
    git(&sandbox, &["init", "-q", "-b", "main"]);
    let engine = sandbox.engine();
    start(&sandbox, &engine, "s-dig", "Make pools deeper");
    edit(&sandbox, &engine, "s-dig", "src/pool.rs");
    let hash = commit(&sandbox, "Pools");
    record(&sandbox, &engine, "s-dig", &format!("committed {} Pools", &hash[..8]), HookRecord::Commit, &[]);
    let end =
        EndSession { summary: None, memories: Vec::new(), reason: EndReason::End, provenance: in_session("s-dig") };
    let ended = engine.end_session(&sandbox.origin(), &end).expect("ended");
    assert_eq!(ended.notes, []);
    let note = git(&sandbox, &["notes", "--ref", "agent-trace", "show", &hash]);
    for part in ["\"src/pool.rs\"", "\"recall://session/s-dig\"", "\"start_line\": 1", "\"end_line\": 5", &hash] {
        assert!(note.contains(part), "{part} in {note}");
    }
    assert!(!note.contains("other.rs") && !note.contains("deeper"), "{note}");
    engine.end_session(&sandbox.origin(), &end).expect("ended again");
    assert_eq!(git(&sandbox, &["rev-list", "--count", "refs/notes/agent-trace"]), "1", "nothing new");

    let found = why(&sandbox, &engine, "src/pool.rs:3");
    let trace = only(&found).trace.as_ref().expect("noted");
    assert_eq!((trace.contributor, trace.source), (TraceContributor::Ai, "the note of the commit"));
    assert_eq!(trace.tool.as_deref(), Some("recall"));
    // Another machine has the note and not the session.
    let elsewhere = Sandbox::new();
    git(&elsewhere, &["clone", "-q", &sandbox.root().to_string_lossy(), "."]);
    git(&elsewhere, &["fetch", "-q", "origin", "refs/notes/agent-trace:refs/notes/agent-trace"]);
    let other = elsewhere.engine();
    let there = why(&elsewhere, &other, "src/pool.rs:3");
    assert_eq!(only(&there).trace.as_ref().and_then(|trace| trace.url.as_deref()), Some("recall://session/s-dig"));
    assert_eq!(only(&there).session, Err("no session of this work tree is recorded".to_owned()));

    // A record that another tool appended before the commit, and one that is not valid.
    let line = |revision: &str, path: &str| {
        format!(
            "{{\"version\":\"1.0\",\"id\":\"1\",\"timestamp\":\"2026-01-23T14:30:00Z\",\"vcs\":{{\"type\":\"git\",\"revision\":\
             \"{revision}\"}},\"files\":[{{\"path\":\"{path}\",\"conversations\":[{{\"contributor\":{{\"type\":\"mixed\"}},\
             \"ranges\":[{{\"start_line\":2,\"end_line\":2}}]}}]}}]}}\n"
        )
    };
    sandbox.write(".agent-trace/traces.jsonl", &format!("{}{{}}\n", line(&hash, "src/other.rs")));
    sandbox.write("src/other.rs", "fn other() {}\nfn new() {}\n");
    let work = why(&sandbox, &engine, "src/other.rs:2");
    assert_eq!(only(&work).trace.as_ref().map(|trace| trace.contributor), Some(TraceContributor::Mixed));
    assert!(work.warnings.contains(&Warning::TracesUnread { records: 1 }), "{work:?}");
    commit(&sandbox, "Another");
    let later = why(&sandbox, &engine, "src/other.rs:2");
    let trace = only(&later).trace.as_ref().expect("written before");
    assert!(trace.source.ends_with("written before the commit"), "{trace:?}");
}

#[test]
fn what_has_no_answer_has_a_reason() {
    let sandbox = Sandbox::with(&[("src/pool.rs", DIG)]);
    let settings =
        EngineSettings { why: WhySettings { lines: 2, ..WhySettings::default() }, ..EngineSettings::default() };
    let engine = sandbox.engine_by(settings);
    let found = why(&sandbox, &engine, "src/pool.rs");
    assert_eq!(only(&found).commit, Err(UnknownCommit::NoRepository));
    assert_eq!(only(&found).last, 2);
    assert!(found.warnings.contains(&Warning::LinesLeftOut { last: 2, limit: 2 }), "{found:?}");
    let beyond = why(&sandbox, &engine, "src/pool.rs:9");
    assert_eq!((beyond.ranges.len(), beyond.line_count, beyond.first), (0, 5, 9));
    let missing = engine.why(&sandbox.origin(), &WhyRequest { file: "src/none.rs".to_owned(), lines: None });
    assert!(missing.is_err(), "{missing:?}");
}
