//! Why was a text not embedded?

use std::io;
use std::path::PathBuf;

use crate::manifest::{ManifestError, Role};

/// A model cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Its manifest cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file is missing or cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What was said.
        source: io::Error,
    },
    /// A file is not the one that was installed.
    #[error("{} has changed: its checksum is {found}, not {expected}", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What there should be.
        expected: String,
        /// What there is.
        found: String,
    },
    /// The tokenizer's file is none that can be used.
    #[error("{} is no tokenizer: {reason}", path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What was said.
        reason: String,
    },
    /// The runtime refuses the network.
    #[error("the ONNX runtime cannot load {}: {reason}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// What was said.
        reason: String,
    },
    /// The network wants or gives something else than a text encoder does.
    #[error("{} is no text encoder: {problem}", path.display())]
    NotAnEncoder {
        /// The file.
        path: PathBuf,
        /// What.
        problem: String,
    },
    /// The model is for something else.
    #[error("{} is made for the role `{found}`, not `{asked}`", path.display())]
    OtherRole {
        /// Its folder.
        path: PathBuf,
        /// What it is for.
        found: Role,
        /// What was wanted.
        asked: Role,
    },
}

/// A network that was loaded has not told the outputs of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The text cannot be cut into tokens.
    #[error("the tokenizer failed: {reason}")]
    Tokenizer {
        /// What was said.
        reason: String,
    },
    /// The runtime failed.
    #[error("the ONNX runtime failed: {reason}")]
    Runtime {
        /// What was said.
        reason: String,
    },
    /// An output is infinite or no number.
    #[error("output {component} of the text is not a finite number")]
    NotFinite {
        /// The output's place, from 0.
        component: usize,
    },
    /// The outputs are of another shape than the manifest says.
    #[error("the network tells outputs of the shape {found:?}; {expected} for each text are expected")]
    Shape {
        /// How many there should be.
        expected: usize,
        /// The shape.
        found: Vec<i64>,
    },
    /// The embedding has another length than 1, though the manifest says that the network scales it.
    #[error("the embedding has length {length}, not 1")]
    NotUnit {
        /// Its length.
        length: String,
    },
    /// It broke down within the text, or was removed while the text waited.
    #[error("it ended before the text was done")]
    Ended,
}
