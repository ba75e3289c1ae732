//! The points in time that requests name.

use std::path::Path;

use recall_core::{NewBound, TimePoint, Timestamp, ValidTime, ValidTimeChange, When, WordedTime};

use crate::git::Git;

/// The stretch of time that a text names. Both ends are the same commit if it names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) start: TimePoint,
    /// Exclusive, except for a commit.
    pub(crate) end: TimePoint,
}

/// A text of a request names no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is neither a time nor a commit or tag of this project")]
pub struct UnknownTime {
    /// The text as the request has it.
    pub text: String,
}

/// Reads a text as a time, or as a revision of the repository of a folder.
pub(crate) fn resolve(root: &Path, text: &str, now: Timestamp) -> Result<Stretch, UnknownTime> {
    let unknown = || UnknownTime { text: text.to_owned() };
    match When::parse(text, now).ok_or_else(unknown)? {
        When::Stretch(start, end) => {
            let point = |at| TimePoint { at, commit: None };
            Ok(Stretch { start: point(start), end: point(end) })
        }
        When::Revision(revision) => {
            let point = Git::at(root).commit_named(&revision).ok_or_else(unknown)?;
            Ok(Stretch { start: point.clone(), end: point })
        }
    }
}

/// Resolves the time for which a memory is stated.
pub(crate) fn valid_time(root: &Path, worded: &WordedTime, now: Timestamp) -> Result<ValidTime, UnknownTime> {
    let ValidTimeChange { from, until } = valid_time_change(root, worded, now)?;
    let stated = |bound| match bound {
        Some(NewBound::At(point)) => Some(point),
        Some(NewBound::Open) | None => None,
    };
    Ok(ValidTime { from: stated(from), until: stated(until) })
}

/// Resolves a change of the time for which a memory is stated. It holds from the beginning of `from` on until the beginning of `until`.
pub(crate) fn valid_time_change(
    root: &Path,
    worded: &WordedTime,
    now: Timestamp,
) -> Result<ValidTimeChange, UnknownTime> {
    let bound = |text: &Option<String>| match text.as_deref().map(str::trim) {
        None => Ok(None),
        Some("") => Ok(Some(NewBound::Open)),
        Some(text) => resolve(root, text, now).map(|stretch| Some(NewBound::At(stretch.start))),
    };
    Ok(ValidTimeChange { from: bound(&worded.from)?, until: bound(&worded.until)? })
}
