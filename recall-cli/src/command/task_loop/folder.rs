//! The loop's folder `.ralph`: prompts, outputs, and what a later run needs to go on.
//!
//! The repository may contain anything there. No link is followed.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use recall_api::Reason;
use recall_os::{Access, Folder, OpenError};
use serde::{Deserialize, Serialize};

use super::reply::{Escalation, EscalationKind};
use crate::Exit;
use crate::error::{CliError, CommandError};

/// The folder's name.
pub(super) const NAME: &str = ".ralph";

const GITIGNORE: &str = ".gitignore";
const LOCK: &str = "lock";
const STATE: &str = "state.json";
const PROMPT: &str = "prompt.md";
const GUIDANCE: &str = "human-input.txt";
const ESCALATION: &str = "escalation.json";

/// The beginning and the end of the names of outputs.
const OUTPUT: (&str, &str) = ("output_", ".txt");

/// The most bytes that are read of a file written by a person or by the loop.
const FILE_BYTES: u64 = 1024 * 1024;

/// The open folder, locked for this process.
#[derive(Debug)]
pub(super) struct LoopFolder {
    folder: Folder,
    /// Held until the process ends.
    _lock: File,
}

/// What a later run needs to know of an unfinished one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// The task that the agent worked on last.
    pub(super) task: String,
    /// The commit on which it works. While it is the current one, changes of the work tree are the agent's.
    pub(super) base: Option<String>,
    /// The last error in its outputs.
    pub(super) error: Option<String>,
    /// How many runs in succession ended with that error.
    pub(super) repeats: usize,
    /// The agent's process, while it runs.
    pub(super) agent: Option<u32>,
}

/// A question that a person has not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) task: String,
    /// `stuck` or `deviation`.
    #[serde(rename = "type")]
    kind: String,
    pub(super) text: String,
}

impl Asked {
    pub(super) fn new(task: &str, escalation: &Escalation) -> Self {
        let Escalation { kind, text } = escalation;
        Self { task: task.to_owned(), kind: kind.as_str().to_owned(), text: text.clone() }
    }

    /// Why the person is asked. An unknown name, as after an edit by hand, counts as `Stuck`.
    pub(super) fn kind(&self) -> EscalationKind {
        EscalationKind::from_name(&self.kind).unwrap_or(EscalationKind::Stuck)
    }
}

impl LoopFolder {
    /// Opens the folder in `place`, creates it if it is missing, and locks it.
    ///
    /// # Errors
    /// It is a link or not a folder, another loop works there, or an agent of an earlier loop does.
    pub(super) fn open(place: &Path) -> Result<Self, CommandError> {
        let folder = Folder::open(place).and_then(|place| place.make_folder(NAME)).map_err(open_error)?;
        if !folder.has_file(GITIGNORE) {
            folder.replace(GITIGNORE, b"*\n").map_err(open_error)?;
        }
        let lock = folder.file(LOCK, Access::AppendOrCreate).map_err(open_error)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another `recall loop` works in `{}`", place.display());
                return Err(CliError::new(Exit::Refused, Reason::Conflict, message).into());
            }
            Err(TryLockError::Error(error)) => {
                return Err(CliError::refusal(format!("cannot lock `{}`", folder.path().display()), &error).into());
            }
        }
        let opened = Self { folder, _lock: lock };
        opened.check_no_agent()?;
        Ok(opened)
    }

    /// Checks that no agent of an interrupted loop is left. It has the prompt as its locked standard input.
    fn check_no_agent(&self) -> Result<(), CommandError> {
        let Ok(prompt) = self.folder.file(PROMPT, Access::Read) else { return Ok(()) };
        if !matches!(prompt.try_lock(), Err(TryLockError::WouldBlock)) {
            return Ok(());
        }
        let which = self.state().agent.map_or_else(String::new, |agent| format!(" (process {agent})"));
        let message = format!("an agent of an interrupted `recall loop` is still at work{which}");
        let hint = "wait for its end, or end it with `kill`; look at it with `ps -ef`";
        Err(CliError::new(Exit::Refused, Reason::Conflict, message).with_hint(hint).into())
    }

    /// Reads the state; an empty one if there is none, or if it is not readable.
    pub(super) fn state(&self) -> State {
        let text = self.folder.read(STATE, FILE_BYTES).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    pub(super) fn write_state(&self, state: &State) -> Result<(), CommandError> {
        let text = serde_json::to_vec_pretty(state).expect("made of texts and numbers");
        self.folder.replace(STATE, &text).map_err(open_error)
    }

    /// Writes the prompt and opens it for the agent, locked as long as the agent has it.
    pub(super) fn write_prompt(&self, text: &str) -> Result<File, CommandError> {
        self.folder.replace(PROMPT, text.as_bytes()).map_err(open_error)?;
        let file = self.folder.file(PROMPT, Access::Read).map_err(open_error)?;
        file.try_lock_shared().map_err(|error| {
            let error: io::Error = error.into();
            CliError::refusal(format!("cannot lock `{}`", self.folder.path().join(PROMPT).display()), &error)
        })?;
        Ok(file)
    }

    /// Creates the file of the next output. Returns its name too.
    pub(super) fn new_output(&self) -> Result<(String, File), CommandError> {
        let (begin, end) = OUTPUT;
        let number = |name: &std::ffi::OsString| -> Option<u32> {
            name.to_str()?.strip_prefix(begin)?.strip_suffix(end)?.parse().ok()
        };
        let names = self
            .folder
            .names()
            .map_err(|error| CliError::refusal(format!("cannot read `{}`", self.folder.path().display()), &error))?;
        let last = names.iter().filter_map(number).max().unwrap_or(0);
        let name = format!("{begin}{}{end}", last + 1);
        let file = self.folder.file(&name, Access::CreateNew).map_err(open_error)?;
        Ok((name, file))
    }

    /// Returns what a person said for the next run.
    pub(super) fn guidance(&self) -> Result<Option<String>, CommandError> {
        match self.folder.read(GUIDANCE, FILE_BYTES) {
            Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(open_error(error)),
        }
    }

    pub(super) fn write_guidance(&self, text: &str) -> Result<(), CommandError> {
        self.folder.replace(GUIDANCE, text.as_bytes()).map_err(open_error)
    }

    /// Forgets the guidance, after a run that had it.
    pub(super) fn remove_guidance(&self) -> Result<(), CommandError> {
        self.remove(GUIDANCE)
    }

    /// Returns the question that waits for an answer.
    pub(super) fn read_question(&self) -> Option<Asked> {
        serde_json::from_slice(&self.folder.read(ESCALATION, FILE_BYTES).ok()?).ok()
    }

    pub(super) fn write_question(&self, asked: &Asked) -> Result<(), CommandError> {
        let text = serde_json::to_vec_pretty(asked).expect("made of texts");
        self.folder.replace(ESCALATION, &text).map_err(open_error)
    }

    pub(super) fn remove_question(&self) -> Result<(), CommandError> {
        self.remove(ESCALATION)
    }

    fn remove(&self, name: &str) -> Result<(), CommandError> {
        match self.folder.metadata(name) {
            Ok(None) => Ok(()),
            _ => self.folder.remove(name).map_err(open_error),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn open_error(error: OpenError) -> CommandError {
    let message = format!("cannot use the loop's folder: {error}");
    CliError::new(Exit::Refused, Reason::Unavailable, message).with_causes_of(&error).into()
}
