//! The selection of the reminders that fit a budget.

use recall_text::tokens::count;

use super::request::{Reminder, Reminders};

/// Returns as many reminders as the budget allows, in their order. One that does not fit is left out, and a shorter one after it may
/// fit.
pub(super) fn pack(
    heading: String,
    candidates: impl IntoIterator<Item = Reminder>,
    footing: &'static str,
    budget_tokens: u32,
) -> Reminders {
    let mut left = budget_tokens.saturating_sub(count(&heading) + count(footing));
    let mut reminders = Vec::new();
    for reminder in candidates {
        // A line feed between two parts may cost a token.
        let Some(rest) = left.checked_sub(count(&reminder.text) + 1) else { continue };
        left = rest;
        reminders.push(reminder);
    }
    if reminders.is_empty() {
        return Reminders::default();
    }
    Reminders { heading, reminders, footing, warnings: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remind::request::ReminderSubject;

    #[test]
    fn an_answer_keeps_to_its_budget() {
        let texts = ["word ".repeat(400), "a short one\n".to_owned(), "word ".repeat(40), "the last\n".to_owned()];
        for budget_tokens in [1, 20, 60, 200, 20_000] {
            let candidates = texts.iter().map(|text| Reminder {
                key: text.clone(),
                subject: ReminderSubject::Place("a.rs".to_owned()),
                reason: String::new(),
                text: text.clone(),
            });
            let Reminders { heading, reminders, footing, .. } =
                pack("A heading.\n".to_owned(), candidates, "A footing.\n", budget_tokens);
            let texts: String = reminders.iter().map(|reminder| reminder.text.as_str()).collect();
            let used = count(&format!("{heading}{texts}{footing}"));
            assert!(used <= budget_tokens, "{budget_tokens}: {used}");
            assert_eq!(reminders.is_empty(), heading.is_empty());
            assert_eq!(reminders.len() == 4, budget_tokens == 20_000);
        }
    }
}
