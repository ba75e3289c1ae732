//! The factors that feedback puts on files, kept of one generation.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::Generation;

use crate::ledger::Ratings;
use crate::ranking::Factor;

/// The factors that feedback puts on documents, by row, as of one generation of the store.
#[derive(Default)]
pub(crate) struct RatedCell(pub(crate) Mutex<Rated>);

/// What they were made from, and what they are.
#[derive(Default)]
pub(crate) struct Rated {
    pub(crate) generation: Generation,
    pub(crate) ratings: Arc<Ratings>,
    pub(crate) factors: Arc<HashMap<i64, Factor>>,
}
