//! An in-memory file system for journals, which can crash and fail at every step.

mod state;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_journal::{Day, LockedFile, Missing, Stat, Storage, StoredFile};

use state::{File, State, Write, stat};
pub use state::{History, Image, Moment};

/// A folder of journals in memory. Clones share the folder.
#[derive(Clone, Debug)]
pub struct ModelDisk {
    folder: PathBuf,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    state: State,
    /// The history that records every state, and the number of this disk in it.
    history: Option<(History, usize)>,
    steps: usize,
    failures: Option<Failures>,
    /// The concurrent change of a day's file just before the next sync.
    edit: Option<(Day, ConcurrentEdit)>,
}

/// A change that git or an editor makes without taking the lock.
#[derive(Clone, Debug)]
pub enum ConcurrentEdit {
    /// Replaces the file.
    Replace(Vec<u8>),
    /// Overwrites the file from its beginning.
    Overwrite(Vec<u8>),
    /// Removes the file.
    Remove,
}

/// Which operations fail.
#[derive(Clone, Copy, Debug)]
pub struct Failures {
    /// The first that fails, counted from 0.
    pub first: usize,
    /// How many consecutive ones fail.
    pub count: usize,
    /// The kind of the error.
    pub kind: io::ErrorKind,
}

impl ModelDisk {
    /// Creates an empty folder with that path.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), inner: Arc::default() }
    }

    /// Creates a folder with the contents of an image.
    pub fn with_image(folder: impl Into<PathBuf>, image: &Image) -> Self {
        let disk = Self::new(folder);
        for (day, content) in image {
            disk.replace(*day, content);
        }
        disk
    }

    /// Records every state from now on, together with the other disks of the history.
    pub fn record(&self, history: &History) {
        let mut inner = self.inner.lock();
        let number = history.join(inner.state.clone());
        inner.history = Some((history.clone(), number));
    }

    /// Makes operations fail from now on. The count of operations starts again at 0.
    pub fn fail_at(&self, failures: Option<Failures>) {
        let mut inner = self.inner.lock();
        (inner.steps, inner.failures) = (0, failures);
    }

    /// Returns the number of operations since the count was started.
    pub fn steps(&self) -> usize {
        self.inner.lock().steps
    }

    /// Returns the content of a day's file as the running system sees it; `None` if there is no file.
    pub fn content(&self, day: Day) -> Option<Vec<u8>> {
        let inner = self.inner.lock();
        inner.state.names.get(&day).map(|file| inner.state.files[*file].seen.clone())
    }

    /// Returns all files as the running system sees them.
    pub fn image(&self) -> Image {
        let inner = self.inner.lock();
        inner.state.names.iter().map(|(day, file)| (*day, inner.state.files[*file].seen.clone())).collect()
    }

    /// Replaces a day's file as git does: the content is durable before the name.
    pub fn replace(&self, day: Day, content: &[u8]) {
        let mut inner = self.inner.lock();
        let modified = inner.state.tick();
        let durable = BTreeSet::from([content.to_vec()]);
        inner.state.files.push(File { seen: content.to_vec(), pending: Vec::new(), durable, modified });
        let file = inner.state.files.len() - 1;
        inner.state.names.insert(day, file);
        inner.note();
    }

    /// Appends to a day's file as an editor does, without a sync and without the lock.
    ///
    /// # Panics
    /// If there is no such file.
    pub fn append_unlocked(&self, day: Day, bytes: &[u8]) {
        let mut inner = self.inner.lock();
        let file = inner.state.names[&day];
        inner.state.write(file, bytes);
        inner.note();
    }

    /// Changes a file just before the next sync.
    pub fn edit_before_sync(&self, day: Day, edit: ConcurrentEdit) {
        self.inner.lock().edit = Some((day, edit));
    }

    fn apply_edit(&self) {
        let edit = self.inner.lock().edit.take();
        let Some((day, edit)) = edit else { return };
        match edit {
            ConcurrentEdit::Replace(content) => self.replace(day, &content),
            ConcurrentEdit::Overwrite(bytes) => {
                let mut inner = self.inner.lock();
                let file = inner.state.names[&day];
                Write::Append { at: 0, bytes }.apply(&mut inner.state.files[file].seen);
            }
            ConcurrentEdit::Remove => drop(self.inner.lock().state.names.remove(&day)),
        }
    }

    /// Performs an operation, or half of it if it is to fail.
    fn step<T>(&self, half: impl FnOnce(&mut State), whole: impl FnOnce(&mut State) -> T) -> io::Result<T> {
        let mut inner = self.inner.lock();
        let step = inner.steps;
        inner.steps += 1;
        let fails = inner
            .failures
            .filter(|failures| (failures.first..failures.first.saturating_add(failures.count)).contains(&step));
        let outcome = match fails {
            Some(failures) => {
                half(&mut inner.state);
                Err(failures.kind.into())
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
        assert!(self.inner.lock().state.locked.insert(day), "two writers hold the lock of one file");
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
        self.disk.apply_edit();
        self.disk.step(|state| state.fail_to_sync(self.file), |state| state.sync(self.file))
    }
}
