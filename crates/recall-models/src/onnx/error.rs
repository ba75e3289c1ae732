//! Errors of loading and running networks.

use std::io;
use std::path::PathBuf;

use crate::manifest::{ManifestError, NetworkKind};

/// A model could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The manifest cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file is missing or cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file differs from the installed one.
    #[error("`{}` has changed: its checksum is {found}, expected {expected}", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The SHA-256 in the manifest, in hexadecimal.
        expected: String,
        /// The present SHA-256.
        found: String,
    },
    /// The tokenizer's file is invalid.
    #[error("`{}` is not a tokenizer: {reason}", path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// The tokenizer library's message.
        reason: String,
    },
    /// The runtime refuses the network.
    #[error("the ONNX runtime cannot load `{}`: {reason}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// The runtime's message.
        reason: String,
    },
    /// The inputs or outputs of the network are not those of a text encoder.
    #[error("`{}` is not a text encoder: {problem}", path.display())]
    NotAnEncoder {
        /// The file.
        path: PathBuf,
        /// Which input or output is missing or unknown.
        problem: String,
    },
    /// The model does something else.
    #[error("`{}` is made to {found}, not to {asked}", path.display())]
    OtherKind {
        /// The model's folder.
        path: PathBuf,
        /// What the manifest says that it does.
        found: NetworkKind,
        /// What is asked of it.
        asked: NetworkKind,
    },
}

/// A loaded network did not produce the outputs of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The tokenizer failed on the text.
    #[error("the tokenizer failed: {reason}")]
    Tokenizer {
        /// The tokenizer library's message.
        reason: String,
    },
    /// The runtime failed.
    #[error("the ONNX runtime failed: {reason}")]
    Runtime {
        /// The runtime's message.
        reason: String,
    },
    /// An output is infinite or not a number.
    #[error("output {component} of the text is not a finite number")]
    NotFinite {
        /// The index of the output, from 0.
        component: usize,
    },
    /// The outputs have another shape than the manifest says.
    #[error("the network's outputs have the shape {found:?}, expected {expected} per text")]
    Shape {
        /// The expected number of outputs.
        expected: usize,
        /// The shape of the output tensor.
        found: Vec<i64>,
    },
    /// The embedding does not have length 1, although the manifest says that the network scales it.
    #[error("the embedding has length {length}, expected 1")]
    NotUnit {
        /// Its length in decimal.
        length: String,
    },
    /// The worker ended before the text was done: the model was removed, or its thread died.
    #[error("the model was closed before the text was done")]
    Ended,
}
