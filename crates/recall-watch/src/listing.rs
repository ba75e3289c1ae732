//! Directories that are skipped by default.
//!
//! A directory that only tools write to is recognized by its name. A name that is also common for source (`build`,
//! `target`, `vendor`…) counts only where a tool would create it: in the root, or next to the tool's manifest. So
//! `src/build/` is indexed. A skipped directory can be brought back by `!name/` in a `.recallignore`, or by adding it.

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
    let Some((_, manifests)) = NEXT_TO_MANIFEST.iter().find(|(known, _)| *known == name) else { return false };
    (level == Level::Root && AT_ROOT.contains(&name))
        || siblings.any(|sibling| manifests.iter().any(|manifest| is_manifest(sibling, manifest)))
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

/// Dependencies, caches and outputs, with names that are not used for source.
const ALWAYS: &[&str] = &[
    // Installed dependencies.
    "node_modules",
    "bower_components",
    "jspm_packages",
    "web_modules",
    "site-packages",
    "elm-stuff",
    // Compiled and cached.
    "__pycache__",
    "__pypackages__",
    "CMakeFiles",
    "DerivedData",
    "dist-newstyle",
    "zig-cache",
    "zig-out",
    "bazel-bin",
    "bazel-out",
    "bazel-testlogs",
    // Reports of test coverage.
    "htmlcov",
    "lcov-report",
];

/// The names in `NEXT_TO_MANIFEST` that in the root are always dependencies or outputs.
const AT_ROOT: &[&str] = &["vendor", "target", "dist", "build", "venv"];

/// Names that are outputs or dependencies next to one of these manifests.
const NEXT_TO_MANIFEST: &[(&str, &[&str])] = &[
    ("vendor", &["go.mod", "composer.json", "Gemfile", "Cargo.toml", "*.gemspec"]),
    ("target", &["Cargo.toml", "pom.xml", "build.sbt", "project.clj", "deps.edn"]),
    ("dist", &["package.json", "pyproject.toml", "setup.py", "*.cabal"]),
    (
        "build",
        &[
            "package.json",
            "pyproject.toml",
            "setup.py",
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "CMakeLists.txt",
            "meson.build",
            "pubspec.yaml",
            "Package.swift",
        ],
    ),
    (
        "out",
        &["build.gradle", "build.gradle.kts", "next.config.js", "next.config.mjs", "next.config.ts", "foundry.toml"],
    ),
    ("bin", &["*.csproj", "*.fsproj", "*.vbproj", ".classpath"]),
    ("obj", &["*.csproj", "*.fsproj", "*.vbproj"]),
    ("deps", &["mix.exs", "rebar.config"]),
    ("_build", &["mix.exs", "rebar.config", "dune-project", "conf.py"]),
    ("coverage", &["package.json", "Gemfile"]),
    ("Pods", &["Podfile"]),
    ("Carthage", &["Cartfile"]),
    ("venv", &["pyproject.toml", "setup.py", "requirements.txt", "Pipfile", "manage.py"]),
    ("env", &["requirements.txt", "Pipfile", "manage.py"]),
];

#[cfg(test)]
mod tests;
