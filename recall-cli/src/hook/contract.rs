//! The events of each client, and what an answer to them looks like.

use recall_agents::{Agent, HookEvent};

/// An event of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contract {
    /// The client's name, which is also the agent of the session.
    pub(crate) client: &'static str,
    /// The event.
    pub(crate) event: HookEvent,
    agent: &'static Agent,
}

impl Contract {
    /// Finds the contract of an event by the names on the command line; `None` if either is unknown or the client does not
    /// have the event.
    pub(crate) fn find(client: &str, event: &str) -> Option<Self> {
        let event = HookEvent::from_name(event)?;
        let agent = recall_agents::agent(client)?;
        agent.hook_event_names(event).next()?;
        Some(Self { client: agent.name, event, agent })
    }

    /// Whether the client adds an answer to the model's context.
    pub(crate) fn adds_context(&self) -> bool {
        self.agent.adds_context(self.event)
    }

    /// Returns the client's answer with a text for the model, on one line if it is JSON; `None` if the client has no use for text.
    /// `named` is the client's name of the event in its input.
    pub(crate) fn answer(&self, text: &str, named: &str) -> Option<String> {
        self.agent.hook_answer(self.event, named, text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_found_by_its_client_and_name() {
        let check = |client: &str, event: &str, expected: Option<bool>| {
            let found = Contract::find(client, event).map(|contract| contract.answer("x", "").is_some());
            assert_eq!(found, expected, "{client} {event}");
        };
        check("claude-code", "prompt", Some(true));
        check("claude-code", "post-tool", Some(true));
        check("claude-code", "stop", Some(false));
        check("gemini", "prompt", Some(true));
        check("gemini", "pre-tool", None);
        check("copilot", "prompt", Some(false));
        check("windsurf", "prompt", Some(false));
        check("claude-code", "UserPromptSubmit", None);
        check("zed", "prompt", None);
    }

    #[test]
    fn an_answer_is_one_line_of_json() {
        let contract = Contract::find("claude-code", "prompt").expect("a contract");
        let answer = contract.answer("a\n\"b\"", "UserPromptSubmit").expect("a prompt is answered");
        assert_eq!(answer.find('\n'), Some(answer.len() - 1), "{answer}");
        let expected =
            json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "a\n\"b\""}});
        assert_eq!(serde_json::from_str::<serde_json::Value>(&answer).expect("JSON"), expected);
    }

    #[test]
    fn an_answer_has_the_name_of_the_event_that_happened() {
        let contract = Contract::find("claude-code", "post-tool").expect("a contract");
        for (named, expected) in
            [("PostToolUseFailure", "PostToolUseFailure"), ("PostToolUse", "PostToolUse"), ("Stop", "PostToolUse")]
        {
            let answer = contract.answer("x", named).expect("it is answered");
            let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(answer["hookSpecificOutput"]["hookEventName"], expected);
        }
    }
}
