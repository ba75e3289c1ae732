//! Scores by a language model.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::CrossEncoder as _;
use recall_models::providers::{RemoteJudge, RemoteName, Wire, probe_judge};
use recall_testkit::{FAKE_MODEL, FakeRules, Fault};
use recall_text::error_chain;

use crate::support::{Case, NEVER, quick};

fn judge(case: &Case) -> RemoteJudge {
    let name = RemoteName::parse(&format!("lab:{FAKE_MODEL}")).expect("a name");
    let link = case.link();
    RemoteJudge::new(probe_judge(&link, &name).expect("a healthy server"), link).expect("a name")
}

const TEXTS: [&str; 3] = ["nothing about that", "the store opens at nine", "a store"];

#[test]
fn each_format_gives_one_score_for_each_text() {
    for wire in [Wire::Anthropic, Wire::OpenAi, Wire::Ollama] {
        let case = Case::new(wire, FakeRules::default(), quick());
        let judge = judge(&case);
        let scores = judge.scores("when opens the store", &TEXTS, None).expect("a healthy server");
        assert_eq!(scores, [-5.0, -3.0, -4.0], "{wire:?}");
        assert!(case.usage.model_total("lab:fake-model").tokens > 0);
        let last = case.fake.received_requests().pop().expect("a request");
        let has_version = last.headers.iter().any(|(name, _)| name == "anthropic-version");
        assert_eq!(has_version, wire == Wire::Anthropic, "{last:?}");
    }
}

#[test]
fn a_reply_without_valid_scores_is_asked_for_again_and_then_an_error() {
    let case = Case::new(Wire::Anthropic, FakeRules::default(), quick());
    let judge = judge(&case);
    let reply = |text: &str| {
        let body = format!(r#"{{"content":[{{"type":"text","text":{text:?}}}],"stop_reason":"end_turn"}}"#);
        Some(Fault::Body(body))
    };
    case.fake.script([reply("I would rather not."), reply(r#"{"scores":[{"passage":1,"score":99}]}"#)]);
    assert!(judge.scores("store", &TEXTS, None).is_ok());
    case.fake.always(reply("no"));
    let error = judge.scores("store", &TEXTS, None).expect_err("never a score");
    assert!(error_chain(&error).contains("one score from 0 to 10 for each of 3 texts"), "{}", error_chain(&error));
}

#[test]
fn a_judge_is_in_time_or_an_error() {
    let case = Case::new(Wire::OpenAi, FakeRules::default(), quick());
    let judge = judge(&case);
    case.fake.always(Some(Fault::Delay(NEVER)));
    let began = Instant::now();
    assert!(judge.scores("store", &TEXTS, Some(began + Duration::from_millis(50))).is_err());
    assert!(began.elapsed() < NEVER / 2);
}

#[test]
fn secrets_are_masked_before_a_text_is_judged() {
    let case = Case::new(Wire::Anthropic, FakeRules::default(), quick());
    let judge = judge(&case);
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    judge.scores(&format!("who uses {token}"), &[&format!("token = \"{token}\"")], None).expect("healthy");
    let sent = case.fake.received_requests().pop().expect("a request").body.to_string();
    assert!(!sent.contains(&token) && sent.matches("[secret: ").count() == 2, "{sent}");
}

#[test]
fn voyage_has_no_language_models_and_a_wrong_name_is_the_servers_error() {
    let case = Case::new(Wire::Voyage, FakeRules::default(), quick());
    let name = |model: &str| RemoteName::parse(&format!("lab:{model}")).expect("a name");
    let error = probe_judge(&case.link(), &name(FAKE_MODEL)).expect_err("none");
    assert!(error.to_string().contains("`lab` has no language models"), "{error}");
    let case = Case::new(Wire::Anthropic, FakeRules::default(), quick());
    let error = probe_judge(&Arc::clone(&case.link()), &name("unheard-of")).expect_err("unknown");
    assert!(error.to_string().contains("404: model: unheard-of"), "{error}");
}
