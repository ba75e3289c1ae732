//! Which states did some disks go through together?

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Image, State};

/// The states that some disks went through together.
#[derive(Clone, Debug, Default)]
pub struct History(Arc<Mutex<Moments>>);

#[derive(Debug, Default)]
struct Moments {
    disks: Vec<State>,
    acknowledged: usize,
    all: Vec<Moment>,
}

/// What a crash may meet, on each of the disks that are noted together.
#[derive(Clone, Debug)]
pub struct Moment {
    disks: Vec<State>,
    /// How much was acknowledged by then.
    pub acknowledged: usize,
}

impl History {
    /// Takes a disk in, in the state that it is in, before anything is noted; returns its number.
    pub(super) fn join(&self, state: State) -> usize {
        let mut moments = self.0.lock();
        moments.disks.push(state);
        moments.disks.len() - 1
    }

    /// Notes that a disk is in another state.
    pub(super) fn note(&self, disk: usize, state: State) {
        let mut moments = self.0.lock();
        moments.disks[disk] = state;
        moments.note();
    }

    /// Notes that so much more was acknowledged.
    pub fn acknowledge(&self, count: usize) {
        let mut moments = self.0.lock();
        moments.acknowledged += count;
        moments.note();
    }

    /// Every moment that was gone through, in order.
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
    /// Every state of the disks that a crash at that moment may leave, in the order in which they were recorded.
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
