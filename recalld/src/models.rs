//! Which models are there, and what are they used for?

use recall_core::Embedder as _;
use recall_models::BuiltIn;
use recall_proto::v1;

/// What the built-in model is called.
pub(crate) const STATIC: &str = "static";

/// Every model, with what it is used for.
pub(crate) fn all() -> Vec<v1::Model> {
    let embeds = || vec!["embed".to_owned()];
    vec![v1::Model {
        name: STATIC.to_owned(),
        roles: embeds(),
        used_as: embeds(),
        origin: "builtin".to_owned(),
        path: String::new(),
        dimensions: BuiltIn.dimensions() as u32,
        window_tokens: 0,
        licence: env!("CARGO_PKG_LICENSE").to_owned(),
        fingerprint: BuiltIn.fingerprint().to_string(),
        loaded: true,
        provider: "cpu".to_owned(),
        bytes: 0,
        problem: String::new(),
    }]
}

/// Reads the built-in model beside the first requests, so that none waits for it. Takes some 20 ms.
pub(crate) fn warm_up() {
    let reading = std::thread::Builder::new().name("model".to_owned());
    if let Err(error) = reading.spawn(|| BuiltIn.dimensions()) {
        tracing::warn!(%error, "no thread to read the built-in model; the first request that needs it does");
    }
}
