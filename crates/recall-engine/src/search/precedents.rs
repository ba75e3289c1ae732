//! The changes of the past as evidence in the order of code.
//!
//! They change the order of the candidates, and add none: of what a history leads to, the words of the question had missed nothing
//! that moved into the first ten.

use recall_core::{DocumentRow, QueryClass, Understood};
use rustc_hash::FxHashMap;

use crate::known::Known;
use crate::ranking::ContentKind;
use crate::store::{Precedents, Store};

/// The changes of the past that a search takes as evidence.
#[derive(Clone, Copy)]
pub(super) enum PastUse<'a> {
    /// Those of each store, with the weight that was better on its newest changes.
    Adopted,
    /// These, with a weight that is tried.
    OnTrial { precedents: &'a Precedents, weight: f64 },
}

/// How strongly the changes of the past lead from a query to the documents of a store.
#[derive(Debug, Default)]
pub(super) struct PastValues {
    /// By row, above 0 and at most 1.
    values: FxHashMap<i64, f32>,
    /// The weight that the store has adopted.
    weight: f64,
}

impl PastValues {
    /// Finds the documents of a store. Names and paths are found as they are written, so they lead nowhere.
    pub(super) fn find(past: PastUse<'_>, query: &str, understood: &Understood, store: &Store, known: &Known) -> Self {
        if matches!(understood.class, QueryClass::Symbol | QueryClass::Path) {
            return Self::default();
        }
        let text = subject(query, understood);
        match past {
            PastUse::OnTrial { precedents, weight } => Self { values: values(precedents, text, known), weight },
            PastUse::Adopted if store.settings().learns_from_history => {
                let Some(model) = store.facts.history().model() else { return Self::default() };
                let precedents = model.precedents.as_ref();
                let values = precedents.map(|precedents| values(precedents, text, known)).unwrap_or_default();
                Self { values, weight: model.trial.weight }
            }
            PastUse::Adopted => Self::default(),
        }
    }

    /// Returns the factor on the odds of a document among those of its kind. Only code has one: pages are found by their words.
    pub(super) fn odds(&self, past: PastUse<'_>, kind: ContentKind, document: DocumentRow) -> f64 {
        let weight = match past {
            PastUse::Adopted => self.weight,
            PastUse::OnTrial { weight, .. } => weight,
        };
        match self.values.get(&document.0) {
            Some(&value) if kind == ContentKind::Code => (weight * f64::from(value)).exp(),
            _ => 1.0,
        }
    }
}

/// Returns what a query asks in few words: the title of a report, without the names in its prose, which lead to other commits.
fn subject<'a>(query: &'a str, understood: &'a Understood) -> &'a str {
    let title = query.trim_start().lines().next().unwrap_or_default().trim();
    let is_title =
        understood.report.is_some() && !title.is_empty() && understood.text.starts_with(&title.replace('"', " "));
    if is_title { title } else { &understood.text }
}

fn values(precedents: &Precedents, text: &str, known: &Known) -> FxHashMap<i64, f32> {
    let files = precedents.files(text).into_iter();
    files.filter_map(|(path, value)| Some((known.files.get(path)?.document()?.0, value))).collect()
}
