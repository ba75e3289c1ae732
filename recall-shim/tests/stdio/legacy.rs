//! The revisions that open with `initialize`.

use serde_json::{Value, json};

use crate::session::{Session, call, initialize, request, text_and_error};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn every_revision_is_agreed_to() {
    for (asked, agreed) in REVISIONS.into_iter().zip(REVISIONS).chain([
        ("2026-07-28", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ]) {
        let mut session = Session::start();
        let answer = session.ask(&initialize(asked));
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "recall");
        assert!(answer["result"]["instructions"].as_str().is_some_and(|text| text.contains("recall_search")));
        session.end().assert_silent_success();
    }
}

#[test]
fn the_tools_are_listed_without_a_daemon() {
    for revision in REVISIONS {
        let mut session = Session::initialized(revision);
        let answer = session.ask(&request(1, "tools/list", &json!({})));
        let tools = answer["result"]["tools"].as_array().expect("tools");
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        let expected = [
            "recall_search",
            "recall_context",
            "recall_get",
            "recall_graph",
            "recall_list",
            "recall_add",
            "recall_index",
            "recall_feedback",
            "flight_recorder_log",
            "recall_status",
        ];
        assert_eq!(names, expected);
        assert!(answer["result"].get("resultType").is_none(), "{revision} does not know it");
        session.end().assert_silent_success();
    }
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol_and_wrong_arguments_are_a_tools() {
    let mut session = Session::initialized("2025-06-18");
    let answer = session.ask(&request(1, "tools/call", &call("recall_serch", &json!({"query": "x"}))));
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "there is no tool `recall_serch`; did you mean `recall_search`?");
    let answer = session.ask(&request(2, "tools/call", &call("recall_search", &json!({"qeury": "x"}))));
    assert_eq!(
        text_and_error(&answer),
        ("INVALID_ARGUMENT: there is no argument `qeury`\nhint: did you mean `query`?", true)
    );
    let answer = session.ask(&request(3, "tools/call", &json!({"name": "recall_search"})));
    assert!(text_and_error(&answer).0.starts_with("INVALID_ARGUMENT: the argument `query` is missing\nhint: "));
    session.end().assert_silent_success();
}

#[test]
fn a_ping_and_an_unknown_method_are_answered() {
    let mut session = Session::initialized("2025-11-25");
    assert_eq!(session.ask(&request(1, "ping", &json!({})))["result"], json!({}));
    assert_eq!(session.ask(&request(2, "no/such", &json!({})))["error"]["code"], -32601);
    session.end().assert_silent_success();
}

#[test]
fn resources_and_prompts_are_offered() {
    let mut session = Session::initialized("2025-11-25");
    let templates = session.ask(&request(1, "resources/templates/list", &json!({})));
    let templates = templates["result"]["resourceTemplates"].as_array().expect("templates");
    let templates: Vec<_> = templates.iter().map(|template| &template["uriTemplate"]).collect();
    assert_eq!(templates, ["recall://doc/{id}", "recall://memory/{id}"]);
    let listed = session.ask(&request(2, "resources/list", &json!({})));
    let listed = listed["result"]["resources"].as_array().expect("resources");
    assert!(listed.iter().all(|resource| resource["mimeType"] == "text/markdown"), "{listed:?}");
    assert_eq!(listed[0]["uri"], "skill://recall/SKILL.md");
    let unknown = session.ask(&request(3, "resources/read", &json!({"uri": "recall://nope"})));
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["uri"]),
        (&Value::from(-32002), &"recall://nope".into())
    );
    let prompts = session.ask(&request(4, "prompts/list", &json!({})));
    let names: Vec<_> = (0..3).map(|at| &prompts["result"]["prompts"][at]["name"]).collect();
    assert_eq!(names, ["brief", "capture", "why"]);
    let prompt = session.ask(&request(5, "prompts/get", &json!({"name": "why", "arguments": {"topic": "WAL"}})));
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().expect("text");
    assert!(text.starts_with("Find out why this is as it is: WAL\n"));
    session.end().assert_silent_success();
}
