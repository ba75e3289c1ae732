//! What an agent's output says about its task.

/// What the output says, the first that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The agent promises that everything is done.
    AllDone,
    /// The agent asks a person.
    Escalation(Escalation),
    /// The task is complete.
    Complete,
    /// None of these, with the last error in the output.
    Progress { error: Option<String> },
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Escalation {
    pub(super) kind: EscalationKind,
    pub(super) text: String,
}

/// Why a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscalationKind {
    /// The agent makes no progress.
    Stuck,
    /// The agent could go on, but not as planned.
    Deviation,
}

impl EscalationKind {
    /// Returns the name in the agent's output.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Stuck => "stuck",
            Self::Deviation => "deviation",
        }
    }

    /// Parses a name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Stuck, Self::Deviation].into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name.trim()))
    }
}

/// The promise that everything is done.
const PROMISE: &str = "<promise>done</promise>";

/// The words after a task's id that say that it is complete.
const DONE: [&str; 4] = ["complete", "completed", "done", "finished"];

/// The beginnings of lines that report an error, in lower case.
const ERRORS: [&str; 8] =
    ["error:", "error[", "error ", "fatal:", "failed:", "failure:", "exception:", "traceback (most recent call last)"];

/// The greatest length of an error that is compared and shown, in characters.
const ERROR_CHARS: usize = 300;

/// Reads what the output says about a task.
///
/// Some agents repeat their prompt, which describes how to answer; the prompt in the output is ignored.
pub(super) fn read(output: &str, prompt: &str, id: &str) -> Reply {
    let output = anstream::adapter::strip_str(output).to_string().replace("\r\n", "\n");
    let output = output.replace(prompt.trim(), "");
    let lower = output.to_ascii_lowercase();
    if lower.contains(PROMISE) {
        return Reply::AllDone;
    }
    if let Some(escalation) = escalation(&output, &lower) {
        return Reply::Escalation(escalation);
    }
    if says_complete(&lower, &id.to_ascii_lowercase()) {
        return Reply::Complete;
    }
    Reply::Progress { error: last_error(&output) }
}

/// Finds `<escalate type="stuck">…</escalate>`. Another type is not one: the prompt's example has a placeholder.
fn escalation(output: &str, lower: &str) -> Option<Escalation> {
    let mut from = 0;
    while let Some(found) = lower[from..].find("<escalate") {
        let begin = from + found;
        let tag_end = lower[begin..].find('>').map(|end| begin + end)?;
        from = tag_end + 1;
        let tag = &lower[begin..tag_end];
        let kind = tag.split_once("type=").and_then(|(_, value)| {
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            EscalationKind::from_name(value[1..].split(quote).next()?)
        });
        let Some(kind) = kind else { continue };
        let end = lower[from..].find("</escalate>").map_or(output.len(), |end| from + end);
        return Some(Escalation { kind, text: output[from..end].trim().to_owned() });
    }
    None
}

/// Whether a text in lower case says that the task with an id is complete.
fn says_complete(lower: &str, id: &str) -> bool {
    // The last four words before the current one.
    let mut before = [""; 4];
    for word in lower.split_whitespace().map(|word| word.trim_matches(is_mark)) {
        let [first, second, third, fourth] = before;
        let by_id = fourth == id && DONE.contains(&word) && third != "not";
        let by_verb = third == "completed" && fourth == "task" && word == id && second != "not";
        let by_criteria = [second, third, fourth, word] == ["all", "acceptance", "criteria", "met"] && first != "not";
        if by_id || by_verb || by_criteria {
            return true;
        }
        before = [second, third, fourth, word];
    }
    false
}

/// Whether a character is punctuation around a word, as in `**US-001** done.`
fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && c != '-' && c != '_'
}

/// Returns the last line that reports an error, with single spaces.
fn last_error(output: &str) -> Option<String> {
    let line = output.lines().rev().find(|line| {
        let line = line.trim_start().to_ascii_lowercase();
        ERRORS.iter().any(|begin| line.starts_with(begin)) || line.contains("panicked at")
    })?;
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().take(ERROR_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: &Reply) {
        assert_eq!(&read(output, "the prompt: task US-1 complete", "US-1"), expected, "{output}");
    }

    fn progress(error: Option<&str>) -> Reply {
        Reply::Progress { error: error.map(str::to_owned) }
    }

    #[test]
    fn completion_is_found_in_its_forms_and_for_its_task_only() {
        for output in [
            "task US-1 complete",
            "Task us-1 COMPLETE.",
            "I think **US-1** done!",
            "US-1 finished",
            "Completed task `US-1`",
            "All acceptance criteria met.",
            "\u{1b}[32mUS-1\u{1b}[0m done",
        ] {
            check(output, &Reply::Complete);
        }
        for output in [
            "US-10 done",
            "US-1 is not done",
            "task XUS-1 complete",
            "not all acceptance criteria met",
            "completed task US-2",
            "> the prompt: task US-1 complete",
            "",
        ] {
            check(output, &progress(None));
        }
    }

    #[test]
    fn the_promise_precedes_an_escalation_and_that_a_completion() {
        check("US-1 done <escalate type='stuck'>x</escalate> <promise>DONE</promise>", &Reply::AllDone);
        let asked = |kind, text: &str| Reply::Escalation(Escalation { kind, text: text.to_owned() });
        let text = "US-1 done\n<escalate type=\"deviation\">\nThe spec is wrong.\n1. a\n</escalate>\n";
        check(text, &asked(EscalationKind::Deviation, "The spec is wrong.\n1. a"));
        check("<ESCALATE type='Stuck' id=\"1\">never closed", &asked(EscalationKind::Stuck, "never closed"));
        let second = "<escalate type=\"TYPE\">…</escalate><escalate type=\"stuck\">y</escalate>";
        check(second, &asked(EscalationKind::Stuck, "y"));
        check("<escalate type=", &progress(None));
    }

    #[test]
    fn the_last_error_is_found() {
        check("error: one\n  error[E0308]:   mismatched\nok", &progress(Some("error[E0308]: mismatched")));
        check("thread 'x' panicked at src/a.rs:1", &progress(Some("thread 'x' panicked at src/a.rs:1")));
        check("no errors: fine", &progress(None));
    }
}
