//! Where the engine runs: files and an index on a real disk, journals on disks that crash.

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

/// More than any sequence of operations remembers.
const HITS: u32 = 50;

/// How long the index may take to be up to ten memories.
const PATIENCE: Duration = Duration::from_secs(30);

/// A time that goes forward when it is told to.
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

/// A project, the disks of its journals, of the global ones and of the user's own log, and a time.
pub(crate) struct World {
    sandbox: Arc<Sandbox>,
    /// Where the index and the global store's folder are.
    place: tempfile::TempDir,
    pub(crate) disks: [ModelDisk; 3],
    pub(crate) clock: Arc<TestClock>,
}

/// An index as it was at one moment; a folder of its own, unless there was none.
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
        // Far from every file's own time, so that no file is taken for one that was just written.
        let clock = Arc::new(TestClock(AtomicI64::new(2_000_000_000_000_000_000)));
        Self { place: place(), sandbox: Arc::new(sandbox), disks, clock }
    }

    /// The same project after a crash that left these journals, with the index of some moment.
    pub(crate) fn after(&self, images: &[Image], index: Option<&Index>) -> Self {
        let disk = |at: usize| ModelDisk::of(recall_journal::Storage::folder(&self.disks[at]), &images[at]);
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

    /// An engine as a daemon that was just started has it.
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

    /// What is found of wombats, everywhere, once the index is up to the journals: on a busy machine a search does not wait for it.
    pub(crate) fn search(&self, engine: &Engine) -> Vec<Hit> {
        let wombats = SearchRequest { limit: HITS, ..request("wombats") };
        let is_behind = |warning: &Warning| {
            matches!(warning, Warning::ScanRunning | Warning::Indexing { .. } | Warning::MemoriesBehind)
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

    /// A copy of the index.
    pub(crate) fn index(&self) -> Index {
        let kept = place();
        copy(self.place.path(), kept.path());
        Index(Some(kept))
    }

    /// Checks that something can be remembered, and is found.
    pub(crate) fn still_works(&self, seed: u64) {
        let engine = self.engine();
        let memory = addition("Wombats after the crash", &words(&mut fastrand::Rng::with_seed(seed), 0), None);
        let id = engine.add_memory(&self.origin(), &memory).expect("kept").id;
        let hits = self.search(&engine);
        assert!(hits.iter().any(|hit| hit.memory.as_ref().is_some_and(|memory| memory.memory.id == id)), "{hits:#?}");
        engine.close();
    }
}

/// To how many parts a score is compared: sums of the same numbers in another order differ in their last bits.
const SCORE_PARTS: f64 = 1e9;

/// What a client learns of memories, and the answer to a search.
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

/// Copies what is in a folder.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("there") {
        let from: PathBuf = entry.expect("there").path();
        let to = to.join(from.file_name().expect("a name"));
        if from.is_dir() {
            fs::create_dir_all(&to).expect("made");
            copy(&from, &to);
        } else if fs::copy(&from, &to).is_err() {
            // A log that was folded in meanwhile.
            assert!(!from.exists(), "{}", from.display());
        }
    }
}
