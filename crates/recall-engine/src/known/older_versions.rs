//! Directories that hold an older major version of what is next to them, such as `v3/` next to `v4/`.
//!
//! A directory is older if its name ends in a version, and a directory of the same parent and name has a newer one and many of the
//! same files; or if it is `v1` and its parent has many of the same files. Names of files count and not their paths, because a new
//! version moves files. Their texts do not count: the versions that people look at differ in each file.
//!
//! A number alone is not a version: it may be a year, a chapter or a migration.

use std::collections::{BTreeMap, HashSet};

/// The share of an older version's file names that the newer one must have.
const COMMON_SHARE: f64 = 0.25;

/// The version in the name of a directory. Later ones are greater: `v1alpha2`, `v1beta1`, `v1`, `v1.1`, `v2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    /// Of `v1beta2`, the stage; a release is greater than its stages.
    stage: ReleaseStage,
    /// What follows: the numbers after dots, or of the stage.
    minor: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReleaseStage {
    Alpha,
    Beta,
    Release,
}

/// Returns the directories of older versions, sorted, each with the name by which a question may ask for it.
pub(super) fn older_directories<'p>(paths: impl Iterator<Item = &'p str>) -> BTreeMap<&'p str, &'p str> {
    let mut families: BTreeMap<(&str, &str), BTreeMap<Version, Directory<'_>>> = BTreeMap::new();
    let paths: Vec<&str> = paths.collect();
    for path in &paths {
        let mut start = 0;
        for (end, _) in path.match_indices('/') {
            let name = &path[start..end];
            if let Some((stem, version)) = version_of(name) {
                let family = families.entry((&path[..start], stem)).or_default();
                let directory = family.entry(version).or_insert_with(|| Directory::new(&path[..end], name));
                directory.files.insert(file_name(path));
            }
            start = end + 1;
        }
    }
    let mut older = BTreeMap::new();
    for ((parent, _), family) in &families {
        let versions: Vec<(&Version, &Directory<'_>)> = family.iter().collect();
        for (place, (version, directory)) in versions.iter().enumerate() {
            let is_repeated = |files: &HashSet<&str>| {
                let common = directory.files.intersection(files).count();
                common as f64 >= COMMON_SHARE * directory.files.len() as f64
            };
            let by_newer = versions[place + 1..].iter().any(|(_, newer)| is_repeated(&newer.files));
            let by_parent =
                || is_first(version) && versions.len() == 1 && is_repeated(&beside(parent, directory, &paths));
            if by_newer || by_parent() {
                older.insert(directory.path, directory.name);
            }
        }
    }
    older
}

struct Directory<'p> {
    path: &'p str,
    name: &'p str,
    /// The names of the files below it.
    files: HashSet<&'p str>,
}

impl<'p> Directory<'p> {
    fn new(path: &'p str, name: &'p str) -> Self {
        Self { path, name, files: HashSet::new() }
    }
}

/// Returns the names of the files below `parent` that are not in `directory`.
fn beside<'p>(parent: &str, directory: &Directory<'_>, paths: &[&'p str]) -> HashSet<&'p str> {
    let is_in = |path: &str| path.strip_prefix(directory.path).is_some_and(|rest| rest.starts_with('/'));
    paths.iter().filter(|path| path.starts_with(parent) && !is_in(path)).map(|path| file_name(path)).collect()
}

/// Returns whether a version is the first one of all. A later one that is alone in its parent may be newer than its parent.
fn is_first(version: &Version) -> bool {
    version.major == 1 && version.stage == ReleaseStage::Release
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the name without its version, and the version; `None` if it has none.
///
/// `v3`, `V3`, `client-v3`, `api_v1beta2`, `3.x`, `docs-2.1`; not `3`, `2024`, `http2` or `x86`.
fn version_of(name: &str) -> Option<(&str, Version)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (before, number) = name.split_at(digits);
    let (stem, has_letter) = match before.strip_suffix(['v', 'V']) {
        Some(stem) => (stem, true),
        None => (before, false),
    };
    if !(stem.is_empty() || stem.ends_with(['-', '_', '@', '.'])) {
        return None;
    }
    let version = parse(number)?;
    (has_letter || number.contains('.')).then_some((stem, version))
}

/// Parses `3`, `3.1`, `3.x`, `1beta2`.
fn parse(number: &str) -> Option<Version> {
    let staged = [("alpha", ReleaseStage::Alpha), ("beta", ReleaseStage::Beta)]
        .into_iter()
        .find_map(|(word, stage)| Some((number.split_once(word)?, stage)));
    if let Some(((major, minor), stage)) = staged {
        let minor = if minor.is_empty() { Vec::new() } else { vec![minor.parse().ok()?] };
        return Some(Version { major: major.parse().ok()?, stage, minor });
    }
    let mut parts = number.strip_suffix(".x").unwrap_or(number).split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()?;
    Some(Version { major, stage: ReleaseStage::Release, minor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], expected: &[&str]) {
        let older = older_directories(paths.iter().copied());
        assert_eq!(older.keys().copied().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_directory_with_a_newer_one_of_the_same_files_is_older() {
        check(&["src/v3/types.ts", "src/v3/errors.ts", "src/v4/core/errors.ts", "src/v4/core/schemas.ts"], &["src/v3"]);
        check(&["api/v1alpha1/pod.go", "api/v1beta1/pod.go", "api/v1/pod.go"], &["api/v1alpha1", "api/v1beta1"]);
        check(&["docs/2.x/install.md", "docs/3.x/install.md", "docs/3.1/install.md"], &["docs/2.x", "docs/3.x"]);
        check(&["client-v1/a.py", "client-v2/a.py", "server-v3/a.py"], &["client-v1"]);
    }

    #[test]
    fn versions_that_share_hardly_a_file_are_different_things() {
        check(&["v1/a.go", "v1/b.go", "v1/c.go", "v1/d.go", "v1/e.go", "v2/a.go", "v2/x.go"], &[]);
        check(&["one/v1/a.go", "two/v2/a.go"], &[]);
    }

    #[test]
    fn a_first_version_below_the_files_that_it_repeats_is_older() {
        check(&["lib/main.py", "lib/fields.py", "lib/v1/main.py", "lib/v1/fields.py"], &["lib/v1"]);
        check(&["lib/main.py", "lib/v1/handler.py", "lib/v1/router.py"], &[]);
        // The second version of a module is often below the first one.
        check(&["client.go", "v2/client.go"], &[]);
    }

    #[test]
    fn numbers_that_are_no_versions_are_left_alone() {
        check(&["migrations/2023/a.sql", "migrations/2024/a.sql"], &[]);
        check(&["chapter/1/a.py", "chapter/2/a.py", "http1/a.rs", "http2/a.rs", "net461/a.cs", "net6.0/a.cs"], &[]);
    }
}
