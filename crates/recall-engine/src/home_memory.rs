//! The instructions and memories of agents in the user's home, as documents of the stores that they concern.
//!
//! What concerns all projects belongs to the global store, what concerns one to that project's. Codex keeps the memories of all
//! projects in one file, so a text is read with the lines of other projects left blank: its lines keep their numbers, and no store
//! holds what another project's agent noted.
//!
//! A store of its own for each agent would cost each search one more index. Files in a project are documents of it already.
//!
//! Which project a text concerns is said by the user's own files only, and compared with the path of the root: a clone can claim
//! neither the memories of another project nor a place outside of it. An agent's folder may be a link, since the user made it;
//! nothing below it is followed through one.

mod folders;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_agents::{codex_blocks, codex_index_lines, codex_rollout_directory, is_below};
use recall_core::{ContentHash, StoreScope, Timestamp};
use recall_os::FileStamp;
use recall_os::git::Repository;
use recall_text::{AGENT_SOURCES, AgentPlace, AgentSource, Concern, DocPath, HomePlace};
use recall_watch::content::{self, Content, ContentError, ReadOptions};
use recall_watch::{FoundFile, StatOutcome};

use self::folders::{Stamps, paths_below, paths_of_place};
use crate::settings::Places;

/// The most bytes of a file. Codex's handbook of all projects has a quarter of a megabyte after a year of work.
const FILE_BYTES: u64 = 2 * 1024 * 1024;

/// The files of agents in the home that concern a store.
#[derive(Debug)]
pub(crate) struct HomeMemory {
    agents: BTreeMap<&'static str, PathBuf>,
    home: Option<PathBuf>,
    whose: Whose,
    listed: Mutex<Arc<HomeListing>>,
}

/// Which projects' texts a store takes.
#[derive(Clone, Debug)]
enum Whose {
    /// Those that concern all projects.
    Everyone,
    /// Those of the project with this root.
    Project(PathBuf),
}

/// The files as they were last listed.
#[derive(Debug, Default)]
struct HomeListing {
    /// The agents whose files were listed; `None` before the first time.
    agents: Option<Vec<String>>,
    /// What the list depends on.
    stamps: Stamps,
    files: BTreeMap<DocPath, HomeFile>,
}

/// A file of an agent in the home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HomeFile {
    pub(crate) agent: &'static str,
    concern: Concern,
    /// The folder of the agent.
    folder: PathBuf,
    below: DocPath,
    size_bytes: u64,
    modified: Timestamp,
    /// The length of the part that concerns the store.
    kept_bytes: u64,
}

impl HomeFile {
    /// Returns it as a scan finds it, with the length of the part that concerns the store.
    fn as_found(&self, path: &DocPath) -> FoundFile {
        FoundFile::new(path.clone(), self.kept_bytes, self.modified)
    }

    /// Returns its place.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(self.below.as_str())
    }
}

impl HomeMemory {
    /// Returns what concerns the store of a root; `None` for a store that takes nothing from the home.
    pub(crate) fn for_store(scope: StoreScope, root: &Path, places: &Places) -> Option<Self> {
        let whose = match scope {
            StoreScope::Project => Whose::Project(root.to_owned()),
            StoreScope::Global => Whose::Everyone,
            StoreScope::Domain => return None,
        };
        Some(Self { agents: places.agents.clone(), home: places.home.clone(), whose, listed: Mutex::default() })
    }

    /// Returns whether these agents have a file in the home that concerns all projects. Opens nothing.
    pub(crate) fn is_there_for_all(places: &Places, agents: &[String]) -> bool {
        home_places(agents).any(|(source, place)| {
            matches!(place.concern, Concern::Every | Concern::EveryButIndex)
                && places.agents.get(source.agent).is_some_and(|folder| folder.join(place.below).exists())
        })
    }

    /// Lists the files again if something changed. Returns whether the list differs from the one before.
    pub(crate) fn follow(&self, agents: &[String]) -> bool {
        let before = self.current();
        let is_same = |(path, stamp): &(PathBuf, Option<FileStamp>)| FileStamp::read(path) == *stamp;
        if before.agents.as_deref() == Some(agents) && before.stamps.iter().all(is_same) {
            return false;
        }
        let listing = self.list(agents);
        let is_changed = before.agents.is_some() && before.files != listing.files;
        *self.listed.lock() = Arc::new(listing);
        is_changed
    }

    /// Returns the files as a scan finds files, in the order of their paths.
    pub(crate) fn files(&self) -> Vec<FoundFile> {
        let listing = self.current();
        let files = listing.files.iter();
        files.map(|(path, file)| file.as_found(path)).collect()
    }

    /// Returns the file that clients see at a path.
    pub(crate) fn file(&self, path: &DocPath) -> Option<HomeFile> {
        self.current().files.get(path).cloned()
    }

    /// Returns the metadata of the file at a path, with the length of the part that concerns the store.
    pub(crate) fn stat(&self, path: &DocPath) -> StatOutcome {
        let Some(file) = self.file(path) else { return StatOutcome::Gone };
        match recall_watch::stat(&file.folder, &file.below) {
            StatOutcome::File { size_bytes, modified }
                if (size_bytes, modified) == (file.size_bytes, file.modified) =>
            {
                StatOutcome::File { size_bytes: file.kept_bytes, modified }
            }
            found => found,
        }
    }

    /// Reads the part of the file at a path that concerns the store.
    pub(crate) fn read(&self, path: &DocPath) -> Result<Content, ContentError> {
        let gone = || ContentError::Gone { path: path.clone() };
        let file = self.file(path).ok_or_else(gone)?;
        let content = content::read(&file.folder, &file.below, &ReadOptions::up_to(FILE_BYTES))?;
        if is_whole(file.concern) {
            return Ok(content);
        }
        let text = self.select(&content.text, file.concern).ok_or_else(gone)?;
        // Two stores take different parts of one file.
        let (hash, size_bytes) = (ContentHash::hash(text.as_bytes()), text.len() as u64);
        Ok(Content { text, hash, size_bytes, ..content })
    }

    fn current(&self) -> Arc<HomeListing> {
        Arc::clone(&self.listed.lock())
    }

    fn list(&self, agents: &[String]) -> HomeListing {
        let mut listing = HomeListing { agents: Some(agents.to_vec()), ..HomeListing::default() };
        let roots = self.roots();
        for (source, place) in home_places(agents).filter(|(_, place)| self.takes(place.concern)) {
            let Some(named) = self.agents.get(source.agent) else { continue };
            let Ok(folder) = dunce::canonicalize(named) else {
                listing.stamps.push((named.clone(), None));
                continue;
            };
            // What is in the project is a file of it.
            if roots.iter().any(|root| folder.starts_with(root)) {
                continue;
            }
            for below in paths_of_place(place, &folder, &roots, &mut listing.stamps) {
                self.list_place(source, place, &folder, &below, &mut listing);
            }
        }
        listing
    }

    /// Lists the file, or the files below the folder, at `below`.
    fn list_place(
        &self,
        source: &AgentSource,
        place: HomePlace,
        folder: &Path,
        below: &str,
        listing: &mut HomeListing,
    ) {
        let found = match place.endings {
            None => vec![(below.to_owned(), place.seen_at.to_owned())],
            Some(endings) => {
                let paths = paths_below(folder, below, endings, &mut listing.stamps).into_iter();
                paths.map(|path| (format!("{below}/{path}"), format!("{}/{path}", place.seen_at))).collect()
            }
        };
        for (below, seen_at) in found {
            let stamp = FileStamp::read(&folder.join(&below));
            let file = self.describe(source.agent, place.concern, folder, &below);
            // The summary of a rollout names the same directory for good.
            if file.is_some() || place.concern != Concern::Header {
                listing.stamps.push((folder.join(&below), stamp));
            }
            if let (Some(file), Ok(seen_at)) = (file, DocPath::new(&seen_at)) {
                listing.files.entry(seen_at).or_insert(file);
            }
        }
    }

    /// Describes a file; `None` if it is missing, too large, behind a link, or has nothing that concerns the store.
    fn describe(&self, agent: &'static str, concern: Concern, folder: &Path, below: &str) -> Option<HomeFile> {
        let below = DocPath::new(below).ok()?;
        let StatOutcome::File { size_bytes, modified } = recall_watch::stat(folder, &below) else { return None };
        if size_bytes > FILE_BYTES {
            return None;
        }
        let kept_bytes = if is_whole(concern) {
            size_bytes
        } else {
            let content = content::read(folder, &below, &ReadOptions::up_to(FILE_BYTES)).ok()?;
            self.select(&content.text, concern)?.len() as u64
        };
        Some(HomeFile { agent, concern, folder: folder.to_owned(), below, size_bytes, modified, kept_bytes })
    }

    /// Returns whether the store takes texts of which this says which projects they concern.
    fn takes(&self, concern: Concern) -> bool {
        match self.whose {
            Whose::Everyone => matches!(concern, Concern::Every | Concern::EveryButIndex | Concern::Blocks),
            Whose::Project(_) => {
                matches!(concern, Concern::Slug | Concern::Registry | Concern::Blocks | Concern::Header)
            }
        }
    }

    /// Returns the root of the project and that of its main work tree.
    fn roots(&self) -> Vec<PathBuf> {
        let Whose::Project(root) = &self.whose else { return Vec::new() };
        let main = Repository::find(root).map(|repository| repository.main_work_tree().to_owned());
        std::iter::once(root.clone()).chain(main.filter(|main| main != root)).collect()
    }

    /// Returns the part of a text that concerns the store, with other lines left blank; `None` if there is none.
    fn select(&self, text: &str, concern: Concern) -> Option<String> {
        let roots = self.roots();
        let is_own = |written: &&str| roots.iter().any(|root| is_below(written, root, self.home.as_deref()));
        match concern {
            Concern::Blocks => {
                let is_ours = |block: &recall_agents::CodexBlock<'_>| match self.whose {
                    Whose::Everyone => block.is_general(),
                    Whose::Project(_) => block.directories().iter().any(is_own),
                };
                let kept: Vec<_> = codex_blocks(text).into_iter().filter(is_ours).map(|block| block.lines).collect();
                (!kept.is_empty()).then(|| with_lines(text, |at| kept.iter().any(|lines| lines.contains(&at))))
            }
            Concern::Header => codex_rollout_directory(text).filter(|written| is_own(written)).map(|_| text.to_owned()),
            Concern::EveryButIndex => {
                let index = codex_index_lines(text);
                let kept = with_lines(text, |at| !index.contains(&at));
                (!kept.trim().is_empty()).then_some(kept)
            }
            Concern::Every | Concern::Slug | Concern::Registry => Some(text.to_owned()),
        }
    }
}

/// Returns the places in the home of these agents.
fn home_places(agents: &[String]) -> impl Iterator<Item = (&'static AgentSource, HomePlace)> {
    AGENT_SOURCES.iter().filter_map(|source| match source.place {
        AgentPlace::Home(place) if agents.iter().any(|agent| agent == source.agent) => Some((source, place)),
        _ => None,
    })
}

/// Returns whether a text of this kind concerns one store as a whole.
fn is_whole(concern: Concern) -> bool {
    matches!(concern, Concern::Every | Concern::Slug | Concern::Registry)
}

/// Returns a text with blank lines instead of those that are not kept.
fn with_lines(text: &str, is_kept: impl Fn(usize) -> bool) -> String {
    text.lines().enumerate().flat_map(|(at, line)| [if is_kept(at) { line } else { "" }, "\n"]).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;
    use crate::auto_memory::slug;

    /// A home with a project in it.
    struct Home {
        _place: tempfile::TempDir,
        at: PathBuf,
        places: Places,
    }

    impl Home {
        /// Creates files and links (`-> target`). `@` stands for the home, `%` for the name of the project's folder.
        fn with(entries: &[(&str, &str)]) -> Self {
            let place = tempfile::tempdir().expect("a folder");
            let at = dunce::canonicalize(place.path()).expect("there");
            let agents = recall_text::AGENT_FOLDERS;
            let places = Places {
                global_root: at.join("global"),
                stores: at.join("stores"),
                home: Some(at.clone()),
                config_home: None,
                agents: agents.iter().map(|folder| (folder.agent, at.join(folder.below_home))).collect(),
                allowed_roots: Vec::new(),
                domains: BTreeMap::new(),
            };
            let home = Self { _place: place, at, places };
            home.write("code/shop/a.rs", "");
            for (path, text) in entries {
                home.write(path, text);
            }
            home
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.at.join(path.replace('%', &slug(&self.at.join("code/shop"))));
            fs::create_dir_all(path.parent().expect("below")).expect("made");
            match text.strip_prefix("-> ") {
                Some(to) => std::os::unix::fs::symlink(to, path).expect("linked"),
                None => fs::write(path, text.replace('@', self.at.to_str().expect("text"))).expect("written"),
            }
        }

        fn memory(&self, scope: StoreScope, root: &str) -> HomeMemory {
            HomeMemory::for_store(scope, &self.at.join(root), &self.places).expect("one")
        }
    }

    fn all() -> Vec<String> {
        recall_text::AGENT_FOLDERS.iter().map(|folder| folder.agent.to_owned()).collect()
    }

    /// Returns the paths with the first words that are read.
    fn texts(memory: &HomeMemory, agents: &[String]) -> Vec<String> {
        memory.follow(agents);
        let files = memory.files().into_iter();
        let text = |file: FoundFile| {
            let content = memory.read(&file.path).expect("read");
            assert_eq!((content.size_bytes, content.modified), (file.size_bytes, file.modified), "{}", file.path);
            let stat = StatOutcome::File { size_bytes: file.size_bytes, modified: file.modified };
            assert_eq!(memory.stat(&file.path), stat, "{}", file.path);
            format!("{}: {}", file.path, content.text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        files.map(text).collect()
    }

    const CODEX: &str = "# Task Group: shop\napplies_to: cwd=@/code/shop; reuse_rule=x\n\n- Shop.\n\n\
                         # Task Group: bank\napplies_to: cwd=@/code/bank; reuse_rule=x\n\n- Bank.\n\n\
                         # Task Group: reviews\napplies_to: cwd=unknown; reuse_rule=x\n\n- Reviews.\n";

    #[test]
    fn each_store_takes_what_concerns_it() {
        let home = Home::with(&[
            (".claude/CLAUDE.md", "Claude."),
            (".claude/rules/a/b.md", "Rule."),
            (".claude/settings.json", "{}"),
            (".codex/AGENTS.md", "Agents."),
            (".codex/memories/MEMORY.md", CODEX),
            (".codex/memories/memory_summary.md", "v1\n\n## User Profile\nAda.\n\n## What's in Memory\n- bank\n"),
            (".codex/memories/raw_memories.md", "Raw."),
            (".codex/memories/rollout_summaries/a.md", "thread_id: 1\ncwd: @/code/shop/web\n\nRollout.\n"),
            (".codex/memories/rollout_summaries/b.md", "thread_id: 2\ncwd: @/code/bank\n\nOther.\n"),
            (".copilot/copilot-instructions.md", "Copilot."),
            (".copilot/instructions/x/rust.instructions.md", "Rust."),
            (".gemini/GEMINI.md", "## Gemini Added Memories\n- Tea.\n"),
            (".gemini/projects.json", "{\"projects\": {\"@/code/shop\": \"shop\", \"@/code/bank\": \"..\"}}"),
            (".gemini/tmp/shop/memory/MEMORY.md", "Gemini."),
            (".gemini/tmp/shop/logs.json", "{}"),
            (".qwen/QWEN.md", "Qwen."),
            (".qwen/memories/user.md", "User."),
            (".qwen/projects/%/memory/build.md", "Build."),
            (".codeium/windsurf/memories/global_rules.md", "Windsurf."),
        ]);
        let global = texts(&home.memory(StoreScope::Global, "global"), &all());
        let expected = [
            "claude-home/CLAUDE.md: Claude.",
            "claude-home/rules/a/b.md: Rule.",
            "codex-home/AGENTS.md: Agents.",
            "codex-memory/MEMORY.md: # Task Group: reviews applies_to: cwd=unknown; reuse_rule=x - Reviews.",
            "codex-memory/memory_summary.md: v1 ## User Profile Ada.",
            "copilot-home/copilot-instructions.md: Copilot.",
            "copilot-home/instructions/x/rust.instructions.md: Rust.",
            "gemini-home/GEMINI.md: ## Gemini Added Memories - Tea.",
            "qwen-home/QWEN.md: Qwen.",
            "qwen-home/memories/user.md: User.",
            "windsurf-home/global_rules.md: Windsurf.",
        ];
        assert_eq!(global, expected);
        let project = texts(&home.memory(StoreScope::Project, "code/shop"), &all());
        let at = home.at.display();
        let expected = [
            format!("codex-memory/MEMORY.md: # Task Group: shop applies_to: cwd={at}/code/shop; reuse_rule=x - Shop."),
            format!("codex-memory/rollout_summaries/a.md: thread_id: 1 cwd: {at}/code/shop/web Rollout."),
            "gemini-memory/MEMORY.md: Gemini.".to_owned(),
            "qwen-memory/build.md: Build.".to_owned(),
        ];
        assert_eq!(project, expected);
        let bank = texts(&home.memory(StoreScope::Project, "code/bank"), &all());
        assert_eq!(bank.len(), 2, "{bank:?}");
        assert!(HomeMemory::for_store(StoreScope::Domain, &home.at, &home.places).is_none());
        let only = texts(&home.memory(StoreScope::Global, "global"), &["qwen".to_owned()]);
        assert_eq!(only, ["qwen-home/QWEN.md: Qwen.", "qwen-home/memories/user.md: User."]);
        assert!(HomeMemory::is_there_for_all(&home.places, &all()) && !HomeMemory::is_there_for_all(&home.places, &[]));
    }

    #[test]
    fn the_lines_of_a_part_keep_their_numbers() {
        let home = Home::with(&[(".codex/memories/MEMORY.md", CODEX)]);
        let memory = home.memory(StoreScope::Global, "global");
        memory.follow(&all());
        let path = DocPath::new("codex-memory/MEMORY.md").expect("plain");
        let text = memory.read(&path).expect("read").text;
        assert_eq!(text.lines().position(|line| line == "- Reviews."), Some(13), "{text}");
        assert!(!text.contains("Bank") && !text.contains("Shop"), "{text}");
    }

    #[test]
    fn a_change_is_noticed_once() {
        let home = Home::with(&[(".codex/memories/rollout_summaries/b.md", "cwd: @/code/bank\n\nBank.\n")]);
        let memory = home.memory(StoreScope::Project, "code/shop");
        assert!(!memory.follow(&all()) && !memory.follow(&all()));
        home.write(".codex/memories/rollout_summaries/c.md", "cwd: @/code/shop\n\nNew.\n");
        assert!(memory.follow(&all()) && !memory.follow(&all()));
        home.write(".codex/memories/MEMORY.md", CODEX);
        assert!(memory.follow(&all()) && memory.files().len() == 2);
        home.write(".codex/memories/MEMORY.md", &CODEX.replace("Shop.", "Shops."));
        assert!(memory.follow(&all()));
        fs::remove_dir_all(home.at.join(".codex")).expect("removed");
        assert!(memory.follow(&all()) && memory.files().is_empty());
        assert!(!memory.follow(&[]));
    }

    #[test]
    fn no_link_is_followed_and_nothing_large_is_read() {
        let large = "x".repeat(FILE_BYTES as usize + 1);
        let home = Home::with(&[
            ("secret/x.md", "cwd: @/code/shop\n\nSecret.\n"),
            (".claude/CLAUDE.md", "-> ../secret/x.md"),
            (".claude/rules/x.md", "-> ../../secret/x.md"),
            (".codex/memories/rollout_summaries", "-> ../../secret"),
            (".gemini/GEMINI.md", &large),
            (".qwen", "-> dotfiles/qwen"),
            ("dotfiles/qwen/QWEN.md", "Mine."),
        ]);
        assert_eq!(texts(&home.memory(StoreScope::Global, "global"), &all()), ["qwen-home/QWEN.md: Mine."]);
        assert_eq!(texts(&home.memory(StoreScope::Project, "code/shop"), &all()), [""; 0]);
    }

    #[test]
    fn a_clone_gets_the_memories_of_no_other_project() {
        let home = Home::with(&[
            (".codex/memories/MEMORY.md", CODEX),
            (".qwen/projects/%/memory/build.md", "Build."),
            ("code/shop/.git/HEAD", "x"),
            ("code/clone/.git", "gitdir: @/code/shop/.git\n"),
            ("code/clone/.git-x", "gitdir: @/code/shop/.git\n"),
        ]);
        assert_eq!(texts(&home.memory(StoreScope::Project, "code/clone"), &all()), [""; 0]);
        assert_eq!(texts(&home.memory(StoreScope::Project, "code/shop"), &all()).len(), 2);
    }
}
