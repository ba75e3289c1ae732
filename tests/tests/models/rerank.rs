//! A selected cross-encoder: it rescores the first hits, and if it fails, the order without it is used.

use std::fs;
use std::thread;

use recall_testkit::wait_until;
use serde_json::{Value, json};

use super::case::{Case, path};
use super::network::{Behaviour, scoring_network};

/// A question that the page `docs/shop.md` answers best by its words, and `docs/plants.md` worst.
const QUESTION: &str = "when do we open the store";

/// A project in which the order by words differs from that of the cross-encoder, which counts occurrences of `garden`.
fn case(variables: &[(&str, &str)], behaviour: Behaviour) -> Case {
    let case = Case::with_runtime(&[&[("RECALL_SEARCH__MODEL", "none")], variables].concat());
    case.project.write("docs/hours.md", "# Hours\n\nThe store is what we open.\n");
    case.project.write("docs/plants.md", "# Plants\n\nA garden beside the store, a garden behind it.\n");
    let folder = case.model("judge", &scoring_network(1, behaviour), r#"{"role": "rerank", "window_tokens": 64}"#);
    let said = case.succeeds(&["models", "add", path(&folder)]);
    assert!(said.contains("recall models use rerank judge"), "{said}");
    case
}

fn paths(answer: &Value) -> Vec<&str> {
    let hits = answer["results"].as_array().expect("a list");
    hits.iter().filter_map(|hit| hit["doc"]["path"].as_str()).collect()
}

/// The message of the warning that a cross-encoder was not used.
#[track_caller]
fn warning(answer: &Value) -> Option<&str> {
    let warnings = answer["warnings"].as_array().expect("a list");
    warnings.iter().find(|warning| warning["code"] == "NOT_RERANKED")?["message"].as_str()
}

#[test]
fn a_used_cross_encoder_rescores_the_first_hits() {
    let case = case(&[], Behaviour::Plain);
    let before = case.json(&["search", "--explain", QUESTION]);
    let order = paths(&before);
    assert_eq!((order.len(), order[2]), (3, "docs/plants.md"), "{before}");
    assert_eq!(before["stats"]["reranked"], false, "off by default");
    assert_eq!(before["stats"]["stages"]["rerank"], Value::Null, "{before}");

    let used = case.json(&["models", "use", "rerank", "judge"]);
    assert_eq!(used["model"]["used_as"], json!(["rerank"]), "{used}");
    let answer = wait_until("the model", || {
        let answer = case.json(&["search", "--explain", QUESTION]);
        warning(&answer).is_none().then_some(answer)
    });
    assert_eq!(paths(&answer), [order[2], order[0], order[1]], "{answer}");
    let stats = &answer["stats"];
    assert_eq!((&stats["reranked"], &stats["models"]["rerank"]), (&json!(true), &json!("judge")), "{stats}");
    assert!(stats["stages"]["rerank"].as_f64().is_some_and(|took| took > 0.0), "{stats}");
    let first = &answer["results"][0]["explain"]["rerank"];
    assert_eq!(*first, json!({ "model": "judge", "stage": 2, "score": 2.0, "rank_before": 3 }), "{answer}");
    let said = case.succeeds(&["search", "--explain", QUESTION]);
    assert!(said.contains("rerank 2 by judge 2.000 (was #3)"), "{said}");
    assert!(case.succeeds(&["status"]).contains("model judge (rerank, on cpu)"));

    let without = case.json(&["search", "--no-rerank", QUESTION]);
    assert_eq!((paths(&without), &without["stats"]["reranked"]), (order.clone(), &json!(false)), "{without}");
    let named = case.json(&["search", "store"]);
    assert_eq!((named["stats"]["reranked"].as_bool(), warning(&named)), (Some(false), None), "a name needs no judge");

    // Two pages together equal the whole.
    let page = |offset: &str| case.json(&["search", "--k", "2", "--offset", offset, QUESTION]);
    let (one, two) = (page("0"), page("2"));
    assert_eq!([paths(&one), paths(&two)].concat(), paths(&answer));

    case.refuses(
        &["models", "rm", "judge"],
        4,
        "CONFLICT",
        "in use for the role `rerank`",
        "recall models use rerank none",
    );
    case.succeeds(&["models", "use", "rerank", "none"]);
    assert_eq!(paths(&case.json(&["search", QUESTION])), order);
    case.succeeds(&["models", "rm", "judge"]);
}

#[test]
fn concurrent_clients_get_the_same_response() {
    let case = case(&[], Behaviour::Slow);
    case.succeeds(&["models", "use", "rerank", "judge"]);
    wait_until("the model", || warning(&case.json(&["search", QUESTION])).is_none().then_some(()));
    thread::scope(|scope| {
        let asked: Vec<_> = (0..6).map(|_| scope.spawn(|| case.json(&["search", QUESTION]))).collect();
        for answer in asked {
            let answer = answer.join().expect("it answers");
            assert_eq!((paths(&answer)[0], warning(&answer)), ("docs/plants.md", None), "{answer}");
        }
    });
}

/// Checks that the order is the one without the model, and that the response gives the reason.
#[track_caller]
fn is_bypassed(case: &Case, because: &str) {
    let answer = case.json(&["search", QUESTION]);
    assert_eq!(paths(&answer), paths(&case.json(&["search", "--no-rerank", QUESTION])), "{answer}");
    assert!(warning(&answer).is_some_and(|said| said.contains(because)), "{answer}");
    let stats = &answer["stats"];
    assert_eq!((&stats["reranked"], &stats["models"]["rerank"]), (&json!(false), &Value::Null), "{stats}");
}

#[test]
fn a_cross_encoder_that_fails_is_bypassed() {
    let case = case(&[], Behaviour::Poisoned);
    case.succeeds(&["models", "use", "rerank", "judge"]);
    wait_until("the model", || case.listed("judge")["loaded"].as_bool().filter(|is_loaded| *is_loaded));
    is_bypassed(&case, "is not a finite number");

    // The file of the network is replaced before the next load; later the library is deleted.
    let installed = case.sandbox.dirs().models().join("judge/model.onnx");
    fs::write(&installed, scoring_network(1, Behaviour::Plain)).expect("writable");
    case.succeeds(&["daemon", "restart"]);
    is_bypassed(&case, "has changed");
    fs::remove_dir_all(case.sandbox.dirs().runtimes()).expect("it is there");
    case.succeeds(&["daemon", "restart"]);
    is_bypassed(&case, "no ONNX runtime is configured");
}

#[test]
fn a_cross_encoder_that_is_late_is_not_waited_for() {
    let variables = [("RECALL_SEARCH__RERANK_WAIT", "1ms")];
    let case = case(&variables, Behaviour::Late);
    case.succeeds(&["models", "use", "rerank", "judge"]);
    wait_until("the model", || case.listed("judge")["loaded"].as_bool().filter(|is_loaded| *is_loaded));
    is_bypassed(&case, "did not answer in time");
}
