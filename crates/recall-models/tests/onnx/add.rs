//! Installing models: which are accepted and which are refused.

use recall_models::{
    AddError, Batching, FolderError, LoadError, ModelsFolder, NetworkKind, OnnxEncoder, Pooling, Role, RunError,
};

use super::fixture::{folder, looked_up, models, quantised_network, runtime, settings, table, tiny, tiny_network};
use super::onnx_file::{Element, Graph};

/// Adds a folder, which must be refused without leaving anything behind.
#[track_caller]
fn refused(from: &tempfile::TempDir) -> AddError {
    let (at, models) = models();
    let error = models.add(from.path(), "tiny", runtime(), &settings()).unwrap_err();
    assert_eq!(models.list().unwrap().len(), 0);
    let left = std::fs::read_dir(at.path().join("models")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "{error}");
    error
}

#[test]
fn a_model_is_added_listed_used_and_removed() {
    let runtime = runtime();
    let (_at, models) = models();
    assert_eq!(models.list().unwrap().len(), 0);
    let from = tiny(&tiny_network(), r#"{"window_tokens": 8, "licence": "MIT", "query_prefix": "the "}"#);
    let manifest = models.add(from.path(), "tiny", runtime, &settings()).unwrap();
    assert_eq!((manifest.kind, manifest.dimensions, manifest.window_tokens), (NetworkKind::Embed, 3, 8));
    assert_eq!((manifest.pooling, manifest.batching), (Pooling::Mean, Batching::Together));
    assert_eq!((manifest.licence.as_deref(), manifest.query_prefix.as_str()), (Some("MIT"), "the "));
    assert_eq!(manifest.files.iter().map(|file| &file.name).collect::<Vec<_>>(), ["model.onnx", "tokenizer.json"]);

    let again = models.add(from.path(), "tiny", runtime, &settings()).unwrap_err();
    assert!(matches!(again, AddError::AlreadyThere { .. }), "{again}");

    models.use_as(Role::Embed, Some("tiny")).unwrap();
    let listed = models.list().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].name.as_str(), &listed[0].used_as[..]), ("tiny", &[Role::Embed][..]));
    assert_eq!(listed[0].manifest.as_ref().unwrap(), &manifest);

    assert!(matches!(models.remove("tiny"), Err(FolderError::InUse { role: Role::Embed, .. })));
    assert!(matches!(models.use_as(Role::Rerank, Some("tiny")), Err(FolderError::OtherRole { .. })));
    models.use_as(Role::Embed, None).unwrap();
    models.remove("tiny").unwrap();
    assert_eq!(models.list().unwrap().len(), 0);
    assert!(matches!(models.use_as(Role::Embed, Some("tiny")), Err(FolderError::NotInstalled { .. })));
}

#[test]
fn a_folder_that_lacks_a_file_is_refused() {
    for (present, missing) in [("model.onnx", "tokenizer.json"), ("tokenizer.json", "model.onnx")] {
        let error = refused(&folder(&[(present, b"x")]));
        assert!(matches!(&error, AddError::Missing { path } if path.ends_with(missing)), "{error}");
    }
}

#[test]
fn a_file_of_garbage_is_refused() {
    let whole = tiny_network();
    for network in [&b""[..], b"garbage", &[0xff; 4096], &whole[..whole.len() / 2]] {
        let error = refused(&tiny(network, "{}"));
        assert!(matches!(&error, AddError::Load(LoadError::Network { .. })), "{error:?}");
    }
    for tokenizer in [&b""[..], b"{}", b"garbage", b"\xff\xfe"] {
        let error = refused(&folder(&[("model.onnx", &whole), ("tokenizer.json", tokenizer)]));
        assert!(matches!(&error, AddError::Load(LoadError::Tokenizer { .. })), "{error:?}");
    }
    let error = refused(&tiny(&whole, "{"));
    assert!(matches!(error, AddError::Describe(_)), "{error:?}");
}

#[test]
fn a_wrong_dimension_is_refused() {
    let error = refused(&tiny(&tiny_network(), r#"{"dimensions": 4}"#));
    assert!(matches!(error, AddError::WrongDimensions { expected: 4, found: 3 }), "{error:?}");
}

#[test]
fn outputs_that_are_not_finite_are_refused() {
    let mut graph = table();
    let states = looked_up(&mut graph);
    let zero = graph.floats(&[], &[0.0]);
    let nothing = graph.node("Mul", &[&states, &zero], &[]);
    graph.node_named("Div", &[&nothing, &nothing], &[], "last_hidden_state");
    graph.output("last_hidden_state", &[-1, -1, 3]);
    let error = refused(&tiny(&graph.into_bytes(), "{}"));
    assert!(matches!(error, AddError::Run(RunError::NotFinite { component: 0 })), "{error:?}");
}

#[test]
fn a_network_that_is_not_a_text_encoder_is_refused() {
    let mut image = Graph::new();
    image.input("pixels", Element::Float, &[-1, 3]);
    image.node_named("Identity", &["pixels"], &[], "out");
    image.output("out", &[-1, 3]);
    let mut other = table();
    other.input("task_id", Element::Int64, &[-1]);
    let states = looked_up(&mut other);
    other.node_named("Identity", &[&states], &[], "out");
    other.output("out", &[-1, -1, 3]);
    for (graph, expected) in [(image, "input `pixels`"), (other, "input `task_id` is unknown")] {
        let error = refused(&tiny(&graph.into_bytes(), "{}"));
        assert!(matches!(&error, AddError::Load(LoadError::NotAnEncoder { .. })), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn an_embedding_that_is_not_scaled_to_length_one_is_refused() {
    let error = refused(&tiny(&tiny_network(), r#"{"normalise": false}"#));
    assert!(matches!(error, AddError::Run(RunError::NotUnit { .. })), "{error:?}");
}

#[test]
fn a_batch_dependent_network_runs_each_text_alone() {
    let runtime = runtime();
    let (_at, models) = models();
    let manifest = models.add(tiny(&quantised_network(), "{}").path(), "tiny", runtime, &settings()).unwrap();
    assert_eq!(manifest.batching, Batching::Alone);
}

#[test]
fn an_invalid_name_is_refused() {
    let models = ModelsFolder::new("models");
    for name in ["", ".hidden", "../up", "a/b", "a\\b", "static", "hash", "é", &"a".repeat(81)] {
        assert!(matches!(models.path_of(name), Err(FolderError::BadName { .. })), "{name}");
    }
    assert!(models.path_of("bge-small-en-v1.5").is_ok());
}

#[test]
fn a_model_with_a_changed_file_is_not_loaded() {
    let runtime = runtime();
    let (_at, models) = models();
    models.add(tiny(&tiny_network(), "{}").path(), "tiny", runtime, &settings()).unwrap();
    let path = models.path_of("tiny").unwrap();
    std::fs::write(path.join("model.onnx"), quantised_network()).unwrap();
    let encoder = OnnxEncoder::open("tiny", &path, runtime, &settings()).unwrap();
    let error = recall_core::Embedder::embed_query(&encoder, "open", None).unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("has changed: its checksum is"), "{source}");
    assert!(encoder.state().problem.is_some());
}
