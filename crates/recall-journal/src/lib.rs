//! Here is a folder of journals; which memories do they give, and how does an event get into them for good?
//!
//! A journal is JSON lines that git can merge, a file a day: `YYYY-MM-DD/memories.jsonl` below the folder. [`Journal`] appends
//! events and acknowledges them when they are on disk. [`Follower`] reads what is there, whoever wrote it, and tells what
//! changed since. [`Memories`] is what events give together, in whatever order and however often they are applied.
//!
//! Nothing is ever rewritten: a line that cannot be read stays where it is, and is told as a [`Fault`]. The one exception is a
//! torn line at the very end of a file, which nobody was ever told to be kept: it is cut off, and told as a [`Repair`].
//!
//! [`Recorder`] does the same for the events of a session, which no other machine sees: `events.jsonl` in a folder of its own.
//!
//! No clock, no chance, no environment: ids and moments come from whoever appends.

mod day;
mod error;
mod fault;
mod fingerprint;
mod follower;
mod glance;
mod journal;
mod line;
mod lines;
mod marks;
mod memories;
mod notes;
mod queue;
mod recorder;
mod storage;
mod tail;
mod writer;

pub use day::Day;
pub use day::{moment_of, rfc_3339};
pub use error::{AppendError, OpenError, ReadError};
pub use fault::{Fault, FaultKind};
pub use follower::{Changes, Follower};
pub use glance::events_about;
pub use journal::Journal;
pub use lines::LINE_BYTES;
pub use marks::{LineHash, LineReader, event_ids, event_of_line};
pub use memories::{Applied, Judged, Memories, MemoryState};
pub use notes::Notes;
pub use recorder::{EVENTS_FILE, RecordError, Recorder, Recording, RecordingFault};
pub use storage::{Disk, LockedFile, Missing, Stat, Storage, StoredFile};
pub use tail::{Repair, RepairKind};
