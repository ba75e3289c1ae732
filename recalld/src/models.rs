//! Which models are there, and what are they used for?

use recall_config::ModelSetting;
use recall_core::Embedder as _;
use recall_models::BuiltIn;
use recall_proto::v1;

/// What the built-in model is called.
pub(crate) const STATIC: &str = "static";

/// Every model that is in use.
pub(crate) fn in_use(setting: ModelSetting) -> Vec<v1::Model> {
    match setting {
        ModelSetting::None => Vec::new(),
        ModelSetting::Static => vec![built_in()],
    }
}

fn built_in() -> v1::Model {
    let embeds = || vec!["embed".to_owned()];
    v1::Model {
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
    }
}

/// Reads the model beside the first requests, so that none waits for it. Takes some 20 ms.
pub(crate) fn warm_up(setting: ModelSetting) {
    if setting == ModelSetting::None {
        return;
    }
    let reading = std::thread::Builder::new().name("model".to_owned());
    if let Err(error) = reading.spawn(|| BuiltIn.dimensions()) {
        tracing::warn!(%error, "no thread to read the built-in model; the first request that needs it does");
    }
}
