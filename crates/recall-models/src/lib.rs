//! Embedding models and cross-encoders: the built-in one, transformers run by ONNX Runtime, and models of [`providers`] that
//! are reached over [`http`].
//!
//! [`StaticModel`] is compiled into the program: a table with one vector per word, whose weighted sum embeds a text. It
//! needs no library, file or network, and takes microseconds.
//!
//! [`HashModel`] hashes words instead.
//!
//! [`OnnxEncoder`] and [`OnnxCrossEncoder`] run a transformer from the [`ModelsFolder`] in ONNX [`Runtime`], a library
//! that is loaded on first use. [`install_runtime`] and [`ModelsFolder::pull`] download the library and models.
//!
//! The crate does not decide which texts are embedded; it does not store embeddings or search them.
//!
//! The built-in model needs nothing and answers at once; a transformer knows more and takes a thousand times as long. So the library
//! that runs transformers is not linked: it is loaded when a model needs it, and its absence is an error of that model only (ADR 9).
//! Equal texts have equal embeddings whatever batch they were in, since embeddings are stored by the hash of the text.
//!
//! Begin with `static_model`, then `folder` (what is installed), `onnx/worker` (how it runs) and `providers/link` (how a server is
//! asked).

mod fetch;
mod files;
mod folder;
mod hash_model;
pub mod http;
mod manifest;
mod onnx;
pub mod providers;
mod runtime;
mod static_model;

pub use fetch::{FetchError, FetchSettings, Fetcher, Progress, Watch};
pub use folder::{AddError, FolderError, Installed, ModelsFolder, PullError, REGISTRY, RegistryModel};
pub use hash_model::HashModel;
pub use manifest::{Batching, DescribeError, Manifest, ManifestError, ModelFile, NetworkKind, Pooling, Role};
pub use onnx::{LoadError, ModelState, OnnxCrossEncoder, OnnxEncoder, OnnxSettings, ProviderUse, RunError};
pub use runtime::{
    InstallError, Runtime, RuntimeError, RuntimePackage, find_runtime, forget_failed_loads, install_runtime,
    install_runtime_from,
};
pub use static_model::{BuiltIn, MOST_TEXT_BYTES, ReadError, StaticModel};
