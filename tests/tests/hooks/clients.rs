//! Exchanges with each client: an event as the client sends it, and what `recall hook` prints in the form that the client reads.

use recall_agents::{HookEvent, agents};
use recall_testkit::Project;
use recall_tests::Sandbox;
use serde_json::{Value, json};

use super::{FACT, care, json_of, patient, project, remember};

/// A client, the event on its command line, its input, the answer, and what the event records in the session.
///
/// `ROOT` is the project, `SESSION` the session, and `TEXT` in an answer stands for the text of the event.
type Exchange = (&'static str, &'static str, &'static str, &'static str, &'static str);

const SPECIFIC_PROMPT: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"TEXT"}}"#;
const SPECIFIC_START: &str = r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"TEXT"}}"#;
const SPECIFIC_READ: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"TEXT"}}"#;
const SPECIFIC_RESULT: &str = r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"TEXT"}}"#;
const SPECIFIC_FAILURE: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"TEXT"}}"#;
const SPECIFIC_SUBAGENT: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"TEXT"}}"#;
const COPILOT_START: &str =
    r#"{"additionalContext":"TEXT","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"TEXT"}}"#;
const COPILOT_PROMPT: &str = r#"{"additionalContext":"TEXT","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"TEXT"}}"#;
/// Of a tool that has run: what is known about its call, or about its failure.
const COPILOT_RESULT: &str =
    r#"{"additionalContext":"TEXT","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"TEXT"}}"#;
const CURSOR: &str = r#"{"additional_context":"TEXT"}"#;
const CLINE: &str = r#"{"cancel":false,"contextModification":"TEXT"}"#;

#[rustfmt::skip]
const EXCHANGES: &[Exchange] = &[
    ("claude-code", "prompt", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"Why do retries of webhooks need jitter?"}"#, SPECIFIC_PROMPT, "session_start Why do retries"),
    ("claude-code", "post-tool", r#"{"session_id":"SESSION","cwd":"ROOT","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_use_id":"toolu_1","error":"error[E0061]: wrong\n --> src/retry.rs:2:5","is_interrupt":false}"#, SPECIFIC_FAILURE, "error `cargo test` failed"),
    ("codex", "session-start", r#"{"session_id":"SESSION","transcript_path":null,"cwd":"ROOT","hook_event_name":"SessionStart","model":"gpt-5","permission_mode":"default","source":"startup"}"#, SPECIFIC_START, ""),
    ("codex", "pre-tool", r#"{"session_id":"SESSION","turn_id":"1","transcript_path":null,"cwd":"ROOT","hook_event_name":"PreToolUse","model":"gpt-5","permission_mode":"default","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/retry.rs\n@@\n-a\n+b\n*** End Patch\n"},"tool_use_id":"call_1"}"#, SPECIFIC_READ, ""),
    ("codex", "post-tool", r#"{"session_id":"SESSION","turn_id":"1","transcript_path":null,"cwd":"ROOT","hook_event_name":"PostToolUse","model":"gpt-5","permission_mode":"default","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: src/new.rs\n+b\n*** End Patch\n"},"tool_response":"Success. Updated the following files:\nA src/new.rs\n","tool_use_id":"call_1"}"#, "", "observation edited src/new.rs"),
    ("codex", "subagent-start", r#"{"session_id":"SESSION","turn_id":"1","transcript_path":null,"cwd":"ROOT","hook_event_name":"SubagentStart","model":"gpt-5","permission_mode":"default","agent_id":"a1","agent_type":"explorer"}"#, SPECIFIC_SUBAGENT, ""),
    ("gemini", "prompt", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.json","cwd":"ROOT","hook_event_name":"BeforeAgent","timestamp":"2026-11-02T09:00:00Z","prompt":"Why do retries of webhooks need jitter?"}"#, r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"TEXT"}}"#, "session_start Why do retries"),
    ("gemini", "stop", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.json","cwd":"ROOT","hook_event_name":"AfterAgent","timestamp":"2026-11-02T09:00:00Z","prompt":"Add jitter","prompt_response":"Jitter is there.\n\n- [ ] Test it","stop_hook_active":false}"#, "", "observation Jitter is there."),
    ("qwen", "prompt", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","hook_event_name":"UserPromptSubmit","timestamp":"2026-11-02T09:00:00.511Z","permission_mode":"yolo","prompt_id":"SESSION########0","prompt":"Why do retries of webhooks need jitter?","submitted_prompt":"Why do retries of webhooks need jitter?"}"#, SPECIFIC_PROMPT, "session_start Why do retries"),
    ("qwen", "prompt", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","hook_event_name":"UserPromptSubmit","timestamp":"2026-11-02T09:00:01.883Z","permission_mode":"yolo","prompt_id":"SESSION########0","prompt":""}"#, "", ""),
    ("qwen", "pre-tool", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","hook_event_name":"PostToolUse","timestamp":"2026-11-02T09:00:01.612Z","permission_mode":"yolo","tool_name":"read_file","tool_input":{"file_path":"ROOT/src/retry.rs"},"tool_response":{"llmContent":"pub fn a() {}\n","returnDisplay":""},"tool_use_id":"toolu_1","tool_call_id":"call_0","duration_ms":107}"#, SPECIFIC_RESULT, ""),
    ("qwen", "post-tool", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","hook_event_name":"PostToolUseFailure","timestamp":"2026-11-02T09:00:02.064Z","permission_mode":"yolo","tool_use_id":"toolu_2","tool_call_id":"call_1","tool_name":"run_shell_command","tool_input":{"command":"cargo test","description":"Tests","is_background":false},"error":"Command: cargo test\nDirectory: (root)\nOutput: src/retry.rs:2: wrong\nError: (none)\nExit Code: 3\nSignal: (none)\nProcess Group PGID: (none)","is_interrupt":false,"duration_ms":152}"#, SPECIFIC_FAILURE, "error `cargo test` failed"),
    ("qwen", "post-tool", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","hook_event_name":"PostToolUse","timestamp":"2026-11-02T09:00:02.064Z","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{"command":"cargo test","description":"Tests","is_background":false},"tool_response":{"llmContent":"Command: cargo test\nDirectory: (root)\nOutput: src/retry.rs:2: wrong\nError: (none)\nExit Code: 3\nSignal: (none)\nProcess Group PGID: (none)","returnDisplay":"src/retry.rs:2: wrong"},"tool_use_id":"toolu_2","tool_call_id":"call_1","duration_ms":58}"#, SPECIFIC_RESULT, "error `cargo test` failed"),
    ("droid", "session-start", r#"{"sessionId":"SESSION","transcriptPath":"ROOT/t.jsonl","cwd":"ROOT","permissionMode":"off","hookEventName":"SessionStart","source":"startup"}"#, SPECIFIC_START, ""),
    ("droid", "prompt", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"Why do retries of webhooks need jitter?"}"#, SPECIFIC_PROMPT, "session_start Why do retries"),
    ("droid", "pre-tool", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","permission_mode":"auto-low","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"ROOT/src/retry.rs"},"tool_response":"pub fn a() {}\n"}"#, SPECIFIC_RESULT, ""),
    ("droid", "post-tool", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","permission_mode":"auto-low","hook_event_name":"PostToolUse","tool_name":"Create","tool_input":{"file_path":"ROOT/src/new.rs","content":"x\n"},"tool_response":"{\"success\":true,\"file_path\":\"ROOT/src/new.rs\"}"}"#, "", "observation edited src/new.rs"),
    ("droid", "post-tool", r#"{"session_id":"SESSION","transcript_path":"ROOT/t.jsonl","cwd":"ROOT","permission_mode":"auto-low","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"ROOT/src/retry.rs","old_str":"x","new_str":"y"},"tool_response":"{\"success\":true,\"file_path\":\"ROOT/src/retry.rs\",\"diffLines\":[]}"}"#, "", "observation edited src/retry.rs"),
    ("cursor", "session-start", r#"{"conversation_id":"SESSION","generation_id":"g1","model":"m","session_id":"SESSION","hook_event_name":"sessionStart","cursor_version":"2.4.1","workspace_roots":["ROOT"],"user_email":null,"is_background_agent":false,"transcript_path":null}"#, CURSOR, ""),
    ("cursor", "prompt", r#"{"conversation_id":"SESSION","generation_id":"g1","model":"m","hook_event_name":"beforeSubmitPrompt","workspace_roots":["ROOT"],"prompt":"Why do retries of webhooks need jitter?","attachments":[]}"#, CURSOR, "session_start Why do retries"),
    ("cursor", "pre-tool", r#"{"conversation_id":"SESSION","generation_id":"g1","hook_event_name":"preToolUse","workspace_roots":["ROOT"],"tool_name":"Read","tool_input":{"file_path":"ROOT/src/retry.rs"},"tool_use_id":"t1","cwd":""}"#, CURSOR, ""),
    ("cursor", "post-tool", r#"{"conversation_id":"SESSION","generation_id":"g1","hook_event_name":"postToolUseFailure","workspace_roots":["ROOT"],"tool_name":"Shell","tool_input":{"command":"cargo test"},"error_message":"src/retry.rs:2: wrong","failure_type":"error","duration":12,"tool_use_id":"t1","is_interrupt":false,"cwd":"ROOT"}"#, CURSOR, "error `cargo test` failed"),
    ("cursor", "stop", r#"{"conversation_id":"SESSION","generation_id":"g1","hook_event_name":"afterAgentResponse","workspace_roots":["ROOT"],"text":"Jitter is there.\n\n- [ ] Test it"}"#, "", "observation Jitter is there."),
    ("copilot", "session-start", r#"{"hook_event_name":"SessionStart","session_id":"SESSION","timestamp":"2026-11-02T09:00:00.369Z","cwd":"ROOT","source":"new","initial_prompt":"Why do retries of webhooks need jitter?"}"#, COPILOT_START, ""),
    ("copilot", "prompt", r#"{"hook_event_name":"UserPromptSubmit","session_id":"SESSION","timestamp":"2026-11-02T09:00:00Z","cwd":"ROOT","prompt":"Why do retries of webhooks need jitter?"}"#, COPILOT_PROMPT, "session_start Why do retries"),
    ("copilot", "pre-tool", r#"{"hook_event_name":"PostToolUse","session_id":"SESSION","timestamp":"2026-11-02T09:00:01.420Z","cwd":"ROOT","tool_name":"Read","tool_input":{"path":"ROOT/src/retry.rs"},"tool_result":{"result_type":"success","text_result_for_llm":"pub fn a() {}\n"}}"#, COPILOT_RESULT, ""),
    ("copilot", "post-tool", r#"{"hook_event_name":"PostToolUse","session_id":"SESSION","timestamp":"2026-11-02T09:00:01.420Z","cwd":"ROOT","tool_name":"Bash","tool_input":{"command":"cargo test","description":"Tests"},"tool_result":{"result_type":"success","text_result_for_llm":"src/retry.rs:2: wrong\n<shellId: 0 completed with exit code 3>"}}"#, COPILOT_RESULT, "error `cargo test` failed"),
    ("copilot", "post-tool", r#"{"hook_event_name":"PostToolUse","session_id":"SESSION","timestamp":"2026-11-02T09:00:01.420Z","cwd":"ROOT","tool_name":"Write","tool_input":{"path":"ROOT/src/b.rs","file_text":"x\n"},"tool_result":{"result_type":"success","text_result_for_llm":"Created file ROOT/src/b.rs with 2 characters"}}"#, "", "observation edited src/b.rs"),
    ("copilot", "post-tool", r#"{"hook_event_name":"PostToolUse","session_id":"SESSION","timestamp":"2026-11-02T09:00:00Z","cwd":"ROOT","tool_name":"bash","tool_input":{"command":"cargo test","description":"Tests"},"tool_result":{"result_type":"success","text_result_for_llm":"src/retry.rs:2: wrong\n<exited with exit code 1>"}}"#, COPILOT_RESULT, "error `cargo test` failed"),
    ("vscode", "session-start", r#"{"timestamp":"2026-11-02T09:00:00.000Z","cwd":"ROOT","sessionId":"SESSION","hookEventName":"SessionStart","transcript_path":"ROOT/t.json","source":"new"}"#, COPILOT_START, ""),
    ("vscode", "pre-tool", r#"{"timestamp":"2026-11-02T09:00:00.000Z","cwd":"ROOT","sessionId":"SESSION","hookEventName":"PostToolUse","transcript_path":"ROOT/t.json","tool_name":"read_file","tool_input":{"filePath":"ROOT/src/retry.rs","startLine":1,"endLine":3},"tool_use_id":"tool-2","tool_response":"pub fn a() {}"}"#, COPILOT_RESULT, ""),
    // The file of hooks is that of Copilot CLI. VS Code drops what is printed for a prompt.
    ("copilot", "prompt", r#"{"timestamp":"2026-11-02T09:00:00.000Z","cwd":"ROOT","sessionId":"SESSION","hookEventName":"UserPromptSubmit","transcript_path":"ROOT/t.json","prompt":"Why do retries of webhooks need jitter?"}"#, "", "session_start Why do retries"),
    ("vscode", "post-tool", r#"{"timestamp":"2026-11-02T09:00:00.000Z","cwd":"ROOT","sessionId":"SESSION","hookEventName":"PostToolUse","tool_name":"replace_string_in_file","tool_input":{"filePath":"ROOT/src/retry.rs","oldString":"a","newString":"b"},"tool_use_id":"tool-1","tool_response":"File edited successfully"}"#, "", "observation edited src/retry.rs"),
    ("crush", "pre-tool", r#"{"event":"PreToolUse","session_id":"SESSION","cwd":"ROOT","tool_name":"view","tool_input":{"file_path":"ROOT/src/retry.rs"}}"#, r#"{"version":1,"context":"TEXT"}"#, ""),
    ("windsurf", "prompt", r#"{"agent_action_name":"pre_user_prompt","trajectory_id":"SESSION","execution_id":"e1","timestamp":"2026-11-02T09:00:00Z","model_name":"m","tool_info":{"user_prompt":"Why do retries of webhooks need jitter?","cwd":"ROOT"}}"#, "", "session_start Why do retries"),
    ("windsurf", "post-tool", r#"{"agent_action_name":"post_write_code","trajectory_id":"SESSION","execution_id":"e2","tool_info":{"file_path":"ROOT/src/retry.rs","edits":[{"old_string":"a","new_string":"b"}],"cwd":"ROOT"}}"#, "", "observation edited "),
    ("windsurf", "stop", r#"{"agent_action_name":"post_cascade_response","trajectory_id":"SESSION","execution_id":"e3","tool_info":{"response":"Jitter is there.\n\n- [ ] Test it","cwd":"ROOT"}}"#, "", "observation Jitter is there."),
    ("kiro", "session-start", r#"{"session_id":"SESSION","hook_event_name":"SessionStart","cwd":"ROOT"}"#, "TEXT", ""),
    ("kiro", "prompt", r#"{"session_id":"SESSION","hook_event_name":"UserPromptSubmit","cwd":"ROOT","prompt":"Why do retries of webhooks need jitter?"}"#, "TEXT", "session_start Why do retries"),
    ("opencode", "prompt", r#"{"session_id":"SESSION","cwd":"ROOT","prompt":"Why do retries of webhooks need jitter?"}"#, r#"{"hookSpecificOutput":{"hookEventName":"chat.message","additionalContext":"TEXT"}}"#, "session_start Why do retries"),
    ("opencode", "pre-tool", r#"{"session_id":"SESSION","cwd":"ROOT","tool_name":"Read","tool_input":{"filePath":"ROOT/src/retry.rs","file_path":"ROOT/src/retry.rs"},"tool_response":{"output":"<file>"}}"#, r#"{"hookSpecificOutput":{"hookEventName":"tool.execute.after","additionalContext":"TEXT"}}"#, ""),
    ("opencode", "post-tool", r#"{"session_id":"SESSION","cwd":"ROOT","tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_response":{"exit_code":101,"output":"src/retry.rs:2: wrong"}}"#, r#"{"hookSpecificOutput":{"hookEventName":"tool.execute.after","additionalContext":"TEXT"}}"#, "error `cargo test` failed"),
    ("kilo", "prompt", r#"{"session_id":"SESSION","cwd":"ROOT","prompt":"Why do retries of webhooks need jitter?"}"#, r#"{"hookSpecificOutput":{"hookEventName":"chat.message","additionalContext":"TEXT"}}"#, "session_start Why do retries"),
    ("cline", "session-start", r#"{"clineVersion":"3.82.0","hookName":"TaskStart","timestamp":"1","taskId":"SESSION","workspaceRoots":["ROOT"],"userId":"u","taskStart":{"taskMetadata":{}}}"#, CLINE, ""),
    ("cline", "pre-tool", r#"{"clineVersion":"3.82.0","hookName":"PreToolUse","timestamp":"1","taskId":"SESSION","workspaceRoots":["ROOT"],"userId":"u","preToolUse":{"toolName":"read_file","parameters":{"path":"src/retry.rs"}}}"#, CLINE, ""),
    ("cline", "post-tool", r#"{"clineVersion":"3.82.0","hookName":"PostToolUse","timestamp":"1","taskId":"SESSION","workspaceRoots":["ROOT"],"userId":"u","postToolUse":{"toolName":"execute_command","parameters":{"command":"cargo test"},"result":"src/retry.rs:2: wrong","success":false,"executionTimeMs":12}}"#, CLINE, "error `cargo test` failed"),
    ("cline-cli", "session-start", r#"{"clineVersion":"","timestamp":"2026-11-02T09:00:00Z","taskId":"SESSION","sessionContext":{"rootSessionId":"1"},"workspaceRoots":["ROOT"],"userId":"unknown","agent_id":"agent_1","parent_agent_id":null,"hookName":"agent_start","taskStart":{"taskMetadata":{}}}"#, "", ""),
    ("cline-cli", "pre-tool", r#"{"clineVersion":"","taskId":"SESSION","workspaceRoots":["ROOT"],"agent_id":"agent_1","hookName":"tool_call","iteration":1,"tool_call":{"id":"call_1","name":"read_files","input":{"files":[{"path":"ROOT/src/retry.rs"}]}},"preToolUse":{"toolName":"read_files","parameters":{"files":"[{\"path\":\"ROOT/src/retry.rs\"}]"}}}"#, CLINE, ""),
    ("cline-cli", "post-tool", r#"{"clineVersion":"","taskId":"SESSION","workspaceRoots":["ROOT"],"agent_id":"agent_1","hookName":"tool_result","iteration":1,"postToolUse":{"toolName":"run_commands","parameters":{"commands":"[\"cargo test\"]"},"result":"[{\"query\":\"cargo test\",\"result\":\"[Command exited with code 3]\\nsrc/retry.rs:2: wrong\\n\",\"error\":\"Command exited with code 3\",\"success\":false}]","success":true,"executionTimeMs":25}}"#, CLINE, "error `cargo test` failed"),
];

/// What the text of an event contains.
fn needle(event: &str) -> &'static str {
    match HookEvent::from_name(event).expect("an event") {
        HookEvent::SessionStart => "# Briefing: shop",
        HookEvent::SubagentStart => "recall search",
        HookEvent::PostTool => "src/retry.rs:2 (the output names this line)",
        _ => FACT,
    }
}

/// Replaces the texts that contain the needle by `TEXT`.
fn with_placeholders(answer: Value, needle: &str) -> Value {
    match answer {
        Value::String(text) if text.contains(needle) => json!("TEXT"),
        Value::Object(object) => {
            object.into_iter().map(|(key, value)| (key, with_placeholders(value, needle))).collect()
        }
        other => other,
    }
}

fn check(sandbox: &Sandbox, project: &Project, number: usize, exchange: &Exchange) {
    let (client, event, input, answer, recorded) = *exchange;
    let (session, root) = (format!("{client}-{number}"), project.root().display().to_string());
    let input = input.replace("SESSION", &session).replace("ROOT", &root);
    let outcome = care::run(sandbox, &[event, "--client", client], input.as_bytes());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{client} {event}: {outcome:?}");
    let printed = match serde_json::from_str(&outcome.stdout) {
        Ok(printed) => with_placeholders(printed, needle(event)).to_string(),
        Err(_) if outcome.stdout.contains(needle(event)) => "TEXT".to_owned(),
        Err(_) => outcome.stdout.clone(),
    };
    assert_eq!(printed, answer, "{client} {event}: {outcome:?}");
    if !recorded.is_empty() {
        let shown = json_of(sandbox, project, &["session", "show", &session]);
        let events = shown["events"].as_array().unwrap_or_else(|| panic!("{client} {event}: {shown}")).iter();
        let mut told = events.map(|event| format!("{} {}", event["type"], event["content"]).replace('"', ""));
        assert!(told.any(|told| told.starts_with(recorded)), "{client} {event}: {recorded}: {shown}");
    }
}

#[test]
fn each_client_is_answered_in_its_own_form() {
    let sandbox = patient();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["search", "zoo"]);
    remember(&sandbox, &project);
    for (number, exchange) in EXCHANGES.iter().enumerate() {
        check(&sandbox, &project, number, exchange);
    }
    for agent in agents().iter().filter(|agent| agent.has_hook_contract()) {
        assert!(EXCHANGES.iter().any(|(client, ..)| *client == agent.name), "{} has no exchange", agent.name);
    }
}

#[test]
fn an_agent_that_reads_the_hooks_of_claude_code_reports_nothing_twice() {
    let sandbox = patient();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["search", "zoo"]);
    remember(&sandbox, &project);
    let prompt = |session: &str, client: &[&str], fields: Value| {
        let prompt =
            json!({"prompt": "Why do retries of webhooks need jitter?", "hook_event_name": "UserPromptSubmit"});
        let mut input = super::event(&project, session, "UserPromptSubmit", prompt);
        input.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        care::run(&sandbox, &[&["prompt"], client].concat(), input.to_string().as_bytes()).stdout.contains(FACT)
    };
    let cursor = json!({"cursor_version": "2.4.1"});
    assert!(prompt("one", &[], cursor.clone()), "it has no hooks of its own");
    json_of(&sandbox, &project, &["mcp", "install", "--client", "cursor", "--hooks"]);
    assert!(!prompt("two", &[], cursor.clone()), "its own hook answers");
    assert!(prompt("three", &["--client", "cursor"], cursor));
    assert!(prompt("four", &[], json!({})), "Claude Code is answered");
}

#[test]
fn what_a_client_drops_was_not_shown() {
    let sandbox = patient();
    let project = project(&sandbox);
    json_of(&sandbox, &project, &["search", "zoo"]);
    let decision = "Three attempts are enough.";
    json_of(&sandbox, &project, &["remember", decision, "--type", "decision", "--file", "src/retry.rs"]);
    let run = |event: &str, fields: Value| {
        let mut input = json!({"taskId": "one", "workspaceRoots": [project.root()]});
        input.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        care::run(&sandbox, &[event, "--client", "cline"], input.to_string().as_bytes()).stdout
    };
    assert_eq!(run("session-start", json!({"hookName": "agent_start"})), "", "the command line drops it");
    let read = json!({"toolName": "read_files", "parameters": {"files": "[{\"path\":\"src/retry.rs\"}]"}});
    let told = run("pre-tool", json!({"hookName": "tool_call", "preToolUse": read}));
    assert!(told.contains(decision), "{told}");
}
