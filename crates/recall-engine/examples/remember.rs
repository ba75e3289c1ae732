//! How long does it take to keep a memory, until it is acknowledged and until it is found, and to see whether it still holds?
//!
//! `cargo run --release -p recall-engine --example remember`. Adds memories one after another, then by 32 threads at once, to a
//! project in a temporary folder, whose disk decides.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{
    AddMemory, Clock, MemoryType, Provenance, Repeats, Scope, SearchRequest, Timestamp, VerifyMemories, VerifyMode,
};
use recall_engine::{Engine, EngineSettings, Origin, Places, RootCheck, StoreSettings};

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place here that asks for the time")]
    fn now(&self) -> Timestamp {
        Timestamp::from(std::time::SystemTime::now())
    }
}

#[expect(clippy::print_stdout, reason = "figures are what it is for")]
fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().canonicalize().expect("it is there").join("project");
    std::fs::create_dir_all(&root).expect("writable");
    std::fs::write(root.join("a.rs"), "fn a() {}\n").expect("writable");
    let places = Places {
        global_root: folder.path().join("global"),
        stores: folder.path().join("stores"),
        home: None,
        allowed_roots: Vec::new(),
        domains: std::collections::BTreeMap::new(),
    };
    let of_store = |_: &Path| StoreSettings::default();
    let engine = Engine::new(places, EngineSettings::default(), Box::new(of_store), Arc::new(SystemClock));
    let origin = Origin { directory: root.clone(), project: Some(root), root_check: RootCheck::Refuse, domain: None };
    engine.search(&origin, &request("a")).expect("indexed");

    verify(&engine, &origin);
    let mut took: Vec<Duration> = (0..300).map(|n| add(&engine, &origin, n)).collect();
    took.sort();
    println!("one after another: p50 {:.1?}, p95 {:.1?}", took[took.len() / 2], took[took.len() * 95 / 100]);

    let mut waited: Vec<Duration> = (1000..1020)
        .map(|n| {
            add(&engine, &origin, n);
            let began = Instant::now();
            let name = format!("matter{n}");
            let holds = |answer: &recall_engine::Answer| answer.hits.iter().any(|hit| hit.text.contains(&name));
            loop {
                let answer = engine.search(&origin, &request(&name)).expect("an answer");
                if holds(&answer) {
                    return began.elapsed();
                }
                assert!(!answer.warnings.is_empty(), "an answer that lacks something says so");
            }
        })
        .collect();
    waited.sort();
    println!("found by a search right behind: p50 {:.1?}, most {:.1?}", waited[10], waited[19]);

    let began = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..32 {
            let (engine, origin) = (&engine, &origin);
            scope.spawn(move || (0..20).for_each(|n| _ = add(engine, origin, 10_000 + thread * 100 + n)));
        }
    });
    println!("32 at once: {:.0} a second", 640.0 / began.elapsed().as_secs_f64());
    engine.close();
}

/// Compares the anchors of as many memories as a page of hits has, each tied to a file of its own.
#[expect(clippy::print_stdout, reason = "figures are what it is for")]
fn verify(engine: &Engine, origin: &Origin) {
    let ids: Vec<_> = (0..20)
        .map(|number| {
            let path = format!("file{number}.rs");
            std::fs::write(origin.directory.join(&path), format!("fn of_file{number}() {{}}\n")).expect("writable");
            let memory = AddMemory { related_files: vec![path], ..lesson(90_000 + number) };
            engine.add_memory(origin, &memory).expect("kept").id
        })
        .collect();
    engine.search(origin, &request("file")).expect("an answer");
    let verify =
        VerifyMemories { ids, scope: Scope::Project, mode: VerifyMode::Check, provenance: Provenance::default() };
    let mut took: Vec<Duration> = (0..200)
        .map(|_| {
            let began = Instant::now();
            let report = engine.verify_memories(origin, &verify).expect("verified");
            assert_eq!((report.memories.len(), report.broken()), (20, 0));
            began.elapsed()
        })
        .collect();
    took.sort();
    println!("20 memories verified: p50 {:.2?}, p95 {:.2?}", took[100], took[190]);
}

fn add(engine: &Engine, origin: &Origin, number: u32) -> Duration {
    let began = Instant::now();
    engine.add_memory(origin, &lesson(number)).expect("kept");
    began.elapsed()
}

fn lesson(number: u32) -> AddMemory {
    AddMemory {
        memory_type: MemoryType::Lesson,
        title: format!("The lesson of matter{number}"),
        content: format!("What was learnt of matter{number} on day {}: it takes {} tries.", number % 31, number * 7),
        scope: Scope::Project,
        tags: Vec::new(),
        related_files: Vec::new(),
        supersedes: None,
        repeats: Repeats::Accept,
        source: None,
        origin: None,
        key: None,
        provenance: Provenance::default(),
    }
}

fn request(query: &str) -> SearchRequest {
    SearchRequest::new(query, Scope::Project, 10)
}
