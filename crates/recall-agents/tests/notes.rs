//! Notes, graphs and transcripts are read by their real formats.

use std::fs;
use std::path::Path;

use recall_agents::foreign::Item;
use recall_core::{ForeignKind, SessionEventType, StoreScope};
use serde_json::json;

use crate::support::{Folder, memories, read, read_for, reasons, sessions};

#[test]
fn an_entity_has_its_observations_and_relations() {
    let folder = Folder::new();
    let graph = [
        r#"{"type":"entity","name":"Ada","entityType":"person","observations":["Likes wombats","Works on src/db.rs"]}"#,
        r#"{"type":"entity","name":"Shop","entityType":"decision","observations":["Sells burrows"]}"#,
        r#"{"type":"relation","from":"Ada","to":"Shop","relationType":"maintains"}"#,
        r#"{"type":"relation","from":"Nobody","to":"Shop","relationType":"buys_from"}"#,
        "",
        "{broken",
        r#"{"type":"entity","name":"no observations"}"#,
    ];
    let items = read(ForeignKind::MemoryServer, &folder.file("memory.jsonl", &graph.join("\n")));
    let memories = memories(&items);
    assert_eq!((memories.len(), &*memories[0].title), (2, "Ada (person)"));
    assert_eq!(memories[0].content, "- Likes wombats\n- Works on src/db.rs\n- maintains Shop\n");
    assert_eq!(reasons(&items), [("UNREADABLE", 3)]);
    let wrong = crate::support::error(ForeignKind::MemoryServer, &folder.file("x.jsonl", "{}\n[]\n")).to_string();
    assert!(wrong.contains("is not a knowledge graph") && wrong.contains("none of its lines"), "{wrong}");
}

#[test]
fn serena_memories_are_files_below_a_folder() {
    let folder = Folder::new();
    folder.file("p/.serena/memories/core.md", "# The core\n\nWombats dig.\n");
    folder.file("p/.serena/memories/auth/login_flow.md", "Log in first.\n");
    for path in ["p", "p/.serena", "p/.serena/memories"] {
        let items = read(ForeignKind::Serena, &folder.path().join(path));
        let found: Vec<_> = memories(&items).iter().map(|memory| (&*memory.id, &*memory.title)).collect();
        assert_eq!(found, [("auth/login_flow.md", "login flow"), ("core.md", "The core")], "{path}");
    }
}

#[test]
fn the_memories_of_openai_codex_belong_to_the_directories_that_they_name() {
    let folder = Folder::new();
    folder.file(
        "memories/MEMORY.md",
        "# Task Group: shop releases\nscope: publish\napplies_to: cwd=/w/shop; reuse_rule=re-check\n\n\
         ## Task 1: publish, success\n\n## Reusable knowledge\n\n- The tag is made by `make tag` [Task 1]\n\n\
         # Task Group: both\napplies_to: cwd=/w/bank and /w/shop/web; reuse_rule=x\n\n- Ports differ.\n\n\
         # Task Group: reviews\napplies_to: cwd=unknown; reuse_rule=workflow-scoped\n\n- Small steps.\n",
    );
    let summary = "v1\n\n## User Profile\n\nAda likes tests.\n\n## What's in Memory\n\n### /w/bank\n- secrets\n";
    folder.file("memories/memory_summary.md", summary);
    let rollout = "thread_id: 1\nupdated_at: 2026-09-09T13:31:42+00:00\nrollout_path: /x.jsonl\ncwd: /w/shop\n\n\
                   # Published 25.3.1\n\nThe registry was slow.\n";
    folder.file("memories/rollout_summaries/2026-09-09T13-12-38-vuPJ-release.md", rollout);
    folder.file("memories/raw_memories.md", "# Raw Memories\n");
    folder.file("memories/skills/tag/SKILL.md", "# Tag\n");
    for path in ["", "memories"] {
        let root = Path::new("/w/shop");
        let items = read_for(ForeignKind::OpenAiCodex, &folder.path().join(path), Some(root));
        let scope = |memory: &recall_agents::foreign::ForeignMemory| memory.belongs.scope.map(StoreScope::as_str);
        let found: Vec<_> = memories(&items)
            .iter()
            .map(|memory| (&*memory.title, memory.belongs.project.as_deref(), scope(memory)))
            .collect();
        assert_eq!(
            found,
            [
                ("shop releases", Some("/w/shop"), Some("project")),
                ("both", Some("/w/shop/web"), Some("project")),
                ("reviews", None, Some("global")),
                ("What Codex knows of the user", None, Some("global")),
                ("Published 25.3.1", Some("/w/shop"), Some("project")),
            ],
            "{path}"
        );
        let texts: Vec<&str> = memories(&items).iter().map(|memory| &*memory.content).collect();
        assert!(texts[0].contains("make tag") && !texts.concat().contains("secrets"), "{texts:?}");
        assert!(texts[4].starts_with("# Published") && reasons(&items).is_empty(), "{texts:?}");
    }
    let wrong = crate::support::error(ForeignKind::OpenAiCodex, &folder.file("x.md", "x")).to_string();
    assert!(wrong.contains("OpenAI Codex"), "{wrong}");
}

#[test]
fn edi_has_agents_a_profile_and_history() {
    let folder = Folder::new();
    folder.file(".edi/profile.md", "# Shop\n");
    folder.file(".edi/agents/coder.md", "---\nname: coder\n---\nCode.\n");
    folder.file(".edi/agents/bad name.md", "x");
    folder.file(".edi/history/2025-03-04-abc.md", "---\nsession_id: s-9\nagent: coder\n---\n# Retries\n\nBounded.\n");
    folder.file(".edi/config.yaml", "version: 1\n");
    let items = read(ForeignKind::Edi, folder.path());
    let files = items.iter().filter_map(|item| match item {
        Item::File(file) => Some(&*file.below),
        _ => None,
    });
    assert_eq!(files.collect::<Vec<_>>(), ["profile.md", "agents/coder.md"]);
    let [session] = sessions(&items)[..] else { panic!("one session") };
    assert_eq!((&*session.id, session.origin.mode.as_deref()), ("s-9", Some("coder")));
    assert_eq!(session.started.0, 1_741_046_400_000_000_000);
    assert_eq!(reasons(&items), [("NO_PLACE", 1), ("UNREADABLE", 1)]);
}

fn events(item: &recall_agents::foreign::ForeignSession) -> Vec<(SessionEventType, &str)> {
    item.events.iter().map(|event| (event.details.event_type, &*event.details.content)).collect()
}

#[test]
fn a_transcript_of_claude_code_is_a_session() {
    let folder = Folder::new();
    let root = folder.path().join("home/shop");
    let common = json!({"sessionId": "c-1", "cwd": root, "gitBranch": "main"});
    let line = |of: &str, second: u32, more: serde_json::Value| {
        let mut line = common.clone();
        let fields = line.as_object_mut().expect("an object");
        fields.insert("type".into(), of.into());
        fields.insert("timestamp".into(), format!("2026-02-01T10:00:{second:02}.000Z").into());
        fields.extend(more.as_object().expect("an object").clone());
        line.to_string()
    };
    let tool = |id: &str, name: &str, input: serde_json::Value| json!({"message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "id": id, "name": name, "input": input}]}});
    let result = |id: &str, is_error: bool| json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": "out"}]}});
    let lines = [
        json!({"type": "file-history-snapshot", "snapshot": {}}).to_string(),
        line("user", 0, json!({"message": {"role": "user", "content": "<command-name>/clear</command-name>"}})),
        line("user", 1, json!({"message": {"role": "user", "content": "make wombats fast"}})),
        line("assistant", 2, tool("t1", "Edit", json!({"file_path": root.join("src/a.rs"), "old_string": "a"}))),
        line("assistant", 3, tool("t2", "Bash", json!({"command": "cargo test"}))),
        line("user", 4, result("t2", true)),
        line("assistant", 5, tool("t3", "Bash", json!({"command": "git commit -m fast"}))),
        line("user", 6, result("t3", false)),
        line("user", 7, json!({"isMeta": true, "message": {"role": "user", "content": "a caveat"}})),
        "{torn".to_owned(),
        line("user", 8, json!({"message": {"role": "user", "content": [{"type": "text", "text": "now measure it"}]}})),
    ];
    let slug: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    folder.file(&format!(".claude/projects/{slug}/c-1.jsonl"), &lines.join("\n"));
    folder.file(".claude/projects/-other/c-2.jsonl", &lines.join("\n"));
    let items = read_for(ForeignKind::Transcripts, &folder.path().join(".claude/projects"), Some(&root));
    let [session] = sessions(&items)[..] else { panic!("one session: {items:?}") };
    assert_eq!((&*session.id, session.goal.as_deref()), ("c-1", Some("make wombats fast")));
    assert_eq!((session.ended.0 - session.started.0) / 1_000_000_000, 8);
    let edited = format!("edited {}", root.join("src/a.rs").display());
    assert_eq!(
        events(session),
        [
            (SessionEventType::Observation, &*edited),
            (SessionEventType::Error, "failed: cargo test"),
            (SessionEventType::Milestone, "git commit -m fast"),
            (SessionEventType::Observation, "asked: now measure it"),
        ]
    );
    let elsewhere = read_for(ForeignKind::Transcripts, &folder.path().join(".claude/projects"), Some(folder.path()));
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

#[test]
fn a_transcript_of_codex_is_a_session() {
    let folder = Folder::new();
    let line = |of: &str, payload: serde_json::Value| {
        json!({"timestamp": "2026-04-20T16:44:37.772Z", "type": of, "payload": payload}).to_string()
    };
    let lines = [
        line("session_meta", json!({"id": "x-1", "cwd": "/p/shop", "git": {"branch": "main", "commit_hash": "abc"}})),
        line(
            "response_item",
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "# AGENTS.md"}]}),
        ),
        line("event_msg", json!({"type": "user_message", "message": "bound the retries"})),
        line(
            "response_item",
            json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "a", "input": "*** Begin Patch\n*** Update File: src/retry.rs\n+x\n*** End Patch"}),
        ),
        line(
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "call_id": "b", "arguments": "{\"cmd\":\"make test\"}"}),
        ),
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": "b", "output": "Chunk\nProcess exited with code 2\nOutput:"}),
        ),
    ];
    folder.file("sessions/2026/04/20/rollout-2026-04-20T16-44-37-x-1.jsonl", &lines.join("\n"));
    let items = read_for(ForeignKind::Transcripts, &folder.path().join("sessions"), Some("/p/shop".as_ref()));
    let [session] = sessions(&items)[..] else { panic!("one session") };
    assert_eq!((session.goal.as_deref(), session.origin.commit.as_deref()), (Some("bound the retries"), Some("abc")));
    assert_eq!(
        events(session),
        [(SessionEventType::Observation, "edited src/retry.rs"), (SessionEventType::Error, "failed: make test")]
    );
    assert!(read_for(ForeignKind::Transcripts, &folder.path().join("sessions"), Some("/p".as_ref())).len() == 1);
    assert!(read_for(ForeignKind::Transcripts, &folder.path().join("sessions"), Some("/q".as_ref())).is_empty());
}

#[test]
fn a_transcript_of_gemini_is_a_session() {
    let folder = Folder::new();
    let chat = json!({
        "sessionId": "g-1", "projectHash": "9f", "startTime": "2025-10-18T14:57:28.974Z", "lastUpdated": "2025-10-18T14:58:07.161Z",
        "messages": [
            {"id": "1", "timestamp": "2025-10-18T14:57:28.974Z", "type": "user", "content": "list the burrows"},
            {"id": "2", "timestamp": "2025-10-18T14:57:29.974Z", "type": "gemini", "content": "ok", "toolCalls": [
                {"name": "write_file", "args": {"file_path": "/p/shop/a.txt"}, "status": "success"},
                {"name": "run_shell_command", "args": {"command": "false"}, "status": "error"}]},
        ]
    });
    folder.file("tmp/shop/chats/session-2025-10-18T14-57-g1.json", &chat.to_string());
    folder.file("tmp/shop/logs.json", "[]");
    folder.file("tmp/shop/.project_root", "/p/shop\n");
    let items = read_for(ForeignKind::Transcripts, &folder.path().join("tmp"), Some("/p/shop".as_ref()));
    let [session] = sessions(&items)[..] else { panic!("one session") };
    assert_eq!((&*session.id, session.goal.as_deref()), ("g-1", Some("list the burrows")));
    assert_eq!(
        events(session),
        [(SessionEventType::Observation, "edited /p/shop/a.txt"), (SessionEventType::Error, "failed: false")]
    );
    assert!(read_for(ForeignKind::Transcripts, &folder.path().join("tmp"), Some("/q".as_ref())).is_empty());
}

#[test]
fn what_is_not_a_transcript_is_left_out_with_its_reason() {
    let folder = Folder::new();
    folder.file("t/rubbish.jsonl", "nothing\nat all\n");
    assert_eq!(reasons(&read(ForeignKind::Transcripts, &folder.path().join("t"))), [("UNREADABLE", 1)]);
    let wrong = crate::support::error(ForeignKind::Transcripts, &folder.file("a.txt", "x")).to_string();
    assert!(wrong.contains("does not end in `.jsonl`"), "{wrong}");
    // A pipe would block a reader forever.
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe.jsonl");
        std::process::Command::new("mkfifo").arg(&pipe).status().expect("made");
        let wrong = crate::support::error(ForeignKind::Transcripts, &pipe).to_string();
        assert!(wrong.contains("not"), "{wrong}");
        fs::remove_file(pipe).expect("removed");
    }
}
