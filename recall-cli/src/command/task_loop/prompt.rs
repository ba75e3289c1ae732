//! The prompt for one run of the agent.

use std::fmt::Write as _;

use super::prd::Task;

/// The instructions of a project without a file of its own.
pub(super) const BUILT_IN: &str = include_str!("prompt.md");

/// Assembles the prompt: the task, what a person said, and the instructions.
pub(super) fn prompt(task: &Task, guidance: Option<&str>, instructions: &str) -> String {
    let Task { id, title, description, criteria, depends_on: _, passes: _, skipped: _ } = task;
    let mut text = format!("# Task {id}: {title}\n");
    if !description.trim().is_empty() {
        let _ = write!(text, "\n{}\n", description.trim());
    }
    if !criteria.is_empty() {
        text.push_str("\n## Acceptance criteria\n\n");
        for criterion in criteria {
            let _ = writeln!(text, "- {criterion}");
        }
    }
    if let Some(guidance) = guidance.map(str::trim).filter(|guidance| !guidance.is_empty()) {
        let _ = write!(text, "\n## Guidance from a person\n\n{guidance}\n");
    }
    let _ = write!(text, "\n{}\n", instructions.trim());
    text
}

#[cfg(test)]
mod tests {
    use super::super::reply::{Reply, read};
    use super::*;

    fn task() -> Task {
        Task {
            id: "US-1".to_owned(),
            title: "Bounded retries".to_owned(),
            description: "Three attempts.".to_owned(),
            criteria: vec!["A test counts them.".to_owned()],
            ..Task::default()
        }
    }

    #[test]
    fn the_task_precedes_the_guidance_and_the_instructions() {
        assert_eq!(
            prompt(&task(), Some("Use jitter.\n"), "Work.\n"),
            "# Task US-1: Bounded retries\n\nThree attempts.\n\n## Acceptance criteria\n\n- A test counts them.\n\n\
             ## Guidance from a person\n\nUse jitter.\n\nWork.\n"
        );
        assert_eq!(prompt(&Task { criteria: Vec::new(), ..task() }, None, "Work.").matches("##").count(), 0);
    }

    #[test]
    fn the_built_in_instructions_are_no_answer() {
        let text = prompt(&task(), None, BUILT_IN);
        assert_eq!(read(&text.replace('\n', " "), "", "US-1"), Reply::Progress { error: None });
    }
}
