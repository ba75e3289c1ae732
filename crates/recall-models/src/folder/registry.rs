//! Which models are known by name, and where are they?

use crate::manifest::{Description, Pooling, Role};

/// Where models are pulled from, unless a mirror is set.
pub(super) const HUB: &str = "https://huggingface.co";

/// A model that can be pulled by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name here.
    pub name: &'static str,
    /// Its repository in the hub.
    pub repository: &'static str,
    /// The network's path in the repository. Files whose paths begin so, with larger parts of it, belong to it.
    pub network: &'static str,
    /// What it is for.
    pub role: Role,
    /// How many components its embeddings have; 1 for a cross-encoder.
    pub dimensions: usize,
    /// How the outputs of a text's tokens become one.
    pub pooling: Pooling,
    /// What goes before a query.
    pub query_prefix: &'static str,
    /// What goes before a text that shall be found.
    pub document_prefix: &'static str,
    /// How many tokens of a text are read.
    pub window_tokens: usize,
    /// Its licence, in SPDX.
    pub licence: &'static str,
}

/// The known models, encoders first.
pub const KNOWN: &[Known] = &[
    Known {
        name: "all-MiniLM-L6-v2",
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        licence: "Apache-2.0",
        ..ENCODER
    },
    Known {
        name: "bge-small-en-v1.5",
        repository: "BAAI/bge-small-en-v1.5",
        pooling: Pooling::Cls,
        query_prefix: "Represent this sentence for searching relevant passages: ",
        window_tokens: 512,
        ..ENCODER
    },
    Known {
        name: "nomic-embed-text-v1.5",
        repository: "nomic-ai/nomic-embed-text-v1.5",
        dimensions: 768,
        query_prefix: "search_query: ",
        document_prefix: "search_document: ",
        window_tokens: 2048,
        licence: "Apache-2.0",
        ..ENCODER
    },
    // Its makers publish no network in this form; this is one that others made of their weights.
    Known {
        name: "CodeRankEmbed",
        repository: "jalipalo/CodeRankEmbed-onnx",
        dimensions: 768,
        pooling: Pooling::Cls,
        query_prefix: "Represent this query for searching relevant code: ",
        window_tokens: 2048,
        ..ENCODER
    },
    Known {
        name: "ms-marco-MiniLM-L6-v2",
        repository: "cross-encoder/ms-marco-MiniLM-L6-v2",
        licence: "Apache-2.0",
        ..CROSS_ENCODER
    },
    Known { name: "bge-reranker-base", repository: "BAAI/bge-reranker-base", ..CROSS_ENCODER },
    // As with CodeRankEmbed.
    Known {
        name: "bge-reranker-v2-m3",
        repository: "onnx-community/bge-reranker-v2-m3-ONNX",
        licence: "Apache-2.0",
        ..CROSS_ENCODER
    },
];

const ENCODER: Known = Known {
    name: "",
    repository: "",
    network: "onnx/model.onnx",
    role: Role::Embed,
    dimensions: 384,
    pooling: Pooling::Mean,
    query_prefix: "",
    document_prefix: "",
    window_tokens: 256,
    licence: "MIT",
};

const CROSS_ENCODER: Known = Known { role: Role::Rerank, dimensions: 1, window_tokens: 512, ..ENCODER };

impl Known {
    /// The model of a name, in any case.
    pub fn find(name: &str) -> Option<&'static Self> {
        KNOWN.iter().find(|known| known.name.eq_ignore_ascii_case(name))
    }

    pub(super) fn description(&self, origin: String) -> Description {
        Description {
            role: self.role,
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
