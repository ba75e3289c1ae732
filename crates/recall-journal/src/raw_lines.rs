//! Reading of journals without parsing every line: event ids and line hashes, and the events of a few memories.
//!
//! They show whether an event is in a text, and whether its line is unmodified. They do not say what the event means.
//!
//! Parsing a hundred thousand lines takes about a second; searching them for the ids of a few memories takes a
//! twentieth of that.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use memchr::memmem;
use recall_core::{Event, EventId, MemoryId};

use crate::line::{BEGINNING, read_line, write_line};
use crate::lines::Lines;
use crate::{Day, ReadError, Storage};

/// The bytes before an event's id. Inside a JSON string they cannot occur, since each quote there is escaped.
const ID: &[u8] = b"\"event_id\"";

/// The number of hexadecimal digits of an event's id.
const ID_DIGITS: usize = 32;

/// The hash of an event's line as this crate writes it.
///
/// Two events have the same hash only if they are equal in every field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineHash([u8; 16]);

impl LineHash {
    /// Hashes the line of an event.
    pub fn from_event(event: &Event) -> Self {
        let mut line = Vec::new();
        write_line(event, &mut line);
        Self::from_line(&line)
    }

    /// Hashes a line, with or without its newline.
    pub fn from_line(line: &[u8]) -> Self {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::hash(line).as_bytes()[..16]);
        Self(hash)
    }
}

/// Returns the ids of the events in a text, in order. The text may be a journal, a part of one, or a diff.
pub fn event_ids(text: &[u8]) -> impl Iterator<Item = EventId> {
    memmem::find_iter(text, ID).filter_map(|at| {
        let rest = text[at + ID.len()..].trim_ascii_start().strip_prefix(b":")?;
        let digits = rest.trim_ascii_start().strip_prefix(b"\"")?.get(..ID_DIGITS)?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    })
}

/// Parses one line of a journal. Returns `None` if it does not hold exactly one event.
pub fn event_of_line(line: &[u8], day: Day) -> Option<Event> {
    let mut events = read_line(line, day).events;
    if events.len() == 1 { events.pop() } else { None }
}

/// A reader that returns each line of a folder's journals once.
#[derive(Debug)]
pub struct LineReader {
    storage: Arc<dyn Storage>,
    /// The offset up to which each day's file was read, always at the end of a line.
    read: BTreeMap<Day, u64>,
}

impl LineReader {
    /// Creates a reader of all days. Nothing is read yet.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, read: BTreeMap::new() }
    }

    /// Creates a reader of some days; the others count as read.
    ///
    /// If the folder cannot be listed, the first call of [`read`](Self::read) reports it.
    pub fn since(storage: Arc<dyn Storage>, is_wanted: &dyn Fn(Day) -> bool) -> Self {
        let others = storage.days().unwrap_or_default().into_iter().filter(|day| !is_wanted(*day));
        Self { read: others.map(|day| (day, u64::MAX)).collect(), storage }
    }

    /// Calls `each` for every complete line that is new since the last call, with its day and without its newline.
    ///
    /// Of the days read before, only the last `growing` are checked again. A file that became shorter is read from its
    /// beginning.
    ///
    /// # Errors
    /// The folder cannot be listed, or a file cannot be read. Lines already passed to `each` are not repeated by the
    /// next call.
    pub fn read(&mut self, growing: usize, each: &mut dyn FnMut(Day, &[u8])) -> io::Result<()> {
        let days = self.storage.days()?;
        let first_growing = days.len().saturating_sub(growing);
        for (at, day) in days.into_iter().enumerate() {
            if at < first_growing && self.read.contains_key(&day) {
                continue;
            }
            self.read_day(day, each)?;
        }
        Ok(())
    }

    fn read_day(&mut self, day: Day, each: &mut dyn FnMut(Day, &[u8])) -> io::Result<()> {
        let Some(file) = self.storage.open(day)? else { return Ok(()) };
        let length = file.stat()?.length;
        let read = self.read.entry(day).or_default();
        if *read > length {
            *read = 0;
        }
        let mut lines = Lines::new(&*file, *read, length, 0);
        while let Some(line) = lines.next()? {
            if !line.ends {
                break;
            }
            *read = line.offset + line.length;
            if let Some(bytes) = line.bytes {
                each(day, bytes);
            }
        }
        Ok(())
    }
}

/// The bytes before the id of a line's item, and before the id of the memory that it supersedes. Inside a JSON string
/// they cannot occur, since each quote there is escaped.
const ABOUT: &[u8] = b",\"id\":\"";

const RETIRES: &[u8] = b"\"supersedes\":\"";

/// Within how many bytes of its beginning a line written by this crate has the id.
const HEAD_BYTES: usize = 128;

/// The length of a memory's id in bytes.
const ID_BYTES: usize = 10;

/// Returns every event about the given memories, and every addition that supersedes one of them.
///
/// A line that was not written by this crate is always parsed. If a line has several objects, the first one decides
/// whether the line is parsed. Unreadable lines and files are skipped; [`Follower`](crate::Follower) reports them.
///
/// # Errors
/// The folder cannot be listed.
pub fn read_events_of(storage: &dyn Storage, memories: &BTreeSet<MemoryId>) -> Result<Vec<Event>, ReadError> {
    let days = storage.days().map_err(|source| ReadError { folder: storage.folder().to_owned(), source })?;
    let filter = IdFilter { memories, about: memmem::Finder::new(ABOUT), retires: memmem::Finder::new(RETIRES) };
    let mut events = Vec::new();
    for day in days {
        let Ok(Some(file)) = storage.open(day) else { continue };
        let Ok(stat) = file.stat() else { continue };
        let mut lines = Lines::new(&*file, 0, stat.length, 0);
        while let Ok(Some(line)) = lines.next() {
            if let Some(bytes) = line.bytes.filter(|bytes| filter.may_be_in(bytes)) {
                events.extend(read_line(bytes, day).events);
            }
        }
    }
    events.retain(|event| is_about_any(event, memories));
    Ok(events)
}

/// A filter for lines that may hold an event about some memories.
struct IdFilter<'m> {
    memories: &'m BTreeSet<MemoryId>,
    about: memmem::Finder<'static>,
    retires: memmem::Finder<'static>,
}

impl IdFilter<'_> {
    fn may_be_in(&self, line: &[u8]) -> bool {
        if !line.starts_with(BEGINNING) {
            return true;
        }
        let head = &line[..line.len().min(HEAD_BYTES)];
        let Some(about) = self.about.find(head) else { return true };
        begins_with_id(&line[about + ABOUT.len()..], self.memories)
            || self.retires.find_iter(line).any(|at| begins_with_id(&line[at + RETIRES.len()..], self.memories))
    }
}

/// Returns whether the bytes begin with the id of one of the memories.
fn begins_with_id(bytes: &[u8], memories: &BTreeSet<MemoryId>) -> bool {
    let id = bytes.get(..ID_BYTES).and_then(|id| std::str::from_utf8(id).ok()).and_then(|id| id.parse().ok());
    id.is_some_and(|id| memories.contains(&id))
}

fn is_about_any(event: &Event, memories: &BTreeSet<MemoryId>) -> bool {
    let retires = event.new_memory().and_then(|added| added.supersedes);
    let about = match event.item() {
        recall_core::ItemId::Memory(id) => Some(id),
        recall_core::ItemId::Document(_) | recall_core::ItemId::Chunk(_) => None,
    };
    [about, retires].into_iter().flatten().any(|id| memories.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;

    #[test]
    fn ids_are_found_in_any_spacing_but_not_inside_strings() {
        let id = "0123456789abcdef0123456789abcdef";
        let other = "f123456789abcdef0123456789abcdef";
        let text = format!(
            "+{{\"event\":\"add\",\"event_id\":\"{id}\"}}\n {{ \"event_id\" : \"{other}\" }}\n\
             {{\"content\":\"\\\"event_id\\\":\\\"{id}\\\"\"}}\n{{\"event_id\":\"short\"}}\n{{\"event_id\":"
        );
        let found: Vec<String> = event_ids(text.as_bytes()).map(|id| id.to_string()).collect();
        assert_eq!(found, [id, other]);
    }

    #[test]
    fn each_complete_line_is_passed_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("2026-01-05/memories.jsonl");
        std::fs::create_dir(file.parent().expect("a folder")).expect("made");
        let mut reader = LineReader::new(Arc::new(Disk::new(folder.path())));
        let mut check = |text: &str, expected: &[&str]| {
            std::fs::write(&file, text).expect("written");
            let mut seen = Vec::new();
            reader.read(1, &mut |_, line| seen.push(String::from_utf8_lossy(line).into_owned())).expect("read");
            assert_eq!(seen, expected);
        };
        check("a\nb", &["a"]);
        check("a\nb\nc\n", &["b", "c"]);
        check("a\nb\nc\n", &[]);
        check("d\n", &["d"]);
    }
}
