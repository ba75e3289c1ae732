//! Reading of the rows that pass a filter.
//!
//! Conditions are evaluated from the cheapest on: those on the scope once for a store, those that SQLite knows in the catalog, then
//! those on documents and memories, on chunks, and at last on texts, without those whose signatures lack a literal. Paths and texts are compared as the client sees them, with the
//! mount and with secrets masked: a filter must not reveal what an answer hides.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::rql::{Check, Condition, Field, Filter, Object, Row, Value};
use recall_core::{Case, Document, DocumentRow, RowSet, StoreScope, Timestamp};
use recall_index::catalog::{ChunkRun, ReadError, Snapshot, StoredDocument};
use recall_index::lexical::exact::Pattern;

use super::narrow::{ConditionPlan, Narrowed, Sees, may_have_secrets};
use super::row::MatchRow;
use crate::error::StoreError;
use crate::mask::{self, Whole};
use crate::memory::recalled_as_hit;
use crate::mount::Mount;
use crate::store::Store;

/// A filter, prepared for reading rows of a store.
pub(crate) struct Matching<'f> {
    from: Object,
    /// Where the root of the store lies in the client's project.
    mount: &'f Mount,
    narrowed: Narrowed,
    /// The conditions on the scope only, which are the same for all rows of a store.
    of_scope: Vec<&'f Condition>,
    /// The other conditions on documents and memories.
    of_documents: Vec<&'f Condition>,
    /// The conditions that depend on chunks, but not on their texts, without those that the catalog evaluates alone.
    of_chunks: Vec<&'f Condition>,
    of_texts: Vec<&'f Condition>,
    reads_memories: bool,
    /// The fields that conditions depend on and that may contain secrets.
    masked: Vec<Field>,
}

/// What was read to find rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Documents whose metadata were read.
    pub documents: u64,
    /// Chunks whose metadata were read.
    pub chunks: u64,
    /// Chunks with their texts.
    pub texts: u64,
}

/// How a store was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePlan {
    /// Which of the searched stores it is.
    pub scope: StoreScope,
    /// How the catalog finds rows, in the words of SQLite.
    pub search: Vec<String>,
    /// How much was read, which is what a filter costs.
    pub read: ReadCounts,
}

impl<'f> Matching<'f> {
    pub(crate) fn new(from: Object, filter: Option<&'f Filter>, mount: &'f Mount) -> Self {
        let sees = if mount.is_plain() { Sees::Stored } else { Sees::Mounted };
        let narrowed = Narrowed::new(from, filter, sees);
        let parts = || filter.iter().flat_map(|filter| filter.parts()).map(|(condition, _)| condition);
        let is_scope = |field| field == Field::DocScope || (field == Field::MemoryScope && from == Object::Memory);
        let of_scope = |condition: &&Condition| !condition.depends_on(&|field| !is_scope(field));
        let has_chunk = |condition: &&Condition| condition.depends_on(&|field| field.object() == Object::Chunk);
        let has_text = |condition: &&Condition| condition.depends_on(&|field| field == Field::ChunkText);
        let of_memories = |field: Field| field.object() == Object::Memory || field == Field::DocStaleness;
        // Documents that are found by their chunks have not passed the catalog's conditions on documents.
        let by_chunks = narrowed.chunks_select();
        let is_left = |part: &&Condition| !narrowed.settles(part) || (by_chunks && !has_chunk(part));
        let left = || parts().filter(is_left);
        let of_documents: Vec<_> = left().filter(|part| !has_chunk(part) && !of_scope(part)).collect();
        let is_masked =
            |field: Field| may_have_secrets(field) && left().any(|part| part.depends_on(&|one| one == field));
        Self {
            from,
            mount,
            of_scope: parts().filter(of_scope).collect(),
            of_documents,
            of_chunks: left().filter(|part| has_chunk(part) && !has_text(part)).collect(),
            masked: Field::ALL.iter().copied().filter(|field| is_masked(*field)).collect(),
            of_texts: parts().filter(has_text).collect(),
            reads_memories: from == Object::Memory || parts().any(|part| part.depends_on(&of_memories)),
            narrowed,
        }
    }

    /// Returns the conditions of the filter and where each is evaluated.
    pub(crate) fn plan(&self) -> &[ConditionPlan] {
        &self.narrowed.plan
    }

    /// Returns how the catalog of a store finds rows.
    pub(crate) fn search_plan(&self, snapshot: &Snapshot<'_>) -> Result<Vec<String>, ReadError> {
        match &self.narrowed.chunks {
            Some(condition) if self.narrowed.chunks_select() => snapshot.chunk_plan(condition),
            _ => snapshot.document_plan(self.narrowed.documents.as_ref()),
        }
    }

    /// Returns the chunks of the rows of a store that pass.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) fn chunk_rows(&self, store: &Arc<Store>, now: Timestamp) -> Result<(RowSet, ReadCounts), StoreError> {
        let snapshot = store.index.snapshot()?;
        let mut rows = Vec::new();
        let read = self.each(store, &snapshot, now, |row| {
            match &row.chunk {
                Some((at, _)) => rows.push(*at),
                None => rows.extend(row.run.rows()),
            }
            ControlFlow::Continue(())
        })?;
        Ok((RowSet::from_rows(rows), read))
    }

    /// Calls `visit` with each row of a store that passes, in the order of paths and chunks, until it returns `Break`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) fn each(
        &self,
        store: &Arc<Store>,
        snapshot: &Snapshot<'_>,
        now: Timestamp,
        mut visit: impl FnMut(&MatchRow) -> ControlFlow<()>,
    ) -> Result<ReadCounts, StoreError> {
        if !self.of_scope.iter().all(|condition| condition.holds(&ScopeRow(store.scope))) {
            return Ok(ReadCounts::default());
        }
        let (began, limit) = (Instant::now(), store.settings().limits.filter_time);
        let mut reading = RowReading {
            matching: self,
            may_pass: documents_that_may_pass(&self.of_texts, store, snapshot)?,
            store,
            snapshot,
            now,
            read: ReadCounts::default(),
            began,
            limit,
            failed: None,
        };
        let outcome = reading.documents(&mut visit);
        let RowReading { read, failed, .. } = reading;
        match (outcome, failed) {
            (_, Some(error)) => Err(error),
            (Err(error), None) => Err(store.index.read_error(error)),
            (Ok(()), None) => Ok(read),
        }
    }
}

/// Masks the secrets in some fields of a document, as answers show it.
fn mask_fields(document: &mut Document, fields: &[Field]) {
    for field in fields {
        match field {
            Field::DocPath => {
                mask::path(&mut document.path);
            }
            Field::DocTitle => {
                mask::text(&mut document.title).or(mask::path_text(&mut document.title));
            }
            Field::DocTag => document.tags.iter_mut().for_each(|tag| {
                mask::text(tag);
            }),
            Field::DocSource => {
                mask::some_text(&mut document.source);
            }
            _ => {}
        }
    }
}

/// Any row of a store, for conditions on the scope only.
struct ScopeRow(StoreScope);

impl Row for ScopeRow {
    fn value(&self, _: Field) -> Value<'_> {
        Value::from_text(Some(self.0.as_str()))
    }
}

/// One pass over a store.
struct RowReading<'a> {
    matching: &'a Matching<'a>,
    /// The documents whose texts may pass, ascending; `None` if any may.
    may_pass: Option<Vec<DocumentRow>>,
    store: &'a Arc<Store>,
    snapshot: &'a Snapshot<'a>,
    now: Timestamp,
    read: ReadCounts,
    began: Instant,
    /// The longest that the pass may take.
    limit: Duration,
    /// The error of reading a memory, or that the time is over.
    failed: Option<StoreError>,
}

type Visit<'v> = dyn FnMut(&MatchRow) -> ControlFlow<()> + 'v;

impl RowReading<'_> {
    fn documents(&mut self, visit: &mut Visit<'_>) -> Result<(), ReadError> {
        let (snapshot, narrowed) = (self.snapshot, &self.matching.narrowed);
        if let Some(condition) = narrowed.chunks.as_ref().filter(|_| narrowed.chunks_select()) {
            let found = snapshot.chunk_rows_where(condition)?;
            self.read.chunks += found.len() as u64;
            let rows: BTreeSet<_> = found.into_iter().map(|(document, _)| document).collect();
            let documents = rows.into_iter().filter_map(|row| snapshot.document_with_run(row).transpose());
            let mut documents = documents.collect::<Result<Vec<_>, _>>()?;
            documents.sort_by(|(a, _), (b, _)| a.document.path.cmp(&b.document.path));
            for (stored, run) in documents {
                if self.document(stored, run, visit)?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        snapshot.each_document(narrowed.documents.as_ref(), |stored, run| self.document(stored, run, visit))
    }

    /// Visits the rows of a document.
    fn document(
        &mut self,
        stored: StoredDocument,
        run: ChunkRun,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, ReadError> {
        let Matching { from, of_documents, of_chunks, of_texts, .. } = self.matching;
        let limit = self.limit;
        if self.began.elapsed() > limit {
            let (root, documents) = (self.store.root.clone(), self.read.documents);
            self.failed = Some(StoreError::FilterTime { root, documents, limit });
            return Ok(ControlFlow::Break(()));
        }
        self.read.documents += 1;
        if self.may_pass.as_ref().is_some_and(|rows| rows.binary_search(&stored.row).is_err()) {
            return Ok(ControlFlow::Continue(()));
        }
        let (mut stored, scope) = (stored, self.store.scope);
        self.matching.mount.show(&mut stored.document);
        let path = stored.document.path.clone();
        let mut row = MatchRow { scope, path, stored, run, memory: None, chunk: None, text: None };
        mask_fields(&mut row.stored.document, &self.matching.masked);
        if let Some(id) = row.stored.document.memory.filter(|_| self.matching.reads_memories) {
            match recalled_as_hit(self.store, id, self.now) {
                Ok(view) => row.memory = view.map(Box::new),
                Err(error) => {
                    self.failed = Some(error);
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        let is_meant = *from != Object::Memory || row.memory.is_some();
        if !is_meant || !of_documents.iter().all(|condition| condition.holds(&row)) {
            return Ok(ControlFlow::Continue(()));
        }
        if *from != Object::Chunk {
            return Ok(visit(&row));
        }
        let mut whole = None;
        for (at, mut chunk) in self.snapshot.chunks_in(run, self.matching.narrowed.chunks.as_ref())? {
            self.read.chunks += 1;
            if self.matching.masked.contains(&Field::ChunkSymbol) {
                mask::some_text(&mut chunk.symbol);
            }
            let at_bytes = chunk.span.bytes.start as usize..chunk.span.bytes.end as usize;
            (row.chunk, row.text) = (Some((at, chunk)), None);
            if !of_chunks.iter().all(|condition| condition.holds(&row)) {
                continue;
            }
            if !of_texts.is_empty() {
                let whole = match &mut whole {
                    Some(whole) => whole,
                    none => none.insert(Whole::new(&row.path, self.snapshot.text(row.stored.row)?.unwrap_or_default())),
                };
                row.text = Some(whole.mask_range(at_bytes));
                self.read.texts += 1;
                if !of_texts.iter().all(|condition| condition.holds(&row)) {
                    continue;
                }
            }
            if visit(&row).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The most literals that are compared with signatures. More exclude hardly more.
const MOST_LITERALS: usize = 8;

/// Returns the documents whose texts may pass the conditions, ascending; `None` if no condition excludes any by a literal.
///
/// Conditions see masked texts and signatures the texts as they are. A literal that a mask may have made is not compared.
pub(super) fn documents_that_may_pass(
    conditions: &[&Condition],
    store: &Store,
    snapshot: &Snapshot<'_>,
) -> Result<Option<Vec<DocumentRow>>, StoreError> {
    let mut literals: Vec<String> = conditions.iter().flat_map(|condition| literals(condition)).collect();
    literals.retain(|literal| !mask::may_be_of_mask(literal));
    literals.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
    literals.truncate(MOST_LITERALS);
    let mut documents: Option<Vec<DocumentRow>> = None;
    for literal in literals {
        // A literal that is too large for a pattern excludes nothing.
        let Ok(pattern) = Pattern::literal(&literal, Case::Sensitive) else { continue };
        if pattern.is_selective() {
            let rows = store.index.may_match(snapshot, &pattern)?;
            documents = Some(match documents {
                Some(known) => known.into_iter().filter(|row| rows.binary_search(row).is_ok()).collect(),
                None => rows,
            });
        }
    }
    Ok(documents)
}

/// Returns literals that the text of each chunk holds that satisfies a condition.
fn literals(condition: &Condition) -> Vec<String> {
    match condition {
        Condition::All(parts) => parts.iter().flat_map(literals).collect(),
        Condition::Is(Field::ChunkText, Check::Matches(pattern)) => pattern.literals().collect(),
        Condition::Is(Field::ChunkText, Check::Among(texts)) if texts.len() == 1 => texts.iter().cloned().collect(),
        Condition::Any(_) | Condition::Not(_) | Condition::Is(..) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use recall_core::rql::Filter;

    use super::*;

    #[test]
    fn only_what_every_match_holds_is_a_literal() {
        for (filter, expected) in [
            ("chunk.text LIKE '%open%'", &["open"][..]),
            ("chunk.text LIKE 'fn _pen(%) {%'", &["fn ", "pen(", ") {"]),
            ("chunk.text = 'whole'", &["whole"]),
            ("chunk.text LIKE '%a%' AND doc.path = 'b'", &["a"]),
            ("chunk.text LIKE '%a%' OR chunk.text LIKE '%b%'", &[]),
            ("NOT chunk.text LIKE '%a%'", &[]),
            ("chunk.text IN ('a', 'b')", &[]),
            ("doc.path LIKE '%a%'", &[]),
        ] {
            let parsed = Filter::parse(filter).expect("valid");
            let found: Vec<String> = parsed.parts().flat_map(|(condition, _)| literals(condition)).collect();
            assert_eq!(found, expected, "{filter}");
        }
    }
}
