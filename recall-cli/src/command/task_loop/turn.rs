//! One turn of the loop: the prompt, the agent's run, the person's answer to its question, and the signals with which
//! it ends.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::folder::{Asked, LoopFolder, State};
use super::prd::{Mark, Prd, Task};
use super::recorder::Recorder;
use super::reply::{Escalation, EscalationKind, Reply, read};
use super::repository::LoopRepository;
use crate::agent_process::{Agent, Ended, Interrupts, OUTPUT_BYTES, Run, Surroundings};
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::human::quantity::count_noun;
use crate::output::human::style::{DIM, GOOD, NOTE, WARNING};
use crate::output::human::text::printable;
use crate::output::{Format, Output};
use crate::standard_input::ask;

/// What all turns of a loop share.
pub(super) struct Turns<'a> {
    pub(super) agent: Agent,
    pub(super) folder: LoopFolder,
    /// `None` if nothing is committed.
    pub(super) repository: Option<LoopRepository>,
    pub(super) instructions: String,
    /// The folder in which the agent runs.
    pub(super) place: PathBuf,
    pub(super) time_limit: Duration,
    pub(super) stuck_threshold: usize,
    pub(super) recorder: Recorder<'a>,
    pub(super) context: &'a CommandContext,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Completed,
    Progressed,
    /// A person is asked.
    Asked,
    Interrupted,
}

impl Turns<'_> {
    /// Runs the agent for a task, and records the result in the list of tasks at `path`.
    pub(super) async fn take(
        &mut self,
        task: &Task,
        path: &Path,
        interrupts: &mut Interrupts,
    ) -> Result<Outcome, CommandError> {
        let before = self.folder.state();
        let before = if before.task == task.id { before } else { State::default() };
        let head = self.repository.as_ref().and_then(LoopRepository::head);
        let mut state = State { task: task.id.clone(), base: head, agent: None, ..before };
        let guidance = self.folder.guidance()?;
        let text = prompt(task, guidance.as_deref(), &self.instructions);
        let (name, output) = self.folder.new_output()?;
        let surroundings = Surroundings {
            folder: &self.place,
            home: None,
            variables: vec![("EDI_SESSION_ID", OsString::from(self.recorder.session()))],
            time_limit: self.time_limit,
            shows: self.context.output.format == Format::Human,
        };
        let started = |agent| self.folder.write_state(&State { agent: Some(agent), ..state.clone() });
        let prompt_file = self.folder.write_prompt(&text)?;
        let run = self.agent.run(prompt_file, output, &surroundings, started, interrupts.next()).await?;
        if run.ended == Ended::Interrupted {
            // The guidance and the state stay: the next loop goes on with them.
            self.folder.write_state(&state)?;
            return Ok(Outcome::Interrupted);
        }
        self.folder.remove_guidance()?;
        let mut prd = Prd::read(path)?;
        // The agent may have recorded it in the list itself.
        let reply = match self.reply(&run, &text, &task.id) {
            Reply::Progress { .. } if prd.task(&task.id).is_some_and(|task| task.passes) => Reply::Complete,
            reply => reply,
        };
        let outcome = match reply {
            Reply::AllDone | Reply::Complete => {
                state = State::default();
                prd.mark(&task.id, Mark::Passes)?;
                self.say(&format!("{GOOD}complete{GOOD:#}: {}", printable(&task.id)));
                self.commit(&format!("Complete {}: {}", task.id, task.title));
                self.recorder.log("milestone", format!("Completed {}: {}", task.id, task.title)).await;
                Outcome::Completed
            }
            Reply::Escalation(escalation) => {
                self.escalate(task, &escalation).await?;
                state = State { error: None, repeats: 0, ..state };
                Outcome::Asked
            }
            Reply::Progress { error } => {
                let is_same = error.is_some() && error == state.error;
                state.repeats = if is_same { state.repeats + 1 } else { usize::from(error.is_some()) };
                state.error = error;
                if let Some(error) = state.error.as_ref().filter(|_| state.repeats >= self.stuck_threshold) {
                    let runs = count_noun(state.repeats as u64, "run", "runs");
                    let text = format!("{runs} ended with the same error: {error}\nSee .ralph/{name}.");
                    self.escalate(task, &Escalation { kind: EscalationKind::Stuck, text }).await?;
                    state = State { error: None, repeats: 0, ..state };
                    Outcome::Asked
                } else {
                    let error =
                        state.error.as_deref().map_or_else(String::new, |error| format!(": {}", printable(error)));
                    self.say(&format!("{NOTE}not complete yet{NOTE:#}: {}{error}", printable(&task.id)));
                    self.commit(&format!("Progress on {}: {}", task.id, task.title));
                    state.base = self.repository.as_ref().and_then(LoopRepository::head);
                    Outcome::Progressed
                }
            }
        };
        self.folder.write_state(&state)?;
        Ok(outcome)
    }

    /// Carries out what a person decided about a question.
    pub(super) async fn answer(
        &mut self,
        asked: &Asked,
        decision: Decision,
        prd: &mut Prd,
    ) -> Result<(), CommandError> {
        match decision {
            Decision::Guidance(text) => self.folder.write_guidance(&text)?,
            Decision::Retry | Decision::Abort => {}
            Decision::Skip => {
                prd.mark(&asked.task, Mark::Skipped)?;
                let title = prd.task(&asked.task).map(|task| task.title.clone()).unwrap_or_default();
                self.commit(&format!("Skip {}: {title}", asked.task));
                self.folder.write_state(&State::default())?;
                self.recorder.log("milestone", format!("Skipped {}: {title}", asked.task)).await;
            }
        }
        self.folder.remove_question()
    }

    /// Commits what an interrupted loop left: it was killed after it recorded a task and before the commit.
    pub(super) fn commit_rest(&self) -> Result<(), CommandError> {
        let State { task, .. } = self.folder.state();
        if !task.is_empty() {
            self.commit(&format!("Complete {task}"));
            self.folder.write_state(&State::default())?;
        }
        Ok(())
    }

    /// Reads what a run says. One that failed has completed nothing, whatever it wrote.
    fn reply(&self, run: &Run, prompt: &str, id: &str) -> Reply {
        let failure = match run.ended {
            Ended::Exited(status) if status.success() => None,
            Ended::Exited(status) => Some(format!("the agent failed: {status}")),
            Ended::TimeLimit => Some(format!("the agent took longer than {}", format_duration(self.time_limit))),
            Ended::OutputLimit => Some(format!("the agent wrote more than {} MiB", OUTPUT_BYTES / (1024 * 1024))),
            Ended::Interrupted => Some("the agent was interrupted".to_owned()),
        };
        if run.ended == Ended::OutputLimit {
            return Reply::Progress { error: failure };
        }
        match (read(&run.output, prompt, id), failure) {
            (reply @ Reply::Escalation(_), _) | (reply, None) => reply,
            (Reply::Progress { error: Some(error) }, Some(_)) => Reply::Progress { error: Some(error) },
            (_, Some(failure)) => Reply::Progress { error: Some(failure) },
        }
    }

    async fn escalate(&mut self, task: &Task, escalation: &Escalation) -> Result<(), CommandError> {
        self.folder.write_question(&Asked::new(&task.id, escalation))?;
        let what = format!("{} at {}: {}", escalation.kind.as_str(), task.id, escalation.text);
        self.recorder.log("observation", what).await;
        Ok(())
    }

    /// Commits what is in the work tree. A failure is reported and stops nothing: the next commit has it.
    fn commit(&self, message: &str) {
        let Some(repository) = &self.repository else { return };
        if let Err(CommandError::Failed(error)) = repository.commit(message) {
            let CliError { message, causes, .. } = *error;
            let text = [&[message], &*causes].concat().join(": ");
            self.say(&format!("{WARNING}warning{WARNING:#}: nothing was committed: {}", printable(&text)));
        }
    }

    fn say(&self, text: &str) {
        self.context.output.note(text);
    }
}

/// Formats a duration for a person.
fn format_duration(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

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
pub(super) fn show_question(asked: &Asked, output: &Output) {
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

    #[test]
    fn guidance_repeats_the_question() {
        let escalation = Escalation { kind: EscalationKind::Deviation, text: "1. a\n2. b".to_owned() };
        let asked = Asked::new("US-1", &escalation);
        let expected = "An earlier run of this task asked (deviation):\n\n> 1. a\n> 2. b\n\nThe answer: ";
        assert_eq!(guidance(&asked, "2"), format!("{expected}Proceed with option 2.\n"));
        assert_eq!(guidance(&asked, "Use b."), format!("{expected}Use b.\n"));
    }
}
