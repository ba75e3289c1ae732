//! The assembly of a context window from what was found.
//!
//! What is found becomes a source (a document with its parts) or an entry of a list (memories, signatures, tests, commits, owners).
//! The order in which sources are added is their rank: what the request names, the entry points that the task names, then the hits.
//! Lists are made last, because they are about the files that are sources by then. Only [`finish`](Assembly::finish) knows the
//! budget.

use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::{
    Chunk, ChunkId, ChunkKind, Citation, Document, DocumentId, DocumentType, EdgeKind, MemoryId, MemoryView, Span,
    StoreScope,
};
use recall_text::DocPath;
use recall_text::tokens::count;

use crate::context::draft::{ContextSection, Part, Source};
use crate::context::neighbours::{Followed, Neighbours};
use crate::context::pack::{Candidates, RenderedSpan, pack, render};
use crate::context::parts::{self, ReportTerms};
use crate::context::request::{ContextError, ContextRequest, ContextSpan, ContextWindow, Subject, SubjectFile};
use crate::context::{copies, entry_points, history, task_names};
use crate::engine::MountedStore;
use crate::error::{GraphError, StoreError};
use crate::git::FileCommit;
use crate::graph::RelatedRequest;
use crate::inspect::{Item, ItemRequest, Parent};
use crate::known::KnownFile;
use crate::memory::recalled_as_hit;
use crate::origin::Origin;
use crate::search::Hit;
use crate::task_pool::Deferred;
use crate::{Engine, mask};
use recall_text::quote::inline;

/// The most documents related to a file of the subject.
const MOST_RELATED: u32 = 12;

/// The most files whose memories, commits and owners are listed: those of the subject, then the best found ones.
const MOST_FILES: usize = 10;

/// The parts of a document unless a request or the store says otherwise. The project's own setting bounds what a search returns.
const PARTS: usize = 3;

/// The most files that a report shows in depth, and the most passages of each beyond the ones that were found.
const MOST_DEEP: usize = 2;
const MOST_PASSAGES: usize = 12;

/// The score of what the request or the task names. Hits have less.
const SUBJECT_SCORE: f64 = 1.0;

/// A found memory belongs to a window if its confidence is at least this part of the best hit's, or if it is among the first hits. One
/// that is ten times less likely to answer shares a word with the task, and little else.
const LEAST_MEMORY_SHARE: f64 = 0.1;
const FIRST_HITS: usize = 3;

/// The memories about a found file belong to a window if the file's confidence is at least this part of the best file's.
const LEAST_FILE_SHARE: f64 = 0.5;

/// A window while it is assembled.
pub(crate) struct Assembly<'a> {
    engine: &'a Engine,
    origin: &'a Origin,
    request: &'a ContextRequest,
    candidates: Candidates,
    /// What each source was made of.
    origins: Vec<SourceOrigin>,
    /// The memories that were found.
    recalled: Vec<MemoryView>,
    warnings: Vec<crate::warning::Warning>,
}

/// The document of a source, and the chunks of its parts.
struct SourceOrigin {
    scope: StoreScope,
    store: usize,
    document: Document,
    chunks: Vec<Chunk>,
    score: f64,
}

impl<'a> Assembly<'a> {
    pub(crate) fn new(engine: &'a Engine, origin: &'a Origin, request: &'a ContextRequest) -> Self {
        Self {
            engine,
            origin,
            request,
            candidates: Candidates::default(),
            origins: Vec::new(),
            recalled: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds the files of the subject, and the documents related to those that are meant as a whole.
    pub(crate) fn add_subject(&mut self, subject: &Subject) -> Result<(), ContextError> {
        for SubjectFile { item, changed } in &subject.files {
            let parts = if changed.is_empty() { vec![parts::outline(item)] } else { parts::around(item, changed) };
            self.warnings.extend(item.warnings.iter().cloned());
            for part in parts {
                // The graph is followed from the chunk of the definition that the part is about.
                let about = parts::definition_at(&item.symbols, (part.first_line, part.last_line()));
                let ordinal = about.or(item.symbols.first()).map_or(0, |symbol| symbol.chunk);
                let chunk = Chunk { ordinal, ..whole_chunk(&part) };
                self.add(item.document.clone(), item.scope, 0, SUBJECT_SCORE, part, Some(chunk));
            }
        }
        if subject.query.is_empty() {
            for file in &subject.files {
                self.add_related(&file.item)?;
            }
        }
        Ok(())
    }

    /// Adds the documents related to a file, each with the part that the relation is about.
    fn add_related(&mut self, item: &Item) -> Result<(), ContextError> {
        let asked = RelatedRequest {
            id: item.document.id.to_string(),
            types: self.request.types(),
            limit: MOST_RELATED,
            scope: self.request.scope,
        };
        let related = match self.engine.related_documents(self.origin, &asked) {
            Ok(related) => related,
            // It was removed meanwhile.
            Err(GraphError::NotFound { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for found in related.documents {
            let id = found.document.id.to_string();
            let request = ItemRequest { id, parent: Parent::Leave, scope: self.request.scope };
            let other = match self.engine.get(self.origin, &request) {
                Ok(other) => other,
                Err(error) if error.is_missing() => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(memory) = other.memory {
                self.recalled.push(*memory);
                continue;
            }
            let lines = found.citation.as_deref().and_then(|citation| Citation::split(citation).lines);
            let part = match lines {
                Some(lines) => parts::around(&other, &[(lines.start, lines.end)]).swap_remove(0),
                None => parts::outline(&other),
            };
            self.add(other.document.clone(), other.scope, 0, found.score, part, None);
        }
        Ok(())
    }

    /// Adds the places that define the commands, options, targets and scripts that the task names.
    pub(crate) fn add_entry_points(&mut self, stores: &[MountedStore]) -> Result<(), ContextError> {
        if !self.request.wants(ContextSection::Code) {
            return Ok(());
        }
        for place in entry_points::find(stores, &task_names::read(&self.request.task))? {
            let request = ItemRequest {
                id: DocumentId::from_path(&place.path).to_string(),
                parent: Parent::Leave,
                scope: self.request.scope,
            };
            let item = match self.engine.get(self.origin, &request) {
                Ok(item) => item,
                Err(error) if error.is_missing() => continue,
                Err(error) => return Err(error.into()),
            };
            let part = parts::around(&item, &[place.lines]).swap_remove(0);
            self.add(item.document.clone(), item.scope, place.store, SUBJECT_SCORE, part, None);
        }
        Ok(())
    }

    /// Adds the hits of the search, best first. Copies of files that are there, memories that do not belong and logs of sessions
    /// whose decisions are there are left out; other logs come last.
    pub(crate) fn add_hits(&mut self, hits: Vec<Hit>, stores: &[MountedStore]) -> Result<(), StoreError> {
        let best = hits.iter().filter_map(|hit| hit.confidence).fold(0.0, f64::max);
        let (logs, hits): (Vec<Hit>, Vec<Hit>) = hits
            .into_iter()
            .partition(|hit| hit.memory.is_none() && hit.document.document_type == DocumentType::Session);
        for (rank, mut hit) in hits.into_iter().enumerate() {
            if let Some(memory) = hit.memory.take() {
                let belongs = hit.confidence.is_none_or(|confidence| confidence >= best * LEAST_MEMORY_SHARE);
                if belongs || rank < FIRST_HITS {
                    self.recalled.push(*memory);
                }
                continue;
            }
            if !Self::is_copy(&hit, stores)? {
                self.add_hit(hit);
            }
        }
        for log in logs {
            if !self.recall_mentioned(&log, stores)? {
                self.add_hit(log);
            }
        }
        Ok(())
    }

    fn add_hit(&mut self, hit: Hit) {
        let part = parts::from_hit(&hit);
        let score = hit.confidence.unwrap_or(hit.score);
        self.add(hit.document, hit.scope, hit.store, score, part, Some(hit.chunk));
    }

    /// Adds the passages of the first files of code that a report is about, in addition to the ones that were found. These files are
    /// shown in depth.
    pub(crate) fn add_passages(&mut self, report: &ReportTerms, stores: &[MountedStore]) -> Result<(), ContextError> {
        let is_code = |origin: &SourceOrigin| origin.document.document_type == DocumentType::Code;
        let places = (0..self.origins.len()).filter(|&at| is_code(&self.origins[at]));
        for at in places.take(MOST_DEEP).collect::<Vec<_>>() {
            self.candidates.sources[at].is_deep = true;
            let SourceOrigin { scope, store, document, chunks, .. } = &self.origins[at];
            let Some(store) = stores.get(*store) else { continue };
            let Some(path) = store.mount.inner_path(&document.path) else { continue };
            let known = store.index.known_documents();
            let Some(row) = known.files.get(path.as_str()).and_then(KnownFile::document) else { continue };
            let all = store.index.read(|snapshot| snapshot.chunks_of(row))?;
            let id = document.id.to_string();
            let request = ItemRequest { id, parent: Parent::Leave, scope: self.request.scope };
            let item = match self.engine.get(self.origin, &request) {
                Ok(item) if item.scope == *scope => item,
                Ok(_) => continue,
                Err(error) if error.is_missing() => continue,
                Err(error) => return Err(error.into()),
            };
            let shown: Vec<u32> = chunks.iter().map(|chunk| chunk.ordinal).collect();
            let found: Vec<(Chunk, Part)> = all
                .into_iter()
                .filter(|chunk| !shown.contains(&chunk.ordinal))
                .filter_map(|chunk| {
                    let part = parts::passage(&item, (chunk.span.start_line, chunk.span.end_line))?;
                    Some((chunk, part))
                })
                .collect();
            let texts: Vec<String> = found.iter().map(|(_, part)| part.lines.join("\n")).collect();
            let symbols: Vec<&str> =
                found.iter().map(|(chunk, _)| chunk.symbol.as_deref().unwrap_or_default()).collect();
            let passages: Vec<(&str, &str)> = symbols.iter().copied().zip(texts.iter().map(String::as_str)).collect();
            for place in report.rank(&passages).into_iter().take(MOST_PASSAGES) {
                let (chunk, part) = found[place].clone();
                self.candidates.sources[at].parts.push(part);
                self.origins[at].chunks.push(chunk);
            }
        }
        Ok(())
    }

    /// Returns whether a hit is in a copy of another file.
    fn is_copy(hit: &Hit, stores: &[MountedStore]) -> Result<bool, StoreError> {
        let Some(store) = stores.get(hit.store) else { return Ok(false) };
        let Some(path) = store.mount.inner_path(&hit.document.path) else { return Ok(false) };
        let snapshot = store.index.snapshot()?;
        let stated = store.index.stated_links(&snapshot)?;
        let row = stated.paths.at(path.as_str()).map(|document| stated.paths.place(document).row);
        Ok(row.is_some_and(|row| store.index.structure().is_copy(row))
            || copies::is_copy(&stated.paths, &path, hit.document.file_kind, &hit.text))
    }

    /// Adds the memories that a log of a session mentions by their ids, and returns whether there is any.
    fn recall_mentioned(&mut self, log: &Hit, stores: &[MountedStore]) -> Result<bool, StoreError> {
        let now = self.engine.clock.now();
        let words = log.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let ids: BTreeSet<MemoryId> = words.filter_map(|word| word.parse().ok()).collect();
        let mut is_any = false;
        for id in ids {
            if self.recalled.iter().any(|known| known.memory.id == id) {
                is_any = true;
                continue;
            }
            for store in stores {
                let Some(mut memory) = recalled_as_hit(store, id, now)? else { continue };
                store.mount.show_memory(&mut memory);
                self.recalled.push(memory);
                is_any = true;
            }
        }
        Ok(is_any)
    }

    /// Adds a part to the source of its document.
    fn add(
        &mut self,
        document: Document,
        scope: StoreScope,
        store: usize,
        rank_score: f64,
        part: Part,
        chunk: Option<Chunk>,
    ) {
        let chunk = chunk.unwrap_or_else(|| whole_chunk(&part));
        let known = |known: &SourceOrigin| known.document.id == document.id && known.scope == scope;
        if let Some(at) = self.origins.iter().position(known) {
            self.candidates.sources[at].parts.push(part);
            self.origins[at].chunks.push(chunk);
            return;
        }
        self.candidates.sources.push(Source {
            section: section_of(document.document_type),
            label: inline(document.path.as_str()),
            language: document.language.as_ref().map(|language| language.as_str().to_owned()).unwrap_or_default(),
            state: String::new(),
            is_deep: false,
            parts: vec![part],
        });
        self.origins.push(SourceOrigin { scope, store, document, chunks: vec![chunk], score: rank_score });
    }

    /// Adds the lists that the request wants.
    pub(crate) fn add_lists(
        &mut self,
        stores: &[MountedStore],
        history: Option<Deferred<Arc<[FileCommit]>>>,
    ) -> Result<(), StoreError> {
        let files = self.files();
        let about: BTreeSet<DocPath> = files.iter().cloned().collect();
        let now = self.engine.clock.now();
        let request = self.request;
        let mut lists = Vec::new();
        if request.wants(ContextSection::Decisions) {
            lists.push((
                ContextSection::Decisions,
                history::list_memories(stores, std::mem::take(&mut self.recalled), &self.best_files(), now)?,
            ));
        }
        if request.wants(ContextSection::Signatures) || request.wants(ContextSection::Tests) {
            let (mut signatures, mut tests) = (Vec::new(), Vec::new());
            for (place, store) in stores.iter().enumerate() {
                let neighbours = Neighbours::read(store, &self.followed_documents(place))?;
                signatures.extend(neighbours.signatures);
                tests.extend(neighbours.tests);
            }
            lists.push((ContextSection::Signatures, signatures));
            lists.push((ContextSection::Tests, tests));
        }
        if let Some(history) = history {
            lists.push((ContextSection::Changes, history::commits(&history.join(), &about)));
        }
        if request.wants(ContextSection::Owners)
            && let Ok(root) = self.origin.root(&self.engine.registry.places)
        {
            lists.push((ContextSection::Owners, history::owners(&root, &files)));
        }
        lists.retain(|(section, _)| request.wants(*section));
        let priority = |section: &ContextSection| request.sections().iter().position(|wanted| wanted == section);
        lists.sort_by_key(|(section, _)| priority(section));
        self.candidates.lists = lists;
        self.mark_superseded(stores)?;
        Ok(())
    }

    /// Returns the files that the window is mostly about.
    fn files(&self) -> Vec<DocPath> {
        let documents = self.origins.iter().map(|origin| &origin.document);
        let code = documents.filter(|document| document.document_type == DocumentType::Code);
        code.take(MOST_FILES).map(|document| document.path.clone()).collect()
    }

    /// Returns the files that the request names, the first found one, and those that are nearly as good.
    fn best_files(&self) -> BTreeSet<DocPath> {
        let code = || self.origins.iter().filter(|origin| origin.document.document_type == DocumentType::Code);
        let found = || code().filter(|origin| origin.score < SUBJECT_SCORE);
        let least = found().map(|origin| origin.score).fold(0.0, f64::max) * LEAST_FILE_SHARE;
        let named = code().filter(|origin| origin.score >= SUBJECT_SCORE);
        let good = found().enumerate().filter(|(rank, origin)| *rank == 0 || origin.score >= least);
        let files = named.chain(good.map(|(_, origin)| origin)).take(MOST_FILES);
        files.map(|origin| origin.document.path.clone()).collect()
    }

    /// Returns the chunks of a store that the window may show, the best first.
    fn followed_documents(&self, store: usize) -> Vec<Followed> {
        let of_store = self.origins.iter().filter(|origin| origin.store == store);
        let chunks = of_store.flat_map(|origin| {
            origin.chunks.iter().map(|chunk| Followed {
                chunk: ChunkId { document: origin.document.id, ordinal: chunk.ordinal },
                path: origin.document.path.clone(),
                lines: (chunk.span.start_line, chunk.span.end_line),
            })
        });
        chunks.collect()
    }

    /// Marks the decision records that another document supersedes.
    fn mark_superseded(&mut self, stores: &[MountedStore]) -> Result<(), StoreError> {
        for (source, origin) in self.candidates.sources.iter_mut().zip(&self.origins) {
            let Some(store) = stores.get(origin.store).filter(|_| source.section == ContextSection::Adrs) else {
                continue;
            };
            let snapshot = store.index.snapshot()?;
            let stated = store.index.stated_links(&snapshot)?;
            let Some(path) = store.mount.inner_path(&origin.document.path) else { continue };
            let Some(document) = stated.paths.at(path.as_str()) else { continue };
            let successor = stated.to(document).find(|edge| edge.kind == EdgeKind::Supersedes).map(|edge| edge.from);
            if let Some(successor) = successor {
                let path = mask::shown_path(inline(&store.mount.outer(stated.paths.place(successor).path.as_str())));
                source.state = format!(" (superseded by {path})");
            }
        }
        Ok(())
    }

    /// Selects what fits the budget, and writes the window.
    pub(crate) fn finish(mut self, query: String) -> ContextWindow {
        let request = self.request;
        let keep: Vec<bool> = self.candidates.sources.iter().map(|source| request.wants(source.section)).collect();
        let mut kept = keep.iter();
        self.candidates.sources.retain(|_| *kept.next().expect("one for each source"));
        let mut kept = keep.iter();
        self.origins.retain(|_| *kept.next().expect("one for each source"));
        let most_parts = request.diversity.map_or(PARTS, |most| most as usize);
        let selection = pack(&self.candidates, request.budget_tokens, most_parts);
        let (text, spans) = render(&self.candidates, &selection, request.sections());
        let used_tokens = count(&text);
        debug_assert!(used_tokens <= request.budget_tokens, "the tokens of lines add up");
        let spans = spans.into_iter().map(|span| self.span(span)).collect();
        ContextWindow { text, used_tokens, spans, query, search: None, coverage: Vec::new(), warnings: self.warnings }
    }

    fn span(&self, rendered: RenderedSpan) -> ContextSpan {
        let RenderedSpan { source, lines: (start_line, end_line), text, tokens, is_cut } = rendered;
        let section = self.candidates.sources[source].section;
        let SourceOrigin { scope, store, document, chunks, score } = &self.origins[source];
        let overlaps = |chunk: &&Chunk| chunk.span.start_line <= end_line && start_line <= chunk.span.end_line;
        let mut chunk = chunks.iter().find(overlaps).unwrap_or(&chunks[0]).clone();
        (chunk.span.start_line, chunk.span.end_line) = (start_line, end_line);
        chunk.tokens = tokens;
        let mut citation = format!("{}:{start_line}-{end_line}@{}", document.path, document.hash.short());
        mask::path_text(&mut citation);
        ContextSpan {
            section,
            scope: *scope,
            store: *store,
            document: document.clone(),
            chunk,
            text,
            citation,
            score: *score,
            tokens,
            is_cut,
        }
    }
}

fn section_of(kind: DocumentType) -> ContextSection {
    match kind {
        DocumentType::Code => ContextSection::Code,
        DocumentType::Adr => ContextSection::Adrs,
        _ => ContextSection::Documentation,
    }
}

/// Returns a chunk that stands for lines of a file that were not found by a search.
fn whole_chunk(part: &Part) -> Chunk {
    let bytes = recall_core::ByteSpan { start: 0, end: 0 };
    Chunk {
        ordinal: 0,
        kind: ChunkKind::Part,
        span: Span { bytes, start_line: part.first_line, end_line: part.last_line() },
        symbol: None,
        signature: None,
        doc_comment: None,
        tokens: 0,
    }
}
