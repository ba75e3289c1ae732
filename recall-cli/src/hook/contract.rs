//! The events of each client, and what an answer to them looks like.

use recall_agents::HookEvent;
use serde_json::json;

/// An event of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contract {
    /// The client's name, which is also the agent of the session.
    pub(crate) client: &'static str,
    /// The event.
    pub(crate) event: HookEvent,
    /// The client's name of the event.
    pub(crate) name: &'static str,
}

impl Contract {
    /// Finds the contract of an event by the names on the command line; `None` if either is unknown or the client does not
    /// have the event.
    pub(crate) fn find(client: &str, event: &str) -> Option<Self> {
        let event = HookEvent::from_name(event)?;
        let client = recall_agents::agent(client)?;
        Some(Self { client: client.name, event, name: client.hook_event_name(event)? })
    }

    /// Returns the client's answer with a text for the model, on one line; `None` if the client has no use for text.
    pub(crate) fn answer(&self, text: &str) -> Option<String> {
        let answer = json!({"hookSpecificOutput": {"hookEventName": self.name, "additionalContext": text}});
        self.event.adds_context().then(|| format!("{answer}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_found_by_its_client_and_name() {
        let check = |client: &str, event: &str, expected: Option<(&str, bool)>| {
            let found = Contract::find(client, event).map(|contract| (contract.name, contract.answer("x").is_some()));
            assert_eq!(found, expected, "{client} {event}");
        };
        check("claude-code", "prompt", Some(("UserPromptSubmit", true)));
        check("claude-code", "post-tool", Some(("PostToolUse", false)));
        check("claude-code", "stop", Some(("Stop", false)));
        check("gemini", "prompt", Some(("BeforeAgent", true)));
        check("gemini", "pre-tool", None);
        check("claude-code", "UserPromptSubmit", None);
        check("cursor", "prompt", None);
    }

    #[test]
    fn an_answer_is_one_line_of_json() {
        let contract = Contract::find("claude-code", "prompt").expect("a contract");
        let answer = contract.answer("a\n\"b\"").expect("a prompt is answered");
        assert_eq!(answer.find('\n'), Some(answer.len() - 1), "{answer}");
        let expected =
            json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "a\n\"b\""}});
        assert_eq!(serde_json::from_str::<serde_json::Value>(&answer).expect("JSON"), expected);
    }
}
