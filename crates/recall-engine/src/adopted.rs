//! The instructions and memories that people and agents keep outside of recall: whose they are, and whether what they name is there.
//!
//! These files are documents like others: those of the repository in its store, Claude Code's auto memory in a store of its own that
//! is mounted below `claude-memory/`, and other files in the user's home in the store that they concern (`home_memory`). They are only
//! read.
//!
//! Copies in recall's journals would be a second truth that drifts apart from the first. Such a file has no anchors, so its claims
//! are read from its sentences: a name is doubted if nothing has it and there is a sign that it was meant to be there (ADR 33). Begin
//! with `sentences`, `claims` and `project`.

mod check;
mod claims;
mod project;
mod sentences;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::StoreScope;
use recall_text::{DocPath, agent_source};

use self::check::{AdoptedFile, check};
use self::project::Project;
pub(crate) use self::project::is_adopted;
use crate::auto_memory;
use crate::doubt::{AdoptedHit, AdoptedReport, Doubt, Owner};
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::git::Git;
use crate::store::{CheckedAt, Store};
pub(crate) use sentences::{Repeats, Statements};

/// How long an answer waits for the check of the files. A later one has it.
const PATIENCE: Duration = Duration::from_millis(100);

/// How often a waiting answer looks whether the check is done.
const STEP: Duration = Duration::from_millis(5);

/// The most files that are checked.
const MOST_FILES: usize = 2000;

/// Checks the adopted files of a project and of its nested repositories, and its auto memory.
///
/// A result is kept until one of the stores or the commit changes.
pub(crate) fn adopted_report(stores: &[MountedStore]) -> Result<Arc<AdoptedReport>, StoreError> {
    let own = project_stores(stores);
    let Some(project) = own.first() else { return Ok(Arc::default()) };
    if own.iter().any(is_too_early) {
        return Ok(Arc::new(AdoptedReport { is_too_early: true, ..AdoptedReport::default() }));
    }
    let at = checked_at(&own);
    if let Some(known) = project.files.instructions().report_at(&at) {
        return Ok(known);
    }
    let report = Arc::new(report(&own)?);
    project.files.instructions().keep(at, Arc::clone(&report));
    Ok(report)
}

/// What is known of the hits of one answer that are adopted files.
pub(crate) struct AdoptedHits<'a> {
    stores: &'a [MountedStore],
    /// The last check; taken once, so that an answer waits for it once.
    report: OnceCell<Option<Arc<AdoptedReport>>>,
}

impl<'a> AdoptedHits<'a> {
    pub(crate) fn among(stores: &'a [MountedStore]) -> Self {
        Self { stores, report: OnceCell::new() }
    }

    /// Returns what is known of a part of a document, given its path in its store; `None` if that is not an adopted file.
    pub(crate) fn describe(
        &self,
        store: &MountedStore,
        path: &DocPath,
        lines: &RangeInclusive<u32>,
        text: &str,
    ) -> Option<AdoptedHit> {
        if !is_adopted(store, path) {
            return None;
        }
        let home = store.files.home_file(path);
        let (owner, agent, file) = match home {
            Some(home) => (Owner::User, home.agent, Some(home.path())),
            None if store.is_auto_memory => (Owner::User, auto_memory::CLAUDE, Some(store.root.join(path.as_str()))),
            None => {
                let is_committed = store.files.instructions().is_committed(&store.root, path);
                let agent = agent_source(path.as_str()).map_or("", |source| source.agent);
                (if is_committed { Owner::Repository } else { Owner::Local }, agent, None)
            }
        };
        let outer = store.mount.outer_path(path);
        // Only the files of the client's own project and of the user are checked.
        let report =
            if is_checked(store) { self.report.get_or_init(|| report_soon(self.stores)).as_ref() } else { None };
        let is_here = |doubt: &&Doubt| doubt.path == outer && lines.contains(&doubt.line) && text.contains(&doubt.name);
        let doubts = report.iter().flat_map(|report| &report.doubts).filter(is_here).cloned().collect();
        Some(AdoptedHit { owner, agent, file, doubts })
    }
}

/// Returns the report if it is known. Otherwise it is made on a thread of its own, and the last one is returned; if there is none,
/// the answer waits a moment.
fn report_soon(stores: &[MountedStore]) -> Option<Arc<AdoptedReport>> {
    let own = project_stores(stores);
    let project = own.first().filter(|_| !own.iter().any(is_too_early))?;
    let at = checked_at(&own);
    if let Some(known) = project.files.instructions().report_at(&at) {
        return Some(known);
    }
    let is_first = project.files.instructions().begin(&at);
    if is_first {
        let (stores, at) = (own.clone(), at.clone());
        project.work("adopted", move |project| {
            match report(&stores) {
                Ok(report) => project.files.instructions().keep(at, Arc::new(report)),
                Err(error) => tracing::debug!(%error, "the instructions for agents were not checked"),
            }
            project.files.instructions().end();
        });
    }
    let last = project.files.instructions().last_report();
    if last.is_some() || !is_first {
        return last;
    }
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        std::thread::sleep(STEP);
        if let Some(known) = project.files.instructions().report_at(&at) {
            return Some(known);
        }
    }
    None
}

/// Returns the doubts as far as they are known now, each statement once.
pub(crate) fn doubts_soon(stores: &[MountedStore]) -> Vec<Doubt> {
    report_soon(stores).map(|report| report.without_repeats()).unwrap_or_default()
}

/// Returns the stores with the files that are checked against the client's project, its own first; none without a project.
fn project_stores(stores: &[MountedStore]) -> Vec<MountedStore> {
    if !stores.first().is_some_and(is_of_project) {
        return Vec::new();
    }
    stores.iter().filter(|store| is_checked(store)).cloned().collect()
}

/// Returns whether the adopted files of a store are checked: it is one of the project, or holds what the user's agents keep for all.
fn is_checked(store: &MountedStore) -> bool {
    is_of_project(store) || (store.scope == StoreScope::Global && !store.files.home_files().is_empty())
}

/// Returns whether a store is the project's, of a repository nested in it, or of its auto memory.
fn is_of_project(store: &MountedStore) -> bool {
    store.scope == StoreScope::Project && !store.is_elsewhere
}

/// Returns whether a store is still being indexed, so that it lacks names that its files have.
fn is_too_early(store: &MountedStore) -> bool {
    store.awaits_first_index() || store.jobs.indexing().is_some()
}

/// Returns the state that a report of these stores is about.
fn checked_at(stores: &[MountedStore]) -> CheckedAt {
    let generations =
        stores.iter().map(|store| (store.root.clone(), store.index.known_documents().generation)).collect();
    let commit = stores.first().and_then(|project| crate::git::Head::read_from(&project.root).commit);
    CheckedAt { generations, commit }
}

fn report(own: &[MountedStore]) -> Result<AdoptedReport, StoreError> {
    let Some(first) = own.first() else { return Ok(AdoptedReport::default()) };
    let git = Git::at(&first.root);
    let has_history = crate::git::Head::read_from(&first.root).commit.is_some();
    let project = Project::new(own.iter().filter(|store| is_of_project(store) && !store.is_auto_memory).collect());
    let mut report = AdoptedReport::default();
    for store in own {
        let known = store.index.known_documents();
        let paths: BTreeSet<DocPath> = known.file_paths().filter(|path| is_adopted(store, path)).collect();
        for inner in paths.into_iter().take(MOST_FILES) {
            let Some(file) = read(store, inner, has_history)? else { continue };
            let (claims, doubts) = check(&file, &project, git)?;
            report.files += 1;
            report.claims += claims;
            report.doubts.extend(doubts);
        }
    }
    report.doubts.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    report.doubts.iter_mut().for_each(mask);
    Ok(report)
}

fn read(store: &MountedStore, inner: DocPath, has_history: bool) -> Result<Option<AdoptedFile<'_>>, StoreError> {
    let stored = store.index.read(|snapshot| {
        let Some(stored) = snapshot.document_at(&inner)? else { return Ok(None) };
        let text = snapshot.text(stored.row)?;
        Ok(text.map(|text| (text, stored.document.modified)))
    })?;
    let is_at_home = store.files.home_file(&inner).is_some();
    Ok(stored.map(|(text, modified)| AdoptedFile {
        store: store_of(store),
        outer: store.mount.outer_path(&inner),
        inner,
        text,
        modified_seconds: modified.0.div_euclid(1_000_000_000),
        has_history,
        is_in_project: !store.is_auto_memory && !is_at_home,
        is_of_every_project: store.scope == StoreScope::Global,
    }))
}

fn store_of(store: &MountedStore) -> &Store {
    store
}

/// Masks secrets in a doubt.
fn mask(doubt: &mut Doubt) {
    let _ = crate::mask::text(&mut doubt.sentence).or(crate::mask::text(&mut doubt.name));
}
