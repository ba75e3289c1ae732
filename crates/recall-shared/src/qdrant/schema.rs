//! The collections and their indexes, the names of the fields of points, and the settings of a store. `recall_1` is the
//! first layout.

use std::sync::Arc;
use std::time::Duration;

use qdrant_client::qdrant::payload_index_params::IndexParams;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::{
    CreateCollection, CreateFieldIndexCollection, Datatype, Distance, FieldType, HnswConfigDiff, IntegerIndexParams,
    KeywordIndexParams, PayloadIndexParams, SparseIndexConfig, SparseVectorConfig, SparseVectorParams, VectorParams,
    VectorParamsMap, VectorsConfig,
};

use super::client::Client;
use super::field;
use crate::{Model, StoreError};

/// Branches, and which of a repository's branches is its default.
pub(super) const BRANCHES: &str = "recall_1_branches";
/// Documents, without their texts.
pub(super) const DOCUMENTS: &str = "recall_1_documents";
/// Chunks, with their texts.
pub(super) const CHUNKS: &str = "recall_1_chunks";
/// The beginning of the names of the collections of vectors.
const VECTORS: &str = "recall_1_vectors_";

/// The sparse vector of a chunk or of a document's path.
pub(super) const TERMS: &str = "terms";
/// The vector of a chunk.
pub(super) const EMBEDDING: &str = "embedding";

/// How a field is indexed.
#[derive(Clone, Copy)]
enum Index {
    Tenant,
    Text,
    Identity,
    /// Looked up.
    Number,
    /// Compared.
    Time,
}

const BRANCH_INDEXES: &[(&str, Index)] =
    &[(field::TENANT, Index::Tenant), (field::TICKET, Index::Number), (field::GENERATION, Index::Time)];

const DOCUMENT_INDEXES: &[(&str, Index)] = &[
    (field::TENANT, Index::Tenant),
    (field::BRANCH, Index::Identity),
    (field::REPOSITORY, Index::Text),
    (field::DEFAULT, Index::Text),
    (field::PATH, Index::Text),
    (field::BELOW, Index::Text),
    (field::KIND, Index::Text),
    (field::LANGUAGE, Index::Text),
    (field::TAGS, Index::Text),
    (field::CHUNKS, Index::Identity),
    (field::KEYS, Index::Number),
    (field::STATE, Index::Text),
    (field::TICKET, Index::Time),
    (field::ENDED, Index::Time),
    (field::ENDED_AT, Index::Time),
];

const CHUNK_INDEXES: &[(&str, Index)] =
    &[(field::TENANT, Index::Tenant), (field::KEYS, Index::Number), (field::TOUCHED, Index::Time)];

const VECTOR_INDEXES: &[(&str, Index)] = &[(field::TENANT, Index::Tenant), (field::TOUCHED, Index::Time)];

/// Creates what is missing of the collections, of the model's collection, and of their indexes.
pub(super) async fn create(client: &Client, spread: Spread, model: Option<&Model>) -> Result<(), StoreError> {
    let plain = |name: &str| CreateCollection {
        collection_name: name.to_owned(),
        shard_number: spread.shards,
        replication_factor: spread.replicas,
        write_consistency_factor: spread.write_consistency,
        ..CreateCollection::default()
    };
    let sparse = |name: &str| CreateCollection { sparse_vectors_config: Some(terms()), ..plain(name) };
    ensure(client, plain(BRANCHES), BRANCH_INDEXES).await?;
    ensure(client, sparse(DOCUMENTS), DOCUMENT_INDEXES).await?;
    ensure(client, sparse(CHUNKS), CHUNK_INDEXES).await?;
    if let Some(model) = model {
        let dense = CreateCollection {
            vectors_config: Some(embedding(model)),
            // A graph for each tenant and none for all of them: every search has a tenant.
            hnsw_config: Some(HnswConfigDiff { m: Some(0), payload_m: Some(16), ..HnswConfigDiff::default() }),
            ..plain(&vectors(model))
        };
        ensure(client, dense, VECTOR_INDEXES).await?;
    }
    Ok(())
}

/// Creates a collection unless it is there, and the indexes that it lacks.
async fn ensure(client: &Client, wanted: CreateCollection, indexes: &[(&str, Index)]) -> Result<(), StoreError> {
    let name = wanted.collection_name.clone();
    let known = match client.indexed_fields(&name).await {
        Err(StoreError::Empty) => {
            client.create(wanted).await?;
            Vec::new()
        }
        known => known?,
    };
    for (field, index) in indexes.iter().filter(|(field, _)| !known.iter().any(|known| known == field)) {
        client.index(request(&name, field, *index)).await?;
    }
    Ok(())
}

fn request(collection: &str, field: &str, index: Index) -> CreateFieldIndexCollection {
    let keyword = |is_tenant| {
        let params = KeywordIndexParams { is_tenant, ..KeywordIndexParams::default() };
        (FieldType::Keyword, Some(IndexParams::KeywordIndexParams(params)))
    };
    let integer = |lookup, range| {
        let params = IntegerIndexParams { lookup: Some(lookup), range: Some(range), ..IntegerIndexParams::default() };
        (FieldType::Integer, Some(IndexParams::IntegerIndexParams(params)))
    };
    let (kind, params) = match index {
        Index::Tenant => keyword(Some(true)),
        Index::Text => keyword(None),
        Index::Identity => (FieldType::Uuid, None),
        Index::Number => integer(true, false),
        Index::Time => integer(true, true),
    };
    CreateFieldIndexCollection {
        collection_name: collection.to_owned(),
        wait: Some(true),
        field_name: field.to_owned(),
        field_type: Some(kind.into()),
        field_index_params: params.map(|params| PayloadIndexParams { index_params: Some(params) }),
        ..CreateFieldIndexCollection::default()
    }
}

/// The values are all 1, which half precision holds exactly.
fn terms() -> SparseVectorConfig {
    let index = SparseIndexConfig { datatype: Some(Datatype::Float16.into()), ..SparseIndexConfig::default() };
    let params = SparseVectorParams { index: Some(index), modifier: None };
    SparseVectorConfig { map: [(TERMS.to_owned(), params)].into() }
}

fn embedding(model: &Model) -> VectorsConfig {
    let params = VectorParams {
        size: model.dimensions as u64,
        distance: Distance::Cosine.into(),
        datatype: Some(Datatype::Float16.into()),
        ..VectorParams::default()
    };
    VectorsConfig { config: Some(Config::ParamsMap(VectorParamsMap { map: [(EMBEDDING.to_owned(), params)].into() })) }
}

/// The collection of a model's vectors. Another model or another number of dimensions is another collection.
pub(super) fn vectors(model: &Model) -> String {
    let plain: String = model.fingerprint.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    format!("{VECTORS}{plain}_{}", model.dimensions)
}

/// The model whose vectors a collection has; `None` if it is another collection.
pub(super) fn model(collection: &str) -> Option<Model> {
    let (fingerprint, dimensions) = collection.strip_prefix(VECTORS)?.rsplit_once('_')?;
    Some(Model { fingerprint: fingerprint.to_owned(), dimensions: dimensions.parse().ok()? })
}

/// Where a Qdrant store is, and who reads it.
#[derive(Clone)]
pub struct QdrantSettings {
    /// The address of its gRPC interface: `https://host:6334`; `http` only on this machine.
    pub address: String,
    /// The API key; empty for none.
    pub key: String,
    /// The tenant, whose points alone are read and written.
    pub tenant: String,
    /// How long a search waits for an answer.
    pub deadline: Duration,
    /// How long a request of a publication may take.
    pub publish_deadline: Duration,
    /// How new collections are spread over the servers of a cluster.
    pub spread: Spread,
    /// Returns the seconds since 1970.
    pub clock: Arc<dyn Fn() -> u64 + Send + Sync>,
}

/// How a new collection is spread over the servers of a cluster. What is `None` is decided by the server's configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The number of its shards.
    pub shards: Option<u32>,
    /// On how many servers each shard is.
    pub replicas: Option<u32>,
    /// How many of these must have stored a write before it is confirmed.
    pub write_consistency: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_a_collection() {
        let one = Model { fingerprint: "0123abc".to_owned(), dimensions: 256 };
        assert_eq!(vectors(&one), "recall_1_vectors_0123abc_256");
        assert_eq!(model(&vectors(&one)), Some(one));
        for other in [BRANCHES, DOCUMENTS, CHUNKS, "recall_1_vectors_x", "recall_2_vectors_a_1", "mine"] {
            assert_eq!(model(other), None, "{other}");
        }
    }
}
