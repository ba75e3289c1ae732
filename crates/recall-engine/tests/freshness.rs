//! An answer never contains text that its files no longer have.

mod huge;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use recall_core::Timestamp;
use recall_engine::{
    Answer, Cancel, Engine, EngineSettings, FirstIndexStage, MemorySettings, Origin, Places, Progress, StoreSettings,
    Warning,
};
use recall_testkit::wait_until;

use crate::support::{Sandbox, SystemClock, everything, paths, request, undated};

#[test]
fn the_first_search_of_a_project_indexes_it_and_says_so() {
    let sandbox = Sandbox::with(&[("src/open.rs", "fn open_journal() {}\n"), ("README.md", "# Journal\n\nText.\n")]);
    let engine = sandbox.engine();
    let answer = sandbox.search(&engine, "open_journal");
    assert_eq!(paths(&answer)[0], "src/open.rs");
    assert!(matches!(answer.warnings[..], [Warning::IndexedOnTheWay { files: 2, .. }]), "{:?}", answer.warnings);
    assert_eq!(sandbox.search(&engine, "open_journal").warnings, []);
}

/// Settings with room for one large index run, whose searches do not wait.
fn impatient_settings() -> EngineSettings {
    let memory = MemorySettings { index_runs_at_once: NonZero::<usize>::MIN, ..MemorySettings::default() };
    EngineSettings {
        first_index_wait: Duration::ZERO,
        ingest_wait: Duration::ZERO,
        embedding_wait: Duration::ZERO,
        memory,
        ..EngineSettings::default()
    }
}

/// Writes more files than a project may have that takes no turn to index.
fn write_large_project(root: &Path) {
    write_files(root, 100);
}

fn write_files(root: &Path, count: usize) {
    for number in 0..count {
        fs::write(root.join(format!("part_{number}.rs")), format!("fn large_{number}() {{}}\n")).expect("written");
    }
}

/// Runs `during` while the index run of the sandbox's project, which takes the only turn, is held up.
fn while_indexing<T>(sandbox: &Sandbox, engine: &Engine, during: impl FnOnce() -> T) -> T {
    let (began, is_running) = mpsc::channel();
    let (answered, may_go_on) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut hold = |_| {
                let _ = began.send(());
                let _ = may_go_on.recv();
            };
            engine.index(&sandbox.origin(), &everything(), &mut hold, &Cancel::default())
        });
        is_running.recv().expect("the run begins");
        let outcome = during();
        drop(answered);
        outcome
    })
}

#[test]
fn a_small_project_is_indexed_while_a_large_one_has_the_only_turn() {
    let sandbox = Sandbox::new();
    write_large_project(&sandbox.root());
    let small = tempfile::tempdir().expect("a folder");
    fs::write(small.path().join("tiny.rs"), "fn tiny_fn() {}\n").expect("written");
    let root = small.path().canonicalize().expect("it exists");
    let origin = Origin { directory: root.clone(), project: Some(root), ..sandbox.origin() };
    let settings = EngineSettings { first_index_wait: Duration::from_mins(1), ..impatient_settings() };
    let engine = sandbox.engine_by(settings);
    let answer = while_indexing(&sandbox, &engine, || engine.search(&origin, &request("tiny_fn")).expect("an answer"));
    assert_eq!(paths(&answer), ["tiny.rs"], "{:?}", answer.warnings);
}

#[test]
fn a_search_of_a_queued_project_says_that_it_is_not_indexed_yet_and_when_it_is() {
    let sandbox = Sandbox::new();
    write_large_project(&sandbox.root());
    let queued = tempfile::tempdir().expect("a folder");
    write_large_project(queued.path());
    let root = queued.path().canonicalize().expect("it exists");
    let origin = Origin { directory: root.clone(), project: Some(root.clone()), ..sandbox.origin() };
    let engine = sandbox.engine_by(impatient_settings());
    let search = || engine.search(&origin, &request("large_7")).expect("an answer");
    let awaited = |answer: &Answer| {
        let mut first = answer.warnings.iter().filter_map(|warning| match warning {
            Warning::NotIndexedYet(first) if first.root == root => Some(first.clone()),
            _ => None,
        });
        first.next()
    };
    let first = while_indexing(&sandbox, &engine, || {
        let first = wait_until("a place in the queue", || {
            awaited(&search()).filter(|first| first.stage == FirstIndexStage::Queued)
        });
        assert!(!engine.has_more_for(&first), "the only turn is taken");
        first
    });
    wait_until("the index of the queued project", || engine.has_more_for(&first).then_some(()));
    let answer = search();
    assert!(paths(&answer).contains(&"part_7.rs"), "{:?}", answer.warnings);
    assert_eq!(awaited(&answer), None);
}

#[test]
fn an_interrupted_first_index_is_continued() {
    const FILES: u64 = 1600;
    let sandbox = Sandbox::new();
    write_files(&sandbox.root(), FILES as usize);
    let cancel = Cancel::default();
    let mut interrupt = |progress| {
        if let Progress::Advanced { .. } = progress {
            // A batch is committed when it is three seconds old.
            thread::sleep(Duration::from_millis(3100));
            cancel.cancel();
        }
    };
    let engine = sandbox.engine();
    assert!(engine.index(&sandbox.origin(), &everything(), &mut interrupt, &cancel).is_err(), "it was interrupted");
    drop(engine);
    let mut left = None;
    let mut note = |progress| {
        if let Progress::Started { files } = progress {
            left = Some(files);
        }
    };
    let engine = sandbox.engine();
    engine.index(&sandbox.origin(), &everything(), &mut note, &Cancel::default()).expect("indexed");
    assert!(left.is_some_and(|files| (1..FILES).contains(&files)), "{left:?}");
}

#[test]
fn an_index_that_lacks_most_files_is_waited_for_like_a_first_one() {
    let sandbox = Sandbox::with(&[("first.rs", "fn first() {}\n")]);
    let settings = EngineSettings { first_index_wait: Duration::from_mins(1), ..impatient_settings() };
    let engine = sandbox.engine_by(settings);
    assert_eq!(paths(&sandbox.search(&engine, "first")), ["first.rs"]);
    // As if a first index had been interrupted after one file.
    write_large_project(&sandbox.root());
    let answer = sandbox.search(&engine, "large_73");
    assert!(paths(&answer).contains(&"part_73.rs"), "{:?}", answer.warnings);
}

#[test]
fn an_uninitialised_project_is_not_changed() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    sandbox.search(&sandbox.engine(), "a");
    let names: Vec<_> =
        fs::read_dir(sandbox.root()).expect("readable").map(|e| e.expect("entry").file_name()).collect();
    assert_eq!(names, ["a.rs"]);
}

#[test]
fn new_changed_renamed_and_deleted_files_are_seen_by_the_next_search() {
    let sandbox = Sandbox::with(&[("a.rs", "fn alpha_one() {}\n"), ("b.rs", "fn beta_two() {}\n")]);
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "alpha_one")), ["a.rs"]);

    sandbox.write("c.rs", "fn gamma_three() {}\n");
    assert_eq!(paths(&sandbox.search(&engine, "gamma_three")), ["c.rs"]);

    sandbox.write("a.rs", "fn alpha_four() {}\n");
    assert_eq!(paths(&sandbox.search(&engine, "alpha_four")), ["a.rs"]);
    assert!(!sandbox.search(&engine, "alpha_one").hits.iter().any(|hit| hit.text.contains("alpha_one")));

    fs::rename(sandbox.root().join("b.rs"), sandbox.root().join("d.rs")).expect("renamed");
    assert_eq!(paths(&sandbox.search(&engine, "beta_two")), ["d.rs"]);

    fs::remove_file(sandbox.root().join("c.rs")).expect("removed");
    assert_eq!(paths(&sandbox.search(&engine, "gamma_three")), Vec::<&str>::new());
}

#[test]
fn a_hit_whose_file_was_only_touched_stays_and_has_the_new_time() {
    for scan_interval in [Duration::ZERO, Duration::from_hours(1)] {
        let mut sandbox = Sandbox::with(&[("a.rs", "fn alpha() { one(); }\n"), ("b.rs", "fn alpha_b() {}\n")]);
        sandbox.limits.scan_interval = scan_interval;
        let engine = sandbox.engine();
        let modified = || {
            let answer = sandbox.search(&engine, "alpha");
            assert_eq!(paths(&answer), ["a.rs", "b.rs"]);
            let is_known =
                |warning: &Warning| matches!(warning, Warning::IndexedOnTheWay { .. } | Warning::NotCompared { .. });
            assert!(answer.warnings.iter().all(is_known), "{:?}", answer.warnings);
            answer.hits[0].document.modified
        };
        for seconds in [1_700_000_100, 1_700_000_000, 1_700_000_200] {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            let file = fs::File::options().write(true).open(sandbox.root().join("a.rs")).expect("opened");
            file.set_modified(time).expect("set");
            assert_eq!([modified(), modified()], [Timestamp::from(time); 2]);
        }
    }
}

#[test]
fn a_hit_is_compared_with_its_file_even_if_no_scan_is_due() {
    let mut sandbox = Sandbox::with(&[("a.rs", "fn alpha() { one(); }\n"), ("b.rs", "fn alpha_b() {}\n")]);
    sandbox.limits.scan_interval = Duration::from_hours(1);
    let engine = sandbox.engine();
    assert!(paths(&sandbox.search(&engine, "alpha")).contains(&"a.rs"));

    sandbox.write("a.rs", "fn alpha() { two_and_more(); }\n");
    let answer = sandbox.search(&engine, "alpha");
    let hit = answer.hits.iter().find(|hit| hit.document.path.as_str() == "a.rs").expect("still a hit");
    assert!(hit.text.contains("two_and_more"), "{}", hit.text);

    fs::remove_file(sandbox.root().join("a.rs")).expect("removed");
    assert_eq!(paths(&sandbox.search(&engine, "alpha")), ["b.rs"]);
}

#[test]
fn a_change_without_a_new_size_or_time_is_seen_if_the_file_was_read_right_after_its_last_change() {
    let sandbox = Sandbox::with(&[("a.rs", "fn alpha_one() {}\n")]);
    let engine = sandbox.engine();
    sandbox.write("a.rs", "fn alpha_two() {}\n");
    let path = sandbox.root().join("a.rs");
    let before = fs::metadata(&path).expect("there").modified().expect("a time");
    sandbox.search(&engine, "alpha_two");
    fs::write(&path, "fn alpha_six() {}\n").expect("written");
    fs::File::options().write(true).open(&path).expect("opened").set_modified(before).expect("set");
    assert_eq!(paths(&sandbox.search(&engine, "alpha_six")), ["a.rs"]);
}

#[test]
fn writing_only_the_times_of_files_leaves_no_log() {
    let sandbox = Sandbox::new();
    write_files(&sandbox.root(), 50);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let time = SystemTime::UNIX_EPOCH + Duration::from_hours(480_000);
    for number in 0..50 {
        let path = sandbox.root().join(format!("part_{number}.rs"));
        fs::File::options().write(true).open(&path).expect("opened").set_modified(time).expect("set");
    }
    assert_eq!(sandbox.search(&engine, "large_7").hits[0].document.modified, Timestamp::from(time));
    let mut stores = fs::read_dir(sandbox.home().join("stores")).expect("readable");
    let log = stores.next().expect("one store").expect("readable").path().join("index/catalog.db-wal");
    wait_until("the log is empty", || (fs::metadata(&log).expect("it is open").len() == 0).then_some(()));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_overwritten_with_its_size_and_its_time_is_seen() {
    let sandbox = Sandbox::with(&[("a.rs", "fn alpha_one() {}\n"), ("b.rs", "fn beta() {}\n")]);
    let path = sandbox.root().join("a.rs");
    let written = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    let old = written - Duration::from_hours(48);
    let write = |text: &str| {
        fs::write(&path, text).expect("written");
        fs::File::options().write(true).open(&path).expect("opened").set_modified(old).expect("set");
    };
    write("fn alpha_two() {}\n");
    let engine = sandbox.engine();
    assert_eq!(paths(&sandbox.search(&engine, "alpha_two")), ["a.rs"]);
    for name in ["alpha_six", "alpha_ten"] {
        write(&format!("fn {name}() {{}}\n"));
        assert_eq!(paths(&sandbox.search(&engine, name)), ["a.rs"]);
    }
    // Also while no process looked.
    engine.close();
    write("fn alpha_new() {}\n");
    assert_eq!(paths(&sandbox.search(&sandbox.engine(), "alpha_new")), ["a.rs"]);
}

#[test]
fn the_index_may_be_deleted_at_any_time() {
    let sandbox = Sandbox::with(&[("a.rs", "fn alpha() {}\n"), ("docs/b.md", "# Alpha\n\nAbout alpha.\n")]);
    let engine = sandbox.engine();
    let before = sandbox.search(&engine, "alpha");
    // Threads of an open engine may still write what follows an answer.
    engine.close();
    fs::remove_dir_all(sandbox.home().join("stores")).expect("removed");
    let after = sandbox.search(&sandbox.engine(), "alpha");
    assert_eq!(undated(before.hits), undated(after.hits));
}

#[test]
fn a_rebuild_gives_the_same_answer() {
    let files: Vec<(String, String)> =
        (0..40).map(|n| (format!("src/m{n}.rs"), format!("/// Opens store {n}.\npub fn open_{n}() {{}}\n"))).collect();
    let sandbox = Sandbox::new();
    for (path, text) in &files {
        sandbox.write(path, text);
    }
    let engine = sandbox.engine();
    let before = sandbox.search(&engine, "opens the store");
    let origin = sandbox.origin();
    engine
        .rebuild(
            &origin,
            recall_core::Scope::Project,
            recall_engine::RebuildPart::All,
            &mut |_| {},
            &recall_engine::Cancel::default(),
        )
        .expect("rebuilt");
    assert_eq!(undated(sandbox.search(&engine, "opens the store").hits), undated(before.hits));
}

#[test]
fn changed_settings_and_selections_apply_to_the_next_search() {
    let mut sandbox = Sandbox::with(&[("docs/a.md", "# Alpha\n\nWombats.\n"), ("b.md", "# Beta\n\nWombats.\n")]);
    // Only the change of the file may trigger the scan.
    sandbox.limits.scan_interval = Duration::from_hours(1);
    let file = sandbox.home().join("exclude.txt");
    fs::write(&file, "").expect("written");
    let (limits, read) = (sandbox.limits.clone(), file.clone());
    let store_settings = move |_: &Path| StoreSettings {
        limits: limits.clone(),
        exclude: fs::read_to_string(&read).expect("there").lines().map(str::to_owned).collect(),
        files: vec![read.clone()],
        ..StoreSettings::default()
    };
    let places = Places {
        global_root: sandbox.home().join("global"),
        stores: sandbox.home().join("stores"),
        config_home: None,
        home: None,
        agents: BTreeMap::new(),
        allowed_roots: Vec::new(),
        domains: BTreeMap::new(),
    };
    let settings = EngineSettings { ingest_wait: Duration::from_secs(30), ..EngineSettings::default() };
    let engine = Engine::new(places, settings, Box::new(store_settings), Arc::new(SystemClock));
    let found = || {
        let mut found: Vec<String> =
            paths(&sandbox.search(&engine, "wombats")).into_iter().map(str::to_owned).collect();
        found.sort();
        found
    };
    assert_eq!(found(), ["b.md", "docs/a.md"]);
    fs::write(&file, "docs/**\n").expect("written");
    assert_eq!(found(), ["b.md"]);
    fs::write(&file, "").expect("written");
    assert_eq!(found(), ["b.md", "docs/a.md"]);
    let store = fs::read_dir(sandbox.home().join("stores")).expect("readable").flatten().next().expect("one store");
    fs::write(store.path().join("selection.jsonl"), b"caf\xE9\n{\"event\":\"remove\",\"path\":\"b.md\"}\n")
        .expect("written");
    let answer = sandbox.search(&engine, "wombats");
    assert_eq!(paths(&answer), ["docs/a.md"]);
    let told = answer
        .warnings
        .iter()
        .any(|warning| matches!(warning, Warning::SelectionLinesUnread(lines) if lines.line == 1));
    assert!(told, "{:?}", answer.warnings);
}

#[test]
fn the_first_answer_of_a_process_equals_that_of_the_next_process() {
    let files: Vec<(String, String)> = (0..60)
        .map(|n| {
            (format!("src/m{n}.py"), format!("from m{} import open_store\n\ndef use_{n}():\n    open_store()\n", n / 7))
        })
        .collect();
    let sandbox = Sandbox::new();
    for (path, text) in &files {
        sandbox.write(path, text);
    }
    let first_of_all = {
        let engine = sandbox.engine();
        sandbox.search(&engine, "who opens the store").hits
    };
    for _ in 0..3 {
        let engine = sandbox.engine();
        let [first, second] = [(); 2].map(|()| sandbox.search(&engine, "who opens the store"));
        assert_eq!(first.hits, second.hits);
        assert_eq!(first.hits, first_of_all);
        assert_eq!(first.warnings, []);
    }
}
