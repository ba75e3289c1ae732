//! What a project has: its files, its identifiers, and the targets that its files declare for commands.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use recall_core::StoreScope;
use recall_text::{BuildFolder, DocPath, build_folders, is_agent_file};
use recall_watch::StatOutcome;

use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::known::Known;

/// The most files that are read for the targets of commands.
const MOST_DECLARING: usize = 500;

/// The most chunks that are looked at for one that is not of an agent's file.
const MOST_MENTIONS: usize = 40;

/// The project's own store and those of its nested repositories.
pub(super) struct Project<'s> {
    stores: Vec<&'s MountedStore>,
    /// The files of all of them as the client sees them, with their directories.
    paths: OnceCell<ProjectPaths>,
    scripts: OnceCell<Declared>,
    make_targets: OnceCell<Declared>,
    recipes: OnceCell<Declared>,
    packages: OnceCell<Declared>,
}

/// The files of a project.
#[derive(Default)]
struct ProjectPaths {
    /// Each path, and each end of it after a `/`: of files, and of directories with a `/` at the end.
    ends: HashSet<String>,
    /// The names of the files without their extensions.
    stems: HashSet<String>,
}

/// The targets that files declare.
#[derive(Default)]
struct Declared {
    names: HashSet<String>,
    /// Whether these are all: some file declares targets, and none includes others or computes names.
    is_complete: bool,
}

impl<'s> Project<'s> {
    pub(super) fn new(stores: Vec<&'s MountedStore>) -> Self {
        Self {
            stores,
            paths: OnceCell::new(),
            scripts: OnceCell::new(),
            make_targets: OnceCell::new(),
            recipes: OnceCell::new(),
            packages: OnceCell::new(),
        }
    }

    /// Returns whether there is a file or a directory with this path below the root or any other directory, or below `beside`.
    pub(super) fn has_path(&self, path: &str, beside: &str) -> bool {
        let paths = self.paths.get_or_init(|| ProjectPaths::from_stores(&self.stores));
        let bare = path.trim_start_matches("./").trim_end_matches('/');
        if paths.ends.contains(bare) || paths.ends.contains(&format!("{bare}/")) {
            return true;
        }
        // What is not indexed may be there too.
        let bases = std::iter::successors(Some(beside), |base| {
            (!base.is_empty()).then(|| base.rsplit_once('/').map_or("", |(above, _)| above))
        });
        bases.into_iter().any(|base| {
            let place = if base.is_empty() { bare.to_owned() } else { format!("{base}/{bare}") };
            DocPath::new(&place).is_ok_and(|place| self.is_there(&place))
        })
    }

    fn is_there(&self, path: &DocPath) -> bool {
        let inside = |store: &&&MountedStore| store.mount.inner_path(path).map(|inner| store.files.stat(&inner));
        self.stores.iter().filter_map(|store| inside(&store)).any(|outcome| outcome != StatOutcome::Gone)
    }

    /// Returns whether the directory of a path is there below the root or `beside`, and holds what people write.
    pub(super) fn has_directory_of(&self, path: &str, beside: &str) -> bool {
        let bare = path.trim_start_matches("./").trim_end_matches('/');
        let Some((directory, _)) = bare.rsplit_once('/') else { return false };
        let is_derived = bare.split('/').any(|name| build_folders().any(|folder: &BuildFolder| folder.name == name));
        !is_derived && self.has_path(&format!("{directory}/"), beside)
    }

    /// Returns whether the project defines or mentions an identifier outside of the files for agents.
    pub(super) fn has_word(&self, word: &str) -> Result<bool, StoreError> {
        let paths = self.paths.get_or_init(|| ProjectPaths::from_stores(&self.stores));
        if paths.stems.contains(word) {
            return Ok(true);
        }
        for store in &self.stores {
            let searcher = store.index.searcher();
            let failed = |source| store.index.search_error(source);
            let defined = searcher.defining(word, 1).map_err(failed)?;
            if !defined.is_empty() {
                return Ok(true);
            }
            let mentions = searcher.mentioning(word, MOST_MENTIONS).map_err(failed)?;
            let rows: Vec<_> = mentions.iter().map(|candidate| candidate.chunk).collect();
            let placed = store.index.read(|snapshot| snapshot.placed_chunks(&rows))?;
            let is_agents = |path: &DocPath| is_agent_file(path.as_str()) || store.files.home_file(path).is_some();
            if placed.iter().flatten().any(|placed| !is_agents(&placed.document.document.path)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether some `package.json` has the script, or a dependency of that name; `None` if there is none.
    pub(super) fn has_script(&self, name: &str) -> Option<bool> {
        self.scripts.get_or_init(|| self.declarations(|path| file_name(path) == "package.json", scripts)).has(name)
    }

    /// Returns whether some makefile has the target; `None` without one, or if targets may be computed.
    pub(super) fn has_make_target(&self, name: &str) -> Option<bool> {
        let is_makefile = |path: &str| {
            let name = file_name(path);
            matches!(name, "Makefile" | "makefile" | "GNUmakefile") || has_ending(name, "mk")
        };
        self.make_targets.get_or_init(|| self.declarations(is_makefile, make_targets)).has(name)
    }

    /// Returns whether some justfile has the recipe; `None` if there is no justfile.
    pub(super) fn has_recipe(&self, name: &str) -> Option<bool> {
        let is_justfile = |path: &str| {
            let name = file_name(path);
            name.eq_ignore_ascii_case("justfile") || name == ".justfile" || has_ending(name, "just")
        };
        self.recipes.get_or_init(|| self.declarations(is_justfile, recipes)).has(name)
    }

    /// Returns whether some `Cargo.toml` names the package; `None` if there is no such file.
    pub(super) fn has_cargo_package(&self, name: &str) -> Option<bool> {
        self.packages.get_or_init(|| self.declarations(|path| file_name(path) == "Cargo.toml", packages)).has(name)
    }

    /// Reads the files that declare targets.
    fn declarations(&self, is_declaring: impl Fn(&str) -> bool, read: fn(&str, &mut Declared)) -> Declared {
        let mut found = Declared { names: HashSet::new(), is_complete: true };
        let mut files = 0;
        for store in &self.stores {
            let known = store.index.known_documents();
            let paths: BTreeSet<&str> =
                known.files.keys().map(|path| &**path).filter(|path| is_declaring(path)).collect();
            for path in paths {
                let content = DocPath::new(path)
                    .ok()
                    .and_then(|path| store.files.read_file(&path, &store.settings().limits).ok());
                files += 1;
                match content.filter(|_| files <= MOST_DECLARING) {
                    Some((content, _)) => read(&content.text, &mut found),
                    None => found.is_complete = false,
                }
            }
        }
        found.is_complete &= files > 0;
        found
    }
}

impl Declared {
    fn has(&self, name: &str) -> Option<bool> {
        let has = self.names.contains(name);
        (has || self.is_complete).then_some(has)
    }
}

impl ProjectPaths {
    fn from_stores(stores: &[&MountedStore]) -> Self {
        let mut paths = Self::default();
        for store in stores {
            let known: &Known = &store.index.known_documents();
            // What agents keep in the home is not there for the names in it.
            let at_home = store.files.home_files();
            let at_home: HashSet<&str> = at_home.iter().map(|file| file.path.as_str()).collect();
            let files = known.files.keys().map(|path| &**path).filter(|path| !at_home.contains(path));
            for path in files.chain(known.repositories.iter().map(DocPath::as_str)) {
                paths.add(&store.mount.outer(path));
            }
        }
        paths
    }

    fn add(&mut self, path: &str) {
        let stem = file_name(path);
        let stem = stem.split_once('.').map_or(stem, |(stem, _)| stem);
        self.stems.insert(stem.to_owned());
        let mut directory = path;
        self.add_ends(path, "");
        while let Some((above, _)) = directory.rsplit_once('/') {
            // The directories above it are known then, too.
            if !self.add_ends(above, "/") {
                break;
            }
            directory = above;
        }
    }

    /// Adds the ends of a path; returns whether the path was new.
    fn add_ends(&mut self, path: &str, mark: &str) -> bool {
        let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
        let ends: Vec<String> = starts.map(|start| format!("{}{mark}", &path[start..])).collect();
        // The whole path is marked by a `/` before it: an end of another path may equal it.
        let is_new = self.ends.insert(format!("/{path}{mark}"));
        self.ends.extend(ends);
        is_new
    }
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found == ending)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Reads the scripts of a `package.json`, and the names of its dependencies, whose programs `run` runs too.
fn scripts(text: &str, declared: &mut Declared) {
    let Ok(serde_json::Value::Object(package)) = serde_json::from_str(text) else {
        declared.is_complete = false;
        return;
    };
    for section in ["scripts", "dependencies", "devDependencies"] {
        if let Some(serde_json::Value::Object(named)) = package.get(section) {
            declared.names.extend(named.keys().cloned());
        }
    }
}

/// Reads the targets of a makefile.
fn make_targets(text: &str, declared: &mut Declared) {
    for line in text.lines().filter(|line| !line.starts_with(['\t', '#', ' '])) {
        let Some((targets, rest)) = line.split_once(':') else { continue };
        if rest.starts_with('=') || targets.contains('=') {
            continue;
        }
        if targets.contains(['%', '$']) {
            declared.is_complete = false;
        }
        declared.names.extend(targets.split_whitespace().map(str::to_owned));
        if targets.trim() == ".PHONY" {
            declared.names.extend(rest.split_whitespace().map(str::to_owned));
        }
    }
}

/// Reads the recipes and aliases of a justfile.
fn recipes(text: &str, declared: &mut Declared) {
    for line in text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '['])) {
        if let Some((name, _)) = line.strip_prefix("alias ").and_then(|rest| rest.split_once(":=")) {
            declared.names.insert(name.trim().to_owned());
        } else if let Some(module) = line.strip_prefix("mod ").or_else(|| line.strip_prefix("mod? ")) {
            declared.names.extend(module.split_whitespace().next().map(str::to_owned));
        } else if let Some((head, rest)) = line.split_once(':')
            && !rest.starts_with('=')
        {
            let name = head.split_whitespace().next().unwrap_or_default();
            declared.names.insert(name.trim_start_matches('@').to_owned());
        }
    }
}

/// Reads the names of packages and targets of a `Cargo.toml`.
fn packages(text: &str, declared: &mut Declared) {
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else { continue };
        let value = value.split('#').next().unwrap_or(value).trim();
        if key.trim() == "name" && value.len() > 2 {
            declared.names.insert(value.trim_matches(['"', '\'']).to_owned());
        }
    }
}

/// Returns whether a document is an adopted file.
pub(crate) fn is_adopted(store: &MountedStore, path: &DocPath) -> bool {
    let settings = store.settings();
    let is_instruction =
        store.scope != StoreScope::Global && settings.adopt.instructions && is_agent_file(path.as_str());
    store.is_auto_memory || is_instruction || store.files.home_file(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: fn(&str, &mut Declared), text: &str, expected: &[&str], is_complete: bool) {
        let mut declared = Declared { names: HashSet::new(), is_complete: true };
        read(text, &mut declared);
        let names: BTreeSet<&str> = declared.names.iter().map(String::as_str).collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), expected, "{text}");
        assert_eq!(declared.is_complete, is_complete, "{text}");
    }

    #[test]
    fn targets_are_read_from_the_files_that_declare_them() {
        let package = r#"{"scripts": {"build": "x", "lint:fix": "y"}, "devDependencies": {"tsc": "1"}, "name": "z"}"#;
        check(scripts, package, &["build", "lint:fix", "tsc"], true);
        check(scripts, "{", &[], false);
        check(
            make_targets,
            "X := 1\n# a: b\n.PHONY: all test\nall: build\nbuild lint:\n\tgo build ./...:\n",
            &[".PHONY", "all", "build", "lint", "test"],
            true,
        );
        check(make_targets, "%.o: %.c\n", &["%.o"], false);
        check(
            recipes,
            "set shell := [\"x\"]\nalias t := test\ntest name='x': build\n  run it: now\n@quiet:\nmod ci\n",
            &["ci", "quiet", "t", "test"],
            true,
        );
        check(
            packages,
            "[package]\nname = \"engine\" # x\n[[bin]]\nname='tool'\nversion = \"1\"\n",
            &["engine", "tool"],
            true,
        );
    }

    #[test]
    fn a_path_is_known_by_each_of_its_ends() {
        let mut paths = ProjectPaths::default();
        paths.add("a/b/c.test.ts");
        paths.add("b/d.ts");
        for end in ["a/b/c.test.ts", "b/c.test.ts", "c.test.ts", "a/b/", "b/", "a/", "b/d.ts"] {
            assert!(paths.ends.contains(end), "{end}");
        }
        assert!(!paths.ends.contains("a/d.ts") && paths.stems.contains("c"));
    }
}
