use super::*;

#[test]
fn hooks_are_added_to_those_of_others() {
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"theirs\" }] }\n    ]\n  }\n}\n";
    let edited = with(text, Contract::Claude, "/opt/recall").expect("usable");
    let value = Format::Json.value(&edited).expect("valid");
    assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], "theirs");
    assert_eq!(value["hooks"]["Stop"][1]["hooks"][0]["args"], json!(["hook", "stop"]));
    assert_eq!(value["hooks"]["PostToolUse"][0]["hooks"][0]["async"], true);
    assert!(are_in(&edited).expect("valid") && !are_in(text).expect("valid"));
    let rest = without(&edited, EmptySection::Keep).expect("usable");
    assert_eq!(Format::Json.value(&rest), Format::Json.value(text));
}

#[test]
fn a_hook_that_was_moved_into_a_group_of_others_is_removed_alone() {
    let text = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"a\"},{\"command\":\"/x/recall hook stop\"}]}]}}";
    let rest = without(text, EmptySection::Remove).expect("usable");
    assert_eq!(Format::Json.value(&rest), Ok(json!({"hooks": {"Stop": [{"hooks": [{"command": "a"}]}]}})));
}

#[test]
fn only_recall_s_own_commands_count_as_its_hooks() {
    for (hook, expected) in [
        (json!({"command": "recall", "args": ["hook", "stop"]}), true),
        (json!({"command": "'/a b/recall' hook stop --client codex"}), true),
        (json!({"command": r"C:\bin\recall.exe", "args": ["hook", "stop"]}), true),
        (json!({"command": "recall status"}), false),
        (json!({"command": "total-recall hook stop"}), false),
        (json!({"command": "echo recall hook"}), false),
        (json!({"url": "https://x"}), false),
    ] {
        assert_eq!(is_ours(&hook), expected, "{hook}");
    }
}

#[test]
fn a_command_line_quotes_its_program() {
    for contract in [Contract::Codex, Contract::Gemini, Contract::Qwen] {
        for (event, group) in contract.groups("/a b/recall") {
            let words = words(&group["hooks"][0]);
            assert_eq!((words[0].as_str(), words[1].as_str()), ("/a b/recall", "hook"), "{event}");
        }
    }
}

#[test]
fn settings_with_hooks_are_recognised_whatever_else_they_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |text: &str, expected: bool| {
        let file = folder.path().join("settings.json");
        fs::write(&file, text).expect("written");
        assert_eq!(settings_have_hooks(&[folder.path().join("missing"), file]), expected, "{text}");
    };
    check("{}", false);
    check("{\"hooks\": {\"Stop\": [", false);
    check("{\"mcpServers\": {\"recall\": {}}}", false);
    check("{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"recall\",\"args\":[\"hook\",\"stop\"]}]}]}} // c", true);
    check(
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"recall\",\"args\":[\"hook\",\"stop\",\"--from-plugin\"]}]}]}}",
        false,
    );
    let claude = with("", Contract::Claude, "/opt/recall").expect("usable");
    check(&claude, true);
}
