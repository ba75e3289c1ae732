//! One page of hits, without near-duplicates, and facet counts of the documents that match.
//!
//! Chunks are read in rank order until the page and one more hit are known. A near-duplicate of a better hit becomes a further
//! location of that hit. Whether a chunk is a hit of its own depends only on the chunks before it, not on the page size, so
//! consecutive pages hold every hit once.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use recall_core::{Ablation, ItemId};
use recall_index::lexical::Highlighter;
use recall_text::Likeness;

use super::expand::{Expanded, expand};
use crate::adopted::{AdoptedHits, Statements, is_adopted};
use crate::error::StoreError;
use crate::mask::{self, Masked};
use crate::mount::Mount;
use crate::search::answer::{Facet, Hit};
use crate::search::context::{Search, StoreFacets};
use crate::search::ranked::{Ranked, with_ties};
use crate::warning::Warning;

/// The hits that a request asks for.
pub(super) struct Page {
    /// Best first; equal scores by path, span and id.
    pub(super) hits: Vec<Hit>,
    /// The documents and memories of the hits in each store, each once, by the ids that they have there.
    pub(super) retrieved: Vec<HashSet<ItemId>>,
    /// The greatest support of all hits up to the page's last.
    pub(super) confidence: Option<f64>,
    /// The score of the best hit over all pages.
    pub(super) best_score: Option<f64>,
    /// The offset of the next page; `None` on the last page.
    pub(super) next_offset: Option<u32>,
    /// Files that changed and could not be indexed in time.
    pub(super) left_out: BTreeSet<String>,
    /// Files with masked secrets.
    pub(super) masked: BTreeSet<String>,
    /// Shared stores whose texts could not be read.
    pub(super) unread: Vec<Warning>,
}

/// Reads as many of the selected chunks, best first, as the page needs. `None` if files had changed and were indexed: the
/// search must restart.
///
/// # Errors
/// A store cannot be read.
pub(super) fn page(search: &Search<'_>, selected: &[Ranked<'_>], is_last: bool) -> Result<Option<Page>, StoreError> {
    let next = search.request.offset.saturating_add(search.request.limit);
    let (offset, end) = (search.request.offset as usize, next as usize);
    let mut distinct = Distinct::new(!search.request.without.contains(&Ablation::Collapse));
    let mut left_out = BTreeSet::new();
    let mut unread = Vec::new();
    let mut rest = selected;
    // One more hit than is shown decides whether there is a next page.
    while distinct.hits.len() <= end && !rest.is_empty() {
        let (batch, behind) = rest.split_at(with_ties(rest, end + 1 - distinct.hits.len()));
        rest = behind;
        match expand(search, batch, is_last)? {
            Expanded::Hits { mut hits, left_out: more, unread: more_unread } => {
                left_out.extend(more);
                unread.extend(more_unread);
                hits.sort_by(order_of_hits);
                for hit in hits {
                    let mount = search.searched[hit.store].mount();
                    let is_agents = search
                        .stores
                        .get(hit.store)
                        .is_some_and(|store| hit.memory.is_none() && is_adopted(store, &hit.document.path));
                    let statements = if is_agents { Statements::read(&hit.text) } else { Statements::default() };
                    distinct.push(hit, statements, mount);
                }
            }
            Expanded::Overtaken => return Ok(None),
        }
    }
    let Distinct { mut hits, .. } = distinct;
    let next_offset = (hits.len() > end).then_some(next);
    hits.truncate(end);
    let confidence = hits.iter().filter_map(|hit| hit.support).max_by(f64::total_cmp);
    let best_score = hits.first().map(|hit| hit.score);
    hits.drain(..offset.min(hits.len()));
    let adopted = AdoptedHits::among(search.stores);
    let mut highlighter = Highlighter::new(search.understood);
    let mut masked = BTreeSet::new();
    let mut retrieved = vec![HashSet::new(); search.stores.len()];
    for hit in &mut hits {
        let Some(store) = search.stores.get(hit.store) else {
            // It was masked before it left its machine. Rules that are newer here count too.
            if hit.mask(None) == Masked::Yes {
                masked.insert(hit.document.path.as_str().to_owned());
            }
            hit.highlights = highlighter.ranges(&hit.text);
            continue;
        };
        let whole = if mask::depends_on_whole(&hit.document.path, &hit.text) && hit.memory.is_none() {
            store.index.whole_text(&hit.document)?
        } else {
            None
        };
        retrieved[hit.store].insert(match &hit.memory {
            Some(recalled) => ItemId::Memory(recalled.memory.id),
            None => ItemId::Document(hit.document.id),
        });
        if hit.memory.is_none() {
            let lines = hit.chunk.span.start_line..=hit.chunk.span.end_line;
            hit.adopted = adopted.describe(store, &hit.document.path, &lines, &hit.text).map(Box::new);
        }
        hit.show(&store.mount);
        if hit.mask(whole.as_ref()) == Masked::Yes {
            masked.insert(hit.document.path.as_str().to_owned());
        }
        hit.highlights = highlighter.ranges(&hit.text);
    }
    Ok(Some(Page { hits, retrieved, confidence, best_score, next_offset, left_out, masked, unread }))
}

/// Orders hits by score, path, span and id.
fn order_of_hits(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| a.document.path.cmp(&b.document.path))
        .then_with(|| a.chunk.span.bytes.cmp(&b.chunk.span.bytes))
        .then_with(|| (a.scope, a.id, a.store).cmp(&(b.scope, b.id, b.store)))
}

/// Hits without near-duplicates.
struct Distinct {
    hits: Vec<Hit>,
    likenesses: Vec<Likeness>,
    /// What each hit of an agent's file states; nothing for other hits.
    statements: Vec<Statements>,
    /// Whether near-duplicates are collapsed.
    collapses: bool,
}

impl Distinct {
    fn new(collapses: bool) -> Self {
        Self { hits: Vec::new(), likenesses: Vec::new(), statements: Vec::new(), collapses }
    }

    /// Adds the next hit: as one of its own, or as a further location of the best hit that it nearly repeats.
    ///
    /// A function and a paragraph about it may share most of their words. Chunks of different kinds are therefore duplicates
    /// only if their words are equal. Of two parts of agents' files, one repeats the other if that states all of it.
    fn push(&mut self, hit: Hit, statements: Statements, mount: &Mount) {
        if self.collapses {
            let likeness = Likeness::new(&hit.text);
            let repeats = |(known, kept): (&Likeness, &Hit)| {
                known.is_equal(&likeness) || (kept.chunk.kind == hit.chunk.kind && known.is_near(&likeness))
            };
            let of_texts = self.likenesses.iter().zip(&self.hits).position(repeats);
            let place = of_texts.or_else(|| self.statements.iter().position(|known| statements.repeat(known)));
            if let Some(place) = place {
                self.hits[place].also_at.push(mask::shown_path(mount.outer(&hit.citation())));
                return;
            }
            self.likenesses.push(likeness);
            self.statements.push(statements);
        }
        self.hits.push(hit);
    }
}

/// The most values of a facet: one screen. A rarer value would narrow the result to a document or two, which the hits show
/// better.
const MOST_VALUES: usize = 20;

/// Counts the documents of all stores that contain a word of the query and pass its filters, not only those among the hits.
///
/// Counts the current generation of each store, which may be newer than that of the hits. A shared store that does not answer any
/// more counts nothing, which `warnings` gets.
///
/// # Errors
/// A store cannot be read.
pub(super) fn facets(search: &Search<'_>, warnings: &mut Vec<Warning>) -> Result<Vec<Facet>, StoreError> {
    let mut all: [(&str, BTreeMap<String, u64>); 4] =
        ["type", "language", "directory", "tag"].map(|name| (name, BTreeMap::new()));
    for store in search.searched {
        let StoreFacets { counts, warning } = store.facets(search)?;
        warnings.extend(warning);
        let recall_index::lexical::Facets { types, languages, directories, tags } = counts;
        for ((_, sum), more) in all.iter_mut().zip([types, languages, directories, tags]) {
            for (value, count) in more {
                *sum.entry(value).or_default() += count;
            }
        }
    }
    let mut facets: Vec<_> = all.into_iter().map(|(name, counts)| most(name, counts)).collect();
    for facet in &mut facets {
        facet.mask();
    }
    Ok(facets)
}

/// Keeps the most frequent values: descending by count, then by name.
fn most(name: &'static str, counts: BTreeMap<String, u64>) -> Facet {
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let left_out = counts.len().saturating_sub(MOST_VALUES) as u64;
    counts.truncate(MOST_VALUES);
    Facet { name, counts, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_values_come_first_and_few_stay() {
        let counts = (0..25).map(|number| (format!("v{number:02}"), if number == 7 { 9 } else { 1 })).collect();
        let facet = most("tag", counts);
        assert_eq!((facet.counts.len(), facet.left_out), (MOST_VALUES, 5));
        assert_eq!(facet.counts[..2], [("v07".to_owned(), 9), ("v00".to_owned(), 1)]);
    }
}
