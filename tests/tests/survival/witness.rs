//! A client that records its requests and their acknowledgements.

use std::time::{Duration, Instant};

use recall_api::{Failure, Reason, v1};
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{DEADLINE, Project};
use recall_tests::Sandbox;

/// The certainty that an operation was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It was not requested.
    #[default]
    No,
    /// It was requested, and there was no response.
    Perhaps,
    /// It was acknowledged.
    Yes,
}

/// A memory and the operations on it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its title, and the idempotency key of its request.
    pub(crate) name: String,
    /// Its id, once it was acknowledged.
    pub(crate) id: Option<String>,
    pub(crate) useful: u64,
    /// Whether another `useful` was sent without a response.
    pub(crate) is_rating: bool,
    pub(crate) promoted: Certainty,
    pub(crate) removed: Certainty,
}

/// A connection, and all operations requested through it and its predecessors.
pub(crate) struct Witness {
    client: Client,
    context: v1::RequestContext,
    pub(crate) items: Vec<Item>,
}

/// A text that differs from all others: a search merges nearly equal ones.
fn words(name: &str) -> String {
    let seed = name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let mut random = fastrand::Rng::with_seed(seed);
    let word = |random: &mut fastrand::Rng| (0..6).map(|_| random.lowercase()).collect::<String>();
    (0..15).map(|_| word(&mut random)).collect::<Vec<_>>().join(" ")
}

/// Connects to the running daemon.
pub(crate) async fn connect(sandbox: &Sandbox) -> Client {
    let options = ConnectOptions {
        dirs: sandbox.dirs(),
        launch: Launch::Never,
        daemon_binary: None,
        daemon_home: None,
        client_name: "recall-tests".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        replace: Replace::Older,
        deadline: Duration::from_mins(1),
        attempts: 1,
    };
    Client::connect(&options).await.expect("a daemon runs")
}

impl Witness {
    pub(crate) async fn new(sandbox: &Sandbox, project: &Project, items: Vec<Item>) -> Self {
        let root = project.root().to_string_lossy().into_owned();
        let context = v1::RequestContext { working_directory: root.clone(), project_root: root, ..Default::default() };
        Self { client: connect(sandbox).await, context, items }
    }

    fn context(&self) -> v1::RequestContext {
        self.context.clone()
    }

    /// Adds a memory; the name distinguishes it from all others.
    pub(crate) async fn add(&mut self, name: &str) -> Result<(), Failure> {
        let (promoted, removed) = (Certainty::No, Certainty::No);
        let item = Item { name: name.to_owned(), id: None, useful: 0, is_rating: false, promoted, removed };
        self.items.push(item);
        self.send_addition(self.items.len() - 1).await
    }

    /// Adds a memory, possibly again.
    async fn send_addition(&mut self, item: usize) -> Result<(), Failure> {
        let name = &self.items[item].name;
        let request = v1::AddRequest {
            context: Some(self.context()),
            r#type: "lesson".to_owned(),
            title: name.clone(),
            content: format!("What was learnt of {name}: {}", words(name)),
            force: true,
            idempotency_key: name.clone(),
            ..Default::default()
        };
        let added = self.client.add(request).await.map_err(|status| Failure::from_status(&status))?;
        self.items[item].id = Some(added.id);
        Ok(())
    }

    pub(crate) async fn rate(&mut self, item: usize) -> Result<(), Failure> {
        let Some(id) = self.items[item].id.clone() else { return Ok(()) };
        self.items[item].is_rating = true;
        let request = v1::FeedbackRequest {
            context: Some(self.context()),
            item_id: id,
            feedback: v1::FeedbackKind::Useful.into(),
            ..Default::default()
        };
        self.client.feedback(request).await.map_err(|status| Failure::from_status(&status))?;
        let item = &mut self.items[item];
        (item.is_rating, item.useful) = (false, item.useful + 1);
        Ok(())
    }

    pub(crate) async fn promote(&mut self, item: usize) -> Result<(), Failure> {
        let Some(id) = self.items[item].id.clone() else { return Ok(()) };
        self.items[item].promoted = Certainty::Perhaps;
        let request = v1::PromoteRequest { context: Some(self.context()), id, ..Default::default() };
        self.client.promote(request).await.map_err(|status| Failure::from_status(&status))?;
        self.items[item].promoted = Certainty::Yes;
        Ok(())
    }

    pub(crate) async fn remove(&mut self, item: usize) -> Result<(), Failure> {
        let Some(id) = self.items[item].id.clone() else { return Ok(()) };
        self.items[item].removed = Certainty::Perhaps;
        let request = v1::RemoveRequest { context: Some(self.context()), items: vec![id], ..Default::default() };
        self.client.remove(request).await.map_err(|status| Failure::from_status(&status))?;
        self.items[item].removed = Certainty::Yes;
        Ok(())
    }

    /// Checks that all acknowledged operations took effect, and records the outcome of unacknowledged ones. An unacknowledged
    /// addition is repeated with its key.
    pub(crate) async fn check(&mut self) {
        for at in 0..self.items.len() {
            if self.items[at].id.is_none() {
                self.send_addition(at).await.expect("all is well");
            }
            let id = self.items[at].id.clone().expect("it was just added");
            let mut is_half_promoted = false;
            let got = self.client.get(v1::GetRequest { context: Some(self.context()), id, ..Default::default() }).await;
            let item = &mut self.items[at];
            let memory = match got.map_err(|status| Failure::from_status(&status)) {
                Ok(got) => got.memory.expect("a memory"),
                Err(failure) => {
                    assert_eq!(failure.reason, Reason::NotFound, "{failure}");
                    assert_ne!(item.removed, Certainty::No, "it is lost: {item:?}");
                    item.removed = Certainty::Yes;
                    continue;
                }
            };
            assert_ne!(item.removed, Certainty::Yes, "it came back: {item:?}");
            item.removed = Certainty::No;
            assert_eq!(memory.title, item.name);
            let is_global = memory.scope == v1::StoreScope::Global as i32;
            match item.promoted {
                // A kill between the two writes leaves it in both stores; a client without a response repeats the request.
                Certainty::Perhaps if !is_global => is_half_promoted = true,
                Certainty::Perhaps => item.promoted = Certainty::Yes,
                expected => assert_eq!(is_global, expected == Certainty::Yes, "{item:?}"),
            }
            // Feedback given in the project stays there.
            if !is_global {
                let useful = memory.stats.expect("always present").useful;
                let expected = item.useful..=item.useful + u64::from(item.is_rating);
                assert!(expected.contains(&useful), "{useful}: {item:?}");
                (item.useful, item.is_rating) = (useful, false);
            }
            if is_half_promoted {
                self.promote(at).await.expect("all is well");
            }
        }
    }

    /// Checks that a memory is found by its name and a removed one is not, in a response without warnings.
    pub(crate) async fn check_found(&self, item: &Item) {
        let began = Instant::now();
        let answer = loop {
            let request =
                v1::SearchRequest { context: Some(self.context()), query: item.name.clone(), ..Default::default() };
            let answer = self.client.search(request).await.expect("an answer");
            if answer.warnings.is_empty() {
                break answer;
            }
            assert!(began.elapsed() < DEADLINE, "{:?}", answer.warnings);
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        let is_found = answer
            .results
            .iter()
            .any(|hit| hit.memory.as_ref().is_some_and(|memory| Some(&memory.id) == item.id.as_ref()));
        assert_eq!(is_found, item.removed == Certainty::No, "{item:?}");
    }

    /// Reads all memories that are not removed: each is correct, or the failure reports that there is no space.
    pub(crate) async fn check_somehow(&self) {
        for item in self.items.iter().filter(|item| item.removed == Certainty::No) {
            let Some(id) = item.id.clone() else { continue };
            let request = v1::GetRequest { context: Some(self.context()), id, ..Default::default() };
            match self.client.get(request).await.map_err(|status| Failure::from_status(&status)) {
                Ok(got) => assert_eq!(got.memory.expect("a memory").title, item.name),
                Err(failure) => assert_eq!(failure.reason, Reason::DiskFull, "{failure}"),
            }
        }
    }

    /// Searches. The response may lack what could not be indexed, or reports that there is no space.
    pub(crate) async fn search_somehow(&self) {
        let query = "Wombat".to_owned();
        let request = v1::SearchRequest { context: Some(self.context()), query, ..Default::default() };
        if let Err(status) = self.client.search(request).await {
            let failure = Failure::from_status(&status);
            assert_eq!(failure.reason, Reason::DiskFull, "{failure}");
        }
    }

    /// Returns the number of parts of the project's journals that could not be read.
    pub(crate) async fn faults(&self) -> u64 {
        let status = v1::StatusRequest { context: Some(self.context()), ..Default::default() };
        let status = self.client.status(status).await.expect("a status");
        status.stores.iter().map(|store| store.failed).sum()
    }
}
