//! What is saved in a linked work tree belongs to the repository.

use std::path::{Path, PathBuf};

use recall_core::{MemoryId, MemoryType, Ownership, Provenance, Scope, SearchRequest, UpdateMemory};
use recall_engine::{
    DoctorRequest, Engine, EngineSettings, Fix, ItemRequest, Origin, Parent, Problem, RemoveRequest, RootCheck,
    SecretScan, Tombstones,
};

use super::{added, commit, git, git_output, remember, repository};
use crate::support::{Sandbox, new_memory};

/// A repository with two linked work trees.
fn linked() -> (Sandbox, PathBuf, PathBuf) {
    let sandbox = repository();
    let (one, two) = (sandbox.home().join("one"), sandbox.home().join("two"));
    for (path, branch) in [(&one, "agent-one"), (&two, "agent-two")] {
        let path = path.to_str().expect("text");
        assert!(git(&sandbox.root(), &["worktree", "add", "--quiet", "-b", branch, path]));
    }
    (sandbox, one.canonicalize().expect("there"), two.canonicalize().expect("there"))
}

fn engine(sandbox: &Sandbox) -> Engine {
    sandbox.engine_by(EngineSettings { watch: cfg!(target_os = "linux"), ..EngineSettings::default() })
}

fn origin(root: &Path) -> Origin {
    Origin { directory: root.to_owned(), project: None, root_check: RootCheck::Refuse, domain: None }
}

fn add(engine: &Engine, root: &Path, text: &str) -> MemoryId {
    let memory = new_memory(MemoryType::Lesson, text, text);
    engine.add_memory(&origin(root), &memory).expect("kept").id
}

/// Returns the titles of the memories that a search finds.
fn found(engine: &Engine, root: &Path, query: &str) -> Vec<String> {
    let answer = engine.search(&origin(root), &SearchRequest::new(query, Scope::All, 10)).expect("an answer");
    answer.hits.into_iter().filter(|hit| hit.memory.is_some()).map(|hit| hit.document.title).collect()
}

fn pending(engine: &Engine, root: &Path, fix: Fix) -> Vec<Problem> {
    let request = DoctorRequest { scope: Scope::Project, fix, secrets: SecretScan::Off };
    let findings = engine.doctor(&origin(root), &request).expect("checked").findings;
    findings.into_iter().filter(|finding| !finding.is_fixed).map(|finding| finding.problem).collect()
}

#[test]
fn a_memory_of_a_linked_work_tree_outlives_it_and_is_found_in_every_other() {
    let (sandbox, one, two) = linked();
    let engine = engine(&sandbox);
    for root in [&sandbox.root(), &one, &two] {
        assert!(found(&engine, root, "otters").is_empty());
    }
    let id = add(&engine, &one, "Otters use stones as tools.");
    for root in [&one, &two, &sandbox.root()] {
        assert_eq!(found(&engine, root, "otters"), ["Otters use stones as tools."], "{}", root.display());
    }
    let request = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::Project };
    let memory = engine.get(&origin(&two), &request).expect("there").memory.expect("a memory");
    assert_eq!(memory.ownership, Ownership::Own);
    // Nothing is in the work tree that keeps git from removing it.
    assert!(git(&sandbox.root(), &["worktree", "remove", one.to_str().expect("text")]));
    assert_eq!(git_output(&sandbox.root(), &["status", "--porcelain"]), "");
    for root in [&two, &sandbox.root()] {
        assert_eq!(found(&engine, root, "otters"), ["Otters use stones as tools."], "{}", root.display());
    }
    engine.close();
    let engine = sandbox.engine();
    assert_eq!(found(&engine, &sandbox.root(), "otters"), ["Otters use stones as tools."]);
    let status = engine.status(&origin(&two), Scope::Project, 0).expect("a status");
    assert_eq!((status.stores[0].memories, status.stores[0].memories_pending), (1, 1));
}

#[test]
fn a_pending_memory_is_changed_and_deleted_in_every_work_tree() {
    let (sandbox, one, two) = linked();
    let engine = engine(&sandbox);
    let id = add(&engine, &one, "Otters use stones as tools.");
    let update = UpdateMemory {
        id,
        title: Some("Otters juggle".to_owned()),
        content: None,
        tags: None,
        cues: None,
        related_files: None,
        expected: None,
        provenance: Provenance::default(),
        valid: recall_core::WordedTime::default(),
    };
    engine.update_memory(&origin(&sandbox.root()), &update).expect("updated");
    assert_eq!(found(&engine, &two, "otters"), ["Otters juggle"]);
    assert!(added(&sandbox).is_empty(), "no journal has a change without its memory");
    let request = RemoveRequest {
        items: vec![id.to_string()],
        scope: Scope::Project,
        tombstones: Tombstones::Keep,
        provenance: Provenance::default(),
    };
    engine.remove(&origin(&two), &request).expect("deleted");
    for root in [&sandbox.root(), &one, &two] {
        assert!(found(&engine, root, "otters").is_empty(), "{}", root.display());
    }
}

#[test]
fn a_change_in_a_linked_work_tree_counts_where_the_memory_is() {
    let (sandbox, one, two) = linked();
    let engine = engine(&sandbox);
    let id = remember(&sandbox, &engine, 1);
    commit(&sandbox);
    assert!(git(&one, &["merge", "--quiet", "main"]));
    let request = RemoveRequest {
        items: vec![id.to_string()],
        scope: Scope::Project,
        tombstones: Tombstones::Keep,
        provenance: Provenance::default(),
    };
    engine.remove(&origin(&one), &request).expect("deleted");
    assert!(found(&engine, &one, "wombat").is_empty() && found(&engine, &sandbox.root(), "wombat").is_empty());
    // The other branch has no memory that could be changed.
    assert_eq!(pending(&engine, &two, Fix::Nothing), []);
    assert_eq!(git_output(&one, &["status", "--porcelain"]), "");
}

#[test]
fn what_is_handed_over_to_a_branch_goes_with_the_branch() {
    let (sandbox, one, two) = linked();
    let engine = engine(&sandbox);
    add(&engine, &one, "Otters use stones as tools.");
    let is_told = |problems: Vec<Problem>| problems.contains(&Problem::Pending { memories: 1 });
    assert!(is_told(pending(&engine, &two, Fix::Nothing)) && is_told(pending(&engine, &sandbox.root(), Fix::Nothing)));
    assert!(!is_told(pending(&engine, &one, Fix::Everything)));
    assert!(git_output(&one, &["status", "--porcelain", "--untracked-files=all"]).contains(".recall/"));
    assert_eq!(found(&engine, &one, "otters").len(), 1);
    assert!(found(&engine, &two, "otters").is_empty() && !is_told(pending(&engine, &two, Fix::Nothing)));
    assert!(git(&one, &["add", "--all"]) && git(&one, &["commit", "--quiet", "-m", "memories"]));
    assert!(git(&two, &["merge", "--quiet", "agent-one"]));
    assert_eq!(found(&engine, &two, "otters"), ["Otters use stones as tools."]);
    assert!(found(&engine, &sandbox.root(), "otters").is_empty());
}

#[test]
fn work_trees_next_to_a_bare_repository_share_what_is_saved_in_them() {
    let sandbox = repository();
    for (project, bare) in [("plain", ".git"), ("hidden", ".bare")] {
        let project = sandbox.home().join(project);
        std::fs::create_dir_all(&project).expect("a folder");
        let source = sandbox.root();
        assert!(git(&project, &["clone", "--quiet", "--bare", source.to_str().expect("text"), bare]));
        if bare != ".git" {
            std::fs::write(project.join(".git"), format!("gitdir: ./{bare}\n")).expect("written");
        }
        for tree in ["left", "right"] {
            assert!(git(&project, &["worktree", "add", "--quiet", "-b", tree, tree]));
        }
        let engine = engine(&sandbox);
        let (left, right) = (project.join("left"), project.join("right"));
        add(&engine, &left, "Otters use stones as tools.");
        // The whole project finds it too, through its work trees.
        for root in [&left, &right, &project] {
            assert!(!found(&engine, root, "otters").is_empty(), "{}", root.display());
        }
        assert_eq!(git_output(&left, &["status", "--porcelain"]), "");
    }
}
