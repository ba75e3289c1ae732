//! A remote model as an embedder.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lru::LruCache;
use parking_lot::Mutex;
use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint};
use recall_text::error_chain;

use crate::providers::embed::{Unfinished, embed};
use crate::providers::error::ProviderError;
use crate::providers::link::{Link, MASKER, Patience};
use crate::providers::model::{NameError, RemoteModel, RemoteName};
use crate::providers::wire::Input;

/// The number of queries whose embeddings are kept. A search of several stores, and its next page, ask for the same one.
const KEPT_QUERIES: NonZero<usize> = NonZero::new(256).expect("256 is not zero");

/// The most embeddings that are kept after a request that failed, so that what was paid for is not lost.
const MOST_KEPT: usize = 512;

/// How long a query that failed is not sent again: the stores of one search ask for it one after the other.
const FAILED_FOR: Duration = Duration::from_secs(1);

/// A model that is reached over HTTP.
///
/// Texts are masked before they are sent, cut at the model's window, and sent in batches. Every vector is checked.
pub struct RemoteEncoder {
    model: RemoteModel,
    name: RemoteName,
    link: Arc<Link>,
    fingerprint: ModelFingerprint,
    queries: Mutex<LruCache<String, Embedding>>,
    failed: Mutex<Option<FailedQuery>>,
    /// What was embedded in requests before one that failed, for the next attempt.
    kept: Mutex<HashMap<String, Embedding>>,
    pace: Mutex<Pace>,
}

struct FailedQuery {
    query: String,
    at: Instant,
    error: ModelError,
}

/// Documents that were embedded, and the time that it took.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    texts: u64,
    time: Duration,
}

/// The state of a remote model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EncoderState {
    /// Why requests are paused; `None` if they are not.
    pub problem: Option<String>,
    /// Documents that it embeds in a second, since the program started; `None` before the first.
    pub texts_per_second: Option<f64>,
}

impl RemoteEncoder {
    /// Creates an embedder. Connects to nothing yet.
    ///
    /// # Errors
    /// The model's name is malformed.
    pub fn new(model: RemoteModel, link: Arc<Link>) -> Result<Self, NameError> {
        let name = model.parse_name()?;
        let fingerprint = model.fingerprint(link.provider().wire);
        let queries = Mutex::new(LruCache::new(KEPT_QUERIES));
        Ok(Self {
            model,
            name,
            link,
            fingerprint,
            queries,
            failed: Mutex::default(),
            kept: Mutex::default(),
            pace: Mutex::default(),
        })
    }

    /// Returns the model that is asked for embeddings.
    pub fn model(&self) -> &RemoteModel {
        &self.model
    }

    /// Returns the link over which it is asked.
    pub fn link(&self) -> &Arc<Link> {
        &self.link
    }

    /// Returns whether it is paused, and its pace.
    pub fn state(&self) -> EncoderState {
        let Pace { texts, time } = *self.pace.lock();
        let problem = self.link.pause().map(|pause| pause.reason);
        EncoderState { problem, texts_per_second: (texts > 0).then(|| texts as f64 / time.as_secs_f64().max(1e-3)) }
    }

    fn ask(&self, input: Input, texts: &[&str], patience: Patience) -> Result<Vec<Embedding>, ModelError> {
        let prefix = match input {
            Input::Query => &self.model.query_prefix,
            Input::Document => &self.model.document_prefix,
        };
        let texts: Vec<String> = texts.iter().map(|text| with_prefix(prefix, text)).collect();
        let (dimensions, window) = (Some(self.model.dimensions), self.model.window_tokens);
        let mut embeddings: Vec<Option<Embedding>> = {
            let kept = self.kept.lock();
            texts.iter().map(|text| kept.get(text).cloned()).collect()
        };
        let missing: Vec<usize> = (0..texts.len()).filter(|&place| embeddings[place].is_none()).collect();
        let wanted: Vec<String> = missing.iter().map(|&place| texts[place].clone()).collect();
        match embed(&self.link, &self.name, dimensions, input, &wanted, window, patience) {
            Ok(found) => {
                let mut kept = self.kept.lock();
                for text in &texts {
                    kept.remove(text);
                }
                drop(kept);
                missing.into_iter().zip(found).for_each(|(place, vector)| embeddings[place] = Some(vector));
                Ok(embeddings.into_iter().flatten().collect())
            }
            Err(Unfinished { error, vectors }) => {
                let mut kept = self.kept.lock();
                let done = wanted.into_iter().zip(vectors).filter(|(_, vector)| !vector.is_empty());
                let room = MOST_KEPT.saturating_sub(kept.len());
                kept.extend(done.take(room));
                drop(kept);
                Err(self.model_error(error))
            }
        }
    }

    fn model_error(&self, error: ProviderError) -> ModelError {
        let model = self.model.name.clone();
        match error {
            ProviderError::NoKey { .. } | ProviderError::ExposedKey { .. } | ProviderError::Proxy { .. } => {
                ModelError::Unavailable { model, source: Arc::new(error) }
            }
            error => ModelError::Failed { model, source: Arc::new(error) },
        }
    }

    /// Returns the error of the same query if it has just failed.
    fn recent_failure(&self, query: &str) -> Option<ModelError> {
        let failed = self.failed.lock();
        let same = failed.as_ref().filter(|failed| failed.query == query && failed.at.elapsed() < FAILED_FOR)?;
        Some(same.error.clone())
    }
}

/// Masks a text and puts the prefix in front of it. A blank text stays blank.
fn with_prefix(prefix: &str, text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{prefix}{}", MASKER.mask(text)) }
}

impl Embedder for RemoteEncoder {
    fn dimensions(&self) -> usize {
        self.model.dimensions
    }

    fn window_tokens(&self) -> Option<usize> {
        Some(self.model.window_tokens)
    }

    fn fingerprint(&self) -> ModelFingerprint {
        self.fingerprint
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn query_wait(&self) -> Duration {
        self.link.settings().query_wait
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        if let Some(known) = self.queries.lock().get(query) {
            return Ok(known.clone());
        }
        if let Some(error) = self.recent_failure(query) {
            return Err(error);
        }
        let patience = deadline.map_or(Patience::Background, Patience::Until);
        match self.ask(Input::Query, &[query], patience) {
            Ok(mut found) => {
                let embedding = found.remove(0);
                self.queries.lock().put(query.to_owned(), embedding.clone());
                Ok(embedding)
            }
            Err(error) => {
                let failed = FailedQuery { query: query.to_owned(), at: Instant::now(), error: error.clone() };
                *self.failed.lock() = Some(failed);
                Err(error)
            }
        }
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        let began = Instant::now();
        let found = self.ask(Input::Document, texts, Patience::Background);
        match &found {
            Ok(_) => {
                let mut pace = self.pace.lock();
                pace.texts += texts.len() as u64;
                pace.time += began.elapsed();
            }
            Err(error) => {
                tracing::debug!(model = self.model.name, error = error_chain(error), "texts were not embedded");
            }
        }
        found
    }

    /// A remote model reads a chunk as a single text: path, symbol and content, each on its own line.
    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        let texts: Vec<String> = chunks.iter().map(ChunkText::full_text).collect();
        self.embed_documents(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

impl fmt::Debug for RemoteEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteEncoder").field("name", &self.model.name).finish_non_exhaustive()
    }
}
