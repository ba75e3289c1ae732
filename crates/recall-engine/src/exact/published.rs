//! The texts of shared stores in an exact search.
//!
//! A server returns the documents that contain a fragment of the pattern; what matches is decided here, by the matcher of the stores of
//! this machine. A pass ends early if it takes long or finds much: then the answer says how many documents were compared.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ExactRequest, Filters};
use recall_index::lexical::exact::Pattern;
use recall_shared::{Guarded, StoreError, TextScan, WholeDocument};

use super::scan::{Matching, PublishedText, TextSource, visible_lines};
use crate::Engine;
use crate::engine::MountedStore;
use crate::origin::Origin;
use crate::search::{ATTEMPTS, repositories};
use crate::shared::{Record, coverage_of, in_store, store_filters, warn_of_failure};
use crate::task_pool::Deferred;
use crate::warning::{Coverage, Warning};

/// How long a pass over a store takes at most. Who asks for every place of a text waits longer than for a search; in three seconds a
/// server compares a few hundred megabytes.
const MOST_TIME: Duration = Duration::from_secs(3);

/// The bytes of found texts after which a pass ends. A literal that is in every file has more matches than anybody reads.
const MOST_FOUND_BYTES: usize = 64 << 20;

/// What an exact search found in a shared store.
pub(super) struct PublishedAnswer {
    pub(super) matching: Vec<Matching>,
    pub(super) coverage: Coverage,
    pub(super) warning: Option<Warning>,
}

/// Starts to search the shared stores that a request is about. Their answers have the places after `stores`.
pub(super) fn ask(
    engine: &Engine,
    origin: &Origin,
    request: &ExactRequest,
    filters: &Filters,
    stores: &[MountedStore],
    pattern: &Arc<Pattern>,
) -> Vec<Deferred<PublishedAnswer>> {
    let scan = TextScan {
        fragments: pattern.fragments(),
        filters: store_filters(filters),
        without: repositories(stores),
        from: None,
    };
    let mut pending = Vec::new();
    for (number, store) in engine.shared_stores(origin, request.scope).enumerate() {
        let pass = Pass {
            number: stores.len() + number,
            store: store.clone(),
            pattern: Arc::clone(pattern),
            began: Instant::now(),
            compared: 0,
            unknown: 0,
            bytes: 0,
            matching: Vec::new(),
        };
        let scan = scan.clone();
        pending.push(engine.tasks.spawn(move || pass.run(&scan)));
    }
    pending
}

/// A pass over the texts of a store.
struct Pass {
    number: usize,
    store: Guarded,
    pattern: Arc<Pattern>,
    began: Instant,
    compared: u64,
    /// How many documents were published by another version of recall, in another form.
    unknown: u64,
    /// The size of the texts that were found.
    bytes: usize,
    matching: Vec<Matching>,
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PassEnd {
    Whole,
    /// Some documents were not compared.
    Early,
}

impl Pass {
    fn run(mut self, scan: &TextScan) -> PublishedAnswer {
        let mut attempt = 0;
        let end = loop {
            attempt += 1;
            match self.steps(scan.clone()) {
                // Something was published meanwhile.
                Err(StoreError::Busy) if attempt < ATTEMPTS => {
                    (self.compared, self.unknown, self.bytes) = (0, 0, 0);
                    self.matching.clear();
                }
                end => break end,
            }
        };
        let name = &self.store.name;
        let not_all = || Some(Warning::SharedNotScanned { store: name.clone(), compared: self.compared });
        let warning = match end {
            Ok(PassEnd::Whole) if self.unknown == 0 => None,
            Ok(PassEnd::Whole | PassEnd::Early) => not_all(),
            // Nothing was published yet.
            Err(StoreError::Empty) => None,
            Err(error) => Some(warn_of_failure(name, &error)),
        };
        let newest = self.matching.iter().map(|one| one.document.modified).max();
        PublishedAnswer { coverage: coverage_of(name, self.compared, newest), warning, matching: self.matching }
    }

    fn steps(&mut self, mut scan: TextScan) -> Result<PassEnd, StoreError> {
        loop {
            let step = self.store.scan_texts(&scan)?;
            self.compared += step.compared;
            for found in step.documents {
                self.bytes += found.text.len();
                self.take(found);
            }
            scan.from = step.next;
            if scan.from.is_none() {
                return Ok(PassEnd::Whole);
            }
            if self.began.elapsed() > MOST_TIME || self.bytes > MOST_FOUND_BYTES {
                return Ok(PassEnd::Early);
            }
        }
    }

    fn take(&mut self, found: WholeDocument) {
        let WholeDocument { document, text } = found;
        let Some(record) = Record::decode(&document.path, &document.record) else {
            self.compared -= 1;
            self.unknown += 1;
            return;
        };
        let document = in_store(&self.store.name, &document.repository, record.document);
        let lines = visible_lines(&self.pattern, &document, &text);
        if lines.is_empty() {
            return;
        }
        let (matches, lines) = (lines.iter().map(|line| line.matches.len() as u64).sum(), lines.len() as u64);
        let published = PublishedText::new(text, record.chunks, record.symbols);
        self.matching.push(Matching {
            store: self.number,
            source: TextSource::Published(Arc::new(published)),
            document,
            created: None,
            matches,
            lines,
            definitions: Vec::new(),
            score: 0.0,
        });
    }
}
