//! Readers of what other tools remember (feature `foreign`): databases, notes and transcripts become [items](Item).
//!
//! [`places()`] returns where a tool keeps its files, and [`read`] passes the items of one of them to a sink, one at a time.
//! Nothing is ever written to a foreign file or next to it: a database is read from a private copy.
//!
//! The module decides what an item becomes. It does not decide whether it belongs to a project, is known already or may be
//! stored; it masks nothing.
//!
//! SQLite writes next to a database that it opens, even read-only, and with `immutable` it ignores the log, where the latest commits
//! are; hence the copy (ADR 34). Begin with `item` and `kinds`.

mod database;
mod error;
mod front_matter;
mod item;
mod kinds;
mod moment;
mod places;
mod text_file;
mod transcript;

pub use error::ReadError;
pub use item::{
    Belonging, ForeignEvent, ForeignFeedback, ForeignFile, ForeignMemory, ForeignOrigin, ForeignSession, Item, LeftOut,
    LeftOutReason, Sink,
};
pub use kinds::{Mask, Reading, TranscriptQuery, TranscriptTally, read, read_transcripts};
pub use places::places;
pub use transcript::{Action, CommandRun, Step, Transcript, TranscriptClient, Turn};
