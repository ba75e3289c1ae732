//! Where is a model's tokenizer, while it is used and while it is not?

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use super::LoadError;
use super::tokens::TextTokenizer;

/// A tokenizer that is read when it is needed and let go with its network; large vocabularies take a hundred megabytes.
#[derive(Debug)]
pub(crate) struct TokenizerSlot {
    path: PathBuf,
    window: usize,
    kept: Mutex<Option<Arc<TextTokenizer>>>,
}

impl TokenizerSlot {
    /// Reads the tokenizer, so that one that cannot be used is known at once.
    pub(crate) fn open(path: PathBuf, window: usize) -> Result<Self, LoadError> {
        let kept = Mutex::new(Some(Arc::new(TextTokenizer::read(&path, window)?)));
        Ok(Self { path, window, kept })
    }

    /// The tokenizer, read again where it was let go.
    pub(crate) fn get(&self) -> Result<Arc<TextTokenizer>, LoadError> {
        let mut kept = self.kept.lock();
        if let Some(tokenizer) = &*kept {
            return Ok(Arc::clone(tokenizer));
        }
        let tokenizer = Arc::new(TextTokenizer::read(&self.path, self.window)?);
        *kept = Some(Arc::clone(&tokenizer));
        Ok(tokenizer)
    }

    /// Lets it go.
    pub(crate) fn clear(&self) {
        *self.kept.lock() = None;
    }
}
