//! A session that is put together from a transcript, within bounds.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use recall_core::{EventDetails, SessionEventType, Timestamp};
use serde_json::Value;

use crate::foreign::item::{Belonging, ForeignEvent, ForeignOrigin, ForeignSession};
use crate::foreign::transcript::{Action, CommandRun, Step, Transcript, TranscriptClient, Turn};

/// The longest line of a transcript that is read. Longer ones are tool output.
pub(super) const LINE_BYTES: u64 = 8 * 1024 * 1024;

/// The most calls whose results are awaited.
pub(super) const MOST_CALLS: usize = 256;

/// The most events of one imported session; further ones are counted.
const MOST_EVENTS: usize = 200;

/// The most bytes of one event's text, and of a command.
const EVENT_BYTES: usize = 2000;

/// The most bytes of a request and of a message.
const MESSAGE_BYTES: usize = 8000;

/// The bytes that are kept of the beginning of an output, and of its end, where the error is.
const OUTPUT_HEAD_BYTES: usize = 1500;
const OUTPUT_TAIL_BYTES: usize = 2500;

/// The most bytes of messages and outputs of one transcript, and the most steps. A session of a whole day has a tenth of that.
const TEXT_BYTES: usize = 16 * 1024 * 1024;
const MOST_STEPS: usize = 50_000;

/// How many lines at each end of an output are searched for an exit code.
const EXIT_CODE_LINES: usize = 8;

/// Replaces the secrets in a text.
pub type Mask = fn(&mut String);

/// Which transcripts are read, and how their texts are masked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'a> {
    /// The agents worked in these folders or below; empty for anywhere.
    pub(super) roots: &'a [PathBuf],
    pub(super) mask: Mask,
}

impl Choice<'_> {
    /// Returns whether a directory is one of the roots or lies below one.
    pub(super) fn includes(&self, directory: &str) -> bool {
        self.roots.is_empty() || self.roots.iter().any(|root| Path::new(directory).starts_with(root))
    }
}

/// A session while its transcript is read.
#[derive(Debug)]
pub(super) struct Draft {
    mask: Mask,
    pub(super) id: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) commit: Option<String>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    turns: Vec<Turn>,
    steps: usize,
    text_bytes: usize,
}

impl Draft {
    /// Begins a session whose texts are masked before they are cut, so that no part of a secret is left.
    pub(super) fn new(mask: Mask) -> Self {
        Self {
            mask,
            id: None,
            directory: None,
            branch: None,
            commit: None,
            first: None,
            last: None,
            turns: Vec::new(),
            steps: 0,
            text_bytes: 0,
        }
    }

    /// Records that something happened then.
    pub(super) fn at(&mut self, time: Option<Timestamp>) {
        if let Some(time) = time {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
    }

    /// Adds a request of the user, which begins a turn.
    pub(super) fn add_question(&mut self, text: &str) {
        let text = text.trim();
        // What an agent inserts itself is enclosed in tags.
        if text.is_empty() || text.starts_with('<') || self.steps >= MOST_STEPS {
            return;
        }
        self.steps += 1;
        let prompt = self.mask(text);
        let prompt = self.keep(beginning(&prompt, MESSAGE_BYTES));
        self.turns.push(Turn { time: self.last, prompt, steps: Vec::new() });
    }

    /// Adds what the agent said. The same message twice in a row counts once, because some agents write it in two records.
    pub(super) fn add_answer(&mut self, text: &str) {
        let text = beginning(&self.mask(text.trim()), MESSAGE_BYTES);
        let last = self.turns.last().and_then(|turn| turn.steps.last()).map(|step| &step.action);
        if text.is_empty() || matches!(last, Some(Action::Said(said)) if *said == text) {
            return;
        }
        let text = self.keep(text);
        self.add(Action::Said(text));
    }

    /// Adds the edit of a file.
    pub(super) fn add_edit(&mut self, file: &str) {
        self.add(Action::Edited(self.mask(file)));
    }

    /// Adds a command with its outcome.
    pub(super) fn add_command(&mut self, command: &str, output: &str, has_failed: bool) {
        let output = ends(&self.mask(output.trim()));
        let output = self.keep(output);
        let command = beginning(&self.mask(command), EVENT_BYTES);
        self.add(Action::Ran(CommandRun { command, output, has_failed }));
    }

    fn add(&mut self, action: Action) {
        if self.steps >= MOST_STEPS {
            return;
        }
        self.steps += 1;
        if self.turns.is_empty() {
            self.turns.push(Turn { time: self.last, ..Turn::default() });
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.steps.push(Step { time: self.last, action });
        }
    }

    fn mask(&self, text: &str) -> String {
        let mut text = text.to_owned();
        (self.mask)(&mut text);
        text
    }

    /// Returns the text, or nothing if the transcript has too much of it.
    fn keep(&mut self, text: String) -> String {
        self.text_bytes += text.len();
        if self.text_bytes <= TEXT_BYTES { text } else { String::new() }
    }

    fn id_or_name(&self, path: &Path) -> String {
        self.id.clone().unwrap_or_else(|| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Returns the conversation; `None` without a turn.
    pub(super) fn into_transcript(self, client: TranscriptClient, path: &Path) -> Option<Transcript> {
        if self.turns.is_empty() {
            return None;
        }
        Some(Transcript {
            client,
            session: self.id_or_name(path),
            path: path.to_owned(),
            started: self.first,
            ended: self.last,
            branch: self.branch,
            turns: self.turns,
        })
    }

    /// Returns the session as an import has it: the first request, further requests, the edited files, failed commands and
    /// commits. `None` without a time or a request.
    pub(super) fn finish(self, client: TranscriptClient, path: &Path) -> Option<ForeignSession> {
        let id = self.id_or_name(path);
        let started = self.first?;
        let mut imported = ImportedEvents::default();
        for turn in &self.turns {
            imported.add_turn(turn);
        }
        Some(ForeignSession {
            started,
            ended: self.last.unwrap_or(started),
            goal: Some(imported.goal?),
            summary: None,
            belongs: Belonging { scope: None, project: self.directory },
            origin: ForeignOrigin {
                agent: Some(client.as_str().to_owned()),
                mode: None,
                session: Some(id.clone()),
                branch: self.branch,
                commit: self.commit,
            },
            id,
            events: imported.events,
            further: imported.further,
        })
    }
}

/// The events of an imported session.
#[derive(Default)]
struct ImportedEvents {
    goal: Option<String>,
    events: Vec<ForeignEvent>,
    further: u64,
    /// The files that an event names already.
    edited: HashSet<String>,
}

impl ImportedEvents {
    fn add_turn(&mut self, turn: &Turn) {
        let prompt = beginning(&turn.prompt, EVENT_BYTES);
        match self.goal {
            _ if prompt.is_empty() => {}
            None => self.goal = Some(prompt),
            Some(_) => self.add(turn.time, SessionEventType::Observation, format!("asked: {prompt}"), Vec::new()),
        }
        for Step { time, action } in &turn.steps {
            match action {
                Action::Edited(file) if self.edited.insert(file.clone()) => {
                    let text = format!("edited {}", beginning(file, EVENT_BYTES));
                    self.add(*time, SessionEventType::Observation, text, vec![file.clone()]);
                }
                Action::Ran(CommandRun { command, has_failed: true, .. }) => {
                    self.add(*time, SessionEventType::Error, format!("failed: {command}"), Vec::new());
                }
                Action::Ran(CommandRun { command, .. }) if command.contains("git commit") => {
                    self.add(*time, SessionEventType::Milestone, command.clone(), Vec::new());
                }
                Action::Said(_) | Action::Edited(_) | Action::Ran(_) => {}
            }
        }
    }

    fn add(&mut self, time: Option<Timestamp>, event_type: SessionEventType, text: String, files: Vec<String>) {
        if self.events.len() >= MOST_EVENTS {
            self.further += 1;
            return;
        }
        let details = EventDetails::new(event_type, text);
        self.events.push(ForeignEvent { timestamp: time.unwrap_or_default(), details, files });
    }
}

/// Returns the paths that a patch in the format of `apply_patch` changes.
pub(super) fn patch_files(patch: &str) -> impl Iterator<Item = &str> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    patch.lines().filter_map(move |line| marks.iter().find_map(|mark| line.strip_prefix(mark))).map(str::trim)
}

/// Returns the text of a value: a string, the `text` of an object, or those of a list, one a line.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => fields.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// Returns the exit code that the first or last lines of an output state, in the words of the agents that run commands.
pub(super) fn stated_exit_code(output: &str) -> Option<i64> {
    let words = ["Exit code: ", "Exit Code: ", "Exit code ", "Process exited with code ", "<exited with exit code "];
    let code = |line: &str| {
        let rest = words.iter().find_map(|words| line.trim_start().strip_prefix(words))?;
        rest.trim_end_matches('>').trim().parse().ok()
    };
    let first = output.lines().take(EXIT_CODE_LINES).find_map(code);
    first.or_else(|| output.lines().rev().take(EXIT_CODE_LINES).find_map(code))
}

fn beginning(text: &str, most_bytes: usize) -> String {
    if text.len() > most_bytes {
        format!("{}…", &text[..text.floor_char_boundary(most_bytes)])
    } else {
        text.to_owned()
    }
}

/// Returns the beginning and the end of an output.
fn ends(output: &str) -> String {
    if output.len() <= OUTPUT_HEAD_BYTES + OUTPUT_TAIL_BYTES {
        return output.to_owned();
    }
    let head = &output[..output.floor_char_boundary(OUTPUT_HEAD_BYTES)];
    let tail = &output[output.ceil_char_boundary(output.len() - OUTPUT_TAIL_BYTES)..];
    format!("{head}\n…\n{tail}")
}
