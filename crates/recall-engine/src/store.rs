//! An open store, and the registry of open stores.
//!
//! A [`Store`] is its parts. Each part has private fields and its own locks; what acts on one part is a method of it, what acts on
//! several is a function that takes them, or a method of `Store`. The signature of a use case then says what it touches.
//!
//! A search does not lock the index. It reads one snapshot of the catalog, one searcher of the lexical index, and pointers to the
//! views of the catalog in memory; a writer replaces each of these as a whole.
//!
//! # Lock order
//!
//! A thread that holds a lock takes only locks that are further down in this list. Locks without a line are taken last, for a
//! moment, and nothing is called while they are held. Debug builds, and so all tests, check the order of the locks that have a
//! [`Rank`](ordered::Rank).
//!
//! 1. The slot of a root in the [`Registry`], while its store is opened. Opening a new work tree takes the slot of another one.
//! 2. The slots of the registry.
//! 3. The stamps of the [settings](CurrentSettings), while settings and selection are read again.
//! 4. The state of the [scans](Files::scans).
//! 5. The amendments of the [ledger](Ledger), then its follower, then its state, then its backlog.
//! 6. The factors of the [facts](ItemFacts), while they are computed.
//! 7. The turn to [write](Index::write) the index.
//! 8. The [lock](IndexLock) of the index, and the locks of its embeddings.
//! 9. The changes of imported documents, then the selection, then the [dirty files](Files::dirty), the threads and the progress of
//!    [`Jobs`].
//!
//! # Where to begin
//!
//! `index.rs` for what a search reads, `files.rs` for what there is on disk, `open.rs` for how a store comes about, `registry.rs` for
//! how long it stays open, `background.rs` for its threads.

mod background;
pub(crate) mod definitions;
mod facts;
mod files;
mod index;
mod jobs;
mod open;
mod oppositions;
mod ordered;
mod pair_comparer;
mod registry;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use recall_core::{Admission, Memory, Provenance, StoreScope, Timestamp};

use crate::error::{MemoryError, StoreError};
use crate::git::Head;
use crate::ledger::Ledger;
use crate::mask;
use crate::past_root::PastRoot;
use crate::ranking::{RankerUse, Rankers};
use crate::session_log::Sessions;
use crate::settings::StoreSettings;
use crate::shared::repository_name;
use crate::store_folder::StoreFolder;
use crate::warning::{Coverage, IndexedProject, Warning};

pub(crate) use background::StructureWait;
pub(crate) use facts::{HistoryModel, HistoryRecord, ItemFacts, Past, Precedents, SymbolHashes, Trial};
pub(crate) use files::{
    Added, Check, CheckedAt, Decision, DirtySnapshot, Files, ImportedDocument, ImportedWriter, IngestOutcome, Phase,
    RuledOut, RunKind, SUMMARIES, ScanState, Selection, UnreadLine, WorkExtent,
};
pub(crate) use index::{Disturbed, Index, IndexLock, IndexLocks, IndexPart, IndexWriting, Passage, Passages};
pub(crate) use jobs::{IndexWork, Jobs, Wanted};
pub(crate) use open::{OpenContext, work_trees};
pub(crate) use oppositions::{AskingTurn, ComparedWords, JudgedPair, Oppositions};
pub(crate) use pair_comparer::PairComparer;
pub(crate) use registry::Registry;
pub(crate) use settings::{Configuration, CurrentSettings};

pub(crate) struct Store {
    pub(crate) scope: StoreScope,
    pub(crate) root: PathBuf,
    pub(crate) folder: StoreFolder,
    pub(crate) settings: CurrentSettings,
    pub(crate) index: Index,
    pub(crate) files: Files,
    /// The journals of memories.
    pub(crate) ledger: Ledger,
    pub(crate) facts: ItemFacts,
    /// The events of its sessions.
    pub(crate) sessions: Sessions,
    pub(crate) jobs: Jobs,
    /// What its root is the past of; `None` for a root of the present.
    pub(crate) past: Option<PastRoot>,
    /// The pairs of its memories that may contradict each other.
    pub(crate) oppositions: Arc<Oppositions>,
    repairs: Repairs,
    /// A cache of its name in shared stores.
    repository: OnceLock<String>,
}

/// The parts of a store that were damaged at open and rebuilt.
struct Repairs {
    found: Vec<String>,
    /// Whether an answer has reported them.
    are_reported: AtomicBool,
}

impl Store {
    /// Returns the current settings of its project.
    pub(crate) fn settings(&self) -> Arc<StoreSettings> {
        self.settings.current()
    }

    /// Refuses the change of a memory that counts if an agent asks where what agents write is reviewed.
    pub(crate) fn check_author(&self, author: &Provenance, memory: &Memory) -> Result<(), MemoryError> {
        let is_reviewed = author.agent.is_some() && self.settings.review().agent != Admission::Accept;
        if is_reviewed && !memory.proposed { Err(MemoryError::NeedsPerson) } else { Ok(()) }
    }

    /// Returns the time at which memories are judged: `now`, or that of the past that the store is of.
    pub(crate) fn time(&self, now: Timestamp) -> Timestamp {
        self.past.as_ref().map_or(now, PastRoot::time)
    }

    /// Returns the root of the project in the present, where its repository is.
    pub(crate) fn present_root(&self) -> &Path {
        self.past.as_ref().map_or(&self.root, |past| &past.project)
    }

    /// Returns the project that it has.
    pub(crate) fn indexed_project(&self) -> IndexedProject {
        let as_of = self.past.as_ref().map(PastRoot::time);
        IndexedProject { root: self.present_root().to_owned(), as_of }
    }

    /// Returns the warning that an answer is about the past.
    pub(crate) fn past_warning(&self) -> Option<Warning> {
        let PastRoot { project: _, at, commit, left_out } = self.past.clone()?;
        Some(Warning::AsOf { at: Timestamp(at), commit, left_out })
    }

    /// Returns the parts that were damaged at open and rebuilt.
    pub(crate) fn repairs(&self) -> &[String] {
        &self.repairs.found
    }

    /// Returns the same at the first call only, so that one answer reports them. Status and doctor report them for as long as the
    /// store is open.
    pub(crate) fn unreported_repairs(&self) -> &[String] {
        if self.repairs.are_reported.swap(true, Ordering::Relaxed) { &[] } else { self.repairs() }
    }

    /// Returns the name that its repository has in shared stores.
    pub(crate) fn repository_name(&self) -> String {
        self.repository.get_or_init(|| repository_name(&self.root)).clone()
    }

    /// Returns the rankers that order its candidates now; `None` if the fused order is final.
    pub(crate) fn rankers<'r>(&self, built_in: &'r Rankers) -> Option<&'r Rankers> {
        match self.settings.current().ranker {
            RankerUse::BuiltIn => Some(built_in),
            RankerUse::Fusion => None,
        }
    }

    /// Returns whether its first index run is pending. A store that is empty after a scan has no files to index.
    pub(crate) fn awaits_first_index(&self) -> bool {
        self.index.holds_nothing() && !self.files.scans().is_compared()
    }

    /// Rewrites the index without the space of deleted data, and deletes its quarantined parts.
    pub(crate) fn compact(&self) -> Result<(), StoreError> {
        let writing = self.index.write()?;
        writing.compact()?;
        Ok(self.folder.delete_quarantined()?)
    }

    /// Returns what an answer given now covers.
    pub(crate) fn coverage(&self) -> Coverage {
        let known = self.index.known_documents();
        Coverage {
            scope: self.scope,
            root: self.root.clone(),
            generation: known.generation,
            documents: known.documents,
            newest: known.newest,
            is_elsewhere: false,
            is_shared: false,
            indexing: self.jobs.indexing(),
        }
    }
}

/// Fills the branch, commit and project's name that the client did not send, and masks secrets. The project's path is not filled:
/// journals are shared, and a path of one machine means nothing on another.
pub(crate) fn complete_provenance(said: &Provenance, head: &Head, store: &Store) -> Provenance {
    let Provenance { session, agent, mode, branch, commit, project, project_path } = said.clone();
    let name = || match store.scope {
        StoreScope::Project => store.root.file_name().map(|name| name.to_string_lossy().into_owned()),
        StoreScope::Global | StoreScope::Domain => None,
    };
    mask::provenance(Provenance {
        session,
        agent,
        mode,
        branch: branch.or_else(|| head.branch.clone()),
        commit: commit.or_else(|| head.commit.clone()),
        project: project.or_else(name),
        project_path,
    })
}

/// Completes the client's provenance with the current branch and commit of the store's root.
pub(crate) fn where_of(store: &Store, said: &Provenance) -> Provenance {
    complete_provenance(said, &Head::read_from(&store.root), store)
}
