//! A scan of a store's files: the comparison with the catalog, the ingest of the differences, and why a file is left
//! out.
//!
//! A scan is the only way in which changes reach an index (ADR 3). Marks of what may have changed are taken before the comparison and
//! put back after a failure, so that none is lost: what happens during a scan is found by the next one. More than a few files wait
//! for a turn to index, which bounds the memory of all stores together (ADR 19).

use std::collections::HashSet;
use std::num::NonZero;
use std::time::{Duration, Instant};

use recall_core::{MemoryId, Timestamp};
use recall_index::catalog::{FailureKind, FileFailure};
use recall_text::DocPath;
use recall_watch::{
    Addition, Depth, Explanation, FoundFile, IgnoreRules, LeftOut, LeftOutRule, Rules, Scan, SizeLimits, SkipReason,
    SkippedFile,
};

use crate::budget::Permit;
use crate::error::StoreError;
use crate::index_runs::{Cancel, IndexRun, Progress};
use crate::indexing::ingest::{self, FEW_FILES, FileTask, RunControl, Task, Work};
use crate::indexing::memories::{memory_work, memory_work_after_reading};
use crate::known::Known;
use crate::settings::StoreSettings;
use crate::store::{Check, Decision, DirtySnapshot, Files, IngestOutcome, RuledOut, Selection, Store, WorkExtent};

/// The inputs of a scan.
pub(crate) struct Sync<'a> {
    pub(crate) store: &'a Store,
    pub(crate) threads: NonZero<usize>,
    pub(crate) now: Timestamp,
    pub(crate) cancel: &'a Cancel,
    pub(crate) progress: &'a mut dyn FnMut(Progress),
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct SyncReport {
    pub(crate) outcome: IngestOutcome,
    pub(crate) unchanged: u64,
    /// The turn to index, if more than a few files were indexed. The caller drops it after the embeddings and merges.
    pub(crate) index_run: Option<IndexRun>,
}

/// Scans the root, compares the files with the catalog, and ingests the differences. Waits for a turn to index if these are more
/// than a few files.
pub(crate) fn sync(job: &mut Sync<'_>) -> Result<SyncReport, StoreError> {
    let store = job.store;
    // The comparison below must be with what is in the index, which another process may have written.
    store.index.follow()?;
    let ScanInTurn { mut scan, mut index_run, few, began } = scan_in_turn(job)?;
    if store.files.are_adopted() {
        keep_latest(&mut scan.files, store.settings().adopt.auto_memory_files.get());
    }
    // Before the comparison: a directory that is watched from now on counts as changed, so what happened in it since it was
    // listed is found by the next scan.
    store.files.follow_directories(&scan.directories);
    let known = store.index.known_documents();
    // Taken before the comparison and put back after a failure: a mark that is set meanwhile stays for the next scan.
    let noted = store.files.dirty().take();
    let imported = without_files(store, &scan);
    let mut work = compare(&scan, &imported, &known, &store.files.selection(), &noted);
    let unchanged = (scan.files.len() + imported.len() - work.read.len()) as u64;
    let memories = memory_work_after_reading(store, &known, &noted, job.now);
    store.files.follow_journals(&store.ledger);
    work.read.extend(memories.read);
    work.gone_memories.extend(memories.gone);
    if work.is_index_run() && index_run.is_none() {
        drop(few);
        match turn(job) {
            Ok(turn) => index_run = Some(turn),
            Err(error) => {
                store.files.dirty().put_back(noted);
                return Err(error);
            }
        }
    }
    let ruled_out = RuledOut { listed: std::mem::take(&mut scan.left_out), count: scan.left_out_count };
    let listed = (scan.files.len() + imported.len() + scan.skipped.len()) as u64;
    let extent = match work.is_index_run() {
        false => WorkExtent::Few,
        true if work.read.len() > known.files.len() => WorkExtent::MostlyNew,
        true => WorkExtent::Many,
    };
    store.files.scans().note_scan(listed, ruled_out, extent);
    tracing::debug!(root = %store.root.display(), files = scan.files.len(), read = work.read.len(),
        gone = work.gone.len() + work.gone_memories.len(), took_ms = began.elapsed().as_millis() as u64, "scanned");
    // After a failure between the two commits, the lexical index has an older generation, which an ingest repairs.
    let is_whole = store.index.generation() == known.generation;
    if work.is_empty() && is_whole && !store.index.holds_nothing() {
        store.files.note_compared(job.now);
        return Ok(SyncReport { outcome: IngestOutcome::default(), unchanged, index_run });
    }
    if known.is_empty() {
        // Before anything is written: if this run is interrupted, the next one goes on with the files that are left.
        store.index.record_parser_version()?;
    }
    let parses_everything_again = noted.covers_everything();
    let mut likely_indexed = |question| {
        // The ledger then knows which memories the index lacks, and searches do not wait for the others.
        memory_work(&store.ledger, &store.index.known_documents());
        store.files.scans().note_likely(question);
    };
    let patience = Duration::MAX;
    let mut control =
        RunControl { patience, progress: job.progress, cancel: job.cancel, likely_indexed: &mut likely_indexed };
    let outcome = ingest::ingest(store, &work, job.threads, job.now, index_run.as_ref(), &mut control)
        .inspect_err(|_| store.files.dirty().put_back(noted))?;
    // Updates the ledger's record of which memories the index lacks.
    memory_work(&store.ledger, &store.index.known_documents());
    if parses_everything_again {
        store.index.record_parser_version()?;
    }
    store.files.note_compared(job.now);
    Ok(SyncReport { outcome, unchanged, index_run })
}

/// The files of a store, and the turn in which they were listed.
struct ScanInTurn {
    scan: Scan,
    /// The turn of a large first index.
    index_run: Option<IndexRun>,
    /// That of a first index of a few files.
    few: Option<Permit>,
    began: Instant,
}

/// Lists the files of the store. The first index of a project of more than a few files takes its turn first, because the list of its
/// files takes memory too. A smaller project does not wait for large ones.
fn scan_in_turn(job: &Sync<'_>) -> Result<ScanInTurn, StoreError> {
    let Sync { store, threads, cancel, .. } = *job;
    let failed = |source| StoreError::Scan { root: store.root.clone(), source };
    let mut index_run = None;
    if store.awaits_first_index() {
        let began = Instant::now();
        let rules = rules(&store.files, &store.settings());
        let few = recall_watch::scan_few(&store.root, &rules, FEW_FILES, cancel.flag()).map_err(failed)?;
        if let Some(scan) = few {
            let is_over = || job.cancel.is_cancelled() || store.jobs.cancel().is_cancelled();
            let few = store.jobs.index_runs().begin_few(is_over).ok_or(StoreError::Cancelled)?;
            return Ok(ScanInTurn { scan, index_run: None, few: Some(few), began });
        }
        index_run = Some(turn(job)?);
    }
    let began = Instant::now();
    let rules = rules(&store.files, &store.settings());
    let scan = recall_watch::scan(&store.root, &rules, threads, cancel.flag()).map_err(failed)?;
    Ok(ScanInTurn { scan, index_run, few: None, began })
}

/// Waits for a turn to index; the scan state shows that it waits.
fn turn(job: &Sync<'_>) -> Result<IndexRun, StoreError> {
    let store = job.store;
    if let Some(index_run) = store.jobs.index_runs().try_begin() {
        return Ok(index_run);
    }
    let _in_queue = store.files.scans().queue();
    let is_over = || job.cancel.is_cancelled() || store.jobs.cancel().is_cancelled();
    store.jobs.index_runs().begin(is_over).ok_or(StoreError::Cancelled)
}

/// Returns the rules of which files below the root are indexed.
pub(crate) fn rules(files: &Files, settings: &StoreSettings) -> Rules {
    let selection = files.selection();
    let mut rules = Rules {
        include: settings.include.clone(),
        exclude: settings.exclude.clone(),
        sizes: SizeLimits::from(&settings.limits),
        git: files.git_facts(),
        agent_files: if settings.adopt.instructions { IgnoreRules::PassOver } else { IgnoreRules::Honour },
        ..Rules::default()
    };
    if files.are_adopted() {
        // A repository of the user's settings often ignores the folder.
        rules = Rules { include: vec!["*.md".to_owned()], above: IgnoreRules::PassOver, ..rules };
    }
    for (path, decision) in selection.iter() {
        match decision {
            Decision::Removed => rules.removals.push(path.clone()),
            Decision::Added(added) => rules.additions.push(Addition {
                path: Some(path.clone()),
                depth: if added.recursive { Depth::Recursive } else { Depth::Flat },
                globs: added.globs.clone(),
                ignore: added.ignore.clone(),
                ignore_rules: IgnoreRules::Honour,
            }),
        }
    }
    rules
}

/// Keeps the files that were modified last.
fn keep_latest(files: &mut Vec<FoundFile>, most: usize) {
    if files.len() > most {
        files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
        files.truncate(most);
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    }
}

/// Returns the documents that were imported without their files, the private summaries of sessions, and the files of agents in the
/// user's home; without those that were removed since.
fn without_files(store: &Store, scan: &Scan) -> Vec<FoundFile> {
    let mut elsewhere = store.files.private_summaries();
    store.files.follow_home(&store.settings().adopt.home);
    elsewhere.extend(store.files.home_files());
    if store.files.list_imported_files().is_empty() && elsewhere.is_empty() {
        return Vec::new();
    }
    let files = scan.files.iter().map(|file| file.path.as_str());
    let there: HashSet<&str> = files.chain(scan.skipped.iter().map(|skipped| &*skipped.path)).collect();
    let is_repository = |skipped: &&SkippedFile| skipped.reason == SkipReason::Repository;
    let repositories: Vec<&str> = scan.skipped.iter().filter(is_repository).map(|skipped| &*skipped.path).collect();
    let mut imported = store.files.imported_files(|path| {
        there.contains(path.as_str()) || repositories.iter().any(|repository| path.is_at_or_below(repository))
    });
    let is_new = |file: &FoundFile, imported: &[FoundFile]| {
        !there.contains(file.path.as_str()) && !imported.iter().any(|known| known.path == file.path)
    };
    let elsewhere: Vec<FoundFile> = elsewhere.into_iter().filter(|file| is_new(file, &imported)).collect();
    imported.extend(elsewhere);
    let selection = store.files.selection();
    imported.retain(|file| !selection.removes(&file.path));
    imported
}

fn compare(scan: &Scan, imported: &[FoundFile], known: &Known, selection: &Selection, noted: &DirtySnapshot) -> Work {
    let mut work = Work::default();
    let mut seen: HashSet<&str> = HashSet::with_capacity(scan.files.len() + scan.skipped.len());
    let mut namesakes: HashSet<String> = HashSet::new();
    for file in scan.files.iter().chain(imported) {
        if MemoryId::reserves(&file.path) {
            let namesake = namesake(file);
            let is_known = known.files.contains_key(namesake.path.as_str());
            namesakes.insert(namesake.path.clone());
            work.skipped.extend(Some(namesake).filter(|_| !is_known));
            continue;
        }
        seen.insert(file.path.as_str());
        let before = known.files.get(file.path.as_str());
        let check = noted.check(file);
        let same_stat =
            before.is_some_and(|before| before.size_bytes == file.size_bytes && before.modified == file.modified);
        if same_stat && check == Check::Stat {
            continue;
        }
        let mut task = task(&file.path, file.size_bytes, file.modified, known, selection);
        if check == Check::Rewrite {
            task.hash = None;
        }
        work.read.push(Task::File(task));
    }
    for skipped in &scan.skipped {
        seen.insert(&skipped.path);
        let (size_bytes, modified) = (skipped.size_bytes.unwrap_or(0), skipped.modified.unwrap_or_default());
        let before = known.files.get(skipped.path.as_str());
        let was_repository = known.repositories.iter().any(|known| known.as_str() == skipped.path);
        let unchanged = before.is_some_and(|before| {
            before.hash.is_none() && before.size_bytes == size_bytes && before.modified == modified
        }) && was_repository == (skipped.reason == SkipReason::Repository);
        if !unchanged {
            let kind = kind_of(&skipped.reason);
            let reason = skipped.reason.to_string();
            work.skipped.push(FileFailure { path: skipped.path.clone(), kind, reason, size_bytes, modified });
        }
    }
    // Files in a directory that could not be listed are not known to be gone.
    let is_gone = |path: &&str| {
        let is_there = seen.contains(path) || namesakes.contains(*path);
        !is_there && DocPath::new(path).map_or(true, |path| !scan.is_unseen(&path))
    };
    work.gone = known.files.keys().map(|path| &**path).filter(is_gone).map(str::to_owned).collect();
    work.gone.sort_unstable();
    work
}

fn kind_of(reason: &SkipReason) -> FailureKind {
    match reason {
        SkipReason::Repository => FailureKind::Repository,
        reason if reason.is_failure() => FailureKind::Failed,
        _ => FailureKind::Skipped,
    }
}

/// Returns the record of a file whose path is that of a memory's document, and which is therefore not indexed. The path in the
/// record has a prefix, so that no document has it.
fn namesake(file: &FoundFile) -> FileFailure {
    let reason = "its name is that of a memory".to_owned();
    let (size_bytes, modified) = (file.size_bytes, file.modified);
    FileFailure { path: format!("./{}", file.path), kind: FailureKind::Skipped, reason, size_bytes, modified }
}

/// Returns the task to read one file, with the options that its path was added with.
pub(crate) fn task(
    path: &DocPath,
    size_bytes: u64,
    modified: Timestamp,
    known: &Known,
    selection: &Selection,
) -> FileTask {
    let added = selection.addition(path);
    let hash = known.files.get(path.as_str()).and_then(|before| before.hash);
    FileTask {
        path: path.clone(),
        size_bytes,
        modified,
        is_known: hash.is_some(),
        hash,
        tags: added.map(|added| added.tags.clone()).unwrap_or_default(),
        source: added.and_then(|added| added.source.clone()),
        document_type: added.and_then(|added| added.document_type),
    }
}

/// A file that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutFile {
    /// Its path below the root of its store.
    pub path: String,
    /// Why: a clause to follow its path.
    pub reason: String,
}

/// Returns why a file that exists is not indexed; `None` if there is no such file, or it is to be indexed.
///
/// What reading it showed is in the catalog. What a rule leaves out is not recorded, so the rules are asked again, at the
/// cost of listing the directories above the file.
pub(crate) fn explain_left_out(store: &Store, path: &DocPath) -> Result<Option<LeftOutFile>, StoreError> {
    let recorded = store.index.read(|snapshot| snapshot.failure_at(path.as_str()))?;
    if let Some(recorded) = recorded.filter(|recorded| recorded.kind != FailureKind::Repository) {
        return Ok(Some(LeftOutFile { path: recorded.path, reason: recorded.reason }));
    }
    let explanation = recall_watch::explain(&store.root, &rules(&store.files, &store.settings()), path)
        .map_err(|source| StoreError::Scan { root: store.root.clone(), source })?;
    let reason = match explanation {
        Explanation::Included
        | Explanation::NoFile
        | Explanation::LeftOut(LeftOut { rule: LeftOutRule::Internal, .. })
        // Another store holds what is in it.
        | Explanation::Skipped { reason: SkipReason::Repository, .. } => return Ok(None),
        Explanation::LeftOut(LeftOut { path: of, rule, .. }) if of == path.as_str() => rule.to_string(),
        Explanation::LeftOut(LeftOut { path: of, rule, .. }) => format!("in `{of}`, {rule}"),
        Explanation::Skipped { path: of, reason } if of == path.as_str() => reason.to_string(),
        Explanation::Skipped { path: of, reason } => format!("in `{of}`, {reason}"),
    };
    Ok(Some(LeftOutFile { path: path.as_str().to_owned(), reason }))
}
