//! What does an answer lack when a stage of the search is left out?

mod support;

use recall_core::{Ablation, SearchRequest};
use recall_engine::{Answer, Engine, Hit};
use support::{Sandbox, request};

/// The answers of a whole search and of one without a stage.
fn with_and_without(sandbox: &Sandbox, engine: &Engine, query: &str, stage: Ablation) -> [Answer; 2] {
    [vec![], vec![stage]].map(|without| {
        let request = SearchRequest { without, ..request(query) };
        engine.search(&sandbox.origin(), &request).expect("an answer")
    })
}

#[test]
fn a_retriever_that_is_left_out_brings_no_candidate() {
    let sandbox = Sandbox::with(&[("src/retry.rs", "fn retry() { wait(); }\n"), ("a.md", "How to retry.\n")]);
    let engine = sandbox.engine();
    for stage in [Ablation::Lexical, Ablation::Symbol, Ablation::Path] {
        let by = |answer: &Answer| {
            let by: Vec<_> = answer.retrieved.iter().filter(|(_, many)| *many > 0).collect();
            by.iter().map(|(retriever, _)| retriever.as_str()).collect::<Vec<_>>()
        };
        let [with, without] = with_and_without(&sandbox, &engine, "retry", stage);
        let others: Vec<_> = by(&with).into_iter().filter(|name| *name != stage.as_str()).collect();
        assert_eq!(others.len() + 1, by(&with).len(), "{stage} brings candidates");
        assert_eq!(by(&without), others);
    }
}

#[test]
fn a_prior_that_is_left_out_changes_no_score() {
    // Long enough for a chunk each.
    let section = |title: &str| format!("# {title}\n\n{}", "How to retry a payment that failed.\n".repeat(40));
    let (text, other) = (section("Retry") + &section("Retry again"), section("Retry later"));
    let sandbox = Sandbox::with(&[("src/retry.md", &text), ("tests/retry.md", &other)]);
    let engine = sandbox.engine();
    for stage in [Ablation::FileKind, Ablation::Coherence] {
        let priors = |answer: &Answer| {
            let explained = answer.hits.iter().filter_map(|hit| hit.explanation.as_ref());
            explained.flat_map(|explanation| &explanation.priors).filter(|factor| factor.name == stage.as_str()).count()
        };
        let [with, without] = with_and_without(&sandbox, &engine, "how to retry a payment", stage);
        assert!(priors(&with) > 0, "{stage}");
        assert_eq!(priors(&without), 0, "{stage}");
    }
}

#[test]
fn a_kind_that_rankers_do_not_know_steps_back_in_their_order() {
    let own = "/// Asks for a payment again.\npub fn retry() {\n    ask_again();\n}\n";
    let copy = "/// How long a client waits before a payment is asked for again.\npub const PATIENCE: u64 = 30;\n";
    let sandbox = Sandbox::with(&[("src/retry.rs", own), ("third_party/pay/waiting.rs", copy)]);
    let engine = sandbox.engine();
    let [with, without] = with_and_without(&sandbox, &engine, "how a payment is asked for again", Ablation::FileKind);
    let hit = |answer: &Answer, path: &str| {
        let hit = answer.hits.iter().find(|hit| hit.document.path.as_str() == path).expect("it is found").clone();
        assert!(hit.confidence.is_some(), "a ranker decided");
        hit
    };
    let vendored = hit(&with, "third_party/pay/waiting.rs");
    let priors = |hit: &Hit| hit.explanation.as_ref().map_or_else(Vec::new, |explained| explained.priors.clone());
    assert_eq!(priors(&vendored).last().map(|factor| (factor.name, factor.value)), Some(("file_kind", 0.37)));
    assert!(vendored.score < hit(&without, "third_party/pay/waiting.rs").score);
    assert!(priors(&hit(&without, "third_party/pay/waiting.rs")).is_empty());
    assert!(hit(&with, "src/retry.rs").score >= hit(&without, "src/retry.rs").score);
}

#[test]
fn repeated_texts_stand_one_by_one_without_their_collapse() {
    let text = "# Retry\n\nHow to retry a payment.\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("b.md", text)]);
    let engine = sandbox.engine();
    let [with, without] = with_and_without(&sandbox, &engine, "how to retry a payment", Ablation::Collapse);
    assert_eq!((with.hits.len(), without.hits.len()), (1, 2));
}
