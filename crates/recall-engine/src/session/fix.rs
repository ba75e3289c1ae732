//! What was done between a failed command and its next success: how an error went away when it happened before.
//!
//! The transcripts have every command with its output, if they are read; recall's own events have failures with their reasons and
//! how they were resolved. An error is recognised by its words, because numbers, paths and times differ from run to run.

use std::cmp::Ordering;

use recall_agents::foreign::{Action, CommandRun, Step, Transcript};
use recall_core::{HookRecord, MetadataValue, Scope, SessionEvent, SessionEventType, Timestamp};
use recall_text::{Report, clean};

use crate::Engine;
use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::session_log::masking::masked_text;
use crate::session_log::story::{first_chars, one_line};
use crate::transcripts::{TranscriptCoverage, Words, citation, share_of};

/// The share of the error's words that an output must have.
const LEAST_SHARE: f64 = 0.7;

/// The most lines of a text without a recognised message that are its error: the last ones.
const LAST_LINES: usize = 4;

/// The most steps of a fix: those before the success.
const MOST_STEPS: usize = 20;

/// The most characters of a step, and of the words of the agent.
const STEP_CHARS: usize = 300;
const SAID_CHARS: usize = 600;

/// The most sessions of recall that are read, the latest first.
const MOST_SESSIONS: usize = 500;

/// How an error was met before, and what followed.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFix {
    /// How it is cited: the turn of a transcript, or the session of recall with `session:`.
    pub citation: String,
    /// The agent; `None` if the session does not say.
    pub client: Option<String>,
    /// The id of the session.
    pub session: String,
    /// When the command failed.
    pub time: Option<Timestamp>,
    /// The command that failed, as the transcript has it, or what the event says.
    pub command: String,
    /// The lines of its output that have the words of the error.
    pub error: String,
    /// Whether the same command succeeded later in the session, or the event says how it was resolved.
    pub is_resolved: bool,
    /// The edits and commands between the failure and the success; after the failure if there was none.
    pub steps: Vec<FixStep>,
    /// What the agent said about the outcome, or the resolution of the event; empty for none.
    pub said: String,
    /// The share of the error's words that the output has, 0 to 1.
    pub share: f64,
}

/// Something that was done after an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixStep {
    /// A file was edited.
    Edited(String),
    /// A command was run.
    Ran {
        /// The command line.
        command: String,
        /// Whether it failed.
        has_failed: bool,
    },
}

/// The earlier cases of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFixes {
    /// The cases: the resolved ones first, then those with more words of the error, then the latest.
    pub fixes: Vec<ErrorFix>,
    /// The number of cases before the limit.
    pub found: u64,
    /// The number of recall's own sessions whose events were read.
    pub sessions: u64,
    /// What was read of the transcripts.
    pub coverage: TranscriptCoverage,
}

impl Engine {
    /// Returns how an error was met before in the project, and what followed.
    ///
    /// # Errors
    /// The store of the project or its sessions cannot be read.
    pub fn find_fix(&self, origin: &Origin, error: &str, limit: usize) -> Result<ErrorFixes, SessionError> {
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let error = SoughtError::read(error);
        let mut fixes = Vec::new();
        let coverage = self.read_transcripts(&store, &mut |transcript| error.find_in(&transcript, &mut fixes));
        let mut sessions = 0;
        for session in Self::sessions_of(&store, self.clock.now())?.iter().take(MOST_SESSIONS) {
            // The session of another machine has only a summary here.
            if let Some(events) = store.sessions.read(&session.id)? {
                sessions += 1;
                error.find_in_session(&session.id, &events, &mut fixes);
            }
        }
        fixes.sort_by(|a, b| {
            let by_share = b.share.partial_cmp(&a.share).unwrap_or(Ordering::Equal);
            b.is_resolved.cmp(&a.is_resolved).then(by_share).then_with(|| b.time.cmp(&a.time))
        });
        let found = fixes.len() as u64;
        fixes.truncate(limit);
        Ok(ErrorFixes { fixes, found, sessions, coverage })
    }
}

/// An error that is looked for.
struct SoughtError {
    words: Words,
}

impl SoughtError {
    /// Reads the message of an error in a text: the lines that are written like messages, else the last lines.
    fn read(text: &str) -> Self {
        let text = clean(text);
        let messages = Report::read_output(&text).map(|report| report.errors).unwrap_or_default();
        let message = if messages.is_empty() {
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
        } else {
            messages.join("\n")
        };
        Self { words: Words::new(&message) }
    }

    /// Returns the share of the words that an output has, if it is enough.
    fn share(&self, output: &str) -> Option<f64> {
        Some(share_of(&self.words, output)).filter(|share| *share >= LEAST_SHARE)
    }

    fn find_in(&self, transcript: &Transcript, fixes: &mut Vec<ErrorFix>) {
        let steps: Vec<(usize, &Step)> = transcript
            .turns
            .iter()
            .enumerate()
            .flat_map(|(at, turn)| turn.steps.iter().map(move |it| (at, it)))
            .collect();
        let shares: Vec<Option<f64>> = steps.iter().map(|(_, step)| self.failure_share(step)).collect();
        let mut told: Vec<usize> = Vec::new();
        for (at, (_, step)) in steps.iter().enumerate() {
            let (Some(share), Action::Ran(run)) = (shares[at], &step.action) else { continue };
            let success = (at + 1..steps.len()).find(|&later| succeeds(steps[later].1, &run.command));
            // The last time that the command failed with this error before it succeeded.
            let until = success.unwrap_or(steps.len());
            let repeats = |&later: &usize| shares[later].is_some() && runs(steps[later].1, &run.command);
            let last = (at..until).rev().find(repeats).unwrap_or(at);
            if !told.contains(&last) {
                told.push(last);
                fixes.push(self.case(transcript, &steps, last, success, share));
            }
        }
    }

    /// Returns the share of the error's words in the output of a command that failed with it.
    fn failure_share(&self, step: &Step) -> Option<f64> {
        match &step.action {
            Action::Ran(run) if run.has_failed => self.share(&run.output),
            Action::Ran(_) | Action::Said(_) | Action::Edited(_) => None,
        }
    }

    fn case(
        &self,
        transcript: &Transcript,
        steps: &[(usize, &Step)],
        failed: usize,
        success: Option<usize>,
        share: f64,
    ) -> ErrorFix {
        let (turn, step) = steps[failed];
        let (command, output) = match &step.action {
            Action::Ran(run) => (run.command.as_str(), run.output.as_str()),
            Action::Said(_) | Action::Edited(_) => ("", ""),
        };
        let between = &steps[failed + 1..success.unwrap_or(steps.len())];
        let done: Vec<FixStep> = between.iter().filter_map(|(_, step)| fix_step(step)).collect();
        let after = steps[success.unwrap_or(failed)..].iter().chain(between.iter().rev());
        let said = after.filter_map(|(_, step)| match &step.action {
            Action::Said(text) => Some(text),
            Action::Edited(_) | Action::Ran(_) => None,
        });
        ErrorFix {
            citation: citation(transcript.client, &transcript.session, turn + 1),
            client: Some(transcript.client.as_str().to_owned()),
            session: transcript.session.clone(),
            time: step.time,
            command: first_chars(command, STEP_CHARS),
            error: self.telling_lines(output),
            is_resolved: success.is_some(),
            steps: match success {
                Some(_) => done[done.len().saturating_sub(MOST_STEPS)..].to_vec(),
                None => done.into_iter().take(MOST_STEPS).collect(),
            },
            said: said.take(1).map(|text| first_chars(text, SAID_CHARS)).collect(),
            share,
        }
    }

    /// Returns the lines of an output with most of the error's words, in their order.
    fn telling_lines(&self, output: &str) -> String {
        let lines = output.lines().map(|line| (self.words.distinct(line), line));
        let best = lines.clone().map(|(found, _)| found).max().unwrap_or_default().div_ceil(2).max(1);
        let telling = lines.filter(|(found, _)| *found >= best).map(|(_, line)| first_chars(line.trim(), STEP_CHARS));
        telling.take(LAST_LINES).collect::<Vec<_>>().join("\n")
    }

    /// Looks for the error among the failures that recall recorded in a session.
    fn find_in_session(&self, session: &str, events: &[SessionEvent], fixes: &mut Vec<ErrorFix>) {
        let is_error = |event: &&SessionEvent| event.details.event_type == SessionEventType::Error;
        let mut told: Vec<&str> = Vec::new();
        for (at, event) in events.iter().enumerate().filter(|(_, event)| is_error(event)) {
            let details = &event.details;
            let reason = details.rationale.as_deref().unwrap_or_default();
            let Some(share) = self.share(&format!("{}\n{reason}", details.content)) else { continue };
            if told.contains(&details.content.as_str()) {
                continue;
            }
            told.push(&details.content);
            let same = |event: &&SessionEvent| is_error(event) && event.details.content == details.content;
            let resolved = events.iter().enumerate().skip(at).filter(|(_, event)| same(event));
            let resolved = resolved.filter(|(_, event)| event.details.resolution.is_some()).map(|(at, _)| at).next();
            let how = resolved.and_then(|at| events[at].details.resolution.as_deref()).unwrap_or_default();
            let until = resolved.unwrap_or(events.len()).max(at + 1).min(events.len());
            let edited = events[at..until].iter().filter_map(edited_file).map(FixStep::Edited);
            fixes.push(ErrorFix {
                citation: format!("session:{session}"),
                client: event.provenance.agent.clone(),
                session: session.to_owned(),
                time: Some(event.timestamp),
                command: first_chars(&one_line(&masked_text(&details.content)), STEP_CHARS),
                error: first_chars(&masked_text(reason), SAID_CHARS),
                is_resolved: resolved.is_some(),
                steps: edited.take(MOST_STEPS).collect(),
                said: first_chars(&masked_text(how), SAID_CHARS),
                share,
            });
        }
    }
}

/// Returns the file that a hook saw edited.
fn edited_file(event: &SessionEvent) -> Option<String> {
    let record = event.details.metadata.get(HookRecord::KEY)?;
    let is_edit = matches!(record, MetadataValue::Text(name) if name == HookRecord::Edit.as_str());
    let file = event.details.related_files.first().filter(|_| is_edit)?;
    Some(masked_text(file.as_str()))
}

fn succeeds(step: &Step, command: &str) -> bool {
    matches!(&step.action, Action::Ran(run) if !run.has_failed) && runs(step, command)
}

fn runs(step: &Step, command: &str) -> bool {
    matches!(&step.action, Action::Ran(run) if is_same(&run.command, command))
}

/// Returns whether two command lines are the same but for blanks.
fn is_same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

fn fix_step(step: &Step) -> Option<FixStep> {
    match &step.action {
        Action::Edited(file) => Some(FixStep::Edited(file.clone())),
        Action::Ran(CommandRun { command, has_failed, .. }) => {
            Some(FixStep::Ran { command: first_chars(command, STEP_CHARS), has_failed: *has_failed })
        }
        Action::Said(_) => None,
    }
}
