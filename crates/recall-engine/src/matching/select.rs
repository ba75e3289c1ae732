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
use recall_core::{Document, DocumentRow, RowSet, StoreScope, Timestamp};
use recall_index::catalog::{ChunkRun, ReadError, Snapshot, StoredDocument};
use recall_index::lexical::exact::Pattern;

use super::narrow::{ConditionPlan, Narrowed, Sees, may_have_secrets};
use super::row::MatchRow;
use crate::error::StoreError;
use crate::mask::{self, SHORTEST_MASK, Whole};
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
            Some(_) if self.narrowed.chunks_select() => snapshot.chunk_plan(),
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
        let needs = TextNeeds::derive(&self.of_texts);
        let mut reading = RowReading {
            matching: self,
            may_pass: needs.as_ref().map(|needs| needs.rows(store, snapshot)).transpose()?.flatten(),
            needs,
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
    /// What the text of each document that passes contains; `None` if that is anything.
    needs: Option<TextNeeds>,
    /// The documents whose texts may contain it, ascending; `None` if any may.
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
        if let Some(needs) = &self.needs {
            // Before its chunks are read and masked, which costs more than all else.
            let text = self.snapshot.text(row.stored.row)?.unwrap_or_default();
            if !needs.are_met_by(&text) {
                return Ok(ControlFlow::Continue(()));
            }
            whole = Some(Whole::new(&row.path, text));
        }
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

/// The most patterns that are looked for in texts before these are masked. More exclude hardly more.
const MOST_PATTERNS: usize = 8;

/// What a text must contain so that one of its chunks can satisfy a condition.
///
/// Conditions see masked texts; this is about texts as they are. What a mask may have made is not among it.
#[derive(Debug)]
pub(super) enum TextNeeds {
    Pattern(Box<Pattern>),
    All(Vec<TextNeeds>),
    Any(Vec<TextNeeds>),
}

impl TextNeeds {
    /// Returns what a text must contain for all conditions; `None` if any text may satisfy them.
    pub(super) fn derive(conditions: &[&Condition]) -> Option<Self> {
        let mut room = MOST_PATTERNS;
        Self::all(conditions.iter().filter_map(|condition| Self::derive_one(condition, &mut room)).collect())
    }

    /// Returns the same of one condition, with at most as many patterns as there is room for.
    fn derive_one(condition: &Condition, room: &mut usize) -> Option<Self> {
        match condition {
            Condition::All(parts) => Self::all(parts.iter().filter_map(|part| Self::derive_one(part, room)).collect()),
            Condition::Any(parts) => {
                parts.iter().map(|part| Self::derive_one(part, room)).collect::<Option<_>>().map(Self::Any)
            }
            Condition::Is(Field::ChunkText, Check::Matches(pattern)) => {
                Self::all(pattern.runs().flat_map(split_at_masks).filter_map(|run| Self::compile(&run, room)).collect())
            }
            Condition::Is(Field::ChunkText, Check::Among(texts)) => {
                texts.iter().map(|text| Self::derive_from_text(text, room)).collect::<Option<_>>().map(Self::Any)
            }
            Condition::Not(_) | Condition::Is(..) => None,
        }
    }

    fn all(parts: Vec<Self>) -> Option<Self> {
        (!parts.is_empty()).then_some(Self::All(parts))
    }

    fn derive_from_text(text: &str, room: &mut usize) -> Option<Self> {
        let runs = split_at_masks(text.chars().map(Some).collect());
        Self::all(runs.into_iter().filter_map(|run| Self::compile(&run, room)).collect())
    }

    fn compile(run: &[Option<char>], room: &mut usize) -> Option<Self> {
        *room = room.checked_sub(1)?;
        // A run that is too large for a pattern excludes nothing.
        Pattern::run(run).ok().map(|pattern| Self::Pattern(Box::new(pattern)))
    }

    /// Returns the documents whose texts may contain it by their signatures, ascending; `None` if signatures exclude none.
    pub(super) fn rows(&self, store: &Store, snapshot: &Snapshot<'_>) -> Result<Option<Vec<DocumentRow>>, StoreError> {
        match self {
            Self::Pattern(pattern) if pattern.is_selective() => store.index.may_match(snapshot, pattern).map(Some),
            Self::Pattern(_) => Ok(None),
            Self::All(parts) => {
                let mut common: Option<Vec<DocumentRow>> = None;
                for part in parts {
                    let Some(rows) = part.rows(store, snapshot)? else { continue };
                    common = Some(match common {
                        Some(known) => known.into_iter().filter(|row| rows.binary_search(row).is_ok()).collect(),
                        None => rows,
                    });
                }
                Ok(common)
            }
            Self::Any(parts) => {
                let mut either = BTreeSet::new();
                for part in parts {
                    let Some(rows) = part.rows(store, snapshot)? else { return Ok(None) };
                    either.extend(rows);
                }
                Ok(Some(either.into_iter().collect()))
            }
        }
    }

    /// Returns whether a text contains it.
    fn are_met_by(&self, text: &str) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.matches(text).next().is_some(),
            Self::All(parts) => parts.iter().all(|part| part.are_met_by(text)),
            Self::Any(parts) => parts.iter().any(|part| part.are_met_by(text)),
        }
    }
}

/// Splits a run into those that a text contains as they are if its masked form contains the run: none can touch a mask.
fn split_at_masks(run: Vec<Option<char>>) -> Vec<Vec<Option<char>>> {
    let mut runs: Vec<Vec<Option<char>>> = Vec::new();
    let mut gap = SHORTEST_MASK;
    for one in run {
        match (one, runs.last_mut()) {
            (None, _) => gap += 1,
            (Some(one), Some(last)) if gap < SHORTEST_MASK => {
                last.extend(std::iter::repeat_n(None, gap));
                last.push(Some(one));
                gap = 0;
            }
            (Some(one), _) => {
                runs.push(vec![Some(one)]);
                gap = 0;
            }
        }
    }
    runs.into_iter().flat_map(keep_unmasked).collect()
}

/// Returns a run, or its literals that cannot touch a mask if the run may.
fn keep_unmasked(run: Vec<Option<char>>) -> Vec<Vec<Option<char>>> {
    if !mask::may_be_of_mask(&run) {
        return vec![run];
    }
    let literals = run.split(Option::is_none).map(<[_]>::to_vec);
    literals.filter(|literal| !literal.is_empty() && !mask::may_be_of_mask(literal)).collect()
}

#[cfg(test)]
mod tests {
    use recall_core::rql::Filter;

    use super::*;

    fn needs(filter: &str) -> Option<TextNeeds> {
        let parsed = Filter::parse(filter).expect("valid");
        let conditions: Vec<&Condition> = parsed.parts().map(|(condition, _)| condition).collect();
        TextNeeds::derive(&conditions)
    }

    #[test]
    fn only_texts_with_what_every_match_contains_are_read() {
        for (filter, text, expected) in [
            ("chunk.text LIKE '%reopened%'", "it was reopened", true),
            ("chunk.text LIKE '%reopened%'", "closed", false),
            ("chunk.text LIKE '%find_user_by_id%'", "find_user_by_id(7)", true),
            ("chunk.text LIKE '%find_user_by_id%'", "find a user by name and id", false),
            ("chunk.text LIKE '%find_user%'", "find\nuser", true),
            ("chunk.text LIKE '%gryphon___________quartz%'", "gryphon = x; quartz", true),
            ("chunk.text LIKE '%gryphon___quartz%'", "gryphon = x; quartz", false),
            ("chunk.text LIKE 'fn _pen(%) {%'", "{ (fn open() {", true),
            ("chunk.text LIKE 'fn _pen(%) {%'", "fn pen() {", false),
            ("chunk.text LIKE '%a.b%'", "axb", false),
            ("chunk.text = 'whole'", "the whole text", true),
            ("chunk.text = 'whole'", "a part", false),
            ("chunk.text IN ('gryphon', 'quartz')", "quartz", true),
            ("chunk.text IN ('gryphon', 'quartz')", "granite", false),
            ("chunk.text LIKE '%gryphon%' AND doc.path = 'b'", "quartz", false),
            ("chunk.text LIKE '%gryphon%' OR chunk.text LIKE '%quartz%'", "quartz", true),
            ("chunk.text LIKE '%gryphon%' OR chunk.text LIKE '%quartz%'", "granite", false),
        ] {
            let needs = needs(filter).unwrap_or_else(|| panic!("{filter}"));
            assert_eq!(needs.are_met_by(text), expected, "{filter}: {text}");
        }
    }

    #[test]
    fn what_any_text_may_satisfy_leaves_out_none() {
        for filter in [
            "NOT chunk.text LIKE '%a%'",
            "chunk.text LIKE '%gryphon%' OR doc.path = 'b'",
            "chunk.text LIKE '%[secret: %'",
            "chunk.text LIKE '%secret%'",
            "chunk.text LIKE '%_%'",
            "doc.path LIKE '%a%'",
        ] {
            assert!(needs(filter).is_none(), "{filter}");
        }
        // Beside a mask, `_` may stand for one of its characters.
        let masked = needs("chunk.text LIKE '%key = _secret%'").expect("the first part is not of a mask");
        assert!(masked.are_met_by("key = hunter2"));
    }
}
