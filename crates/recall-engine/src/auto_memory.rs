//! The folder of Claude Code's auto memory of a project.
//!
//! By default it is `projects/<slug>/memory` in Claude's folder, where the slug is made of the path of the main work tree, so that all
//! work trees of a repository share it. The user's own settings may name another folder. Those of a project are not read: a clone
//! must not decide what is read outside of it.

use std::path::{Path, PathBuf};

use recall_os::git::Repository;
use recall_os::read_own;
use recall_watch::root::{RootCheck, check_root};
use serde::Deserialize;

use crate::settings::Places;

/// The directory below the project at which a client sees the files.
pub(crate) const MOUNT: &str = "claude-memory";

/// The agent whose folder it is.
pub(crate) const CLAUDE: &str = "claude";

/// The most bytes that are read of Claude's settings.
const SETTINGS_BYTES: u64 = 1024 * 1024;

/// The part of the user's settings that concerns the folder.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ClaudeSettings {
    auto_memory_directory: Option<String>,
}

/// Returns the folder with the memories of a project, if there is one outside of the project.
pub(crate) fn folder_of(project: &Path, places: &Places) -> Option<PathBuf> {
    let claude = dunce::canonicalize(places.agents.get(CLAUDE)?).ok()?;
    let folder = if let Some(named) = named_by_user(&claude, places.home.as_deref()) {
        check_root(&named, places.home.as_deref(), RootCheck::Checked).ok()?
    } else {
        let work_tree = Repository::find(project).map(|repository| repository.main_work_tree().to_owned());
        let folder = claude.join("projects").join(slug(work_tree.as_deref().unwrap_or(project))).join("memory");
        // Nothing on the way is a link.
        dunce::canonicalize(&folder).ok().filter(|canonical| *canonical == folder && canonical.is_dir())?
    };
    (!folder.starts_with(project) && !project.starts_with(&folder)).then_some(folder)
}

/// Returns whether a root holds the memories of some project.
pub(crate) fn is_auto_memory(root: &Path, places: &Places) -> bool {
    let Some(claude) = places.agents.get(CLAUDE).and_then(|claude| dunce::canonicalize(claude).ok()) else {
        return false;
    };
    let is_default = root.ends_with("memory") && root.parent().and_then(Path::parent) == Some(&claude.join("projects"));
    is_default
        || named_by_user(&claude, places.home.as_deref())
            .is_some_and(|named| dunce::canonicalize(named).is_ok_and(|named| named == root))
}

/// Returns the folder that the user's settings of Claude name: an absolute path, or one that begins with `~/`.
fn named_by_user(claude: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let settings = claude.join("settings.json");
    let settings: ClaudeSettings = serde_json::from_slice(&read_own(&settings, SETTINGS_BYTES).ok()?).ok()?;
    let named = settings.auto_memory_directory?;
    match named.strip_prefix("~/") {
        Some(below) => Some(home?.join(below)),
        None => Some(PathBuf::from(named)).filter(|named| named.is_absolute()),
    }
}

/// Returns the name that Claude Code gives to the folder of a project, and Qwen Code too.
pub(crate) fn slug(work_tree: &Path) -> String {
    let path = work_tree.to_string_lossy();
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    /// Creates folders, files and links (`-> target`) in a home folder.
    fn home(entries: &[(&str, &str)]) -> (tempfile::TempDir, Places) {
        let place = tempfile::tempdir().expect("a folder");
        let home = dunce::canonicalize(place.path()).expect("there");
        for (path, text) in entries {
            let path = home.join(path.replace('@', &slug(&home)));
            fs::create_dir_all(path.parent().expect("below")).expect("made");
            match text.strip_prefix("-> ") {
                Some(to) => std::os::unix::fs::symlink(to, path).expect("linked"),
                None => fs::write(path, text.replace('@', home.to_str().expect("text"))).expect("written"),
            }
        }
        let places = Places {
            global_root: home.join("global"),
            stores: home.join("stores"),
            config_home: None,
            home: Some(home.clone()),
            agents: BTreeMap::from([(CLAUDE, home.join(".claude"))]),
            allowed_roots: Vec::new(),
            domains: BTreeMap::new(),
        };
        (place, places)
    }

    #[track_caller]
    fn check(entries: &[(&str, &str)], project: &str, expected: Option<&str>) {
        let (_place, places) = home(entries);
        let at = places.home.clone().expect("set");
        let found = folder_of(&at.join(project), &places);
        let expected = expected.map(|expected| at.join(expected.replace('@', &slug(&at))));
        assert_eq!(found, expected, "{entries:?}");
        assert!(found.is_none_or(|found| is_auto_memory(&found, &places)));
    }

    #[test]
    fn the_folder_is_named_by_the_main_work_tree() {
        let memory = (".claude/projects/@-code-my-app/memory/MEMORY.md", "");
        let expected = Some(".claude/projects/@-code-my-app/memory");
        check(&[memory, ("code/my.app/.git/HEAD", "x")], "code/my.app", expected);
        check(&[memory, ("code/my.app/a.rs", "")], "code/my.app", expected);
        let linked = [
            memory,
            ("code/my.app/.git/HEAD", "x"),
            ("code/my.app/.git/worktrees/t/gitdir", "@/code/tree/.git\n"),
            ("code/my.app/.git/worktrees/t/commondir", "../..\n"),
            ("code/tree/.git", "gitdir: @/code/my.app/.git/worktrees/t\n"),
        ];
        check(&linked, "code/tree", expected);
        check(&[("code/app/a.rs", "")], "code/app", None);
    }

    #[test]
    fn a_clone_does_not_get_the_memories_of_another_project() {
        let memory = (".claude/projects/@-code-private/memory/MEMORY.md", "secret");
        for hostile in [
            &[("code/clone/.git", "gitdir: @/code/private/.git\n"), ("code/private/.git/HEAD", "x")][..],
            &[("code/clone/.git/HEAD", "x"), ("code/clone/.git/commondir", "../../private/.git\n")],
            &[("code/clone/.claude/settings.json", "{\"autoMemoryDirectory\": \"@/code/private\"}")],
        ] {
            check(&[&[memory], hostile].concat(), "code/clone", None);
        }
        // The slug of a folder in the clone would be that of its neighbour.
        let inner = [
            memory,
            ("code/.git/HEAD", "x"),
            ("code/.git/commondir", "../private/.git\n"),
            ("code/private/.git/HEAD", "x"),
        ];
        check(&inner, "code", None);
    }

    #[test]
    fn no_link_is_followed_and_the_home_is_not_adopted() {
        check(
            &[("elsewhere/x.md", ""), (".claude/projects/@-code-a/memory", "-> ../../../elsewhere"), ("code/a/x", "")],
            "code/a",
            None,
        );
        let named =
            |settings: &'static str| [(".claude/settings.json", settings), ("notes/x.md", ""), ("code/a/x", "")];
        check(&named("{\"autoMemoryDirectory\": \"~/notes\", \"other\": 1}"), "code/a", Some("notes"));
        check(&named("{\"autoMemoryDirectory\": \"@/notes\"}"), "code/a", Some("notes"));
        for refused in ["~/", "@", "/", "notes", "~/code", "~/code/a/x"] {
            let settings: &'static str =
                Box::leak(format!("{{\"autoMemoryDirectory\": \"{refused}\"}}").into_boxed_str());
            check(&named(settings), "code/a", None);
        }
        check(&named("{"), "code/a", None);
    }
}
