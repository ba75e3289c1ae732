//! The path filters of a request, as the stores of the client's project understand them.
//!
//! A client writes them in any form, see `origin`. The disk decides what a form means. A filter may also name what is not on
//! the disk, such as the path of a memory or of a published file, so an unknown one is kept, and reported if no document passes it.

use std::borrow::Cow;
use std::path::Path;

use recall_core::{Citation, PathFilter, escape_glob};
use recall_text::{DocPath, nearest, path_spellings};
use recall_watch::root::{OutsideError, resolve_inside};

use crate::Engine;
use crate::engine::MountedStore;
use crate::error::OutsideFilter;
use crate::origin::{self, Origin};
use crate::warning::Warning;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathFilters {
    /// The filters with paths below the root. Empty if every path passes.
    pub(crate) resolved: Vec<PathFilter>,
    written: Vec<WrittenPaths>,
}

/// A filter of the request that does not pass every path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WrittenPaths {
    text: String,
    resolved: Vec<PathFilter>,
    is_on_disk: bool,
}

/// Whether a request may name paths outside of the client's project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutsidePaths {
    /// They are an error.
    Refuse,
    /// They are kept: the request reads other projects too.
    Keep,
}

/// What a text means in the project.
enum Meaning {
    /// The whole project.
    Everything,
    /// A file or directory that exists.
    Path(DocPath),
    /// Nothing that exists.
    Missing,
    /// Something outside of the project.
    Outside,
}

impl Engine {
    /// Resolves the path filters of a request. Without a project they are kept as they are.
    pub(crate) fn path_filters(
        &self,
        origin: &Origin,
        filters: &[PathFilter],
        outside: OutsidePaths,
    ) -> Result<PathFilters, OutsideFilter> {
        let mut found = PathFilters::default();
        if filters.is_empty() {
            return Ok(found);
        }
        let Ok(root) = origin.root(&self.registry.places) else {
            return Ok(PathFilters { resolved: filters.to_vec(), written: Vec::new() });
        };
        for filter in filters {
            match resolve(&root, origin, filter) {
                Ok(Some(one)) => found.written.push(one),
                Ok(None) => return Ok(PathFilters::default()),
                Err(error) if outside == OutsidePaths::Refuse => return Err(error),
                Err(OutsideFilter { path }) => {
                    found.written.push(WrittenPaths { text: path, resolved: vec![filter.clone()], is_on_disk: true });
                }
            }
        }
        found.resolved = found.written.iter().flat_map(|one| one.resolved.iter().cloned()).collect();
        Ok(found)
    }
}

impl PathFilters {
    /// Returns what an answer says about its filters: which name nothing, and, if nothing was found, how many documents each of
    /// the others leaves.
    pub(crate) fn warnings(&self, stores: &[MountedStore], is_empty: bool) -> Vec<Warning> {
        let warning = |one: &WrittenPaths| {
            if one.is_on_disk && !is_empty {
                return None;
            }
            let path = one.text.clone();
            match (one.count(stores), one.is_on_disk) {
                (0, false) => Some(Warning::PathMissing { near: near(stores, &path), path }),
                // While files are to come, the answer says so, and a path that has none yet may be among them.
                (0, true) if stores.iter().any(is_being_indexed) => None,
                (0, true) => Some(Warning::PathNotIndexed { path }),
                (documents, _) => is_empty.then_some(Warning::PathWithoutHits { path, documents }),
            }
        };
        self.written.iter().filter_map(warning).collect()
    }
}

impl WrittenPaths {
    /// Returns how many documents pass the filter.
    fn count(&self, stores: &[MountedStore]) -> u64 {
        let matchers: Vec<_> = self.resolved.iter().map(recall_index::lexical::path_matcher).collect();
        let passes = |path: &str| matchers.iter().any(|matches| matches(path));
        let of_store = |store: &MountedStore| {
            let paths = store.index.known_documents();
            let paths = paths.document_paths().map(|path| store.mount.outer(path.as_str()));
            paths.filter(|path| passes(path)).count() as u64
        };
        stores.iter().map(of_store).sum()
    }
}

/// Whether files of a store may not be indexed yet.
fn is_being_indexed(store: &MountedStore) -> bool {
    store.coverage().indexing.is_some() || store.awaits_first_index()
}

/// Resolves a filter; `None` if every path passes it.
fn resolve(root: &Path, origin: &Origin, filter: &PathFilter) -> Result<Option<WrittenPaths>, OutsideFilter> {
    let text = filter.0.trim();
    let outside = || OutsideFilter { path: text.to_owned() };
    let written = |resolved, is_on_disk| WrittenPaths { text: text.to_owned(), resolved, is_on_disk };
    let document = match meaning(root, origin, text) {
        Meaning::Everything => return Ok(None),
        Meaning::Path(path) => return Ok(Some(written(below(&path), true))),
        Meaning::Outside if !filter.is_glob() => return Err(outside()),
        Meaning::Missing | Meaning::Outside => path_spellings(text).remove(0),
    };
    if filter.is_glob() {
        return match resolve_glob(root, origin, &document) {
            Ok((glob, is_on_disk)) => Ok(Some(written(vec![PathFilter(glob)], is_on_disk))),
            Err(()) => Err(outside()),
        };
    }
    // An absolute path is inside of the root here.
    let kept =
        origin::paths_below(root, origin, text).into_iter().next().filter(|_| Path::new(&*document).is_absolute());
    let kept = kept.map_or_else(|| document.into_owned(), |path| path.to_string());
    Ok(Some(written(vec![PathFilter(kept)], false)))
}

/// Looks at the disk for what a text names, if need be without lines at its end.
fn meaning(root: &Path, origin: &Origin, text: &str) -> Meaning {
    let mut is_outside = false;
    for reading in Citation::readings(text) {
        let is_path = Path::new(reading.document).is_absolute() || reading.document.contains("..");
        for path in origin::absolute_paths(root, origin, reading.document) {
            let is_there = path.symlink_metadata().is_ok();
            match resolve_inside(root, &path) {
                Ok(found) if is_there => return Meaning::Path(found),
                Err(OutsideError::IsRoot { .. }) => return Meaning::Everything,
                Err(OutsideError::Outside { .. }) => is_outside |= is_there || is_path,
                Ok(_) | Err(_) => {}
            }
        }
    }
    let can_be_inside = || !origin::paths_below(root, origin, text).is_empty();
    if is_outside && !can_be_inside() { Meaning::Outside } else { Meaning::Missing }
}

/// Returns the filters that a file or directory passes, with everything below it.
fn below(path: &DocPath) -> Vec<PathFilter> {
    let filter = PathFilter(path.to_string());
    if !filter.is_glob() {
        return vec![filter];
    }
    // A file such as `[id].tsx` is meant literally.
    let escaped = escape_glob(path.as_str());
    vec![PathFilter(format!("{escaped}/**")), PathFilter(escaped)]
}

/// Resolves the directories before the first wildcard of a glob, and returns whether they exist.
///
/// # Errors
/// They are outside of the project.
fn resolve_glob(root: &Path, origin: &Origin, glob: &str) -> Result<(String, bool), ()> {
    let slashed = if glob.contains(['/', '[']) { Cow::Borrowed(glob) } else { Cow::Owned(glob.replace('\\', "/")) };
    let wildcard = slashed.find(['*', '?', '[', '{']).unwrap_or(slashed.len());
    let Some(end) = slashed[..wildcard].rfind('/') else { return Ok((slashed.into_owned(), true)) };
    let (directory, rest) = (&slashed[..end], &slashed[end + 1..]);
    // `/*` begins with the root of the file system.
    let directory = if directory.is_empty() { "/" } else { directory };
    match meaning(root, origin, directory) {
        Meaning::Path(path) => {
            // `./*.rs` is every such file below the directory, as `*.rs` is in the project.
            let anywhere = if directory == "." && !rest.contains('/') { "**/" } else { "" };
            Ok((format!("{}/{anywhere}{rest}", escape_glob(path.as_str())), true))
        }
        Meaning::Everything => Ok((rest.to_owned(), true)),
        Meaning::Outside => Err(()),
        Meaning::Missing => Ok((slashed.into_owned(), false)),
    }
}

/// Returns the indexed file or directory whose name is that of a path that does not exist, or is nearest to it.
fn near(stores: &[MountedStore], text: &str) -> Option<String> {
    let wanted = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().filter(|name| !name.is_empty())?;
    let mut places: Vec<String> = Vec::new();
    for store in stores {
        for path in store.index.known_documents().file_paths() {
            let path = store.mount.outer(path.as_str());
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            places.extend(ends.map(|end| path[..end].to_owned()));
        }
    }
    places.sort_unstable();
    places.dedup();
    let name = |place: &str| place.rsplit('/').next().unwrap_or_default().to_owned();
    let same = places.iter().filter(|place| name(place) == wanted).min_by_key(|place| place.len());
    let similar = || {
        let names: Vec<String> = places.iter().map(|place| name(place)).collect();
        let nearest = nearest(wanted, names.iter().map(String::as_str))?;
        names.iter().position(|name| name == nearest).map(|at| &places[at])
    };
    same.or_else(similar).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::RootCheck;

    /// Resolves a filter of a client in a directory of the project, in which there are some files.
    fn check(directory: &str, text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let root = dunce::canonicalize(folder.path()).expect("it is there").join("shop");
        for path in ["src/net/client.py", "src/main.py", "app/[id]/page.tsx"] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, "").expect("a file");
        }
        let directory = root.join(directory);
        let origin = Origin { directory, project: None, root_check: RootCheck::Refuse, domain: None };
        let text = text.replace("ROOT", &root.to_string_lossy());
        match resolve(&root, &origin, &PathFilter(text)) {
            Ok(None) => "everything".to_owned(),
            Ok(Some(WrittenPaths { resolved, is_on_disk, .. })) => {
                let paths: Vec<String> = resolved.into_iter().map(|filter| filter.0).collect();
                paths.join(" or ") + if is_on_disk { "" } else { " (missing)" }
            }
            Err(OutsideFilter { .. }) => "outside".to_owned(),
        }
    }

    #[test]
    fn every_form_of_a_filter_is_a_path_below_the_root() {
        for (directory, text, expected) in [
            ("", "src/net", "src/net"),
            ("", "./src/net/", "src/net"),
            ("", "src\\net", "src/net"),
            ("", "ROOT/src/net/client.py", "src/net/client.py"),
            ("", "file://ROOT/src/net", "src/net"),
            ("", "src/net/client.py:12:3", "src/net/client.py"),
            ("", "src/net/client.py#L2-L9", "src/net/client.py"),
            ("", "shop/src", "src"),
            ("src", "net", "src/net"),
            ("src", ".", "src"),
            ("src", "src/net", "src/net"),
            ("src", "..", "everything"),
            ("", ".", "everything"),
            ("", "ROOT", "everything"),
            ("", "app/[id]", "app/[[]id[]]/** or app/[[]id[]]"),
        ] {
            assert_eq!(check(directory, text), expected, "{text} in `{directory}`");
        }
    }

    #[test]
    fn the_directories_of_a_glob_are_resolved() {
        for (directory, text, expected) in [
            ("", "*.py", "*.py"),
            ("", "src/**/*.py", "src/**/*.py"),
            ("", "src\\*.py", "src/*.py"),
            ("", "ROOT/src/*.py", "src/*.py"),
            ("src", "net/*.py", "src/net/*.py"),
            ("src", "./*.py", "src/**/*.py"),
            ("", "{src*,src*/**}", "{src*,src*/**}"),
            ("", "nowhere/*.py", "nowhere/*.py (missing)"),
            ("", "/etc/*.conf", "outside"),
        ] {
            assert_eq!(check(directory, text), expected, "{text} in `{directory}`");
        }
    }

    #[test]
    fn a_missing_path_and_one_outside_are_told_apart() {
        for (directory, text, expected) in [
            ("", "nowhere/", "nowhere/ (missing)"),
            ("", "ROOT/nowhere", "nowhere (missing)"),
            ("", "../other", "outside"),
            ("", "/etc", "outside"),
            ("", "L-0123abcd", "L-0123abcd (missing)"),
        ] {
            assert_eq!(check(directory, text), expected, "{text} in `{directory}`");
        }
    }
}
