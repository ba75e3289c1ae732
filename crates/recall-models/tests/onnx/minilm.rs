//! A real model: golden embeddings, and unusual texts.

use std::sync::OnceLock;

use recall_core::Embedder;
use recall_models::{Batching, ModelsFolder, OnnxEncoder};
use serde_json::Value;

use super::fixture::{minilm, runtime, settings};

/// Returns the model, installed once for all tests of this process.
fn encoder() -> &'static OnnxEncoder {
    static ENCODER: OnceLock<(tempfile::TempDir, OnnxEncoder)> = OnceLock::new();
    let runtime = runtime();
    let (_, encoder) = ENCODER.get_or_init(|| {
        let at = tempfile::tempdir().unwrap();
        let models = ModelsFolder::new(at.path());
        let manifest = models.add(&minilm(), "minilm", runtime, &settings()).unwrap();
        assert_eq!((manifest.dimensions, manifest.window_tokens), (384, 256));
        assert_eq!(manifest.batching, Batching::Together);
        let encoder = OnnxEncoder::open("minilm", &at.path().join("minilm"), runtime, &settings()).unwrap();
        (at, encoder)
    });
    encoder
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
}

/// `golden-minilm.json` was written by `golden.py` next to it, with ONNX Runtime in Python.
#[test]
fn every_golden_text_has_its_golden_embedding() {
    let encoder = encoder();
    let golden: Vec<Value> = serde_json::from_str(include_str!("golden-minilm.json")).expect("a list");
    assert!(golden.len() >= 8, "only {} texts", golden.len());
    let texts: Vec<&str> = golden.iter().map(|entry| entry["text"].as_str().expect("a text")).collect();
    let embeddings = encoder.embed_documents(&texts).unwrap();
    for (entry, embedding) in golden.iter().zip(&embeddings) {
        let expected = entry["embedding"].as_array().expect("a list");
        let expected: Vec<f32> = expected.iter().map(|number| number.as_f64().expect("a number") as f32).collect();
        assert_eq!(embedding.len(), expected.len());
        let cosine = cosine(embedding, &expected);
        assert!(cosine > 0.9999, "{}: {cosine}", entry["text"]);
    }
}

#[test]
fn unusual_texts_are_embedded() {
    let encoder = encoder();
    let huge = "fn open(path: &Path) -> Result<Store> { 数据 🦀 }\n".repeat(20_000);
    assert!(huge.len() > 1_000_000);
    let blank = " ".repeat(1_000_000);
    let word = "x".repeat(1_000_000);
    let texts = [
        "",
        " ",
        "数据库连接池在哪里关闭？",
        "🦀🎉👩‍👩‍👧‍👦",
        "a\0b\u{feff}\u{202e}",
        "[SEP] [MASK] </s>",
        &huge,
        &blank,
        &word,
    ];
    let embeddings = encoder.embed_documents(&texts).unwrap();
    for (text, embedding) in texts.iter().zip(&embeddings) {
        let length = cosine(embedding, embedding);
        assert!((length - 1.0).abs() < 1e-5, "{:?}: {length}", text.chars().take(9).collect::<String>());
    }
    // The text is cut at the window, so the rest has no effect.
    let cut = encoder.embed_documents(&[&huge[..huge.floor_char_boundary(8192)]]).unwrap();
    assert!(cosine(&cut[0], &embeddings[6]) > 0.999_999);
    assert_eq!(encoder.embed_query("", None).unwrap().len(), 384);
}

#[test]
fn an_embedding_does_not_depend_on_the_rest_of_its_batch() {
    let encoder = encoder();
    let source = include_str!("minilm.rs");
    let texts: Vec<&str> = (1..60).map(|at| &source[at * 7..at * 7 + at * 11]).collect();
    let together = encoder.embed_documents(&texts).unwrap();
    for (text, embedding) in texts.iter().zip(&together) {
        let alone = encoder.embed_query(text, None).unwrap();
        assert!(cosine(&alone, embedding) > 0.999_999, "{text}");
        // After quantization to one byte per component, only a component halfway between two steps may differ.
        let rounded = |embedding: &[f32]| recall_core::Quantised::quantise(embedding).unwrap().components().to_vec();
        let differing = rounded(&alone).iter().zip(rounded(embedding)).filter(|(one, other)| **one != *other).count();
        assert!(differing <= 2, "{differing} components differ: {text}");
    }
}

#[test]
fn similar_texts_are_nearer_than_different_ones() {
    let encoder = encoder();
    let query = encoder.embed_query("how does the program try again after an error", None).unwrap();
    let texts = ["retry the failed request with exponential backoff", "parse a colour from hexadecimal digits"];
    let texts = encoder.embed_documents(&texts).unwrap();
    assert!(cosine(&query, &texts[0]) > cosine(&query, &texts[1]) + 0.2);
}
