//! The extension `io.modelcontextprotocol/skills`.

use serde_json::{Value, json};

use crate::session::{Session, initialize, modern, request};

const EXTENSION: &str = "io.modelcontextprotocol/skills";

#[test]
fn the_skills_of_the_plugin_are_served_without_a_daemon() {
    let mut session = Session::start();
    let discovered = session.ask(&modern(1, "server/discover", json!({})));
    assert_eq!(discovered["result"]["capabilities"]["extensions"][EXTENSION], json!({}));
    let listed = session.ask(&modern(2, "skills/list", json!({})));
    let result = &listed["result"];
    assert_eq!((&result["resultType"], &result["cacheScope"]), (&json!("complete"), &json!("private")), "{listed}");
    assert!(result["ttlMs"].is_u64() && result.get("nextCursor").is_none(), "{listed}");
    let skills = result["skills"].as_array().expect("skills");
    let names: Vec<_> = skills.iter().map(|skill| &skill["frontmatter"]["name"]).collect();
    assert_eq!(names, ["recall", "retrieval-judge", "capture"]);
    for (id, skill) in (10..).step_by(2).zip(skills) {
        let got = session.ask(&modern(id, "skills/get", json!({"uri": skill["uri"]})));
        assert_eq!(&got["result"]["skill"], skill, "{got}");
        assert!(got["result"]["ttlMs"].is_u64() && got["result"]["resultType"] == "complete", "{got}");
        let read = session.ask(&modern(id + 1, "resources/read", json!({"uri": skill["uri"]})));
        let contents = &read["result"]["contents"][0];
        assert_eq!((&contents["uri"], &contents["mimeType"]), (&skill["uri"], &json!("text/markdown")), "{read}");
        let name = skill["frontmatter"]["name"].as_str().expect("a name");
        let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugin/skills");
        let file = std::fs::read_to_string(format!("{plugin}/{name}/SKILL.md")).expect("the plugin's file");
        assert_eq!(contents["text"], Value::from(file.as_str()));
        let resource = &skill["resources"][0];
        assert_eq!((&resource["uri"], &resource["size"]), (&skill["uri"], &json!(file.len())));
        let digest = resource["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:")).expect("a digest");
        assert!(digest.len() == 64 && digest.bytes().all(|byte| b"0123456789abcdef".contains(&byte)), "{digest}");
    }
    session.end().assert_silent_success();
}

#[test]
fn what_is_no_skill_is_an_error() {
    let mut session = Session::start();
    for (id, uri) in (1..).step_by(2).zip(["skill://nope/SKILL.md", "skill://recall/other.md", "recall://doc/SKILL.md"])
    {
        let refused = session.ask(&modern(id, "skills/get", json!({"uri": uri})));
        assert_eq!(refused["error"]["code"], -32602, "{uri}: {refused}");
        let unread = session.ask(&modern(id + 1, "resources/read", json!({"uri": uri})));
        assert!(unread["error"]["code"].is_i64(), "{uri}: {unread}");
    }
    let directory = session.ask(&modern(8, "resources/directory/read", json!({"uri": "skill://recall"})));
    assert_eq!(directory["error"]["code"], -32601, "it is not announced");
    session.end().assert_silent_success();
}

#[test]
fn older_revisions_are_offered_the_skills_too() {
    let mut session = Session::start();
    let opened = session.ask(&initialize("2025-11-25"));
    assert_eq!(opened["result"]["capabilities"]["extensions"][EXTENSION], json!({}), "{opened}");
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let listed = session.ask(&request(1, "skills/list", &json!({})));
    assert_eq!(listed["result"]["skills"].as_array().map(Vec::len), Some(3), "{listed}");
    session.end().assert_silent_success();
}
