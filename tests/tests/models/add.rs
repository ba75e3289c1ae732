//! Models from a folder: what is accepted, and the errors for the rest.

use std::fs;

use super::case::{Case, path};
use super::library::{OLD_RUNTIME, built};
use super::network::{Behaviour, network, scoring_network, tokenizer};

#[cfg(feature = "onnx-tests")]
#[test]
fn a_model_is_added_used_and_removed() {
    let case = Case::with_runtime(&[("RECALL_SEARCH__MODEL", "none")]);
    let folder = case.model("tiny", &network(8, Behaviour::Plain), r#"{"window_tokens": 64, "licence": "MIT"}"#);
    let said = case.succeeds(&["models", "add", path(&folder)]);
    assert!(said.starts_with("installed tiny: embed, 8 dimensions, 64 tokens, "), "{said}");
    assert!(said.contains("recall models use embed tiny"), "{said}");
    let listed = case.listed("tiny");
    assert_eq!((listed["used_as"].as_array().map(Vec::len), &listed["installed"]), (Some(0), &true.into()), "{listed}");
    case.refuses(&["models", "add", path(&folder)], 4, "CONFLICT", "already installed", "--name");
    assert!(case.succeeds(&["models", "add", path(&folder), "--name", "twin"]).contains("installed twin"));

    let said = case.succeeds(&["models", "use", "embed", "tiny"]);
    assert!(said.starts_with("used to embed: tiny\n"), "{said}");
    case.refuses(
        &["models", "rm", "tiny"],
        4,
        "CONFLICT",
        "in use for the role `embed`",
        "recall models use embed none",
    );
    case.refuses(&["models", "use", "embed", "nobody"], 1, "NOT_FOUND", "is not installed", "models list");
    case.refuses(&["models", "use", "embed", "static"], 2, "INVALID_ARGUMENT", "is off", "search.model");
    case.refuses(&["models", "use", "rerank", "tiny"], 2, "INVALID_ARGUMENT", "not `rerank`", "used to embed");
    case.refuses(&["models", "use", "rerank", "static"], 2, "INVALID_ARGUMENT", "not `rerank`", "used to embed");

    case.succeeds(&["models", "use", "embed", "none"]);
    let said = case.succeeds(&["models", "rm", "tiny"]);
    assert!(said.starts_with("removed tiny, ") && said.ends_with(" freed\n"), "{said}");
    case.refuses(&["models", "rm", "tiny"], 1, "NOT_FOUND", "is not installed", "models list");
    case.refuses(&["models", "rm", "static"], 2, "INVALID_ARGUMENT", "part of the program", "search.model");
    let table = case.succeeds(&["models", "list"]);
    let line = |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("twin").contains("installed") && line("static").contains("off"), "{table}");
    assert!(line("all-MiniLM-L6-v2").contains("can be pulled"), "{table}");
}

#[cfg(feature = "onnx-tests")]
#[test]
fn an_invalid_model_is_refused_with_the_reason() {
    let case = Case::with_runtime(&[]);
    let whole = network(8, Behaviour::Plain);
    let add = |name: &str, network: &[u8], manifest: &str| {
        let folder = case.model(name, network, manifest);
        path(&folder).to_owned()
    };
    let nowhere = case.sandbox.path().join("nowhere");
    case.refuses(&["models", "add", path(&nowhere)], 1, "NOT_FOUND", "there is no folder", "path");

    let folder = case.model("untold", &whole, "{}");
    fs::remove_file(folder.join("tokenizer.json")).expect("it is there");
    case.refuses(&["models", "add", path(&folder)], 2, "INVALID_ARGUMENT", "tokenizer.json", "tokenizer.json");
    fs::write(folder.join("tokenizer.json"), "{}").expect("writable");
    case.refuses(
        &["models", "add", path(&folder)],
        2,
        "INVALID_ARGUMENT",
        "is not a tokenizer",
        "belongs to the model",
    );
    fs::write(folder.join("tokenizer.json"), tokenizer()).expect("writable");
    fs::remove_file(folder.join("model.onnx")).expect("it is there");
    case.refuses(&["models", "add", path(&folder)], 2, "INVALID_ARGUMENT", "there is no", "model.onnx");
    fs::write(folder.join("model.safetensors"), "weights").expect("writable");
    case.refuses(&["models", "add", path(&folder)], 2, "INVALID_ARGUMENT", "holds weights", "optimum-cli export onnx");

    for garbage in [&b""[..], b"garbage", &whole[..whole.len() / 2]] {
        let folder = add("garbage", garbage, "{}");
        let says = "the ONNX runtime cannot load";
        case.refuses(&["models", "add", &folder], 2, "INVALID_ARGUMENT", says, "whole");
    }
    let folder = add("wide", &whole, r#"{"dimensions": 9}"#);
    let says = "8 dimensions, but its configuration says 9";
    case.refuses(&["models", "add", &folder], 2, "INVALID_ARGUMENT", says, "recall-model.json");
    let folder = add("nan", &network(8, Behaviour::NotANumber), "{}");
    let says = "is not a finite number";
    case.refuses(&["models", "add", &folder], 4, "EMBEDDING_FAILED", says, "export it again");
    let folder = add("pair", &scoring_network(2, Behaviour::Plain), r#"{"role": "rerank"}"#);
    case.refuses(
        &["models", "add", &folder],
        2,
        "INVALID_ARGUMENT",
        "2 dimensions, but its configuration says 1",
        "recall-model.json",
    );
    let folder = add("states", &whole, r#"{"role": "rerank"}"#);
    case.refuses(&["models", "add", &folder], 2, "INVALID_ARGUMENT", "is not a text encoder", "runs networks");
    let folder = add("reported", &whole, r#"{"pooling": "max"}"#);
    case.refuses(&["models", "add", &folder], 2, "INVALID_ARGUMENT", "recall-model.json", "correct the file");
    let folder = add("a name", &whole, "{}");
    case.refuses(&["models", "add", &folder], 2, "INVALID_ARGUMENT", "is not a valid model name", "--name");
    assert!(
        ["untold", "garbage", "wide", "nan", "pair", "states", "reported"].iter().all(|name| !case.is_installed(name))
    );
    assert_eq!(
        case.json(&["models", "list"])["models"].as_array().map(Vec::len),
        Some(9),
        "what is built in and known"
    );
}

#[test]
fn without_a_usable_runtime_a_hint_says_how_to_install_one() {
    let case = Case::new();
    let folder = case.model("tiny", &network(8, Behaviour::Plain), "{}");
    let add = ["models", "add", path(&folder)];
    let install = "recall models runtime install";
    case.refuses(&add, 4, "EMBEDDING_FAILED", "no ONNX runtime is configured", install);

    let library = |name: &str| case.sandbox.path().join(name).to_str().expect("plain").to_owned();
    fs::write(library("garbage.so"), "garbage").expect("writable");
    let old = built(case.sandbox.path(), "old", OLD_RUNTIME);
    for (library, says) in [
        (library("nowhere.so"), "there is no ONNX runtime at"),
        (library("garbage.so"), "cannot be loaded as the ONNX runtime"),
        (path(&old).to_owned(), "is 1.17.3; at least 1.24 is needed"),
    ] {
        let case = Case::with(&[("RECALL_MODELS__RUNTIME", &library)]);
        case.refuses(&add, 4, "EMBEDDING_FAILED", says, install);
        assert_eq!(case.search("store").1["results"][0]["doc"]["path"], "docs/shop.md", "words answer");
    }
}
