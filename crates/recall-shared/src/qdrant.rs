//! Qdrant.
//!
//! Chunks, documents and branches are points of three collections, and a model's vectors are a collection of their own. The numbers of terms
//! are sparse vectors, so that a score is the sum of a query's weights. There are no transactions: a publication writes points that
//! count only after its commit, and the commit is one conditional write to the branch's point.
//!
//! Readers see one state of a branch although its points change one after the other: `visible` says which documents count,
//! `publication` in which order they are written, and `find` how a search notices that a commit came in between (ADR 45).

mod branches;
mod client;
mod facets;
mod field;
mod find;
mod point;
mod publication;
mod schema;
mod tenant;
mod upkeep;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tonic::codegen::http::Uri;

use crate::guarded::Connections;
use crate::seam::{BranchState, ChunkRecord, DocumentRecord};
use crate::{
    Ask, Branch, FacetCounts, FacetScan, Found, Key, Manifest, Model, Place, Publication, SharedStore, Statistics,
    StoreError, TextScan, TextStep, WholeDocument,
};
use client::Client;
pub use schema::{QdrantSettings, Spread};
use tenant::Tenant;

/// A Qdrant server or cluster.
pub struct Qdrant {
    connections: Connections<Client>,
    spread: Spread,
    clock: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl Qdrant {
    /// Creates the store. Connects with the first request.
    ///
    /// # Errors
    /// The address or the key is invalid, or the key or the texts would be sent over an unprotected network.
    pub fn new(settings: QdrantSettings) -> Result<Self, StoreError> {
        check_address(&settings.address)?;
        if !settings.key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(StoreError::refusal("its key has characters that no API key has; set the variable again"));
        }
        let client = |deadline| {
            let tenant = Tenant::new(settings.tenant.clone());
            Client::new(&settings.address, &settings.key, tenant, deadline).map(|client| (client, deadline))
        };
        let (readers, writers) = (client(settings.deadline)?, client(settings.publish_deadline)?);
        let connections = Connections::start("qdrant", &settings.key, readers, writers)?;
        Ok(Self { connections, spread: settings.spread, clock: settings.clock })
    }

    fn now(&self) -> u64 {
        (self.clock)()
    }
}

/// Checks that an address is one of a server, and that what is sent to it is protected.
fn check_address(address: &str) -> Result<(), StoreError> {
    let refused = |reason: &str| Err(StoreError::refusal(format!("its address `{address}` {reason}")));
    let Ok(uri) = address.parse::<Uri>() else { return refused("is not a URL like https://host:6334") };
    let Some(host) = uri.host().map(|host| host.trim_matches(['[', ']'])) else {
        return refused("has no host; write https://host:6334");
    };
    if uri.port().is_none() {
        return refused("has no port; that of Qdrant's gRPC interface is 6334");
    }
    if uri.path() != "/" && !uri.path().is_empty() || uri.query().is_some() {
        return refused("has more than a host and a port");
    }
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match uri.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if is_here => Ok(()),
        Some("http") => refused("would send texts and the key unprotected; use https beyond this machine"),
        _ => refused("begins neither with https:// nor with http://"),
    }
}

impl SharedStore for Qdrant {
    fn kind(&self) -> &'static str {
        "qdrant"
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.connections.read(async |client| client.ping().await)
    }

    fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError> {
        let keys = keys.to_vec();
        self.connections.read(|client| async move { upkeep::read_statistics(&client, keys).await })
    }

    fn models(&self) -> Result<Vec<Model>, StoreError> {
        self.connections.read(|client| async move { upkeep::models(&client).await })
    }

    fn find(&self, ask: &Ask) -> Result<Found, StoreError> {
        let ask = ask.clone();
        self.connections.read(|client| async move { find::find(&client, &ask).await })
    }

    fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
        let chunks = chunks.to_vec();
        self.connections.read(|client| async move { find::texts(&client, &chunks).await })
    }

    fn document(&self, places: &[Place]) -> Result<Option<WholeDocument>, StoreError> {
        let places = places.to_vec();
        self.connections.read(|client| async move { find::document(&client, &places).await })
    }

    fn facets(&self, scan: &FacetScan) -> Result<FacetCounts, StoreError> {
        let scan = scan.clone();
        self.connections.read(|client| async move { facets::count(&client, &scan).await })
    }

    fn scan_texts(&self, scan: &TextScan) -> Result<TextStep, StoreError> {
        let scan = scan.clone();
        self.connections.read(|client| async move { find::scan_texts(&client, &scan).await })
    }

    fn publish_deadline(&self) -> Duration {
        self.connections.publish_deadline()
    }

    fn branch(&self, branch: &Branch) -> Result<Option<BranchState>, StoreError> {
        let (branch, spread) = (branch.clone(), self.spread);
        self.connections.write(|client| async move { publication::branch(&client, &branch, spread).await })
    }

    fn manifest(&self, branch: &Branch) -> Result<Manifest, StoreError> {
        let (branch, spread) = (branch.clone(), self.spread);
        self.connections.write(|client| async move { publication::manifest(&client, &branch, spread).await })
    }

    fn begin(&self, branch: &Branch, model: Option<&Model>) -> Result<Publication, StoreError> {
        let (branch, model, spread, now) = (branch.clone(), model.cloned(), self.spread, self.now());
        self.connections
            .write(|client| async move { publication::begin(&client, branch, model.as_ref(), spread, now).await })
    }

    fn missing(&self, chunks: &[Key], model: Option<&Model>) -> Result<Vec<bool>, StoreError> {
        let (chunks, model, now) = (chunks.to_vec(), model.cloned(), self.now());
        self.connections
            .write(|client| async move { publication::missing(&client, &chunks, model.as_ref(), now).await })
    }

    fn put_chunks(&self, chunks: &[ChunkRecord], model: Option<&Model>) -> Result<(), StoreError> {
        let (chunks, model, now) = (chunks.to_vec(), model.cloned(), self.now());
        self.connections
            .write(|client| async move { publication::put_chunks(&client, chunks, model.as_ref(), now).await })
    }

    fn put_documents(&self, publication: &Publication, documents: &[DocumentRecord]) -> Result<(), StoreError> {
        let (publication, documents) = (publication.clone(), documents.to_vec());
        self.connections
            .write(|client| async move { publication::put_documents(&client, &publication, &documents).await })
    }

    fn commit(
        &self,
        publication: &Publication,
        added: u64,
        removed: &[String],
        state: &BranchState,
    ) -> Result<(), StoreError> {
        let (publication, removed, state) = (publication.clone(), removed.to_vec(), state.clone());
        let now = self.now();
        self.connections.write(|client| async move {
            publication::commit(&client, &publication, added, removed, &state, now).await
        })
    }

    fn collect(&self) -> Result<u64, StoreError> {
        let now = self.now();
        self.connections.write(|client| async move { upkeep::collect(&client, now).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_checked() {
        for (address, is_valid) in [
            ("https://db.example.org:6334", true),
            ("http://127.0.0.1:6334", true),
            ("http://localhost:6334", true),
            ("http://[::1]:6334", true),
            ("http://10.0.0.7:6334", false),
            ("http://db.example.org:6334", false),
            ("https://db.example.org", false),
            ("https://db.example.org:6334/team", false),
            ("postgres://db:6334", false),
            ("", false),
        ] {
            let checked = check_address(address);
            assert_eq!(checked.is_ok(), is_valid, "{address}: {checked:?}");
        }
    }

    #[test]
    fn a_key_that_no_header_can_hold_is_not_shown() {
        let settings = QdrantSettings {
            address: "http://127.0.0.1:6334".to_owned(),
            key: "secret\n".to_owned(),
            tenant: "team".to_owned(),
            deadline: std::time::Duration::from_secs(1),
            publish_deadline: std::time::Duration::from_secs(1),
            spread: Spread::default(),
            clock: Arc::new(|| 0),
        };
        let error = Qdrant::new(settings).err().expect("the key is invalid");
        assert!(matches!(error, StoreError::Refused { .. }) && !format!("{error:?}").contains("secret"), "{error:?}");
    }
}
