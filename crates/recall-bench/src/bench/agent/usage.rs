//! Turns, tokens and costs, as far as the output of an agent states them.
//!
//! Two forms are read: the result of Claude Code (`--output-format json` or `stream-json`) and the events of Codex (`exec --json`). For
//! any other output nothing is known, and nothing is estimated.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a run of an agent used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct Usage {
    /// The form of the output: `claude` or `codex`; `None` if it is not known.
    pub(super) form: Option<String>,
    /// The turns that Claude Code counts; for Codex, the finished messages and calls of tools.
    pub(super) turns: Option<u64>,
    /// The input, with what was read from a cache.
    pub(super) tokens_in: Option<u64>,
    /// The part of the input that was read from a cache.
    pub(super) tokens_cached: Option<u64>,
    pub(super) tokens_out: Option<u64>,
    pub(super) cost_usd: Option<f64>,
}

impl Usage {
    /// Reads the output of an agent.
    pub(super) fn read(output: &str) -> Self {
        let messages: Vec<Value> = output.lines().flat_map(messages).collect();
        if let Some(result) = messages.iter().rev().find(|message| message["type"] == "result") {
            return Self::from_claude(result);
        }
        if messages.iter().any(|message| message["type"] == "turn.completed") {
            return Self::from_codex(&messages);
        }
        Self::default()
    }

    fn from_claude(result: &Value) -> Self {
        let usage = &result["usage"];
        let cached = usage["cache_read_input_tokens"].as_u64();
        let parts = [usage["input_tokens"].as_u64(), usage["cache_creation_input_tokens"].as_u64(), cached];
        Self {
            form: Some("claude".to_owned()),
            turns: result["num_turns"].as_u64(),
            tokens_in: sum(&parts),
            tokens_cached: cached,
            tokens_out: usage["output_tokens"].as_u64(),
            cost_usd: result["total_cost_usd"].as_f64(),
        }
    }

    fn from_codex(messages: &[Value]) -> Self {
        let all = |field: &str| -> Option<u64> {
            let turns = messages.iter().filter(|message| message["type"] == "turn.completed");
            sum(&turns.map(|message| message["usage"][field].as_u64()).collect::<Vec<_>>())
        };
        let is_item = |message: &&Value| message["type"] == "item.completed" && message["item"]["type"] != "reasoning";
        Self {
            form: Some("codex".to_owned()),
            turns: Some(messages.iter().filter(is_item).count() as u64),
            tokens_in: all("input_tokens"),
            tokens_cached: all("cached_input_tokens"),
            tokens_out: all("output_tokens"),
            cost_usd: None,
        }
    }
}

/// Returns the messages on a line: one object, or a list of them. Other lines have none.
fn messages(line: &str) -> Vec<Value> {
    match serde_json::from_str(line.trim()) {
        Ok(Value::Array(messages)) => messages,
        Ok(message @ Value::Object(_)) => vec![message],
        _ => Vec::new(),
    }
}

/// Returns the sum of what is stated; `None` if nothing is.
fn sum(parts: &[Option<u64>]) -> Option<u64> {
    parts.iter().flatten().copied().reduce(|sum, part| sum + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` are the turns, the input, what of it was cached, and the output.
    #[track_caller]
    fn check(output: &str, form: Option<&str>, expected: [Option<u64>; 4]) {
        let usage = Usage::read(output);
        let found = [usage.turns, usage.tokens_in, usage.tokens_cached, usage.tokens_out];
        assert_eq!((usage.form.as_deref(), found), (form, expected), "{output}");
    }

    #[test]
    fn the_result_of_claude_code_is_read() {
        let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":7,"total_cost_usd":0.12,"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":40}}"#;
        let expected = [7, 3_210, 3_000, 40].map(Some);
        check(result, Some("claude"), expected);
        check(&format!("warning: old\n{{\"type\":\"assistant\"}}\n{result}\n"), Some("claude"), expected);
        check(&format!("[{{\"type\":\"system\"}},{result}]"), Some("claude"), expected);
        assert_eq!(Usage::read(result).cost_usd, Some(0.12));
    }

    #[test]
    fn the_events_of_codex_are_read() {
        let output = r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"item.completed","item":{"type":"reasoning","text":"…"}}
{"type":"item.completed","item":{"type":"mcp_tool_call","server":"recall","tool":"recall_search"}}
{"type":"item.completed","item":{"type":"agent_message","text":"done"}}
{"type":"turn.completed","usage":{"input_tokens":24763,"cached_input_tokens":24448,"output_tokens":122}}
"#;
        check(output, Some("codex"), [2, 24_763, 24_448, 122].map(Some));
    }

    #[test]
    fn of_another_output_nothing_is_known() {
        for output in ["", "done", "{\"tokens\": 5}", "{\"type\":\"turn.started\"}", "[1, 2]"] {
            check(output, None, [None; 4]);
        }
        check(r#"{"type":"result","num_turns":1}"#, Some("claude"), [Some(1), None, None, None]);
    }
}
