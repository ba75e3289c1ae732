//! The registry of models that can be pulled by name.

use crate::manifest::{Description, NetworkKind, Pooling};

/// The default hub.
pub(super) const HUB: &str = "https://huggingface.co";

/// A model that can be pulled by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistryModel {
    /// Its name in recall.
    pub name: &'static str,
    /// Its repository on the hub.
    pub repository: &'static str,
    /// The path of the network in the repository. Files whose paths begin with it, with external tensors, belong to the
    /// network.
    pub network: &'static str,
    /// What its network does, which decides about its roles.
    pub kind: NetworkKind,
    /// The dimension of its embeddings; 1 for a cross-encoder.
    pub dimensions: usize,
    /// The pooling of token outputs.
    pub pooling: Pooling,
    /// What precedes every query; empty for nothing.
    pub query_prefix: &'static str,
    /// What precedes every document; empty for nothing.
    pub document_prefix: &'static str,
    /// The maximum number of tokens of a text.
    pub window_tokens: usize,
    /// The SPDX identifier of its licence.
    pub licence: &'static str,
    /// The languages that it was trained on: ISO 639-1, `code`, or `many`.
    pub languages: &'static [&'static str],
    /// About how much is downloaded, in bytes.
    pub download_bytes: u64,
    /// What it was worth on the benchmarks; empty if it was not measured.
    pub measured: &'static str,
}

const MB: u64 = 1_000_000;

/// All known models, encoders first.
pub const REGISTRY: &[RegistryModel] = &[
    RegistryModel {
        name: "all-MiniLM-L6-v2",
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        licence: "Apache-2.0",
        download_bytes: 91 * MB,
        measured: "memories in other words than the question first in 60 % instead of 29 % inside a project",
        ..ENCODER
    },
    RegistryModel {
        name: "bge-small-en-v1.5",
        repository: "BAAI/bge-small-en-v1.5",
        pooling: Pooling::Cls,
        query_prefix: "Represent this sentence for searching relevant passages: ",
        window_tokens: 512,
        download_bytes: 133 * MB,
        ..ENCODER
    },
    RegistryModel {
        name: "multilingual-e5-small",
        repository: "intfloat/multilingual-e5-small",
        query_prefix: "query: ",
        document_prefix: "passage: ",
        window_tokens: 512,
        languages: &["many"],
        download_bytes: 488 * MB,
        ..ENCODER
    },
    RegistryModel {
        name: "nomic-embed-text-v1.5",
        repository: "nomic-ai/nomic-embed-text-v1.5",
        dimensions: 768,
        query_prefix: "search_query: ",
        document_prefix: "search_document: ",
        window_tokens: 2048,
        licence: "Apache-2.0",
        download_bytes: 548 * MB,
        ..ENCODER
    },
    // Its authors publish no ONNX file. This one was converted from their weights by a third party.
    RegistryModel {
        name: "CodeRankEmbed",
        repository: "jalipalo/CodeRankEmbed-onnx",
        dimensions: 768,
        pooling: Pooling::Cls,
        query_prefix: "Represent this query for searching relevant code: ",
        window_tokens: 2048,
        languages: &["code", "en"],
        download_bytes: 548 * MB,
        ..ENCODER
    },
    RegistryModel {
        name: "ms-marco-MiniLM-L6-v2",
        repository: "cross-encoder/ms-marco-MiniLM-L6-v2",
        licence: "Apache-2.0",
        download_bytes: 92 * MB,
        ..CROSS_ENCODER
    },
    RegistryModel {
        name: "bge-reranker-base",
        repository: "BAAI/bge-reranker-base",
        languages: &["en", "zh"],
        download_bytes: 1_130 * MB,
        ..CROSS_ENCODER
    },
    // Converted by a third party, like CodeRankEmbed.
    RegistryModel {
        name: "bge-reranker-v2-m3",
        repository: "onnx-community/bge-reranker-v2-m3-ONNX",
        licence: "Apache-2.0",
        languages: &["many"],
        download_bytes: 2_290 * MB,
        ..CROSS_ENCODER
    },
];

const ENCODER: RegistryModel = RegistryModel {
    name: "",
    repository: "",
    network: "onnx/model.onnx",
    kind: NetworkKind::Embed,
    dimensions: 384,
    pooling: Pooling::Mean,
    query_prefix: "",
    document_prefix: "",
    window_tokens: 256,
    licence: "MIT",
    languages: &["en"],
    download_bytes: 0,
    measured: "",
};

const CROSS_ENCODER: RegistryModel =
    RegistryModel { kind: NetworkKind::Rerank, dimensions: 1, window_tokens: 512, ..ENCODER };

impl RegistryModel {
    /// Finds a model by name, ignoring case.
    pub fn find(name: &str) -> Option<&'static Self> {
        REGISTRY.iter().find(|known| known.name.eq_ignore_ascii_case(name))
    }

    pub(super) fn description(&self, origin: String) -> Description {
        Description {
            kind: self.kind,
            dimensions: Some(self.dimensions),
            pooling: self.pooling,
            normalise: true,
            query_prefix: self.query_prefix.to_owned(),
            document_prefix: self.document_prefix.to_owned(),
            window_tokens: self.window_tokens,
            licence: Some(self.licence.to_owned()),
            origin: Some(origin),
        }
    }
}
