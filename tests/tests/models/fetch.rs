//! Models from a hub and the runtime from an index, served by an unreliable local server.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::case::{Case, path, wheel};
use super::network::{Behaviour, network, tokenizer};
use super::server::{Served, Server};

const NETWORK: &str = "/sentence-transformers/all-MiniLM-L6-v2/resolve/main/onnx/model.onnx";

/// A known model as a hub serves it: its network as a large file, its tokenizer in git. The network is tiny, with as many
/// dimensions as the real one.
struct Hub {
    server: Server,
    network: Vec<u8>,
}

impl Hub {
    fn start() -> Self {
        let (network, tokenizer) = (network(384, Behaviour::Plain), tokenizer());
        let blob = Sha1::new().chain_update(format!("blob {}\0", tokenizer.len())).chain_update(&tokenizer).finalize();
        let list = json!([
            { "type": "directory", "path": "onnx", "oid": "00", "size": 0 },
            { "type": "file", "path": "onnx/model.onnx", "size": network.len(), "oid": "00",
              "lfs": { "oid": hex(&Sha256::digest(&network)), "size": network.len() } },
            { "type": "file", "path": "tokenizer.json", "size": tokenizer.len(), "oid": hex(&blob) },
        ]);
        let server = Server::start();
        let repository = "sentence-transformers/all-MiniLM-L6-v2";
        server.serve(&format!("/api/models/{repository}/tree/main?recursive=true"), Served::whole(list.to_string()));
        server.serve(&format!("/{repository}/resolve/main/tokenizer.json"), Served::whole(tokenizer));
        server.serve(NETWORK, Served::whole(network.clone()));
        Self { server, network }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The names of the events that a command prints.
fn events(stdout: &str) -> Vec<(String, Value)> {
    let lines = stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    lines.map(|line| (line["event"].as_str().unwrap_or_default().to_owned(), line)).collect()
}

#[cfg(feature = "onnx-tests")]
#[test]
fn a_model_is_pulled_by_name_over_a_broken_connection() {
    let case = Case::with_runtime(&[]);
    let hub = Hub::start();
    hub.server.serve(NETWORK, Served { cut: vec![1000], ..Served::whole(hub.network.clone()) });
    let pull = ["models", "pull", "All-MiniLM-L6-v2", "--mirror", &hub.server.address, "--json"];
    let reported = events(&case.succeeds(&pull));
    let (last, rest) = reported.split_last().expect("events");
    assert!(rest.iter().all(|(event, _)| event == "progress"), "{reported:?}");
    let mut network = rest.iter().filter(|(_, line)| line["file"] == "model.onnx").map(|(_, line)| &line["bytes_done"]);
    assert_eq!(network.next_back().and_then(Value::as_u64), Some(hub.network.len() as u64), "{rest:?}");
    let (event, Value::Object(finished)) = last else { panic!("{last:?}") };
    assert_eq!((event.as_str(), &finished["model"]["name"]), ("finished", &json!("all-MiniLM-L6-v2")));
    let ranges: Vec<_> = hub.server.requests().into_iter().filter(|request| request.path == NETWORK).collect();
    assert_eq!(ranges.iter().map(|request| request.range.as_deref()).collect::<Vec<_>>(), [None, Some("bytes=1000-")]);

    let listed = case.listed("all-MiniLM-L6-v2");
    assert_eq!((&listed["origin"], &listed["dimensions"]), (&json!("hub"), &json!(384)), "{listed}");
    case.refuses(&pull[..5], 4, "CONFLICT", "already installed", "remove it first");
    case.succeeds(&["models", "use", "embed", "all-MiniLM-L6-v2"]);
}

#[cfg(feature = "onnx-tests")]
#[test]
fn a_model_that_the_hub_serves_damaged_or_not_at_all_is_not_installed() {
    let hub = Hub::start();
    let case = Case::with_runtime(&[("RECALL_MODELS__HUB", &hub.server.address)]);
    let pull = ["models", "pull", "all-MiniLM-L6-v2"];
    let mut changed = hub.network.clone();
    *changed.last_mut().expect("it is not empty") ^= 1;
    hub.server.serve(NETWORK, Served::whole(changed));
    case.refuses(&pull, 4, "FETCH_FAILED", "has the checksum", "another mirror");
    hub.server.serve(NETWORK, Served { refused: vec![403; 2], ..Served::whole(hub.network.clone()) });
    case.refuses(&pull, 4, "FETCH_FAILED", "answered with status 403", "models.proxy");
    assert!(!case.is_installed("all-MiniLM-L6-v2"));
    case.succeeds(&pull);

    case.refuses(&["models", "pull", "gpt-9"], 1, "NOT_FOUND", "`gpt-9`", "models list");
    let empty = Server::start();
    let elsewhere = ["models", "pull", "bge-small-en-v1.5", "--mirror", &empty.address];
    case.refuses(&elsewhere, 4, "FETCH_FAILED", "answered with status 404", "models.hub");
}

#[test]
fn a_model_is_not_downloaded_without_a_usable_runtime() {
    let hub = Hub::start();
    let case = Case::with(&[("RECALL_MODELS__HUB", &hub.server.address)]);
    let pull = ["models", "pull", "all-MiniLM-L6-v2"];
    case.refuses(&pull, 4, "EMBEDDING_FAILED", "no ONNX runtime", "recall models runtime install");
    assert_eq!(hub.server.requests(), []);
}

#[cfg(feature = "onnx-tests")]
#[test]
fn the_runtime_is_installed_from_an_index_if_its_checksum_matches() {
    let wheel = wheel();
    let file = wheel.file_name().and_then(|name| name.to_str()).expect("a plain name");
    let server = Server::start();
    let page = format!("<a href=\"../../files/{file}#sha256=00\">{file}</a>");
    server.serve("/simple/onnxruntime/", Served::whole(page));
    let at = format!("/files/{file}");
    let mut bytes = fs::read(&wheel).expect("readable");
    bytes[1_000_000] ^= 1;
    server.serve(&at, Served::whole(bytes.clone()));
    let case = Case::with(&[("RECALL_MODELS__INDEX", &format!("{}/simple/", server.address))]);
    let install = ["models", "runtime", "install"];
    case.refuses(&install, 4, "FETCH_FAILED", "has the checksum", "another mirror");
    bytes[1_000_000] ^= 1;
    server.serve(&at, Served::whole(bytes));
    let said = case.succeeds(&install);
    assert!(said.starts_with("installed ") && said.contains("runtimes"), "{said}");
    let requests = server.requests().len();
    case.succeeds(&install);
    assert_eq!(server.requests().len(), requests, "it is there");

    let case = Case::with(&[("RECALL_MODELS__INDEX", &server.address)]);
    case.refuses(&install, 4, "FETCH_FAILED", "answered with status 404", "models.index");
    let library = case.sandbox.path().join("libonnxruntime.so");
    fs::write(&library, "x").expect("writable");
    let from = |file: &str| ["models", "runtime", "install", "--from", file].map(str::to_owned);
    let at_hand = from(path(&library));
    let at_hand: Vec<&str> = at_hand.iter().map(String::as_str).collect();
    case.refuses(&at_hand, 2, "INVALID_ARGUMENT", "is a library", "models.runtime");
    fs::write(library.with_extension("whl"), "x").expect("writable");
    let at_hand = from(path(&library.with_extension("whl")));
    let at_hand: Vec<&str> = at_hand.iter().map(String::as_str).collect();
    case.refuses(&at_hand, 2, "INVALID_ARGUMENT", "its checksum is", file);
}
