//! Running a network on a batch of tokens, and pooling and normalization of its outputs.

use std::borrow::Cow;
use std::path::Path;

use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::session::{HasSelectedOutputs, OutputSelector, RunOptions, Session, SessionInputValue};
use ort::value::{Tensor, TensorElementType, ValueType};

use super::tokens::Tokens;
use recall_core::Provider;

use super::provider::{RECORD, assignment, registration};
use super::{LoadError, OnnxSettings, ProviderUse, RunError};
use crate::Runtime;
use crate::manifest::{NetworkKind, Pooling};

/// The use of a network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) kind: NetworkKind,
    pub(crate) pooling: Pooling,
    pub(crate) normalise: bool,
    /// The number of outputs of a text; `None` accepts any.
    pub(crate) dimensions: Option<usize>,
    /// The token id of padding.
    pub(crate) padding: u32,
}

pub(crate) trait Network: Send {
    /// Returns the outputs of each text, in order.
    ///
    /// # Errors
    /// The runtime failed on the batch as a whole. An output that is not finite only fails its own text.
    fn run(&mut self, batch: &[&Tokens]) -> Result<Vec<Result<Vec<f32>, RunError>>, RunError>;

    /// Releases the memory of earlier runs. Returns whether it did.
    ///
    /// # Errors
    /// The runtime failed.
    fn release_memory(&mut self) -> Result<bool, RunError>;

    /// Returns which providers run the network.
    fn provider(&self) -> &ProviderUse;
}

/// A network in ONNX Runtime.
pub(crate) struct OnnxNetwork {
    session: Session,
    provider: ProviderUse,
    inputs: Vec<NetworkInput>,
    output: String,
    /// Restricts each run to the one output.
    options: RunOptions<HasSelectedOutputs>,
    /// The same, but empties the memory arena after the run; `None` if the runtime does not support it.
    releasing: Option<RunOptions<HasSelectedOutputs>>,
    task: Task,
}

struct NetworkInput {
    name: String,
    kind: InputKind,
    is_wide: bool,
}

/// The meaning of an input, with one number per token.
#[derive(Clone, Copy)]
enum InputKind {
    /// The token's id.
    Ids,
    /// 1 for a token, 0 for padding.
    Mask,
    /// The segment of a pair.
    Parts,
    /// The position in the text.
    Places,
}

/// Allocates the weights outside the arena. Inside it they would keep neighbouring blocks from being released.
const WEIGHTS_OUTSIDE_ARENA: (&str, &str) = ("session.use_device_allocator_for_initializers", "1");
/// Releases the CPU arena after a run.
const EMPTY_ARENA: (&str, &str) = ("memory.enable_memory_arena_shrinkage", "cpu:0");

/// Names of an encoder's output, in order of preference: one vector per text, or one per token.
const OUTPUTS: &[&str] = &["sentence_embedding", "last_hidden_state", "token_embeddings"];

impl OnnxNetwork {
    /// Loads a network with the first provider of the settings that works.
    pub(crate) fn load(runtime: &Runtime, path: &Path, settings: &OnnxSettings, task: Task) -> Result<Self, LoadError> {
        let refused = |error: ort::Error| LoadError::Network { path: path.to_owned(), reason: error.to_string() };
        let wrong = |problem: String| LoadError::NotAnEncoder { path: path.to_owned(), problem };
        let session = session(runtime, path, settings).map_err(refused)?;
        let provider = assignment(&session).map_err(refused)?;
        let inputs = session
            .inputs()
            .iter()
            .map(|input| NetworkInput::parse(input.name(), input.dtype()))
            .collect::<Result<_, _>>();
        let inputs: Vec<NetworkInput> = inputs.map_err(wrong)?;
        if !inputs.iter().any(|input| matches!(input.kind, InputKind::Ids)) {
            return Err(wrong("there is no input `input_ids`".to_owned()));
        }
        let output = output_of(&session, task.kind).map_err(wrong)?;
        let options = || Ok(RunOptions::new()?.with_outputs(OutputSelector::no_default().with(&output)));
        let (options, mut releasing) = (options().map_err(refused)?, options().map_err(refused)?);
        releasing.set(EMPTY_ARENA.0, EMPTY_ARENA.1).map_err(refused)?;
        let operations = &provider.operations;
        tracing::info!(network = %path.display(), provider = provider.main(), ?operations, "loaded a network");
        Ok(Self { session, provider, inputs, output, options, releasing: Some(releasing), task })
    }
}

impl Network for OnnxNetwork {
    fn run(&mut self, batch: &[&Tokens]) -> Result<Vec<Result<Vec<f32>, RunError>>, RunError> {
        let width = batch.iter().map(|tokens| tokens.len()).max().unwrap_or(0);
        if width == 0 {
            return Ok(batch.iter().map(|_| Ok(vec![0.0; self.task.dimensions.unwrap_or(0)])).collect());
        }
        let inputs = inputs(&self.inputs, batch, width, self.task.padding)?;
        let outputs = self.session.run_with_options(inputs, &self.options)?;
        let (shape, numbers) = outputs[self.output.as_str()].try_extract_tensor::<f32>()?;
        self.task.split(shape, numbers, batch, width)
    }

    /// The arena is only released at the end of a run, so this runs a single token. If the runtime does not support it,
    /// it is not tried again.
    fn release_memory(&mut self) -> Result<bool, RunError> {
        let Some(options) = self.releasing.take() else { return Ok(false) };
        let token = Tokens { ids: vec![self.task.padding], parts: vec![0] };
        let inputs = inputs(&self.inputs, &[&token], 1, self.task.padding)?;
        self.session.run_with_options(inputs, &options)?;
        self.releasing = Some(options);
        Ok(true)
    }

    fn provider(&self) -> &ProviderUse {
        &self.provider
    }
}

impl From<ort::Error> for RunError {
    fn from(error: ort::Error) -> Self {
        Self::Runtime { reason: error.to_string() }
    }
}

/// Builds the inputs of a batch.
fn inputs<'a>(
    inputs: &'a [NetworkInput],
    batch: &[&Tokens],
    width: usize,
    padding: u32,
) -> Result<Vec<(Cow<'a, str>, SessionInputValue<'a>)>, ort::Error> {
    let named =
        inputs.iter().map(|input| Ok((Cow::Borrowed(input.name.as_str()), input.value(batch, width, padding)?)));
    named.collect()
}

impl Task {
    /// Splits the outputs of a batch by text: `[texts, outputs]`, or `[texts, tokens, outputs]`, which are pooled.
    fn split(
        &self,
        shape: &[i64],
        numbers: &[f32],
        batch: &[&Tokens],
        width: usize,
    ) -> Result<Vec<Result<Vec<f32>, RunError>>, RunError> {
        let texts = batch.len();
        let expected = self.dimensions;
        let wrong = || RunError::Shape { expected: expected.unwrap_or(0), found: shape.to_vec() };
        let sizes: Vec<usize> = shape.iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect();
        let (of_text, dimensions) = match sizes[..] {
            [rows] if rows == texts => (1, 1),
            [rows, dimensions] if rows == texts => (dimensions, dimensions),
            [rows, tokens, dimensions] if rows == texts && tokens == width && self.kind == NetworkKind::Embed => {
                (tokens * dimensions, dimensions)
            }
            _ => return Err(wrong()),
        };
        if dimensions == 0 || expected.is_some_and(|expected| expected != dimensions) {
            return Err(wrong());
        }
        let is_pooled = sizes.len() < 3;
        let texts = numbers.chunks_exact(of_text).zip(batch);
        Ok(texts
            .map(|(numbers, tokens)| {
                let pooling = || pool(numbers, dimensions, tokens.len(), self.pooling);
                self.finish(if is_pooled { numbers.to_vec() } else { pooling() })
            })
            .collect())
    }

    fn finish(&self, mut outputs: Vec<f32>) -> Result<Vec<f32>, RunError> {
        check_finite(&outputs)?;
        match (self.kind, self.normalise) {
            (NetworkKind::Embed, true) => to_unit(&mut outputs),
            (NetworkKind::Embed, false) => check_unit(&outputs)?,
            (NetworkKind::Rerank, _) => {}
        }
        Ok(outputs)
    }
}

impl NetworkInput {
    fn parse(name: &str, kind: &ValueType) -> Result<Self, String> {
        let ValueType::Tensor { ty, .. } = kind else { return Err(format!("input `{name}` is not a tensor")) };
        let is_wide = match ty {
            TensorElementType::Int64 => true,
            TensorElementType::Int32 => false,
            other => return Err(format!("input `{name}` has type {other}, expected integers")),
        };
        let kind = match name {
            "input_ids" => InputKind::Ids,
            "attention_mask" => InputKind::Mask,
            "token_type_ids" => InputKind::Parts,
            "position_ids" => InputKind::Places,
            _ => return Err(format!("input `{name}` is unknown")),
        };
        Ok(Self { name: name.to_owned(), kind, is_wide })
    }

    /// Builds the tensor of a batch, `[texts, width]`.
    fn value(&self, batch: &[&Tokens], width: usize, padding: u32) -> Result<SessionInputValue<'static>, ort::Error> {
        let shape = [batch.len(), width];
        let numbers = batch.iter().flat_map(|tokens| {
            (0..width).map(move |at| match self.kind {
                InputKind::Ids => i64::from(tokens.ids.get(at).copied().unwrap_or(padding)),
                InputKind::Mask => i64::from(at < tokens.len()),
                InputKind::Parts => i64::from(tokens.parts.get(at).copied().unwrap_or(0)),
                InputKind::Places => at as i64,
            })
        });
        Ok(if self.is_wide {
            Tensor::from_array((shape, numbers.collect::<Vec<i64>>()))?.into()
        } else {
            Tensor::from_array((shape, numbers.map(|number| number as i32).collect::<Vec<i32>>()))?.into()
        })
    }
}

/// Returns the name of the output to use.
fn output_of(session: &Session, kind: NetworkKind) -> Result<String, String> {
    let ranks: Vec<(&str, usize)> = session
        .outputs()
        .iter()
        .filter_map(|output| match output.dtype() {
            ValueType::Tensor { ty: TensorElementType::Float32, shape, .. } => Some((output.name(), shape.len())),
            _ => None,
        })
        .collect();
    let wanted = match kind {
        NetworkKind::Embed => OUTPUTS.iter().find_map(|name| ranks.iter().find(|(output, _)| output == name)),
        NetworkKind::Rerank => ranks.iter().find(|(output, _)| *output == "logits"),
    };
    let most = if kind == NetworkKind::Embed { 3 } else { 2 };
    let any = || ranks.iter().find(|(_, rank)| (1..=most).contains(rank));
    let (name, _) = wanted.or_else(any).ok_or("no output has single precision and one row per text")?;
    Ok((*name).to_owned())
}

/// Creates a session with the first provider that the library and the machine support. The CPU is tried last.
fn session(runtime: &Runtime, path: &Path, settings: &OnnxSettings) -> Result<Session, ort::Error> {
    for provider in settings.providers.iter().filter(|provider| **provider != Provider::Cpu) {
        match builder(runtime, settings, *provider).and_then(|mut builder| builder.commit_from_file(path)) {
            Ok(session) => return Ok(session),
            Err(error) => tracing::warn!(%provider, %error, "cannot use an execution provider"),
        }
    }
    builder(runtime, settings, Provider::Cpu)?.commit_from_file(path)
}

fn builder(runtime: &Runtime, settings: &OnnxSettings, provider: Provider) -> Result<SessionBuilder, ort::Error> {
    let builder = Session::builder(runtime.environment())?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(settings.threads.max(1))?
        // Threads that spin while waiting take the CPU from other work.
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?
        // A memory plan is made per batch shape, and lengths differ too much for it to be reused.
        .with_memory_pattern(false)?
        .with_config_entry(WEIGHTS_OUTSIDE_ARENA.0, WEIGHTS_OUTSIDE_ARENA.1)?
        .with_config_entry(RECORD.0, RECORD.1)?;
    let mut providers = vec![registration(provider)];
    if provider != Provider::Cpu {
        // Runs the operations that the other provider does not support.
        providers.push(registration(Provider::Cpu));
    }
    Ok(builder.with_execution_providers(providers)?)
}

/// The tolerated deviation from length 1 of an embedding scaled by the network.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Pools the outputs of one text: `dimensions` numbers for each token, followed by those of padding, which are ignored.
///
/// Without tokens the result is zero.
pub(crate) fn pool(outputs: &[f32], dimensions: usize, tokens: usize, pooling: Pooling) -> Vec<f32> {
    let of_token = |token: usize| &outputs[token * dimensions..(token + 1) * dimensions];
    match (tokens, pooling) {
        (0, _) => vec![0.0; dimensions],
        (_, Pooling::Cls) => of_token(0).to_vec(),
        (_, Pooling::Last) => of_token(tokens - 1).to_vec(),
        (_, Pooling::Mean) => {
            let mut mean = of_token(0).to_vec();
            for token in 1..tokens {
                for (mean, output) in mean.iter_mut().zip(of_token(token)) {
                    *mean += output;
                }
            }
            for mean in &mut mean {
                *mean /= tokens as f32;
            }
            mean
        }
    }
}

/// Fails with the first output that is not finite.
pub(crate) fn check_finite(outputs: &[f32]) -> Result<(), RunError> {
    match outputs.iter().position(|output| !output.is_finite()) {
        Some(component) => Err(RunError::NotFinite { component }),
        None => Ok(()),
    }
}

/// Scales an embedding to length 1. A zero vector stays zero.
pub(crate) fn to_unit(embedding: &mut [f32]) {
    let length = length(embedding);
    if length > 0.0 {
        for component in embedding {
            *component = (f64::from(*component) / length) as f32;
        }
    }
}

/// Fails if the embedding's length is neither 1 nor 0.
pub(crate) fn check_unit(embedding: &[f32]) -> Result<(), RunError> {
    let length = length(embedding) as f32;
    let is_unit = length == 0.0 || (length - 1.0).abs() <= UNIT_TOLERANCE;
    if is_unit { Ok(()) } else { Err(RunError::NotUnit { length: length.to_string() }) }
}

/// Uses double precision, since the squares of large outputs overflow single precision.
fn length(embedding: &[f32]) -> f64 {
    embedding.iter().map(|component| f64::from(*component).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_ignored() {
        let outputs = [1.0, 2.0, 3.0, 6.0, 90.0, 90.0];
        for (tokens, pooling, expected) in [
            (2, Pooling::Mean, [2.0, 4.0]),
            (2, Pooling::Cls, [1.0, 2.0]),
            (2, Pooling::Last, [3.0, 6.0]),
            (0, Pooling::Mean, [0.0, 0.0]),
        ] {
            assert_eq!(pool(&outputs, 2, tokens, pooling), expected, "{pooling:?}");
        }
    }

    #[test]
    fn vectors_of_any_length_are_scaled_to_one() {
        for component in [1e-30, 1.0, 3e38] {
            let mut embedding = [component, component];
            to_unit(&mut embedding);
            assert!((embedding[0] - 0.5_f32.sqrt()).abs() < 1e-6, "{embedding:?}");
            assert_eq!(check_unit(&embedding), Ok(()));
        }
        assert!(check_unit(&[0.5, 0.5]).is_err());
        assert_eq!(check_finite(&[1.0, f32::NAN]), Err(RunError::NotFinite { component: 1 }));
    }
}
