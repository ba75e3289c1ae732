//! Plain searches for text without a word: operators, emoji, punctuation.
//!
//! The index of words has nothing to rank such a query by. The documents that contain it are found exactly, and their order is that of
//! an exact search.

use std::sync::Arc;
use std::time::Instant;

use recall_core::rql::Filter;
use recall_core::{Case, Needle, QueryClass, SearchRequest, Weights, understand};
use recall_index::lexical::exact::Pattern;

use super::page::documents_that_changed;
use super::scan::{self, Matching, Scan, TextSource, visible_lines};
use crate::Engine;
use crate::adopted::AdoptedHits;
use crate::engine::{MountedStore, MountedStores};
use crate::error::{SearchError, StoreError};
use crate::mask::{self, Masked, Whole};
use crate::memory::recalled_as_hit;
use crate::occurrences::chunk_at;
use crate::origin::Origin;
use crate::search::{ATTEMPTS, Answer, Hit, RetrieverWeights, Stage};
use crate::store::Wanted;
use crate::warning::{Coverage, Warning};

impl Engine {
    /// Answers a search as [`Engine::search_where`] does. The answer to a query without a letter or a digit, such as `<=>`, has the
    /// documents that contain it as it is; if none does, those that contain one of its parts.
    ///
    /// # Errors
    /// See [`Engine::search_where`].
    pub fn search_or_find(
        &self,
        origin: &Origin,
        request: &SearchRequest,
        filter: Option<&Filter>,
    ) -> Result<Answer, SearchError> {
        let understood = understand(&request.query);
        let text = understood.text.trim();
        if filter.is_some() || text.is_empty() || text.chars().any(char::is_alphanumeric) {
            return self.search_where(origin, request, filter);
        }
        let whole = Arc::new(Pattern::literal(text, Case::Sensitive)?);
        let parts: Vec<&str> = text.split_whitespace().collect();
        let any = Arc::new(Pattern::any_of(&parts, Case::Sensitive)?);
        self.repairing(|| self.find_signs(origin, request, &[Arc::clone(&whole), Arc::clone(&any)]))
    }

    fn find_signs(
        &self,
        origin: &Origin,
        request: &SearchRequest,
        patterns: &[Arc<Pattern>; 2],
    ) -> Result<Answer, SearchError> {
        let (understood, _) = self.understood(origin, request)?;
        let scope = understood.scope.unwrap_or(request.scope);
        let needle = Needle::Literal(request.query.clone());
        let wanted = Wanted::Text { needle, pattern: Arc::clone(&patterns[1]) };
        let MountedStores { stores, mut warnings } =
            self.prepared_stores(origin, scope, &request.others, |store| self.prepare(store, Some(&wanted)))?;
        if stores.is_empty() {
            return Err(SearchError::NoStore { scope });
        }
        let period = self.period(origin, &understood.filters)?;
        let needle = Needle::Literal(understood.text.trim().to_owned());
        let began = Instant::now();
        let mut attempt = 0;
        loop {
            attempt += 1;
            let [whole, any] = patterns.each_ref().map(|pattern| Scan {
                engine: self,
                stores: &stores,
                pattern,
                filters: &understood.filters,
                period: period.as_ref(),
                began,
            });
            let mut scan = whole;
            let mut matching = scan.run()?;
            if matching.is_empty() {
                scan = any;
                matching = scan.run()?;
            }
            scan::sort_documents(&scan, &mut matching, &needle)?;
            let (offset, limit) = (request.offset as usize, request.limit as usize);
            let wanted: Vec<&Matching> = matching.iter().skip(offset).take(limit).collect();
            let Some(changed) = documents_that_changed(&scan, &wanted, attempt == ATTEMPTS) else { continue };
            let unchanged = wanted.iter().filter(|one| !changed[one.store].contains(&one.document.key()));
            let hits = unchanged.map(|one| scan.hit(one)).collect::<Result<Option<Vec<_>>, _>>()?;
            let Some(hits) = hits else {
                if attempt == ATTEMPTS {
                    return self.search_where(origin, request, None);
                }
                continue;
            };
            let coverage: Vec<Coverage> = stores.iter().map(MountedStore::coverage).collect();
            let left_out: Vec<String> = changed
                .iter()
                .zip(&stores)
                .flat_map(|(keys, store)| keys.iter().map(|key| store.mount.outer(key.to_path().as_str())))
                .collect();
            let stale_files = left_out.len() as u64 + coverage.iter().map(Coverage::files_to_come).sum::<u64>();
            warnings.extend(left_out.into_iter().map(|path| Warning::LeftOut { path: mask::shown_path(path) }));
            let masked = hits.iter().filter(|(_, masked)| *masked == Masked::Yes);
            let masked = masked.map(|(hit, _)| Warning::SecretsMasked { path: hit.document.path.as_str().to_owned() });
            warnings.extend(masked.collect::<Vec<_>>());
            return Ok(Answer {
                translated: None,
                class: understood.class,
                scope,
                filters: understood.filters.clone(),
                weights: RetrieverWeights::resolve(QueryClass::Symbol, &Weights::default()),
                confidence: None,
                is_doubtful: false,
                did_you_mean: Vec::new(),
                best_score: matching.first().map(|first| first.score),
                next_offset: (matching.len() > offset + limit).then_some((offset + limit) as u32),
                hits: hits.into_iter().map(|(hit, _)| hit).collect(),
                candidates: matching.len() as u64,
                retrieved: Vec::new(),
                coverage,
                stale_files,
                stages: vec![(Stage::Retrieve, began.elapsed())],
                facets: Vec::new(),
                model: None,
                preranker: None,
                reranker: None,
                judge: None,
                silent: Vec::new(),
                warnings,
            });
        }
    }
}

impl Scan<'_> {
    /// Returns the chunk of a document that defines a matched name, or has the first match; `None` if the document is gone.
    fn hit(&self, one: &Matching) -> Result<Option<(Hit, Masked)>, StoreError> {
        let TextSource::Indexed(row) = one.source else { return Ok(None) };
        let store = &self.stores[one.store];
        let read = store.index.read(|snapshot| {
            let Some((_, run)) = snapshot.document_with_run(row)? else { return Ok(None) };
            let Some(text) = snapshot.text(row)? else { return Ok(None) };
            Ok(Some((run.first, text, snapshot.chunks_of(row)?)))
        })?;
        let Some((first, text, chunks)) = read else { return Ok(None) };
        let lines = visible_lines(self.pattern, &one.document, &text);
        let matched = lines.first().and_then(|line| line.matches.first()).map_or(0, |found| found.start);
        let place = one.definitions.first().copied().unwrap_or(matched);
        let Some(ordinal) = chunk_at(&chunks, place) else { return Ok(None) };
        let chunk = recall_core::ChunkRow(first.0 + i64::from(ordinal));
        let Some(passage) = store.index.passages(&[chunk])?.all.pop().flatten() else { return Ok(None) };
        let memory = match one.document.memory {
            Some(id) => recalled_as_hit(store, id, self.engine.clock.now())?.map(Box::new),
            None => None,
        };
        let stored = &passage.stored;
        let mut hit = Hit {
            store: one.store,
            created: one.created,
            score: one.score,
            parents: passage.parents.clone(),
            memory,
            ..Hit::new(store.scope, one.document.clone(), stored.chunk.clone(), stored.text.clone())
        };
        if hit.memory.is_none() {
            let lines = hit.chunk.span.start_line..=hit.chunk.span.end_line;
            let adopted = AdoptedHits::among(self.stores);
            hit.adopted = adopted.describe(store, &hit.document.path, &lines, &hit.text).map(Box::new);
        }
        hit.show(&store.mount);
        let whole = Whole::new(&one.document.path, text);
        let masked = hit.mask(Some(&whole).filter(|whole| hit.memory.is_none() && whole.has_secrets()));
        hit.highlights = self.pattern.matches(&hit.text).collect();
        Ok(Some((hit, masked)))
    }
}
