//! The environment of the engine: files and an index on a real disk, journals on simulated ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use recall_core::{Clock, MemoryId, Ownership, Scope, SearchRequest, Timestamp};
use recall_engine::{Engine, EngineSettings, Hit, ItemRequest, Origin, Parent, Warning};
use recall_testkit::{Image, ModelDisk};

use super::oracle::{Fact, Facts};
use super::support::{Sandbox, request};
use super::work::{addition, words};

/// More than the number of memories in any sequence of operations.
const HITS: u32 = 50;

/// How long indexing ten memories may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A clock that is advanced by hand.
#[derive(Debug)]
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn forward(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000_000, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A project, the disks of its journals, of the global journals and of the user's own log, and a clock.
pub(crate) struct World {
    sandbox: Arc<Sandbox>,
    /// The folder of the index and of the global store.
    place: tempfile::TempDir,
    pub(crate) disks: [ModelDisk; 3],
    pub(crate) clock: Arc<TestClock>,
}

/// A copy of the index at one moment; none if it did not exist.
pub(crate) struct Index(Option<tempfile::TempDir>);

impl Index {
    pub(crate) fn none() -> Self {
        Self(None)
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::with(&[("src/burrow.rs", "pub fn dig() {}\n")]);
        let folder = |name: &str| sandbox.home().join("journals").join(name);
        let disks = ["project", "global", "written"].map(|name| ModelDisk::new(folder(name)));
        // Far from the files' times, so that no file counts as just written.
        let clock = Arc::new(TestClock(AtomicI64::new(2_000_000_000_000_000_000)));
        Self { place: place(), sandbox: Arc::new(sandbox), disks, clock }
    }

    /// Returns the same project after a crash that left these journals, with the index of some moment.
    pub(crate) fn after(&self, images: &[Image], index: Option<&Index>) -> Self {
        let disk = |at: usize| ModelDisk::with_image(recall_journal::Storage::folder(&self.disks[at]), &images[at]);
        let clock = Arc::new(TestClock(AtomicI64::new(2_001_000_000_000_000_000)));
        let world =
            Self { place: place(), sandbox: Arc::clone(&self.sandbox), disks: [disk(0), disk(1), disk(2)], clock };
        if let Some(Index(Some(index))) = index {
            copy(index.path(), world.place.path());
        }
        world
    }

    pub(crate) fn origin(&self) -> Origin {
        self.sandbox.origin()
    }

    /// Returns the engine of a daemon that was just started.
    pub(crate) fn engine(&self) -> Engine {
        let ([project, global, written], root) = (self.disks.clone(), self.sandbox.root());
        let logs = self.place.path().join("written");
        let journals = move |of: &Path, _: &Path| {
            let disk = if of == root {
                &project
            } else if of.starts_with(&logs) {
                &written
            } else {
                &global
            };
            Arc::new(disk.clone()) as Arc<dyn recall_journal::Storage>
        };
        let clock = Arc::clone(&self.clock);
        self.sandbox.engine_at(self.place.path(), EngineSettings::default(), clock, Box::new(journals))
    }

    /// Returns the hits for wombats in all stores, after the index has caught up: on a busy machine a search does not wait for it.
    pub(crate) fn search(&self, engine: &Engine) -> Vec<Hit> {
        let wombats = SearchRequest { limit: HITS, ..request("wombats") };
        let is_behind = |warning: &Warning| {
            matches!(
                warning,
                Warning::ScanRunning | Warning::Indexing { .. } | Warning::NotIndexedYet(_) | Warning::MemoriesBehind
            )
        };
        let began = Instant::now();
        loop {
            let answer = engine.search(&self.origin(), &wombats).expect("an answer");
            if !answer.warnings.iter().any(is_behind) {
                return answer.hits;
            }
            assert!(began.elapsed() < PATIENCE, "the index stays behind: {:?}", answer.warnings);
        }
    }

    /// Returns a copy of the index.
    pub(crate) fn index(&self) -> Index {
        let kept = place();
        copy(self.place.path(), kept.path());
        Index(Some(kept))
    }

    /// Checks that a memory can be added and found.
    pub(crate) fn still_works(&self, seed: u64) {
        let engine = self.engine();
        let memory = addition("Wombats after the crash", &words(&mut fastrand::Rng::with_seed(seed), 0), None);
        let id = engine.add_memory(&self.origin(), &memory).expect("kept").id;
        let hits = self.search(&engine);
        assert!(hits.iter().any(|hit| hit.memory.as_ref().is_some_and(|memory| memory.memory.id == id)), "{hits:#?}");
        engine.close();
    }
}

/// The precision to which scores are compared: sums of the same numbers in another order differ in their last bits.
const SCORE_PARTS: f64 = 1e9;

/// Returns the memories as a client sees them, and the hits of a search.
pub(crate) fn observe(world: &World, ids: BTreeSet<MemoryId>) -> (Facts, Vec<Hit>) {
    let engine = world.engine();
    world.search(&engine);
    engine.settle(&world.origin(), Scope::All).expect("settled");
    let mut hits = world.search(&engine);
    for hit in &mut hits {
        hit.score = (hit.score * SCORE_PARTS).round();
    }
    let found = hits.iter().filter_map(|hit| Some((hit.scope, hit.memory.as_ref()?.memory.id))).collect();
    let mut facts = Facts { found, ..Facts::default() };
    for id in ids {
        let request = ItemRequest { id: id.to_string(), scope: Scope::All, parent: Parent::Leave };
        let Ok(item) = engine.get(&world.origin(), &request) else { continue };
        let recalled = item.memory.expect("a memory");
        assert_eq!(recalled.ownership, Ownership::Own, "{id}: the user's own log has every event that a journal has");
        let fact = Fact {
            scope: item.scope,
            title: recalled.memory.title.to_string(),
            content: recalled.memory.content.to_string(),
            useful: recalled.memory.feedback.useful,
            superseded_by: recalled.superseded_by,
        };
        facts.memories.insert(id, fact);
    }
    engine.close();
    (facts, hits)
}

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    fs::create_dir(place.path().join("global")).expect("made");
    place
}

/// Copies the content of a folder.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("there") {
        let from: PathBuf = entry.expect("there").path();
        let to = to.join(from.file_name().expect("a name"));
        if from.is_dir() {
            fs::create_dir_all(&to).expect("made");
            copy(&from, &to);
        } else if fs::copy(&from, &to).is_err() {
            // A write-ahead log that was checkpointed meanwhile.
            assert!(!from.exists(), "{}", from.display());
        }
    }
}
