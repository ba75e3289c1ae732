//! A trial run of a model before it is installed.

use std::path::Path;

use super::AddError;
use crate::Runtime;
use crate::manifest::{Batching, Description, NETWORK, NetworkKind, TOKENIZER};
use crate::onnx::{Network, OnnxNetwork, OnnxSettings, RunError, Task, TextTokenizer, Tokens};

/// The texts of the trial run. They differ in length and script, so that shorter ones are padded in a batch.
const PROBES: [&str; 4] = [
    "",
    "open the store",
    "fn retry(mut attempt: u32) -> Duration { Duration::from_millis(100) * 2u32.pow(attempt.min(6)) }",
    "Connections that were idle for longer than the limit are closed, and the pool opens new ones when they are needed. \
     数据库连接池 🦀 закрывает соединения, die zu lange nicht gebraucht wurden.",
];

/// The largest accepted difference between a text's outputs alone and in a batch. Rounding of sums causes about 1e-6,
/// quantization to one byte per component 1e-3, and dynamically quantized networks 1e-2.
const MOST_DIFFERENCE: f64 = 1e-4;

/// The measured properties of a model.
pub(super) struct Probed {
    pub(super) dimensions: usize,
    pub(super) batching: Batching,
}

/// Loads a model and runs it on the trial texts.
pub(super) fn probe(
    folder: &Path,
    description: &Description,
    runtime: &Runtime,
    settings: &OnnxSettings,
) -> Result<Probed, AddError> {
    let tokenizer = TextTokenizer::read(&folder.join(TOKENIZER), description.window_tokens)?;
    let task = Task {
        kind: description.kind,
        pooling: description.pooling,
        normalise: description.normalise,
        dimensions: None,
        padding: tokenizer.padding(),
    };
    let mut network = OnnxNetwork::load(runtime, &folder.join(NETWORK), settings, task)?;
    let tokens = PROBES.iter().map(|probe| match description.kind {
        NetworkKind::Embed => tokenizer.text(&description.document_prefix, probe),
        NetworkKind::Rerank => tokenizer.pair(PROBES[1], probe),
    });
    let tokens: Vec<Tokens> = tokens.collect::<Result<_, _>>()?;
    // Some tokenizers add no special tokens, so an empty text has no tokens. A network cannot be run on it.
    let tokens: Vec<&Tokens> = tokens.iter().filter(|tokens| tokens.len() > 0).collect();
    let together = run(&mut network, &tokens)?;
    let mut alone = Vec::new();
    for tokens in &tokens {
        alone.extend(run(&mut network, &[*tokens])?);
    }
    let dimensions = alone.first().map_or(0, Vec::len);
    if let Some(expected) = description.dimensions
        && expected != dimensions
    {
        return Err(AddError::WrongDimensions { expected, found: dimensions });
    }
    let differ = alone.iter().zip(&together).any(|(alone, together)| difference(alone, together) > MOST_DIFFERENCE);
    Ok(Probed { dimensions, batching: if differ { Batching::Alone } else { Batching::Together } })
}

fn run(network: &mut OnnxNetwork, batch: &[&Tokens]) -> Result<Vec<Vec<f32>>, RunError> {
    network.run(batch)?.into_iter().collect()
}

/// Returns the squared distance of two outputs, relative to the sum of their squared lengths. For embeddings of length 1
/// this is 1 minus their cosine.
fn difference(one: &[f32], other: &[f32]) -> f64 {
    let squares = |numbers: &[f32]| numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>();
    let apart: f64 = one.iter().zip(other).map(|(one, other)| (f64::from(*one) - f64::from(*other)).powi(2)).sum();
    apart / (squares(one) + squares(other)).max(f64::MIN_POSITIVE)
}
