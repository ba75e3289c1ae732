//! Where the summaries of sessions are, and what they may displace in a search.

use std::fs;
use std::process::Command;

use recall_core::SessionEventType::{Decision, Error, RetrievalQuery};
use recall_core::{
    AddMemory, AskBriefing, BriefingSubject, EndReason, EndSession, MemoryType, Provenance, SessionEventType,
    SessionShare,
};
use recall_engine::{EndedSession, Engine, Keeping, SectionKind, SessionError};

use super::{event, in_session, log, private_summary, store_folder};
use crate::support::{Sandbox, new_memory, paths};

fn end(sandbox: &Sandbox, engine: &Engine, id: &str, summary: Option<&str>) -> EndedSession {
    let request = EndSession {
        summary: summary.map(str::to_owned),
        memories: Vec::new(),
        reason: EndReason::End,
        provenance: in_session(id),
    };
    engine.end_session(&sandbox.origin(), &request).expect("ended")
}

fn remember(sandbox: &Sandbox, engine: &Engine, session: &str, text: &str) -> String {
    let memory = AddMemory { provenance: in_session(session), ..new_memory(MemoryType::Decision, text, text) };
    engine.add_memory(&sandbox.origin(), &memory).expect("kept").id.to_string()
}

#[test]
fn a_setting_decides_which_summaries_are_files_of_the_project() {
    let check = |share: SessionShare, recorded: SessionEventType, expected: Keeping| {
        let mut sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
        sandbox.share = share;
        let engine = sandbox.engine();
        log(&sandbox, &engine, &event("s1", recorded, "The pool leaks."));
        let ended = end(&sandbox, &engine, "s1", None);
        let path = ended.summary_path.expect("a summary");
        assert_eq!(
            (ended.keeping, sandbox.root().join(path.as_str()).exists()),
            (expected, expected == Keeping::Shared)
        );
        assert_eq!(sandbox.root().join(".recall").exists(), expected == Keeping::Shared, "{share:?}");
    };
    check(SessionShare::Never, Decision, Keeping::Private);
    check(SessionShare::Decisions, Error, Keeping::Private);
    check(SessionShare::Decisions, Decision, Keeping::Shared);
    check(SessionShare::All, Error, Keeping::Shared);
}

#[test]
fn a_session_that_only_searched_leaves_nothing_anywhere() {
    let mut sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    sandbox.share = SessionShare::All;
    let engine = sandbox.engine();
    log(&sandbox, &engine, &event("s1", RetrievalQuery, "where is the pool"));
    assert_eq!(end(&sandbox, &engine, "s1", None).summary_path, None);
    assert!(!sandbox.root().join(".recall").exists() && !store_folder(&sandbox).join(".recall").exists());
    let refused = engine.keep_session(&sandbox.origin(), "s1");
    assert!(matches!(&refused, Err(SessionError::Trivial { id }) if id == "s1"), "{refused:?}");
}

#[test]
fn a_summary_is_brought_into_the_project_on_request_and_stays_there() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "a");
    log(&sandbox, &engine, &event("s1", Decision, "The pool is bounded."));
    let path = end(&sandbox, &engine, "s1", None).summary_path.expect("a summary");
    assert!(private_summary(&sandbox, &path).contains("The pool is bounded."));
    let kept = engine.keep_session(&sandbox.origin(), "s1").expect("kept");
    assert_eq!(kept.summary_path, path);
    assert!(!store_folder(&sandbox).join(path.as_str()).exists(), "there is one summary");
    log(&sandbox, &engine, &event("s1", Decision, "The pool is drained."));
    assert_eq!(end(&sandbox, &engine, "s1", None).keeping, Keeping::Shared);
    let text = fs::read_to_string(sandbox.root().join(path.as_str())).expect("written");
    assert!(text.contains("The pool is drained."), "{text}");
    let hits = sandbox.search(&engine, "pool drained").hits;
    assert_eq!(hits[0].document.path, path);
    let unknown = engine.keep_session(&sandbox.origin(), "s9");
    assert!(matches!(unknown, Err(SessionError::NotFound { .. })), "{unknown:?}");
}

#[test]
fn a_private_summary_is_found_until_it_is_gone() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    log(&sandbox, &engine, &event("s1", Decision, "The platypus swims the monotreme crawl."));
    let path = end(&sandbox, &engine, "s1", None).summary_path.expect("a summary");
    // The first search builds the index from all files.
    assert_eq!(paths(&sandbox.search(&engine, "monotreme crawl")), [path.as_str()]);
    engine.close();
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "monotreme crawl")), [path.as_str()]);
    fs::remove_file(store_folder(&sandbox).join(path.as_str())).expect("removed");
    assert!(paths(&sandbox.search(&engine, "monotreme crawl")).is_empty());
}

#[test]
fn a_session_never_ranks_above_the_decision_that_it_mentions() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "a");
    let id = remember(&sandbox, &engine, "s1", "The request context is counted.");
    let words = "why is push counted: push is counted because push may be nested, and push is counted by push";
    let path = end(&sandbox, &engine, "s1", Some(&format!("{words}. See {id}."))).summary_path.expect("a summary");
    let answer = sandbox.search(&engine, "why is push counted");
    let place = |wanted: &str| paths(&answer).iter().position(|path| *path == wanted).expect("among the hits");
    assert!(place(&id) < place(path.as_str()), "{:?}", paths(&answer));
}

#[test]
fn recalls_own_files_are_not_changes_of_the_branch() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n"), (".recall/profile.md", "We speak plainly.\n")]);
    let git = |arguments: &[&str]| {
        let done = Command::new("git").current_dir(sandbox.root()).args(arguments).output().expect("git runs");
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    let engine = sandbox.engine();
    remember(&sandbox, &engine, "s1", "The pool is bounded.");
    let request = AskBriefing {
        budget_tokens: 2000,
        goal: None,
        subject: BriefingSubject::Project,
        provenance: Provenance::default(),
    };
    let briefing = engine.briefing(&sandbox.origin(), &request).expect("told");
    let changes = briefing.sections.iter().find(|section| section.kind == SectionKind::Changes).expect("a section");
    assert!(changes.text.contains("1 file changed and not committed: a.rs\n"), "{}", changes.text);
}
