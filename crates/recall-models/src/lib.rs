//! Here is a text; what is its embedding? Here are a question and texts; which of them answers it?
//!
//! [`StaticModel`] is the model that is built into the program: a table of vectors, one a word, and their weighted sum. It
//! needs no library, no file and no network, and answers in microseconds.
//!
//! [`OnnxEncoder`] and [`OnnxCrossEncoder`] run a transformer out of the [`ModelsFolder`] in the ONNX [`Runtime`], a library
//! that is loaded when it is needed. [`install_runtime`] and [`ModelsFolder::pull`] bring the library and models.
//!
//! Which texts are embedded, where embeddings are kept and how near ones are found is not asked here.

mod fetch;
mod folder;
mod manifest;
mod onnx;
mod runtime;
mod static_model;

pub use fetch::{FetchError, FetchSettings, Fetcher, Progress, Watch};
pub use folder::{AddError, FolderError, Installed, KNOWN, Known, ModelsFolder, PullError};
pub use manifest::{Batching, DescribeError, Manifest, ManifestError, ModelFile, Pooling, Role};
pub use onnx::{LoadError, ModelState, OnnxCrossEncoder, OnnxEncoder, OnnxSettings, ProviderUse, RunError};
pub use runtime::{
    InstallError, Runtime, RuntimeError, RuntimePackage, find_runtime, forget_failed_loads, install_runtime,
    install_runtime_from,
};
pub use static_model::{BuiltIn, MOST_TEXT_BYTES, ReadError, StaticModel};
