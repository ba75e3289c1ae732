//! Requests about collections.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "all answers have one form")]

use std::collections::HashMap;

use qdrant_client::qdrant::payload_index_params::IndexParams;
use qdrant_client::qdrant::{
    CollectionDescription, CollectionInfo, CollectionOperationResponse, CreateCollection, CreateFieldIndexCollection,
    GetCollectionInfoRequest, GetCollectionInfoResponse, ListCollectionsRequest, ListCollectionsResponse,
    PayloadSchemaInfo, PayloadSchemaType, PointsOperationResponse,
};
use tonic::Status;

use super::points::completed_response;
use super::script::Call;
use super::state::{Collection, State};

pub(super) fn create(state: &mut State, request: CreateCollection) -> Result<CollectionOperationResponse, Status> {
    let name = request.collection_name.clone();
    let spread = [request.shard_number, request.replication_factor, request.write_consistency_factor];
    state.call = Some(Call { spread: Some(spread), ..call("Create", &name) });
    if state.collections.contains_key(&name) {
        return Err(Status::already_exists(format!("Wrong input: Collection `{name}` already exists!")));
    }
    let points = (state.create)(&request)?;
    let new = Collection { created: request, indexes: HashMap::new(), points };
    state.collections.insert(name, new);
    Ok(CollectionOperationResponse { result: true, time: 0.0 })
}

pub(super) fn get(state: &mut State, request: GetCollectionInfoRequest) -> Result<GetCollectionInfoResponse, Status> {
    state.call = Some(call("Get", &request.collection_name));
    let collection = state.collection(&request.collection_name)?;
    let schema = collection.indexes.keys().map(|field| {
        let info = PayloadSchemaInfo { data_type: PayloadSchemaType::UnknownType.into(), ..Default::default() };
        (field.clone(), info)
    });
    let info = CollectionInfo { payload_schema: schema.collect(), ..CollectionInfo::default() };
    Ok(GetCollectionInfoResponse { result: Some(info), time: 0.0 })
}

pub(super) fn list(state: &mut State, _: ListCollectionsRequest) -> Result<ListCollectionsResponse, Status> {
    state.call = Some(call("List", ""));
    let names = state.collections.keys().map(|name| CollectionDescription { name: name.clone() });
    Ok(ListCollectionsResponse { collections: names.collect(), time: 0.0 })
}

pub(super) fn create_field_index(
    state: &mut State,
    request: CreateFieldIndexCollection,
) -> Result<PointsOperationResponse, Status> {
    state.call = Some(call("CreateFieldIndex", &request.collection_name));
    let kind = request.field_type.map(|_| request.field_type());
    let kind = kind.ok_or_else(|| Status::invalid_argument("cannot convert field_type: None"))?;
    let params = request.field_index_params.and_then(|params| params.index_params);
    let is_tenant = matches!(&params, Some(IndexParams::KeywordIndexParams(params)) if params.is_tenant == Some(true));
    if is_tenant != (request.field_name == "tenant") {
        return Err(Status::failed_precondition("the field `tenant`, and no other, is the tenant"));
    }
    let collection = state.collection(&request.collection_name)?;
    collection.points.index(&request.field_name, kind)?;
    collection.indexes.insert(request.field_name, kind);
    Ok(completed_response())
}

fn call(method: &'static str, collection: &str) -> Call {
    Call { method, collection: collection.to_owned(), tenants: Vec::new(), is_safe_write: None, spread: None }
}
