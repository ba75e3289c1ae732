//! Directories that are skipped by default.
//!
//! A directory that only tools write to is recognized by its name. A name that is also common for source (`build`,
//! `target`, `vendor`…) counts only where a tool would create it: in the root, or next to the tool's manifest. So
//! `src/build/` is indexed. A skipped directory can be brought back by `!name/` in a `.recallignore`, or by adding it.
//!
//! The folders of each language's tools are in [`recall_text::build_folders`].

use recall_text::{BuildFolder, build_folders};

/// Returns whether a directory belongs to a version control system. Nothing brings these back.
pub(crate) fn is_version_control(name: &str) -> bool {
    [".git", ".hg", ".svn", ".jj", ".bzr", ".sl", ".pijul", "_darcs", "CVS"].contains(&name)
}

/// Returns whether a directory is skipped by default. `siblings` are the names next to it.
pub(crate) fn is_skipped_by_default<'a>(name: &str, level: Level, mut siblings: impl Iterator<Item = &'a str>) -> bool {
    if name.starts_with('.') {
        return !INDEXED_HIDDEN.contains(&name);
    }
    if ALWAYS.contains(&name) || name.ends_with(".egg-info") {
        return true;
    }
    let known: Vec<&BuildFolder> = build_folders().filter(|folder| folder.name == name).collect();
    if known.iter().any(|folder| folder.manifests.is_empty()) || (level == Level::Root && AT_ROOT.contains(&name)) {
        return true;
    }
    let manifests = known.iter().flat_map(|folder| folder.manifests);
    !known.is_empty() && siblings.any(|sibling| manifests.clone().any(|manifest| is_manifest(sibling, manifest)))
}

/// Whether a directory is directly in the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Directly in the root.
    Root,
    /// Deeper.
    Below,
}

/// Matches a name against a pattern: a name, or `*` and a suffix.
fn is_manifest(name: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name == pattern,
    }
}

/// Hidden directories with hand-written content. Others are caches, personal settings or version control.
const INDEXED_HIDDEN: &[&str] = &[
    // Code hosts and their pipelines.
    ".github",
    ".gitlab",
    ".gitea",
    ".forgejo",
    ".circleci",
    ".buildkite",
    ".woodpecker",
    ".ci",
    // Settings that are committed.
    ".config",
    ".cargo",
    ".devcontainer",
    ".husky",
    ".storybook",
    ".changeset",
    // Instructions for agents.
    ".claude",
    ".cursor",
];

/// Dependencies, caches and outputs of tools that belong to no language of the table, with names that are not used for
/// source.
const ALWAYS: &[&str] = &[
    "elm-stuff",
    "bazel-bin",
    "bazel-out",
    "bazel-testlogs",
    // Reports of test coverage.
    "htmlcov",
    "lcov-report",
];

/// The names of build folders that in the root are always dependencies or outputs, even without a manifest.
const AT_ROOT: &[&str] = &["vendor", "target", "dist", "build", "venv"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_name_is_skipped_only_next_to_its_manifest_or_in_the_root() {
        for (name, level, siblings, expected) in [
            ("node_modules", Level::Below, &[][..], true),
            ("__pycache__", Level::Below, &[], true),
            ("recall.egg-info", Level::Root, &[], true),
            ("vendor", Level::Root, &[], true),
            ("target", Level::Root, &[], true),
            ("dist", Level::Root, &[], true),
            ("build", Level::Root, &[], true),
            ("build", Level::Below, &["main.go"], false),
            ("build", Level::Below, &["package.json"], true),
            ("target", Level::Below, &["lib.rs"], false),
            ("target", Level::Below, &["src", "Cargo.toml"], true),
            ("vendor", Level::Below, &["vendor.rb"], false),
            ("vendor", Level::Below, &["go.mod"], true),
            ("bin", Level::Root, &["package.json"], false),
            ("bin", Level::Root, &["App.csproj"], true),
            ("deps", Level::Root, &[], false),
            ("src", Level::Root, &["Cargo.toml"], false),
            (".github", Level::Root, &[], false),
            (".claude", Level::Root, &[], false),
            (".venv", Level::Root, &[], true),
            (".idea", Level::Below, &[], true),
        ] {
            let actual = is_skipped_by_default(name, level, siblings.iter().copied());
            assert_eq!(actual, expected, "{name} {level:?} next to {siblings:?}");
        }
    }

    #[test]
    fn every_name_skipped_in_the_root_has_manifests() {
        for name in AT_ROOT {
            let has_manifests = |folder: &BuildFolder| folder.name == *name && !folder.manifests.is_empty();
            assert!(build_folders().any(has_manifests), "{name}");
        }
    }
}
