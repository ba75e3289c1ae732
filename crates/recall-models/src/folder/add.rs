//! Installing a model from a local folder, after a trial run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{AddError, ModelsFolder};
use crate::Runtime;
use crate::files::sha256_of;
use crate::manifest::{Batching, Description, Manifest, ModelFile, NETWORK, NetworkKind, TOKENIZER, describe};
use crate::onnx::{Network, OnnxNetwork, OnnxSettings, RunError, Task, TextTokenizer, Tokens};

/// The files in which Python's libraries keep a model's weights; they do not say how the network computes.
const WEIGHTS: [&str; 4] =
    ["model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"];

impl ModelsFolder {
    /// Installs the model of a folder with `model.onnx`, `tokenizer.json` and their configuration.
    ///
    /// The network may be in a subfolder `onnx`, as in the repositories of a hub. Fields missing in the manifest
    /// `recall-model.json`, or all of them if there is no manifest, are read from the configuration of
    /// sentence-transformers; prefixes that neither states are those that are known for the name. The model is copied, loaded and run on a few texts before it is installed: its dimension
    /// must be as stated, and all outputs must be finite. If a text's embedding depends on the rest of its batch, the
    /// model will run each text alone.
    ///
    /// # Errors
    /// See [`AddError`]. Nothing is left behind.
    pub fn add(
        &self,
        from: &Path,
        name: &str,
        runtime: &Runtime,
        settings: &OnnxSettings,
    ) -> Result<Manifest, AddError> {
        let target = self.free(name)?;
        let network = network_in(from)?;
        let tokenizer = from.join(TOKENIZER);
        if !tokenizer.is_file() {
            return Err(AddError::Missing { path: tokenizer });
        }
        let description = describe(from, name)?;

        let unwritable = |source| AddError::Unwritable { path: target.clone(), source };
        fs::create_dir_all(&self.path).map_err(unwritable)?;
        let staging = tempfile::Builder::new().prefix(".incoming-").tempdir_in(&self.path).map_err(unwritable)?;
        for file in parts_of(&network).map_err(unwritable)?.iter().chain([&tokenizer]) {
            let name = file.file_name().unwrap_or_default();
            fs::copy(file, staging.path().join(name)).map_err(unwritable)?;
        }
        let manifest = finish(staging.path(), &target, description, runtime, settings)?;
        // The folder was renamed, so there is nothing to delete.
        let _ = staging.keep();
        Ok(manifest)
    }

    /// Returns the path for a new model of this name.
    pub(super) fn free(&self, name: &str) -> Result<PathBuf, AddError> {
        let path = self.path_of(name)?;
        if path.exists() { Err(AddError::AlreadyThere { name: name.to_owned() }) } else { Ok(path) }
    }
}

/// Probes a prepared model, writes its manifest, and moves it to its target.
pub(super) fn finish(
    staging: &Path,
    target: &Path,
    description: Description,
    runtime: &Runtime,
    settings: &OnnxSettings,
) -> Result<Manifest, AddError> {
    let probed = probe(staging, &description, runtime, settings)?;
    let unwritable = |source| AddError::Unwritable { path: target.to_owned(), source };
    let mut files = Vec::new();
    for path in parts_of(&staging.join(NETWORK)).map_err(unwritable)?.into_iter().chain([staging.join(TOKENIZER)]) {
        let (sha256, bytes) = sha256_of(&path).map_err(unwritable)?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        files.push(ModelFile { name, bytes, sha256 });
    }
    let manifest = description.into_manifest(probed.dimensions, probed.batching, files);
    manifest.write(staging).map_err(unwritable)?;
    fs::rename(staging, target).map_err(unwritable)?;
    Ok(manifest)
}

/// Finds the network of a folder.
fn network_in(folder: &Path) -> Result<PathBuf, AddError> {
    let places = [folder.join(NETWORK), folder.join("onnx").join(NETWORK)];
    if let Some(network) = places.into_iter().find(|path| path.is_file()) {
        return Ok(network);
    }
    let weights = WEIGHTS.map(|name| folder.join(name)).into_iter().find(|path| path.is_file());
    Err(match weights {
        Some(weights) => AddError::OnlyWeights { folder: folder.to_owned(), weights },
        None => AddError::Missing { path: folder.join(NETWORK) },
    })
}

/// Lists a network's files, ordered by name: `model.onnx`, and files such as `model.onnx_data` with its large tensors.
fn parts_of(network: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = network.parent().unwrap_or(network);
    let mut parts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_part = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(NETWORK));
        if is_part && path.is_file() {
            parts.push(path);
        }
    }
    parts.sort();
    Ok(parts)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[&str], expected: Result<&str, &str>) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("onnx")).expect("writable");
        for file in files {
            fs::write(folder.path().join(file), "").expect("writable");
        }
        let found = network_in(folder.path()).map_err(|error| error.to_string());
        let place = |name: &str| folder.path().join(name);
        match expected {
            Ok(network) => assert_eq!(found, Ok(place(network))),
            Err(says) => assert!(found.as_ref().is_err_and(|error| error.contains(says)), "{found:?}"),
        }
    }

    #[test]
    fn a_network_is_found_in_the_folder_or_below_onnx() {
        check(&["model.onnx", "onnx/model.onnx", "model.safetensors"], Ok("model.onnx"));
        check(&["onnx/model.onnx", "pytorch_model.bin"], Ok("onnx/model.onnx"));
    }

    #[test]
    fn a_folder_without_a_network_is_refused_and_its_weights_are_named() {
        check(&[], Err("there is no "));
        check(&["model.safetensors"], Err("model.safetensors` holds weights, but no ONNX network"));
        check(&["pytorch_model.bin.index.json"], Err("pytorch_model.bin.index.json` holds weights"));
    }
}
