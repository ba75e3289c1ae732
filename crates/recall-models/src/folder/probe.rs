//! Does a model do what it says?

use std::path::Path;

use super::AddError;
use crate::Runtime;
use crate::manifest::{Batching, Description, NETWORK, Role, TOKENIZER};
use crate::onnx::{Network, OnnxNetwork, OnnxSettings, RunError, Task, TextTokenizer, Tokens};

/// What is tried: of different lengths and scripts, so that the shorter ones are padded when they are run together.
const PROBES: [&str; 4] = [
    "",
    "open the store",
    "fn retry(mut attempt: u32) -> Duration { Duration::from_millis(100) * 2u32.pow(attempt.min(6)) }",
    "Connections that were idle for longer than the limit are closed, and the pool opens new ones when they are needed. \
     数据库连接池 🦀 закрывает соединения, die zu lange nicht gebraucht wurden.",
];

/// By how much outputs may differ when a text is run with others: rounding differs by a millionth, an embedding in one byte a
/// component by a thousandth, dynamically quantised networks by a hundredth.
const MOST_DIFFERENCE: f64 = 1e-4;

/// What was found out about a model.
pub(super) struct Probed {
    pub(super) dimensions: usize,
    pub(super) batching: Batching,
}

/// Loads a model and runs it.
pub(super) fn probe(
    folder: &Path,
    description: &Description,
    runtime: &Runtime,
    settings: &OnnxSettings,
) -> Result<Probed, AddError> {
    let tokenizer = TextTokenizer::read(&folder.join(TOKENIZER), description.window_tokens)?;
    let task = Task {
        role: description.role,
        pooling: description.pooling,
        normalise: description.normalise,
        dimensions: None,
        padding: tokenizer.padding(),
    };
    let mut network = OnnxNetwork::load(runtime, &folder.join(NETWORK), settings, task)?;
    let tokens = PROBES.iter().map(|probe| match description.role {
        Role::Embed => tokenizer.text(&description.document_prefix, probe),
        Role::Rerank => tokenizer.pair(PROBES[1], probe),
    });
    let tokens: Vec<Tokens> = tokens.collect::<Result<_, _>>()?;
    // A tokenizer that adds nothing around a text leaves none of an empty one, which no network can be asked.
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

/// How far two outputs are apart, relative to their lengths: for embeddings by about the root of twice what their cosine lacks
/// to 1, squared here so that it is that.
fn difference(one: &[f32], other: &[f32]) -> f64 {
    let squares = |numbers: &[f32]| numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>();
    let apart: f64 = one.iter().zip(other).map(|(one, other)| (f64::from(*one) - f64::from(*other)).powi(2)).sum();
    apart / (squares(one) + squares(other)).max(f64::MIN_POSITIVE)
}
