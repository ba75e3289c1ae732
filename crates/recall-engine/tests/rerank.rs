//! A cross-encoder reranks the first candidates; if it fails, the order is the one without it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use recall_core::{Ablation, CrossEncoder, JudgeUse, ModelError, ModelFingerprint, SearchRequest};
use recall_engine::{
    Answer, Engine, EngineSettings, JudgeSettings, RerankSettings, Reranker, Rescorer, Stage, Warning,
};

use crate::support::{Sandbox, paths, request};

/// A cross-encoder that counts a word, records its inputs, and can be made to fail.
#[derive(Default)]
struct Counting {
    is_dumb: AtomicBool,
    given: Mutex<Vec<String>>,
}

impl CrossEncoder for Counting {
    fn window_tokens(&self) -> usize {
        512
    }

    fn fingerprint(&self) -> ModelFingerprint {
        ModelFingerprint([1; 32])
    }

    fn scores(&self, _: &str, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<f32>, ModelError> {
        assert!(deadline.is_some_and(|deadline| deadline > Instant::now()), "a search does not wait without end");
        *self.given.lock() = texts.iter().map(|text| (*text).to_owned()).collect();
        if self.is_dumb.load(Ordering::SeqCst) {
            return Err(ModelError::Late { model: "counting".to_owned() });
        }
        Ok(texts.iter().map(|text| text.matches("ledger").count() as f32).collect())
    }
}

/// Returns an engine that reranks the first `candidates`.
fn engine(sandbox: &Sandbox, candidates: usize) -> (Engine, Arc<Counting>) {
    let candidates = std::num::NonZero::new(candidates).expect("not 0");
    let rerank = RerankSettings { candidates, weight: 1.0, ..RerankSettings::default() };
    let engine = sandbox.engine_by(EngineSettings { rerank, ..EngineSettings::default() });
    let model = Arc::new(Counting::default());
    engine.use_reranker(Some(Reranker { name: "counting".to_owned(), cross_encoder: Arc::<Counting>::clone(&model) }));
    (engine, model)
}

/// Pages of which the words rank the first one best, and the model the last one.
fn pages(count: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..count {
        let (payments, ledgers) = ("payment ".repeat(count - number), "ledger ".repeat(number));
        sandbox.write(&format!("docs/{number:02}.md"), &format!("# Page {number}\n\nretry {payments}{ledgers}\n"));
    }
    sandbox
}

const QUESTION: &str = "how to retry a payment";

fn page(sandbox: &Sandbox, engine: &Engine, offset: u32, limit: u32) -> Answer {
    let request = SearchRequest { offset, limit, ..request(QUESTION) };
    engine.search(&sandbox.origin(), &request).expect("an answer")
}

fn took(answer: &Answer, stage: Stage) -> bool {
    answer.stages.iter().any(|&(known, _)| known == stage)
}

#[test]
fn the_first_candidates_are_reranked_and_stay_before_the_others() {
    let sandbox = pages(8);
    let (engine, _) = engine(&sandbox, 5);
    engine.use_reranker(None);
    let before = page(&sandbox, &engine, 0, 8);
    assert_eq!((before.reranker.as_deref(), took(&before, Stage::Rerank)), (None, false));
    let (engine, _) = self::engine(&sandbox, 5);
    let after = page(&sandbox, &engine, 0, 8);
    assert_eq!((after.reranker.as_deref(), took(&after, Stage::Rerank)), (Some("counting"), true));
    let (mut first, rest) = (paths(&before)[..5].to_vec(), &paths(&before)[5..]);
    first.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!((&paths(&after)[..5], &paths(&after)[5..]), (&first[..], rest));
    assert!(after.hits.is_sorted_by(|one, next| one.score >= next.score), "{:?}", after.hits);
    for hit in &after.hits {
        let told = hit.explanation.as_ref().and_then(|explanation| explanation.reranked);
        let rank_before =
            paths(&before).iter().position(|path| *path == hit.document.path.as_str()).expect("there") + 1;
        assert_eq!(told.map(|told| told.rank_before as usize), (rank_before <= 5).then_some(rank_before));
    }
}

#[test]
fn successive_pages_have_every_hit_once() {
    let sandbox = pages(12);
    let (engine, _) = engine(&sandbox, 7);
    let whole = page(&sandbox, &engine, 0, 12);
    let cut: Vec<String> = (0..4)
        .flat_map(|number| page(&sandbox, &engine, number * 3, 3).hits)
        .map(|hit| hit.document.path.to_string())
        .collect();
    assert_eq!(cut, paths(&whole));
}

#[test]
fn if_it_fails_the_order_is_the_one_without_it() {
    let sandbox = pages(6);
    let (engine, model) = engine(&sandbox, 30);
    sandbox.index(&engine);
    let without = SearchRequest { without: vec![Ablation::Rerank], ..request(QUESTION) };
    let without = engine.search(&sandbox.origin(), &without).expect("an answer");
    assert_eq!((without.warnings.as_slice(), without.reranker.as_deref()), (&[][..], None), "nobody wanted it");
    assert!(model.given.lock().is_empty() && !without.silent.contains(&Ablation::Rerank));

    model.is_dumb.store(true, Ordering::SeqCst);
    let answer = sandbox.search(&engine, QUESTION);
    assert_eq!((paths(&answer), answer.reranker.as_deref()), (paths(&without), None));
    assert!(answer.silent.contains(&Ablation::Rerank), "the next page leaves it out too");
    let reason = "the model `counting` did not answer in time".to_owned();
    assert_eq!(answer.warnings, [Warning::NotReranked { reason }]);
    model.is_dumb.store(false, Ordering::SeqCst);
    assert_ne!(paths(&sandbox.search(&engine, QUESTION)), paths(&without));
}

#[test]
fn a_small_model_picks_what_the_large_one_reads() {
    let sandbox = pages(20);
    let (engine, large) = engine(&sandbox, 3);
    let before = page(&sandbox, &engine, 0, 20);
    assert!(
        paths(&before)[0] < "docs/03.md",
        "the large one alone reads the first by their words: {:?}",
        paths(&before)
    );
    let small = Arc::new(Counting::default());
    let preranker = Reranker { name: "small".to_owned(), cross_encoder: Arc::<Counting>::clone(&small) };
    engine.use_preranker(Some(preranker));
    let answer = page(&sandbox, &engine, 0, 20);
    assert_eq!((answer.preranker.as_deref(), answer.reranker.as_deref()), (Some("small"), Some("counting")));
    assert!(took(&answer, Stage::Prerank) && took(&answer, Stage::Rerank));
    let (many, few) = (small.given.lock().len(), large.given.lock().clone());
    assert_eq!((many, few.len()), (20, 3));
    assert!(few.iter().all(|text| text.matches("ledger").count() > 10), "{few:?}");
    let by = |place: usize| answer.hits[place].explanation.as_ref().and_then(|told| Some(told.reranked?.by));
    assert_eq!((by(0), by(19)), (Some(Rescorer::Reranker), Some(Rescorer::Preranker)));

    let without = SearchRequest { without: vec![Ablation::Prerank], limit: 20, ..request(QUESTION) };
    let without = engine.search(&sandbox.origin(), &without).expect("an answer");
    assert_eq!(paths(&without), paths(&before));
    small.is_dumb.store(true, Ordering::SeqCst);
    let failed = page(&sandbox, &engine, 0, 20);
    assert_eq!((paths(&failed), failed.silent.contains(&Ablation::Prerank)), (paths(&before), true));
    assert!(matches!(&failed.warnings[..], [Warning::NotReranked { .. }]), "{:?}", failed.warnings);
}

#[test]
fn a_query_for_a_name_is_not_reranked() {
    let sandbox = pages(3);
    let (engine, model) = engine(&sandbox, 30);
    for name in ["payment", "docs/01.md", "path:docs payment"] {
        let answer = sandbox.search(&engine, name);
        assert_eq!((answer.reranker.as_deref(), model.given.lock().len()), (None, 0), "{name}");
        assert!(!answer.silent.contains(&Ablation::Rerank) && !answer.hits.is_empty(), "{name}");
    }
    assert_eq!(sandbox.search(&engine, QUESTION).reranker.as_deref(), Some("counting"));
}

#[test]
fn it_gets_the_path_the_names_and_the_comment_with_the_text() {
    let source = "/// How to retry a payment.\nfn again() {\n    wait();\n}\n";
    let sandbox = Sandbox::with(&[("src/again.rs", source), ("docs/a.md", "# Payment\n\nHow to retry it.\n")]);
    let (engine, model) = engine(&sandbox, 30);
    sandbox.search(&engine, QUESTION);
    let given = model.given.lock().clone();
    let code = given.iter().find(|text| text.starts_with("src/again.rs\n")).expect("the code");
    assert!(code.contains("/// How to retry a payment.") && code.contains("fn again()"), "{code}");
    let prose = given.iter().find(|text| text.starts_with("docs/a.md\n")).expect("the page");
    assert!(prose.contains("Payment") && prose.contains("How to retry it."), "{prose}");
}

/// Returns an engine with a judge that decides alone.
fn engine_with_judge(sandbox: &Sandbox, close: f64) -> (Engine, Arc<Counting>) {
    let judge = JudgeSettings { weight: 1.0, close, ..JudgeSettings::default() };
    let engine = sandbox.engine_by(EngineSettings { judge, ..EngineSettings::default() });
    let model = Arc::new(Counting::default());
    engine.use_judge(Some(Reranker { name: "judge".to_owned(), cross_encoder: Arc::<Counting>::clone(&model) }));
    (engine, model)
}

fn ask(sandbox: &Sandbox, engine: &Engine, query: &str, judge: JudgeUse) -> Answer {
    engine.search(&sandbox.origin(), &SearchRequest { judge, ..request(query) }).expect("an answer")
}

#[test]
fn a_judge_rescores_the_first_ten_of_hard_questions_or_if_it_is_asked_for() {
    let sandbox = pages(14);
    let (engine, model) = engine_with_judge(&sandbox, 0.0);
    let plain = ask(&sandbox, &engine, QUESTION, JudgeUse::WhenHard);
    assert_eq!((plain.judge.as_deref(), model.given.lock().len()), (None, 0), "it is not hard");
    let asked = ask(&sandbox, &engine, QUESTION, JudgeUse::Always);
    assert_eq!((asked.judge.as_deref(), asked.reranker.as_deref()), (Some("judge"), None));
    assert!(took(&asked, Stage::Judge) && model.given.lock().len() == 10);
    let (mut first, last) = (paths(&plain), paths(&asked));
    first.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(last, first);
    let by = asked.hits[0].explanation.as_ref().and_then(|explanation| explanation.reranked).map(|told| told.by);
    assert_eq!(by, Some(Rescorer::Judge));

    for hard in ["what depends on the payment retry", "why do we retry a payment"] {
        let answer = ask(&sandbox, &engine, hard, JudgeUse::WhenHard);
        assert_eq!(answer.judge.as_deref(), Some("judge"), "{hard}: {:?}", answer.class);
    }
    let without = SearchRequest { without: vec![Ablation::Judge], judge: JudgeUse::Always, ..request(QUESTION) };
    assert_eq!(engine.search(&sandbox.origin(), &without).expect("an answer").judge, None);
    assert_eq!(ask(&sandbox, &engine, "docs/01.md", JudgeUse::Always).judge, None, "a path is found without it");

    let (engine, _) = engine_with_judge(&sandbox, 1.0);
    assert_eq!(ask(&sandbox, &engine, QUESTION, JudgeUse::WhenHard).judge.as_deref(), Some("judge"), "they are close");
}

#[test]
fn a_judge_that_fails_changes_nothing_and_is_reported() {
    let sandbox = pages(6);
    let (engine, model) = engine_with_judge(&sandbox, 0.0);
    let plain = ask(&sandbox, &engine, QUESTION, JudgeUse::WhenHard);
    model.is_dumb.store(true, Ordering::SeqCst);
    let answer = ask(&sandbox, &engine, QUESTION, JudgeUse::Always);
    assert_eq!((paths(&answer), answer.judge.as_deref()), (paths(&plain), None));
    assert!(answer.silent.contains(&Ablation::Judge), "the next page leaves it out too");
    assert!(matches!(&answer.warnings[..], [Warning::NotJudged { .. }]), "{:?}", answer.warnings);
}
