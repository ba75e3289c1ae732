//! The journals of a folder: durable appends, incremental reads, and the memories that the events add up to.
//!
//! A journal is a file of JSON lines per day, `YYYY-MM-DD/memories.jsonl`, that git can merge. [`Journal`] appends
//! events and acknowledges them once they are on disk. [`Follower`] reads the files, no matter who wrote them, and
//! returns what changed since the last read. [`Memories`] is the state that a set of events gives; the order and
//! repetition of the events do not matter.
//!
//! Complete lines are never rewritten: a line that cannot be read stays in its file and is reported as a [`Fault`]. A
//! torn line at the end of a file was never acknowledged; it is cut off and reported as a [`Repair`].
//!
//! [`Recorder`] keeps the events of a session in the same way, in an `events.jsonl` that is not shared between machines.
//!
//! This crate uses no clock, no randomness and no environment: the caller supplies ids and timestamps.
//!
//! The problem: a memory exists nowhere else, and its file belongs to git, to editors and to several processes at once. So an event
//! is a line, events commute, and a merge of two branches is the union of their lines. One file for all memories would be touched by
//! every merge, one file per memory would conflict on feedback, and a database cannot be merged by git (ADR 8).
//!
//! Begin with `journal`, `queue` and `writer` (appending), `follower` (reading), `line` (the format) and `memories` (the fold).

mod day;
mod error;
mod follower;
mod journal;
mod line;
mod lines;
mod memories;
mod raw_lines;
mod recorder;
mod storage;
mod writer;

pub use day::{Day, FILE as JOURNAL_FILE, moment_of, rfc_3339};
pub use error::{AppendError, Fault, FaultKind, OpenError, ReadError};
pub use follower::{Changes, Follower};
pub use journal::Journal;
pub use lines::{LINE_BYTES, LineLog};
pub use memories::{Applied, Judged, Memories, MemoryState};
pub use raw_lines::{LineHash, LineReader, event_ids, event_of_line, read_events_of};
pub use recorder::{EVENTS_FILE, RecordError, Recorder, Recording, RecordingFault};
pub use storage::{Disk, LockedFile, Missing, Stat, Storage, StoredFile};
pub use writer::{Repair, RepairKind};
