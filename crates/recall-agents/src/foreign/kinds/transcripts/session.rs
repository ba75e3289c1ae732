//! A session that is put together from a transcript, within bounds.

use std::collections::HashSet;
use std::path::Path;

use recall_core::{EventDetails, SessionEventType, Timestamp};

use crate::foreign::item::{Belonging, ForeignEvent, ForeignOrigin, ForeignSession};

/// The longest line of a transcript that is read. Longer ones are tool output.
pub(super) const LINE_BYTES: u64 = 8 * 1024 * 1024;

/// The most events of one session; further ones are counted.
const MOST_EVENTS: usize = 200;

/// The most bytes of one event's text.
const EVENT_BYTES: usize = 2000;

/// A session while its transcript is read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) id: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) commit: Option<String>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    goal: Option<String>,
    events: Vec<ForeignEvent>,
    further: u64,
    /// The files that an event names already.
    edited: HashSet<String>,
}

impl Draft {
    /// Records that something happened then.
    pub(super) fn at(&mut self, time: Option<Timestamp>) {
        if let Some(time) = time {
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.last = Some(self.last.map_or(time, |last| last.max(time)));
        }
    }

    /// Adds a request of the user. The first one is the goal.
    pub(super) fn add_question(&mut self, text: &str) {
        let text = text.trim();
        // What an agent inserts itself is enclosed in tags.
        if text.is_empty() || text.starts_with('<') {
            return;
        }
        let text = cut(text);
        if self.goal.is_none() {
            self.goal = Some(text.clone());
        } else {
            self.add(SessionEventType::Observation, format!("asked: {text}"), Vec::new());
        }
    }

    /// Adds the edit of a file, once for each file.
    pub(super) fn add_edit(&mut self, file: &str) {
        if self.edited.insert(file.to_owned()) {
            self.add(SessionEventType::Observation, format!("edited {}", cut(file)), vec![file.to_owned()]);
        }
    }

    /// Adds a command that failed.
    pub(super) fn add_failure(&mut self, command: &str) {
        self.add(SessionEventType::Error, format!("failed: {}", cut(command)), Vec::new());
    }

    /// Adds a command; only commits are told.
    pub(super) fn ran(&mut self, command: &str) {
        if command.contains("git commit") {
            self.add(SessionEventType::Milestone, cut(command), Vec::new());
        }
    }

    fn add(&mut self, event_type: SessionEventType, text: String, files: Vec<String>) {
        if self.events.len() >= MOST_EVENTS {
            self.further += 1;
            return;
        }
        let timestamp = self.last.unwrap_or_default();
        self.events.push(ForeignEvent { timestamp, details: EventDetails::new(event_type, text), files });
    }

    /// Returns the session; `None` without a time or a request.
    pub(super) fn finish(self, agent: &str, path: &Path) -> Option<ForeignSession> {
        let goal = self.goal?;
        let started = self.first?;
        let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let id = self.id.unwrap_or_else(stem);
        Some(ForeignSession {
            started,
            ended: self.last.unwrap_or(started),
            goal: Some(goal),
            summary: None,
            belongs: Belonging { scope: None, project: self.directory },
            origin: ForeignOrigin {
                agent: Some(agent.to_owned()),
                mode: None,
                session: Some(id.clone()),
                branch: self.branch,
                commit: self.commit,
            },
            id,
            events: self.events,
            further: self.further,
        })
    }
}

/// Returns the paths that a patch in the format of `apply_patch` changes.
pub(super) fn patch_files(patch: &str) -> impl Iterator<Item = &str> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    patch.lines().filter_map(move |line| marks.iter().find_map(|mark| line.strip_prefix(mark))).map(str::trim)
}

/// Returns whether a directory is the root or lies below it.
pub(super) fn is_inside(directory: &str, root: &Path) -> bool {
    Path::new(directory).starts_with(root)
}

fn cut(text: &str) -> String {
    if text.len() > EVENT_BYTES {
        format!("{}…", &text[..text.floor_char_boundary(EVENT_BYTES)])
    } else {
        text.to_owned()
    }
}
