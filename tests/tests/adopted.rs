//! Instructions and memories of agents through the real programs: found and checked where they are, and never written.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use recall_testkit::{Outcome, Project, wait_until};
use recall_tests::{Sandbox, sandbox};
use serde_json::Value;

const MEMORY: &str = "---\nname: numbats\ndescription: what numbats need\nmetadata:\n  type: feedback\n---\n\
                      Numbats need termites, not milk. See `src/numbat.rs` and `src/termite.rs`.\n";

fn git(at: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
    assert!(git.args(arguments).current_dir(at).status().expect("git runs").success(), "{arguments:?}");
}

fn commit(at: &Path) {
    git(at, &["init", "-q", "-b", "main"]);
    git(at, &["add", "-A"]);
    git(at, &["commit", "-q", "-m", "change"]);
}

/// A sandbox in which the daemon finds git.
fn with_git(sandbox: Sandbox) -> Sandbox {
    let path = std::env::var("PATH").expect("a PATH");
    sandbox.with_variable("PATH", &path)
}

/// Returns the folder of the auto memory of a project.
fn memory_folder(sandbox: &Sandbox, root: &Path) -> PathBuf {
    let root = root.canonicalize().expect("there").display().to_string();
    let slug: String = root.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = sandbox.user_home().join(".claude/projects").join(slug).join("memory");
    fs::create_dir_all(&folder).expect("made");
    folder
}

/// Returns every path below a folder with its bytes and its modification time.
fn state_of(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut state = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).expect("listed") {
            let path = entry.expect("there").path();
            let metadata = path.symlink_metadata().expect("there");
            if metadata.is_dir() {
                waiting.push(path.clone());
            }
            let bytes = if metadata.is_file() { fs::read(&path).expect("read") } else { Vec::new() };
            state.insert(path, (bytes, metadata.modified().expect("a time")));
        }
    }
    state
        .insert(folder.to_owned(), (Vec::new(), folder.metadata().and_then(|found| found.modified()).expect("a time")));
    state
}

#[track_caller]
fn json_of(sandbox: &Sandbox, folder: &Path, arguments: &[&str]) -> Value {
    let Outcome { stdout, stderr, .. } = sandbox.recall_in(folder, &[&["--json"], arguments].concat());
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
}

/// Returns the first hit below a directory.
#[track_caller]
fn hit_below(sandbox: &Sandbox, folder: &Path, query: &str, directory: &str) -> Option<Value> {
    // Under load an answer may come before the last change is indexed. It says so.
    let answer = wait_until("no file is stale", || {
        let answer = json_of(sandbox, folder, &["search", query]);
        (answer["stats"]["stale_files"] == 0).then_some(answer)
    });
    let hits = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    hits.iter().find(|hit| hit["doc"]["path"].as_str().is_some_and(|path| path.starts_with(directory))).cloned()
}

/// Returns the names that `recall verify` doubts, with their files.
#[track_caller]
fn doubted(sandbox: &Sandbox, folder: &Path) -> Vec<String> {
    let answer = json_of(sandbox, folder, &["verify"]);
    let doubts = answer["adopted"]["doubts"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let text = |doubt: &Value| {
        format!("{}:{} {}", doubt["path"].as_str().unwrap_or(""), doubt["line"], doubt["name"].as_str().unwrap_or(""))
    };
    doubts.iter().map(text).collect()
}

fn zoo(sandbox: &Sandbox) -> Project {
    let files = [("src/numbat.rs", "pub fn feed_numbat() {}\n"), ("src/termite.rs", "pub fn swarm() {}\n")];
    let project = sandbox.project("zoo", &files);
    commit(project.root());
    fs::remove_file(project.path("src/termite.rs")).expect("removed");
    commit(project.root());
    project
}

#[test]
fn the_auto_memory_is_found_checked_and_never_written() {
    let sandbox = with_git(sandbox!());
    let project = zoo(&sandbox);
    let folder = memory_folder(&sandbox, project.root());
    fs::write(folder.join("numbats.md"), MEMORY).expect("written");
    fs::write(folder.join("MEMORY.md"), "- [Numbats](numbats.md): what numbats need\n").expect("written");
    let claude = sandbox.user_home().join(".claude");
    let before = state_of(&claude);

    let hit =
        hit_below(&sandbox, project.root(), "what do numbats eat: termites or milk", "claude-memory/").expect("a hit");
    let adopted = &hit["adopted"];
    assert_eq!(hit["doc"]["path"], "claude-memory/numbats.md");
    assert_eq!((adopted["owner"].as_str(), adopted["trust"].as_str()), (Some("user"), Some("medium")));
    assert_eq!(adopted["file"].as_str(), folder.canonicalize().expect("there").join("numbats.md").to_str());
    assert_eq!(doubted(&sandbox, project.root()), ["claude-memory/numbats.md:7 src/termite.rs"]);
    // The same doubt is next to the hit.
    let hit =
        hit_below(&sandbox, project.root(), "what do numbats eat: termites or milk", "claude-memory/").expect("a hit");
    assert_eq!(hit["adopted"]["doubts"][0]["name"], "src/termite.rs");
    let human = sandbox.recall(&project, &["search", "what do numbats eat: termites or milk"]).stdout;
    assert!(human.contains("your agent's memory") && human.contains("may be outdated: src/termite.rs"), "{human}");
    let checked = sandbox.recall(&project, &["verify", "--check"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.stdout.contains("src/termite.rs: deleted in "), "{checked:?}");
    let read = sandbox.recall(&project, &["get", "claude-memory/numbats.md"]);
    assert!(read.stdout.contains("not milk"), "{read:?}");

    for arguments in [
        &["feedback", "claude-memory/numbats.md", "useful"][..],
        &["doctor", "--fix"],
        &["rebuild", "--yes"],
        &["list"],
        &["context", "numbats"],
        &["rm", "claude-memory/MEMORY.md"],
        &["status"],
    ] {
        let outcome = sandbox.recall(&project, arguments);
        assert!(outcome.code.is_some_and(|code| code != 70), "{arguments:?}: {outcome:?}");
    }
    // A client that works in the folder writes nothing there either.
    let remembered = sandbox.recall_in(&folder, &["remember", "Numbats sleep at night."]);
    assert_eq!(remembered.code, Some(0), "{remembered:?}");
    sandbox.recall_in(&folder, &["search", "numbats sleep"]);
    sandbox.recall(&project, &["daemon", "stop"]);
    assert_eq!(state_of(&claude), before);

    // An edit is found by the next search, and so is a new file.
    hit_below(&sandbox, project.root(), "quokka", "claude-memory/");
    fs::write(folder.join("quokka.md"), "Quokkas smile at visitors.\n").expect("written");
    let hit = hit_below(&sandbox, project.root(), "quokkas smile", "claude-memory/quokka.md");
    assert!(hit.is_some_and(|hit| hit["chunk"]["text"].as_str().is_some_and(|text| text.contains("smile"))));
    fs::write(folder.join("numbats.md"), "Numbats love sunshine.\n").expect("written");
    assert!(hit_below(&sandbox, project.root(), "numbats love sunshine", "claude-memory/numbats.md").is_some());
    assert_eq!(doubted(&sandbox, project.root()), [""; 0]);
}

#[test]
fn all_work_trees_of_a_repository_share_the_auto_memory() {
    let sandbox = with_git(sandbox!());
    let project = zoo(&sandbox);
    let folder = memory_folder(&sandbox, project.root());
    fs::write(folder.join("numbats.md"), MEMORY).expect("written");
    let tree = sandbox.path().join("src/tree");
    git(project.root(), &["worktree", "add", "-q", tree.to_str().expect("text"), "-b", "other"]);
    let hit = hit_below(&sandbox, &tree, "termites, not milk", "claude-memory/");
    assert_eq!(hit.expect("a hit")["doc"]["path"], "claude-memory/numbats.md");
    let other = sandbox.project("other", &[("a.md", "Numbats are marsupials that want termites, not milk.\n")]);
    assert_eq!(hit_below(&sandbox, other.root(), "termites, not milk", "claude-memory/"), None);
}

#[test]
fn instructions_that_git_ignores_are_found_and_checked() {
    let sandbox = with_git(sandbox!());
    let project = zoo(&sandbox);
    project.write("package.json", "{\"scripts\": {\"feed\": \"x\"}}");
    project.write("AGENTS.md", "# Zoo\n\nRun `npm run feed` and `npm run clean-all`.\n");
    project.write(".gitignore", "CLAUDE.local.md\n.cursor/\n");
    commit(project.root());
    project.write("CLAUDE.local.md", "My bandicoot is fed from src/termite.rs only.\n");
    project.write(".cursor/rules/zoo.mdc", "---\nglobs: src/**\n---\nBilbies dig at dusk.\n");

    let hit = hit_below(&sandbox, project.root(), "bandicoot is fed from", "CLAUDE.local.md").expect("a hit");
    assert_eq!((hit["adopted"]["owner"].as_str(), hit["adopted"]["trust"].as_str()), (Some("local"), Some("low")));
    assert!(hit_below(&sandbox, project.root(), "bilbies dig at dusk", ".cursor/rules/zoo.mdc").is_some());
    let hit = hit_below(&sandbox, project.root(), "run npm run feed", "AGENTS.md").expect("a hit");
    assert_eq!(hit["adopted"]["owner"], "repository");
    let expected = ["AGENTS.md:3 npm run clean-all", "CLAUDE.local.md:1 src/termite.rs"];
    assert_eq!(doubted(&sandbox, project.root()), expected);

    project.write(".recallignore", "CLAUDE.local.md\n");
    assert_eq!(hit_below(&sandbox, project.root(), "bandicoot is fed from", "CLAUDE.local.md"), None);
    fs::remove_file(project.path(".recallignore")).expect("removed");
    sandbox.recall(&project, &["config", "set", "adopt.instructions", "false"]);
    assert_eq!(hit_below(&sandbox, project.root(), "bandicoot is fed from", "CLAUDE.local.md"), None);
    assert_eq!(doubted(&sandbox, project.root()), [""; 0]);
}

#[test]
fn the_auto_memory_can_be_switched_off_by_the_user_only() {
    let sandbox = with_git(sandbox!());
    let project = zoo(&sandbox);
    fs::write(memory_folder(&sandbox, project.root()).join("numbats.md"), MEMORY).expect("written");
    let found = || hit_below(&sandbox, project.root(), "termites, not milk", "claude-memory/").is_some();
    assert!(found());
    let settings = sandbox.dirs().user_config();
    fs::create_dir_all(settings.parent().expect("below a folder")).expect("made");
    fs::write(settings, "[adopt]\nauto_memory = false\n").expect("written");
    project.write(".recall/recall.toml", "[adopt]\nauto_memory = true\n");
    assert!(!found());
}

#[test]
fn a_clone_reads_nothing_outside_of_it() {
    let sandbox = with_git(sandbox!());
    let secret = sandbox.user_home().join("private");
    fs::create_dir_all(&secret).expect("made");
    fs::write(secret.join("notes.md"), "The wombat password is swordfish.\n").expect("written");
    let other = zoo(&sandbox);
    fs::write(memory_folder(&sandbox, other.root()).join("numbats.md"), "The wombat password is termite.\n")
        .expect("written");
    let clone =
        sandbox.project("clone", &[("AGENTS.md", "Look at `../../home/private/notes.md` and `/etc/passwd`.\n")]);
    let settings = format!("{{\"autoMemoryDirectory\": \"{}\"}}", secret.display());
    clone.write(".claude/settings.json", &settings);
    clone.write(".claude/settings.local.json", &settings);
    std::os::unix::fs::symlink(secret.join("notes.md"), clone.path("CLAUDE.md")).expect("linked");
    std::os::unix::fs::symlink(&secret, clone.path(".claude/rules")).expect("linked");
    clone.write(".git", format!("gitdir: {}\n", other.path(".git").display()));
    let answer = json_of(&sandbox, clone.root(), &["search", "wombat password"]).to_string();
    assert!(!answer.contains("swordfish") && !answer.contains("termite"), "{answer}");
    assert_eq!(doubted(&sandbox, clone.root()), [""; 0]);
}

/// Writes what agents keep in the home: about all projects, about the project with this root, and about another one.
fn fill_home(sandbox: &Sandbox, root: &Path) {
    let home = sandbox.user_home();
    let root = root.canonicalize().expect("there");
    let slug: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let codex = format!(
        "# Task Group: zoo feeding\nscope: feeding in the zoo\napplies_to: cwd={}; reuse_rule=safe here\n\n\
         ## Task 1: feed the dunnarts, success\n\n### rollout_summary_files\n\n- rollout_summaries/a.md (cwd={0})\n\n\
         ## Reusable knowledge\n\n- Dunnarts are fed by `feed_numbat()` from src/termite.rs at dawn. [Task 1]\n\n\
         # Task Group: bank\napplies_to: cwd=/somewhere/bank; reuse_rule=safe\n\n- The quoll vault opens with swordfish.\n",
        root.display()
    );
    let rollout = format!(
        "thread_id: 1\nupdated_at: 2026-09-09\nrollout_path: /x\ncwd: {}\n\nThe potoroo gate jammed.\n",
        root.display()
    );
    let projects = serde_json::json!({"projects": {root.to_str().expect("text"): "zoo"}}).to_string();
    for (path, text) in [
        (".claude/CLAUDE.md".to_owned(), "Always greet the cassowary first. See src/deep/gone.rs, lib/a.rs.\n"),
        (".codex/memories/MEMORY.md".to_owned(), &*codex),
        (".codex/memories/rollout_summaries/a.md".to_owned(), &*rollout),
        (".codex/memories/memory_summary.md".to_owned(), "v1\n\n## User Profile\n\nThe user keeps wallabies.\n"),
        (".gemini/GEMINI.md".to_owned(), "# Mine\n\n## Gemini Added Memories\n- The user speaks to lyrebirds.\n"),
        (".gemini/projects.json".to_owned(), &*projects),
        (".gemini/tmp/zoo/memory/MEMORY.md".to_owned(), "The pademelon door sticks in winter.\n"),
        (
            ".qwen/QWEN.md".to_owned(),
            "## Qwen Added Memories\n- Kookaburras laugh at token sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789.\n",
        ),
        (format!(".qwen/projects/{slug}/memory/build.md"), "Bandicoots build with two jobs at most.\n"),
        (".copilot/copilot-instructions.md".to_owned(), "Write commit messages like an antechinus.\n"),
        (".codeium/windsurf/memories/global_rules.md".to_owned(), "Spell monotreme in full.\n"),
    ] {
        let path = home.join(path);
        fs::create_dir_all(path.parent().expect("below")).expect("made");
        fs::write(path, text).expect("written");
    }
}

#[test]
fn what_agents_keep_in_the_home_is_found_checked_and_never_written() {
    let sandbox = with_git(sandbox!());
    let project = zoo(&sandbox);
    project.write("src/deep/gone.rs", "pub fn gone() {}\n");
    commit(project.root());
    fs::remove_file(project.path("src/deep/gone.rs")).expect("removed");
    commit(project.root());
    fill_home(&sandbox, project.root());
    let before = state_of(&sandbox.user_home());
    for (query, path, agent, scope) in [
        ("greet the cassowary first", "claude-home/CLAUDE.md", "claude", "global"),
        ("dunnarts are fed", "codex-memory/MEMORY.md", "codex", "project"),
        ("potoroo gate jammed", "codex-memory/rollout_summaries/a.md", "codex", "project"),
        ("user keeps wallabies", "codex-memory/memory_summary.md", "codex", "global"),
        ("speaks to lyrebirds", "gemini-home/GEMINI.md", "gemini", "global"),
        ("pademelon door sticks", "gemini-memory/MEMORY.md", "gemini", "project"),
        ("kookaburras laugh", "qwen-home/QWEN.md", "qwen", "global"),
        ("bandicoots build with two jobs", "qwen-memory/build.md", "qwen", "project"),
        ("commit messages like an antechinus", "copilot-home/copilot-instructions.md", "copilot", "global"),
        ("spell monotreme in full", "windsurf-home/global_rules.md", "windsurf", "global"),
    ] {
        let hit = hit_below(&sandbox, project.root(), query, path).unwrap_or_else(|| panic!("{query}"));
        let adopted = &hit["adopted"];
        assert_eq!((&adopted["owner"], &adopted["trust"]), (&"user".into(), &"medium".into()), "{hit}");
        assert_eq!((&adopted["agent"], &hit["doc"]["scope"]), (&agent.into(), &scope.into()), "{hit}");
        assert!(Path::new(adopted["file"].as_str().expect("a path")).is_file(), "{hit}");
        assert!(!hit.to_string().contains("sk-ant-api03"), "{hit}");
    }
    assert_eq!(doubted(&sandbox, project.root()), ["codex-memory/MEMORY.md:13 src/termite.rs"]);
    let all = json_of(&sandbox, project.root(), &["verify", "--scope", "all"]);
    assert_eq!(all["adopted"]["doubts"][0]["path"], "claude-home/CLAUDE.md", "{all}");
    assert_eq!(all["adopted"]["doubts"][0]["name"], "src/deep/gone.rs", "{all}");
    let hit = hit_below(&sandbox, project.root(), "dunnarts are fed", "codex-memory/").expect("a hit");
    assert_eq!(hit["adopted"]["doubts"][0]["name"], "src/termite.rs", "{hit}");
    let answer = json_of(&sandbox, project.root(), &["search", "quoll vault swordfish"]).to_string();
    assert!(!answer.contains("vault opens"), "{answer}");
    let read = sandbox.recall(&project, &["get", "codex-memory/MEMORY.md"]);
    assert!(read.stdout.contains("Dunnarts") && !read.stdout.contains("vault"), "{read:?}");

    let other =
        sandbox.project("other", &[("codex-memory/MEMORY.md", "Dunnarts are fed by strangers, potoroo gate.\n")]);
    let hit = hit_below(&sandbox, other.root(), "dunnarts are fed", "codex-memory/").expect("a hit");
    assert!(hit["adopted"].is_null() && hit.to_string().contains("strangers"), "{hit}");
    assert_eq!(hit_below(&sandbox, other.root(), "pademelon door sticks", "gemini-memory/"), None);
    assert!(hit_below(&sandbox, other.root(), "greet the cassowary first", "claude-home/").is_some());

    for arguments in
        [&["doctor", "--fix"][..], &["rebuild", "--yes"], &["list"], &["rm", "qwen-home/QWEN.md"], &["status"]]
    {
        let outcome = sandbox.recall(&project, arguments);
        assert!(outcome.code.is_some_and(|code| code != 70), "{arguments:?}: {outcome:?}");
    }
    assert_eq!(state_of(&sandbox.user_home()), before);
    // An edit is found by the next search.
    fs::write(sandbox.user_home().join(".gemini/tmp/zoo/memory/MEMORY.md"), "The pademelon door is oiled now.\n")
        .expect("written");
    assert!(hit_below(&sandbox, project.root(), "door is oiled now", "gemini-memory/").is_some());
}

#[test]
fn a_text_in_the_files_of_several_agents_is_shown_once() {
    let sandbox = with_git(sandbox!());
    let project = zoo(&sandbox);
    let text =
        "# Zoo\n\nThe wombat tunnel is lit from src/termite.rs at night.\n\nNumbats sleep in hollow logs until noon.\n";
    project.write("AGENTS.md", text);
    project.write("CLAUDE.md", text);
    project.write(".cursor/rules/zoo.mdc", format!("---\nalwaysApply: true\n---\n{text}"));
    project.write(".windsurfrules", "- Numbats sleep in hollow logs until noon.\n");
    let answer = wait_until("all files are indexed", || {
        let answer = json_of(&sandbox, project.root(), &["search", "numbats sleep in hollow logs"]);
        let told = answer.to_string();
        ["AGENTS.md", "CLAUDE.md", "zoo.mdc", ".windsurfrules"].iter().all(|name| told.contains(name)).then_some(answer)
    });
    let hits = answer["results"].as_array().expect("hits");
    let of_agents: Vec<&Value> = hits.iter().filter(|hit| !hit["adopted"].is_null()).collect();
    assert_eq!(of_agents.len(), 1, "{answer}");
    assert_eq!(of_agents[0]["also_at"].as_array().map(Vec::len), Some(3), "{answer}");

    let listed = json_of(&sandbox, project.root(), &["list", "--sort", "path"]);
    let entries = listed["results"].as_array().expect("entries");
    let entry = entries.iter().find(|entry| !entry["also_at"].is_null()).unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(entry["doc"]["path"], ".cursor/rules/zoo.mdc", "{listed}");
    assert_eq!(entry["also_at"], serde_json::json!(["AGENTS.md", "CLAUDE.md"]));
    assert_eq!(listed["total"].as_u64(), Some(entries.len() as u64), "{listed}");
    let named = json_of(&sandbox, project.root(), &["list", "--path", "CLAUDE.md"]);
    assert_eq!(named["results"][0]["doc"]["path"], "CLAUDE.md", "{named}");

    let verified = json_of(&sandbox, project.root(), &["verify"]);
    let doubts = verified["adopted"]["doubts"].as_array().expect("doubts");
    assert_eq!(doubts.len(), 1, "{verified}");
    assert_eq!(doubts[0]["also_at"], serde_json::json!(["AGENTS.md:3", "CLAUDE.md:3"]));
    let briefing = json_of(&sandbox, project.root(), &["briefing"])["text"].to_string();
    assert_eq!(briefing.matches("names src/termite.rs").count(), 1, "{briefing}");
    assert!(briefing.contains("also at AGENTS.md:3, CLAUDE.md:3"), "{briefing}");
}

#[test]
fn the_files_of_each_agent_in_the_home_can_be_switched_off_by_the_user_only() {
    let sandbox = with_git(sandbox!());
    let project = zoo(&sandbox);
    fill_home(&sandbox, project.root());
    let found = |query: &str, below: &str| hit_below(&sandbox, project.root(), query, below).is_some();
    assert!(found("dunnarts are fed", "codex-memory/") && found("user keeps wallabies", "codex-memory/"));
    let settings = sandbox.dirs().user_config();
    fs::create_dir_all(settings.parent().expect("below a folder")).expect("made");
    fs::write(settings, "[adopt]\nhome = [\"gemini\"]\n").expect("written");
    project.write(".recall/recall.toml", "[adopt]\nhome = [\"codex\"]\n");
    assert!(!found("dunnarts are fed", "codex-memory/") && !found("user keeps wallabies", "codex-memory/"));
    assert!(found("pademelon door sticks", "gemini-memory/") && found("speaks to lyrebirds", "gemini-home/"));
}
