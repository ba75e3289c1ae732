//! How long does it take to keep a memory, to find it, to see whether it still holds, and to open a store with very many?
//!
//! `cargo run --release -p recall-engine --example remember [-- COUNT]`, over a project in a temporary folder that remembers so
//! much already, nothing unless told otherwise. The disk decides on what is kept; beside the time that passes stands the time
//! that the asking thread worked, which other work on the machine changes little.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{
    AddMemory, Clock, MemoryId, MemoryType, Provenance, Repeats, Scope, SearchRequest, Timestamp, VerifyMemories,
    VerifyMode,
};
use recall_engine::{
    Cancel, EmbeddingModel, Engine, EngineSettings, IndexRequest, Origin, Places, RootCheck, StoreSettings,
};

/// How many memories were added on one day.
const A_DAY: usize = 1000;

/// How many words there are, and how many of them a memory has: a paragraph.
const VOCABULARY: usize = 20_000;
const WORDS: usize = 80;

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place here that asks for the time")]
    fn now(&self) -> Timestamp {
        Timestamp::from(std::time::SystemTime::now())
    }
}

fn main() {
    let count = std::env::args().nth(1).map_or(0, |count| count.parse().expect("a number of memories"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().canonicalize().expect("it is there");
    let root = place.join("project");
    std::fs::create_dir_all(&root).expect("writable");
    std::fs::write(root.join("a.rs"), "fn a() {}\n").expect("writable");
    write_journals(&root, count);
    let origin = Origin { directory: root.clone(), project: Some(root), root_check: RootCheck::Refuse, domain: None };
    let engine = engine(&place);
    timed("from the journals alone to a whole index", || {
        engine.index(&origin, &everything(), &mut |_| {}, &Cancel::default()).expect("indexed")
    });
    engine.settle(&origin, Scope::All).expect("settled");
    let mut random = fastrand::Rng::with_seed(7);
    let questions: Vec<_> = (0..50).map(|number| words(&mut random, 1 + number % 6)).collect();
    let ask = || questions.iter().map(|question| spent(|| search(&engine, &origin, question)));
    ask().for_each(drop);
    let times: Vec<_> = (0..10).flat_map(|_| ask().collect::<Vec<_>>()).collect();
    spread("search, 10 hits", times);
    engine.close();

    let open = |number: usize| {
        let engine = self::engine(&place);
        let took = spent(|| search(&engine, &origin, &questions[number]));
        engine.close();
        took
    };
    spread("opening: the first answer of a new engine", (0..9).map(open).collect());

    let engine = self::engine(&place);
    search(&engine, &origin, "settled");
    engine.settle(&origin, Scope::All).expect("settled");
    verify(&engine, &origin);
    remember(&engine, &origin);
    engine.close();
}

fn engine(place: &Path) -> Engine {
    let (global_root, stores) = (place.join("global"), place.join("stores"));
    let places = Places {
        global_root,
        stores,
        home: None,
        config_home: None,
        agents: BTreeMap::new(),
        allowed_roots: Vec::new(),
        domains: BTreeMap::new(),
    };
    let model = EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(recall_models::BuiltIn) };
    let settings = EngineSettings { model: Some(model), ..EngineSettings::default() };
    let of_store = |_: &Path| StoreSettings::default();
    Engine::new(places, settings, Box::new(of_store), Arc::new(SystemClock))
}

/// Adds memories one after another, looks for some at once, and adds by many threads.
fn remember(engine: &Engine, origin: &Origin) {
    spread("an addition acknowledged", (0..300).map(|n| spent(|| add(engine, origin, n))).collect());
    // The global store lies in the data home, so that an addition to it waits for one sync instead of two.
    let global = |n| AddMemory { scope: Scope::Global, ..lesson(n) };
    let globally = (0..300).map(|n| spent(|| engine.add_memory(origin, &global(n)).expect("kept"))).collect();
    spread("the same in the global store, without an own log", globally);
    let found = |number| {
        add(engine, origin, number);
        let name = format!("matter{number}");
        spent(|| while !search(engine, origin, &name).contains(&name) {})
    };
    spread("found, from its acknowledgement on", (1000..1020).map(found).collect());
    let began = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..32 {
            scope.spawn(move || (0..50).for_each(|n| _ = add(engine, origin, 10_000 + thread * 100 + n)));
        }
    });
    println!("32 threads at once: {:.0} a second", 1600.0 / began.elapsed().as_secs_f64());
}

/// Compares the anchors of as many memories as two pages of hits have, each tied to a file of its own.
fn verify(engine: &Engine, origin: &Origin) {
    let ids: Vec<_> = (0..20)
        .map(|number| {
            let path = format!("file{number}.rs");
            std::fs::write(origin.directory.join(&path), format!("fn of_file{number}() {{}}\n")).expect("writable");
            let memory = AddMemory { related_files: vec![path], ..lesson(90_000 + number) };
            engine.add_memory(origin, &memory).expect("kept").id
        })
        .collect();
    search(engine, origin, "file");
    let verify = VerifyMemories {
        ids,
        scope: Scope::Project,
        mode: VerifyMode::Check,
        with_changes: false,
        provenance: Provenance::default(),
    };
    let once = || spent(|| assert_eq!(engine.verify_memories(origin, &verify).expect("verified").memories.len(), 20));
    spread("20 memories verified", (0..200).map(|_| once()).collect());
}

fn add(engine: &Engine, origin: &Origin, number: u32) -> MemoryId {
    engine.add_memory(origin, &lesson(number)).expect("kept").id
}

fn lesson(number: u32) -> AddMemory {
    let mut random = fastrand::Rng::with_seed(u64::from(number));
    AddMemory {
        memory_type: MemoryType::Lesson,
        title: format!("The lesson of matter{number}"),
        content: words(&mut random, WORDS),
        scope: Scope::Project,
        tags: Vec::new(),
        cues: Vec::new(),
        related_files: Vec::new(),
        supersedes: None,
        repeats: Repeats::Accept,
        source: None,
        origin: None,
        key: None,
        provenance: Provenance::default(),
        valid: recall_core::WordedTime::default(),
    }
}

/// The titles of what a search finds.
fn search(engine: &Engine, origin: &Origin, query: &str) -> String {
    let answer = engine.search(origin, &SearchRequest::new(query, Scope::Project, 10)).expect("an answer");
    answer.hits.into_iter().map(|hit| hit.document.title + "\n").collect()
}

fn everything() -> IndexRequest {
    IndexRequest::everything(Scope::Project)
}

/// Words, of which few are frequent and many are not, as Zipf's law has it.
fn words(random: &mut fastrand::Rng, count: usize) -> String {
    let mut word = || {
        let rank = ((VOCABULARY as f64).ln() * random.f64()).exp() as u64;
        let mut letters = fastrand::Rng::with_seed(rank);
        (0..3 + rank % 7).map(|_| letters.lowercase()).collect::<String>()
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}

/// Writes journals as the engine does.
fn write_journals(root: &Path, count: usize) {
    let mut random = fastrand::Rng::with_seed(count as u64);
    for day in 0..count.div_ceil(A_DAY) {
        let date = format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
        let mut lines = String::new();
        for number in day * A_DAY..((day + 1) * A_DAY).min(count) {
            let (title, content) = (words(&mut random, 6), words(&mut random, WORDS));
            let (id, minute) = (number + 1, number % A_DAY % 60);
            let line = format!(
                r#"{{"event":"add","event_id":"{id:032x}","id":"L-{id:08x}","type":"lesson","title":"{title}","content":"{content}","tags":["bench"],"related_files":["a.rs"],"scope":"project","origin":"observed","timestamp":"{date}T10:{minute:02}:00Z","provenance":{{"session":"5c1f","agent":"claude-code","branch":"main","project":"bench"}}}}"#
            );
            writeln!(lines, "{line}").expect("a text takes all");
        }
        let folder = root.join(".recall").join(date);
        std::fs::create_dir_all(&folder).expect("writable");
        std::fs::write(folder.join("memories.jsonl"), lines).expect("writable");
    }
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let outcome = work();
    println!("{what}: {:.1?}", began.elapsed());
    outcome
}

/// How long something takes, and how much of that this thread works.
fn spent<T>(work: impl FnOnce() -> T) -> (Duration, Duration) {
    let (began, before) = (Instant::now(), cpu());
    work();
    (began.elapsed(), cpu().saturating_sub(before))
}

/// How long this thread has been on a processor, where the system tells.
fn cpu() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(statistics.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

fn spread(what: &str, times: Vec<(Duration, Duration)>) {
    let (mut wall, mut cpu): (Vec<_>, Vec<_>) = times.into_iter().unzip();
    wall.sort_unstable();
    cpu.sort_unstable();
    let at = |times: &[Duration], part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
    println!(
        "{what}: p50 {:.2?}, p95 {:.2?}; at work p50 {:.2?}, p95 {:.2?}",
        at(&wall, 50),
        at(&wall, 95),
        at(&cpu, 50),
        at(&cpu, 95)
    );
}
