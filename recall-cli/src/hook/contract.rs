//! The events of each client, and what an answer to them looks like.

use serde_json::json;

use Event::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop, SubagentStart};
use Reply::{Context, Silence};

/// An event of an agent's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A session starts, is resumed, or continues after its context was cleared or compacted.
    SessionStart,
    /// The user has sent a prompt.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// A tool has run, or has failed.
    PostTool,
    /// The context is about to be compacted.
    PreCompact,
    /// The agent has ended its turn.
    Stop,
    /// The session ends.
    SessionEnd,
    /// A subagent starts.
    SubagentStart,
}

/// What a client does with the answer to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It adds the text to the model's context.
    Context,
    /// It has no use for text.
    Silence,
}

/// An event of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contract {
    /// The client's name, which is also the agent of the session.
    pub(crate) client: &'static str,
    /// The event.
    pub(crate) event: Event,
    /// The client's name of the event.
    pub(crate) name: &'static str,
    /// What the client does with an answer.
    pub(crate) reply: Reply,
}

/// The names of the events on the command line.
const EVENTS: [(&str, Event); 8] = [
    ("session-start", SessionStart),
    ("prompt", Prompt),
    ("pre-tool", PreTool),
    ("post-tool", PostTool),
    ("pre-compact", PreCompact),
    ("stop", Stop),
    ("session-end", SessionEnd),
    ("subagent-start", SubagentStart),
];

/// A row a client and event. Gemini CLI adds no text before a tool runs.
const CONTRACTS: &[Contract] = &[
    row("claude-code", SessionStart, "SessionStart", Context),
    row("claude-code", Prompt, "UserPromptSubmit", Context),
    row("claude-code", PreTool, "PreToolUse", Context),
    row("claude-code", PostTool, "PostToolUse", Silence),
    row("claude-code", PreCompact, "PreCompact", Silence),
    row("claude-code", Stop, "Stop", Silence),
    row("claude-code", SessionEnd, "SessionEnd", Silence),
    row("claude-code", SubagentStart, "SubagentStart", Context),
    row("codex", SessionStart, "SessionStart", Context),
    row("codex", Prompt, "UserPromptSubmit", Context),
    row("codex", PostTool, "PostToolUse", Silence),
    row("codex", Stop, "Stop", Silence),
    row("gemini", SessionStart, "SessionStart", Context),
    row("gemini", Prompt, "BeforeAgent", Context),
    row("gemini", PostTool, "AfterTool", Silence),
    row("gemini", PreCompact, "PreCompress", Silence),
    row("gemini", SessionEnd, "SessionEnd", Silence),
    row("qwen", SessionStart, "SessionStart", Context),
    row("qwen", Prompt, "UserPromptSubmit", Context),
    row("qwen", PreTool, "PreToolUse", Context),
    row("qwen", PostTool, "PostToolUse", Silence),
    row("qwen", PreCompact, "PreCompact", Silence),
    row("qwen", Stop, "Stop", Silence),
    row("qwen", SessionEnd, "SessionEnd", Silence),
    row("qwen", SubagentStart, "SubagentStart", Context),
];

const fn row(client: &'static str, event: Event, name: &'static str, reply: Reply) -> Contract {
    Contract { client, event, name, reply }
}

impl Contract {
    /// Finds the contract of an event by the names on the command line; `None` if either is unknown or the client does not
    /// have the event.
    pub(crate) fn find(client: &str, event: &str) -> Option<Self> {
        let (_, event) = EVENTS.into_iter().find(|(name, _)| *name == event)?;
        CONTRACTS.iter().find(|contract| contract.client == client && contract.event == event).copied()
    }

    /// Returns the client's answer with a text for the model, on one line.
    pub(crate) fn answer(&self, text: &str) -> String {
        let answer = json!({"hookSpecificOutput": {"hookEventName": self.name, "additionalContext": text}});
        format!("{answer}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_found_by_its_client_and_name() {
        let check = |client: &str, event: &str, expected: Option<(&str, Reply)>| {
            let found = Contract::find(client, event).map(|contract| (contract.name, contract.reply));
            assert_eq!(found, expected, "{client} {event}");
        };
        check("claude-code", "prompt", Some(("UserPromptSubmit", Context)));
        check("claude-code", "stop", Some(("Stop", Silence)));
        check("gemini", "prompt", Some(("BeforeAgent", Context)));
        check("gemini", "pre-tool", None);
        check("claude-code", "UserPromptSubmit", None);
        check("cursor", "prompt", None);
    }

    #[test]
    fn no_event_has_two_contracts() {
        for (at, contract) in CONTRACTS.iter().enumerate() {
            let same = |other: &&Contract| other.client == contract.client && other.event == contract.event;
            assert_eq!(CONTRACTS.iter().position(|other| same(&other)), Some(at), "{contract:?}");
        }
    }

    #[test]
    fn an_answer_is_one_line_of_json() {
        let contract = Contract::find("claude-code", "prompt").expect("a contract");
        let answer = contract.answer("a\n\"b\"");
        assert_eq!(answer.find('\n'), Some(answer.len() - 1), "{answer}");
        let expected =
            json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "a\n\"b\""}});
        assert_eq!(serde_json::from_str::<serde_json::Value>(&answer).expect("JSON"), expected);
    }
}
