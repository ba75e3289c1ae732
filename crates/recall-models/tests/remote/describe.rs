//! Descriptions by a language model.

use recall_core::Describer as _;
use recall_models::providers::{RemoteDescriber, RemoteName, Wire, probe_describer};
use recall_testkit::{FAKE_MODEL, FakeRules, Fault};
use recall_text::error_chain;

use crate::support::{Case, quick};

fn describer(case: &Case) -> RemoteDescriber {
    let name = RemoteName::parse(&format!("lab:{FAKE_MODEL}")).expect("a name");
    let link = case.link();
    RemoteDescriber::new(probe_describer(&link, &name).expect("a healthy server"), link).expect("a name")
}

const DOCUMENT: &str = "# Wombats\n\nThey dig at night.\n\nThey sleep by day.\n";
const PASSAGES: [&str; 2] = ["They dig at night.", "They sleep by day."];

#[test]
fn each_format_gives_one_description_for_each_passage() {
    for wire in [Wire::Anthropic, Wire::OpenAi, Wire::Ollama] {
        let case = Case::new(wire, FakeRules::default(), quick());
        let described = describer(&case).describe(DOCUMENT, &PASSAGES).expect("a healthy server");
        assert_eq!(described, ["This is about Wombats.", "This is about Wombats."], "{wire:?}");
        assert!(case.usage.model_total("lab:fake-model").tokens > 0);
    }
}

#[test]
fn a_passage_that_the_model_refuses_has_no_description() {
    let case = Case::new(Wire::Anthropic, FakeRules::default(), quick());
    let describer = describer(&case);
    let refusal = || {
        let body = r#"{"content":[{"type":"text","text":"I cannot."}],"stop_reason":"end_turn"}"#;
        Some(Fault::Body(body.to_owned()))
    };
    // Both passages together, then the first one alone. The second one is described.
    case.fake.script([refusal(), refusal()]);
    let lines = describer.describe(DOCUMENT, &PASSAGES).expect("the server answers");
    assert_eq!(lines, ["", "This is about Wombats."]);
}

#[test]
fn an_error_that_may_pass_is_one() {
    let case = Case::new(Wire::OpenAi, FakeRules::default(), quick());
    let describer = describer(&case);
    case.fake.always(Some(Fault::status(503)));
    let error = describer.describe(DOCUMENT, &PASSAGES).expect_err("it is overloaded");
    assert!(error_chain(&error).contains("503"), "{}", error_chain(&error));
}

#[test]
fn secrets_are_masked_before_a_document_is_described() {
    let case = Case::new(Wire::Anthropic, FakeRules::default(), quick());
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = format!("token = \"{token}\"");
    describer(&case).describe(&text, &[&text]).expect("healthy");
    let sent = case.fake.received_requests().pop().expect("a request").body.to_string();
    assert!(!sent.contains(&token) && sent.matches("[secret: ").count() == 2, "{sent}");
}
