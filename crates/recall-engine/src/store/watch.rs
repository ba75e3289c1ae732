//! A look at the files of an open store, which somebody else may have replaced or overwritten.

use std::fmt;
use std::time::Instant;

use recall_catalog::Disturbance;

use super::{Part, Store};
use crate::error::StoreError;

/// What is wrong with the files of an open store. It is opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disturbed {
    /// Another catalog is in the place of the one that is open.
    Replaced,
    /// The bytes of a part were changed.
    Overwritten(Part),
}

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Replaced => "the catalog was replaced",
            Self::Overwritten(Part::Catalog) => "the catalog was overwritten",
            Self::Overwritten(Part::Lexical) => "the lexical index was overwritten",
        })
    }
}

impl Store {
    /// Looks whether somebody else has changed the files, at most as often as files are compared, and not while they are
    /// written here.
    ///
    /// Embeddings are set aside and made again at once; for the other parts the store has to be opened again.
    pub(crate) fn disturbed(&self) -> Option<Disturbed> {
        // A deleted index, as after `rm -r` of the folder of stores, is noticed by the first request after it.
        if !self.catalog.is_in_place() && self.writing.try_lock().is_some() {
            return Some(Disturbed::Replaced);
        }
        {
            let mut looked = self.looked.lock();
            let interval = self.settings().limits.look_interval;
            if looked.is_some_and(|looked| looked.elapsed() < interval) {
                return None;
            }
            *looked = Some(Instant::now());
        }
        let _writing = self.writing.try_lock()?;
        if self.lexical_writer.try_lock()?.is_some() {
            return None;
        }
        match self.catalog.disturbance() {
            Some(Disturbance::Replaced) => return Some(Disturbed::Replaced),
            Some(Disturbance::Overwritten) => return Some(Disturbed::Overwritten(Part::Catalog)),
            None => {}
        }
        // What another process committed is followed by the next comparison, which publishes it.
        let is_followed = self.catalog.generation().is_ok_and(|generation| generation == self.known.load().generation);
        if is_followed && self.lexical.is_disturbed() {
            return Some(Disturbed::Overwritten(Part::Lexical));
        }
        self.semantic.give_up_disturbed();
        None
    }

    /// Makes everything again that is derived from the files, since the catalog may hold anything.
    pub(crate) fn derive_anew(&self) -> Result<(), StoreError> {
        self.attention.everything_anew();
        {
            let _writing = self.writing.lock();
            let generation = self.catalog.generation().map_err(|source| self.read_failed(source))?;
            self.refill_lexical(generation)?;
        }
        self.reload_known()?;
        self.settle();
        Ok(())
    }
}
