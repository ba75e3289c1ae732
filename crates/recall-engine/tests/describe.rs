//! A language model describes chunks of prose before an encoder embeds them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use recall_core::{
    Ablation, ChunkText, Describer, Embedder, Embedding, ModelError, ModelFingerprint, Scope, SearchRequest,
};
use recall_engine::{EmbeddingModel, EmbeddingStoreSettings, Encoders, Engine, EngineSettings};
use recall_models::BuiltIn;

use crate::support::{Sandbox, paths, request};

/// An encoder that wraps the built-in model and records what it embeds.
struct Recorder {
    number: u8,
    embedded: Mutex<Vec<String>>,
}

impl Recorder {
    fn new(number: u8) -> Arc<Self> {
        Arc::new(Self { number, embedded: Mutex::default() })
    }

    fn model(self: &Arc<Self>) -> EmbeddingModel {
        EmbeddingModel { name: format!("encoder-{}", self.number), embedder: Arc::<Self>::clone(self) }
    }
}

impl Embedder for Recorder {
    fn dimensions(&self) -> usize {
        BuiltIn.dimensions()
    }

    fn window_tokens(&self) -> Option<usize> {
        None
    }

    fn fingerprint(&self) -> ModelFingerprint {
        ModelFingerprint([self.number; 32])
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        BuiltIn.embed_query(query, deadline)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        BuiltIn.embed_documents(texts)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        self.embedded.lock().extend(chunks.iter().map(ChunkText::full_text));
        BuiltIn.embed_chunks(chunks)
    }
}

/// A describer that names an animal, records what it is given, and can be made to fail.
#[derive(Default)]
struct Zoologist {
    is_away: AtomicBool,
    /// The documents and passages that it was given.
    given: Mutex<Vec<(String, Vec<String>)>>,
}

impl Zoologist {
    fn passages(&self) -> usize {
        self.given.lock().iter().map(|(_, passages)| passages.len()).sum()
    }
}

impl Describer for Zoologist {
    fn name(&self) -> &'static str {
        "zoologist"
    }

    fn fingerprint(&self) -> ModelFingerprint {
        ModelFingerprint([200; 32])
    }

    fn describe(&self, document: &str, passages: &[&str]) -> Result<Vec<String>, ModelError> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(ModelError::Late { model: "zoologist".to_owned() });
        }
        let passages: Vec<String> = passages.iter().map(|passage| (*passage).to_owned()).collect();
        let about = |passage: &String| {
            // It refuses one of them.
            if passage.contains("refused") { String::new() } else { "It is about the marsupial wombat.".to_owned() }
        };
        let described = passages.iter().map(about).collect();
        self.given.lock().push((document.to_owned(), passages));
        Ok(described)
    }
}

const SECRET: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/burrow.md", &format!("# Burrow\n\nIt digs at night.\n\n# Key\n\ntoken = \"{SECRET}\"\n"));
    sandbox.write("docs/refused.md", "# Other\n\nA page that is refused.\n");
    for number in 0..20 {
        sandbox.write(&format!("docs/{number}.md"), &format!("# Entry {number}\n\nThe ledger has a page {number}.\n"));
    }
    sandbox.write("src/dig.rs", "pub fn dig() {}\n");
    sandbox
}

fn engine(sandbox: &Sandbox) -> Engine {
    let model = EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) };
    let path = sandbox.home().join("cache").join("embeddings.db");
    let embedding_store = Some(EmbeddingStoreSettings { path, most_bytes: 64 << 20 });
    sandbox.engine_by(EngineSettings { model: Some(model), embedding_store, ..EngineSettings::default() })
}

fn choose(engine: &Engine, encoder: &Arc<Recorder>, describer: Option<&Arc<Zoologist>>) {
    let describer = describer.map(|describer| Arc::<Zoologist>::clone(describer) as Arc<dyn Describer>);
    engine.use_encoders(Encoders { selected: Some(encoder.model()), others: Vec::new(), describer });
}

fn settle(sandbox: &Sandbox, engine: &Engine) {
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
}

/// Returns the documents by their embeddings alone, and the model.
fn by_meaning(sandbox: &Sandbox, engine: &Engine, query: &str) -> (Vec<String>, Option<String>) {
    let without = vec![Ablation::Lexical, Ablation::Symbol, Ablation::Path, Ablation::Ranker];
    let request = SearchRequest { without, ..request(query) };
    let answer = engine.search(&sandbox.origin(), &request).expect("an answer");
    (paths(&answer).into_iter().map(ToOwned::to_owned).collect(), answer.model)
}

#[test]
fn a_chunk_is_found_by_what_was_written_about_it() {
    let sandbox = project();
    let engine = engine(&sandbox);
    let (encoder, zoologist) = (Recorder::new(1), Arc::new(Zoologist::default()));
    choose(&engine, &encoder, Some(&zoologist));
    sandbox.index(&engine);
    settle(&sandbox, &engine);
    let (found, model) = by_meaning(&sandbox, &engine, "marsupial wombat");
    assert_eq!(model.as_deref(), Some("encoder-1 + zoologist"));
    assert!(found.iter().all(|path| path.starts_with("docs/") && path != "docs/refused.md"), "{found:?}");
    let embedded = encoder.embedded.lock().clone();
    let with = |word: &str| embedded.iter().filter(|text| text.contains(word)).collect::<Vec<_>>();
    assert!(with("It digs")[0].starts_with("It is about the marsupial wombat.\ndocs/burrow.md\n"), "{embedded:?}");
    assert!(with("refused")[0].starts_with("docs/refused.md"), "{embedded:?}");
    assert!(with("pub fn dig").iter().all(|text| !text.contains("wombat")), "code is not described");
    let given = zoologist.given.lock().clone();
    let (document, _) = given.iter().find(|(document, _)| document.contains("It digs")).expect("described");
    assert!(document.starts_with("# Burrow") && document.contains("# Key"), "{document}");
    assert!(!format!("{given:?} {embedded:?}").contains(SECRET), "secrets are masked");
}

#[test]
fn a_chunk_is_described_once() {
    let sandbox = project();
    let (encoder, zoologist) = (Recorder::new(1), Arc::new(Zoologist::default()));
    let engine = engine(&sandbox);
    choose(&engine, &encoder, Some(&zoologist));
    sandbox.index(&engine);
    settle(&sandbox, &engine);
    let described = zoologist.passages();
    assert!(described > 20, "{described}");
    // The same choice again, another encoder, and no description for a while.
    choose(&engine, &encoder, Some(&zoologist));
    let other = Recorder::new(2);
    choose(&engine, &other, Some(&zoologist));
    settle(&sandbox, &engine);
    assert!(other.embedded.lock().iter().any(|text| text.starts_with("It is about")));
    choose(&engine, &other, None);
    settle(&sandbox, &engine);
    assert_eq!(by_meaning(&sandbox, &engine, "ledger").1.as_deref(), Some("encoder-2"));
    choose(&engine, &other, Some(&zoologist));
    settle(&sandbox, &engine);
    assert_eq!(zoologist.passages(), described, "what was written is kept");
    sandbox.write("docs/burrow.md", "# Burrow\n\nIt digs in the morning.\n");
    sandbox.index(&engine);
    settle(&sandbox, &engine);
    assert_eq!(zoologist.passages(), described + 1, "only what is new");
}

#[test]
fn the_encoder_alone_answers_while_the_language_model_is_away() {
    let sandbox = project();
    let (encoder, zoologist) = (Recorder::new(1), Arc::new(Zoologist::default()));
    let engine = engine(&sandbox);
    choose(&engine, &encoder, None);
    sandbox.index(&engine);
    settle(&sandbox, &engine);
    zoologist.is_away.store(true, Ordering::SeqCst);
    choose(&engine, &encoder, Some(&zoologist));
    settle(&sandbox, &engine);
    let (found, model) = by_meaning(&sandbox, &engine, "ledger");
    assert_eq!((model.as_deref(), found.is_empty()), (Some("encoder-1"), false));
    let status = engine.status(&sandbox.origin(), Scope::Project, 0).expect("a status").stores.remove(0);
    assert!(format!("{status:?}").contains("the model `zoologist` did not answer in time"), "{status:?}");
    zoologist.is_away.store(false, Ordering::SeqCst);
    settle(&sandbox, &engine);
    assert_eq!(by_meaning(&sandbox, &engine, "ledger").1.as_deref(), Some("encoder-1 + zoologist"));
}
