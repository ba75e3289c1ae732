//! What is stale by age or by its files, and what the settings of freshness change.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use recall_core::{
    AddMemory, AnchorState, Clock, DocumentType, Freshness, MemoryId, MemoryStatus, Scope, Timestamp, VerifyMemories,
    VerifyMode, WordedTime,
};
use recall_engine::{Engine, EngineSettings, ListRequest, ListSort, Said, StaleReason};
use recall_journal::{Disk, Storage};

use super::{add, agent, lesson, with_others};
use crate::support::{Sandbox, SystemClock, request};

const DAY: i64 = 86_400_000_000_000;

/// The time in so many days.
struct In(i64);

impl Clock for In {
    fn now(&self) -> Timestamp {
        Timestamp(SystemClock.now().0 + self.0 * DAY)
    }
}

fn engine_in(sandbox: &Sandbox, days: i64) -> Engine {
    let journals = |root: &Path, below: &Path| Arc::new(Disk::below(root, below)) as Arc<dyn Storage>;
    sandbox.engine_at(sandbox.home(), EngineSettings::default(), Arc::new(In(days)), Box::new(journals))
}

/// Returns the stale documents with the reasons, in the order of their paths.
fn stale(sandbox: &Sandbox, engine: &Engine) -> Vec<(String, Vec<StaleReason>)> {
    let request = ListRequest {
        scope: Scope::All,
        types: Vec::new(),
        languages: Vec::new(),
        tags: Vec::new(),
        path: None,
        since: None,
        before: None,
        said: Said::Stale,
        sort: ListSort::Path,
        offset: 0,
        limit: 100,
    };
    let listing = engine.list(&sandbox.origin(), &request).expect("a listing");
    assert_eq!(listing.total, listing.documents.len() as u64);
    listing.documents.into_iter().map(|listed| (listed.document.path.to_string(), listed.stale)).collect()
}

fn status(sandbox: &Sandbox, engine: &Engine, id: MemoryId) -> (MemoryStatus, AnchorState) {
    let answer = engine.search(&sandbox.origin(), &request("wombat burrows")).expect("an answer");
    let mut views = answer.hits.into_iter().filter_map(|hit| hit.memory);
    let view = views.find(|view| view.memory.id == id).expect("found");
    (view.status, view.verification.state)
}

fn about_burrows() -> AddMemory {
    let memory = lesson("Wombat burrows", "Wombats dig their burrows in spring.");
    AddMemory { related_files: vec!["burrows.toml".to_owned()], ..memory }
}

#[test]
fn the_list_of_what_is_stale_says_why() {
    let sandbox = Sandbox::with(&[("burrows.toml", "depth = 1\n"), ("docs/adr/0001-dig.md", "# Dig\n\nWe dig.\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "depth");
    let anchored = add(&sandbox, &engine, &about_burrows());
    let plain = add(&sandbox, &engine, &lesson("The keepers", "They feed at noon."));
    assert_eq!(stale(&sandbox, &engine), []);
    sandbox.write("burrows.toml", "depth = 2\n");
    let found = stale(&sandbox, &engine);
    assert!(
        matches!(&found[..], [(path, reasons)] if *path == anchored.to_string()
        && matches!(&reasons[..], [StaleReason::Anchors(broken)] if broken[0].0.path.as_str() == "burrows.toml")),
        "{found:?}"
    );
    engine.close();

    let engine = engine_in(&sandbox, 200);
    let old = |days| StaleReason::Age { days, limit: 180 };
    let found: BTreeMap<_, _> = stale(&sandbox, &engine).into_iter().collect();
    assert_eq!(found.len(), 2, "files are not stale by age: {found:?}");
    assert_eq!(found[&plain.to_string()], [old(200)]);
    assert!(found[&anchored.to_string()].contains(&old(200)));
    let confirm = VerifyMemories {
        ids: vec![plain, anchored],
        scope: Scope::All,
        mode: VerifyMode::Confirm,
        with_changes: false,
        provenance: agent(),
    };
    engine.verify_memories(&sandbox.origin(), &confirm).expect("confirmed");
    assert_eq!(stale(&sandbox, &engine), []);
}

#[test]
fn a_memory_whose_time_is_over_is_stale_for_that_reason() {
    let sandbox = with_others(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let valid = WordedTime { from: None, until: Some("50h".to_owned()) };
    let id = add(&sandbox, &engine, &AddMemory { valid, ..lesson("The keepers", "They feed at noon.") });
    assert_eq!(stale(&sandbox, &engine), [(id.to_string(), vec![StaleReason::Expired { days: 2 }])]);
}

#[test]
fn each_type_is_stale_at_the_age_of_its_setting() {
    let mut sandbox = Sandbox::with(&[("docs/adr/0001-dig.md", "# Dig\n\nWe dig.\n"), ("a.rs", "fn a() {}\n")]);
    sandbox.freshness.stale_after_days =
        BTreeMap::from([(DocumentType::Adr, Some(365)), (DocumentType::Lesson, Some(30))]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("The keepers", "They feed at noon."));
    engine.close();
    let paths = |days| {
        let engine = engine_in(&sandbox, days);
        let found = stale(&sandbox, &engine).into_iter().map(|(path, _)| path).collect::<Vec<_>>();
        engine.close();
        found
    };
    assert_eq!(paths(29), [""; 0]);
    assert_eq!(paths(31), [id.to_string()]);
    assert_eq!(paths(366), [id.to_string(), "docs/adr/0001-dig.md".to_owned()]);
    sandbox.freshness.stale_after_days.insert(DocumentType::Lesson, None);
    let engine = engine_in(&sandbox, 366);
    assert_eq!(stale(&sandbox, &engine)[0].0, "docs/adr/0001-dig.md", "the lesson is never stale");
}

#[test]
fn a_memory_that_was_stale_for_long_is_deprecated_and_still_found() {
    let mut sandbox = with_others(&[("burrows.toml", "depth = 1\n")]);
    sandbox.freshness.auto_deprecate_after_days = Some(100);
    let engine = sandbox.engine();
    sandbox.search(&engine, "depth");
    let id = add(&sandbox, &engine, &about_burrows());
    engine.close();
    for (days, expected) in [(1, MemoryStatus::Current), (181, MemoryStatus::Stale), (281, MemoryStatus::Deprecated)] {
        let engine = engine_in(&sandbox, days);
        assert_eq!(status(&sandbox, &engine, id).0, expected, "after {days} days");
        engine.close();
    }
}

#[test]
fn a_search_compares_no_memory_with_its_files_if_that_is_set() {
    let mut sandbox = with_others(&[("burrows.toml", "depth = 1\n")]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "depth");
    let id = add(&sandbox, &engine, &about_burrows());
    sandbox.write("burrows.toml", "depth = 2\n");
    assert_eq!(status(&sandbox, &engine, id), (MemoryStatus::Stale, AnchorState::Changed));
    engine.close();
    sandbox.freshness = Freshness { check_on_search: false, ..Freshness::default() };
    let engine = sandbox.engine();
    assert_eq!(status(&sandbox, &engine, id), (MemoryStatus::Current, AnchorState::Unchecked));
    let priors = |engine: &Engine| {
        let answer = sandbox.search(engine, "wombat burrows");
        let hit = answer.hits.into_iter().find(|hit| hit.memory.is_some()).expect("a memory");
        hit.explanation.expect("explained").priors.iter().map(|prior| prior.name).collect::<Vec<_>>()
    };
    assert!(!priors(&engine).contains(&"anchors"));
    assert_eq!(stale(&sandbox, &engine)[0].0, id.to_string(), "the list compares");
}
