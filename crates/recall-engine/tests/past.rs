//! Time: the past of a project against a model, filters on when something was made, and memories that hold for a time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use oorandom::Rand32;
use recall_core::{
    AddMemory, Clock, DocumentType, Filters, Holds, MemoryId, MemoryType, Provenance, Scope, SearchRequest, Timestamp,
    UpdateMemory, WordedTime,
};
use recall_engine::{
    Engine, EngineSettings, GetError, IndexedProject, Item, ItemRequest, ListRequest, Origin, Parent, PastError,
    PastSettings, RemoveRequest, Said, Tombstones, Warning,
};
use recall_index::catalog::ListSort;
use recall_journal::{Disk, Storage, rfc_3339};

use crate::support::{Sandbox, SystemClock, new_memory};

/// The number of random histories, unless `RECALL_PASTS` says another.
const HISTORIES: u64 = 12;

/// The points in time of each history that are compared.
const POINTS: usize = 5;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// A clock that a test sets forward.
struct Forward(AtomicI64);

impl Clock for Forward {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}

struct World {
    sandbox: Sandbox,
    clock: Arc<Forward>,
    engine: Engine,
}

impl World {
    fn new(past: PastSettings) -> Self {
        let sandbox = Sandbox::new();
        let clock = Arc::new(Forward(AtomicI64::new(SystemClock.now().0)));
        let journals = |root: &Path, below: &Path| Arc::new(Disk::below(root, below)) as Arc<dyn Storage>;
        let settings = EngineSettings { past, ..EngineSettings::default() };
        let engine =
            sandbox.engine_at(sandbox.home(), settings, Arc::clone(&clock) as Arc<dyn Clock>, Box::new(journals));
        let world = Self { sandbox, clock, engine };
        world.git(&["init", "-q"]);
        world
    }

    fn pass(&self, nanoseconds: i64) -> Timestamp {
        self.clock.0.fetch_add(nanoseconds, Ordering::Relaxed);
        self.clock.now()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let date = format!("@{} +0000", self.clock.now().0 / SECOND);
        let mut git = Command::new("git");
        git.current_dir(self.sandbox.root()).args(["-c", "user.name=T", "-c", "user.email=t@example.org"]);
        let output = git.args(arguments).env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date).output();
        let output = output.expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "a step"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn remember(&self, memory: &AddMemory) -> MemoryId {
        self.engine.add_memory(&self.sandbox.origin(), memory).expect("remembered").id
    }

    fn as_of(&self, text: &str) -> Origin {
        self.engine.as_of(&self.sandbox.origin(), text).expect("a past")
    }

    fn get(&self, origin: &Origin, id: &str) -> Option<Item> {
        let request = ItemRequest { id: id.to_owned(), parent: Parent::Leave, scope: Scope::All };
        match self.engine.get(origin, &request) {
            Ok(item) => Some(item),
            Err(GetError::NotFound { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }

    fn memories(&self, origin: &Origin) -> BTreeMap<MemoryId, String> {
        let listing = self.engine.list(origin, &list(DocumentType::Lesson)).expect("a listing");
        let memory = |listed: recall_engine::Listed| listed.memory.expect("a memory").memory;
        listing.documents.into_iter().map(memory).map(|memory| (memory.id, memory.title.to_string())).collect()
    }

    fn found(&self, filters: Filters, query: &str) -> (Vec<String>, Vec<Warning>) {
        let request = SearchRequest { filters, ..SearchRequest::new(query, Scope::Project, 10) };
        let answer = self.engine.search(&self.sandbox.origin(), &request).expect("an answer");
        (answer.hits.iter().map(|hit| hit.document.title.clone()).collect(), answer.warnings)
    }
}

fn list(kind: DocumentType) -> ListRequest {
    ListRequest {
        scope: Scope::All,
        types: vec![kind],
        languages: Vec::new(),
        tags: Vec::new(),
        path: None,
        since: None,
        before: None,
        said: Said::Anything,
        sort: ListSort::Path,
        offset: 0,
        limit: 100,
    }
}

/// The state of the model after a step.
#[derive(Clone, Debug, Default)]
struct Model {
    /// The titles of those in force.
    memories: BTreeMap<MemoryId, String>,
    /// Those that others supersede, by these. One that is not deleted is in force again when the other is deleted.
    superseded: BTreeMap<MemoryId, (MemoryId, String)>,
    /// The content of the file in the work tree, and in the last commit.
    file: Option<String>,
    committed: Option<String>,
}

#[test]
fn the_past_is_what_a_model_says_after_any_history() {
    let histories = std::env::var("RECALL_PASTS").map_or(HISTORIES, |number| number.parse().expect("a number"));
    for seed in 0..histories {
        check_history(seed);
    }
}

fn check_history(seed: u64) {
    let world = World::new(PastSettings { kept: 2, ..PastSettings::default() });
    let mut random = Rand32::new(seed);
    let mut model = Model::default();
    let mut points: Vec<(String, Model)> = Vec::new();
    for step in 0..14_u32 {
        let now = world.pass(i64::from(random.rand_range(2..100_000)) * SECOND + i64::from(random.rand_range(0..999)));
        let known: Vec<MemoryId> = model.memories.keys().copied().collect();
        let some = (!known.is_empty()).then(|| known[random.rand_range(0..known.len() as u32) as usize]);
        match (random.rand_range(0..8), some) {
            (0..=2, _) | (_, None) => {
                let supersedes = some.filter(|_| random.rand_range(0..3) == 0);
                let title = format!("Lesson {step}");
                let new = AddMemory { supersedes, ..new_memory(MemoryType::Lesson, &*title, format!("Text {step}.")) };
                let id = world.remember(&new);
                model.memories.insert(id, title);
                if let Some((older, title)) = supersedes.and_then(|older| model.memories.remove_entry(&older)) {
                    model.superseded.insert(id, (older, title));
                }
            }
            (3, Some(id)) => {
                let title = format!("Lesson {step} again");
                let change = UpdateMemory { title: Some(title.clone()), ..unchanged(id) };
                world.engine.update_memory(&world.sandbox.origin(), &change).expect("updated");
                model.memories.insert(id, title);
            }
            (4, Some(id)) => {
                let (items, provenance) = (vec![id.to_string()], Provenance::default());
                let request = RemoveRequest { items, scope: Scope::Project, tombstones: Tombstones::Keep, provenance };
                world.engine.remove(&world.sandbox.origin(), &request).expect("removed");
                model.memories.remove(&id);
                model.memories.extend(model.superseded.remove(&id));
            }
            (5, _) => {
                let text = format!("version {step}\n");
                world.sandbox.write("src/a.txt", &text);
                model.file = Some(text);
            }
            (_, _) => {
                let hash = world.commit();
                model.committed.clone_from(&model.file);
                points.push((hash, model.clone()));
            }
        }
        // What was made by a time was made before it.
        points.push((rfc_3339(Timestamp(now.0 + 1)), model.clone()));
    }
    world.pass(SECOND);
    let last = world.memories(&world.sandbox.origin());
    for _ in 0..POINTS {
        let (point, expected) = &points[random.rand_range(0..points.len() as u32) as usize];
        let origin = world.as_of(point);
        assert_eq!(world.memories(&origin), expected.memories, "history {seed} as of {point}");
        let file = world.get(&origin, "src/a.txt").map(|item| item.text);
        assert_eq!(file, expected.committed, "history {seed} as of {point}");
    }
    assert_eq!(world.memories(&world.sandbox.origin()), last, "the present is untouched");
}

fn unchanged(id: MemoryId) -> UpdateMemory {
    UpdateMemory {
        id,
        title: None,
        content: None,
        tags: None,
        related_files: None,
        cues: None,
        valid: WordedTime::default(),
        expected: None,
        provenance: Provenance::default(),
    }
}

#[test]
fn an_answer_about_the_past_has_nothing_of_the_present_and_says_so() {
    let world = World::new(PastSettings::default());
    world.sandbox.write("src/pay.py", "def charge_card():\n    return 'old gateway'\n");
    world.git(&["add", "-A"]);
    let first = world.commit();
    world.git(&["tag", "v1"]);
    world.pass(2 * DAY);
    world.sandbox.write("src/pay.py", "def charge_card():\n    return 'new gateway'\n");
    let later = world.remember(&new_memory(MemoryType::Decision, "charge_card uses the new gateway", "It is cheaper."));
    world.commit();
    for text in ["v1", &first, "1d"] {
        let origin = world.as_of(text);
        let request = SearchRequest::new("charge_card gateway", Scope::All, 10);
        let answer = world.engine.search(&origin, &request).expect("an answer");
        let texts: Vec<&str> = answer.hits.iter().map(|hit| hit.text.as_str()).collect();
        assert!(texts.iter().any(|text| text.contains("old gateway")), "{text}: {texts:?}");
        assert!(texts.iter().all(|text| !text.contains("new gateway")), "{text}: {texts:?}");
        let said =
            |warning: &Warning| matches!(warning, Warning::AsOf { commit, .. } if commit.as_ref() == Some(&first));
        assert!(answer.warnings.iter().any(said), "{text}: {:?}", answer.warnings);
        let indexed = answer.warnings.iter().find_map(|warning| match warning {
            Warning::IndexedOnTheWay { project, .. } => Some(project),
            _ => None,
        });
        // The folder of the past is of no use to the reader.
        let is_named = |project: &IndexedProject| project.root == world.sandbox.root() && project.as_of.is_some();
        assert!(indexed.is_some_and(is_named) || text != "v1", "{text}: {:?}", answer.warnings);
        assert!(world.get(&origin, &later.to_string()).is_none(), "{text}");
        let item = world.get(&origin, "src/pay.py").expect("it was there");
        assert!(item.warnings.iter().any(said), "{text}: {:?}", item.warnings);
    }
    assert!(matches!(world.engine.as_of(&world.sandbox.origin(), "v9"), Err(PastError::Time(_))));
}

#[test]
fn a_commit_that_is_too_large_is_refused_and_pasts_are_collected() {
    let world = World::new(PastSettings { files: 2, kept: 1, ..PastSettings::default() });
    world.sandbox.write("a.txt", "one\n");
    let first = world.commit();
    world.pass(DAY);
    world.sandbox.write("b.txt", "two\n");
    let second = world.commit();
    let roots: Vec<_> = [&first, &second].map(|text| world.as_of(text).directory).into();
    assert!(roots[1].is_dir() && roots[1] != roots[0]);
    assert!(!roots[0].exists(), "the first was not used lately");
    assert!(world.get(&world.as_of(&first), "a.txt").is_some(), "it is made again");
    world.sandbox.write("c.txt", "three\n");
    let third = world.commit();
    let refused = world.engine.as_of(&world.sandbox.origin(), &third);
    assert!(matches!(refused, Err(PastError::TooLarge { files: 3, most_files: 2, .. })), "{refused:?}");
}

#[test]
fn hits_are_limited_to_when_they_were_made() {
    let world = World::new(PastSettings::default());
    world.sandbox.write("src/early.md", "# Retry budget early\n\nThe retry budget is three.\n");
    world.commit();
    world.git(&["tag", "v1"]);
    world.remember(&new_memory(MemoryType::Decision, "Retry budget is three", "Three retries."));
    world.pass(10 * DAY);
    world.sandbox.write("src/late.md", "# Retry budget late\n\nThe retry budget is five.\n");
    world.commit();
    world.remember(&new_memory(MemoryType::Decision, "Retry budget is five", "Five retries."));
    fs::write(world.sandbox.root().join("new.md"), "# Retry budget draft\n\nA retry budget.\n").expect("written");
    let late = ["Retry budget is five", "Retry budget late"];
    let early = ["Retry budget early", "Retry budget is three"];
    let check = |since: Option<&str>, before: Option<&str>, query: &str, expected: &[&str]| {
        let filters =
            Filters { since: since.map(str::to_owned), before: before.map(str::to_owned), ..Filters::default() };
        let (mut titles, warnings) = world.found(filters, query);
        titles.sort_unstable();
        assert_eq!(titles, expected, "{since:?} {before:?} {query}");
        assert!(warnings.contains(&Warning::Undated { files: 1 }), "{warnings:?}");
    };
    check(Some("5d"), None, "retry budget", &late);
    check(None, Some("5d"), "retry budget", &early);
    check(None, None, "since:2d retry budget", &late);
    check(None, None, "before:\"2 days ago\" retry budget", &early);
    // What was remembered with the commit checked out is after it.
    check(Some("v1"), None, "retry budget", &["Retry budget is five", "Retry budget is three", "Retry budget late"]);
    check(None, Some("v1"), "retry budget", &["Retry budget early"]);
    let listing = ListRequest { since: Some("5d".to_owned()), ..list(DocumentType::Decision) };
    let listing = world.engine.list(&world.sandbox.origin(), &listing).expect("a listing");
    assert_eq!((listing.total, &*listing.documents[0].document.title), (1, late[0]));
}

#[test]
fn a_question_with_a_time_is_limited_to_it_and_falls_back() {
    let world = World::new(PastSettings::default());
    world.remember(&new_memory(MemoryType::Decision, "Retry budget is three", "We decide on three retries."));
    world.pass(30 * DAY);
    world.remember(&new_memory(MemoryType::Decision, "Retry budget is five", "We decide on five retries."));
    let check = |query: &str, expected: &[&str], said: Warning| {
        let (mut titles, warnings) = world.found(Filters::default(), query);
        titles.sort_unstable();
        assert_eq!(titles, expected, "{query}");
        assert!(warnings.contains(&said), "{query}: {warnings:?}");
    };
    let words = |words: &str| words.to_owned();
    check(
        "what did we decide on the retry budget today",
        &["Retry budget is five"],
        Warning::PeriodFromWords { words: words("today") },
    );
    check(
        "what did we decide on the retry budget 12 days ago",
        &["Retry budget is five", "Retry budget is three"],
        Warning::PeriodWithoutHits { words: words("12 days ago") },
    );
}

#[test]
fn changes_since_a_time_say_what_was_decided_and_what_stopped_holding() {
    let world = World::new(PastSettings::default());
    let lesson = |title: &str, text: &str| new_memory(MemoryType::Lesson, title, text);
    let [replaced, removed, kept] = ["alpha", "beta", "gamma"].map(|name| world.remember(&lesson(name, name)));
    let expiring =
        AddMemory { valid: WordedTime { from: None, until: Some("1h".to_owned()) }, ..lesson("delta", "delta") };
    world.pass(10 * DAY);
    let expired = world.remember(&expiring);
    let newer = AddMemory { supersedes: Some(replaced), ..new_memory(MemoryType::Decision, "epsilon", "epsilon") };
    let newer = world.remember(&newer);
    let provenance = Provenance::default();
    let items = vec![removed.to_string()];
    let request = RemoveRequest { items, scope: Scope::Project, tombstones: Tombstones::Keep, provenance };
    world.engine.remove(&world.sandbox.origin(), &request).expect("removed");
    let changes =
        |since: &str, budget| world.engine.changes(&world.sandbox.origin(), since, budget, None).expect("changes");
    let found = changes("1d", 600);
    let ids = |list: &[recall_engine::ChangedMemory]| list.iter().map(|change| change.id).collect::<Vec<_>>();
    assert_eq!(ids(&found.decided), [newer, expired]);
    let mut ended: Vec<(MemoryId, &str)> = found.ended.iter().map(|change| (change.id, change.how.as_str())).collect();
    ended.sort_unstable();
    let superseded = format!("superseded by {newer}");
    let mut expected = vec![(replaced, superseded.as_str()), (removed, "deleted"), (expired, "expired")];
    expected.sort_unstable();
    assert_eq!(ended, expected);
    assert!(!found.text.contains(&kept.to_string()) && found.text.contains(&newer.to_string()), "{}", found.text);
    assert!(found.used_tokens <= 600 && found.left_out == 0);
    let little = changes("1d", 50);
    assert!(little.used_tokens <= 50 && little.left_out > 0, "{}", little.text);
    assert!(changes("1h", 600).text.contains(&newer.to_string()), "an hour ago is before it");
}

#[test]
fn a_memory_holds_for_the_time_that_is_stated() {
    let world = World::new(PastSettings::default());
    world.sandbox.write("a.txt", "one\n");
    let commit = world.commit();
    let stated = |from: &str, until: &str| WordedTime { from: Some(from.to_owned()), until: Some(until.to_owned()) };
    let old = AddMemory {
        valid: stated("", "2026-01-31"),
        ..new_memory(MemoryType::Decision, "Deploy on Fridays", "Deploys happen on Fridays.")
    };
    let old = world.remember(&old);
    let new = world.remember(&new_memory(MemoryType::Decision, "Deploy on Mondays", "Deploys happen on Mondays."));
    let holds = |id: MemoryId| {
        world.get(&world.sandbox.origin(), &id.to_string()).and_then(|item| item.memory).expect("it").holds
    };
    assert_eq!((holds(old), holds(new)), (Holds::NoLonger, Holds::Now));
    let (titles, _) = world.found(Filters::default(), "on which day do we deploy");
    assert_eq!(titles.first().map(String::as_str), Some("Deploy on Mondays"), "{titles:?}");
    assert!(titles.iter().any(|title| title == "Deploy on Fridays"), "it is not dropped: {titles:?}");
    let change = |from: &str, until: &str| {
        let change = UpdateMemory { valid: stated(from, until), ..unchanged(old) };
        world.pass(SECOND);
        world.engine.update_memory(&world.sandbox.origin(), &change).expect("updated").memory
    };
    let view = change(&commit[..10], "");
    assert_eq!((view.holds, view.memory.valid.until), (Holds::Now, None));
    assert_eq!(view.memory.valid.from.and_then(|from| from.commit), Some(commit));
    assert_eq!(change("2099-01-01", "").holds, Holds::NotYet);
}
