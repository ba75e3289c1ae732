//! Exact search: every line of the indexed texts that holds a literal or matches a regular expression, and its answer.
//!
//! ```text
//! signatures ─► texts that may match ─► lines that match ─► order of documents ─► the lines of a page
//! ```
//!
//! It answers what a ranked search cannot: where is this text, everywhere, and is it nowhere? The texts are those of the catalog,
//! so the answer is of one generation, and a saved file is in the next answer. No index of words takes part: operators, emoji,
//! parts of words and phrases with their punctuation are found like names.
//!
//! Signatures are Bloom filters of short runs of bytes, written with each document in its transaction. Lists of positions by trigram
//! would be as large as the text, and reading every text takes a hundred times as long for a literal that is nowhere (ADR 49). A
//! signature only excludes; what an answer says is what the texts hold.

mod page;
mod published;
mod scan;
mod wordless;

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ExactRequest, Filters, OtherProjects, Timestamp};
use recall_index::lexical::exact::Pattern;

use crate::engine::{MountedStore, MountedStores};
use crate::error::{SearchError, StoreError};
use crate::matching::{OutsidePaths, undated_warning};
use crate::origin::Origin;
use crate::search::{ATTEMPTS, Hit, known_languages};
use crate::store::Wanted;
use crate::task_pool::Deferred;
use crate::warning::{Coverage, Warning};
use crate::{Engine, mask};
use published::PublishedAnswer;
use scan::{Matching, Scan};

impl Engine {
    /// Finds every place of a literal or of a regular expression in the stores of this machine and in the shared ones.
    ///
    /// First updates the stores from their files, within the time budget, as a search does. The file of each line is compared with
    /// its indexed state. Secrets are not matched: an answer must not tell whether a guess is right. A shared store that does not answer,
    /// or of which not all documents were compared in time, is a warning.
    ///
    /// # Errors
    /// The pattern is invalid, the scope has no store, a store cannot be opened or read, or reading takes longer than the limit for
    /// filters.
    pub fn find_exact(&self, origin: &Origin, request: &ExactRequest) -> Result<ExactAnswer, SearchError> {
        let pattern = Arc::new(Pattern::compile(&request.needle, request.case)?);
        self.repairing(|| self.answer_exact(origin, request, &pattern))
    }

    fn answer_exact(
        &self,
        origin: &Origin,
        request: &ExactRequest,
        pattern: &Arc<Pattern>,
    ) -> Result<ExactAnswer, SearchError> {
        let mut filters = request.filters.clone();
        known_languages(&mut filters.languages)?;
        let outside = if request.others == OtherProjects::None { OutsidePaths::Refuse } else { OutsidePaths::Keep };
        let paths = self.path_filters(origin, &filters.paths, outside)?;
        filters.paths.clone_from(&paths.resolved);
        let period = self.period(origin, &filters)?;
        let wanted = Wanted::Text { needle: request.needle.clone(), pattern: Arc::clone(pattern) };
        let MountedStores { stores, mut warnings } = match self.local_origin(origin, request.scope) {
            Some(local) => {
                let prepare = |store: &_| self.prepare(store, Some(&wanted));
                self.prepared_stores(&local, request.scope, &request.others, prepare)?
            }
            None => MountedStores { stores: Vec::new(), warnings: Vec::new() },
        };
        let names: Vec<String> = self.shared_stores(origin, request.scope).map(|store| store.name.clone()).collect();
        if stores.is_empty() && names.is_empty() {
            return Err(SearchError::NoStore { scope: request.scope });
        }
        let shared = if period.is_none() {
            published::ask(self, origin, request, &filters, &stores, pattern)
        } else {
            // They know no times.
            warnings.extend((!names.is_empty()).then_some(Warning::SharedWithoutTimes { stores: names }));
            Vec::new()
        };
        let period = period.as_ref();
        let scan = Scan { engine: self, stores: &stores, pattern, filters: &filters, period, began: Instant::now() };
        let began = Instant::now();
        let mut indexed = Some(scan.run()?);
        let mut published = Vec::with_capacity(shared.len());
        let mut of_shared = Vec::with_capacity(shared.len());
        for PublishedAnswer { matching, coverage, warning } in shared.into_iter().map(Deferred::join) {
            published.extend(matching);
            of_shared.push(coverage);
            warnings.extend(warning);
        }
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut matching = indexed.take().map_or_else(|| scan.run(), Ok)?;
            matching.extend(published.iter().cloned());
            let scanned = began.elapsed();
            let totals = ExactTotals::sum(&matching);
            scan::sort_documents(&scan, &mut matching, &request.needle)?;
            let Some(page) = page::read(&scan, &matching, request, attempt == ATTEMPTS)? else { continue };
            let page::Page { hits, left_out, masked } = page;
            let shown = u64::from(request.offset) + hits.len() as u64;
            let is_last = hits.is_empty() || shown >= totals.lines;
            warnings.extend(left_out.iter().map(|path| Warning::LeftOut { path: mask::shown_path(path.clone()) }));
            warnings.extend(masked.iter().map(|path| Warning::SecretsMasked { path: path.clone() }));
            let coverage: Vec<Coverage> =
                stores.iter().map(MountedStore::coverage).chain(of_shared.iter().cloned()).collect();
            let stale_files = left_out.len() as u64 + coverage.iter().map(Coverage::files_to_come).sum::<u64>();
            warnings.extend(paths.warnings(&stores, totals.lines == 0));
            let is_narrowed = !filters.is_empty() || filters.has_time();
            let searched = if is_narrowed && (totals.lines == 0 || filters.has_time()) {
                let (documents, undated) = scan.passing()?;
                warnings.extend(undated_warning(undated));
                let compared: u64 = of_shared.iter().map(|one| one.documents).sum();
                (totals.lines == 0).then_some(documents + compared)
            } else {
                None
            };
            return Ok(ExactAnswer {
                filters,
                is_complete: stale_files == 0 && !warnings.iter().any(Warning::leaves_documents_out),
                files_left_out: files_left_out(&stores)?,
                documents_searched: searched.unwrap_or_else(|| coverage.iter().map(|one| one.documents).sum()),
                next_offset: (!is_last).then_some(shown as u32),
                hits,
                totals,
                coverage,
                stale_files,
                stages: vec![("scan", scanned), ("read", began.elapsed().saturating_sub(scanned))],
                warnings,
            });
        }
    }
}

/// Returns how many files of the stores may hold text and are not indexed: mostly a private key, too large or unreadable.
fn files_left_out(stores: &[MountedStore]) -> Result<u64, StoreError> {
    let mut count = 0;
    for store in stores {
        let groups = store.index.left_out_groups()?;
        count += groups.iter().filter(|group| group.may_hide_text).map(|group| group.files).sum::<u64>();
    }
    Ok(count)
}

/// The answer of an exact search.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactAnswer {
    /// The filters in effect. Languages have their canonical names.
    pub filters: Filters,
    /// The lines of the page, best document first. The chunk of a hit is a line, or the lines of a literal with line breaks.
    pub hits: Vec<Hit>,
    /// How much matches in all.
    pub totals: ExactTotals,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
    /// Whether the answer is about everything that the stores should hold now. Files that are never indexed are not part of it.
    pub is_complete: bool,
    /// How many files of the stores may hold text and are not indexed.
    pub files_left_out: u64,
    /// The number of documents that were searched. If nothing matches, those that pass the filters.
    pub documents_searched: u64,
    /// The state of each store as this answer saw it.
    pub coverage: Vec<Coverage>,
    /// The number of new or changed files that the answer does not reflect yet.
    pub stale_files: u64,
    /// How long each stage took.
    pub stages: Vec<(&'static str, Duration)>,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// How much matches in all stores, not only on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactTotals {
    /// The matches, which do not overlap.
    pub matches: u64,
    /// The lines in which they begin.
    pub lines: u64,
    /// The documents that have them.
    pub documents: u64,
}

impl ExactTotals {
    fn sum(matching: &[Matching]) -> Self {
        Self {
            matches: matching.iter().map(|one| one.matches).sum(),
            lines: matching.iter().map(|one| one.lines).sum(),
            documents: matching.len() as u64,
        }
    }
}

impl ExactAnswer {
    /// Returns the modification time of the newest document that was searched.
    pub fn snapshot(&self) -> Option<Timestamp> {
        self.coverage.iter().filter_map(|coverage| coverage.newest).max()
    }
}
