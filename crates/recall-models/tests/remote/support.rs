//! A fake server with a link to it.

use std::sync::Arc;
use std::time::Duration;

use recall_core::{Clock, Timestamp};
use recall_models::providers::{
    Key, Link, LinkSettings, Network, Provider, RemoteEncoder, RemoteName, Usage, Wire, probe,
};
use recall_testkit::{FakeProvider, FakeRules, fake_vector};
use tempfile::TempDir;

/// A server, and what is needed to reach it.
pub(crate) struct Case {
    pub(crate) fake: FakeProvider,
    pub(crate) usage: Arc<Usage>,
    wire: Wire,
    settings: LinkSettings,
    _place: TempDir,
}

struct Midday;

impl Clock for Midday {
    fn now(&self) -> Timestamp {
        Timestamp(20_000 * 24 * 3600 * 1_000_000_000)
    }
}

/// A delay that no test waits for, however busy the machine is.
pub(crate) const NEVER: Duration = Duration::from_mins(2);

/// Settings with delays that a test does not notice.
pub(crate) fn quick() -> LinkSettings {
    let (retry_after, pause) = (Duration::from_millis(1), Duration::from_millis(5));
    LinkSettings { retry_after, pause, longest_pause: Duration::from_mins(1), ..LinkSettings::default() }
}

impl Case {
    pub(crate) fn new(wire: Wire, rules: FakeRules, settings: LinkSettings) -> Self {
        Self::build(wire, rules, settings, None)
    }

    pub(crate) fn with_budget(wire: Wire, budget: u64) -> Self {
        Self::build(wire, FakeRules::default(), quick(), Some(budget))
    }

    fn build(wire: Wire, rules: FakeRules, settings: LinkSettings, budget: Option<u64>) -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let usage = Arc::new(Usage::new(place.path(), budget, Arc::new(Midday)));
        Self { fake: FakeProvider::start(rules), usage, wire, settings, _place: place }
    }

    pub(crate) fn link(&self) -> Arc<Link> {
        self.link_with(None, self.settings.clone())
    }

    pub(crate) fn link_with(&self, key: Option<&str>, settings: LinkSettings) -> Arc<Link> {
        let address = match self.wire {
            Wire::Ollama | Wire::Anthropic => self.fake.address().to_owned(),
            Wire::OpenAi | Wire::Voyage => self.fake.v1(),
        };
        let provider = Provider { name: "lab".to_owned(), wire: self.wire, address, key: key.and_then(Key::new) };
        let usage = Arc::clone(&self.usage);
        Arc::new(Link::new(provider, &Network::default(), settings, usage).expect("a link"))
    }

    /// Probes a model; returns its embedder.
    pub(crate) fn encoder(&self, model: &str) -> RemoteEncoder {
        let link = self.link();
        let name = RemoteName::parse(&format!("lab:{model}")).expect("a name");
        let model = probe(&link, &name).expect("a healthy server");
        RemoteEncoder::new(model, link).expect("a name")
    }
}

/// Checks that vectors are those of the texts, scaled to length 1; all zero for a blank text.
#[track_caller]
pub(crate) fn assert_vectors(found: &[Vec<f32>], texts: &[&str], dimensions: usize) {
    assert_eq!(found.len(), texts.len());
    for (vector, text) in found.iter().zip(texts) {
        assert_eq!(vector.len(), dimensions, "{text}");
        let expected = if text.is_empty() { vec![0.0; dimensions] } else { fake_vector(text, dimensions) };
        let length = expected.iter().map(|component| component * component).sum::<f32>().sqrt().max(1e-9);
        let is_near = vector.iter().zip(&expected).all(|(one, other)| (one - other / length).abs() < 1e-5);
        assert!(is_near, "the vector of {text:?} is wrong");
    }
}
