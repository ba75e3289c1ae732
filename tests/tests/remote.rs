//! Remote models, from the command to a server that speaks the vendors' formats.

mod case;

use std::fs;

use case::{Case, JUDGE, KEY, MODEL, is_warned};
use recall_testkit::{FakeProvider, FakeRules, Fault, wait_until};
use serde_json::json;

#[test]
fn a_remote_model_embeds_a_project_and_its_queries_until_the_server_dies() {
    let case = Case::new();
    let used = case.succeeds(&["models", "use", "embed", MODEL]);
    assert!(used.contains(&format!("sent to {}", case.fake.v1())) && used.contains("with secrets masked"), "{used}");
    case.wait_for_model(MODEL);
    let (model, answer) = case.search("when does the store open");
    assert_eq!((model.as_deref(), is_warned(&answer)), (Some(MODEL), false), "{answer}");
    assert_eq!(answer["results"][0]["doc"]["path"], "docs/shop.md", "{answer}");

    let status = case.json(&["status"]);
    let listed = &status["models"].as_array().expect("a list")[0];
    assert_eq!(
        (&listed["name"], &listed["origin"], &listed["address"]),
        (&json!(MODEL), &json!("remote"), &json!(case.fake.v1()))
    );
    let texts = listed["remote"]["texts"].as_u64().expect("a number");
    assert!(texts > 20 && listed["remote"]["dollars"].as_f64().is_some_and(|dollars| dollars > 0.0), "{listed}");
    let said = case.succeeds(&["status"]);
    assert!(
        said.contains(&format!("model {MODEL} (embed, at {}", case.fake.v1())) && said.contains("  sent  "),
        "{said}"
    );

    // The server dies: the built-in model answers, with a warning, and a change is embedded when it is back.
    case.fake.set_down(true);
    let (model, answer) = case.search("where is the garden");
    assert_eq!((model.as_deref(), is_warned(&answer)), (Some("static"), true), "{answer}");
    case.project.write("docs/new.md", "# Lighthouse\n\nThe lighthouse is repaired in spring.\n");
    let (model, answer) = case.search("lighthouse");
    assert_eq!(
        (model.as_deref(), &answer["results"][0]["doc"]["path"]),
        (Some("static"), &json!("docs/new.md")),
        "{answer}"
    );
    case.fake.set_down(false);
    wait_until("the new page at the server", || {
        let is_new = |text: &String| text.contains("repaired in spring");
        case.fake.received_requests().iter().any(|request| request.texts().iter().any(is_new)).then_some(())
    });
    case.wait_for_model(MODEL);

    case.assert_key_is_nowhere();
    let sent: Vec<String> = case.fake.received_requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().all(|body| !body.contains(case.secret())), "a secret was sent");
    assert!(sent.iter().any(|body| body.contains("[secret: ")), "the file with a secret was not sent");

    // No text goes to a model that is not used any more.
    case.succeeds(&["models", "use", "embed", "none"]);
    let before = case.fake.received_requests().len();
    assert_eq!(case.search("lighthouse").0.as_deref(), Some("static"));
    assert_eq!(case.fake.received_requests().len(), before);
    case.succeeds(&["models", "rm", MODEL]);
    assert!(!case.succeeds(&["models", "list"]).contains(MODEL));
}

#[test]
fn a_project_can_name_no_server_and_no_model() {
    let case = Case::new();
    let other = FakeProvider::start(FakeRules::default());
    let text = format!(
        "[remote]\nopenai = \"{0}\"\nollama = \"{1}\"\ncompatible = {{ evil = \"{0}\" }}\n[models]\nhub = \"{1}\"\n",
        other.v1(),
        other.address()
    );
    case.project.write(".recall/recall.toml", text);
    let (_, answer) = case.search("store");
    let ignored = answer["warnings"].as_array().expect("a list").iter().filter(|warning| {
        warning["message"].as_str().is_some_and(|message| message.contains("has no effect in a project"))
    });
    assert_eq!(ignored.count(), 4, "{answer}");
    case.succeeds(&["models", "use", "embed", MODEL]);
    case.wait_for_model(MODEL);
    case.refuses(
        &["models", "use", "embed", "evil:fake-model"],
        2,
        "INVALID_ARGUMENT",
        "no provider is called `evil`",
        "remote.compatible",
    );
    assert_eq!(other.received_requests(), []);
}

#[test]
fn a_model_that_cannot_be_used_is_refused_with_a_hint() {
    let case = Case::new();
    let check = |name: &str, exit, code: &str, says: &str, hints: &str| {
        case.refuses(&["models", "use", "embed", name], exit, code, says, hints);
    };
    check(
        "anthropic:claude",
        2,
        "INVALID_ARGUMENT",
        "`anthropic` has no models for embeddings",
        "voyage:voyage-code-3",
    );
    check("openai:", 2, "INVALID_ARGUMENT", "is not the name of a remote model", "PROVIDER:MODEL");
    check("openai:unheard-of", 4, "EMBEDDING_FAILED", "404: model \"unheard-of\" not found", "name of the model");
    check("voyage:voyage-code-3", 4, "EMBEDDING_FAILED", "RECALL_VOYAGE_API_KEY is not set", "recall daemon restart");
    check("ollama:nomic-embed-text", 4, "EMBEDDING_FAILED", "cannot reach http://127.0.0.1:1", "that the server runs");
    case.fake.always(Some(Fault::status(401)));
    check(MODEL, 4, "EMBEDDING_FAILED", "refused the request with status 401", "check the key");
    assert_eq!(case.search("store").0.as_deref(), Some("static"), "nothing was selected");
    case.assert_key_is_nowhere();
}

#[test]
fn nothing_is_sent_to_an_address_that_the_user_was_not_told() {
    let case = Case::new();
    case.succeeds(&["models", "use", "embed", MODEL]);
    case.wait_for_model(MODEL);
    case.succeeds(&["daemon", "stop"]);
    let other = FakeProvider::start(FakeRules::default());
    let case = case.with_variable("RECALL_REMOTE__OPENAI", &other.v1());
    let (model, answer) = case.search("store");
    assert_eq!(model.as_deref(), Some("static"), "{answer}");
    let told = format!("was chosen at {}, and the settings name {}", case.fake.v1(), other.v1());
    assert!(answer["warnings"].to_string().contains(&told), "{answer}");
    assert_eq!(other.received_requests(), []);
    case.succeeds(&["models", "use", "embed", MODEL]);
    case.wait_for_model(MODEL);
    assert!(other.received_requests().len() > 1);
}

#[test]
fn embeddings_are_kept_and_not_bought_twice() {
    let case = Case::new();
    case.succeeds(&["models", "use", "embed", MODEL]);
    case.wait_for_model(MODEL);
    let sent = |case: &Case| case.fake.received_requests().iter().map(|request| request.texts().len()).sum::<usize>();
    case.succeeds(&["daemon", "restart"]);
    let before = sent(&case);
    case.wait_for_model(MODEL);
    case.succeeds(&["models", "use", "embed", "none"]);
    case.succeeds(&["models", "use", "embed", MODEL]);
    case.wait_for_model(MODEL);
    // A probe, and the queries that waited.
    let since: Vec<Vec<String>> = case.fake.received_requests().iter().map(recall_testkit::Received::texts).collect();
    assert!(since.iter().skip(before).all(|texts| texts.len() <= 1), "{since:?}");
    let usage = fs::read_to_string(case.sandbox.dirs().models().join("remote-usage.json")).expect("written");
    assert!(usage.contains(MODEL) && !usage.contains(KEY), "{usage}");
}

#[test]
fn a_language_model_orders_the_first_hits_if_it_is_asked_for_and_in_time() {
    let case = Case::new();
    case.project.write("docs/cellar.md", "# Cellar\n\nThe store has a cellar.\n");
    let used = case.succeeds(&["models", "use", "judge", JUDGE]);
    assert!(used.contains(&format!("sent to {}", case.fake.address())) && used.contains("hard questions"), "{used}");
    assert!(case.listed(JUDGE)["roles"] == json!(["judge", "describe", "compare"]));
    let by = |answer: &serde_json::Value| answer["stats"]["models"]["judge"].as_str().map(ToOwned::to_owned);
    let judged = case.json(&["search", "when does the store open", "--judge", "--explain"]);
    assert_eq!(by(&judged).as_deref(), Some(JUDGE), "{judged}");
    let first = &judged["results"][0];
    assert_eq!(
        (&first["doc"]["path"], &first["explain"]["rerank"]["stage"]),
        (&json!("docs/shop.md"), &json!(3)),
        "{first}"
    );
    assert_eq!(by(&case.json(&["search", "when does the store open", "--no-judge"])), None);

    let dataset = case.sandbox.path().join("questions");
    fs::create_dir(&dataset).expect("a new folder");
    let root = case.project.root().display().to_string();
    fs::write(
        dataset.join("dataset.toml"),
        format!("name = \"shop\"\nlicence = \"MIT\"\ndescription = \"A shop.\"\n[corpora]\nshop = {root:?}\n"),
    )
    .expect("written");
    let query =
        r#"{"id":"q","text":"when does the store open","category":"semantic","relevant":[{"path":"docs/shop.md"}]}"#;
    fs::write(dataset.join("queries.jsonl"), format!("{query}\n")).expect("written");
    let worth = case.json(&["eval", "judge", "--dataset", dataset.to_str().expect("plain")]);
    assert_eq!(
        (&worth["queries"], &worth["not_judged"], &worth["recall"]),
        (&json!(1), &json!(0), &json!(0.0)),
        "{worth}"
    );
    assert!(worth["filtering_rate"].as_f64().is_some_and(|rate| rate > 0.5), "{worth}");

    case.fake.always(Some(Fault::status(529)));
    let answer = case.json(&["search", "when does the store open at", "--judge"]);
    let warned = answer["warnings"].as_array().expect("a list").iter().any(|warning| warning["code"] == "NOT_JUDGED");
    assert!(warned && by(&answer).is_none() && answer["results"][0].is_object(), "{answer}");
    let sent: Vec<String> = case.fake.received_requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().all(|body| !body.contains(case.secret())), "a secret was sent");
    case.assert_key_is_nowhere();
    case.refuses(
        &["models", "use", "judge", "voyage:voyage-3"],
        4,
        "EMBEDDING_FAILED",
        "RECALL_VOYAGE_API_KEY",
        "recall daemon restart",
    );
    case.refuses(
        &["models", "use", "rerank", JUDGE],
        2,
        "INVALID_ARGUMENT",
        "cannot be used to rerank",
        "recall models use judge",
    );
}

#[test]
fn a_language_model_describes_prose_before_it_is_embedded() {
    let case = Case::new();
    case.refuses(
        &["models", "use", "describe", JUDGE],
        2,
        "INVALID_ARGUMENT",
        "no encoder is selected",
        "recall models use embed",
    );
    case.succeeds(&["models", "use", "embed", MODEL]);
    let used = case.succeeds(&["models", "use", "describe", JUDGE]);
    assert!(used.contains(&format!("sent to {}", case.fake.address())) && used.contains("that is not code"), "{used}");
    case.wait_for_model(&format!("{MODEL} + {JUDGE}"));
    let embedded = |case: &Case| -> Vec<String> {
        case.fake.received_requests().iter().flat_map(recall_testkit::Received::texts).collect()
    };
    let described: Vec<String> = embedded(&case).into_iter().filter(|text| text.contains("This is about ")).collect();
    assert!(described.iter().any(|text| text.contains("docs/shop.md")), "{described:?}");
    assert!(described.iter().all(|text| !text.contains("src/")), "code is not described: {described:?}");
    let status = case.succeeds(&["status"]);
    assert!(status.contains(&format!("model {JUDGE} (describe, at {}", case.fake.address())), "{status}");

    // What was written is kept.
    let prompts =
        |case: &Case| case.fake.received_requests().iter().filter(|request| request.texts().is_empty()).count();
    case.succeeds(&["models", "use", "describe", "none"]);
    case.wait_for_model(MODEL);
    case.succeeds(&["daemon", "restart"]);
    let before = prompts(&case);
    case.succeeds(&["models", "use", "describe", JUDGE]);
    case.wait_for_model(&format!("{MODEL} + {JUDGE}"));
    assert_eq!(prompts(&case), before + 1, "only the model is asked whether it answers");
    let sent: Vec<String> = case.fake.received_requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().all(|body| !body.contains(case.secret())), "a secret was sent");
    case.assert_key_is_nowhere();
}

/// The memories that are in a pair, and the answer of the listing.
fn contradicted(case: &Case) -> (Vec<String>, String) {
    let listed = case.json(&["list", "--contradicted"]);
    let ids = listed["results"].as_array().into_iter().flatten().filter_map(|entry| entry["doc"]["id"].as_str());
    let mut ids: Vec<String> = ids.map(str::to_owned).collect();
    ids.sort_unstable();
    (ids, listed.to_string())
}

fn remember(case: &Case, text: &str) -> String {
    case.json(&["remember", text])["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_language_model_finds_pairs_that_the_words_miss_and_drops_those_that_they_find() {
    let case = Case::new();
    let npm = remember(&case, "Use npm to install the packages of the web app.");
    let pnpm =
        remember(&case, &format!("The web app is installed with pnpm, not with npm; the token is {}.", case.secret()));
    let payments = remember(&case, "The exclusive owner of the invoices is the payments team.");
    let ledger = remember(&case, "The accounting team has exclusive responsibility for invoices.");
    let sorted = |mut ids: Vec<String>| {
        ids.sort_unstable();
        ids
    };
    let (by_words, by_model) = (sorted(vec![npm, pnpm]), sorted(vec![payments.clone(), ledger.clone()]));
    assert_eq!(contradicted(&case).0, by_words);

    // A project chooses no model.
    case.project.write(".recall/recall.toml", format!("[models]\ncompare = \"{JUDGE}\"\n"));
    case.project.write(".recall/models/roles.json", format!("{{\"compare\":\"{JUDGE}\"}}"));
    case.search("invoices");
    assert_eq!(contradicted(&case).0, by_words);
    assert_eq!(case.fake.received_requests(), []);

    // A server that fails leaves the pairs of the words.
    let used = case.succeeds(&["models", "use", "compare", JUDGE]);
    assert!(used.contains(&format!("sent to {}", case.fake.address())) && used.contains("the same subject"), "{used}");
    case.fake.always(Some(Fault::status(529)));
    wait_until("the failure to be reported", || {
        assert_eq!(contradicted(&case).0, by_words);
        case.succeeds(&["status"]).contains("status 529").then_some(())
    });
    assert!(case.recall(&["doctor"]).stdout.contains("status 529"));

    case.fake.always(None);
    case.succeeds(&["models", "use", "compare", JUDGE]);
    wait_until("the verdicts", || (contradicted(&case).0 == by_model).then_some(()));
    let shown = case.succeeds(&["get", &ledger]);
    assert!(shown.contains(&format!("may contradict {payments} (by the language model {JUDGE})")), "{shown}");
    let got = case.json(&["get", &payments]);
    assert_eq!(got["memory"]["contradicts"][0]["judged_by"], json!(JUDGE), "{got}");
    let sent: Vec<String> = case.fake.received_requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.iter().any(|body| body.contains("[secret: ")), "the memory with a secret was not sent");
    assert!(sent.iter().all(|body| !body.contains(case.secret())), "a secret was sent");

    // What was said is kept, and is not used without the model.
    case.succeeds(&["daemon", "restart"]);
    wait_until("the verdicts", || (contradicted(&case).0 == by_model).then_some(()));
    assert_eq!(case.fake.received_requests().len(), sent.len());
    case.succeeds(&["models", "use", "compare", "none"]);
    assert_eq!(contradicted(&case).0, by_words);
    case.assert_key_is_nowhere();
}
