//! Random histories of a repository: what recall answers is what the journals in the work tree say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oorandom::Rand32;
use recall_core::{Clock, DocumentType, MemoryId, Provenance, Scope, UpdateMemory};
use recall_engine::{
    Engine, EngineSettings, GetError, ItemRequest, ListRequest, Parent, RemoveRequest, Said, Tombstones,
};
use recall_index::catalog::ListSort;
use recall_journal::{Disk, Follower, Memories};

use super::{git, journals, remember, repository};
use crate::support::{Sandbox, SystemClock};

/// The number of histories, unless `RECALL_HISTORIES` says another.
const HISTORIES: usize = 200;

/// The most steps of a history.
const STEPS: u32 = 9;

/// How many histories run at once, each in a repository of its own.
const WORKERS: usize = 3;

/// How often an answer is compared again because a line was put back meanwhile.
const TRIES: usize = 5;

const BRANCHES: [&str; 2] = ["one", "two"];

/// A step of a history.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add,
    Update,
    Delete,
    Commit,
    Switch,
    SwitchByForce,
    Merge,
    Rebase,
    Reset,
    ResetToParent,
    Stash,
    Pop,
    RestoreJournals,
    RemoveLine,
    MoveLine,
    RemoveFolder,
}

const STEPS_BY_WEIGHT: [(Step, u32); 16] = [
    (Step::Add, 8),
    (Step::Update, 3),
    (Step::Delete, 2),
    (Step::Commit, 6),
    (Step::Switch, 6),
    (Step::SwitchByForce, 2),
    (Step::Merge, 3),
    (Step::Rebase, 1),
    (Step::Reset, 2),
    (Step::ResetToParent, 1),
    (Step::Stash, 2),
    (Step::Pop, 2),
    (Step::RestoreJournals, 1),
    (Step::RemoveLine, 2),
    (Step::MoveLine, 1),
    (Step::RemoveFolder, 1),
];

/// A history, and the steps it has taken.
struct History<'a> {
    sandbox: &'a Sandbox,
    engine: &'a Engine,
    random: Rand32,
    steps: Vec<Step>,
    /// Every memory that was ever added in it.
    added: BTreeSet<MemoryId>,
    number: usize,
}

impl History<'_> {
    fn run(&mut self) {
        for branch in BRANCHES {
            assert!(git(&self.sandbox.root(), &["checkout", "--quiet", "--force", "-B", branch, "root"]));
        }
        git(&self.sandbox.root(), &["clean", "--quiet", "--force", "-d", "-x"]);
        for _ in 0..=self.random.rand_range(3..STEPS) {
            let step = self.any_step();
            self.steps.push(step);
            self.take(step);
            self.check();
        }
    }

    fn any_step(&mut self) -> Step {
        let all = STEPS_BY_WEIGHT.iter().map(|(_, weight)| weight).sum();
        let mut drawn = self.random.rand_range(0..all);
        for (step, weight) in STEPS_BY_WEIGHT {
            if drawn < weight {
                return step;
            }
            drawn -= weight;
        }
        unreachable!("the weights sum up to more than was drawn")
    }

    fn take(&mut self, step: Step) {
        let root = self.sandbox.root();
        let git = |arguments: &[&str]| git(&root, arguments);
        let is_done = match step {
            Step::Add => {
                self.number += 1;
                self.added.insert(remember(self.sandbox, self.engine, self.number));
                true
            }
            Step::Update => self.any_memory().is_none_or(|id| self.update(id)),
            Step::Delete => self.any_memory().is_none_or(|id| self.delete(id)),
            Step::Commit => git(&["add", "--all", "--force", "."]) && git(&["commit", "--quiet", "-m", "step"]),
            Step::Switch => git(&["checkout", "--quiet", self.other_branch()]),
            Step::SwitchByForce => git(&["checkout", "--quiet", "--force", self.other_branch()]),
            Step::Merge => git(&["merge", "--quiet", "--no-edit", self.other_branch()]) || git(&["merge", "--abort"]),
            Step::Rebase => git(&["rebase", "--quiet", self.other_branch()]) || git(&["rebase", "--abort"]),
            Step::Reset => git(&["reset", "--quiet", "--hard"]),
            Step::ResetToParent => git(&["reset", "--quiet", "--hard", "HEAD~1"]),
            Step::Stash => git(&["stash", "--quiet", "--include-untracked"]),
            Step::Pop => git(&["stash", "pop", "--quiet"]) || git(&["reset", "--quiet", "--hard"]),
            Step::RestoreJournals => git(&["checkout", "--quiet", "--", ".recall"]),
            Step::RemoveLine => self.edit(|_, _| {}),
            Step::MoveLine => self.edit(|sandbox, line| {
                let day = sandbox.root().join(".recall/2020-02-02");
                fs::create_dir_all(&day).expect("a folder");
                let before = fs::read_to_string(day.join("memories.jsonl")).unwrap_or_default();
                fs::write(day.join("memories.jsonl"), format!("{before}{line}\n")).expect("written");
            }),
            Step::RemoveFolder => fs::remove_dir_all(root.join(".recall")).is_ok(),
        };
        // Git refuses what would lose changes, and nothing is then different.
        let _ = is_done;
    }

    fn any_memory(&mut self) -> Option<MemoryId> {
        let there: Vec<MemoryId> = self.model().into_keys().collect();
        if there.is_empty() { None } else { Some(there[self.below(there.len())]) }
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.rand_range(0..u32::try_from(end).expect("few")) as usize
    }

    fn other_branch(&self) -> &'static str {
        let head = fs::read_to_string(self.sandbox.root().join(".git/HEAD")).expect("a branch");
        if head.trim().ends_with(BRANCHES[0]) { BRANCHES[1] } else { BRANCHES[0] }
    }

    fn update(&mut self, id: MemoryId) -> bool {
        self.number += 1;
        let request = UpdateMemory {
            id,
            title: Some(format!("Lesson {} again", self.number)),
            content: None,
            tags: None,
            cues: None,
            related_files: None,
            expected: None,
            provenance: Provenance::default(),
            valid: recall_core::WordedTime::default(),
        };
        self.engine.update_memory(&self.sandbox.origin(), &request).is_ok()
    }

    fn delete(&self, id: MemoryId) -> bool {
        let request = RemoveRequest {
            items: vec![id.to_string()],
            scope: Scope::Project,
            tombstones: Tombstones::Keep,
            provenance: Provenance::default(),
        };
        self.engine.remove(&self.sandbox.origin(), &request).is_ok()
    }

    /// Takes a line out of a journal and passes it to `keep`.
    fn edit(&mut self, keep: impl Fn(&Sandbox, &str)) -> bool {
        let Some(journal) = journals(self.sandbox).pop() else { return false };
        let text = fs::read_to_string(&journal).expect("readable");
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            return false;
        }
        let line = lines.remove(self.below(lines.len()));
        let rest: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        fs::write(&journal, rest).expect("written");
        keep(self.sandbox, line);
        true
    }

    /// Returns the titles of the memories in force, as the journals in the work tree say.
    fn model(&self) -> BTreeMap<MemoryId, String> {
        let mut follower = Follower::new(Arc::new(Disk::below(self.sandbox.root(), ".recall")));
        let memories: Memories = follower.replay(SystemClock.now()).expect("readable").into_iter().collect();
        memories.iter().map(|memory| (memory.id, memory.title.to_string())).collect()
    }

    fn answers(&self) -> BTreeMap<MemoryId, String> {
        let list = ListRequest {
            scope: Scope::Project,
            types: vec![DocumentType::Lesson],
            languages: Vec::new(),
            tags: Vec::new(),
            path: None,
            since: None,
            before: None,
            said: Said::Anything,
            sort: ListSort::Path,
            offset: 0,
            limit: 1000,
        };
        let listing = self.engine.list(&self.sandbox.origin(), &list).expect("a listing");
        assert_eq!(listing.warnings, [], "{:?}", self.steps);
        assert_eq!(listing.total, listing.documents.len() as u64, "{:?}", self.steps);
        let memory = |listed: recall_engine::Listed| {
            let title = listed.memory.expect("a memory in force").memory.title.to_string();
            assert_eq!(listed.document.title, title, "{:?}", self.steps);
            (listed.document.memory.expect("an id"), title)
        };
        listing.documents.into_iter().map(memory).collect()
    }

    /// Returns the titles of all memories of this history that can be looked up.
    fn lookups(&self) -> BTreeMap<MemoryId, String> {
        let get = |id: &MemoryId| {
            let request = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::Project };
            match self.engine.get(&self.sandbox.origin(), &request) {
                Ok(item) => Some((*id, item.document.title)),
                Err(GetError::NotFound { .. }) => None,
                Err(error) => panic!("{error}: {:?}", self.steps),
            }
        };
        self.added.iter().filter_map(get).collect()
    }

    fn check(&self) {
        for _ in 0..TRIES {
            let before = self.model();
            let (lookups, answers) = (self.lookups(), self.answers());
            if before != self.model() {
                continue;
            }
            assert_eq!(answers, before, "listed after {:?}", self.steps);
            let known = before.into_iter().filter(|(id, _)| self.added.contains(id)).collect::<BTreeMap<_, _>>();
            assert_eq!(lookups, known, "looked up after {:?}", self.steps);
            return;
        }
        panic!("the journals change all the time: {:?}", self.steps);
    }
}

#[test]
fn answers_are_what_the_journals_of_the_work_tree_say_after_any_history() {
    let histories = std::env::var("RECALL_HISTORIES").map_or(HISTORIES, |number| number.parse().expect("a number"));
    let next = AtomicUsize::new(0);
    let work = || {
        let sandbox = repository();
        assert!(git(&sandbox.root(), &["branch", "--quiet", "root"]));
        let engine =
            sandbox.engine_by(EngineSettings { watch: cfg!(target_os = "linux"), ..EngineSettings::default() });
        sandbox.search(&engine, "anything");
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= histories {
                return;
            }
            let random = Rand32::new(seed as u64);
            let (sandbox, engine) = (&sandbox, &engine);
            // The numbers of different histories differ, so that no text is that of an older one.
            let number = 1000 * seed;
            History { sandbox, engine, random, steps: Vec::new(), added: BTreeSet::new(), number }.run();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(work);
        }
    });
}
