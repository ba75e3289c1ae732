//! A server with the interface of Qdrant that supports the requests of a shared store, and refuses all others.
//!
//! It checks requests as Qdrant documents them, and answers from memory, comparing everything with everything, or from Qdrant's own segments,
//! which are the part of the server that stores and searches points. It has no shards, no replicas and no consensus. A filter without the
//! tenant, or with a field that has no index, is refused, so that a forgotten one fails a test.

mod requests;
#[cfg(unix)]
mod segments;
mod service;
mod state;

use std::collections::{BTreeMap, HashMap};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use qdrant_client::qdrant::collections_server::CollectionsServer;
use qdrant_client::qdrant::points_server::PointsServer;
use qdrant_client::qdrant::qdrant_server::QdrantServer;
use qdrant_client::qdrant::{UpdateMode, Value};
#[cfg(unix)]
use segments::Segments;
use service::Service;
pub use state::{Call, FailureMoment};
use state::{Create, Fields, Injection, Nearest, Point, Points, Prepared, Script, State, Stored};
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Status};

/// A running server. It ends when it is dropped.
pub struct ContractServer {
    port: u16,
    service: Service,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Default for ContractServer {
    fn default() -> Self {
        Self::start()
    }
}

impl ContractServer {
    /// Starts a server on a free port of this machine, which answers from memory.
    ///
    /// # Panics
    /// No port is free.
    pub fn start() -> Self {
        Self::with(Box::new(|_| Ok(Box::new(Compared::default()))))
    }

    /// Starts a server that answers from Qdrant's segments. Their package for Python is in the folder that `RECALL_TEST_WHEELS` names.
    ///
    /// # Panics
    /// The package is missing, Python cannot be started, or no port is free.
    #[cfg(unix)]
    pub fn on_segments() -> Self {
        Self::with(Box::new(|created| Ok(Box::new(Segments::create(created)?))))
    }

    fn with(create: Create) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a socket");
        let port = listener.local_addr().expect("bound").port();
        let service = Service { state: Arc::new(Mutex::new(State::new(create))), script: Arc::default() };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a thread");
        // tonic rejects messages above 4 MB, as servers and proxies do.
        let router = tonic::transport::Server::builder()
            .add_service(PointsServer::new(service.clone()))
            .add_service(CollectionsServer::new(service.clone()))
            .add_service(QdrantServer::new(service.clone()));
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("within a runtime");
            // Small answers are sent at once.
            router.serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true))).await
        });
        Self { port, service, runtime: Some(runtime) }
    }

    /// The address, as in a store's settings.
    pub fn address(&self) -> String {
        format!("http://{}", self.host())
    }

    /// The host and the port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Lets the next `times` calls of a method fail, or of any method if it is empty.
    ///
    /// A method is named as in the interface: `Upsert`, `Scroll`, `Query`, `Count`, `SetPayload`, `Delete`, and others.
    pub fn fail(&self, method: &'static str, times: u32, moment: FailureMoment, code: Code) {
        self.inject(Injection { method, left: times, moment, code, retry_after: None, delay: Duration::ZERO });
    }

    /// Lets the next `times` calls of any method be refused with the request to wait for some seconds.
    pub fn overload(&self, times: u32, seconds: u64) {
        let code = Code::ResourceExhausted;
        self.inject(Injection {
            method: "",
            left: times,
            moment: FailureMoment::Before,
            code,
            retry_after: Some(seconds),
            delay: Duration::ZERO,
        });
    }

    /// Lets the next `times` calls of a method be late.
    pub fn delay(&self, method: &'static str, times: u32, delay: Duration) {
        let (moment, code) = (FailureMoment::Before, Code::Ok);
        self.inject(Injection { method, left: times, moment, code, retry_after: None, delay });
    }

    fn inject(&self, injection: Injection) {
        self.service.script.lock().injections.push(injection);
    }

    /// Ends all failures and delays, and returns how many calls they met.
    pub fn heal(&self) -> u64 {
        let Script { injections, met, .. } = &mut *self.service.script.lock();
        injections.clear();
        std::mem::take(met)
    }

    /// From here on, calls without this key are refused.
    pub fn require_key(&self, key: &str) {
        self.service.script.lock().key = Some(key.to_owned());
    }

    /// The version that the server tells.
    pub fn set_version(&self, version: &str) {
        self.service.script.lock().version = Some(version.to_owned());
    }

    /// Returns the calls since the last time, in their order.
    pub fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.service.script.lock().calls)
    }

    /// Deletes some points of a collection, as the failure of a disk would. Returns how many.
    ///
    /// # Panics
    /// The segments do not answer.
    pub fn lose(&self, collection: &str, each: usize) -> usize {
        self.service.state.lock().lose(collection, each).expect("the segments answer")
    }

    /// Returns the numbers of points by collection.
    ///
    /// # Panics
    /// The segments do not answer.
    pub fn sizes(&self) -> Vec<(String, usize)> {
        self.service.state.lock().sizes().expect("the segments answer")
    }

    /// Returns the texts of a field of all points of a collection, sorted.
    ///
    /// # Panics
    /// The segments do not answer.
    pub fn texts(&self, collection: &str, field: &str) -> Vec<String> {
        self.service.state.lock().texts(collection, field).expect("the segments answer")
    }
}

impl Drop for ContractServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The points of a collection, in the order of their identities.
#[derive(Default)]
struct Compared(BTreeMap<String, Point>);

impl Compared {
    fn matching(&self, condition: &Prepared) -> impl Iterator<Item = (&String, &Point)> {
        self.0.iter().filter(|(id, point)| condition.is_satisfied(id, point))
    }
}

impl Points for Compared {
    fn write(
        &mut self,
        points: Vec<(String, Point)>,
        mode: UpdateMode,
        condition: Option<&Prepared>,
    ) -> Result<(), Status> {
        for (id, point) in points {
            let known = self.0.get(&id);
            let is_excluded =
                known.is_some_and(|known| condition.is_some_and(|condition| !condition.is_satisfied(&id, known)));
            let is_written = match mode {
                UpdateMode::Upsert => !is_excluded,
                UpdateMode::InsertOnly => known.is_none(),
                UpdateMode::UpdateOnly => known.is_some() && !is_excluded,
            };
            if is_written {
                self.0.insert(id, point);
            }
        }
        Ok(())
    }

    fn set(&mut self, fields: &HashMap<String, Value>, condition: &Prepared) -> Result<(), Status> {
        for (_, point) in self.0.iter_mut().filter(|(id, point)| condition.is_satisfied(id, point)) {
            point.fields.extend(fields.clone());
        }
        Ok(())
    }

    fn delete(&mut self, condition: &Prepared) -> Result<(), Status> {
        self.0.retain(|id, point| !condition.is_satisfied(id, point));
        Ok(())
    }

    fn page(
        &mut self,
        condition: &Prepared,
        start: Option<&str>,
        most: usize,
    ) -> Result<Vec<(String, Fields)>, Status> {
        let matching = self.matching(condition).filter(|(id, _)| start.is_none_or(|start| id.as_str() >= start));
        Ok(matching.take(most).map(|(id, point)| (id.clone(), point.fields.clone())).collect())
    }

    fn count(&mut self, condition: &Prepared) -> Result<u64, Status> {
        Ok(self.matching(condition).count() as u64)
    }

    fn best(&mut self, nearest: &Nearest, condition: &Prepared) -> Result<Vec<(String, f32)>, Status> {
        let matching = self.matching(condition);
        let scored = matching.filter_map(|(id, point)| {
            let score = score(&nearest.vector, point.vectors.get(&nearest.name)?)?;
            Some((id.clone(), score))
        });
        let mut scored: Vec<(String, f32)> = scored.collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        scored.truncate(nearest.most);
        Ok(scored)
    }
}

/// The cosine, or the dot product of sparse vectors; `None` for sparse vectors that have no index in common.
fn score(wanted: &Stored, known: &Stored) -> Option<f32> {
    match (wanted, known) {
        (Stored::Dense(wanted), Stored::Dense(known)) => {
            let (wanted, known) = (normalise(wanted), normalise(known));
            Some(wanted.iter().zip(known).map(|(a, b)| a * b).sum())
        }
        (Stored::Sparse(wanted), Stored::Sparse(known)) => {
            let products = wanted.iter().filter_map(|(index, weight)| Some(weight * known.get(index)?));
            products.reduce(|sum, product| sum + product)
        }
        _ => None,
    }
}

fn normalise(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
    if length == 0.0 { vector.to_vec() } else { vector.iter().map(|component| component / length).collect() }
}
