//! What was said is found in the transcripts of agents: if the user allows it, in this project only, and without secrets.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use recall_testkit::{Project, Sandbox};
use recall_tests::{Agent, sandbox};
use serde_json::{Value, json};

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

const ERROR: &str = "error[E0502]: cannot borrow `self.cache` as mutable because it is also borrowed as immutable";

#[track_caller]
fn json_of(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let outcome = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

fn allow(sandbox: &Sandbox, project: &Project) {
    let set = sandbox.recall(project, &["config", "set", "transcripts.read", "true"]);
    assert_eq!(set.code, Some(0), "{set:?}");
}

/// Writes a session of Claude Code in a folder: an error, the edit and the command after which it was gone, and an answer.
fn write_transcript(sandbox: &Sandbox, folder: &Path, session: &str, request: &str) -> PathBuf {
    let line = |kind: &str, minute: u32, content: Value| {
        json!({"type": kind, "sessionId": session, "cwd": folder, "gitBranch": "main",
            "timestamp": format!("2026-11-26T10:{minute:02}:00Z"), "message": {"role": kind, "content": content}})
        .to_string()
    };
    let call =
        |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    let test = || json!({"command": "cargo test -p uploader"});
    let result = |id: &str, is_error: bool, text: &str| json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": text}]);
    let failed = "Exit code 101\nerror[E0502]: cannot borrow `self.queue` as mutable because it is also borrowed as immutable\n --> src/main.rs:10:9";
    let lines = [
        line("user", 0, json!(format!("{request}, the token is {SECRET}"))),
        line(
            "assistant",
            1,
            json!([{"type": "text", "text": "An exponential backoff of five attempts bounds the retries."}]),
        ),
        line("assistant", 2, call("t1", "Bash", test())),
        line("user", 3, result("t1", true, failed)),
        "{torn".to_owned(),
        line("assistant", 4, call("t2", "Edit", json!({"file_path": folder.join("src/main.rs")}))),
        line("assistant", 5, call("t3", "Bash", test())),
        line("user", 6, result("t3", false, "test result: ok")),
        line(
            "assistant",
            7,
            json!([{"type": "text", "text": "The key is cloned before the queue is changed.\n\n- [ ] document the limit"}]),
        ),
        line("user", 8, json!("now write the wombat docs")),
    ];
    let slug: String =
        folder.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let path = sandbox.user_home().join(".claude/projects").join(slug).join(format!("{session}.jsonl"));
    fs::create_dir_all(path.parent().expect("below")).expect("made");
    fs::write(&path, lines.join("\n") + "\n").expect("written");
    path
}

/// A project with a transcript, and one of another project with the same words.
fn filled(sandbox: &Sandbox) -> (Project, PathBuf) {
    let project =
        sandbox.project("shop", &[("src/main.rs", "fn main() {}\n"), ("docs/a.md", "# Retries\n\nBounded.\n")]);
    fs::create_dir(project.path(".recall")).expect("made");
    let root = project.root().canonicalize().expect("there");
    let path = write_transcript(sandbox, &root, "0f3c9a2e-11", "Make the retries of the uploader bounded");
    let other = sandbox.project("other", &[("a.rs", "")]);
    let other = other.root().canonicalize().expect("there");
    write_transcript(sandbox, &other, "77aa0000-22", "Bound the quokka retries");
    (project, path)
}

#[test]
fn nothing_is_read_until_the_user_allows_it() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    let found = sandbox.recall(&project, &["session", "search", "exponential", "backoff"]);
    assert_eq!((found.code, found.stdout.as_str()), (Some(1), ""), "{found:?}");
    for said in ["`transcripts.read` is off", "recall config set transcripts.read true", "secrets masked"] {
        assert!(found.stderr.contains(said), "{found:?}");
    }
    // A project's own settings cannot allow it.
    fs::write(project.path(".recall/recall.toml"), "[transcripts]\nread = true\n").expect("written");
    let coverage = &json_of(&sandbox, &project, &["session", "search", "backoff"])["coverage"];
    assert_eq!((&coverage["on"], &coverage["read"]), (&json!(false), &json!(0)));
    let searched = json_of(&sandbox, &project, &["search", "exponential backoff", "--type", "transcript"]);
    assert_eq!(searched["results"], json!([]));
    assert!(searched["warnings"].to_string().contains("TRANSCRIPTS_OFF"), "{searched}");
    let fixes = json_of(&sandbox, &project, &["session", "fix", ERROR]);
    assert_eq!((&fixes["results"], &fixes["coverage"]["on"]), (&json!([]), &json!(false)));
    let packet = sandbox.recall(&project, &["session", "handoff", "0f3c"]);
    assert!(packet.stderr.contains("and transcripts are not read"), "{packet:?}");
}

#[test]
fn what_was_said_is_found_in_this_project_without_secrets() {
    let sandbox = sandbox!();
    let (project, path) = filled(&sandbox);
    allow(&sandbox, &project);
    let found = json_of(&sandbox, &project, &["sessions", "search", "exponential", "backoff", "retry"]);
    let turns = found["results"].as_array().expect("turns");
    assert_eq!(turns.len(), 1, "{found}");
    assert_eq!(turns[0]["citation"], "transcript:claude-code/0f3c9a2e-11#1");
    assert!(turns[0]["excerpt"].as_str().is_some_and(|text| text.contains("five attempts")), "{found}");
    assert_eq!(turns[0]["commands"][0], json!({"command": "cargo test -p uploader", "failed": true}));
    assert_eq!(found["coverage"]["read"], 1, "{found}");
    for query in ["quokka", SECRET, "16C7e42F292c6912E7710c838347Ae178B4a"] {
        assert_eq!(json_of(&sandbox, &project, &["session", "search", query])["results"], json!([]), "{query}");
    }

    // A session that goes on is found as it is now.
    let root = project.root().canonicalize().expect("there");
    let line = json!({"type": "user", "sessionId": "0f3c9a2e-11", "cwd": root, "timestamp": "2026-11-26T11:00:00Z",
        "message": {"role": "user", "content": "rename the numbat"}});
    fs::write(&path, fs::read_to_string(&path).expect("there") + &line.to_string() + "\n").expect("written");
    let grown = json_of(&sandbox, &project, &["session", "search", "numbat"]);
    assert_eq!(grown["results"][0]["citation"], "transcript:claude-code/0f3c9a2e-11#3", "{grown}");

    let whole = json_of(&sandbox, &project, &["get", "transcript:claude-code/0f3c9a2e-11#1"]).to_string();
    assert!(whole.contains("The key is cloned") && !whole.contains(SECRET), "{whole}");
    let nothing = sandbox.recall(&project, &["get", "transcript:claude-code/77aa0000-22#1"]);
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
}

#[test]
fn a_search_finds_turns_if_it_names_their_type_and_after_everything_else() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    allow(&sandbox, &project);
    let types = |found: &Value| -> Vec<String> {
        let hits = found["results"].as_array().expect("hits").iter();
        hits.map(|hit| hit["doc"]["type"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let only = json_of(&sandbox, &project, &["search", "exponential backoff", "--type", "transcript"]);
    assert_eq!(types(&only), ["transcript"], "{only}");
    assert_eq!(only["results"][0]["citation"], "transcript:claude-code/0f3c9a2e-11#1");
    let both = json_of(&sandbox, &project, &["search", "bounded retries", "--type", "documentation,transcript"]);
    assert_eq!(types(&both), ["documentation", "transcript"], "{both}");
    let scores: Vec<f64> =
        both["results"].as_array().expect("hits").iter().filter_map(|it| it["score"].as_f64()).collect();
    assert!(scores[0] > scores[1], "{scores:?}");
    let plain = json_of(&sandbox, &project, &["search", "exponential backoff retries"]);
    assert!(!types(&plain).contains(&"transcript".to_owned()), "{plain}");
    let no_code = json_of(&sandbox, &project, &["search", "exponential backoff retries", "--no-code"]);
    assert!(!types(&no_code).contains(&"transcript".to_owned()), "{no_code}");
    let mut agent = Agent::new(sandbox.start_shim(&project, &[]));
    let asked = agent.ask("recall_search", json!({"query": "exponential backoff", "types": ["transcript"]}));
    assert!(asked.contains("transcript:claude-code/0f3c9a2e-11#1"), "{asked}");
    // "Nothing" is not said where transcripts are not looked at.
    for arguments in [&["list", "--type", "transcript"][..], &["search", "--exact", "backoff", "--type", "transcript"]]
    {
        let refused = sandbox.recall(&project, arguments);
        assert!(refused.code == Some(2) || refused.code == Some(4), "{refused:?}");
        assert!(refused.stderr.contains("transcript"), "{refused:?}");
    }
}

#[test]
fn a_fix_is_what_was_done_until_the_same_command_succeeded() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    allow(&sandbox, &project);
    let found = json_of(&sandbox, &project, &["session", "fix", ERROR]);
    let fix = &found["results"][0];
    assert_eq!(fix["steps"], json!([{"edited": "src/main.rs", "failed": false}]), "{found}");
    assert_eq!((&fix["resolved"], &fix["command"]), (&json!(true), &json!("cargo test -p uploader")));
    assert!(fix["said"].as_str().is_some_and(|said| said.starts_with("The key is cloned")), "{found}");
    let unlike = sandbox.recall(&project, &["session", "fix", "connection refused by the wombat server"]);
    assert_eq!(unlike.code, Some(1), "{unlike:?}");
    assert!(unlike.stderr.contains("no command failed with this error in what was read"), "{unlike:?}");

    // Without transcripts, an error that was logged with its resolution is found.
    let log = ["session", "log", "error", "`make deploy` failed", "--rationale", "quota of the numbat bucket exceeded"];
    let resolved = [&log[..], &["--resolution", "raised the quota", "--session", "s-1"]].concat();
    assert_eq!(sandbox.recall(&project, &resolved).code, Some(0));
    let fixes = json_of(&sandbox, &project, &["session", "fix", "quota of the numbat bucket exceeded"]);
    let (said, cited) = (&fixes["results"][0]["said"], &fixes["results"][0]["citation"]);
    assert_eq!((said, cited), (&json!("raised the quota"), &json!("session:s-1")), "{fixes}");
}

#[test]
fn another_agent_gets_what_it_needs_to_go_on() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    allow(&sandbox, &project);
    let logged = ["session", "log", "decision", "Five attempts.", "--session", "0f3c9a2e-11"];
    assert_eq!(sandbox.recall(&project, &logged).code, Some(0));
    let packet = sandbox.recall(&project, &["session", "handoff", "0f3c"]).stdout;
    for part in [
        "# Session 0f3c9a2e-11 of claude-code",
        "  > - now write the wombat docs",
        "`src/main.rs` (1)",
        "Five attempts.",
        "## Left open\n\n  > - document the limit",
        "  > The key is cloned before the queue is changed.",
    ] {
        assert!(packet.contains(part), "{part}: {packet}");
    }
    assert!(!packet.contains(SECRET) && !packet.contains("still failed"), "{packet}");
    let small = json_of(&sandbox, &project, &["session", "handoff", "0f3c", "--budget-tokens", "80"]);
    assert!(small["used_tokens"].as_u64().is_some_and(|used| used <= 80), "{small}");
    assert_eq!((&small["recorded"], &small["transcript"]), (&json!(true), &json!(true)));

    let resumed = sandbox.recall(&project, &["session", "resume", "0f3c"]);
    assert_eq!(resumed.stdout, "claude --resume 0f3c9a2e-11\n", "{resumed:?}");
    let own = ["session", "log", "milestone", "Done.", "--session", "by-hand"];
    assert_eq!(sandbox.recall(&project, &own).code, Some(0));
    let unknown = sandbox.recall(&project, &["session", "resume", "by-hand"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), ""), "{unknown:?}");
    assert!(unknown.stderr.contains("not known"), "{unknown:?}");
    let missing = sandbox.recall(&project, &["session", "resume", "77aa"]);
    assert!(missing.stderr.contains("no session is known as `77aa`"), "{missing:?}");
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let ran = Command::new("git").arg("-C").arg(folder).args(identity).args(arguments).output().expect("git runs");
    assert!(ran.status.success(), "{ran:?}");
}

#[test]
fn the_work_trees_of_a_repository_share_what_was_said_and_a_clone_names_no_other_project() {
    let sandbox = sandbox!();
    let (project, _) = filled(&sandbox);
    allow(&sandbox, &project);
    let root = project.root().canonicalize().expect("there");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "src"]);
    git(&root, &["commit", "-q", "-m", "first"]);
    git(&root, &["worktree", "add", "-q", "../tree"]);
    let tree = root.with_file_name("tree");
    write_transcript(&sandbox, &tree, "bb-33", "Teach the bilby to fly");
    // The repository names the folder of the other project as its work tree too.
    let other = root.with_file_name("other");
    let named = root.join(".git/worktrees/hostile");
    fs::create_dir_all(&named).expect("made");
    fs::write(named.join("gitdir"), format!("{}\n", other.join(".git").display())).expect("written");
    fs::write(named.join("commondir"), "../..\n").expect("written");
    let from_main = json_of(&sandbox, &project, &["session", "search", "bilby"]);
    assert_eq!(from_main["results"][0]["session_id"], "bb-33", "{from_main}");
    let found = sandbox.recall_in(&tree, &["--json", "session", "search", "uploader"]);
    assert!(found.stdout.contains("0f3c9a2e-11"), "{found:?}");
    assert_eq!(json_of(&sandbox, &project, &["session", "search", "quokka"])["results"], json!([]));
}
