//! The check of claims against the project and its history.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use recall_text::DocPath;

use super::claims::{Claim, Subject, claims, is_hedged};
use super::project::Project;
use super::sentences::sentences;
use crate::doubt::{Doubt, DoubtKind};
use crate::error::StoreError;
use crate::git::Git;
use crate::store::Store;

/// The most commits whose words are searched, so that the check of a file takes seconds at most.
const MOST_COMMITS: usize = 12;

/// A file whose sentences are checked.
pub(super) struct AdoptedFile<'s> {
    pub(super) store: &'s Store,
    /// Its path in the store.
    pub(super) inner: DocPath,
    /// Its path as the client sees it.
    pub(super) outer: DocPath,
    pub(super) text: String,
    /// Its modification time, in seconds since the epoch.
    pub(super) modified_seconds: i64,
    /// Whether the project has a commit.
    pub(super) has_history: bool,
    /// Whether it lies in the project, so that its names may be relative to its directory.
    pub(super) is_in_project: bool,
    /// Whether it concerns all projects, so that only the history of this one shows that a name is meant.
    pub(super) is_of_every_project: bool,
}

/// A claim that the project does not satisfy, with the sentence that makes it.
struct MissingNames {
    claim: Claim,
    sentence: String,
    /// The line of the file on which the name is, as it is written there.
    written: String,
}

/// The doubts about a file, and the number of its claims.
pub(super) fn check(
    file: &AdoptedFile<'_>,
    project: &Project<'_>,
    git: Git<'_>,
) -> Result<(u64, Vec<Doubt>), StoreError> {
    let lines: Vec<&str> = file.text.lines().collect();
    let directory = file.outer.as_str().rsplit_once('/').map_or("", |(directory, _)| directory);
    let beside = if file.is_in_project { directory } else { "" };
    let mut missing = Vec::new();
    let mut made = 0;
    for sentence in sentences(&file.text) {
        if is_hedged(&sentence.text) {
            continue;
        }
        for claim in claims(&sentence) {
            if file.is_of_every_project && !is_telling(&claim.subject) {
                continue;
            }
            made += 1;
            if is_missing(&claim.subject, beside, project)? {
                let written = lines.get(claim.line as usize - 1).map_or("", |line| line.trim()).to_owned();
                missing.push(MissingNames { claim, sentence: sentence.text.clone(), written });
            }
        }
    }
    Ok((made, doubts(file, missing, beside, project, git)))
}

/// Returns whether a name is one that few projects have: a path with two directories or more, or an identifier.
fn is_telling(subject: &Subject) -> bool {
    match subject {
        Subject::Path(path) => path.trim_end_matches('/').matches('/').count() > 1,
        Subject::Symbol(_) => true,
        _ => false,
    }
}

fn is_missing(subject: &Subject, beside: &str, project: &Project<'_>) -> Result<bool, StoreError> {
    Ok(match subject {
        Subject::Path(path) | Subject::FileName(path) => !project.has_path(path, beside),
        Subject::Symbol(names) => match names.last() {
            Some(own) => !project.has_word(own)?,
            None => false,
        },
        Subject::Script(name) => project.has_script(name) == Some(false),
        Subject::MakeTarget(name) => project.has_make_target(name) == Some(false) && !project.has_path(name, beside),
        Subject::Recipe(name) => project.has_recipe(name) == Some(false),
        Subject::CargoPackage(name) => project.has_cargo_package(name) == Some(false),
    })
}

/// Returns the missing names that are certain enough to be doubted, with the reasons.
fn doubts(
    file: &AdoptedFile<'_>,
    missing: Vec<MissingNames>,
    beside: &str,
    project: &Project<'_>,
    git: Git<'_>,
) -> Vec<Doubt> {
    let paths: BTreeSet<String> = missing.iter().filter_map(|missing| path_of(&missing.claim.subject)).collect();
    let ignored = git.ignored_paths(&paths);
    let asked = paths.difference(&ignored).map(|path| in_history(path, beside)).collect();
    let deleted = git.deletions(&asked);
    // A name in code is often that of a file which the program reads or writes.
    let used = git.words_at("HEAD", &paths);
    let written = words_when_written(file, &missing, git);
    let mut found = Vec::new();
    for MissingNames { claim: Claim { line, name, subject }, sentence, .. } in missing {
        let (kind, reason) = match &subject {
            Subject::FileName(path) if used.contains(path) => continue,
            Subject::Path(path) | Subject::FileName(path) => {
                // A path that the history never had mostly means a file of another project or of the future.
                let is_expected =
                    !file.has_history && !file.is_of_every_project && is_expected(&subject, beside, project);
                let reason = match deleted.get(&in_history(path, beside)) {
                    Some(commit) => format!("deleted in {commit}"),
                    None if is_expected => "its directory has no such file".to_owned(),
                    None => continue,
                };
                (DoubtKind::File, reason)
            }
            Subject::Symbol(names) => {
                let Some(commit) = names.last().and_then(|own| written.get(own)) else { continue };
                let short: String = commit.chars().take(7).collect();
                (DoubtKind::Symbol, format!("no file has it; it was there when this was written ({short})"))
            }
            Subject::Script(script) => (DoubtKind::Command, format!("no package.json has a script `{script}`")),
            Subject::MakeTarget(target) => (DoubtKind::Command, format!("no makefile has a target `{target}`")),
            Subject::Recipe(recipe) => (DoubtKind::Command, format!("no justfile has a recipe `{recipe}`")),
            Subject::CargoPackage(package) => (DoubtKind::Command, format!("no Cargo.toml names `{package}`")),
        };
        let doubt = Doubt { path: file.outer.clone(), line, sentence, name, kind, reason, also_at: Vec::new() };
        if !found.iter().any(|known: &Doubt| known.line == doubt.line && known.name == doubt.name) {
            found.push(doubt);
        }
    }
    found
}

fn path_of(subject: &Subject) -> Option<String> {
    match subject {
        Subject::Path(path) | Subject::FileName(path) => Some(path.clone()),
        _ => None,
    }
}

/// Returns a path as the history is asked for it. A directory without others above it, such as `logs/`, may be anywhere, so that only
/// one next to the file counts.
fn in_history(path: &str, beside: &str) -> String {
    let bare = path.trim_start_matches("./");
    match bare.strip_suffix('/') {
        Some(name) if !name.contains('/') && beside.is_empty() => format!("/{bare}"),
        Some(name) if !name.contains('/') => format!("/{beside}/{bare}"),
        _ => bare.to_owned(),
    }
}

/// Returns whether a path is expected without a history that had it: it has a directory, which is there.
fn is_expected(subject: &Subject, beside: &str, project: &Project<'_>) -> bool {
    match subject {
        Subject::Path(path) => {
            let name = path.rsplit('/').next().unwrap_or_default();
            // In a hidden directory of a tool, a user's files are often only described.
            name.contains('.') && !path.starts_with('.') && project.has_directory_of(path, beside)
        }
        _ => false,
    }
}

/// Returns the missing identifiers that a file with code had when their lines were written, with the commits of these lines.
fn words_when_written(file: &AdoptedFile<'_>, missing: &[MissingNames], git: Git<'_>) -> BTreeMap<String, String> {
    let own = |missing: &MissingNames| match &missing.claim.subject {
        Subject::Symbol(names) => names.last().cloned(),
        _ => None,
    };
    if missing.iter().all(|missing| own(missing).is_none()) {
        return BTreeMap::new();
    }
    let writers = if file.is_in_project { Git::at(&file.store.root).writers(&file.inner) } else { HashMap::default() };
    let latest = std::cell::OnceCell::new();
    let mut by_commit: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in missing {
        let Some(word) = own(one) else { continue };
        // A line that is not committed, or a file outside of the repository, was written when the file was.
        let commit = match writers.get(&one.written) {
            Some(commit) => Some(commit.clone()),
            None => latest.get_or_init(|| git.commit_before(file.modified_seconds)).clone(),
        };
        if let Some(commit) = commit {
            by_commit.entry(commit).or_default().insert(word);
        }
    }
    let mut found = BTreeMap::new();
    for (commit, words) in by_commit.into_iter().take(MOST_COMMITS) {
        for word in git.words_at(&commit, &words) {
            found.insert(word, commit.clone());
        }
    }
    found
}
