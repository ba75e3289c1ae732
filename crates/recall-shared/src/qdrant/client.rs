//! Requests to a server. Each has the tenant; each write waits until it is applied.

use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::read_consistency::Value as Consistency;
use qdrant_client::qdrant::with_payload_selector::SelectorOptions;
use qdrant_client::qdrant::{
    CountPoints, CreateCollection, CreateFieldIndexCollection, DeletePoints, PayloadIncludeSelector, PointId,
    PointStruct, PointsOperationResponse, PointsSelector, Query, QueryPoints, ReadConsistency, ReadConsistencyType,
    ScrollPoints, SearchParams, SetPayloadPoints, UpdateMode, UpdateResult, UpdateStatus, UpsertPoints,
    WithPayloadSelector, WriteOrdering, WriteOrderingType,
};
use qdrant_client::{Qdrant, QdrantError};
use tonic::Code;
use uuid::Uuid;

use super::point::{Fields, Point, by_bytes, uuid_of};
use super::tenant::{Scoped, Tenant};
use crate::StoreError;

/// How many points are read at a time.
const PAGE: u32 = 1_000;

/// How many points one request names.
pub(super) const NAMED: usize = 1_000;

/// How many of several requests of the same kind are under way at a time.
pub(super) const AT_ONCE: usize = 4;

/// The most bytes of a request. Servers and proxies reject messages above 4 MB if they are not configured otherwise.
const REQUEST_BYTES: usize = 2 << 20;

/// The longest time for one request of a publication, so that a connection whose other end is gone is replaced.
const LONGEST_REQUEST: Duration = Duration::from_mins(2);

/// The oldest version of the server, as its major and minor number: the first with inserts that change no point that is there.
const OLDEST: (u32, u32) = (1, 17);

/// Which servers of a cluster a request asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Servers {
    /// Any that has the points.
    Any,
    /// More than half of those that have them.
    Quorum,
}

/// What an upsert does with points that are there, and with those that are not.
pub(super) enum Write {
    /// Replaces and inserts.
    All,
    /// Only inserts.
    New,
    /// Only replaces those that satisfy the filter, in the order of one leader.
    If(Scoped),
}

/// Connections of one tenant.
pub(super) struct Client {
    qdrant: Qdrant,
    pub(super) tenant: Tenant,
    deadline: Duration,
}

impl Client {
    /// Creates a client, without connecting.
    pub(super) fn new(address: &str, key: &str, tenant: Tenant, deadline: Duration) -> Result<Self, StoreError> {
        // A connection whose other end is gone is replaced after a request was late, so a request has less time than its caller.
        let each = (deadline * 3 / 4).min(LONGEST_REQUEST);
        let mut config = Qdrant::from_url(address).skip_compatibility_check().timeout(each).connect_timeout(each);
        if !key.is_empty() {
            config.set_api_key(key);
        }
        let qdrant = Qdrant::new(config).map_err(StoreError::refusal)?;
        Ok(Self { qdrant, tenant, deadline })
    }

    /// Returns once the server has answered.
    pub(super) async fn ping(&self) -> Result<(), StoreError> {
        self.qdrant.health_check().await.map_err(|error| self.store_error(error))?;
        Ok(())
    }

    /// Checks that the server knows what publications ask. An older one would ignore conditions that it does not know.
    pub(super) async fn check_version(&self) -> Result<(), StoreError> {
        let version = self.qdrant.health_check().await.map_err(|error| self.store_error(error))?.version;
        if is_new_enough(&version) {
            return Ok(());
        }
        let (major, minor) = OLDEST;
        Err(StoreError::refusal(format!(
            "it is Qdrant {version}; recall publishes to {major}.{minor} or later, so upgrade the server"
        )))
    }

    /// Returns the names of all collections.
    pub(super) async fn collections(&self) -> Result<Vec<String>, StoreError> {
        let list = self.qdrant.list_collections().await.map_err(|error| self.store_error(error))?;
        Ok(list.collections.into_iter().map(|collection| collection.name).collect())
    }

    pub(super) async fn indexed_fields(&self, collection: &str) -> Result<Vec<String>, StoreError> {
        let info = self.qdrant.collection_info(collection).await.map_err(|error| self.store_error(error))?;
        Ok(info.result.map(|info| info.payload_schema.into_keys().collect()).unwrap_or_default())
    }

    /// Creates a collection. Somebody else may have done it meanwhile.
    pub(super) async fn create(&self, request: CreateCollection) -> Result<(), StoreError> {
        match self.qdrant.create_collection(request).await {
            Err(QdrantError::ResponseError { status }) if is_there(&status) => Ok(()),
            done => done.map(|_| ()).map_err(|error| self.store_error(error)),
        }
    }

    pub(super) async fn index(&self, request: CreateFieldIndexCollection) -> Result<(), StoreError> {
        let response = self.qdrant.create_field_index(request).await.map_err(|error| self.store_error(error))?;
        self.check_applied(&response)
    }

    /// Returns all points that satisfy a filter, with some of their fields.
    pub(super) async fn all(
        &self,
        collection: &str,
        filter: Scoped,
        fields: &[&str],
        servers: Servers,
    ) -> Result<Vec<Point>, StoreError> {
        self.first(collection, filter, fields, servers, usize::MAX).await
    }

    /// Returns about the first `most` points that satisfy a filter.
    pub(super) async fn first(
        &self,
        collection: &str,
        filter: Scoped,
        fields: &[&str],
        servers: Servers,
        most: usize,
    ) -> Result<Vec<Point>, StoreError> {
        let mut points = Vec::new();
        let mut offset = None;
        loop {
            let limit = PAGE.min(u32::try_from(most - points.len()).unwrap_or(PAGE)).max(1);
            let (page, next) = self.page(collection, filter.clone(), fields, servers, offset, limit).await?;
            points.extend(page);
            offset = next;
            if offset.is_none() || points.len() >= most {
                return Ok(points);
            }
        }
    }

    /// Returns a page of the points that satisfy a filter, and the first point of the next one.
    pub(super) async fn page(
        &self,
        collection: &str,
        filter: Scoped,
        fields: &[&str],
        servers: Servers,
        offset: Option<PointId>,
        limit: u32,
    ) -> Result<(Vec<Point>, Option<PointId>), StoreError> {
        let request = ScrollPoints {
            collection_name: collection.to_owned(),
            filter: Some(filter.into_filter()),
            offset,
            limit: Some(limit),
            with_payload: Some(selector(fields)),
            read_consistency: consistency(servers),
            ..ScrollPoints::default()
        };
        let response = self.qdrant.scroll(request).await.map_err(|error| self.store_error(error))?;
        let points = response.result.into_iter().map(|point| Point::new(point.id, point.payload));
        Ok((points.collect::<Result<_, _>>()?, response.next_page_offset))
    }

    /// Returns those of some points that are there.
    pub(super) async fn scroll_points(
        &self,
        collection: &str,
        ids: &[Uuid],
        fields: &[&str],
        servers: Servers,
    ) -> Result<Vec<Point>, StoreError> {
        let parts: Vec<Scoped> = ids.chunks(NAMED).map(|ids| self.tenant.points(ids)).collect();
        let parts = stream::iter(parts).map(|filter| self.all(collection, filter, fields, servers));
        Ok(parts.buffer_unordered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().flatten().collect())
    }

    /// Returns the points with the greatest scores, in their order.
    pub(super) async fn best(
        &self,
        collection: &str,
        query: Query,
        using: &str,
        filter: Scoped,
        most: usize,
        params: Option<SearchParams>,
    ) -> Result<Vec<(Uuid, f32)>, StoreError> {
        let request = QueryPoints {
            collection_name: collection.to_owned(),
            query: Some(query),
            using: Some(using.to_owned()),
            filter: Some(filter.into_filter()),
            limit: Some(most as u64),
            with_payload: Some(WithPayloadSelector::from(false)),
            params,
            ..QueryPoints::default()
        };
        let response = self.qdrant.query(request).await.map_err(|error| self.store_error(error))?;
        response.result.into_iter().map(|point| Ok((uuid_of(point.id)?, point.score))).collect()
    }

    /// Counts the points that satisfy a filter.
    pub(super) async fn count(&self, collection: &str, filter: Scoped) -> Result<u64, StoreError> {
        let request = CountPoints {
            collection_name: collection.to_owned(),
            filter: Some(filter.into_filter()),
            exact: Some(true),
            ..CountPoints::default()
        };
        let response = self.qdrant.count(request).await.map_err(|error| self.store_error(error))?;
        Ok(response.result.map_or(0, |result| result.count))
    }

    /// Stores points, with the sizes of their vectors in bytes.
    pub(super) async fn put(
        &self,
        collection: &str,
        points: Vec<(PointStruct, usize)>,
        write: Write,
    ) -> Result<(), StoreError> {
        let (mode, filter) = match write {
            Write::All => (UpdateMode::Upsert, None),
            Write::New => (UpdateMode::InsertOnly, None),
            Write::If(filter) => (UpdateMode::UpdateOnly, Some(filter.into_filter())),
        };
        for points in by_bytes(points, REQUEST_BYTES) {
            let request = UpsertPoints {
                collection_name: collection.to_owned(),
                wait: Some(true),
                points,
                ordering: Some(strong()),
                update_filter: filter.clone(),
                update_mode: Some(mode.into()),
                ..UpsertPoints::default()
            };
            let response = self.qdrant.upsert_points(request).await.map_err(|error| self.store_error(error))?;
            self.check_applied(&response)?;
        }
        Ok(())
    }

    /// Sets fields of all points that satisfy a filter.
    pub(super) async fn set(&self, collection: &str, fields: Fields, filter: Scoped) -> Result<(), StoreError> {
        let request = SetPayloadPoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            payload: fields,
            points_selector: Some(points_selector(filter)),
            ordering: Some(strong()),
            ..SetPayloadPoints::default()
        };
        let response = self.qdrant.set_payload(request).await.map_err(|error| self.store_error(error))?;
        self.check_applied(&response)
    }

    /// Deletes all points that satisfy a filter.
    pub(super) async fn delete(&self, collection: &str, filter: Scoped) -> Result<(), StoreError> {
        let request = DeletePoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            points: Some(points_selector(filter)),
            ordering: Some(strong()),
            ..DeletePoints::default()
        };
        let response = self.qdrant.delete_points(request).await.map_err(|error| self.store_error(error))?;
        self.check_applied(&response)
    }

    /// Checks that a write was applied, not only received.
    fn check_applied(&self, response: &PointsOperationResponse) -> Result<(), StoreError> {
        match response.result.as_ref().map(UpdateResult::status) {
            Some(UpdateStatus::Completed) => Ok(()),
            _ => Err(StoreError::Late { waited: self.deadline }),
        }
    }

    /// Converts an error of the client.
    fn store_error(&self, error: QdrantError) -> StoreError {
        let status = match error {
            QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
                let after = Duration::from_secs(retry_after_seconds);
                return StoreError::Overloaded { after, source: Rejection::classify(&status).into() };
            }
            QdrantError::ResponseError { status } => status,
            other => return StoreError::refusal(other),
        };
        let rejection = Rejection::classify(&status);
        match status.code() {
            // The client's own deadline.
            Code::Cancelled if status.message() == "Timeout expired" => StoreError::Late { waited: self.deadline },
            // The client reports a failed connection as `Internal`.
            Code::Unavailable | Code::Aborted | Code::Cancelled | Code::Internal | Code::Unknown => {
                StoreError::unreachable(rejection)
            }
            Code::DeadlineExceeded => StoreError::Late { waited: self.deadline },
            Code::NotFound => StoreError::Empty,
            Code::Ok
            | Code::InvalidArgument
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::ResourceExhausted
            | Code::FailedPrecondition
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::DataLoss
            | Code::Unauthenticated => StoreError::refusal(rejection),
        }
    }
}

/// What a server answered instead of what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{code:?}: {message}")]
struct Rejection {
    code: Code,
    message: String,
}

impl Rejection {
    fn classify(status: &tonic::Status) -> Self {
        // The client writes out its own error types after the address.
        let message = status.message().split(": tonic::").next().unwrap_or_default();
        Self { code: status.code(), message: message.to_owned() }
    }
}

/// Whether a collection could not be created because it is there. Servers of a cluster report it as an invalid argument too.
fn is_there(status: &tonic::Status) -> bool {
    status.code() == Code::AlreadyExists || status.message().contains("already exists")
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split(['.', '-']).map_while(|number| number.parse().ok());
    (numbers.next(), numbers.next()) >= (Some(OLDEST.0), Some(OLDEST.1))
}

fn selector(fields: &[&str]) -> WithPayloadSelector {
    let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
    let options = if fields.is_empty() {
        SelectorOptions::Enable(false)
    } else {
        SelectorOptions::Include(PayloadIncludeSelector { fields })
    };
    WithPayloadSelector { selector_options: Some(options) }
}

fn consistency(servers: Servers) -> Option<ReadConsistency> {
    let quorum = ReadConsistency { value: Some(Consistency::Type(ReadConsistencyType::Quorum.into())) };
    (servers == Servers::Quorum).then_some(quorum)
}

fn strong() -> WriteOrdering {
    WriteOrdering { r#type: WriteOrderingType::Strong.into() }
}

/// By filter alone: a list of points would take precedence over it.
fn points_selector(filter: Scoped) -> PointsSelector {
    PointsSelector { points_selector_one_of: Some(PointsSelectorOneOf::Filter(filter.into_filter())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_not_published_to() {
        for (version, expected) in [
            ("1.17.0", true),
            ("1.19.0-dev", true),
            ("v2.0.1", true),
            ("1.16.3", false),
            ("0.11.0", false),
            ("", false),
            ("unknown", false),
        ] {
            assert_eq!(is_new_enough(version), expected, "{version}");
        }
    }
}
