//! Scores of a network whose outputs can be computed by hand.

use recall_core::CrossEncoder;
use recall_models::{AddError, LoadError, NetworkKind, OnnxCrossEncoder, OnnxEncoder, Role, RunError};

use super::fixture::{looked_up, models, runtime, settings, table, tiny, tiny_network};
use super::onnx_file::Attribute;

/// Returns a network whose score is the sum of all components of a pair's tokens.
fn scoring_network() -> Vec<u8> {
    let mut graph = table();
    let states = looked_up(&mut graph);
    let mask = graph.node("Cast", &["attention_mask"], &[Attribute::Int("to", 1)]);
    let last = graph.ints(&[2]);
    let mask = graph.node("Unsqueeze", &[&mask, &last], &[]);
    let states = graph.node("Mul", &[&states, &mask], &[]);
    let one = graph.ints(&[1]);
    let axes = graph.ints(&[1, 2]);
    let sum = graph.node("ReduceSum", &[&states, &axes], &[Attribute::Int("keepdims", 0)]);
    graph.node_named("Unsqueeze", &[&sum, &one], &[], "logits");
    graph.output("logits", &[-1, 1]);
    graph.into_bytes()
}

#[test]
fn texts_are_scored_against_the_query_in_order() {
    let runtime = runtime();
    let (_at, models) = models();
    let from = tiny(&scoring_network(), r#"{"role": "rerank", "window_tokens": 16}"#);
    let manifest = models.add(from.path(), "tiny", runtime, &settings()).unwrap();
    assert_eq!((manifest.kind, manifest.dimensions), (NetworkKind::Rerank, 1));
    let path = models.path_of("tiny").unwrap();
    let encoder = OnnxCrossEncoder::open("tiny", &path, runtime, &settings()).unwrap();
    let texts = ["open", "the the the the", "store", ""];
    assert_eq!(encoder.scores("the", &texts, None).unwrap(), [5.0, 10.0, 7.0, 2.0]);
    assert_eq!(encoder.scores("store", &texts, None).unwrap(), [8.0, 13.0, 10.0, 5.0]);
    assert_eq!(encoder.scores("store", &[], None).unwrap(), [0.0; 0]);
    assert!(encoder.scores("the", &["open", "nan"], None).is_err());

    models.use_as(Role::Rerank, Some("tiny")).unwrap();
    let error = OnnxEncoder::open("tiny", &path, runtime, &settings()).unwrap_err();
    assert!(
        matches!(error, LoadError::OtherKind { found: NetworkKind::Rerank, asked: NetworkKind::Embed, .. }),
        "{error:?}"
    );
}

#[test]
fn an_encoder_is_not_a_cross_encoder() {
    let runtime = runtime();
    let (_at, models) = models();
    let from = tiny(&tiny_network(), r#"{"role": "rerank"}"#);
    let error = models.add(from.path(), "tiny", runtime, &settings()).unwrap_err();
    assert!(
        matches!(error, AddError::Load(LoadError::NotAnEncoder { .. }) | AddError::Run(RunError::Shape { .. })),
        "{error:?}"
    );
}
