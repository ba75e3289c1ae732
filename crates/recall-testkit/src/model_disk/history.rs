//! The common history of several disks.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Image, State};

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
