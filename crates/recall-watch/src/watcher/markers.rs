//! Marker files, whose events prove that all earlier events have arrived.

use std::fs::{File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex};
use recall_os::Folder;

use super::directories::Reach;

/// The maximum number of simultaneous waiters. A further one gets no answer.
const MARKERS: usize = 32;

/// The marker files of a watcher.
pub(super) struct Markers {
    folder: PathBuf,
    reach: Reach,
    all: Mutex<Vec<Marker>>,
    arrived: Condvar,
}

struct Marker {
    name: String,
    file: File,
    state: MarkerState,
    /// How often it was touched. Each time it gets a new modification time.
    touched: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerState {
    Free,
    /// A reader waits for its event.
    Waiting,
    Arrived,
    /// The reader stopped waiting before the event arrived.
    Abandoned,
}

impl Markers {
    pub(super) fn new(folder: &Path, reach: Reach) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let folder = dunce::canonicalize(folder)?;
        let marker = |number: usize| {
            let name = format!("{number}");
            let file = File::create(folder.join(&name))?;
            Ok(Marker { name, file, state: MarkerState::Free, touched: 0 })
        };
        let markers = (0..MARKERS).map(marker).collect::<io::Result<_>>()?;
        Ok(Self { folder, reach, all: Mutex::new(markers), arrived: Condvar::new() })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Touches a marker and waits for its event. Returns `false` if it does not arrive in time.
    pub(super) fn touch_and_wait(&self, deadline: Instant) -> bool {
        let mut markers = self.all.lock();
        let Some(place) = markers.iter().position(|marker| marker.state == MarkerState::Free) else { return false };
        let marker = &mut markers[place];
        marker.touched += 1;
        let touched = match self.reach {
            Reach::Directory => {
                // Any new time causes an event.
                let time = SystemTime::UNIX_EPOCH + Duration::from_secs(marker.touched);
                marker.file.set_times(FileTimes::new().set_modified(time))
            }
            // A second report of an earlier event has an earlier name.
            Reach::Tree => {
                let name = format!("{place}-{}", marker.touched);
                std::fs::rename(self.folder.join(&marker.name), self.folder.join(&name)).map(|()| marker.name = name)
            }
        };
        if touched.is_err() {
            return false;
        }
        marker.state = MarkerState::Waiting;
        while markers[place].state == MarkerState::Waiting {
            if self.arrived.wait_until(&mut markers, deadline).timed_out() {
                break;
            }
        }
        let has_arrived = markers[place].state == MarkerState::Arrived;
        markers[place].state = if has_arrived { MarkerState::Free } else { MarkerState::Abandoned };
        has_arrived
    }

    /// Removes the folder. No event arrives from then on.
    pub(super) fn remove(&self) {
        let (Some(parent), Some(name)) = (self.folder.parent(), self.folder.file_name()) else { return };
        // The next watcher removes anything that is left.
        let _ = Folder::open(parent).and_then(|parent| parent.remove(name));
    }

    /// Processes an event. Returns whether its path is that of a marker.
    pub(super) fn receive(&self, path: &Path) -> bool {
        if path.parent() != Some(&*self.folder) {
            return path == self.folder;
        }
        let mut markers = self.all.lock();
        let Some(marker) = markers.iter_mut().find(|marker| path.file_name().is_some_and(|name| name == &*marker.name))
        else {
            return true;
        };
        marker.state = match marker.state {
            MarkerState::Waiting => MarkerState::Arrived,
            MarkerState::Abandoned => MarkerState::Free,
            state => state,
        };
        drop(markers);
        self.arrived.notify_all();
        true
    }
}

impl Drop for Markers {
    fn drop(&mut self) {
        self.remove();
    }
}
