//! The transcripts of one project are read in place, whole and within bounds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use recall_agents::foreign::{
    Action, CommandRun, Transcript, TranscriptClient, TranscriptQuery, TranscriptTally, read_transcripts,
};
use recall_core::Timestamp;
use serde_json::{Value, json};

use crate::support::Folder;

/// A home folder with a project.
struct Home {
    folder: Folder,
    root: PathBuf,
}

impl Home {
    fn new() -> Self {
        let folder = Folder::new();
        let root = folder.path().join("code/shop");
        Self { folder, root }
    }

    fn read(&self) -> (Vec<Transcript>, TranscriptTally) {
        self.read_within(100, 1 << 30)
    }

    fn read_within(&self, most: usize, most_bytes: u64) -> (Vec<Transcript>, TranscriptTally) {
        let scratch = tempfile::tempdir().expect("a folder");
        let roots = [self.root.clone()];
        let query = TranscriptQuery {
            roots: &roots,
            home: self.folder.path(),
            folders: &BTreeMap::new(),
            scratch: scratch.path(),
            mask: |text| *text = text.replace("hunter2", "[secret]"),
            most,
            since: Timestamp(0),
            most_bytes,
        };
        let mut transcripts = Vec::new();
        let tally = read_transcripts(&query, &mut |transcript| transcripts.push(transcript));
        transcripts.sort_by(|a, b| (a.client, &a.session).cmp(&(b.client, &b.session)));
        (transcripts, tally)
    }

    /// Writes a session of Claude Code in a folder: a request, an answer, a failed command, an edit and a second request.
    fn claude(&self, session: &str, directory: &Path) -> PathBuf {
        let line = |kind: &str, content: Value| {
            let message = json!({"role": kind, "content": content});
            json!({"type": kind, "sessionId": session, "cwd": directory, "gitBranch": "main",
                "timestamp": "2026-02-01T10:00:00.000Z", "message": message})
            .to_string()
        };
        let tool =
            |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
        let result = |id: &str, is_error: bool, text: &str| {
            json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error,
                "content": [{"type": "text", "text": text}]}])
        };
        let lines = [
            json!({"type": "summary", "summary": "Burrows", "leafUuid": "1"}).to_string(),
            line("user", json!("dig the burrow with password hunter2")),
            line("assistant", json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I dig it."}])),
            line("assistant", tool("t1", "Bash", json!({"command": "make dig"}))),
            line("user", result("t1", true, "Exit code 2\nerror: the spade is blunt")),
            "{torn".to_owned(),
            line("assistant", tool("t2", "Edit", json!({"file_path": directory.join("spade.rs")}))),
            line("assistant", tool("t3", "Bash", json!({"command": "make dig"}))),
            line("user", result("t3", false, "dug")),
            line("user", json!("thanks")),
        ];
        let slug = |path: &Path| -> String {
            path.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
        };
        let name = format!(".claude/projects/{}/{session}.jsonl", slug(directory));
        self.folder.file(&name, &(lines.join("\n") + "\n"))
    }
}

fn ran(command: &str, output: &str, has_failed: bool) -> Action {
    Action::Ran(CommandRun { command: command.to_owned(), output: output.to_owned(), has_failed })
}

fn said(text: &str) -> Action {
    Action::Said(text.to_owned())
}

/// Checks the only transcript: the requests, and what followed the first one.
#[track_caller]
fn check(home: &Home, client: TranscriptClient, session: &str, prompts: &[&str], actions: &[Action]) {
    let (transcripts, tally) = home.read();
    let [transcript] = &transcripts[..] else { panic!("one transcript: {transcripts:?} {tally:?}") };
    assert_eq!((transcript.client, &*transcript.session), (client, session));
    assert_eq!(transcript.turns.iter().map(|turn| &*turn.prompt).collect::<Vec<_>>(), prompts);
    let followed: Vec<Action> = transcript.turns[0].steps.iter().map(|step| step.action.clone()).collect();
    assert_eq!(followed, actions);
    assert!(transcript.started.is_some() && transcript.started <= transcript.ended);
    assert_eq!((tally.read, tally.unreadable.len()), (1, 0), "{tally:?}");
}

#[test]
fn a_conversation_with_claude_code_has_answers_and_outcomes_and_no_secret() {
    let home = Home::new();
    home.claude("c-1", &home.root.join("crates/pit"));
    let edited = Action::Edited(home.root.join("crates/pit/spade.rs").to_string_lossy().into_owned());
    check(
        &home,
        TranscriptClient::ClaudeCode,
        "c-1",
        &["dig the burrow with password [secret]", "thanks"],
        &[
            said("I dig it."),
            ran("make dig", "Exit code 2\nerror: the spade is blunt", true),
            edited,
            ran("make dig", "dug", false),
        ],
    );
}

#[test]
fn a_conversation_with_codex_has_each_message_once() {
    let home = Home::new();
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-04-20T16:44:37.772Z", "type": kind, "payload": payload}).to_string() + "\n"
    };
    let answer =
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Bounded."}]});
    let call = json!({"type": "function_call", "name": "shell", "call_id": "a", "arguments": "{\"command\":[\"make\",\"test\"]}"});
    let text = [
        line("session_meta", json!({"id": "x-1", "cwd": home.root, "git": {"branch": "main"}})),
        line("event_msg", json!({"type": "user_message", "message": "bound the retries"})),
        line("event_msg", json!({"type": "agent_message", "message": "Bounded."})),
        line("response_item", answer),
        line("response_item", call),
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": "a",
            "output": "{\"output\":\"no such target\",\"metadata\":{\"exit_code\":2}}"}),
        ),
    ];
    home.folder.file(".codex/sessions/2026/04/20/rollout-2026-04-20T16-44-37-x-1.jsonl", &text.concat());
    let expected = [said("Bounded."), ran("make test", "no such target", true)];
    check(&home, TranscriptClient::Codex, "x-1", &["bound the retries"], &expected);
}

#[test]
fn a_conversation_with_gemini_is_as_it_was_after_a_rewind() {
    let home = Home::new();
    let shell = |output: &str| {
        json!([{"name": "run_shell_command", "args": {"command": "make test"}, "status": "success",
            "result": [{"functionResponse": {"response": {"output": output}}}]}])
    };
    let time = "2026-05-18T14:57:28.974Z";
    let lines = [
        json!({"sessionId": "g-1", "projectHash": "9f", "startTime": time}),
        json!({"id": "1", "timestamp": time, "type": "user", "content": [{"text": "list the burrows"}]}),
        json!({"id": "2", "timestamp": time, "type": "gemini", "content": "wrong"}),
        json!({"$rewindTo": "2"}),
        json!({"id": "3", "timestamp": time, "type": "gemini", "content": "ok"}),
        json!({"id": "3", "timestamp": time, "type": "gemini", "content": "ok", "toolCalls": shell("Exit Code: 1\nno rule")}),
    ];
    let text = lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
    home.folder.file(".gemini/tmp/shop/chats/session-2026-05-18T14-57-g1.jsonl", &text);
    home.folder.file(".gemini/tmp/shop/.project_root", &format!("{}\n", home.root.display()));
    let expected = [said("ok"), ran("make test", "Exit Code: 1\nno rule", true)];
    check(&home, TranscriptClient::Gemini, "g-1", &["list the burrows"], &expected);
}

#[test]
fn a_conversation_with_copilot_is_without_its_subagents() {
    let home = Home::new();
    let line = |kind: &str, data: Value| {
        json!({"id": "e", "timestamp": "2026-06-01T10:00:00.000Z", "parentId": null, "type": kind, "data": data})
            .to_string()
            + "\n"
    };
    let text = [
        line(
            "session.start",
            json!({"sessionId": "p-1", "version": 1, "context": {"cwd": home.root, "branch": "main"}}),
        ),
        line("user.message", json!({"content": "sharpen the spade"})),
        line("assistant.message", json!({"messageId": "m", "content": "Sharpened."})),
        line("assistant.message", json!({"messageId": "n", "content": "of a subagent", "parentToolCallId": "t0"})),
        line(
            "tool.execution_start",
            json!({"toolCallId": "t1", "toolName": "edit", "arguments": {"path": "spade.rs"}}),
        ),
        line("tool.execution_start", json!({"toolCallId": "t2", "toolName": "bash", "arguments": {"command": "make"}})),
        line(
            "tool.execution_complete",
            json!({"toolCallId": "t2", "success": true,
            "result": {"content": "no rule\n<exited with exit code 2>"}}),
        ),
    ];
    home.folder.file(".copilot/session-state/p-1/events.jsonl", &text.concat());
    let expected = [
        said("Sharpened."),
        Action::Edited("spade.rs".to_owned()),
        ran("make", "no rule\n<exited with exit code 2>", true),
    ];
    check(&home, TranscriptClient::Copilot, "p-1", &["sharpen the spade"], &expected);
}

/// Writes the database of OpenCode with a session in the project, one of a subagent and one of another project.
fn open_code(home: &Home) {
    let mut sql = "CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text NOT NULL, title text,
            time_created integer, time_updated integer);
        CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text NOT NULL);
        CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, data text NOT NULL);"
        .to_owned();
    let root = home.root.display();
    for (id, parent, directory) in [
        ("ses_1", "NULL", root.to_string()),
        ("ses_2", "'ses_1'", root.to_string()),
        ("ses_3", "NULL", "/elsewhere".to_owned()),
    ] {
        let _ = write!(
            sql,
            "INSERT INTO session VALUES ('{id}', 'p', {parent}, '{directory}', 't', 1767323045000, 1767323046000);"
        );
        for (message, role) in [("u", "user"), ("a", "assistant")] {
            let data = json!({"role": role});
            let _ = write!(sql, "INSERT INTO message VALUES ('{id}{message}', '{id}', 1767323045000, '{data}');");
        }
        let bash = json!({"type": "tool", "tool": "bash", "state": {"status": "completed", "input": {"command": "make"},
            "output": "no rule", "metadata": {"exit": 2}}});
        let edit = json!({"type": "tool", "tool": "edit", "state": {"status": "completed", "input": {"filePath": "spade.rs"}}});
        let parts = [
            ("u", json!({"type": "text", "text": "dig"})),
            ("u", json!({"type": "text", "text": "the content of a file", "synthetic": true})),
            ("a", json!({"type": "text", "text": "I dig."})),
            ("a", bash),
            ("a", edit),
        ];
        for (at, (message, data)) in parts.iter().enumerate() {
            let _ = write!(
                sql,
                "INSERT INTO part VALUES ('{id}{at}', '{id}{message}', '{id}', {}, '{data}');",
                1_767_323_045_000_i64 + at as i64
            );
        }
    }
    fs::create_dir_all(home.folder.path().join(".local/share/opencode")).expect("made");
    home.folder.database(".local/share/opencode/opencode.db", &sql);
}

#[test]
fn a_conversation_with_open_code_is_read_from_its_database() {
    let home = Home::new();
    open_code(&home);
    let expected = [said("I dig."), ran("make", "no rule", true), Action::Edited("spade.rs".to_owned())];
    check(&home, TranscriptClient::OpenCode, "ses_1", &["dig"], &expected);
    assert_eq!(home.read().1.elsewhere, 1);
}

#[test]
fn transcripts_of_other_projects_are_not_read() {
    let home = Home::new();
    home.claude("own", &home.root);
    // Their folders begin like that of the project, or are the same.
    home.claude("neighbour", &home.folder.path().join("code/shop-old"));
    home.claude("twin", &home.folder.path().join("code.shop"));
    let line = json!({"type": "session_meta", "payload": {"id": "x-2", "cwd": "/p/other"}});
    home.folder.file(".codex/sessions/2026/rollout-x-2.jsonl", &line.to_string());
    let nowhere = json!({"type": "user", "sessionId": "nowhere", "message": {"role": "user", "content": "where?"}});
    let own = home.claude("own", &home.root);
    fs::write(own.with_file_name("nowhere.jsonl"), nowhere.to_string()).expect("written");
    let (transcripts, tally) = home.read();
    assert_eq!(transcripts.iter().map(|it| &*it.session).collect::<Vec<_>>(), ["own"]);
    assert_eq!(tally.elsewhere, 4, "{tally:?}");
}

#[test]
fn a_transcript_that_grows_keeps_the_numbers_of_its_turns() {
    let home = Home::new();
    let path = home.claude("c-1", &home.root);
    let before = home.read().0.remove(0);
    let line = json!({"type": "user", "sessionId": "c-1", "cwd": home.root, "timestamp": "2026-02-01T11:00:00Z",
        "message": {"role": "user", "content": "and now fill it"}});
    let text = fs::read_to_string(&path).expect("there") + &line.to_string();
    fs::write(&path, text).expect("written");
    let after = home.read().0.remove(0);
    assert_eq!(after.turns[..before.turns.len()], before.turns[..]);
    assert_eq!((after.turns.len(), &*after.turns[2].prompt), (3, "and now fill it"));
    assert!(after.ended > before.ended);
}

#[test]
fn what_is_beyond_a_bound_is_counted() {
    let home = Home::new();
    assert_eq!(home.read().1.read, 0, "a home without agents is one without transcripts");
    assert!(home.read().1.unreadable.is_empty());
    let bytes = home.claude("c-1", &home.root).metadata().expect("there").len();
    home.claude("c-2", &home.root);
    let (transcripts, tally) = home.read_within(1, 1 << 20);
    assert_eq!((transcripts.len(), tally.older, tally.too_large), (1, 1, 0));
    let (transcripts, tally) = home.read_within(9, bytes + 9);
    assert_eq!((transcripts.len(), tally.older, tally.too_large), (1, 0, 1));
    home.folder.file(".gemini/tmp/x/chats/session-1.json", "{broken");
    let (transcripts, tally) = home.read();
    assert_eq!((transcripts.len(), tally.unreadable.len()), (2, 1), "{tally:?}");
    assert!(tally.unreadable[0].1.to_string().contains("is not JSON"), "{tally:?}");
}
