//! The services of the interface.

use std::sync::Arc;

use parking_lot::Mutex;
use qdrant_client::qdrant::collections_server::Collections;
use qdrant_client::qdrant::points_server::Points;
use qdrant_client::qdrant::qdrant_server::Qdrant;
use qdrant_client::qdrant::{
    ChangeAliases, ClearPayloadPoints, CollectionClusterInfoRequest, CollectionClusterInfoResponse,
    CollectionExistsRequest, CollectionExistsResponse, CollectionOperationResponse, CountPoints, CountResponse,
    CreateCollection, CreateFieldIndexCollection, CreateShardKeyRequest, CreateShardKeyResponse,
    CreateVectorNameRequest, DeleteCollection, DeleteFieldIndexCollection, DeletePayloadPoints, DeletePointVectors,
    DeletePoints, DeleteShardKeyRequest, DeleteShardKeyResponse, DeleteVectorNameRequest, DiscoverBatchPoints,
    DiscoverBatchResponse, DiscoverPoints, DiscoverResponse, FacetCounts, FacetResponse, GetCollectionInfoRequest,
    GetCollectionInfoResponse, GetPoints, GetResponse, HealthCheckReply, HealthCheckRequest, ListAliasesRequest,
    ListAliasesResponse, ListCollectionAliasesRequest, ListCollectionsRequest, ListCollectionsResponse,
    ListShardKeysRequest, ListShardKeysResponse, PointsOperationResponse, QueryBatchPoints, QueryBatchResponse,
    QueryGroupsResponse, QueryPointGroups, QueryPoints, QueryResponse, RecommendBatchPoints, RecommendBatchResponse,
    RecommendGroupsResponse, RecommendPointGroups, RecommendPoints, RecommendResponse, ScrollPoints, ScrollResponse,
    SearchBatchPoints, SearchBatchResponse, SearchGroupsResponse, SearchMatrixOffsetsResponse,
    SearchMatrixPairsResponse, SearchMatrixPoints, SearchPointGroups, SearchPoints, SearchResponse, SetPayloadPoints,
    UpdateBatchPoints, UpdateBatchResponse, UpdateCollection, UpdateCollectionClusterSetupRequest,
    UpdateCollectionClusterSetupResponse, UpdatePointVectors, UpsertPoints,
};
use tonic::{Request, Response, Status};

use super::requests;
use super::state::{FailureMoment, Script, State};

/// The version that the server reports unless a test sets another one.
const VERSION: &str = "1.17.0";

/// What all services share.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) script: Arc<Mutex<Script>>,
}

impl Service {
    /// Answers a call, or does what the script wants instead.
    async fn answer<T, R>(
        &self,
        method: &str,
        request: Request<T>,
        answer: impl FnOnce(&mut State, T) -> Result<R, Status> + Send,
    ) -> Result<Response<R>, Status> {
        let injection = {
            let mut script = self.script.lock();
            if let Some(key) = &script.key
                && request.metadata().get("api-key").is_none_or(|sent| sent != key)
            {
                return Err(Status::permission_denied("Invalid API key or JWT"));
            }
            script.meet(method)
        };
        let failure = injection.as_ref().and_then(|injection| Some((injection.moment, injection.status()?)));
        if let Some(injection) = &injection {
            tokio::time::sleep(injection.delay).await;
        }
        if let Some((FailureMoment::Before, status)) = failure {
            return Err(status);
        }
        let answered = {
            let mut state = self.state.lock();
            let answered = answer(&mut state, request.into_inner());
            self.script.lock().calls.extend(state.call.take());
            answered
        };
        match failure {
            Some((_, status)) => Err(status),
            None => answered.map(Response::new),
        }
    }
}

#[tonic::async_trait]
impl Qdrant for Service {
    async fn health_check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckReply>, Status> {
        let version = self.script.lock().version.clone().unwrap_or_else(|| VERSION.to_owned());
        let title = "recall's contract server".to_owned();
        self.answer("HealthCheck", request, |_, _| Ok(HealthCheckReply { title, version, commit: None })).await
    }
}

/// Implements a service: some methods by functions, all others by a refusal.
macro_rules! service {
    (
        $service:ident answers { $($method:ident($request:ty) -> $response:ty = $name:literal, $answer:path;)* }
        refuses { $($other:ident($other_request:ty) -> $other_response:ty;)* }
    ) => {
        #[tonic::async_trait]
        impl $service for Service {
            $(async fn $method(&self, request: Request<$request>) -> Result<Response<$response>, Status> {
                self.answer($name, request, $answer).await
            })*

            $(async fn $other(&self, _: Request<$other_request>) -> Result<Response<$other_response>, Status> {
                Err(Status::unimplemented(stringify!($other)))
            })*
        }
    };
}

service! {
    Points answers {
        upsert(UpsertPoints) -> PointsOperationResponse = "Upsert", requests::upsert;
        delete(DeletePoints) -> PointsOperationResponse = "Delete", requests::delete;
        set_payload(SetPayloadPoints) -> PointsOperationResponse = "SetPayload", requests::set_payload;
        create_field_index(CreateFieldIndexCollection) -> PointsOperationResponse =
            "CreateFieldIndex", requests::create_field_index;
        scroll(ScrollPoints) -> ScrollResponse = "Scroll", requests::scroll;
        count(CountPoints) -> CountResponse = "Count", requests::count;
        query(QueryPoints) -> QueryResponse = "Query", requests::query;
    }
    refuses {
        get(GetPoints) -> GetResponse;
        update_vectors(UpdatePointVectors) -> PointsOperationResponse;
        delete_vectors(DeletePointVectors) -> PointsOperationResponse;
        overwrite_payload(SetPayloadPoints) -> PointsOperationResponse;
        delete_payload(DeletePayloadPoints) -> PointsOperationResponse;
        clear_payload(ClearPayloadPoints) -> PointsOperationResponse;
        delete_field_index(DeleteFieldIndexCollection) -> PointsOperationResponse;
        create_vector_name(CreateVectorNameRequest) -> PointsOperationResponse;
        delete_vector_name(DeleteVectorNameRequest) -> PointsOperationResponse;
        search(SearchPoints) -> SearchResponse;
        search_batch(SearchBatchPoints) -> SearchBatchResponse;
        search_groups(SearchPointGroups) -> SearchGroupsResponse;
        recommend(RecommendPoints) -> RecommendResponse;
        recommend_batch(RecommendBatchPoints) -> RecommendBatchResponse;
        recommend_groups(RecommendPointGroups) -> RecommendGroupsResponse;
        discover(DiscoverPoints) -> DiscoverResponse;
        discover_batch(DiscoverBatchPoints) -> DiscoverBatchResponse;
        update_batch(UpdateBatchPoints) -> UpdateBatchResponse;
        query_batch(QueryBatchPoints) -> QueryBatchResponse;
        query_groups(QueryPointGroups) -> QueryGroupsResponse;
        facet(FacetCounts) -> FacetResponse;
        search_matrix_pairs(SearchMatrixPoints) -> SearchMatrixPairsResponse;
        search_matrix_offsets(SearchMatrixPoints) -> SearchMatrixOffsetsResponse;
    }
}

service! {
    Collections answers {
        get(GetCollectionInfoRequest) -> GetCollectionInfoResponse = "Get", requests::get_collection;
        list(ListCollectionsRequest) -> ListCollectionsResponse = "List", requests::list_collections;
        create(CreateCollection) -> CollectionOperationResponse = "Create", requests::create_collection;
    }
    refuses {
        update(UpdateCollection) -> CollectionOperationResponse;
        delete(DeleteCollection) -> CollectionOperationResponse;
        update_aliases(ChangeAliases) -> CollectionOperationResponse;
        list_collection_aliases(ListCollectionAliasesRequest) -> ListAliasesResponse;
        list_aliases(ListAliasesRequest) -> ListAliasesResponse;
        collection_cluster_info(CollectionClusterInfoRequest) -> CollectionClusterInfoResponse;
        collection_exists(CollectionExistsRequest) -> CollectionExistsResponse;
        update_collection_cluster_setup(UpdateCollectionClusterSetupRequest) -> UpdateCollectionClusterSetupResponse;
        create_shard_key(CreateShardKeyRequest) -> CreateShardKeyResponse;
        delete_shard_key(DeleteShardKeyRequest) -> DeleteShardKeyResponse;
        list_shard_keys(ListShardKeysRequest) -> ListShardKeysResponse;
    }
}
