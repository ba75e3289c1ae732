//! A tokenizer that is released while its model is idle.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use super::LoadError;
use super::tokens::TextTokenizer;

/// A tokenizer that is loaded on demand and released with its network. Large vocabularies take a hundred megabytes.
#[derive(Debug)]
pub(crate) struct TokenizerSlot {
    path: PathBuf,
    window: usize,
    kept: Mutex<Option<Arc<TextTokenizer>>>,
}

impl TokenizerSlot {
    /// Reads the tokenizer, so that an invalid one is reported at once.
    pub(crate) fn open(path: PathBuf, window: usize) -> Result<Self, LoadError> {
        let kept = Mutex::new(Some(Arc::new(TextTokenizer::read(&path, window)?)));
        Ok(Self { path, window, kept })
    }

    /// Returns the tokenizer, reading it again if it was released.
    pub(crate) fn get(&self) -> Result<Arc<TextTokenizer>, LoadError> {
        let mut kept = self.kept.lock();
        if let Some(tokenizer) = &*kept {
            return Ok(Arc::clone(tokenizer));
        }
        let tokenizer = Arc::new(TextTokenizer::read(&self.path, self.window)?);
        *kept = Some(Arc::clone(&tokenizer));
        Ok(tokenizer)
    }

    /// Releases the tokenizer.
    pub(crate) fn clear(&self) {
        *self.kept.lock() = None;
    }
}
