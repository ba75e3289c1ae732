//! Models: listing, installation and selection.

use crate::v1;
use crate::v1::transfer_event::Event;
use serde::Serialize;

use crate::json::{Warning, answer, non_empty};

#[derive(Debug, Serialize)]
pub(crate) struct Model<'a> {
    name: &'a str,
    roles: &'a [String],
    used_as: &'a [String],
    origin: &'a str,
    path: Option<&'a str>,
    dimensions: u32,
    window_tokens: u32,
    licence: Option<&'a str>,
    fingerprint: Option<&'a str>,
    loaded: bool,
    provider: Option<&'a str>,
    bytes: u64,
    problem: Option<&'a str>,
    installed: bool,
    address: Option<&'a str>,
    remote: Option<RemoteUse>,
}

/// What a remote model has cost, and its pace.
#[derive(Debug, Serialize)]
struct RemoteUse {
    texts: u64,
    tokens: u64,
    dollars: Option<f64>,
    tokens_today: u64,
    tokens_daily: Option<u64>,
    texts_per_second: Option<f64>,
    chunks_left: u64,
}

impl From<&v1::RemoteUse> for RemoteUse {
    fn from(message: &v1::RemoteUse) -> Self {
        let v1::RemoteUse { texts, tokens, dollars, tokens_today, tokens_daily, texts_per_second, chunks_left } =
            *message;
        Self { texts, tokens, dollars, tokens_today, tokens_daily, texts_per_second, chunks_left }
    }
}

impl<'a> From<&'a v1::Model> for Model<'a> {
    fn from(message: &'a v1::Model) -> Self {
        let v1::Model {
            name,
            roles,
            used_as,
            origin,
            path,
            dimensions,
            window_tokens,
            licence,
            fingerprint,
            loaded,
            provider,
            bytes,
            problem,
            installed,
            address,
            remote,
        } = message;
        Self {
            name,
            roles,
            used_as,
            origin,
            path: non_empty(path),
            dimensions: *dimensions,
            window_tokens: *window_tokens,
            licence: non_empty(licence),
            fingerprint: non_empty(fingerprint),
            loaded: *loaded,
            provider: non_empty(provider),
            bytes: *bytes,
            problem: non_empty(problem),
            installed: *installed,
            address: non_empty(address),
            remote: remote.as_ref().map(RemoteUse::from),
        }
    }
}

#[derive(Debug, Serialize)]
struct Models<'a> {
    models: Vec<Model<'a>>,
}

/// The installed models, and those that can be pulled.
pub fn models(message: &v1::ListModelsResponse) -> impl Serialize {
    let v1::ListModelsResponse { models } = message;
    answer(Models { models: models.iter().map(Model::from).collect() })
}

#[derive(Debug, Serialize)]
struct AddedModel<'a> {
    model: Option<Model<'a>>,
}

/// A model installed from a folder.
pub fn add_model_answer(message: &v1::AddModelResponse) -> impl Serialize {
    let v1::AddModelResponse { model } = message;
    answer(AddedModel { model: model.as_ref().map(Model::from) })
}

#[derive(Debug, Serialize)]
struct Used<'a> {
    model: Option<Model<'a>>,
    chunks_to_embed: u64,
}

/// The newly selected model.
pub fn use_model_answer(message: &v1::UseModelResponse) -> impl Serialize {
    let v1::UseModelResponse { model, chunks_to_embed } = message;
    answer(Used { model: model.as_ref().map(Model::from), chunks_to_embed: *chunks_to_embed })
}

#[derive(Debug, Serialize)]
struct RemovedModel {
    bytes_freed: u64,
}

/// The disk space freed by removing a model.
pub fn remove_model_answer(message: &v1::RemoveModelResponse) -> impl Serialize {
    let v1::RemoveModelResponse { bytes_freed } = *message;
    answer(RemovedModel { bytes_freed })
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum TransferLine<'a> {
    Progress { file: &'a str, bytes_done: u64, bytes_total: Option<u64> },
    Finished { model: Option<Box<Model<'a>>>, path: Option<&'a str>, took_ms: f64 },
    Warning { warning: Warning<'a> },
}

/// Progress of a download: one object per line, the last with `"event": "finished"`.
pub fn transfer_line(event: &Event) -> impl Serialize {
    answer(match event {
        Event::Progress(v1::TransferProgress { file, bytes_done, bytes_total }) => TransferLine::Progress {
            file,
            bytes_done: *bytes_done,
            bytes_total: Some(*bytes_total).filter(|total| *total > 0),
        },
        Event::Finished(v1::TransferFinished { model, path, took_ms }) => TransferLine::Finished {
            model: model.as_ref().map(|model| Box::new(model.into())),
            path: non_empty(path),
            took_ms: *took_ms,
        },
        Event::Warning(warning) => TransferLine::Warning { warning: warning.into() },
    })
}
