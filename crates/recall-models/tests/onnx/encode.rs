//! Embeddings of a network whose outputs can be computed by hand.

use std::error::Error;
use std::time::{Duration, Instant};

use recall_core::{ChunkText, Embedder, ModelError};
use recall_models::{OnnxEncoder, OnnxSettings};

use super::fixture::{models, quantised_network, runtime, settings, tiny, tiny_network};

fn encoder(network: &[u8], manifest: &str, settings: &OnnxSettings) -> (tempfile::TempDir, OnnxEncoder) {
    let runtime = runtime();
    let (at, models) = models();
    models.add(tiny(network, manifest).path(), "tiny", runtime, settings).unwrap();
    let encoder = OnnxEncoder::open("tiny", &models.path_of("tiny").unwrap(), runtime, settings).unwrap();
    (at, encoder)
}

#[track_caller]
fn check(encoder: &OnnxEncoder, text: &str, expected: [f32; 3]) {
    let embedding = encoder.embed_documents(&[text]).unwrap().remove(0);
    let length = expected.iter().map(|component| component * component).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    for (component, expected) in embedding.iter().zip(expected) {
        assert!((component - expected / length).abs() < 1e-6, "{text:?}: {embedding:?}");
    }
}

#[test]
fn outputs_are_pooled_as_the_manifest_says() {
    for (pooling, expected) in [("mean", [1.5, 1.0, 0.0]), ("cls", [3.0, 0.0, 0.0]), ("last", [0.0, 2.0, 0.0])] {
        let manifest = format!(r#"{{"pooling": "{pooling}"}}"#);
        let (_at, encoder) = encoder(&tiny_network(), &manifest, &settings());
        assert_eq!(encoder.dimensions(), 3);
        check(&encoder, "open the", expected);
    }
}

#[test]
fn a_text_without_tokens_is_embedded_as_zero() {
    let (_at, encoder) = encoder(&tiny_network(), "{}", &settings());
    check(&encoder, "", [0.0; 3]);
    check(&encoder, " \n\t", [0.0; 3]);
    assert_eq!(encoder.embed_documents(&[]).unwrap(), Vec::<Vec<f32>>::new());
    let together = encoder.embed_documents(&["", "open", ""]).unwrap();
    assert_eq!(together[1], [1.0, 0.0, 0.0]);
    assert_eq!((&together[0], &together[2]), (&vec![0.0; 3], &vec![0.0; 3]));
}

#[test]
fn a_text_is_cut_at_the_window() {
    let (_at, encoder) = encoder(&tiny_network(), r#"{"window_tokens": 2}"#, &settings());
    assert_eq!(encoder.window_tokens(), Some(2));
    check(&encoder, "open open store store store", [3.0, 0.0, 0.0]);
}

#[test]
fn prefixes_are_prepended_to_queries_and_documents() {
    let manifest = r#"{"query_prefix": "the ", "document_prefix": "store "}"#;
    let (_at, encoder) = encoder(&tiny_network(), manifest, &settings());
    check(&encoder, "open", [1.5, 0.0, 2.5]);
    let query = encoder.embed_query("open", None).unwrap();
    assert!((query[0] / query[1] - 1.5).abs() < 1e-6 && query[2] == 0.0, "{query:?}");
    let chunk = ChunkText { path: "open", text: "the", ..ChunkText::default() };
    assert_eq!(encoder.embed_chunks(&[chunk]).unwrap(), encoder.embed_documents(&["open\nthe"]).unwrap());
}

#[test]
fn embeddings_come_in_order_and_do_not_depend_on_their_batch() {
    for network in [tiny_network(), quantised_network()] {
        let (_at, encoder) = encoder(&network, "{}", &settings());
        let words = ["open", "the", "store", "other"];
        let texts: Vec<String> =
            (0..1500).map(|at| (0..at % 37).map(|word| words[(at + word) % 4]).collect::<Vec<_>>().join(" ")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let together = encoder.embed_documents(&texts).unwrap();
        assert_eq!(together.len(), texts.len());
        for (at, text) in texts.iter().enumerate().step_by(7) {
            assert_eq!(together[at], encoder.embed_query(text, None).unwrap(), "{text}");
        }
    }
}

#[test]
fn concurrent_requests_get_their_own_outputs() {
    let (_at, encoder) = encoder(&tiny_network(), "{}", &settings());
    std::thread::scope(|scope| {
        for (word, place) in [("open", 0), ("the", 1), ("store", 2)] {
            let encoder = &encoder;
            scope.spawn(move || {
                for repeat in 1..40 {
                    let text = vec![word; repeat].join(" ");
                    let embeddings = encoder.embed_documents(&[text.as_str(); 50]).unwrap();
                    assert!(embeddings.iter().all(|embedding| (embedding[place] - 1.0).abs() < 1e-6), "{text}");
                }
            });
        }
    });
}

#[test]
fn a_text_with_a_nan_output_fails_only_its_request() {
    let (_at, encoder) = encoder(&tiny_network(), "{}", &settings());
    let error = encoder.embed_documents(&["open", "nan", "store"]).unwrap_err();
    let ModelError::Failed { model, source } = &error else { panic!("{error:?}") };
    assert_eq!((model.as_str(), source.to_string().as_str()), ("tiny", "output 0 of the text is not a finite number"));
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| assert!(encoder.embed_query("nan", None).is_err()));
            scope.spawn(|| assert_eq!(encoder.embed_query("open", None).unwrap(), [1.0, 0.0, 0.0]));
        }
    });
}

#[test]
fn a_network_is_loaded_on_first_use_and_unloaded_when_idle() {
    let brief = OnnxSettings { idle: Some(Duration::from_millis(50)), ..settings() };
    let (_at, encoder) = encoder(&tiny_network(), "{}", &brief);
    assert_eq!(encoder.state().provider, None);
    for _ in 0..2 {
        let before = Instant::now();
        assert_eq!(encoder.embed_query("open", None).unwrap(), [1.0, 0.0, 0.0]);
        let deadline = Instant::now() + Duration::from_secs(20);
        while encoder.state().provider.is_some() {
            assert!(Instant::now() < deadline, "the network stays loaded");
            std::thread::yield_now();
        }
        assert!(before.elapsed() >= Duration::from_millis(50));
    }
}

#[test]
fn a_network_that_is_prepared_is_loaded_before_the_first_query() {
    let (_at, encoder) = encoder(&tiny_network(), "{}", &settings());
    encoder.prepare();
    let deadline = Instant::now() + Duration::from_secs(20);
    while encoder.state().provider.is_none() {
        assert!(Instant::now() < deadline, "the network is not loaded");
        std::thread::yield_now();
    }
    assert_eq!(encoder.embed_query("open", None).unwrap(), [1.0, 0.0, 0.0]);
}

#[test]
fn the_provider_in_use_is_reported_by_the_runtime() {
    use recall_core::Provider;
    // The runtime of these tests only supports the CPU, whatever is preferred.
    let preferring = OnnxSettings { providers: vec![Provider::TensorRt, Provider::Cuda], ..settings() };
    let (_at, encoder) = encoder(&tiny_network(), "{}", &preferring);
    encoder.embed_query("open", None).unwrap();
    let provider = encoder.state().provider.expect("the network is loaded");
    assert_eq!(provider.main(), "cpu");
    assert!(provider.operations["CPUExecutionProvider"] >= 1, "{provider:?}");
}

#[test]
fn a_caller_does_not_wait_past_its_deadline() {
    let (_at, encoder) = encoder(&tiny_network(), "{}", &settings());
    let error = encoder.embed_query("open", Some(Instant::now())).unwrap_err();
    assert!(matches!(&error, ModelError::Late { model } if model == "tiny"), "{error:?}");
    assert!(error.source().is_none());
    let soon = Instant::now() + Duration::from_mins(1);
    assert!(encoder.embed_query("open", Some(soon)).is_ok());
}

#[test]
fn the_fingerprint_covers_everything_that_affects_embeddings() {
    let mut fingerprints = Vec::new();
    for manifest in ["{}", r#"{"pooling": "cls"}"#, r#"{"window_tokens": 9}"#, r#"{"query_prefix": "q"}"#] {
        let (_at, encoder) = encoder(&tiny_network(), manifest, &settings());
        let again = super::encode::encoder(&tiny_network(), manifest, &settings()).1;
        assert_eq!(encoder.fingerprint(), again.fingerprint());
        fingerprints.push(encoder.fingerprint());
    }
    fingerprints.sort();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 4);
}
