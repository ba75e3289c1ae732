//! Pulling models from a hub, which is a local server.

use std::ops::ControlFlow;
use std::time::Duration;

use recall_models::{
    AddError, FetchError, FetchSettings, Fetcher, Manifest, ModelsFolder, NetworkKind, Pooling, PullError, REGISTRY,
    RegistryModel,
};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::fixture::{models, runtime, settings, tiny_network, tiny_tokenizer};
use super::server::{Served, Server};

const TINY: RegistryModel = RegistryModel {
    name: "tiny",
    repository: "some/tiny",
    network: "onnx/model.onnx",
    kind: NetworkKind::Embed,
    dimensions: 3,
    pooling: Pooling::Cls,
    query_prefix: "open ",
    document_prefix: "",
    window_tokens: 16,
    licence: "MIT",
    languages: &["en"],
    download_bytes: 0,
    measured: "",
};

const NETWORK: &str = "/some/tiny/resolve/main/onnx/model.onnx";

/// Starts a hub that has the tiny model, with the network as an LFS file and the tokenizer in git.
fn hub(network: Served) -> Server {
    let tokenizer = tiny_tokenizer();
    let whole = tiny_network();
    let blob = Sha1::new().chain_update(format!("blob {}\0", tokenizer.len())).chain_update(&tokenizer).finalize();
    let list = serde_json::json!([
        { "type": "directory", "path": "onnx", "oid": "00", "size": 0 },
        { "type": "file", "path": "onnx/model.onnx", "size": whole.len(), "oid": "00",
          "lfs": { "oid": hex(&Sha256::digest(&whole)), "size": whole.len() } },
        { "type": "file", "path": "tokenizer.json", "size": tokenizer.len(), "oid": hex(&blob) },
    ]);
    let server = Server::start();
    server.serve("/api/models/some/tiny/tree/main?recursive=true", Served::whole(list.to_string()));
    server.serve(NETWORK, network);
    server.serve("/some/tiny/resolve/main/tokenizer.json", Served::whole(tokenizer));
    server
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
        .collect()
}

fn pull(server: &Server, models: &ModelsFolder, known: &RegistryModel) -> Result<Manifest, PullError> {
    let fetcher = Fetcher::new(FetchSettings { retries: 0, retry_after: Duration::ZERO, ..FetchSettings::default() });
    let runtime = runtime();
    let mut watch = |_: recall_models::Progress<'_>| ControlFlow::Continue(());
    models.pull(known, &fetcher.unwrap(), Some(&server.address), runtime, &settings(), &mut watch)
}

#[test]
fn a_known_model_is_pulled_and_installed() {
    let (_at, models) = models();
    let server = hub(Served::whole(tiny_network()));
    let manifest = pull(&server, &models, &TINY).unwrap();
    assert_eq!((manifest.dimensions, manifest.pooling, manifest.window_tokens), (3, Pooling::Cls, 16));
    assert_eq!(manifest.origin, Some(format!("{}/some/tiny", server.address)));
    let listed = models.list().unwrap();
    assert_eq!(listed.iter().map(|model| model.name.as_str()).collect::<Vec<_>>(), ["tiny"]);
    assert!(matches!(pull(&server, &models, &TINY), Err(PullError::Add(AddError::AlreadyThere { .. }))));
}

#[test]
fn a_truncated_pull_is_resumed_by_the_next() {
    let (_at, models) = models();
    let server = hub(Served { cut: vec![100], ..Served::whole(tiny_network()) });
    let error = pull(&server, &models, &TINY).unwrap_err();
    assert!(matches!(error, PullError::Fetch(FetchError::Truncated { done_bytes: 100, .. })), "{error:?}");
    assert_eq!(models.list().unwrap().len(), 0);
    pull(&server, &models, &TINY).unwrap();
    let ranges: Vec<_> =
        server.requests().into_iter().filter(|request| request.path == NETWORK).map(|request| request.range).collect();
    assert_eq!(ranges, [None, Some("bytes=100-".to_owned())]);
}

#[test]
fn a_file_with_a_wrong_checksum_is_refused() {
    let (_at, models) = models();
    let mut changed = tiny_network();
    *changed.last_mut().unwrap() ^= 1;
    let server = hub(Served::whole(changed));
    let error = pull(&server, &models, &TINY).unwrap_err();
    assert!(matches!(error, PullError::Fetch(FetchError::WrongChecksum { .. })), "{error:?}");
    assert_eq!(models.list().unwrap().len(), 0);

    server.serve(NETWORK, Served::whole(tiny_network()));
    server.serve("/some/tiny/resolve/main/tokenizer.json", Served::whole(tiny_tokenizer().replace("open", "opem")));
    let error = pull(&server, &models, &TINY).unwrap_err();
    assert!(matches!(error, PullError::Fetch(FetchError::WrongChecksum { .. })), "{error:?}");
}

#[test]
fn a_hub_that_lacks_the_model_is_reported() {
    let (_at, models) = models();
    let server = hub(Served::whole(tiny_network()));
    let other = RegistryModel { network: "onnx/other.onnx", ..TINY };
    assert!(matches!(pull(&server, &models, &other), Err(PullError::NotInHub { .. })));
    let nowhere = RegistryModel { repository: "some/other", ..TINY };
    let error = pull(&server, &models, &nowhere).unwrap_err();
    assert!(matches!(error, PullError::Fetch(FetchError::Refused { status: 404, .. })), "{error:?}");
    let wrong = RegistryModel { dimensions: 4, ..TINY };
    let error = pull(&server, &models, &wrong).unwrap_err();
    assert!(matches!(error, PullError::Add(AddError::WrongDimensions { expected: 4, found: 3 })), "{error:?}");
    server.serve("/api/models/some/tiny/tree/main?recursive=true", Served::whole("<html>"));
    assert!(matches!(pull(&server, &models, &TINY), Err(PullError::Malformed { .. })));
}

#[test]
fn every_known_model_has_a_valid_name() {
    for known in REGISTRY {
        assert_eq!(RegistryModel::find(&known.name.to_uppercase()), Some(known));
        assert!(ModelsFolder::new("models").path_of(known.name).is_ok(), "{}", known.name);
        assert!(known.network.ends_with("/model.onnx"), "{}", known.name);
    }
}
