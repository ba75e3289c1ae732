//! A cache of the term lookups of one query.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use recall_core::Understood;
use tantivy::TantivyError;
use tantivy::schema::Field;

use crate::lexical::names;
use crate::lexical::query_terms::{self, SpellingSuggestions};
use crate::lexical::snapshot::{LexicalSnapshot, TermPostings};

/// The terms of a query and their postings in one snapshot. The retrievers and the evidence use mostly the same terms,
/// so each term is looked up once per field.
pub(crate) struct TermCache<'a> {
    pub(crate) snapshot: &'a LexicalSnapshot,
    /// The query's terms; see [`query_terms::terms`].
    pub(crate) terms: Vec<String>,
    /// The names that the query may mean; see [`query_terms::names`].
    pub(crate) names: Vec<String>,
    /// Spelling suggestions, searched if nothing has the query's name.
    pub(crate) suggestions: SpellingSuggestions,
    /// The query as the key of a phrase.
    pub(crate) phrase: Option<String>,
    /// The query as a path, if it can be one as a whole.
    pub(crate) path: Option<String>,
    /// The paths of the files that answer by their name, the most telling first.
    pub(crate) telling_paths: Vec<String>,
    cached: RefCell<Vec<(Field, FieldCache)>>,
}

/// The lookups of one field, by term.
type FieldCache = HashMap<Box<[u8]>, Rc<TermPostings>>;

impl<'a> TermCache<'a> {
    /// Prepares for a query.
    pub(crate) fn for_query(snapshot: &'a LexicalSnapshot, understood: &Understood) -> Self {
        let (terms, names) = (query_terms::terms(&understood.text), query_terms::names(understood));
        let phrase = names::phrase_key(understood.wording());
        let path = query_terms::path(understood);
        Self {
            snapshot,
            terms,
            names,
            suggestions: SpellingSuggestions::default(),
            phrase,
            path,
            telling_paths: understood.telling_paths.clone(),
            cached: RefCell::default(),
        }
    }

    /// Prepares for lookups without a query.
    pub(crate) fn without_query(snapshot: &'a LexicalSnapshot) -> Self {
        let (terms, names, suggestions) = (Vec::new(), Vec::new(), SpellingSuggestions::default());
        Self {
            snapshot,
            terms,
            names,
            suggestions,
            phrase: None,
            path: None,
            telling_paths: Vec::new(),
            cached: RefCell::default(),
        }
    }

    /// [`LexicalSnapshot::look_up`], cached.
    pub(crate) fn look_up(&self, field: Field, term: &[u8]) -> Result<Rc<TermPostings>, TantivyError> {
        let mut cached = self.cached.borrow_mut();
        let place = cached.iter().position(|(of, _)| *of == field).unwrap_or_else(|| {
            cached.push((field, FieldCache::new()));
            cached.len() - 1
        });
        let of_field = &mut cached[place].1;
        if let Some(found) = of_field.get(term) {
            return Ok(Rc::clone(found));
        }
        let found = Rc::new(self.snapshot.look_up(field, term)?);
        of_field.insert(term.into(), Rc::clone(&found));
        Ok(found)
    }

    /// [`look_up`](Self::look_up) for each of [`LexicalSnapshot::keys_with_prefix`].
    pub(crate) fn look_up_prefix(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<Rc<TermPostings>>, TantivyError> {
        self.snapshot.keys_with_prefix(field, prefix, limit)?.iter().map(|key| self.look_up(field, key)).collect()
    }
}
