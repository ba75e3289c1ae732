//! Descriptions of models as messages.

use recall_api::v1;
use recall_core::{Embedder as _, Provider};
use recall_models::{BuiltIn, Installed, Manifest, NetworkKind, RegistryModel, Role};

use super::on_demand::Listed;

/// The name of the built-in model.
pub(crate) const STATIC: &str = "static";

pub(super) fn names(roles: &[Role]) -> Vec<String> {
    roles.iter().map(|role| role.as_str().to_owned()).collect()
}

/// Describes an installed model. `running` is the model if it was requested since the daemon started.
pub(super) fn installed_model(model: &Installed, running: Option<&dyn Listed>) -> v1::Model {
    let Installed { name, path, manifest, used_as } = model;
    let described = v1::Model {
        name: name.clone(),
        used_as: names(used_as),
        path: path.to_string_lossy().into_owned(),
        installed: true,
        ..v1::Model::default()
    };
    let manifest = match manifest {
        Ok(manifest) => manifest,
        Err(error) => {
            return v1::Model { origin: "local".to_owned(), problem: recall_text::error_chain(error), ..described };
        }
    };
    let provider = running.and_then(Listed::provider);
    let known = RegistryModel::find(name).map(registry_model).unwrap_or_default();
    v1::Model {
        roles: names(manifest.kind.roles()),
        origin: if manifest.origin.is_some() { "hub" } else { "local" }.to_owned(),
        dimensions: if manifest.kind == NetworkKind::Embed { manifest.dimensions as u32 } else { 0 },
        window_tokens: manifest.window_tokens as u32,
        licence: manifest.licence.clone().unwrap_or_default(),
        fingerprint: manifest.fingerprint().to_string(),
        loaded: provider.is_some(),
        provider: provider.unwrap_or_default(),
        bytes: bytes(model),
        problem: running.and_then(Listed::problem).unwrap_or_default(),
        languages: known.languages,
        measured: known.measured,
        ..described
    }
}

/// Returns the size of an installed model's files in bytes; 0 if its manifest cannot be read.
pub(super) fn bytes(model: &Installed) -> u64 {
    model.manifest.as_ref().map_or(0, Manifest::bytes)
}

pub(super) fn built_in(is_used: bool) -> v1::Model {
    let embeds = || names(NetworkKind::Embed.roles());
    v1::Model {
        name: STATIC.to_owned(),
        roles: embeds(),
        used_as: if is_used { embeds() } else { Vec::new() },
        origin: "builtin".to_owned(),
        path: String::new(),
        dimensions: BuiltIn.dimensions() as u32,
        window_tokens: 0,
        licence: env!("CARGO_PKG_LICENSE").to_owned(),
        fingerprint: BuiltIn.fingerprint().to_string(),
        loaded: is_used,
        provider: if is_used { Provider::Cpu.as_str().to_owned() } else { String::new() },
        bytes: 0,
        problem: String::new(),
        installed: true,
        address: String::new(),
        remote: None,
        languages: vec!["code".to_owned(), "en".to_owned()],
        measured: String::new(),
    }
}

/// Describes a model that can be pulled.
pub(super) fn registry_model(known: &RegistryModel) -> v1::Model {
    v1::Model {
        name: known.name.to_owned(),
        roles: names(known.kind.roles()),
        origin: "hub".to_owned(),
        dimensions: if known.kind == NetworkKind::Embed { known.dimensions as u32 } else { 0 },
        window_tokens: known.window_tokens as u32,
        licence: known.licence.to_owned(),
        bytes: known.download_bytes,
        languages: known.languages.iter().map(|&language| language.to_owned()).collect(),
        measured: known.measured.to_owned(),
        ..v1::Model::default()
    }
}
