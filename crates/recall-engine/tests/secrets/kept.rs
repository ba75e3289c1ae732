//! Stored memories and events have no secrets, in answers and in files.

use std::path::{Path, PathBuf};

use recall_core::{
    AddMemory, AskBriefing, BriefingSubject, EndReason, EndSession, ListEvents, ListSessions, LogEvent, MemoryType,
    Metadata, MetadataValue, Provenance, Scope, SessionEventType, StartSession,
};
use recall_engine::{ItemRequest, Parent};

use super::samples::Sample;
use super::{is_shown, list, samples_of_all_shapes};
use crate::support::{Sandbox, new_memory};

/// Returns the names and contents of all files below a folder.
fn kept(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let of_entry = |path: PathBuf| {
        if path.is_dir() {
            return kept(&path);
        }
        let content = std::fs::read(&path).unwrap_or_default();
        vec![format!("{}\n{}", path.display(), String::from_utf8_lossy(&content))]
    };
    entries.flat_map(of_entry).collect()
}

/// Returns the shapes of secrets that leak into an answer or a file.
fn leaks(sandbox: &Sandbox, samples: &[Sample], answers: &[String]) -> Vec<String> {
    let files = kept(sandbox.home());
    assert!(files.iter().any(|file| file.contains("[secret: ")), "what is kept is looked at");
    let leak = |sample: &Sample| {
        let is_answered = answers.iter().any(|answer| is_shown(sample, answer));
        let file = files.iter().find(|file| is_shown(sample, file)).and_then(|file| file.lines().next());
        (is_answered || file.is_some()).then(|| format!("{:?}: answered {is_answered}, kept in {file:?}", sample.text))
    };
    samples.iter().filter_map(leak).collect()
}

fn in_session(id: &str) -> Provenance {
    Provenance { session: Some(id.to_owned()), agent: Some("claude-code".to_owned()), ..Provenance::default() }
}

fn memory(title: &str, content: &str) -> AddMemory {
    AddMemory { provenance: in_session("s1"), ..new_memory(MemoryType::Lesson, title, content) }
}

#[test]
fn a_memory_has_no_secrets() {
    let samples = samples_of_all_shapes(7_000);
    let sandbox = Sandbox::with(&[("docs/zoo.md", "# Zoo\n\nKeepers feed the wombats at noon.\n")]);
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    let mut answers = Vec::new();
    for (nth, sample) in samples.iter().enumerate() {
        let added = engine.add_memory(&origin, &memory(&format!("wombat{nth}"), &sample.text)).expect("kept");
        let request = ItemRequest { id: added.id.to_string(), parent: Parent::Leave, scope: Scope::All };
        answers.push(format!("{:?}", engine.get(&origin, &request).expect("there")));
    }
    engine.settle(&origin, Scope::Project).expect("settled");
    for query in ["wombat7", "password", "token", "key"] {
        answers.push(format!("{:?}", sandbox.search(&engine, query)));
    }
    answers.push(format!("{:?}", engine.list(&origin, &list()).expect("a listing")));
    let leaks = leaks(&sandbox, &samples, &answers);
    println!("{} of {} shapes kept", leaks.len(), samples.len());
    assert!(leaks.len() * 100 <= samples.len() * 2, "{}", leaks.join("\n"));
}

#[test]
fn a_title_that_is_the_beginning_of_its_content_has_no_half_of_a_secret() {
    let token = super::filled("⟦ghp_{an:36}⟧", &mut super::Rand32::new(9)).text;
    let sandbox = Sandbox::with(&[("docs/zoo.md", "# Zoo\n")]);
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    let content = format!("The deployment of the wombats to the staging cluster of the zoo uses {token} now.");
    let title = recall_core::title_of(&content);
    assert!(title.contains("ghp_"), "{title}");
    let added = engine.add_memory(&origin, &memory(&title, &content)).expect("kept");
    let request = ItemRequest { id: added.id.to_string(), parent: Parent::Leave, scope: Scope::All };
    let told = format!("{:?}", engine.get(&origin, &request).expect("there"));
    assert!(told.contains("uses [secret: ") && !told.contains("ghp_"), "{told}");
    assert!(kept(sandbox.home()).iter().all(|file| !file.contains("ghp_")));
}

#[test]
fn other_fields_of_a_memory_have_no_secrets() {
    let samples = [super::filled("⟦ghp_{an:36}⟧", &mut super::Rand32::new(9))];
    let token = samples[0].text.clone();
    let file = format!("notes/{token}.md");
    let sandbox = Sandbox::with(&[("docs/zoo.md", "# Zoo\n")]);
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    let secretive = AddMemory {
        tags: vec![token.clone()],
        related_files: vec![file],
        source: Some(format!("https://x.io/{token}")),
        provenance: Provenance {
            agent: Some(token.clone()),
            mode: Some(token.clone()),
            branch: Some(format!("feature/{token}")),
            project: Some(token.clone()),
            project_path: Some(format!("/src/{token}")),
            ..in_session("s1")
        },
        ..memory(&format!("About {token}"), "Wombats")
    };
    let added = engine.add_memory(&origin, &secretive).expect("kept");
    let request = ItemRequest { id: added.id.to_string(), parent: Parent::Leave, scope: Scope::All };
    let answers = format!("{added:?}{:?}", engine.get(&origin, &request).expect("there"));
    assert_eq!(leaks(&sandbox, &samples, &[answers]), [""; 0]);
}

#[test]
fn a_session_has_no_secrets() {
    let samples = samples_of_all_shapes(8_000);
    let sandbox = Sandbox::with(&[("docs/zoo.md", "# Zoo\n")]);
    std::fs::create_dir(sandbox.root().join(".recall")).expect("made");
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    let goal = format!("use {}", samples[0].text);
    engine.start_session(&origin, &StartSession { goal: Some(goal), provenance: in_session("s1") }).expect("begun");
    let types = [SessionEventType::Observation, SessionEventType::Error, SessionEventType::Decision];
    for (nth, sample) in samples.iter().enumerate() {
        let text = || MetadataValue::Text(sample.text.clone());
        let metadata = Metadata::from([
            ("output".to_owned(), text()),
            (
                "deep".to_owned(),
                MetadataValue::List(vec![MetadataValue::Map(Metadata::from([("x".to_owned(), text())]))]),
            ),
        ]);
        let event = LogEvent {
            event_type: types[nth % types.len()],
            content: format!("I ran this and it worked:\n{}", sample.text),
            rationale: Some(sample.text.clone()),
            resolution: None,
            from_agent: None,
            to_agent: None,
            related_files: Vec::new(),
            metadata,
            key: None,
            replacements: Vec::new(),
            provenance: in_session("s1"),
        };
        engine.log_event(&origin, &event).expect("kept");
    }
    let summary = samples.iter().map(|sample| sample.text.as_str()).collect::<Vec<_>>().join("\n\n");
    let end = EndSession {
        summary: Some(format!("Done:\n\n{summary}")),
        memories: Vec::new(),
        reason: EndReason::End,
        provenance: in_session("s1"),
    };
    let mut answers = vec![format!("{:?}", engine.end_session(&origin, &end).expect("ended"))];
    for offset in (0..1000).step_by(100) {
        let page = ListEvents { session: "s1".to_owned(), types: Vec::new(), offset, limit: 100 };
        answers.push(format!("{:?}", engine.list_events(&origin, &page).expect("told")));
    }
    let sessions = ListSessions { session: None, state: None, with_parts: true, offset: 0, limit: 10 };
    answers.push(format!("{:?}", engine.list_sessions(&origin, &sessions).expect("told")));
    let ask = AskBriefing {
        budget_tokens: 8_000,
        goal: None,
        subject: BriefingSubject::Project,
        provenance: in_session("s2"),
    };
    answers.push(format!("{:?}", engine.briefing(&origin, &ask).expect("told")));
    let leaks = leaks(&sandbox, &samples, &answers);
    println!("{} of {} shapes kept", leaks.len(), samples.len());
    assert!(leaks.len() * 100 <= samples.len() * 2, "{}", leaks.join("\n"));
}
