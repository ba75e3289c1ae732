//! The built-in model embeds like its training code, which wrote `golden.json` next to the model.

use recall_models::StaticModel;
use serde_json::Value;

/// The training code sums in double precision and rounds to six digits.
const TOLERANCE: f64 = 2e-6;

#[test]
fn every_golden_text_has_its_golden_embedding() {
    let golden: Vec<Value> = serde_json::from_str(include_str!("golden.json")).expect("a list");
    assert!(golden.len() >= 60, "only {} texts", golden.len());
    let model = StaticModel::built_in();
    for entry in &golden {
        let text = entry["text"].as_str().expect("a text");
        let embedding = &model.embed(&[text])[0];
        let expected = entry["embedding"].as_array().expect("a list");
        for (component, expected) in embedding.iter().zip(expected) {
            let expected = expected.as_f64().expect("a number");
            assert!(
                (f64::from(*component) - expected).abs() < TOLERANCE,
                "{text:?}: {component} , expected {expected}"
            );
        }
    }
}
