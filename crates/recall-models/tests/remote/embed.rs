//! Embedding by a server that speaks the vendors' formats and fails on demand.

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ChunkText, Embedder as _, ModelError};
use recall_models::providers::{
    Key, Link, LinkSettings, Network, Provider, ProviderError, RemoteEncoder, RemoteName, Wire, probe,
};
use recall_testkit::{FAKE_MODEL, FakeProvider, FakeRules, Fault, Mutation};
use recall_text::error_chain;

use crate::support::{Case, NEVER, assert_vectors, quick};

#[test]
fn each_format_gives_one_unit_vector_for_each_text_in_order() {
    for wire in [Wire::Ollama, Wire::OpenAi, Wire::Voyage] {
        let case = Case::new(wire, FakeRules::default(), quick());
        let encoder = case.encoder(FAKE_MODEL);
        let texts = ["a long text about a store that opens at nine", "short", "", "größer ≠ kleiner"];
        let found = encoder.embed_documents(&texts).expect("a healthy server");
        assert_vectors(&found, &texts, encoder.dimensions());
        let query = encoder.embed_query("store", None).expect("a healthy server");
        assert_vectors(&[query], &["store"], encoder.dimensions());
        assert!(
            case.fake.received_requests().iter().all(|request| request.texts().iter().all(|text| !text.is_empty()))
        );
    }
}

#[test]
fn prefixes_input_types_and_dimensions_are_those_of_the_model() {
    let case = Case::new(Wire::Ollama, FakeRules::default(), quick());
    let encoder = case.encoder("nomic-embed-text:v1.5");
    encoder.embed_query("store", None).expect("healthy");
    encoder
        .embed_chunks(&[ChunkText { path: "a.rs", symbol: "fn a", text: "fn a() {}", ..ChunkText::default() }])
        .expect("healthy");
    let [.., query, document] = &case.fake.received_requests()[..] else { panic!("two requests") };
    assert_eq!((query.path.as_str(), query.texts()), ("/api/embed", vec!["search_query: store".to_owned()]));
    assert_eq!(document.texts(), ["search_document: a.rs\nfn a\nfn a() {}"]);
    assert_eq!(document.body["truncate"], false);

    let case = Case::new(Wire::Voyage, FakeRules::default(), quick());
    let encoder = case.encoder("voyage-code-3@256");
    assert_eq!(encoder.dimensions(), 256);
    encoder.embed_query("store", None).expect("healthy");
    encoder.embed_documents(&["text"]).expect("healthy");
    let [probe, query, document] = &case.fake.received_requests()[..] else { panic!("three requests") };
    let of = |request: &recall_testkit::Received, field: &str| request.body[field].clone();
    assert_eq!((of(probe, "output_dimension"), of(query, "input_type")), (256.into(), "query".into()));
    assert_eq!((of(document, "input_type"), of(document, "truncation")), ("document".into(), false.into()));
}

#[test]
fn a_wrong_answer_is_refused_and_asked_for_again() {
    for wire in [Wire::Ollama, Wire::OpenAi] {
        for mutation in Mutation::ALL {
            let case = Case::new(wire, FakeRules::default(), quick());
            let encoder = case.encoder(FAKE_MODEL);
            let texts = ["one store", "two shops"];
            case.fake.script([Some(Fault::Mutate(mutation))]);
            let found = encoder.embed_documents(&texts).unwrap_or_else(|error| panic!("{mutation:?}: {error}"));
            assert_vectors(&found, &texts, encoder.dimensions());
            let is_harmless = mutation == Mutation::Reversed || wire == Wire::Ollama && mutation == Mutation::SameIndex;
            let sent = case.fake.received_requests().len() - 1;
            assert_eq!(sent, if is_harmless { 1 } else { 2 }, "{wire:?} {mutation:?}");
        }
    }
}

#[test]
fn failures_of_the_network_and_the_server_are_retried_and_refusals_are_not() {
    let faults = [
        Fault::status(429),
        Fault::retry_after(429, "0.01"),
        Fault::status(500),
        Fault::status(503),
        Fault::status(529),
        Fault::Close,
        Fault::Reset,
        Fault::ResetWithin,
        Fault::Truncate(0),
        Fault::Truncate(40),
        Fault::NotHttp,
        Fault::Body("<html>".to_owned()),
        Fault::Body("{}".to_owned()),
    ];
    let case = Case::new(Wire::OpenAi, FakeRules::default(), quick());
    let encoder = case.encoder(FAKE_MODEL);
    for fault in faults {
        let before = case.fake.received_requests().len();
        case.fake.script([Some(fault.clone()), Some(fault.clone())]);
        let found =
            encoder.embed_documents(&["text"]).unwrap_or_else(|error| panic!("{fault:?}: {}", error_chain(&error)));
        assert_vectors(&found, &["text"], encoder.dimensions());
        assert_eq!(case.fake.received_requests().len() - before, 3, "{fault:?}");
    }
    for status in [301, 401, 402, 403, 404, 405, 451] {
        let case = Case::new(Wire::OpenAi, FakeRules::default(), quick());
        let encoder = case.encoder(FAKE_MODEL);
        case.fake.script([Some(Fault::status(status))]);
        let error = encoder.embed_documents(&["text"]).expect_err("refused");
        assert!(
            error_chain(&error).contains(&format!("status {status}: provoked {status}")),
            "{}",
            error_chain(&error)
        );
        assert_eq!(case.fake.received_requests().len(), 2, "{status}");
        let again = encoder.embed_documents(&["text"]);
        let is_about_the_key = matches!(status, 401..=403);
        assert_eq!(again.is_err(), is_about_the_key, "requests are paused if it is about the key: {status}");
        assert_eq!(case.fake.received_requests().len(), if is_about_the_key { 2 } else { 3 }, "{status}");
    }
}

#[test]
fn a_batch_that_is_too_large_is_halved_and_a_text_that_is_too_long_is_cut() {
    let rules = FakeRules { most_texts: 3, longest_text: 100, ..FakeRules::default() };
    let case = Case::new(Wire::OpenAi, rules, quick());
    let encoder = case.encoder(FAKE_MODEL);
    let long = "word ".repeat(100);
    let texts: Vec<String> = (0..10).map(|number| format!("text {number}")).chain([long.clone()]).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = encoder.embed_documents(&texts).expect("halved and cut");
    assert_vectors(&found[..10], &texts[..10], encoder.dimensions());
    let last = case
        .fake
        .received_requests()
        .into_iter()
        .flat_map(|request| request.texts())
        .find(|text| text.len() <= 100 && text.starts_with("word word"));
    assert_vectors(&found[10..], &[last.expect("it was cut").as_str()], encoder.dimensions());
}

#[test]
fn what_was_embedded_before_a_failure_is_not_sent_again() {
    let settings = LinkSettings { batch_texts: NonZero::new(2).expect("2"), retries: 0, ..quick() };
    let case = Case::new(Wire::OpenAi, FakeRules::default(), settings);
    let encoder = case.encoder(FAKE_MODEL);
    let texts = ["one", "two", "three", "four", "five", "six"];
    case.fake.script([None, None, Some(Fault::status(503))]);
    assert!(encoder.embed_documents(&texts).is_err());
    assert_vectors(&encoder.embed_documents(&texts).expect("healthy"), &texts, encoder.dimensions());
    let sent: Vec<usize> = case.fake.received_requests()[1..].iter().map(|request| request.texts().len()).collect();
    assert_eq!(sent, [2, 2, 2, 2], "the last two are sent twice");
}

#[test]
fn a_text_that_is_refused_however_short_is_an_error_with_the_servers_words() {
    let case = Case::new(Wire::Voyage, FakeRules::default(), quick());
    let encoder = case.encoder(FAKE_MODEL);
    case.fake.always(Some(Fault::Status {
        status: 400,
        headers: Vec::new(),
        body: r#"{"detail":"bad words"}"#.to_owned(),
    }));
    let error = encoder.embed_documents(&["one two three", "four five six"]).expect_err("refused");
    assert!(error_chain(&error).contains("400: bad words"), "{}", error_chain(&error));
    assert!(case.fake.received_requests().len() < 12, "{}", case.fake.received_requests().len());
}

#[test]
fn requests_have_at_most_so_many_texts_of_similar_length() {
    let settings = LinkSettings { batch_texts: NonZero::new(4).expect("4"), ..quick() };
    let case = Case::new(Wire::OpenAi, FakeRules::default(), settings);
    let encoder = case.encoder(FAKE_MODEL);
    let texts: Vec<String> = (0..10).map(|number| "word ".repeat(1 + number * 7 % 10)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_vectors(&encoder.embed_documents(&texts).expect("healthy"), &texts, encoder.dimensions());
    let sizes: Vec<usize> = case.fake.received_requests()[1..].iter().map(|request| request.texts().len()).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 10);
    assert!(sizes.iter().all(|size| *size <= 4), "{sizes:?}");
}

#[test]
fn secrets_are_masked_before_a_text_is_sent() {
    let case = Case::new(Wire::OpenAi, FakeRules::default(), quick());
    let encoder = case.encoder(FAKE_MODEL);
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).split_at(36).0);
    encoder.embed_documents(&[&format!("let token = \"{token}\";")]).expect("healthy");
    encoder.embed_query(&format!("who uses {token}"), None).expect("healthy");
    let sent: Vec<String> = case.fake.received_requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().all(|body| !body.contains(&token)), "{sent:?}");
    assert!(sent.iter().filter(|body| body.contains("[secret: ")).count() == 2, "{sent:?}");
}

#[test]
fn a_query_returns_at_its_deadline_and_a_dead_server_then_costs_nothing() {
    let settings = LinkSettings { pause: Duration::from_mins(1), ..quick() };
    let case = Case::new(Wire::Ollama, FakeRules::default(), settings);
    let encoder = case.encoder(FAKE_MODEL);
    assert_vectors(&[encoder.embed_query("known", None).expect("healthy")], &["known"], encoder.dimensions());
    case.fake.always(Some(Fault::Delay(NEVER)));
    for number in 0..3 {
        let began = Instant::now();
        let deadline = Some(began + Duration::from_millis(50));
        assert!(encoder.embed_query(&format!("query {number}"), deadline).is_err());
        assert!(began.elapsed() < NEVER / 2, "it did not wait for the answer");
    }
    let before = case.fake.received_requests().len();
    let error = encoder.embed_query("further", Some(Instant::now() + Duration::from_secs(5))).expect_err("paused");
    assert!(error_chain(&error).contains("paused for"), "{}", error_chain(&error));
    assert_eq!(case.fake.received_requests().len(), before);
    assert!(encoder.embed_query("known", None).is_ok(), "its embedding is kept");
    assert!(encoder.state().problem.is_some_and(|reason| reason.contains("did not answer within")));
}

#[test]
fn a_query_that_failed_is_not_sent_again_by_the_next_store() {
    let settings = LinkSettings { failures: 100, retries: 0, ..quick() };
    let case = Case::new(Wire::Ollama, FakeRules::default(), settings);
    let encoder = case.encoder(FAKE_MODEL);
    case.fake.always(Some(Fault::status(503)));
    for _ in 0..5 {
        assert!(matches!(encoder.embed_query("query", None), Err(ModelError::Failed { .. })));
    }
    assert_eq!(case.fake.received_requests().len(), 2, "the probe and one request");
}

#[test]
fn a_failed_probe_teaches_nothing() {
    let case = Case::new(Wire::OpenAi, FakeRules { dimensions: 5000, ..FakeRules::default() }, quick());
    let name = |model: &str| RemoteName::parse(&format!("lab:{model}")).expect("a name");
    let check = |model: &str, says: &str| {
        let error = probe(&case.link(), &name(model)).expect_err("a failure");
        assert!(error_chain(&error).contains(says), "{}", error_chain(&error));
    };
    check(FAKE_MODEL, "5000 dimensions");
    check("unknown", "404: model \"unknown\" not found");
    case.fake.always(Some(Fault::Mutate(Mutation::Zero)));
    check("fake-model@8", "a vector is all zero");
    case.fake.always(Some(Fault::Mutate(Mutation::MoreDimensions)));
    check("fake-model@8", "9 dimensions instead of 8");
    case.fake.always(None);
    assert_eq!(probe(&case.link(), &name("fake-model@8")).expect("healthy").dimensions, 8);
}

#[test]
fn the_budget_of_a_day_stops_requests_but_not_those_to_this_machine() {
    let case = Case::with_budget(Wire::OpenAi, 20);
    let encoder = case.encoder(FAKE_MODEL);
    encoder.embed_documents(&["word ".repeat(100).as_str()]).expect("this machine needs no budget");
    assert_eq!((case.usage.today(), case.usage.model_total("lab:fake-model").texts), (0, 2));
    let error = ProviderError::BudgetSpent { budget: 20 };
    assert!(error.to_string().contains("20 tokens a day"));
}

#[test]
fn a_key_is_sent_in_a_header_only_and_never_shown() {
    let key = "sk-hush-hush-hush";
    let case = Case::new(Wire::OpenAi, FakeRules { key: Some(key.to_owned()), ..FakeRules::default() }, quick());
    let name = RemoteName::parse("lab:fake-model").expect("a name");
    let wrong = probe(&case.link_with(Some("sk-wrong-wrong"), quick()), &name).expect_err("a wrong key");
    assert!(error_chain(&wrong).contains("401: invalid api key"), "{wrong}");
    let link = case.link_with(Some(key), quick());
    let model = probe(&link, &name).expect("the right key");
    let says = format!(r#"{{"error":"your key {key} has no credit"}}"#);
    case.fake.always(Some(Fault::Status { status: 402, headers: Vec::new(), body: says }));
    let encoder = RemoteEncoder::new(model, link).expect("a name");
    let error = encoder.embed_documents(&["text"]).expect_err("refused");
    let shown = format!("{error:?} {} {:?} {encoder:?}", error_chain(&error), encoder.state());
    assert!(!shown.contains(key) && shown.contains("[secret: key] has no credit"), "{shown}");
    assert!(case.fake.received_requests().iter().all(|request| !request.body.to_string().contains(key)));
}

#[test]
fn a_redirect_is_not_followed() {
    let other = FakeProvider::start(FakeRules::default());
    let case = Case::new(Wire::OpenAi, FakeRules::default(), quick());
    let encoder = case.encoder(FAKE_MODEL);
    let headers = vec![("location".to_owned(), format!("{}/embeddings", other.v1()))];
    for status in [301, 302, 307, 308] {
        case.fake.always(Some(Fault::Status { status, headers: headers.clone(), body: String::new() }));
        assert!(encoder.embed_documents(&["text"]).is_err());
    }
    assert_eq!(other.received_requests(), []);
}

#[test]
fn a_vendor_needs_a_key_and_a_key_needs_an_encrypted_connection() {
    let case = Case::new(Wire::OpenAi, FakeRules::default(), quick());
    let link = |name: &str, wire, address: &str, key: Option<&str>| {
        let provider =
            Provider { name: name.to_owned(), wire, address: address.to_owned(), key: key.and_then(Key::new) };
        Link::new(provider, &Network::default(), quick(), Arc::clone(&case.usage))
    };
    let no_key = link("openai", Wire::OpenAi, "https://api.openai.com/v1", None).expect_err("no key");
    assert!(no_key.to_string().contains("RECALL_OPENAI_API_KEY"), "{no_key}");
    assert!(link("voyage", Wire::Voyage, "https://api.voyageai.com/v1", None).is_err());
    assert!(link("lab", Wire::OpenAi, "http://10.0.0.1/v1", None).is_ok());
    let exposed = link("lab", Wire::OpenAi, "http://10.0.0.1/v1", Some("k")).expect_err("in plain text");
    assert!(matches!(exposed, ProviderError::ExposedKey { .. }));
    assert!(link("lab", Wire::OpenAi, "https://10.0.0.1/v1", Some("k")).is_ok());
}
