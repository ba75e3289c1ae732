//! Embedding of texts in batches of similar length, with checks of every vector.

use crate::providers::error::{BadAnswer, ProviderError};
use crate::providers::link::{Link, Patience};
use crate::providers::model::{RemoteModel, RemoteName, known_limits};
use crate::providers::wire::{self, EmbedRequest, Input};
use recall_core::Quantised;
use recall_text::tokens;

/// How often a text that a server refuses is cut in half before it is given up: 400 tokens become 6.
const MOST_CUTS: u32 = 6;

/// The text that a model is asked for once, to learn its dimensions.
const PROBE: &str = "recall";

/// Asks a model for an embedding, and describes it by the answer. `name` is of the link's provider.
///
/// # Errors
/// The server does not answer, or its answer is not an embedding. Nothing is learnt from a failure.
pub fn probe(link: &Link, name: &RemoteName) -> Result<RemoteModel, ProviderError> {
    let provider = link.provider();
    if provider.wire.embeddings_path().is_none() {
        return Err(ProviderError::NoEmbeddings { provider: provider.name.clone() });
    }
    let texts = [PROBE.to_owned()];
    let found = embed(link, name, None, Input::Document, &texts, usize::MAX, Patience::Background);
    let mut vectors = found.map_err(|unfinished| unfinished.error)?;
    let dimensions = vectors.remove(0).len();
    if let Some(expected) = name.dimensions.filter(|expected| *expected != dimensions) {
        let problem = BadAnswer::WrongDimensions { expected, found: dimensions };
        return Err(ProviderError::BadAnswer { address: provider.address.clone(), problem });
    }
    let known = known_limits(provider.wire, &name.model);
    Ok(RemoteModel {
        name: name.to_string(),
        address: provider.address.clone(),
        dimensions,
        query_prefix: known.query_prefix.to_owned(),
        document_prefix: known.document_prefix.to_owned(),
        window_tokens: known.window_tokens,
    })
}

/// What was embedded before a request failed.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) error: ProviderError,
    /// One vector for each text, empty for those that are missing.
    pub(crate) vectors: Vec<Vec<f32>>,
}

/// Embeds texts; returns one vector of length 1 for each, in their order, all zero for a blank text.
///
/// Batches that the server refuses are halved. A single text that it finds too long twice is cut in half, some times.
pub(crate) fn embed(
    link: &Link,
    name: &RemoteName,
    dimensions: Option<usize>,
    input: Input,
    texts: &[String],
    window_tokens: usize,
    patience: Patience,
) -> Result<Vec<Vec<f32>>, Unfinished> {
    let settings = link.settings();
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
    let written = texts.iter().enumerate().filter(|(_, text)| !text.trim().is_empty());
    let items = written.map(|(place, text)| {
        let mut text = text.clone();
        let estimate = tokens::estimate(&text) as usize;
        cut(&mut text, estimate, window_tokens);
        Item { place, text, tokens: estimate.clamp(1, window_tokens), refusals: 0 }
    });
    let mut waiting = batches(items.collect(), settings.batch_texts.get(), settings.batch_tokens);
    while let Some(mut batch) = waiting.pop() {
        match request(link, name, dimensions, input, &batch, patience) {
            Ok(found) => {
                for (Item { place, .. }, vector) in batch.iter().zip(found) {
                    vectors[*place] = vector;
                }
            }
            Err(error) if error.asks_for_less() => match &mut batch[..] {
                [one] if error.asks_for_a_shorter_text() && one.refusals <= MOST_CUTS => {
                    // The first refusal may have been about something else than this text; the second is not.
                    if one.refusals > 0 {
                        cut(&mut one.text, 2, 1);
                        one.tokens = one.tokens.div_ceil(2);
                    }
                    one.refusals += 1;
                    waiting.push(batch);
                }
                [_] => {
                    link.is_useless(&error);
                    return Err(Unfinished { error, vectors });
                }
                _ => {
                    let rest = batch.split_off(batch.len().div_ceil(2));
                    waiting.push(rest);
                    waiting.push(batch);
                }
            },
            Err(error) => return Err(Unfinished { error, vectors }),
        }
    }
    // Without any vector the dimensions are not known, and nothing was asked for.
    let dimensions = dimensions.or_else(|| vectors.iter().map(Vec::len).max()).unwrap_or_default();
    for blank in vectors.iter_mut().filter(|vector| vector.is_empty()) {
        blank.resize(dimensions, 0.0);
    }
    Ok(vectors)
}

/// Sends one batch, and counts what it costs.
fn request(
    link: &Link,
    name: &RemoteName,
    dimensions: Option<usize>,
    input: Input,
    batch: &[Item],
    patience: Patience,
) -> Result<Vec<Vec<f32>>, ProviderError> {
    let (provider, usage) = (link.provider(), link.usage());
    let Some(path) = provider.wire.embeddings_path() else {
        return Err(ProviderError::NoEmbeddings { provider: provider.name.clone() });
    };
    let texts: Vec<&str> = batch.iter().map(|item| item.text.as_str()).collect();
    let body = wire::body(
        provider.wire,
        EmbedRequest { model: &name.model, input, texts: &texts, dimensions: name.dimensions },
    );
    let estimate: u64 = batch.iter().map(|item| item.tokens as u64).sum();
    let reserved = if provider.is_local() { 0 } else { estimate };
    if reserved > 0 {
        usage.reserve(reserved)?;
    }
    let read = |text: &str| {
        let answer = wire::read(provider.wire, text, texts.len())?;
        let vectors =
            answer.vectors.into_iter().map(|vector| unit(vector, dimensions)).collect::<Result<Vec<_>, _>>()?;
        Ok((vectors, answer.tokens))
    };
    match link.ask(path, &body, patience, read) {
        Ok((vectors, counted)) => {
            usage.record(&name.to_string(), texts.len() as u64, counted.unwrap_or(estimate), reserved);
            Ok(vectors)
        }
        Err(error) => {
            usage.give_back(reserved);
            Err(error)
        }
    }
}

/// Scales a vector to length 1, if it is one of the model.
fn unit(vector: Vec<f32>, dimensions: Option<usize>) -> Result<Vec<f32>, BadAnswer> {
    let found = vector.len();
    match dimensions {
        Some(expected) if expected != found => return Err(BadAnswer::WrongDimensions { expected, found }),
        None if found == 0 || found > Quantised::MOST_DIMENSIONS => {
            return Err(BadAnswer::UnsupportedDimensions { found });
        }
        _ => {}
    }
    if vector.iter().any(|component| !component.is_finite()) {
        return Err(BadAnswer::NotFinite);
    }
    // In 64 bits, so that the squares of tiny and huge components are neither zero nor infinite.
    let length = vector.iter().map(|component| f64::from(*component).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(BadAnswer::Zero);
    }
    Ok(vector.into_iter().map(|component| (f64::from(component) / length) as f32).collect())
}

/// A text with its place in the caller's list and its estimated tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) place: usize,
    pub(crate) text: String,
    pub(crate) tokens: usize,
    /// How often the server refused it alone.
    pub(crate) refusals: u32,
}

/// Sorts texts by length, the longest first, and cuts them into batches. A text that exceeds the tokens is a batch of its own.
pub(crate) fn batches(mut items: Vec<Item>, most_texts: usize, most_tokens: usize) -> Vec<Vec<Item>> {
    items.sort_by(|one, other| other.tokens.cmp(&one.tokens).then(one.place.cmp(&other.place)));
    let mut batches: Vec<Vec<Item>> = Vec::new();
    let mut tokens = 0;
    for item in items {
        let fits = |batch: &&mut Vec<Item>| batch.len() < most_texts && tokens + item.tokens <= most_tokens;
        if let Some(batch) = batches.last_mut().filter(fits) {
            tokens += item.tokens;
            batch.push(item);
        } else {
            tokens = item.tokens;
            batches.push(vec![item]);
        }
    }
    batches
}

/// Cuts a text to `most_tokens` by estimate, at a character.
pub(crate) fn cut(text: &mut String, tokens: usize, most_tokens: usize) {
    if tokens > most_tokens {
        let most = text.len().saturating_mul(most_tokens) / tokens;
        text.truncate(text.floor_char_boundary(most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_scaled_to_length_1_or_refused() {
        assert_eq!(unit(vec![3.0, -4.0], Some(2)), Ok(vec![0.6, -0.8]));
        for length in [1e-44, 1e-30, 1e30, 3e38] {
            let scaled = unit(vec![length, 0.0], None).expect("it has a direction");
            assert!((scaled[0] - 1.0).abs() < 1e-6, "{length}");
        }
        assert_eq!(unit(vec![0.0, -0.0], Some(2)), Err(BadAnswer::Zero));
        assert_eq!(unit(vec![1.0, f32::INFINITY], Some(2)), Err(BadAnswer::NotFinite));
        assert_eq!(unit(vec![1.0, f32::NAN], None), Err(BadAnswer::NotFinite));
        assert_eq!(unit(vec![1.0], Some(2)), Err(BadAnswer::WrongDimensions { expected: 2, found: 1 }));
        assert_eq!(unit(Vec::new(), None), Err(BadAnswer::UnsupportedDimensions { found: 0 }));
        assert_eq!(unit(vec![1.0; 4097], None), Err(BadAnswer::UnsupportedDimensions { found: 4097 }));
    }

    fn item(place: usize, tokens: usize) -> Item {
        Item { place, text: String::new(), tokens, refusals: 0 }
    }

    #[test]
    fn batches_are_sorted_and_within_both_limits() {
        let items = [3, 9, 1, 4, 20, 4].into_iter().enumerate().map(|(place, tokens)| item(place, tokens)).collect();
        let batches = batches(items, 3, 14);
        let tokens: Vec<Vec<usize>> =
            batches.iter().map(|batch| batch.iter().map(|item| item.tokens).collect()).collect();
        assert_eq!(tokens, [vec![20], vec![9, 4], vec![4, 3, 1]]);
        let mut places: Vec<usize> = batches.into_iter().flatten().map(|item| item.place).collect();
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4, 5], "no text is lost");
    }

    #[test]
    fn a_text_is_cut_at_a_character() {
        let mut text = "größer".repeat(10);
        cut(&mut text, 40, 10);
        assert!(text.len() <= 20 && text.starts_with("größer"), "{text}");
        let mut short = "short".to_owned();
        cut(&mut short, 2, 10);
        assert_eq!(short, "short");
    }
}
