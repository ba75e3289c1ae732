//! A cache of the ranking factors from feedback on files.

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::Generation;

use crate::ledger::Ratings;
use crate::ranking::Factor;
use crate::store::ordered::{OrderedMutex, Rank};

/// The ranking factors of documents with feedback, by row, as of one generation of the store.
pub(super) struct RatedFiles(OrderedMutex<Rated>);

impl Default for RatedFiles {
    fn default() -> Self {
        Self(OrderedMutex::new(Rank::Factors, Rated::default()))
    }
}

/// The factors and what they were computed from.
#[derive(Default)]
struct Rated {
    generation: Generation,
    ratings: Arc<Ratings>,
    factors: Arc<HashMap<i64, Factor>>,
}

impl RatedFiles {
    /// Returns the factors of these ratings in a generation: as cached, otherwise as `compute` says.
    pub(super) fn get_or_compute<E>(
        &self,
        generation: Generation,
        ratings: Arc<Ratings>,
        compute: impl FnOnce(&Ratings) -> Result<HashMap<i64, Factor>, E>,
    ) -> Result<Arc<HashMap<i64, Factor>>, E> {
        // Held while they are computed, so that concurrent searches compute them once.
        let mut rated = self.0.lock();
        if rated.generation != generation || !Arc::ptr_eq(&rated.ratings, &ratings) {
            let factors = Arc::new(compute(&ratings)?);
            *rated = Rated { generation, ratings, factors };
        }
        Ok(Arc::clone(&rated.factors))
    }
}
