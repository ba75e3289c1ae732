//! Context windows: what an agent should read before it works on a task, within a budget of tokens.
//!
//! One search finds the documents, the graph their neighbours, the ledger the memories about them, and git their history.
//! [`pack`] selects what fits and writes it. The same request on the same generation gives the same bytes.
//!
//! A list of hits is not what a task needs: the callers of a function, its tests and the decisions about it often share no words with
//! the task. They are reached from the best hits. The budget is hard, since the sum of the counts of lines bounds the count of the
//! text (ADR 29). Begin with `window`, then `pack`.

mod copies;
mod draft;
mod entry_points;
mod history;
mod neighbours;
mod pack;
mod parts;
mod request;
mod task_names;
mod window;

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{Filters, ItemId, Recording, SearchRequest};

use crate::Engine;
use crate::context::window::Assembly;
use crate::engine::MountedStore;
use crate::origin::Origin;
use request::Subject;

pub use draft::ContextSection;
pub use request::{ContextError, ContextRequest, ContextSpan, ContextWindow, WorkTreeChanges};

/// The most hits of the search. Beyond them, nothing that a task needs was found in any measured repository.
const MOST_HITS: u32 = 80;

/// The most commits of the branch that are looked through for those of the window's files.
const COMMITS_READ: usize = 200;

impl Engine {
    /// Assembles the context of a task, of files, or of the uncommitted changes, in at most the budgeted tokens.
    ///
    /// # Errors
    /// The request says nothing about the work, a file is unknown, the scope has no store, or a store cannot be read.
    pub fn context(&self, origin: &Origin, request: &ContextRequest) -> Result<ContextWindow, ContextError> {
        let history = request.wants(ContextSection::Changes).then(|| {
            let root = origin.root(&self.registry.places).ok();
            let recent = Arc::clone(&self.recent_commits);
            self.tasks.spawn(move || root.map(|root| recent.read(&root, COMMITS_READ)).unwrap_or_default())
        });
        let subject = Subject::read(self, origin, request)?;
        let mut assembly = Assembly::new(self, origin, request);
        assembly.add_subject(&subject)?;
        let types = request.types();
        let mut found = None;
        if !subject.query.trim().is_empty() && !types.is_empty() {
            let filters = Filters { types, ..request.filters.clone() };
            // Only what the window shows counts as retrieved.
            let recording = Recording::Off;
            let search =
                SearchRequest { filters, recording, ..SearchRequest::new(&subject.query, request.scope, MOST_HITS) };
            found = Some(self.search(origin, &search)?);
        }
        let mut stores = self.stores(origin, found.as_ref().map_or(request.scope, |answer| answer.scope))?;
        let mut warnings = Vec::new();
        if let Some(answer) = &mut found {
            warnings = std::mem::take(&mut answer.warnings);
            let place = |store: &MountedStore| answer.coverage.iter().position(|covered| covered.root == store.root);
            stores.retain(|store| place(store).is_some());
            stores.sort_by_key(place);
        }
        assembly.add_entry_points(&stores)?;
        let hits = found.as_mut().map(|answer| std::mem::take(&mut answer.hits)).unwrap_or_default();
        assembly.add_hits(hits, &stores)?;
        if let Some(report) = parts::read_report(&subject.query) {
            assembly.add_passages(&report, &stores)?;
        }
        assembly.add_lists(&stores, history)?;
        let mut window = assembly.finish(subject.query);
        window.coverage = match &found {
            Some(answer) => answer.coverage.clone(),
            None => stores.iter().map(MountedStore::coverage).collect(),
        };
        for (place, store) in stores.iter().enumerate() {
            let here = window.spans.iter().filter(|span| span.store == place).map(|span| span.document.id);
            let shown: HashSet<ItemId> = here
                .filter_map(|id| store.mount.inner_id(id, &store.index.known_documents()))
                .map(ItemId::Document)
                .collect();
            store.facts.retrievals().note(shown);
        }
        window.search = found;
        window.warnings.splice(0..0, warnings);
        Ok(window)
    }
}
