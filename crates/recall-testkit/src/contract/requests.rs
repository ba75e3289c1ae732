//! Requests about points and collections.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "all answers have one form")]

use std::collections::{BTreeMap, HashMap};

use super::state;
use super::state::{Call, Collection, Fields, Nearest, Point, Prepared, State, Stored, tenants};
use qdrant_client::qdrant::payload_index_params::IndexParams;
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::vector::Vector as VectorKind;
use qdrant_client::qdrant::vector_input::Variant as InputVariant;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::with_payload_selector::SelectorOptions;
use qdrant_client::qdrant::{
    CollectionDescription, CollectionInfo, CollectionOperationResponse, CountPoints, CountResponse, CountResult,
    CreateCollection, CreateFieldIndexCollection, DeletePoints, Distance, Filter, GetCollectionInfoRequest,
    GetCollectionInfoResponse, ListCollectionsRequest, ListCollectionsResponse, PayloadSchemaInfo, PayloadSchemaType,
    PointId, PointStruct, PointsOperationResponse, PointsSelector, QueryPoints, QueryResponse, RetrievedPoint,
    ScoredPoint, ScrollPoints, ScrollResponse, SetPayloadPoints, UpdateResult, UpdateStatus, UpsertPoints, Vector,
    WithPayloadSelector, WriteOrdering, WriteOrderingType, query,
};
use tonic::Status;

pub(super) fn upsert(state: &mut State, request: UpsertPoints) -> Result<PointsOperationResponse, Status> {
    let mut call = write("Upsert", &request.collection_name, request.wait, request.ordering.as_ref());
    call.tenants = tenants(request.points.iter().map(|point| &point.payload))?;
    state.call = Some(call);
    refuse(request.shard_key_selector.is_some(), "shard keys")?;
    let mode = request.update_mode();
    let collection = state.collection(&request.collection_name)?;
    if let Some(condition) = &request.update_filter {
        state::tenant_of(Some(condition))?;
    }
    let condition = request.update_filter.map(|filter| Prepared::new(&filter, &collection.indexes)).transpose()?;
    let points = request.points.into_iter().map(|point| store(point, collection));
    let points: Vec<(String, Point)> = points.collect::<Result<_, _>>()?;
    collection.points.write(points, mode, condition.as_ref())?;
    Ok(completed_response())
}

/// Checks a point as the server does.
fn store(point: PointStruct, collection: &Collection) -> Result<(String, Point), Status> {
    let id = identity(point.id.as_ref())?;
    let vectors = point.vectors.and_then(|vectors| vectors.vectors_options);
    let named = match vectors.ok_or_else(|| Status::invalid_argument("Expected some vectors"))? {
        VectorsOptions::Vectors(named) => named.vectors,
        VectorsOptions::Vector(_) => return Err(Status::unimplemented("vectors without names")),
    };
    let mut vectors = HashMap::new();
    for (name, vector) in named {
        let stored = vector_of(&name, vector, collection)?;
        vectors.insert(name, stored);
    }
    Ok((id, Point { fields: point.payload, vectors }))
}

fn vector_of(name: &str, vector: Vector, collection: &Collection) -> Result<Stored, Status> {
    let unknown = || Status::invalid_argument(format!("Wrong input: Not existing vector name error: {name}"));
    match vector.vector {
        Some(VectorKind::Sparse(sparse)) => {
            let known = collection.created.sparse_vectors_config.as_ref();
            known.and_then(|known| known.map.get(name)).ok_or_else(unknown)?;
            let count = sparse.indices.len();
            let all: BTreeMap<u32, f32> = sparse.indices.into_iter().zip(sparse.values.iter().copied()).collect();
            if all.len() != count || sparse.values.len() != count {
                return Err(Status::invalid_argument("indices: must be unique and as many as values"));
            }
            Ok(Stored::Sparse(all))
        }
        Some(VectorKind::Dense(dense)) => {
            let (size, distance) = dense_config(name, collection).ok_or_else(unknown)?;
            refuse(distance != Distance::Cosine, "distances other than cosine")?;
            if dense.data.len() as u64 != size {
                let got = dense.data.len();
                let text = format!("Wrong input: Vector dimension error: expected dim: {size}, got {got}");
                return Err(Status::invalid_argument(text));
            }
            Ok(Stored::Dense(dense.data))
        }
        other => Err(Status::unimplemented(format!("the vector {other:?}"))),
    }
}

fn dense_config(name: &str, collection: &Collection) -> Option<(u64, Distance)> {
    match collection.created.vectors_config.as_ref()?.config.as_ref()? {
        Config::ParamsMap(all) => all.map.get(name).map(|params| (params.size, params.distance())),
        Config::Params(_) => None,
    }
}

pub(super) fn set_payload(state: &mut State, request: SetPayloadPoints) -> Result<PointsOperationResponse, Status> {
    let mut call = write("SetPayload", &request.collection_name, request.wait, request.ordering.as_ref());
    let condition = by_filter(request.points_selector.as_ref(), &mut call)?;
    state.call = Some(call);
    refuse(request.key.is_some() || request.shard_key_selector.is_some(), "nested fields and shard keys")?;
    let collection = state.collection(&request.collection_name)?;
    let condition = Prepared::new(&condition, &collection.indexes)?;
    collection.points.set(&request.payload, &condition)?;
    Ok(completed_response())
}

pub(super) fn delete(state: &mut State, request: DeletePoints) -> Result<PointsOperationResponse, Status> {
    let mut call = write("Delete", &request.collection_name, request.wait, request.ordering.as_ref());
    let condition = by_filter(request.points.as_ref(), &mut call)?;
    state.call = Some(call);
    refuse(request.shard_key_selector.is_some(), "shard keys")?;
    let collection = state.collection(&request.collection_name)?;
    let condition = Prepared::new(&condition, &collection.indexes)?;
    collection.points.delete(&condition)?;
    Ok(completed_response())
}

pub(super) fn scroll(state: &mut State, request: ScrollPoints) -> Result<ScrollResponse, Status> {
    let (collection, condition) = read(state, "Scroll", &request.collection_name, request.filter)?;
    refuse(request.order_by.is_some() || request.with_vectors.is_some(), "order_by and with_vectors")?;
    let start = request.offset.as_ref().map(|offset| identity(Some(offset))).transpose()?;
    let limit = request.limit.unwrap_or(10) as usize;
    if limit == 0 {
        return Err(Status::invalid_argument("limit: must be at least 1"));
    }
    let mut page = collection.points.page(&condition, start.as_deref(), limit + 1)?;
    let next_page_offset = page.split_off(limit.min(page.len())).pop().map(|(id, _)| PointId::from(id));
    let retrieved = page.into_iter().map(|(id, fields)| {
        let payload = select(fields, request.with_payload.as_ref())?;
        Ok(RetrievedPoint { id: Some(PointId::from(id)), payload, ..RetrievedPoint::default() })
    });
    let result = retrieved.collect::<Result<_, Status>>()?;
    Ok(ScrollResponse { next_page_offset, result, ..ScrollResponse::default() })
}

pub(super) fn count(state: &mut State, request: CountPoints) -> Result<CountResponse, Status> {
    let (collection, condition) = read(state, "Count", &request.collection_name, request.filter)?;
    refuse(request.exact != Some(true), "counts that are not exact")?;
    let count = collection.points.count(&condition)?;
    Ok(CountResponse { result: Some(CountResult { count }), ..CountResponse::default() })
}

pub(super) fn query(state: &mut State, request: QueryPoints) -> Result<QueryResponse, Status> {
    let (collection, condition) = read(state, "Query", &request.collection_name, request.filter)?;
    let others = request.offset.is_some() || request.score_threshold.is_some() || request.with_vectors.is_some();
    refuse(others || !request.prefetch.is_empty() || request.lookup_from.is_some(), "parts of the query")?;
    let fields = request.with_payload.and_then(|wanted| wanted.selector_options);
    refuse(!matches!(fields, None | Some(SelectorOptions::Enable(false))), "fields of the nearest points")?;
    let name = request.using.unwrap_or_default();
    let wanted = match request.query.and_then(|query| query.variant) {
        Some(query::Variant::Nearest(input)) => input.variant,
        other => return Err(Status::unimplemented(format!("the query {other:?}"))),
    };
    let wanted = match wanted {
        Some(InputVariant::Dense(dense)) => vector_of(&name, Vector::new_dense(dense.data), collection)?,
        Some(InputVariant::Sparse(sparse)) => {
            vector_of(&name, Vector::new_sparse(sparse.indices, sparse.values), collection)?
        }
        other => return Err(Status::unimplemented(format!("the query {other:?}"))),
    };
    let most = usize::try_from(request.limit.unwrap_or(10)).unwrap_or(usize::MAX);
    let breadth = request.params.and_then(|params| params.hnsw_ef);
    let best = collection.points.best(&Nearest { name, vector: wanted, most, breadth }, &condition)?;
    let result =
        best.into_iter().map(|(id, score)| ScoredPoint { id: Some(PointId::from(id)), score, ..Default::default() });
    Ok(QueryResponse { result: result.collect(), ..QueryResponse::default() })
}

fn read<'a>(
    state: &'a mut State,
    method: &'static str,
    name: &str,
    filter: Option<Filter>,
) -> Result<(&'a mut Collection, Prepared), Status> {
    let tenant = state::tenant_of(filter.as_ref())?;
    let (collection, tenants) = (name.to_owned(), vec![tenant]);
    state.call = Some(Call { method, collection, tenants, is_safe_write: None, spread: None });
    let collection = state.collection(name)?;
    let prepared = Prepared::new(&filter.unwrap_or_default(), &collection.indexes)?;
    Ok((collection, prepared))
}

fn write(method: &'static str, name: &str, wait: Option<bool>, ordering: Option<&WriteOrdering>) -> Call {
    let is_ordered = ordering.is_some_and(|ordering| ordering.r#type() == WriteOrderingType::Strong);
    let is_safe_write = Some(wait == Some(true) && is_ordered);
    Call { method, collection: name.to_owned(), tenants: Vec::new(), is_safe_write, spread: None }
}

/// Points are named by a filter, since a list of points has no tenant.
fn by_filter(selector: Option<&PointsSelector>, call: &mut Call) -> Result<Filter, Status> {
    match selector.and_then(|selector| selector.points_selector_one_of.as_ref()) {
        Some(PointsSelectorOneOf::Filter(filter)) => {
            call.tenants = vec![state::tenant_of(Some(filter))?];
            Ok(filter.clone())
        }
        _ => Err(Status::failed_precondition("the points are not named by a filter with the tenant")),
    }
}

fn identity(id: Option<&PointId>) -> Result<String, Status> {
    let uuid = id.and_then(state::uuid_of).ok_or_else(|| Status::unimplemented("identities that are no UUIDs"))?;
    Ok(uuid.to_owned())
}

/// The fields that a request wants.
fn select(mut fields: Fields, wanted: Option<&WithPayloadSelector>) -> Result<Fields, Status> {
    match wanted.and_then(|wanted| wanted.selector_options.as_ref()) {
        None | Some(SelectorOptions::Enable(false)) => Ok(Fields::new()),
        Some(SelectorOptions::Include(wanted)) => {
            fields.retain(|name, _| wanted.fields.contains(name));
            Ok(fields)
        }
        Some(other) => Err(Status::unimplemented(format!("the selection {other:?}"))),
    }
}

fn refuse(is_refused: bool, what: &str) -> Result<(), Status> {
    if is_refused { Err(Status::unimplemented(what)) } else { Ok(()) }
}

pub(super) fn completed_response() -> PointsOperationResponse {
    let result = UpdateResult { operation_id: None, status: UpdateStatus::Completed.into() };
    PointsOperationResponse { result: Some(result), ..PointsOperationResponse::default() }
}

pub(super) fn create_collection(
    state: &mut State,
    request: CreateCollection,
) -> Result<CollectionOperationResponse, Status> {
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

pub(super) fn get_collection(
    state: &mut State,
    request: GetCollectionInfoRequest,
) -> Result<GetCollectionInfoResponse, Status> {
    state.call = Some(call("Get", &request.collection_name));
    let collection = state.collection(&request.collection_name)?;
    let schema = collection.indexes.keys().map(|field| {
        let info = PayloadSchemaInfo { data_type: PayloadSchemaType::UnknownType.into(), ..Default::default() };
        (field.clone(), info)
    });
    let info = CollectionInfo { payload_schema: schema.collect(), ..CollectionInfo::default() };
    Ok(GetCollectionInfoResponse { result: Some(info), time: 0.0 })
}

pub(super) fn list_collections(
    state: &mut State,
    _: ListCollectionsRequest,
) -> Result<ListCollectionsResponse, Status> {
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
