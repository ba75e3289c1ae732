//! In which states may a disk be, when whoever writes journals to it is interrupted at any step?
//!
//! A file system in memory that can crash and break at every step.

mod history;
mod state;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_journal::{Day, LockedFile, Missing, Stat, Storage, StoredFile};

pub use history::{History, Moment};
pub use state::Image;
use state::{File, State, Write, stat};

/// A folder of journals in memory. Clones are the same folder.
#[derive(Clone, Debug)]
pub struct ModelDisk {
    folder: PathBuf,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    state: State,
    /// Where every state is noted that is gone through, and as which disk.
    history: Option<(History, usize)>,
    steps: usize,
    breaks: Option<Breaks>,
    /// What somebody else does to a day's file just before the next sync.
    ambush: Option<(Day, Ambush)>,
}

/// What git or an editor does without asking for the lock.
#[derive(Clone, Debug)]
pub enum Ambush {
    /// Puts another file in its place.
    Replace(Vec<u8>),
    /// Goes on writing from its beginning.
    Overwrite(Vec<u8>),
    /// Takes it away.
    Remove,
}

/// When operations fail.
#[derive(Clone, Copy, Debug)]
pub struct Breaks {
    /// The first that fails, counted from 0.
    pub first: usize,
    /// How many in a row do.
    pub count: usize,
    /// What the system says of them.
    pub kind: io::ErrorKind,
}

impl ModelDisk {
    /// An empty folder of that name.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), inner: Arc::default() }
    }

    /// A folder as it is on disk.
    pub fn of(folder: impl Into<PathBuf>, image: &Image) -> Self {
        let disk = Self::new(folder);
        for (day, content) in image {
            disk.replace(*day, content);
        }
        disk
    }

    /// Notes every state from now on, beside those of the other disks of that history.
    pub fn record(&self, history: &History) {
        let mut inner = self.inner.lock();
        let number = history.join(inner.state.clone());
        inner.history = Some((history.clone(), number));
    }

    /// Has operations fail from now on, which are counted anew.
    pub fn break_at(&self, breaks: Option<Breaks>) {
        let mut inner = self.inner.lock();
        (inner.steps, inner.breaks) = (0, breaks);
    }

    /// How many operations there were since the count began.
    pub fn steps(&self) -> usize {
        self.inner.lock().steps
    }

    /// What a day's file holds, as the running system sees it; none where there is none.
    pub fn content(&self, day: Day) -> Option<Vec<u8>> {
        let inner = self.inner.lock();
        inner.state.names.get(&day).map(|file| inner.state.files[*file].seen.clone())
    }

    /// All files, as the running system sees them.
    pub fn image(&self) -> Image {
        let inner = self.inner.lock();
        inner.state.names.iter().map(|(day, file)| (*day, inner.state.files[*file].seen.clone())).collect()
    }

    /// Puts another file in the place of a day's, as git does: its content comes before its name.
    pub fn replace(&self, day: Day, content: &[u8]) {
        let mut inner = self.inner.lock();
        let modified = inner.state.tick();
        let durable = BTreeSet::from([content.to_vec()]);
        inner.state.files.push(File { seen: content.to_vec(), pending: Vec::new(), durable, modified });
        let file = inner.state.files.len() - 1;
        inner.state.names.insert(day, file);
        inner.note();
    }

    /// Adds to a day's file as an editor does, which waits for nothing and asks for no lock.
    ///
    /// # Panics
    /// There is no such file.
    pub fn scribble(&self, day: Day, bytes: &[u8]) {
        let mut inner = self.inner.lock();
        let file = inner.state.names[&day];
        inner.state.write(file, bytes);
        inner.note();
    }

    /// Lies in wait for the next sync.
    pub fn ambush(&self, day: Day, ambush: Ambush) {
        self.inner.lock().ambush = Some((day, ambush));
    }

    fn spring(&self) {
        let ambush = self.inner.lock().ambush.take();
        let Some((day, ambush)) = ambush else { return };
        match ambush {
            Ambush::Replace(content) => self.replace(day, &content),
            Ambush::Overwrite(bytes) => {
                let mut inner = self.inner.lock();
                let file = inner.state.names[&day];
                Write::Append { at: 0, bytes }.apply(&mut inner.state.files[file].seen);
            }
            Ambush::Remove => drop(self.inner.lock().state.names.remove(&day)),
        }
    }

    /// Does an operation unless it is one that fails; of one that does, `half` is done.
    fn step<T>(&self, half: impl FnOnce(&mut State), whole: impl FnOnce(&mut State) -> T) -> io::Result<T> {
        let mut inner = self.inner.lock();
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
}

impl Inner {
    fn note(&mut self) {
        if let Some((history, disk)) = &self.history {
            history.note(*disk, self.state.clone());
        }
    }
}

impl Storage for ModelDisk {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn days(&self) -> io::Result<Vec<Day>> {
        Ok(self.inner.lock().state.names.keys().copied().collect())
    }

    fn stat(&self, day: Day) -> io::Result<Option<Stat>> {
        let inner = self.inner.lock();
        Ok(inner.state.names.get(&day).map(|file| stat(&inner.state, *file)))
    }

    fn open(&self, day: Day) -> io::Result<Option<Box<dyn StoredFile>>> {
        let file = self.inner.lock().state.names.get(&day).copied();
        Ok(file.map(|file| Box::new(Opened { disk: self.clone(), file, locked: None }) as Box<dyn StoredFile>))
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
        assert!(self.inner.lock().state.locked.insert(day), "two append to one file at once");
        Ok(Box::new(Opened { disk: self.clone(), file, locked: Some(day) }))
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
    disk: ModelDisk,
    file: usize,
    locked: Option<Day>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(day) = self.locked {
            self.disk.inner.lock().state.locked.remove(&day);
        }
    }
}

impl StoredFile for Opened {
    fn stat(&self) -> io::Result<Stat> {
        Ok(stat(&self.disk.inner.lock().state, self.file))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let inner = self.disk.inner.lock();
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
        self.disk.step(|state| state.write(file, &bytes[..bytes.len() / 2]), |state| state.write(file, bytes))
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.disk.step(|_| (), |state| state.truncate(self.file, length as usize))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.spring();
        self.disk.step(|state| state.fail_to_sync(self.file), |state| state.sync(self.file))
    }
}
