//! The entries that pass a query's filters.

use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use recall_core::{Filters, Language, PathFilter};
use tantivy::fastfield::AliveBitSet;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;
use tantivy::{DocId, TantivyError};

use crate::filter_cache::FilterMatches;
use crate::snapshot::{Segment, Snapshot};

/// The entries of one segment that may be candidates.
pub(crate) enum DocFilter<'s> {
    /// All of them.
    All,
    /// Those that are not removed.
    Alive(&'s AliveBitSet),
    /// These entries, none of which is removed.
    Only(Arc<Entries>),
}

impl DocFilter<'_> {
    /// Whether an entry may be a candidate.
    pub(crate) fn passes(&self, entry: DocId) -> bool {
        match self {
            Self::All => true,
            Self::Alive(alive) => alive.is_alive(entry),
            Self::Only(entries) => entries.contains(entry),
        }
    }
}

/// Returns the filter of each segment of a snapshot, in order.
pub(crate) fn doc_filters<'s>(snapshot: &'s Snapshot, filters: &Filters) -> Result<Vec<DocFilter<'s>>, TantivyError> {
    if filters.is_empty() {
        let all = |segment: &'s Arc<Segment>| segment.reader.alive_bitset().map_or(DocFilter::All, DocFilter::Alive);
        return Ok(snapshot.segments.iter().map(all).collect());
    }
    Ok(filter_matches(snapshot, filters)?.entries.iter().map(|entries| DocFilter::Only(Arc::clone(entries))).collect())
}

/// Returns the entries that pass filters that are not empty.
pub(crate) fn filter_matches(snapshot: &Snapshot, filters: &Filters) -> Result<Arc<FilterMatches>, TantivyError> {
    snapshot.filter_cache.get_or_compute(filters, || {
        let paths: Vec<PathPattern<'_>> = filters.paths.iter().map(PathPattern::of).collect();
        let entries = |segment: &Arc<Segment>| entries(snapshot, segment, filters, &paths).map(Arc::new);
        snapshot.segments.iter().map(entries).collect()
    })
}

fn entries(
    snapshot: &Snapshot,
    segment: &Segment,
    filters: &Filters,
    paths: &[PathPattern<'_>],
) -> Result<Entries, TantivyError> {
    let fields = &snapshot.fields;
    let Filters { types, languages, paths: _, tags } = filters;
    let mut demands: Vec<Entries> = Vec::new();
    if !types.is_empty() {
        demands.push(with_any(segment, fields.document_type, types.iter().map(|known| known.as_str()))?);
    }
    if !languages.is_empty() {
        demands.push(with_any(segment, fields.language, languages.iter().map(Language::as_str))?);
    }
    for tag in tags {
        demands.push(with_any(segment, fields.tag, [tag.as_str()])?);
    }
    if !paths.is_empty() {
        let mut entries = Entries::none(segment);
        for path in paths {
            path.add_matches(segment, fields.path_raw, &mut entries)?;
        }
        demands.push(entries);
    }
    let mut entries = demands.into_iter().reduce(|all, one| all.and(&one)).unwrap_or_else(|| Entries::none(segment));
    segment.removed().iter().for_each(|&entry| entries.remove(entry));
    Ok(entries)
}

fn with_any<'a>(
    segment: &Segment,
    field: Field,
    keys: impl IntoIterator<Item = &'a str>,
) -> Result<Entries, TantivyError> {
    let mut entries = Entries::none(segment);
    for key in keys {
        segment.each_with(field, key.as_bytes(), |entry| entries.insert(entry))?;
    }
    Ok(entries)
}

/// Returns a function that reports whether a path passes the filter, as it does in a search.
pub fn path_matcher(filter: &PathFilter) -> impl Fn(&str) -> bool + '_ {
    let pattern = PathPattern::of(filter);
    move |path| match &pattern {
        PathPattern::Glob(glob, _) => glob.is_match(path),
        PathPattern::Below(directory) => {
            path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
    }
}

/// A parsed path filter.
enum PathPattern<'a> {
    /// A glob, with the literal text before its first special character.
    Glob(GlobMatcher, &'a str),
    /// A path, or a directory above it.
    Below(&'a str),
}

impl<'a> PathPattern<'a> {
    /// Parses a filter. `*` does not match `/`, and a glob without `/` is matched against the file name. Text that is
    /// not a valid glob, such as `[`, is taken as a path.
    fn of(filter: &'a PathFilter) -> Self {
        let text = filter.0.trim_start_matches("./").trim_matches('/');
        let glob = filter.is_glob().then(|| {
            let anywhere = if text.contains('/') { text.to_owned() } else { format!("**/{text}") };
            GlobBuilder::new(&anywhere).literal_separator(true).build().ok()
        });
        let literal = &text[..text.find(['*', '?', '[', '{', '\\']).unwrap_or(text.len())];
        let prefix = if text.contains('/') { literal } else { "" };
        glob.flatten().map_or(Self::Below(text), |glob| Self::Glob(glob.compile_matcher(), prefix))
    }

    fn add_matches(&self, segment: &Segment, field: Field, entries: &mut Entries) -> Result<(), TantivyError> {
        match self {
            Self::Glob(glob, prefix) => {
                for (path, info) in segment.paths_with_prefix(field, prefix)? {
                    if glob.is_match(&**path) {
                        segment.each_in(field, info, |entry| entries.insert(entry))?;
                    }
                }
            }
            Self::Below(directory) => {
                segment.each_with(field, directory.as_bytes(), |entry| entries.insert(entry))?;
                // `0` is the character after `/`.
                let (from, to) = (format!("{directory}/"), format!("{directory}0"));
                let mut paths = segment.inverted(field).terms().range().ge(from).lt(to).into_stream()?;
                while paths.advance() {
                    segment.each_in(field, paths.value(), |entry| entries.insert(entry))?;
                }
            }
        }
        Ok(())
    }
}

/// A set of entries of one segment.
#[derive(Clone, Debug)]
pub(crate) struct Entries {
    words: Vec<u64>,
    len: usize,
}

impl Entries {
    pub(crate) fn none(segment: &Segment) -> Self {
        Self { words: vec![0; (segment.entries() as usize).div_ceil(64)], len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The number of the entries that are in a posting list.
    pub(crate) fn count_in(&self, segment: &Segment, field: Field, info: &TermInfo) -> Result<u64, TantivyError> {
        let mut count = 0;
        segment.each_in(field, info, |entry| count += u64::from(self.contains(entry)))?;
        Ok(count)
    }

    pub(crate) fn contains(&self, entry: DocId) -> bool {
        self.words[entry as usize / 64] >> (entry % 64) & 1 == 1
    }

    /// The entries, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = DocId> {
        (0_u32..).zip(&self.words).flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }

    pub(crate) fn insert(&mut self, entry: DocId) {
        let word = &mut self.words[entry as usize / 64];
        let bit = 1 << (entry % 64);
        self.len += usize::from(*word & bit == 0);
        *word |= bit;
    }

    fn remove(&mut self, entry: DocId) {
        let word = &mut self.words[entry as usize / 64];
        let bit = 1 << (entry % 64);
        self.len -= usize::from(*word & bit != 0);
        *word &= !bit;
    }

    fn and(mut self, other: &Self) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        self.len = self.words.iter().map(|word| word.count_ones() as usize).sum();
        self
    }
}
