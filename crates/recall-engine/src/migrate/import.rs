//! The import of what another tool remembers, whose files become files in the folder of recall.
//!
//! Items become events of the journal, as if they had been added here (ADR 34). Their ids follow from the foreign ids: an import that
//! is repeated adds what is new and changes nothing else, so it may stop anywhere. Memories are written in batches, with one sync for
//! each.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_agents::foreign::{ForeignFile, ForeignMemory, Item, LeftOut, LeftOutReason, Reading};
use recall_core::{ForeignKind, Scope, StoreScope, Timestamp};
use recall_os::{Folder, write_git_files};
use recall_text::PROJECT_FOLDER;

use super::MigrateError;
use super::sources::{ForeignSource, MigrateRequest};
use crate::Engine;
use crate::backup::RestoreMode;
use crate::git::Head;
use crate::mask::{self, Masking};
use crate::memory::verify::PROFILE;
use crate::origin::Origin;
use crate::store::Store;

/// The most items of one import. A person's memories are fewer; a larger source is imported by several requests.
const MOST_ITEMS: u64 = 100_000;

/// The memories that are written with one sync. A batch is compared with itself, which costs its square.
const BATCH_MEMORIES: usize = 256;

/// The bytes of text after which a batch is written.
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// The most items that are named as left out for one reason.
const NAMED: usize = 10;

/// What an import added, or would add, and what it left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrateReport {
    /// The files and folders that were read.
    pub paths: Vec<PathBuf>,
    /// The memories that were found, added and known.
    pub memories: Arrivals,
    /// The sessions that were found, added and known.
    pub sessions: Arrivals,
    /// The copied files that were found, added and known.
    pub files: Arrivals,
    /// The ratings of new memories.
    pub ratings: u64,
    /// The items with secrets, which were masked.
    pub masked: u64,
    /// The related files that the store does not have.
    pub missing_files: u64,
    /// What was left out, by the code of the reason.
    pub left_out: BTreeMap<&'static str, LeftOutTally>,
    /// Whether the limit of items was reached, so that the rest was not read.
    pub is_cut: bool,
    /// How long it took.
    pub took: Duration,
}

/// How many items of a sort came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Those that belong to the store.
    pub found: u64,
    /// Those that were added, or would be.
    pub added: u64,
    /// Those that were there already.
    pub known: u64,
}

/// The items that were left out for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOutTally {
    /// The number of items, also of those that are not named.
    pub count: u64,
    /// The first of them.
    pub items: Vec<LeftOutItem>,
}

/// An item that was left out. Its secrets are masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutItem {
    /// The foreign id or place of the item.
    pub item: String,
    /// The reason, in words.
    pub reason: String,
}

impl MigrateReport {
    pub(super) fn leave_out(&mut self, left: LeftOut) {
        let LeftOut { mut item, count, reason } = left;
        let tally = self.left_out.entry(reason.code()).or_default();
        tally.count += count;
        if tally.items.len() < NAMED {
            mask::text(&mut item);
            item = mask::brief_path(&item);
            let mut reason = reason.to_string();
            mask::text(&mut reason);
            tally.items.push(LeftOutItem { item, reason });
        }
    }
}

impl Engine {
    /// Imports what a tool remembers into a store. Nothing that is there is changed.
    ///
    /// # Errors
    /// The source is missing, is something else, or cannot be read; or the store cannot be written. Then some items may be
    /// imported; importing again adds the others.
    pub fn migrate(&self, origin: &Origin, request: &MigrateRequest) -> Result<MigrateReport, MigrateError> {
        let began = Instant::now();
        let MigrateRequest { source, mode, limit } = request;
        let store = self.memory_store(origin, source.scope)?;
        let paths = source.paths(&store, &self.registry.places)?;
        // Memories are anchored to symbols of indexed files.
        self.fresh_stores(origin, if source.scope == Scope::All { Scope::Project } else { source.scope })?;
        let now = self.clock.now();
        store.ledger.refresh(now)?;
        let mut import = Import {
            engine: self,
            origin: Origin { directory: store.root.clone(), ..origin.clone() },
            source,
            mode: *mode,
            now,
            commit: Head::read_from(&store.root).commit,
            room: limit.unwrap_or(MOST_ITEMS).min(MOST_ITEMS),
            batch: Vec::new(),
            batch_bytes: 0,
            seen: HashSet::new(),
            known_sessions: Self::sessions_of(&store, now)?.into_iter().map(|session| session.id).collect(),
            summaries: Vec::new(),
            report: MigrateReport { paths: paths.clone(), ..MigrateReport::default() },
            failure: None,
            store: &store,
        };
        for path in &paths {
            let reading = import.reading();
            let read = recall_agents::foreign::read(source.kind, path, reading, &mut |item| import.take(item));
            if let Some(failure) = import.failure.take() {
                return Err(failure);
            }
            read?;
            import.write_batch()?;
            if import.report.is_cut {
                break;
            }
        }
        import.index_summaries();
        let mut report = import.report;
        report.took = began.elapsed();
        Ok(report)
    }
}

pub(super) struct Import<'e> {
    pub(super) engine: &'e Engine,
    /// The client's, with the store's root as the directory, which foreign paths are relative to.
    pub(super) origin: Origin,
    pub(super) source: &'e ForeignSource,
    pub(super) mode: RestoreMode,
    pub(super) now: Timestamp,
    /// The commit that is checked out.
    pub(super) commit: Option<String>,
    room: u64,
    pub(super) batch: Vec<ForeignMemory>,
    batch_bytes: usize,
    /// The foreign ids of memories that were read.
    seen: HashSet<String>,
    pub(super) known_sessions: HashSet<String>,
    /// The summaries that were written.
    pub(super) summaries: Vec<recall_text::DocPath>,
    pub(super) report: MigrateReport,
    /// Why the import stopped.
    failure: Option<MigrateError>,
    pub(super) store: &'e Arc<Store>,
}

impl<'e> Import<'e> {
    fn reading(&self) -> Reading<'e> {
        let is_filtered = self.source.projects != super::ForeignProjects::Every;
        let root = (is_filtered && self.source.path.is_none()).then_some(self.store.root.as_path());
        Reading { scratch: &self.store.folder.path, root }
    }

    fn take(&mut self, item: Item) -> ControlFlow<()> {
        match self.try_take(item) {
            Ok(flow) => flow,
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn try_take(&mut self, item: Item) -> Result<ControlFlow<()>, MigrateError> {
        let (belongs, name) = match &item {
            Item::LeftOut(left) => {
                self.report.leave_out(left.clone());
                return Ok(ControlFlow::Continue(()));
            }
            Item::Memory(memory) => (memory.belongs.clone(), memory.id.clone()),
            Item::Session(session) => (session.belongs.clone(), session.id.clone()),
            Item::File(file) => (recall_agents::foreign::Belonging::default(), file.below.clone()),
        };
        if let Some(reason) = self.source.reason_to_leave_out(self.store, &belongs) {
            self.report.leave_out(LeftOut::one(name, reason));
            return Ok(ControlFlow::Continue(()));
        }
        if self.room == 0 {
            self.report.is_cut = true;
            return Ok(ControlFlow::Break(()));
        }
        self.room -= 1;
        match item {
            Item::LeftOut(_) => {}
            Item::Memory(memory) => self.take_memory(*memory)?,
            Item::Session(session) => self.take_session(*session)?,
            Item::File(file) => self.take_file(file)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take_memory(&mut self, memory: ForeignMemory) -> Result<(), MigrateError> {
        if memory.content.trim().is_empty() {
            self.report.leave_out(LeftOut::one(memory.id, LeftOutReason::Empty));
            return Ok(());
        }
        let (bytes, limit) = (memory.content.len() as u64, recall_core::MEMORY_BYTES as u64);
        if bytes > limit {
            self.report.leave_out(LeftOut::one(memory.id, LeftOutReason::TooLong { bytes, limit }));
            return Ok(());
        }
        self.report.memories.found += 1;
        if !self.seen.insert(memory.id.clone()) {
            self.report.memories.known += 1;
            return Ok(());
        }
        self.batch_bytes += memory.content.len();
        self.batch.push(memory);
        if self.batch.len() >= BATCH_MEMORIES || self.batch_bytes >= BATCH_BYTES {
            self.write_batch()?;
        }
        Ok(())
    }

    fn write_batch(&mut self) -> Result<(), MigrateError> {
        self.batch_bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() { Ok(()) } else { self.write_memories(batch) }
    }
}

/// Returns the idempotency key of a foreign item.
pub(super) fn key(kind: ForeignKind, sort: &str, id: &str) -> String {
    format!("import/{}/{sort}/{id}", kind.stored_name())
}

/// The most bytes that are compared of a file that is there.
const COMPARED_BYTES: u64 = 2 * 1024 * 1024;

impl Import<'_> {
    /// Copies a file with its secrets masked, unless one of its name is there. An agent of the user has no place in the global
    /// store.
    pub(super) fn take_file(&mut self, file: ForeignFile) -> Result<(), MigrateError> {
        let ForeignFile { below, content, from: _ } = file;
        let is_profile = below == PROFILE;
        if self.store.scope != StoreScope::Project && !is_profile {
            let instead = "an agent belongs to a project: copy it into its folder `.recall/agents`";
            self.report.leave_out(LeftOut::one(below, LeftOutReason::NoPlace { instead }));
            return Ok(());
        }
        let mut masking = Masking::default();
        let content = masking.mask(&content);
        self.report.files.found += 1;
        // The profile of the user is in the global store's root.
        let folder = if self.store.scope == StoreScope::Project { Path::new(PROJECT_FOLDER) } else { Path::new("") };
        let path = folder.join(&below);
        let root = Folder::open(&self.store.root).map_err(MigrateError::File)?;
        if root.metadata(&path).is_ok_and(|there| there.is_some()) {
            if root.read(&path, COMPARED_BYTES).is_ok_and(|there| there == content.as_bytes()) {
                self.report.files.known += 1;
            } else {
                self.report.leave_out(LeftOut::one(path.to_string_lossy(), LeftOutReason::FileExists));
            }
            return Ok(());
        }
        self.report.files.added += 1;
        if !masking.rules.is_empty() {
            self.report.masked += 1;
        }
        if self.mode == RestoreMode::DryRun {
            return Ok(());
        }
        if self.store.scope == StoreScope::Project {
            write_git_files(&self.store.root).map_err(MigrateError::File)?;
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = match parent {
            Some(parent) => root.make_folder(parent).map_err(MigrateError::File)?,
            None => root,
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        folder.create(&name, content.as_bytes()).map_err(MigrateError::File)
    }
}
