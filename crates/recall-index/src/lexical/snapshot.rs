//! Committed states, opened for searching.
//!
//! A snapshot never changes: a search keeps the one that it began with, and a commit is opened as another one. Segments that stay are
//! shared between snapshots.
//!
//! Equal stores give equal scores, whatever was merged when. So removed entries are subtracted from the counts of terms, which
//! Tantivy's own counts include until a merge, and segments have an order that does not depend on commits.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use recall_core::{Candidate, ChunkRow, DocumentRow, Generation, last_at_most};
use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::TermInfo;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Index, InvertedIndexReader, SegmentMeta, SegmentReader, TERMINATED, TantivyError};

use crate::lexical::chunk_document::unpack;
use crate::lexical::entries::{Entries, FilterCache};
use crate::lexical::fields::{CHUNK_COLUMN, DOCUMENT_COLUMN, Fields, TRAITS_COLUMN};
use crate::lexical::format::FileStamps;

/// One committed state: its open segments, and the statistics for scoring.
pub(crate) struct LexicalSnapshot {
    pub(crate) generation: Generation,
    /// The content of `meta.json` when the state was read. Other bytes mean another state.
    pub(crate) meta: Vec<u8>,
    /// The fingerprint of `meta.json`.
    pub(crate) list: FileStamps,
    /// The fingerprint of the segment files.
    pub(crate) files: FileStamps,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) fields: Fields,
    /// The number of chunks that are not removed.
    pub(crate) chunks: u64,
    /// The number of documents that are not removed.
    pub(crate) documents: u64,
    /// The mean length of each scored field over the chunks that are not removed, in tokens. Never 0.
    mean_lengths: Vec<(Field, f32)>,
    /// The cached results of filters.
    pub(crate) filter_cache: FilterCache,
}

/// A committed state, as read from its list of segments.
pub(crate) struct CommittedState {
    /// The content of the list.
    pub(crate) meta: Vec<u8>,
    /// The fingerprint of the list.
    pub(crate) list: FileStamps,
    /// The fingerprint of the segment files.
    pub(crate) files: FileStamps,
    pub(crate) generation: Generation,
}

/// An immutable part of the index, shared by the snapshots that contain it.
pub(crate) struct Segment {
    pub(crate) reader: SegmentReader,
    inverted: Vec<Arc<InvertedIndexReader>>,
    lengths: Vec<Option<FieldNormReader>>,
    chunk: Arc<dyn ColumnValues<u64>>,
    document: Arc<dyn ColumnValues<u64>>,
    traits: Arc<dyn ColumnValues<u64>>,
    /// The first entry of each document, ascending. The entries of a document are adjacent, because it is added in one
    /// batch.
    first_entries: Vec<DocId>,
    /// The first chunk row of each document and its entry, ascending by row.
    by_row: Vec<(ChunkRow, DocId)>,
    /// The removed entries, ascending.
    removed: Vec<DocId>,
    /// The number of tokens of each scored field in the entries that are not removed.
    tokens: Vec<(Field, u64)>,
    /// The number of documents that are not removed.
    documents: u64,
    /// The paths of the documents with their postings, ascending. Read at first use.
    paths: OnceLock<Vec<(Box<str>, TermInfo)>>,
}

/// The position of a chunk in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) segment: usize,
    pub(crate) entry: DocId,
}

impl LexicalSnapshot {
    /// Opens the segments of a state. Segments that the previous state has unchanged are reused: opening one reads its
    /// columns, and a commit of one document leaves most segments unchanged.
    pub(crate) fn open(
        index: &Index,
        fields: Fields,
        metas: &tantivy::IndexMeta,
        CommittedState { meta, list, files, generation }: CommittedState,
        before: Option<&Self>,
    ) -> Result<Self, TantivyError> {
        let known = |meta: &SegmentMeta| {
            let mut known = before?.segments.iter();
            known.find(|known| {
                known.reader.segment_id() == meta.id() && known.reader.delete_opstamp() == meta.delete_opstamp()
            })
        };
        let mut segments = metas
            .segments
            .iter()
            .map(|meta| match known(meta) {
                Some(known) => Ok(Arc::clone(known)),
                None => Segment::open(&index.segment(meta.clone()), fields).map(Arc::new),
            })
            .collect::<Result<Vec<_>, TantivyError>>()?;
        // A fixed order, independent of commits and merges. The largest segment first, because it prunes the others.
        segments.sort_by_key(|segment| (std::cmp::Reverse(segment.entries()), segment.reader.segment_id()));
        let chunks = segments.iter().map(|segment| u64::from(segment.reader.num_docs())).sum();
        let mean_lengths = fields
            .scored_fields()
            .map(|field| {
                let tokens: u64 = segments.iter().map(|segment| segment.tokens_of(field)).sum();
                (field, (tokens as f32 / chunks as f32).max(1.0))
            })
            .to_vec();
        let documents = segments.iter().map(|segment| segment.documents).sum();
        let filter_cache = FilterCache::default();
        Ok(Self { generation, meta, list, files, segments, fields, chunks, documents, mean_lengths, filter_cache })
    }

    /// The mean length of a scored field, in tokens.
    pub(crate) fn mean_length(&self, field: Field) -> f32 {
        self.mean_lengths.iter().find(|(known, _)| *known == field).map_or(1.0, |&(_, mean)| mean)
    }

    /// Looks up a term: its postings in each segment, and the number of chunks that have it and are not removed.
    ///
    /// The count of a segment includes removed chunks until the segment is merged. Scores from such counts would depend
    /// on the time of merges, and equal queries on an equal store would not give equal results.
    pub(crate) fn look_up(&self, field: Field, term: &[u8]) -> Result<TermPostings, TantivyError> {
        let mut found = TermPostings { infos: Vec::with_capacity(self.segments.len()), chunks: 0 };
        for segment in &self.segments {
            let info = segment.inverted_index(field).terms().get(term)?;
            if let Some(info) = &info {
                found.chunks += u64::from(info.doc_freq) - segment.removed_with(field, info)?;
            }
            found.infos.push(info);
        }
        Ok(found)
    }

    /// The keys that are longer than a prefix and begin with it, ascending. Takes the first `limit` over all segments,
    /// so that the result does not depend on how entries are spread over segments.
    pub(crate) fn keys_with_prefix(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, TantivyError> {
        let mut keys = BTreeSet::new();
        for segment in &self.segments {
            let mut stream = segment.inverted_index(field).terms().range().gt(prefix).into_stream()?;
            let mut taken = 0;
            while taken < limit && stream.advance() && stream.key().starts_with(prefix.as_bytes()) {
                keys.insert(stream.key().to_vec());
                taken += 1;
            }
        }
        Ok(keys.into_iter().take(limit).collect())
    }

    /// The address of a chunk. `None` if no segment contains it.
    ///
    /// A chunk whose document was removed keeps its address until its segment is merged.
    pub(crate) fn address_of(&self, row: ChunkRow) -> Option<Address> {
        let in_segment = |(segment, entry): (usize, Option<DocId>)| Some(Address { segment, entry: entry? });
        self.segments.iter().map(|segment| segment.entry_of(row)).enumerate().find_map(in_segment)
    }

    /// Reads the rows and traits of a candidate. `None` if the traits are invalid.
    pub(crate) fn candidate(&self, address: Address, score: f32) -> Option<Candidate> {
        let segment = &self.segments[address.segment];
        Some(Candidate {
            chunk: segment.chunk_row(address.entry),
            document: segment.document_row(address.entry),
            score,
            traits: unpack(segment.traits.get_val(address.entry))?,
        })
    }
}

pub(crate) struct TermPostings {
    /// Its postings in each segment, in the snapshot's order.
    pub(crate) infos: Vec<Option<TermInfo>>,
    /// The number of chunks that have it and are not removed.
    pub(crate) chunks: u64,
}

impl Segment {
    fn open(segment: &tantivy::Segment, fields: Fields) -> Result<Self, TantivyError> {
        let reader = SegmentReader::open(segment)?;
        let entries = reader.max_doc();
        let inverted =
            reader
                .schema()
                .fields()
                .map(|(field, entry)| {
                    if entry.is_indexed() {
                        reader.inverted_index(field)
                    } else {
                        reader.inverted_index(fields.document)
                    }
                })
                .collect::<Result<Vec<_>, _>>()?;
        let mut lengths: Vec<Option<FieldNormReader>> = vec![None; inverted.len()];
        for field in fields.scored_fields() {
            let reader = reader.get_fieldnorms_reader(field)?;
            consistent(reader.num_docs() == entries, "the lengths of a field do not match its segment")?;
            lengths[field.field_id() as usize] = Some(reader);
        }
        let column = |name| -> Result<Arc<dyn ColumnValues<u64>>, TantivyError> {
            let column = reader.fast_fields().u64(name)?;
            consistent(column.num_docs() == entries, "a column does not match its segment")?;
            Ok(column.first_or_default_col(0))
        };
        let (chunk, document, traits) = (column(CHUNK_COLUMN)?, column(DOCUMENT_COLUMN)?, column(TRAITS_COLUMN)?);
        let removed = match reader.alive_bitset() {
            Some(alive) => {
                consistent(alive.bitset().max_value() == entries, "the removed entries do not match their segment")?;
                (0..entries).filter(|&entry| alive.is_deleted(entry)).collect()
            }
            None => Vec::new(),
        };
        let mut first_entries = Vec::new();
        let mut last = None;
        for entry in 0..entries {
            let row = document.get_val(entry);
            if last.replace(row) != Some(row) {
                first_entries.push(entry);
            }
        }
        let mut by_row: Vec<_> =
            first_entries.iter().map(|&entry| (ChunkRow(chunk.get_val(entry) as i64), entry)).collect();
        by_row.sort_unstable();
        let (tokens, documents, paths) = (Vec::new(), 0, OnceLock::new());
        let mut opened = Self {
            reader,
            inverted,
            lengths,
            chunk,
            document,
            traits,
            first_entries,
            by_row,
            removed,
            tokens,
            documents,
            paths,
        };
        opened.tokens = fields.scored_fields().map(|field| (field, opened.count_tokens(field))).to_vec();
        opened.documents = opened.count_documents(fields.path_words);
        Ok(opened)
    }

    /// The entry of a chunk, even if removed. `None` if the segment does not contain the chunk.
    pub(crate) fn entry_of(&self, row: ChunkRow) -> Option<DocId> {
        // The rows and entries of a document's chunks have no gaps.
        let place = last_at_most(self.by_row.len(), |place| self.by_row[place].0.0, row.0)?;
        let (first, entry) = self.by_row[place];
        let entry = entry + DocId::try_from(row.0 - first.0).ok()?;
        (self.entries() > entry && self.chunk_row(entry) == row).then_some(entry)
    }

    /// The number of entries, removed ones included.
    pub(crate) fn entries(&self) -> DocId {
        self.reader.max_doc()
    }

    /// The terms and postings of a field.
    pub(crate) fn inverted_index(&self, field: Field) -> &InvertedIndexReader {
        &self.inverted[field.field_id() as usize]
    }

    /// The lengths of a scored field.
    pub(crate) fn lengths(&self, field: Field) -> Option<&FieldNormReader> {
        self.lengths[field.field_id() as usize].as_ref()
    }

    pub(crate) fn chunk_row(&self, entry: DocId) -> ChunkRow {
        ChunkRow(self.chunk.get_val(entry) as i64)
    }

    pub(crate) fn document_row(&self, entry: DocId) -> DocumentRow {
        DocumentRow(self.document.get_val(entry) as i64)
    }

    /// The entries of the document that contains an entry, removed ones included.
    pub(crate) fn entries_of_document(&self, entry: DocId) -> Range<DocId> {
        let first = |place: usize| i64::from(self.first_entries[place]);
        // The first entry of the first document is 0.
        let place = last_at_most(self.first_entries.len(), first, i64::from(entry)).unwrap_or_default();
        self.first_entries[place]..self.first_entries.get(place + 1).copied().unwrap_or(self.entries())
    }

    /// The packed traits of the entry's document.
    pub(crate) fn traits(&self, entry: DocId) -> u64 {
        self.traits.get_val(entry)
    }

    /// Counts the documents that are not removed, by the entries with a field that only first chunks have.
    fn count_documents(&self, field_of_first: Field) -> u64 {
        let Some(lengths) = self.lengths(field_of_first) else { return 0 };
        let is_first = |entry: &DocId| lengths.fieldnorm(*entry) > 0;
        let all = (0..self.entries()).filter(is_first).count();
        (all - self.removed.iter().copied().filter(|entry| is_first(entry)).count()) as u64
    }

    /// The removed entries, ascending.
    pub(crate) fn removed_documents(&self) -> &[DocId] {
        &self.removed
    }

    /// The paths that begin with a prefix, ascending, with their postings.
    ///
    /// Walking a dictionary of ten thousand paths takes 4 ms, so each segment caches its paths.
    pub(crate) fn paths_with_prefix(
        &self,
        field: Field,
        prefix: &str,
    ) -> Result<&[(Box<str>, TermInfo)], TantivyError> {
        let paths = if let Some(paths) = self.paths.get() {
            paths
        } else {
            let mut paths = Vec::new();
            let mut stream = self.inverted_index(field).terms().stream()?;
            while stream.advance() {
                if let Ok(path) = std::str::from_utf8(stream.key()) {
                    paths.push((path.into(), stream.value().clone()));
                }
            }
            self.paths.get_or_init(|| paths)
        };
        let start = paths.partition_point(|(path, _)| **path < *prefix);
        let len = paths[start..].partition_point(|(path, _)| path.starts_with(prefix));
        Ok(&paths[start..start + len])
    }

    /// The keys of a field that begin with a prefix and have an entry that is not removed, ascending, at most `most`.
    pub(crate) fn keys_with_prefix(
        &self,
        field: Field,
        prefix: &str,
        most: usize,
    ) -> Result<Vec<String>, TantivyError> {
        let mut keys = Vec::new();
        let mut stream = self.inverted_index(field).terms().range().ge(prefix).into_stream()?;
        while keys.len() < most && stream.advance() {
            let Ok(key) = std::str::from_utf8(stream.key()) else { continue };
            if !key.starts_with(prefix) {
                break;
            }
            let mut is_alive = false;
            self.each_in(field, stream.value(), |entry| {
                is_alive |= self.reader.alive_bitset().is_none_or(|alive| alive.is_alive(entry));
            })?;
            if is_alive {
                keys.push(key.to_owned());
            }
        }
        Ok(keys)
    }

    /// Calls `found` with each entry that has a key, ascending, removed ones included.
    pub(crate) fn each_with(&self, field: Field, key: &[u8], found: impl FnMut(DocId)) -> Result<(), TantivyError> {
        match self.inverted_index(field).terms().get(key)? {
            Some(info) => self.each_in(field, &info, found),
            None => Ok(()),
        }
    }

    /// Calls `found` with each entry of a posting list, ascending, removed ones included.
    pub(crate) fn each_in(&self, field: Field, info: &TermInfo, found: impl FnMut(DocId)) -> Result<(), TantivyError> {
        let mut postings =
            self.inverted_index(field).read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        let mut found = found;
        while postings.block_len() > 0 {
            postings.docs().iter().for_each(|&entry| found(entry));
            postings.advance();
        }
        Ok(())
    }

    /// The number of the given entries that are in a posting list.
    pub(crate) fn count_in(&self, field: Field, info: &TermInfo, entries: &Entries) -> Result<u64, TantivyError> {
        let mut count = 0;
        self.each_in(field, info, |entry| count += u64::from(entries.contains(entry)))?;
        Ok(count)
    }

    /// The number of tokens of a scored field in the entries that are not removed.
    fn tokens_of(&self, field: Field) -> u64 {
        self.tokens.iter().find(|(known, _)| *known == field).map_or(0, |(_, tokens)| *tokens)
    }

    /// Counts the tokens of a scored field in the entries that are not removed.
    ///
    /// Sums the stored, rounded lengths, so that the result does not depend on how entries are spread over segments.
    fn count_tokens(&self, field: Field) -> u64 {
        let Some(lengths) = self.lengths(field) else { return 0 };
        let tokens = |entry| u64::from(lengths.fieldnorm(entry));
        let all: u64 = (0..self.entries()).map(tokens).sum();
        all - self.removed.iter().map(|&entry| tokens(entry)).sum::<u64>()
    }

    /// The number of removed entries that have a term.
    fn removed_with(&self, field: Field, info: &TermInfo) -> Result<u64, TantivyError> {
        if self.removed.is_empty() {
            return Ok(0);
        }
        let mut postings = self.inverted_index(field).read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        // A seek costs about as much as eight steps.
        if self.removed.len() * 8 > info.doc_freq as usize {
            let alive = self.reader.alive_bitset();
            return Ok(alive.map_or(0, |alive| u64::from(info.doc_freq - postings.doc_freq_given_deletes(alive))));
        }
        let mut count = 0;
        for &entry in &self.removed {
            if postings.doc() < entry {
                postings.seek(entry);
            }
            if postings.doc() == TERMINATED {
                break;
            }
            count += u64::from(postings.doc() == entry);
        }
        Ok(count)
    }
}

fn consistent(holds: bool, otherwise: &str) -> Result<(), TantivyError> {
    if holds {
        Ok(())
    } else {
        Err(TantivyError::DataCorruption(tantivy::error::DataCorruption::comment_only(otherwise)))
    }
}
