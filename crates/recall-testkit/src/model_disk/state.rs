//! The possible contents of a disk after a crash, and the common history of several disks.
//!
//! The state of a file consists of its content as the running system sees it, the writes since the last sync, and the
//! contents that may be on disk. A name is durable once its folder is synced. After a failed sync any of the preceding
//! writes may or may not be on disk, and they are dropped: a later successful sync does not include them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::Timestamp;
use recall_journal::{Day, Stat};

/// A disk after a crash: the content of each day's file.
pub type Image = BTreeMap<Day, Vec<u8>>;

/// The state of a disk.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) files: Vec<File>,
    /// The file of each day.
    pub(super) names: BTreeMap<Day, usize>,
    /// The durable names. A name counts only if its folder is durable too.
    pub(super) durable_names: BTreeMap<Day, usize>,
    pub(super) durable_folders: BTreeSet<Day>,
    pub(super) locked: BTreeSet<Day>,
    pub(super) clock: i64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) seen: Vec<u8>,
    pub(super) pending: Vec<Write>,
    /// The contents that may be on disk.
    pub(super) durable: BTreeSet<Vec<u8>>,
    pub(super) modified: i64,
}

#[derive(Clone, Debug)]
pub(super) enum Write {
    Append { at: usize, bytes: Vec<u8> },
    Truncate { length: usize },
}

impl State {
    pub(super) fn tick(&mut self) -> i64 {
        self.clock += 1;
        self.clock
    }

    pub(super) fn write(&mut self, file: usize, bytes: &[u8]) {
        let modified = self.tick();
        let file = &mut self.files[file];
        let write = Write::Append { at: file.seen.len(), bytes: bytes.to_vec() };
        write.apply(&mut file.seen);
        file.pending.push(write);
        file.modified = modified;
    }

    pub(super) fn truncate(&mut self, file: usize, length: usize) {
        let modified = self.tick();
        let file = &mut self.files[file];
        let write = Write::Truncate { length };
        write.apply(&mut file.seen);
        file.pending.push(write);
        file.modified = modified;
    }

    pub(super) fn sync(&mut self, file: usize) {
        let file = &mut self.files[file];
        let applied = |content: &Vec<u8>| {
            let mut content = content.clone();
            file.pending.iter().for_each(|write| write.apply(&mut content));
            content
        };
        file.durable = file.durable.iter().map(applied).collect();
        file.pending.clear();
    }

    pub(super) fn fail_to_sync(&mut self, file: usize) {
        let file = &mut self.files[file];
        file.durable = file.contents();
        file.pending.clear();
    }

    /// Returns every image that a crash may leave.
    pub(super) fn images(&self) -> Vec<Image> {
        let mut images = vec![Image::new()];
        for (day, file) in &self.names {
            // No entry, the durable entry, or the new one.
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
    /// The possible contents after a crash: a prefix of the pending writes, the last of them partial or filled with
    /// zeros.
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
    pub(super) fn apply(&self, content: &mut Vec<u8>) {
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

    /// The partial forms of a write after a crash: prefixes, and blocks that were allocated but not filled.
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

pub(super) fn stat(state: &State, file: usize) -> Stat {
    let File { seen, modified, .. } = &state.files[file];
    let modified = Timestamp(*modified);
    Stat { length: seen.len() as u64, modified, changed: modified, identity: (0, file as u64) }
}

/// The states that several disks went through together.
#[derive(Clone, Debug, Default)]
pub struct History(Arc<Mutex<Moments>>);

#[derive(Debug, Default)]
struct Moments {
    disks: Vec<State>,
    acknowledged: usize,
    all: Vec<Moment>,
}

/// A state of all disks at which a crash may occur.
#[derive(Clone, Debug)]
pub struct Moment {
    disks: Vec<State>,
    /// How much had been acknowledged.
    pub acknowledged: usize,
}

impl History {
    /// Adds a disk in its current state, and returns its number. Must precede the first record.
    pub(super) fn join(&self, state: State) -> usize {
        let mut moments = self.0.lock();
        moments.disks.push(state);
        moments.disks.len() - 1
    }

    /// Records a new state of a disk.
    pub(super) fn note(&self, disk: usize, state: State) {
        let mut moments = self.0.lock();
        moments.disks[disk] = state;
        moments.note();
    }

    /// Records that `count` more writes were acknowledged.
    pub fn acknowledge(&self, count: usize) {
        let mut moments = self.0.lock();
        moments.acknowledged += count;
        moments.note();
    }

    /// Returns all recorded moments, in order.
    pub fn moments(&self) -> Vec<Moment> {
        self.0.lock().all.clone()
    }
}

impl Moments {
    fn note(&mut self) {
        if !self.disks.is_empty() {
            self.all.push(Moment { disks: self.disks.clone(), acknowledged: self.acknowledged });
        }
    }
}

impl Moment {
    /// Returns every combination of disk images that a crash at this moment may leave.
    pub fn images(&self) -> Vec<Vec<Image>> {
        let mut images = vec![Vec::new()];
        for disk in &self.disks {
            let choices = disk.images();
            let with = |images: &Vec<Image>, choice: &Image| [images.as_slice(), std::slice::from_ref(choice)].concat();
            images = images.iter().flat_map(|before| choices.iter().map(move |choice| with(before, choice))).collect();
        }
        images
    }
}
