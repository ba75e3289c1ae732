//! The listing of directories under the rules.
//!
//! A directory passes on its ignore files, and whether all of its files are indexed or only exceptions: what git tracks (ADR 53) and
//! the instructions for agents. Of an excluded directory only the way to exceptions is listed, so a full build folder costs nothing.
//!
//! The rules see names and types of entries; metadata is read of files that pass, and no link is followed. What a rule leaves out is
//! counted, and listed up to a limit with the rule: a person asks why a file is missing.

use std::ffi::OsString;
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::Path;
use std::sync::Arc;

use recall_text::{DocPath, is_agent_file, leads_to_agent_files};

use super::{FoundFile, LISTED, SkippedFile};
use crate::file::{change_time, modification_time};
use crate::ignore_files::{self, IgnoreFiles, Kind, Repository, Verdict};
use crate::names::{self, Level};
use crate::rules::{Inclusion, Plan, Plans};
use crate::{Depth, IgnoreRules, LeftOut, LeftOutRule, Rules, SkipReason, Tracking, skip};

/// The result of a walk, unordered.
#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<FoundFile>,
    pub(super) skipped: Vec<SkippedFile>,
    /// The directories that were visited, possibly with duplicates.
    pub(super) directories: Vec<String>,
    /// What a rule leaves out. Of many paths, not all.
    pub(super) left_out: Vec<LeftOut>,
    pub(super) left_out_count: u64,
}

pub(super) struct Directory<'a> {
    pub(super) plan: &'a Plan,
    /// Its path below the root; empty for the root itself.
    pub(super) path: String,
    pub(super) inclusion: Inclusion,
    /// The ignore files above it.
    pub(super) ignore_files: Option<Arc<IgnoreFiles>>,
    pub(super) content: Content,
}

/// Which files of a directory are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Those that the rules include.
    All,
    /// Of these only what git tracks and the instructions for agents, because git ignores the directory or it is skipped by
    /// default.
    Exceptions,
}

/// A rule that excludes an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exclusion {
    /// A rule of its own.
    Rule(Cause),
    /// The rule that excludes its directory, or the depth of an addition.
    Above,
}

/// The kind of a rule that excludes an entry. What to tell about it is only looked up for those that are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    IgnoreFile,
    BuiltIn,
    Exclude,
    NotIncluded,
    Removed,
    Addition,
    Internal,
}

/// Reads the ignore files above the root, if they apply.
pub(super) fn ignore_files_above(root: &Path, rules: &Rules, plans: &Plans<'_>) -> Option<Arc<IgnoreFiles>> {
    match rules.above {
        IgnoreRules::Honour => IgnoreFiles::above(root, &plans.user),
        IgnoreRules::PassOver => None,
    }
}

/// Lists directories and collects what it finds. There is one per thread.
pub(super) struct Lister<'a> {
    pub(super) root: &'a Path,
    pub(super) plans: &'a Plans<'a>,
    found: Found,
}

/// One entry of a directory.
pub(super) struct Entry {
    pub(super) name: OsString,
    pub(super) file_type: FileType,
    pub(super) handle: DirEntry,
}

impl<'a> Lister<'a> {
    pub(super) fn new(root: &'a Path, plans: &'a Plans<'a>) -> Self {
        Self { root, plans, found: Found::default() }
    }

    pub(super) fn into_found(self) -> Found {
        self.found
    }

    /// Returns whether more than `most` files, or more than `most` directories, are found so far.
    pub(super) fn has_more_than(&self, most: usize) -> bool {
        let Found { files, skipped, directories, .. } = &self.found;
        files.len() + skipped.len() > most || directories.len() > most
    }

    /// Returns the directories from which the plans start. A plan for a single file is completed here.
    pub(super) fn starts(&mut self, above: Option<&Arc<IgnoreFiles>>) -> Vec<Directory<'a>> {
        let plans = &self.plans.all;
        plans.iter().filter_map(|plan| self.start(plan, above.cloned())).collect()
    }

    pub(super) fn start(&mut self, plan: &'a Plan, above: Option<Arc<IgnoreFiles>>) -> Option<Directory<'a>> {
        let inclusion = plan.inclusion();
        let Some(start) = &plan.start else {
            return Some(Directory {
                plan,
                path: String::new(),
                inclusion,
                ignore_files: above,
                content: Content::All,
            });
        };
        let is_internal = start.components().any(names::is_version_control) || is_internal_path(start.as_str());
        if is_internal || self.plans.is_removed_with_parents(start) {
            return None;
        }
        let mut place = self.root.to_owned();
        let mut ignore_files = above;
        let mut way = String::new();
        for component in start.components() {
            if plan.ignore_rules == IgnoreRules::Honour {
                ignore_files = self.read_ignore_files(&way, ignore_files);
            }
            self.found.directories.push(way.clone());
            place.push(component);
            way = join(&way, component);
            // An added path may have become a symlink since.
            let file_type = place.symlink_metadata().ok()?.file_type();
            if file_type.is_symlink() {
                self.skip(way, skip::symlink_reason(self.root, &place));
                return None;
            }
        }
        let metadata = place.symlink_metadata().ok()?;
        if metadata.is_dir() {
            return Some(Directory { plan, path: way, inclusion, ignore_files, content: Content::All });
        }
        self.file(&way, start.file_name(), metadata.file_type(), || Ok(metadata));
        None
    }

    fn read_ignore_files(&self, path: &str, above: Option<Arc<IgnoreFiles>>) -> Option<Arc<IgnoreFiles>> {
        let is_top = self.root.join(path).join(".git").symlink_metadata().is_ok();
        let repository = if is_top { Repository::Top } else { Repository::No };
        IgnoreFiles::below(self.root, path, repository, above, &self.plans.user)
    }

    /// Lists a directory. Keeps its files and returns its subdirectories to be listed.
    pub(super) fn list(&mut self, directory: Directory<'a>) -> Vec<Directory<'a>> {
        let Some((directory, entries)) = self.enter(directory) else { return Vec::new() };
        let plan = directory.plan;
        let mut below = Vec::new();
        for Entry { name, file_type, handle } in &entries {
            let shown = name.to_string_lossy();
            let path = join(&directory.path, &shown);
            let kind = if file_type.is_dir() { Kind::Directory } else { Kind::File };
            let (inclusion, content) = match self.inclusion_of(&directory, &path, &shown, kind, &entries) {
                Ok(included) => included,
                Err(exclusion) => {
                    self.leave_out(&directory, path, kind, exclusion);
                    continue;
                }
            };
            if content != directory.content && kind == Kind::Directory {
                self.leave_out(&directory, path.clone(), kind, Self::exception(&directory, &path, kind));
            }
            if name.to_str().is_none() {
                self.skip(path, SkipReason::NotUtf8Name);
                continue;
            }
            match kind {
                Kind::Directory => {
                    let ignore_files = directory.ignore_files.clone();
                    below.push(Directory { plan, path, inclusion, ignore_files, content });
                }
                Kind::File => self.file(&path, &shown, *file_type, || handle.metadata()),
            }
        }
        below
    }

    /// Reads the entries of a directory and its ignore files. `None` if it is not to be listed; the reason is recorded.
    pub(super) fn enter(&mut self, directory: Directory<'a>) -> Option<(Directory<'a>, Vec<Entry>)> {
        let Directory { plan, path, inclusion, ignore_files, content } = directory;
        let entries = match self.read(&path) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return None,
            Err(error) => {
                self.skip(path, SkipReason::Unreadable { error: error.to_string() });
                return None;
            }
        };
        self.found.directories.push(path.clone());
        let is_top = entries.iter().any(|entry| entry.name == ".git");
        let names = entries.iter().filter_map(|entry| entry.name.to_str());
        if !path.is_empty() && ignore_files::is_git_folder(names) {
            return None;
        }
        let is_start = path.is_empty() || plan.start.as_ref().is_some_and(|start| start.as_str() == path);
        if is_top && !is_start && plan.ignore_rules == IgnoreRules::Honour {
            let place = self.root.join(&path);
            // A linked worktree is a second copy of a repository's files, unless the repository is bare.
            let is_linked = ignore_files::is_linked_worktree(&place);
            if is_linked && !ignore_files::is_bare(self.root) {
                self.found.left_out_count += 1;
                self.found.left_out.push(LeftOut { path, is_directory: true, rule: LeftOutRule::WorkTree });
                return None;
            }
            if is_linked || ignore_files::is_repository(&place) {
                if inclusion == Inclusion::In {
                    self.skip(path, SkipReason::Repository);
                }
                return None;
            }
        }
        let ignore_files = match plan.ignore_rules {
            IgnoreRules::PassOver => None,
            IgnoreRules::Honour if entries.iter().any(|entry| ignore_files::is_ignore_file_or_git(&entry.name)) => {
                let repository = if is_top { Repository::Top } else { Repository::No };
                IgnoreFiles::below(self.root, &path, repository, ignore_files, &self.plans.user)
            }
            IgnoreRules::Honour => ignore_files,
        };
        Some((Directory { plan, path, inclusion, ignore_files, content }, entries))
    }

    fn read(&self, path: &str) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for handle in fs::read_dir(self.root.join(path))? {
            let handle = handle?;
            match handle.file_type() {
                Ok(file_type) => entries.push(Entry { name: handle.file_name(), file_type, handle }),
                // If the listing has no types, each type is a separate lookup, and an entry may vanish in between.
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    /// Applies the rules to an entry. Returns the inclusion and the content of what is below it, or the rule that excludes it.
    pub(super) fn inclusion_of(
        &self,
        directory: &Directory<'_>,
        path: &str,
        name: &str,
        kind: Kind,
        siblings: &[Entry],
    ) -> Result<(Inclusion, Content), Exclusion> {
        let Directory { plan, path: above, inclusion, ignore_files, content } = directory;
        let mut content = *content;
        let mut exclusion = Exclusion::Above;
        let excluded = |cause| Err(Exclusion::Rule(cause));
        if names::is_version_control(name) || is_internal_path(path) {
            return excluded(Cause::Internal);
        }
        if self.plans.is_removed(path) {
            return excluded(Cause::Removed);
        }
        if self.plans.is_ignored_by_addition(path, kind) {
            return excluded(Cause::Addition);
        }
        if kind == Kind::Directory && plan.depth == Depth::Flat {
            return Err(Exclusion::Above);
        }
        let is_session_history = path == ".recall" || above == ".recall";
        if !is_session_history {
            let verdict = ignore_files.as_ref().map_or(Verdict::NoMatch, |files| files.verdict(path, kind));
            if verdict == Verdict::Ignored {
                return excluded(Cause::IgnoreFile);
            }
            if plan.excludes(path, kind) {
                return excluded(Cause::Exclude);
            }
            let asked = verdict == Verdict::ForcedIn || plan.ignore_rules == IgnoreRules::PassOver;
            let cause = if verdict == Verdict::IgnoredByGit {
                Some(Cause::IgnoreFile)
            } else if kind == Kind::Directory && !asked {
                let level = if above.is_empty() { Level::Root } else { Level::Below };
                let names = siblings.iter().filter_map(|entry| entry.name.to_str());
                names::is_skipped_by_default(name, level, names).then_some(Cause::BuiltIn)
            } else {
                None
            };
            if let Some(cause) = cause {
                if content == Content::All {
                    exclusion = Exclusion::Rule(cause);
                }
                content = Content::Exceptions;
            }
        }
        if content == Content::Exceptions && !self.is_adopted(path, kind) && !self.is_tracked(path, kind) {
            return Err(exclusion);
        }
        let inclusion = plan.inclusion_of(path, kind, *inclusion);
        if kind == Kind::Directory || inclusion == Inclusion::In {
            Ok((inclusion, content))
        } else {
            excluded(Cause::NotIncluded)
        }
    }

    /// Returns the rule by which only exceptions of an entry are indexed.
    pub(super) fn exception(directory: &Directory<'_>, path: &str, kind: Kind) -> Exclusion {
        let verdict = directory.ignore_files.as_ref().map_or(Verdict::NoMatch, |files| files.verdict(path, kind));
        Exclusion::Rule(if verdict == Verdict::IgnoredByGit { Cause::IgnoreFile } else { Cause::BuiltIn })
    }

    /// Records a path that a rule leaves out, unless the rule is that of its directory, or includes only other paths.
    pub(super) fn leave_out(&mut self, directory: &Directory<'_>, path: String, kind: Kind, exclusion: Exclusion) {
        let Exclusion::Rule(cause) = exclusion else { return };
        if matches!(cause, Cause::NotIncluded | Cause::Internal) {
            return;
        }
        self.found.left_out_count += 1;
        // A directory says more than a file.
        if self.found.left_out.len() < LISTED || kind == Kind::Directory {
            let rule = self.rule(directory, &path, kind, cause);
            self.found.left_out.push(LeftOut { path, is_directory: kind == Kind::Directory, rule });
        }
    }

    /// Returns what to tell about a rule that excludes an entry.
    pub(super) fn rule(&self, directory: &Directory<'_>, path: &str, kind: Kind, cause: Cause) -> LeftOutRule {
        match cause {
            Cause::IgnoreFile => {
                let pattern = directory.ignore_files.as_ref().and_then(|files| files.deciding_pattern(path, kind));
                let (file, pattern) = pattern.unwrap_or_default();
                let file = file.strip_prefix(self.root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
                LeftOutRule::Pattern { file, pattern }
            }
            Cause::BuiltIn => LeftOutRule::BuiltIn,
            Cause::Exclude => LeftOutRule::Exclude,
            Cause::NotIncluded => LeftOutRule::NotIncluded,
            Cause::Removed => LeftOutRule::Removed,
            Cause::Addition => LeftOutRule::Addition,
            Cause::Internal => LeftOutRule::Internal,
        }
    }

    /// Returns whether git tracks a file, or a file below a directory.
    fn is_tracked(&self, path: &str, kind: Kind) -> bool {
        match kind {
            Kind::Directory => self.plans.git.tracks_below(path),
            Kind::File => self.plans.git.tracks(path),
        }
    }

    /// Returns whether an entry that git ignores or that is skipped by default holds instructions for agents.
    fn is_adopted(&self, path: &str, kind: Kind) -> bool {
        self.plans.agent_files == IgnoreRules::PassOver
            && match kind {
                Kind::Directory => leads_to_agent_files(path),
                Kind::File => is_agent_file(path),
            }
    }

    /// Records a file that the rules include, unless it is of a kind that is not indexed.
    pub(super) fn file(
        &mut self,
        path: &str,
        name: &str,
        file_type: FileType,
        metadata: impl FnOnce() -> io::Result<fs::Metadata>,
    ) {
        if file_type.is_symlink() {
            return self.skip(path.to_owned(), skip::symlink_reason(self.root, &self.root.join(path)));
        }
        if !file_type.is_file() {
            return self.skip(path.to_owned(), SkipReason::NotRegular);
        }
        // Whether git tracks it is looked up only for the few names that it matters for.
        if let Some(reason) = names::skip_reason(name, Tracking::Untracked)
            && (names::skip_reason(name, Tracking::Tracked).is_some() || !self.plans.git.tracks(path))
        {
            return self.skip(path.to_owned(), reason);
        }
        let metadata = match metadata() {
            Ok(metadata) => metadata,
            Err(error) if is_missing(&error) => return,
            Err(error) => return self.skip(path.to_owned(), SkipReason::Unreadable { error: error.to_string() }),
        };
        let (size_bytes, modified) = (metadata.len(), modification_time(&metadata));
        if let Some(reason) = self.plans.sizes.check(name, size_bytes) {
            // Without the modification time, so that the file counts as changed once the limit is raised.
            let (path, size_bytes, modified) = (path.to_owned(), Some(size_bytes), None);
            self.found.skipped.push(SkippedFile { path, reason, size_bytes, modified });
            return;
        }
        let path = DocPath::new(path).expect("names of a directory have neither `/` nor NUL and are not `.` or `..`");
        self.found.files.push(FoundFile { path, size_bytes, modified, changed: change_time(&metadata) });
    }

    fn skip(&mut self, path: String, reason: SkipReason) {
        self.found.skipped.push(SkippedFile { path, reason, size_bytes: None, modified: None });
    }
}

/// Returns whether a path belongs to recall itself: everything in the root's `.recall` except the history of sessions,
/// and every nested `.recall`, which belongs to another store.
fn is_internal_path(path: &str) -> bool {
    let mut parts = path.split('/');
    if parts.next() == Some(".recall") && !matches!(parts.next(), None | Some("history")) {
        return true;
    }
    path.ends_with("/.recall")
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        return name.to_owned();
    }
    let mut path = String::with_capacity(directory.len() + 1 + name.len());
    path.push_str(directory);
    path.push('/');
    path.push_str(name);
    path
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
