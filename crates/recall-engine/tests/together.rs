//! The combination of an encoder and the built-in model.

use std::sync::Arc;
use std::time::Instant;

use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint, Scope};
use recall_engine::{EmbeddingModel, Encoders, Engine, EngineSettings, FeatureSet, RankedDocument};
use recall_models::BuiltIn;

use crate::support::{Sandbox, paths};

/// An encoder that wraps the built-in model and knows one more word.
#[derive(Clone, Copy)]
struct Encoder {
    /// How much of each embedding is what chunks and questions do not have in common: at 2, what the built-in model calls .5 near,
    /// the encoder calls .1 near.
    apart: f32,
    /// How much of each embedding is what all chunks and questions have in common: at 1.5, the cosines of the built-in model from 0 to 1 are
    /// .69 to 1.
    common: f32,
}

/// A word that no other model knows, and its synonym.
const JARGON: (&str, &str) = ("zxqv", "mechanic automobile motor");

impl Encoder {
    fn pushed(self, embedding: &Embedding, apart: [f32; 2]) -> Embedding {
        let length = (1.0 + self.apart * self.apart + self.common * self.common).sqrt();
        let added = apart.map(|part| part * self.apart).into_iter().chain([self.common]);
        embedding.iter().copied().chain(added).map(|value| value / length).collect()
    }

    fn pushed_chunks(self, embeddings: &[Embedding]) -> Vec<Embedding> {
        embeddings.iter().map(|embedding| self.pushed(embedding, [0.0, 1.0])).collect()
    }
}

impl Embedder for Encoder {
    fn dimensions(&self) -> usize {
        BuiltIn.dimensions() + 3
    }

    fn window_tokens(&self) -> Option<usize> {
        None
    }

    fn fingerprint(&self) -> ModelFingerprint {
        ModelFingerprint([if self.common > 0.0 { 8 } else { 7 }; 32])
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        let meant = query.replace(JARGON.0, JARGON.1);
        BuiltIn.embed_query(&meant, deadline).map(|embedding| self.pushed(&embedding, [1.0, 0.0]))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        BuiltIn.embed_documents(texts).map(|all| self.pushed_chunks(&all))
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        BuiltIn.embed_chunks(chunks).map(|all| self.pushed_chunks(&all))
    }
}

fn engine(sandbox: &Sandbox, has_built_in: bool, encoder: Option<Encoder>) -> Engine {
    let model = has_built_in.then(|| EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) });
    let engine = sandbox.engine_by(EngineSettings { model, ..EngineSettings::default() });
    let chosen = encoder.map(|encoder| EmbeddingModel { name: "encoder".to_owned(), embedder: Arc::new(encoder) });
    engine.use_encoders(Encoders { selected: chosen, ..Encoders::default() });
    sandbox.index(&engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    engine
}

fn pages() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/cars.md", "# Cars\n\nA mechanic repairs the motor of an automobile.\n");
    let pages = [
        ("bread", "Flour, water and yeast become bread in a hot oven."),
        ("invoices", "The payment of an invoice is due within thirty days."),
        ("weather", "Rain falls in the mountains, and the wind turns north."),
        ("garden", "In spring the garden is dug over and beans are sown."),
        ("music", "The orchestra plays a symphony in four movements."),
        ("rivers", "A ferry crosses the river every hour."),
    ];
    for (name, text) in pages {
        sandbox.write(&format!("docs/{name}.md"), &format!("# About {name}\n\n{text}\n"));
    }
    sandbox
}

/// The tolerance of a document's values: an embedding is stored with one byte per component, and the encoder's cosines use a
/// fifth of the range.
const ROUNDING: f32 = 0.1;

/// Encoders that know what the built-in model knows: one whose cosines are near zero, and one whose cosines are all high.
const SCALES: [Encoder; 2] = [Encoder { apart: 2.0, common: 0.0 }, Encoder { apart: 0.0, common: 1.5 }];

#[test]
fn an_answer_is_doubted_alike_for_any_scale() {
    let sandbox = pages();
    // A scale is measured in a store of thirty chunks or more.
    let things =
        ["kettle", "violin", "glacier", "pepper", "lantern", "saddle", "harbour", "ribbon", "walnut", "chimney"];
    let deeds =
        ["is painted before the winter", "was sold at the market", "stands beside the gate", "belongs to nobody"];
    for (number, (thing, deed)) in things.iter().flat_map(|thing| deeds.map(|deed| (thing, deed))).enumerate() {
        sandbox.write(&format!("docs/{thing}-{number}.md"), &format!("# {thing}\n\nThe {thing} {deed}.\n"));
    }
    let ask = |encoder| {
        let engine = engine(&sandbox, true, encoder);
        let doubts = ["repair an automobile", "the payment of an invoice", "parse an expression"]
            .map(|question| sandbox.search(&engine, question).is_doubtful);
        engine.close();
        doubts
    };
    assert_eq!(ask(None), [false, false, true]);
    for encoder in SCALES {
        assert_eq!(ask(Some(encoder)), [false, false, true], "{} {}", encoder.apart, encoder.common);
    }
}

#[test]
fn an_encoder_with_the_same_knowledge_changes_nothing() {
    let sandbox = pages();
    let ask = |encoder| {
        let engine = engine(&sandbox, true, encoder);
        let questions = [
            "repair an automobile",
            "bread and yeast",
            "the payment of an invoice",
            "garden",
            "vehicle engine maintenance",
        ];
        let seen = questions.map(|question| {
            let mut seen =
                engine.candidates(&sandbox.origin(), &crate::support::request(question)).expect("candidates");
            seen.sort_by(|one, other| one.path.cmp(&other.path));
            seen
        });
        engine.close();
        seen
    };
    let (alone, together) = (ask(None), ask(Some(SCALES[0])));
    for (alone, together) in alone.iter().zip(&together) {
        let paths = |seen: &[RankedDocument]| seen.iter().map(|one| one.path.to_string()).collect::<Vec<_>>();
        assert_eq!(paths(together), paths(alone));
        assert!(!alone.is_empty());
        for (one, other) in alone.iter().zip(together) {
            let features = one.features.iter().zip(&other.features);
            for ((one, other), name) in features.zip(recall_engine::feature_names(FeatureSet::Semantic)) {
                let is_alike = one.is_nan() && other.is_nan() || (one - other).abs() < ROUNDING;
                assert!(is_alike, "{name}: {one} {other}");
            }
        }
    }
}

#[test]
fn a_document_that_only_one_model_finds_is_found() {
    for has_built_in in [true, false] {
        let sandbox = pages();
        let engine = engine(&sandbox, has_built_in, Some(Encoder { apart: 0.0, common: 0.0 }));
        let found = |question: &str| {
            let answer = sandbox.search(&engine, question);
            (paths(&answer).first().map(ToString::to_string), answer.model)
        };
        let expected = (Some("docs/cars.md".to_owned()), Some("encoder".to_owned()));
        assert_eq!(found("a zxqv is needed"), expected);
        // A query without a word that the built-in model knows is answered by the encoder alone.
        assert_eq!(found(JARGON.0), expected);
    }
}
