//! Consistency checks of stores, and repairs.
//!
//! Reads everything, which takes seconds on a large store. Only derived data and the lines that git needs are repaired; a
//! journal is never rewritten.

use std::sync::Arc;

use recall_core::{DocumentRow, Scope, StoreScope};
use recall_index::catalog::Snapshot;
use recall_os::git::Repository;
use recall_text::error_chain;

use crate::error::{IndexError, StatusError, StoreError};
use crate::fault::Fault;
use crate::finding::{Check, Finding, Problem};
use crate::index_runs::Cancel;
use crate::indexing::{RebuildPart, index_memories_soon, put_back_now, vanished_problems};
use crate::origin::Origin;
use crate::store::{Store, UnreadLine};
use crate::store_folder::index_in_project;
use crate::{Engine, mask};

/// A request for a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoctorRequest {
    /// The stores to check.
    pub scope: Scope,
    /// Whether problems are repaired.
    pub fix: Fix,
    /// Whether the indexed texts are scanned for secrets.
    pub secrets: SecretScan,
}

/// Whether problems are repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fix {
    /// Problems are only reported.
    #[default]
    Nothing,
    /// Problems are repaired if possible.
    Everything,
}

/// Whether the indexed texts are scanned for secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecretScan {
    /// What is indexed is not examined for secrets.
    #[default]
    Off,
    /// Scan all indexed texts.
    On,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DoctorReport {
    /// The findings, the most severe first, then by store and check.
    pub findings: Vec<Finding>,
    /// The checks that ran, in order.
    pub checked: Vec<Check>,
}

/// The most lines of the selection that are reported one by one.
const MAX_LINES: usize = 1000;

/// How many documents are scanned for secrets at a time.
const DOCUMENTS_PER_PAGE: usize = 64;

impl Engine {
    /// Checks the journals, the catalog and the indexes of stores, and repairs what it can if requested.
    ///
    /// # Errors
    /// A store cannot be opened, or a catalog cannot be read for a reason other than damage.
    pub fn doctor(&self, origin: &Origin, request: &DoctorRequest) -> Result<DoctorReport, StatusError> {
        let mut checked = vec![Check::Journal, Check::Selection, Check::Catalog, Check::Lexical, Check::Vectors];
        if request.secrets == SecretScan::On {
            checked.push(Check::Secrets);
        }
        let mut findings = Vec::new();
        for store in self.stores(origin, request.scope)? {
            let mut problems = self.journal_problems(&store);
            problems.extend(selection_problems(&store));
            problems.extend(index_problems(&store)?);
            if request.secrets == SecretScan::On {
                problems.extend(secrets(&store)?);
            }
            let fixed = match request.fix {
                Fix::Nothing => vec![false; problems.len()],
                Fix::Everything => self.fix(origin, &store, &problems)?,
            };
            let root = store.root.clone();
            let found = problems.into_iter().zip(fixed);
            findings.extend(found.map(|(problem, is_fixed)| Finding { root: root.clone(), problem, is_fixed }));
        }
        findings.sort_by_key(Finding::rank);
        Ok(DoctorReport { findings, checked })
    }

    /// Returns the problems of the journals, and of their git configuration.
    fn journal_problems(&self, store: &Arc<Store>) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Err(error) = store.ledger.refresh(self.clock.now()) {
            problems.push(Problem::JournalsUnread { reason: error_chain(&error) });
        }
        let repository = Repository::find(&store.root).filter(|repository| !repository.keeps_to_itself());
        problems.extend(repository.map(|repository| Problem::LeadsOut { path: repository.git_dir }));
        problems.extend(vanished_problems(&store.ledger, &store.root));
        problems.extend(store.ledger.line_problems());
        let pending = store.ledger.pending().len() as u64;
        if pending > 0 {
            problems.push(Problem::Pending { memories: pending });
        }
        if store.ledger.has_journals() {
            problems.extend(store.ledger.missing_git_lines());
        }
        let behind = store.ledger.backlog().count_stale(&store.index.known_documents());
        if behind > 0 && !store.index.holds_nothing() {
            problems.push(Problem::MemoriesBehind { memories: behind });
        }
        problems
    }

    /// Repairs what it can. Returns for each problem whether it was repaired.
    fn fix(&self, origin: &Origin, store: &Arc<Store>, problems: &[Problem]) -> Result<Vec<bool>, StatusError> {
        let is_damaged = problems.iter().any(|problem| matches!(problem, Problem::CatalogDamaged { .. }));
        let is_rebuilt = is_damaged && self.rebuild_index(origin, store)?;
        let fixed = problems.iter().map(|problem| match problem {
            Problem::GitLine { .. } => store.ledger.write_git_files().is_ok(),
            Problem::MemoriesBehind { .. } => is_rebuilt || self.index_memories(store),
            Problem::Vanished { .. } => put_back_now(store, &self.clock),
            Problem::Pending { .. } => store.ledger.hand_over(self.clock.now()).is_ok(),
            Problem::LexicalBehind { .. } => is_rebuilt || store.index.repair_lexical().is_ok(),
            Problem::CatalogDamaged { .. } => is_rebuilt,
            Problem::JournalsUnread { .. }
            | Problem::JournalLine { .. }
            | Problem::SelectionLine { .. }
            | Problem::Orphan { .. }
            | Problem::LeadsOut { .. }
            | Problem::Rivals { .. }
            | Problem::PutBack { .. }
            | Problem::TakenOut { .. }
            | Problem::OwnUnread { .. }
            | Problem::Unconfirmed { .. }
            | Problem::Vectors { .. }
            | Problem::Repaired { .. }
            | Problem::IndexInProject { .. }
            | Problem::Secrets { .. } => false,
        });
        Ok(fixed.collect())
    }

    /// Indexes the missing memories. Returns whether that finished in time.
    fn index_memories(&self, store: &Arc<Store>) -> bool {
        store.ledger.backlog().compare_everything();
        index_memories_soon(store, &self.clock);
        store.ledger.backlog().wait_for(store.ledger.backlog().mark(), self.settings.ingest_wait)
    }

    /// Rebuilds a store's index from its files and journals. Returns whether that succeeded.
    fn rebuild_index(&self, origin: &Origin, store: &Store) -> Result<bool, StatusError> {
        let scope = match store.scope {
            StoreScope::Project => Scope::Project,
            StoreScope::Global => Scope::Global,
            StoreScope::Domain => Scope::Domain,
        };
        match self.rebuild(origin, scope, RebuildPart::All, &mut |_| {}, &Cancel::default()) {
            Ok(_) => Ok(true),
            Err(IndexError::Store(error)) => Err(error.into()),
            Err(_) => Ok(false),
        }
    }
}

/// Returns the lines of the selection that cannot be read.
fn selection_problems(store: &Store) -> Vec<Problem> {
    let selection = store.files.selection();
    let problem = |UnreadLine { file, line, reason }: &UnreadLine| Problem::SelectionLine {
        path: file.clone(),
        line: *line,
        reason: reason.clone(),
    };
    selection.unread().iter().take(MAX_LINES).map(problem).collect()
}

/// Returns the problems of the derived data.
fn index_problems(store: &Store) -> Result<Vec<Problem>, StoreError> {
    let mut problems: Vec<Problem> =
        store.repairs().iter().map(|what| Problem::Repaired { what: what.clone() }).collect();
    problems.extend(index_in_project(&store.root).map(|path| Problem::IndexInProject { path }));
    match store.index.check_catalog() {
        Ok(found) => {
            problems.extend(found.into_iter().map(|problem| Problem::CatalogDamaged { reason: problem.to_string() }));
        }
        Err(error) if error.fault() != Fault::Damaged => return Err(error),
        Err(error) => {
            problems.push(Problem::CatalogDamaged { reason: error_chain(&error) });
        }
    }
    let (catalog, lexical) = store.index.committed_generations()?;
    if catalog != lexical {
        problems.push(Problem::LexicalBehind { catalog, lexical });
    }
    problems.extend(store.index.embeddings().problems().into_iter().map(|reason| Problem::Vectors { reason }));
    Ok(problems)
}

/// Returns the indexed files that contain secrets, with the rules that match.
fn secrets(store: &Store) -> Result<Vec<Problem>, StoreError> {
    let mut problems = Vec::new();
    let mut after = DocumentRow(0);
    loop {
        let page = store.index.read(|snapshot: &Snapshot<'_>| snapshot.records_after(after, DOCUMENTS_PER_PAGE))?;
        let Some(last) = page.last() else { return Ok(problems) };
        after = last.row;
        // Memories are masked before they are indexed.
        let files = page.iter().filter(|record| record.document.memory.is_none());
        for record in files {
            let mut rules: Vec<_> = mask::find_in_file(&record.document.path, &record.text)
                .into_iter()
                .map(|finding| finding.rule)
                .collect();
            let count = rules.len() as u64;
            rules.sort_unstable();
            rules.dedup();
            if count > 0 {
                let mut path = record.document.path.clone();
                mask::path(&mut path);
                problems.push(Problem::Secrets { path, count, rules });
            }
        }
    }
}
