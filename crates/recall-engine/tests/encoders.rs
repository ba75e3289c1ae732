//! A chosen encoder embeds in the background, answers once it covers the store, and is replaced by the next model if it fails.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use recall_core::rql::Query;
use recall_core::{
    Ablation, ChunkText, Embedder, Embedding, Explain, ModelError, ModelFingerprint, Provenance, Scope, SearchRequest,
    StartSession,
};
use recall_engine::{
    Answer, EmbeddingModel, EmbeddingStoreSettings, Encoders, Engine, EngineSettings, QueryRequest, StoreStatus,
    Warning,
};
use recall_models::BuiltIn;

use crate::support::{Sandbox, paths, request};

/// An encoder that wraps the built-in model, and can be blocked or made to fail.
#[derive(Default)]
struct Encoder {
    number: u8,
    /// Whether embedding chunks proceeds or blocks.
    gate: Mutex<bool>,
    opened: Condvar,
    /// The number of further chunks that are embedded before it fails.
    budget: AtomicUsize,
    /// Whether queries fail.
    is_dumb: AtomicBool,
    /// Whether queries panic.
    is_broken: AtomicBool,
    /// The number of calls to embed chunks.
    calls: AtomicUsize,
    chunks: AtomicUsize,
    queries: AtomicUsize,
    /// The number of calls to prepare it.
    prepared: AtomicUsize,
}

impl Encoder {
    fn new(number: u8) -> Arc<Self> {
        let (gate, budget) = (Mutex::new(true), AtomicUsize::new(usize::MAX));
        Arc::new(Self { number, gate, budget, ..Self::default() })
    }

    /// Returns an encoder that blocks before it embeds the first chunk.
    fn held_up(number: u8) -> Arc<Self> {
        let encoder = Self::new(number);
        *encoder.gate.lock() = false;
        encoder
    }

    fn go_on(&self) {
        *self.gate.lock() = true;
        self.opened.notify_all();
    }

    fn chunks(&self) -> usize {
        self.chunks.load(Ordering::SeqCst)
    }

    fn queries(&self) -> usize {
        self.queries.load(Ordering::SeqCst)
    }

    fn model(self: &Arc<Self>) -> EmbeddingModel {
        EmbeddingModel { name: format!("encoder-{}", self.number), embedder: Arc::<Self>::clone(self) }
    }

    fn failed(&self) -> ModelError {
        let source = Arc::new(std::io::Error::other("provoked"));
        ModelError::Failed { model: format!("encoder-{}", self.number), source }
    }
}

impl Embedder for Encoder {
    fn dimensions(&self) -> usize {
        BuiltIn.dimensions()
    }

    fn window_tokens(&self) -> Option<usize> {
        None
    }

    fn fingerprint(&self) -> ModelFingerprint {
        ModelFingerprint([self.number; 32])
    }

    fn prepare(&self) {
        self.prepared.fetch_add(1, Ordering::SeqCst);
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        assert!(!self.is_broken.load(Ordering::SeqCst), "provoked");
        if self.is_dumb.load(Ordering::SeqCst) {
            return Err(self.failed());
        }
        self.queries.fetch_add(1, Ordering::SeqCst);
        BuiltIn.embed_query(query, deadline)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        BuiltIn.embed_documents(texts)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut is_open = self.gate.lock();
        while !*is_open {
            self.opened.wait(&mut is_open);
        }
        let left = self.budget.load(Ordering::SeqCst);
        if left < chunks.len() {
            return Err(self.failed());
        }
        self.budget.store(left - chunks.len(), Ordering::SeqCst);
        self.chunks.fetch_add(chunks.len(), Ordering::SeqCst);
        BuiltIn.embed_chunks(chunks)
    }
}

fn encoders(chosen: &Arc<Encoder>, others: &[&Arc<Encoder>]) -> Encoders {
    Encoders {
        selected: Some(chosen.model()),
        others: others.iter().map(|other| other.model()).collect(),
        describer: None,
    }
}

/// Returns an engine with an embedding store, with or without the built-in model.
fn engine(sandbox: &Sandbox, built_in: bool) -> Engine {
    let model = built_in.then(|| EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) });
    let path = sandbox.home().join("cache").join("embeddings.db");
    sandbox.engine_by(EngineSettings {
        model,
        embedding_store: Some(EmbeddingStoreSettings { path, most_bytes: 64 << 20 }),
        ..EngineSettings::default()
    })
}

/// A project with more pages than are embedded in one step.
fn many_pages() -> Sandbox {
    pages(601)
}

/// A project with `count` pages, one of them about cars.
fn pages(count: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/cars.md", "# Cars\n\nA mechanic repairs the motor of an automobile.\n");
    for number in 1..count {
        sandbox.write(&format!("docs/{number}.md"), &format!("# Entry {number}\n\nThe ledger has a page {number}.\n"));
    }
    sandbox
}

fn settle(sandbox: &Sandbox, engine: &Engine) {
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
}

/// A project with many pages, all embedded by an encoder.
fn embedded(built_in: bool) -> (Sandbox, Engine, Arc<Encoder>) {
    let sandbox = many_pages();
    let engine = engine(&sandbox, built_in);
    let encoder = Encoder::new(1);
    engine.use_encoders(encoders(&encoder, &[]));
    sandbox.index(&engine);
    settle(&sandbox, &engine);
    (sandbox, engine, encoder)
}

fn search(sandbox: &Sandbox, engine: &Engine) -> Answer {
    sandbox.search(engine, "mechanic")
}

fn status(sandbox: &Sandbox, engine: &Engine) -> StoreStatus {
    engine.status(&sandbox.origin(), Scope::Project, 0).expect("a status").stores.remove(0)
}

/// Returns the folders of embeddings.
fn folders(sandbox: &Sandbox) -> Vec<String> {
    let stores = fs::read_dir(sandbox.home().join("stores")).expect("stores");
    let vectors: PathBuf = stores.flatten().next().expect("one store").path().join("index").join("vectors");
    let mut names: Vec<String> = fs::read_dir(vectors)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy()[..2].to_owned())
        .collect();
    names.sort();
    names
}

/// Waits for an effect of background work.
#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    recall_testkit::wait_until(what, || is_so().then_some(()));
}

#[test]
fn the_built_in_model_answers_until_the_encoder_has_embeddings() {
    let sandbox = many_pages();
    let engine = engine(&sandbox, true);
    let deep = Encoder::held_up(1);
    engine.use_encoders(encoders(&deep, &[]));
    sandbox.index(&engine);
    wait_until("the built-in model", || search(&sandbox, &engine).model.as_deref() == Some("static"));
    let before = status(&sandbox, &engine);
    assert_eq!(before.embedded, [("encoder-1".to_owned(), 0), ("static".to_owned(), before.chunks)]);
    assert_eq!(before.model.as_deref(), Some("static"));
    assert!(engine.chunks_to_embed() > 600);
    assert_eq!(deep.queries(), 0, "its embeddings were not asked");

    deep.go_on();
    wait_until("the encoder", || search(&sandbox, &engine).model.as_deref() == Some("encoder-1"));
    wait_until("all its embeddings", || engine.chunks_to_embed() == 0);
    let after = status(&sandbox, &engine);
    assert_eq!((after.embedded[0].1, after.model.as_deref()), (after.chunks, Some("encoder-1")));
    assert_eq!(engine.chunks_to_embed(), 0);
    assert!(deep.queries() > 0);
    assert_eq!(paths(&search(&sandbox, &engine))[0], "docs/cars.md");

    // The built-in model finds an edit at once.
    sandbox.write("docs/cars.md", "# Cars\n\nThe mechanic has a new garage.\n");
    let edited = search(&sandbox, &engine);
    assert!(edited.hits[0].text.contains("garage") && edited.model.is_some(), "{:?}", edited.model);
    wait_until("the edit", || search(&sandbox, &engine).model.as_deref() == Some("encoder-1"));
}

/// A project without an index, with more chunks than are embedded before a search, and a blocked model.
fn first_search(embedding_wait: Duration) -> (Sandbox, Engine, Arc<Encoder>) {
    let sandbox = pages(1_100);
    let model = Encoder::held_up(1);
    let settings = EngineSettings { model: Some(model.model()), embedding_wait, ..EngineSettings::default() };
    let engine = sandbox.engine_by(settings);
    (sandbox, engine, model)
}

#[test]
fn the_search_that_builds_the_index_waits_for_embeddings() {
    let (sandbox, engine, model) = first_search(Duration::from_mins(1));
    let answer = thread::scope(|scope| {
        let searching = scope.spawn(|| search(&sandbox, &engine));
        wait_until("the embedding", || model.calls.load(Ordering::SeqCst) > 0);
        model.go_on();
        searching.join().expect("an answer")
    });
    assert_eq!(answer.model.as_deref(), Some("encoder-1"));
    assert!(matches!(&answer.warnings[..], [Warning::IndexedOnTheWay { .. }]), "{:?}", answer.warnings);
}

#[test]
fn an_answer_without_embeddings_says_that_they_are_being_computed() {
    let (sandbox, engine, model) = first_search(Duration::ZERO);
    let answer = search(&sandbox, &engine);
    assert!(answer.silent.contains(&Ablation::Semantic));
    assert!(answer.warnings.ends_with(&[Warning::EmbeddingsToCome]), "{:?}", answer.warnings);
    let asked_for = SearchRequest { without: vec![Ablation::Semantic], ..request("mechanic") };
    let without = engine.search(&sandbox.origin(), &asked_for).expect("an answer");
    assert_eq!(without.warnings, [], "words alone are what was asked for");
    model.go_on();
    settle(&sandbox, &engine);
    let answer = search(&sandbox, &engine);
    assert_eq!((answer.model.as_deref(), &answer.warnings[..]), (Some("encoder-1"), &[][..]));
}

/// A question about the page about cars, in other words.
const PARAPHRASE: &str = "vehicle engine trouble";

#[test]
fn an_answer_without_a_hit_says_that_embeddings_are_being_computed() {
    let (sandbox, engine, model) = first_search(Duration::ZERO);
    let answer = sandbox.search(&engine, PARAPHRASE);
    assert_eq!(paths(&answer), [""; 0]);
    assert!(answer.silent.contains(&Ablation::Semantic));
    assert!(answer.warnings.contains(&Warning::EmbeddingsToCome), "{:?}", answer.warnings);
    model.go_on();
}

#[test]
fn a_search_waits_for_embeddings_before_it_finds_nothing() {
    let (sandbox, engine, model) = first_search(Duration::ZERO);
    search(&sandbox, &engine);
    model.go_on();
    settle(&sandbox, &engine);
    // Else a thread of it may still have the index.
    engine.close();
    drop(engine);
    // Another model has no embeddings of the index that is there, so no search creates it and waits for that reason.
    let model = Encoder::held_up(2);
    let settings = EngineSettings {
        model: Some(model.model()),
        embedding_wait: Duration::from_mins(1),
        ..EngineSettings::default()
    };
    let engine = sandbox.engine_by(settings);
    let answer = thread::scope(|scope| {
        let searching = scope.spawn(|| sandbox.search(&engine, PARAPHRASE));
        wait_until("the embedding", || model.calls.load(Ordering::SeqCst) > 0);
        model.go_on();
        searching.join().expect("an answer")
    });
    assert_eq!((answer.model.as_deref(), paths(&answer)[0]), (Some("encoder-2"), "docs/cars.md"));
}

#[test]
fn the_former_encoder_answers_until_the_new_one_covers_the_store() {
    let sandbox = many_pages();
    let engine = engine(&sandbox, false);
    let (old, new) = (Encoder::new(1), Encoder::held_up(2));
    engine.use_encoders(encoders(&old, &[&new]));
    sandbox.index(&engine);
    settle(&sandbox, &engine);
    assert_eq!(search(&sandbox, &engine).model.as_deref(), Some("encoder-1"));
    assert_eq!(folders(&sandbox), ["01"]);

    engine.use_encoders(encoders(&new, &[&old]));
    assert_eq!(search(&sandbox, &engine).model.as_deref(), Some("encoder-1"));
    assert_eq!((folders(&sandbox), new.queries()), (vec!["01".to_owned(), "02".to_owned()], 0));
    // Meanwhile its embeddings follow edits.
    sandbox.write("docs/cars.md", "# Cars\n\nThe mechanic has a new garage.\n");
    wait_until("the edit", || {
        let answer = search(&sandbox, &engine);
        answer.model.as_deref() == Some("encoder-1") && answer.hits[0].text.contains("garage")
    });

    new.go_on();
    wait_until("the new encoder", || search(&sandbox, &engine).model.as_deref() == Some("encoder-2"));
    wait_until("the end of the old embeddings", || folders(&sandbox) == ["02"]);
    let asked = (old.queries(), new.queries());
    assert_eq!(search(&sandbox, &engine).model.as_deref(), Some("encoder-2"));
    assert_eq!((old.queries(), new.queries()), (asked.0, asked.1 + 1), "only the new encoder is asked");
    engine.use_encoders(Encoders { others: vec![old.model(), new.model()], ..Encoders::default() });
    assert_eq!((search(&sandbox, &engine).model, folders(&sandbox).len()), (None, 0));

    // If it is chosen again, its embeddings are in the shared embedding store.
    let embedded = old.chunks();
    engine.use_encoders(encoders(&old, &[&new]));
    settle(&sandbox, &engine);
    assert_eq!((search(&sandbox, &engine).model.as_deref(), old.chunks()), (Some("encoder-1"), embedded));
}

#[test]
fn an_encoder_that_is_replaced_stops_embedding() {
    let sandbox = many_pages();
    let engine = engine(&sandbox, false);
    let (given_up, new) = (Encoder::held_up(1), Encoder::new(2));
    engine.use_encoders(encoders(&given_up, &[&new]));
    sandbox.index(&engine);
    wait_until("the first encoder", || given_up.calls.load(Ordering::SeqCst) > 0);
    engine.use_encoders(encoders(&new, &[&given_up]));
    given_up.go_on();
    wait_until("the new encoder", || search(&sandbox, &engine).model.as_deref() == Some("encoder-2"));
    wait_until("the end of the other embeddings", || folders(&sandbox) == ["02"]);
    assert_eq!(given_up.calls.load(Ordering::SeqCst), 1);
}

#[test]
fn stores_searched_together_use_the_same_model() {
    let (sandbox, engine, deep) = embedded(true);
    assert_eq!(search(&sandbox, &engine).model.as_deref(), Some("encoder-1"));

    // The global store has embeddings by the built-in model only.
    *deep.gate.lock() = false;
    let global = sandbox.home().join("global");
    fs::create_dir_all(&global).expect("a folder");
    fs::write(global.join("garage.md"), "# Garage\n\nThe mechanic has a garage.\n").expect("writable");
    wait_until("the global store", || {
        let answer = search(&sandbox, &engine);
        paths(&answer).contains(&"garage.md") && answer.model.as_deref() == Some("static")
    });
    deep.go_on();
    wait_until("the encoder in both", || search(&sandbox, &engine).model.as_deref() == Some("encoder-1"));
}

#[test]
fn chunks_embedded_before_a_failure_are_not_embedded_again() {
    let sandbox = many_pages();
    let first = engine(&sandbox, false);
    let encoder = Encoder::new(1);
    encoder.budget.store(300, Ordering::SeqCst);
    first.use_encoders(encoders(&encoder, &[]));
    sandbox.index(&first);
    settle(&sandbox, &first);
    let part = status(&sandbox, &first);
    assert!((200..=300).contains(&part.embedded[0].1), "{:?}", part.embedded);
    assert!(part.embeddings_problems[0].contains("provoked"), "{:?}", part.embeddings_problems);
    let answer = search(&sandbox, &first);
    assert_eq!(answer.model, None);
    assert!(
        matches!(&answer.warnings[..], [Warning::EmbeddingsUnusable { reason, instead: None }] if reason.contains("provoked"))
    );
    first.close();
    drop(first);

    let again = Encoder::new(1);
    let second = engine(&sandbox, false);
    second.use_encoders(encoders(&again, &[]));
    settle(&sandbox, &second);
    let whole = status(&sandbox, &second);
    assert_eq!((whole.embedded[0].1, whole.embeddings_problems.len()), (whole.chunks, 0));
    assert_eq!(again.chunks() + encoder.chunks(), whole.chunks as usize, "none twice");
    assert_eq!(search(&sandbox, &second).model.as_deref(), Some("encoder-1"));
}

#[test]
fn if_an_encoder_fails_the_next_model_answers_with_a_warning() {
    for built_in in [true, false] {
        let (sandbox, engine, deep) = embedded(built_in);
        assert_eq!(search(&sandbox, &engine).model.as_deref(), Some("encoder-1"));

        deep.is_dumb.store(true, Ordering::SeqCst);
        let answer = search(&sandbox, &engine);
        let expected = built_in.then(|| "static".to_owned());
        assert_eq!((paths(&answer)[0], &answer.model), ("docs/cars.md", &expected));
        let told =
            |warning: &Warning| matches!(warning, Warning::EmbeddingsUnusable { instead, .. } if *instead == expected);
        assert!(answer.warnings.iter().any(told), "{:?}", answer.warnings);
        let query = Query::parse("SELECT path FROM doc USING semantic('mechanic')").expect("valid");
        let asked = QueryRequest { query, scope: Scope::All, explain: Explain::Off };
        let answer = engine.query(&sandbox.origin(), &asked).expect("an answer");
        assert_eq!(answer.model, expected);
        assert!(answer.warnings.iter().any(told), "{:?}", answer.warnings);

        deep.is_dumb.store(false, Ordering::SeqCst);
        let answer = search(&sandbox, &engine);
        assert_eq!((answer.model.as_deref(), answer.warnings.len()), (Some("encoder-1"), 0));
    }
}

#[test]
fn a_session_that_starts_prepares_the_encoder() {
    let (sandbox, engine, encoder) = embedded(true);
    let before = encoder.prepared.load(Ordering::SeqCst);
    engine
        .start_session(&sandbox.origin(), &StartSession { goal: None, provenance: Provenance::default() })
        .expect("started");
    wait_until("the encoder is prepared", || encoder.prepared.load(Ordering::SeqCst) == before + 1);
}

#[test]
fn a_panic_of_an_encoder_is_not_reported_as_a_damaged_index() {
    let (sandbox, engine, encoder) = embedded(false);
    encoder.is_broken.store(true, Ordering::SeqCst);
    let panic = catch_unwind(AssertUnwindSafe(|| search(&sandbox, &engine))).expect_err("it is passed on");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"provoked"));
    encoder.is_broken.store(false, Ordering::SeqCst);
    let answer = search(&sandbox, &engine);
    assert_eq!((answer.warnings, answer.model.as_deref()), (Vec::new(), Some("encoder-1")));
}

#[test]
fn an_encoder_votes_before_it_has_embedded_everything() {
    let sandbox = many_pages();
    let engine = engine(&sandbox, true);
    sandbox.index(&engine);
    settle(&sandbox, &engine);
    let chunks = status(&sandbox, &engine).chunks;
    let alone = search(&sandbox, &engine);
    let encoder = Encoder::new(1);
    encoder.budget.store(300, Ordering::SeqCst);
    engine.use_encoders(encoders(&encoder, &[]));
    wait_until("a part", || !status(&sandbox, &engine).embeddings_problems.is_empty());
    let part = status(&sandbox, &engine).embedded[0].1;
    assert!((200..=300).contains(&part) && part < chunks, "{part} of {chunks}");
    let answer = search(&sandbox, &engine);
    assert_eq!(answer.model.as_deref(), Some("encoder-1"));
    // The encoder is the built-in model, so a chunk that it has not embedded has the same score as one that it has.
    assert_eq!(paths(&answer), paths(&alone));
}

#[test]
fn an_encoder_waits_while_the_machine_runs_on_battery() {
    let sandbox = many_pages();
    let is_on_battery = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&is_on_battery);
    let model = EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) };
    let engine = sandbox.engine_by(EngineSettings {
        model: Some(model),
        on_battery: Some(Arc::new(move || asked.load(Ordering::SeqCst))),
        ..EngineSettings::default()
    });
    let encoder = Encoder::new(1);
    engine.use_encoders(encoders(&encoder, &[]));
    sandbox.index(&engine);
    search(&sandbox, &engine);
    wait_until("the encoder waits", || status(&sandbox, &engine).awaits_power);
    assert_eq!(encoder.chunks(), 0);
    is_on_battery.store(false, Ordering::SeqCst);
    wait_until("everything is embedded", || {
        let status = status(&sandbox, &engine);
        !status.awaits_power && status.embedded[0].1 == status.chunks
    });
}
