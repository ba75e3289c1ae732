//! The person's answer to an agent's question.

use super::folder::Asked;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::human::style::{DIM, NOTE, WARNING};
use crate::output::human::text::printable;
use crate::question::ask;

/// What the person decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The next run gets this text.
    Guidance(String),
    /// The task is left out.
    Skip,
    /// The next run gets nothing new.
    Retry,
    /// The loop ends. The question stays.
    Abort,
}

/// The choices, as they are shown.
const CHOICES: &str =
    "[1-9] proceed with that option, [c] write guidance, [s] skip the task, [r] run again, [a] end the loop:";

/// Shows a question.
pub(super) fn show(asked: &Asked, output: &Output) {
    let head = format!("{WARNING}{}{WARNING:#} at {}", asked.kind().as_str(), printable(&asked.task));
    output.note(&head);
    for line in asked.text.lines() {
        output.note(&format!("{DIM}>{DIM:#} {}", printable(line)));
    }
}

/// Asks the person at the terminal until the answer is one of the choices. The end of the input ends the loop.
pub(super) async fn decision(asked: &Asked, output: &Output) -> Result<Decision, CommandError> {
    loop {
        let Some(answer) = ask(CHOICES).await? else { return Ok(Decision::Abort) };
        match answer.as_str() {
            "s" => return Ok(Decision::Skip),
            "r" => return Ok(Decision::Retry),
            "a" => return Ok(Decision::Abort),
            "c" => match ask("guidance:").await? {
                Some(text) if !text.is_empty() => return Ok(Decision::Guidance(guidance(asked, &text))),
                _ => output.note(&format!("{NOTE}note{NOTE:#}: no guidance was given")),
            },
            option if is_option(option) => {
                return Ok(Decision::Guidance(guidance(asked, &format!("Proceed with option {option}."))));
            }
            _ => {}
        }
    }
}

/// Returns the guidance for the next run, which does not know the question.
pub(super) fn guidance(asked: &Asked, answer: &str) -> String {
    let answer = if is_option(answer) { format!("Proceed with option {answer}.") } else { answer.to_owned() };
    let quote: Vec<String> = asked.text.lines().map(|line| format!("> {line}")).collect();
    let quote = quote.join("\n");
    format!("An earlier run of this task asked ({}):\n\n{quote}\n\nThe answer: {answer}\n", asked.kind().as_str())
}

fn is_option(text: &str) -> bool {
    matches!(text.as_bytes(), [b'1'..=b'9'])
}

#[cfg(test)]
mod tests {
    use super::super::reply::{Escalation, EscalationKind};
    use super::*;

    #[test]
    fn guidance_repeats_the_question() {
        let escalation = Escalation { kind: EscalationKind::Deviation, text: "1. a\n2. b".to_owned() };
        let asked = Asked::new("US-1", &escalation);
        let expected = "An earlier run of this task asked (deviation):\n\n> 1. a\n> 2. b\n\nThe answer: ";
        assert_eq!(guidance(&asked, "2"), format!("{expected}Proceed with option 2.\n"));
        assert_eq!(guidance(&asked, "Use b."), format!("{expected}Use b.\n"));
    }
}
