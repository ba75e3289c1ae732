//! A cache of the ranking factors from feedback on files.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::Generation;

use crate::ledger::Ratings;
use crate::ranking::Factor;

/// The ranking factors of documents with feedback, by row, as of one generation of the store.
#[derive(Default)]
pub(crate) struct RatedCell(pub(crate) Mutex<Rated>);

/// The factors and what they were computed from.
#[derive(Default)]
pub(crate) struct Rated {
    pub(crate) generation: Generation,
    pub(crate) ratings: Arc<Ratings>,
    pub(crate) factors: Arc<HashMap<i64, Factor>>,
}
