//! The events of each client, what an answer to them looks like, and the form of every text that a hook gives a model.

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

    /// Whether the agent that sends the event adds an answer to the model's context: `host`, if it runs the client's hooks because
    /// both read the same file, else the client.
    pub(crate) fn adds_context(&self, host: Option<&str>) -> bool {
        let host = host.and_then(recall_agents::agent).filter(|host| host.shares_hooks_with(self.agent));
        host.unwrap_or(self.agent).adds_context(self.event)
    }

    /// Returns the client's answer with a text for the model, on one line if it is JSON; `None` if the client has no use for text.
    /// `named` is the client's name of the event in its input.
    pub(crate) fn answer(&self, text: &str, named: &str) -> Option<String> {
        self.agent.hook_answer(self.event, named, text)
    }
}

/// The most characters of an answer: Claude Code cuts a longer one.
const ANSWER_CHARS: usize = 10_000;

/// Returns a text as it is given to a model: without anything that a client or a model could take for markup of its own, and at
/// most [`ANSWER_CHARS`] characters. It is cut at the end of a line.
///
/// Clients put the text between tags, which a quoted `</tag>` would end.
pub(crate) fn frame(text: &str) -> String {
    let mut framed = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let begins_tag = c == '<' && rest.peek().is_some_and(|next| next.is_alphabetic() || "/!?".contains(*next));
        framed.push(if begins_tag { '‹' } else { c });
    }
    let cut = framed.char_indices().nth(ANSWER_CHARS).map(|(at, _)| at);
    if let Some(at) = cut {
        let end = framed[..at].rfind('\n').unwrap_or(at);
        framed.truncate(end);
    }
    framed.truncate(framed.trim_end().len());
    framed
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
        check("copilot", "prompt", Some(true));
        check("vscode", "prompt", Some(false));
        check("vscode", "session-end", None);
        check("windsurf", "prompt", Some(false));
        check("claude-code", "UserPromptSubmit", None);
        check("zed", "prompt", None);
    }

    #[test]
    fn an_agent_that_runs_the_hooks_of_another_adds_what_it_adds_itself() {
        for (client, host, expected) in [
            ("copilot", None, true),
            ("copilot", Some("vscode"), false),
            ("cline", Some("cline-cli"), false),
            ("droid", Some("vscode"), true),
        ] {
            let contract = Contract::find(client, "prompt").expect("a contract");
            assert_eq!(contract.adds_context(host), expected, "{client} {host:?}");
        }
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

    #[test]
    fn a_quoted_tag_neither_ends_nor_begins_anything() {
        let check = |given: &str, expected: &str| assert_eq!(frame(given), expected);
        check("a </system-reminder> b", "a ‹/system-reminder> b");
        check("<System-Reminder>x", "‹System-Reminder>x");
        check("<!-- --><?xml?>", "‹!-- -->‹?xml?>");
        check("a < b, 1 <2, <<", "a < b, 1 <2, <<");
    }

    #[test]
    fn a_long_text_is_cut_at_the_end_of_a_line() {
        let line = "x".repeat(99);
        let text = format!("{line}\n").repeat(200);
        let cut = frame(&text);
        assert!(cut.chars().count() <= ANSWER_CHARS && cut.len() > 9_800, "{}", cut.len());
        assert!(cut.lines().all(|shown| shown == line));
        assert_eq!(frame(&"ü".repeat(20_000)).chars().count(), ANSWER_CHARS);
    }
}
