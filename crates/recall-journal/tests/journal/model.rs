//! A file system in memory that can crash and break at every step, and tells in which states a disk may then be.
//!
//! What is known of a file is what the running system sees, what was written since the last sync, and what may be on disk. A
//! name is on disk when its folder was synced. A sync that fails leaves open which of the writes before it reached the disk,
//! and forgets them: the next one that succeeds says nothing about them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::Timestamp;
use recall_journal::{Day, LockedFile, Missing, Stat, Storage, StoredFile};

/// A folder of journals in memory. Clones are the same folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    state: State,
    /// How many events were acknowledged.
    acknowledged: usize,
    history: Vec<(State, usize)>,
    is_recording: bool,
    steps: usize,
    breaks: Option<Breaks>,
    /// What somebody else does to a day's file just before the next sync.
    ambush: Option<(Day, Ambush)>,
}

/// What git or an editor does without asking for the lock.
#[derive(Clone, Debug)]
pub(crate) enum Ambush {
    /// Puts another file in its place.
    Replace(Vec<u8>),
    /// Goes on writing from its beginning.
    Overwrite(Vec<u8>),
    /// Takes it away.
    Remove,
}

/// When operations fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Breaks {
    /// The first that fails, counted from 0.
    pub(crate) first: usize,
    /// How many in a row do.
    pub(crate) count: usize,
    pub(crate) kind: io::ErrorKind,
}

/// What a crash may meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    files: Vec<File>,
    /// The file of each day's folder.
    names: BTreeMap<Day, usize>,
    /// The same on disk, of folders that are themselves.
    durable_names: BTreeMap<Day, usize>,
    durable_folders: BTreeSet<Day>,
    locked: BTreeSet<Day>,
    clock: i64,
}

#[derive(Clone, Debug, Default)]
struct File {
    seen: Vec<u8>,
    pending: Vec<Write>,
    /// What may be on disk.
    durable: BTreeSet<Vec<u8>>,
    modified: i64,
}

#[derive(Clone, Debug)]
enum Write {
    Append { at: usize, bytes: Vec<u8> },
    Truncate { length: usize },
}

/// A disk after a crash.
pub(crate) type Image = BTreeMap<Day, Vec<u8>>;

impl Model {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A folder as it is on disk.
    pub(crate) fn of(image: &Image) -> Self {
        let model = Self::new();
        for (day, content) in image {
            model.replace(*day, content);
        }
        model
    }

    pub(crate) fn record(&self) {
        self.0.lock().is_recording = true;
    }

    pub(crate) fn break_at(&self, breaks: Option<Breaks>) {
        let mut inner = self.0.lock();
        (inner.steps, inner.breaks) = (0, breaks);
    }

    /// Notes that events were acknowledged.
    pub(crate) fn acknowledge(&self, events: usize) {
        let mut inner = self.0.lock();
        inner.acknowledged += events;
        inner.note();
    }

    /// Every state that was gone through, with the number of events that were acknowledged by then.
    pub(crate) fn history(&self) -> Vec<(State, usize)> {
        self.0.lock().history.clone()
    }

    pub(crate) fn content(&self, day: Day) -> Option<Vec<u8>> {
        let inner = self.0.lock();
        inner.state.names.get(&day).map(|file| inner.state.files[*file].seen.clone())
    }

    /// Puts another file in the place of a day's, as git does: its content comes before its name.
    pub(crate) fn replace(&self, day: Day, content: &[u8]) {
        let mut inner = self.0.lock();
        let modified = inner.state.tick();
        let durable = BTreeSet::from([content.to_vec()]);
        inner.state.files.push(File { seen: content.to_vec(), pending: Vec::new(), durable, modified });
        let file = inner.state.files.len() - 1;
        inner.state.names.insert(day, file);
        inner.note();
    }

    /// Adds to a day's file as an editor does, which waits for nothing and asks for no lock.
    pub(crate) fn scribble(&self, day: Day, bytes: &[u8]) {
        let mut inner = self.0.lock();
        let file = inner.state.names[&day];
        inner.state.write(file, bytes);
        inner.note();
    }

    pub(crate) fn ambush(&self, day: Day, ambush: Ambush) {
        self.0.lock().ambush = Some((day, ambush));
    }

    fn spring(&self) {
        let ambush = self.0.lock().ambush.take();
        let Some((day, ambush)) = ambush else { return };
        match ambush {
            Ambush::Replace(content) => self.replace(day, &content),
            Ambush::Overwrite(bytes) => {
                let mut inner = self.0.lock();
                let file = inner.state.names[&day];
                Write::Append { at: 0, bytes }.apply(&mut inner.state.files[file].seen);
            }
            Ambush::Remove => drop(self.0.lock().state.names.remove(&day)),
        }
    }

    /// Does an operation unless it is one that fails; of one that does, `half` is done.
    fn step<T>(&self, half: impl FnOnce(&mut State), whole: impl FnOnce(&mut State) -> T) -> io::Result<T> {
        let mut inner = self.0.lock();
        let step = inner.steps;
        inner.steps += 1;
        let fails =
            inner.breaks.filter(|breaks| (breaks.first..breaks.first.saturating_add(breaks.count)).contains(&step));
        let outcome = match fails {
            Some(breaks) => {
                half(&mut inner.state);
                Err(breaks.kind.into())
            }
            None => Ok(whole(&mut inner.state)),
        };
        inner.note();
        outcome
    }

    pub(crate) fn steps(&self) -> usize {
        self.0.lock().steps
    }
}

impl Inner {
    fn note(&mut self) {
        if self.is_recording {
            self.history.push((self.state.clone(), self.acknowledged));
        }
    }
}

impl State {
    fn tick(&mut self) -> i64 {
        self.clock += 1;
        self.clock
    }

    fn write(&mut self, file: usize, bytes: &[u8]) {
        let modified = self.tick();
        let file = &mut self.files[file];
        let write = Write::Append { at: file.seen.len(), bytes: bytes.to_vec() };
        write.apply(&mut file.seen);
        file.pending.push(write);
        file.modified = modified;
    }

    fn truncate(&mut self, file: usize, length: usize) {
        let modified = self.tick();
        let file = &mut self.files[file];
        let write = Write::Truncate { length };
        write.apply(&mut file.seen);
        file.pending.push(write);
        file.modified = modified;
    }

    fn sync(&mut self, file: usize) {
        let file = &mut self.files[file];
        let applied = |content: &Vec<u8>| {
            let mut content = content.clone();
            file.pending.iter().for_each(|write| write.apply(&mut content));
            content
        };
        file.durable = file.durable.iter().map(applied).collect();
        file.pending.clear();
    }

    fn fail_to_sync(&mut self, file: usize) {
        let file = &mut self.files[file];
        file.durable = file.contents();
        file.pending.clear();
    }

    /// Every disk that a crash may leave.
    pub(crate) fn images(&self) -> Vec<Image> {
        let mut images = vec![Image::new()];
        for (day, file) in &self.names {
            // No entry, the entry that is on disk, or the one that is not yet.
            let is_named = self.durable_folders.contains(day);
            let durable = self.durable_names.get(day).filter(|_| is_named);
            let mut choices: Vec<Option<Vec<u8>>> = Vec::new();
            if durable != Some(file) {
                match durable {
                    Some(old) => choices.extend(self.files[*old].contents().into_iter().map(Some)),
                    None => choices.push(None),
                }
            }
            choices.extend(self.files[*file].contents().into_iter().map(Some));
            let with = |image: &Image, choice: &Option<Vec<u8>>| {
                let mut image = image.clone();
                image.extend(choice.clone().map(|content| (*day, content)));
                image
            };
            images = images.iter().flat_map(|image| choices.iter().map(move |choice| with(image, choice))).collect();
        }
        images
    }
}

impl File {
    /// What a crash may leave: some of the pending writes, the last of them in part or as zeros.
    fn contents(&self) -> BTreeSet<Vec<u8>> {
        let mut contents = BTreeSet::new();
        for durable in &self.durable {
            let mut content = durable.clone();
            contents.insert(content.clone());
            for write in &self.pending {
                for torn in write.torn() {
                    let mut content = content.clone();
                    torn.apply(&mut content);
                    contents.insert(content);
                }
                write.apply(&mut content);
                contents.insert(content.clone());
            }
        }
        contents
    }
}

impl Write {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Append { at, bytes } => {
                if content.len() < at + bytes.len() {
                    content.resize(at + bytes.len(), 0);
                }
                content[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Self::Truncate { length } => content.truncate(*length),
        }
    }

    /// What a crash may make of it: parts, and blocks that were taken but not filled.
    fn torn(&self) -> Vec<Self> {
        let Self::Append { at, bytes } = self else { return Vec::new() };
        let end = bytes.len();
        let cuts = [1, 5, 11, end / 3, end / 2, end.saturating_sub(2), end.saturating_sub(1)];
        let cut = |cut: &usize| Self::Append { at: *at, bytes: bytes[..(*cut).min(end)].to_vec() };
        let mut half_filled = bytes.clone();
        half_filled[end / 2..].fill(0);
        let zeros = Self::Append { at: *at, bytes: vec![0; end] };
        cuts.iter().map(cut).chain([zeros, Self::Append { at: *at, bytes: half_filled }]).collect()
    }
}

impl Storage for Model {
    fn folder(&self) -> &Path {
        Path::new("memory")
    }

    fn days(&self) -> io::Result<Vec<Day>> {
        Ok(self.0.lock().state.names.keys().copied().collect())
    }

    fn stat(&self, day: Day) -> io::Result<Option<Stat>> {
        let inner = self.0.lock();
        Ok(inner.state.names.get(&day).map(|file| stat(&inner.state, *file)))
    }

    fn open(&self, day: Day) -> io::Result<Option<Box<dyn StoredFile>>> {
        let file = self.0.lock().state.names.get(&day).copied();
        Ok(file.map(|file| Box::new(Opened { model: self.clone(), file, locked: None }) as Box<dyn StoredFile>))
    }

    fn open_locked(&self, day: Day, missing: Missing) -> io::Result<Box<dyn LockedFile>> {
        let nothing = |_: &mut State| ();
        let file = self.step(nothing, |state| match state.names.get(&day) {
            Some(file) => Some(*file),
            None if missing == Missing::Refuse => None,
            None => {
                state.files.push(File { durable: BTreeSet::from([Vec::new()]), ..File::default() });
                state.names.insert(day, state.files.len() - 1);
                Some(state.files.len() - 1)
            }
        })?;
        let file = file.ok_or(io::ErrorKind::NotFound)?;
        assert!(self.0.lock().state.locked.insert(day), "two append to one file at once");
        Ok(Box::new(Opened { model: self.clone(), file, locked: Some(day) }))
    }

    fn sync_folders(&self, day: Day) -> io::Result<()> {
        let named = |state: &mut State| {
            let file = state.names.get(&day).copied();
            state.durable_names.extend(file.map(|file| (day, file)));
        };
        self.step(|_| (), named)?;
        self.step(|_| (), |state| state.durable_folders.insert(day)).map(|_| ())
    }
}

#[derive(Debug)]
struct Opened {
    model: Model,
    file: usize,
    locked: Option<Day>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(day) = self.locked {
            self.model.0.lock().state.locked.remove(&day);
        }
    }
}

impl StoredFile for Opened {
    fn stat(&self) -> io::Result<Stat> {
        Ok(stat(&self.model.0.lock().state, self.file))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let inner = self.model.0.lock();
        let content = &inner.state.files[self.file].seen;
        let rest = &content[(offset as usize).min(content.len())..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

impl LockedFile for Opened {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.file;
        self.model.step(|state| state.write(file, &bytes[..bytes.len() / 2]), |state| state.write(file, bytes))
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.model.step(|_| (), |state| state.truncate(self.file, length as usize))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.model.spring();
        self.model.step(|state| state.fail_to_sync(self.file), |state| state.sync(self.file))
    }
}

fn stat(state: &State, file: usize) -> Stat {
    let File { seen, modified, .. } = &state.files[file];
    let modified = Timestamp(*modified);
    Stat { length: seen.len() as u64, modified, changed: modified, identity: (0, file as u64) }
}
