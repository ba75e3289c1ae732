//! The pipelines in `pipelines/` that publish a branch: what they name exists, and their script publishes.

use std::fs;
use std::path::Path;

use recall_testkit::{ContractServer, Outcome, Project, Running, Sandbox};
use recall_tests::workspace;
use serde_json::Value;

use crate::team::{self, RETRY, commit, json_of, paths, with_git};

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(workspace().join(path)).expect("the file is there");
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn action() -> Value {
    yaml("pipelines/github/action.yml")
}

fn template() -> Value {
    yaml("pipelines/gitlab/publish.yml")["recall-publish"].clone()
}

/// The step of the action that publishes.
fn step(action: &Value) -> &Value {
    let steps = action["runs"]["steps"].as_array().expect("steps");
    steps.iter().find(|step| step["run"].is_string()).expect("a step with a script")
}

#[test]
fn both_pipelines_have_one_script() {
    let (action, template) = (action(), template());
    let script = step(&action)["run"].as_str().expect("a script");
    assert_eq!(template["script"][0], script);
    assert_eq!(template["script"].as_array().map(Vec::len), Some(1));
    assert!(!script.contains("${{"), "an input must not become a command: {script}");
    // Each variable of the script comes from one of these.
    let names = script.match_indices("$STORE_").map(|(at, _)| {
        let name = &script[at + 1..];
        &name[..name.find(|c: char| c != '_' && !c.is_ascii_uppercase()).unwrap_or(name.len())]
    });
    for name in names.chain(["RECALL_HOME"]) {
        assert!(step(&action)["env"][name].is_string(), "{name}");
        assert!(template["variables"][name].is_string() || name == "STORE_ADDRESS", "{name}");
    }
}

#[test]
fn every_input_of_the_action_is_used_and_every_used_one_is_an_input() {
    let action = action();
    assert_eq!(action["runs"]["using"], "composite");
    let inputs: Vec<&String> = action["inputs"].as_object().expect("inputs").keys().collect();
    let steps = action["runs"]["steps"].to_string();
    for input in &inputs {
        assert!(steps.contains(&format!("inputs.{input}")), "{input}");
        assert!(action["inputs"][input]["description"].is_string(), "{input}");
    }
    for (at, name) in steps.match_indices("inputs.") {
        let rest = &steps[at + name.len()..];
        let used = &rest[..rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len())];
        assert!(inputs.iter().any(|input| *input == used), "{used}");
    }
    for step in action["runs"]["steps"].as_array().expect("steps").iter().filter(|step| step["run"].is_string()) {
        assert_eq!(step["shell"], "sh", "a composite step names its shell");
    }
}

/// Runs the script of the pipelines in a project.
fn publish(sandbox: &Sandbox, project: &Project, variables: &[(&str, &str)]) -> Outcome {
    let action = action();
    let script = step(&action)["run"].as_str().expect("a script").to_owned();
    let programs = sandbox.binaries().recall.parent().expect("in a folder").display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").expect("UTF-8"));
    let mut shell = sandbox.command(Path::new("/bin/sh"), project.root());
    shell.args(["-c", &script]).env("PATH", path).envs(variables.iter().copied());
    Running::to_end(shell)
}

#[test]
fn the_script_publishes_what_a_member_finds() {
    let server = ContractServer::start();
    server.require_key("team-key");
    let runner = with_git();
    let api = runner.project("api", &[("src/retry.rs", RETRY)]);
    commit(&api, "git@example.org:acme/api.git");
    let address = server.address();
    let variables = |branch, verify| {
        [
            ("RECALL_STORE_TEAM_KEY", "team-key"),
            ("STORE_KIND", "qdrant"),
            ("STORE_ADDRESS", address.as_str()),
            ("STORE_TENANT", "default"),
            ("STORE_BRANCH", branch),
            ("STORE_REPOSITORY", "example.org/acme/api"),
            ("STORE_VERIFY", verify),
        ]
    };
    let sent = publish(&runner, &api, &variables("main", "false"));
    assert_eq!(sent.code, Some(0), "{sent:?}");
    assert!(sent.stdout.contains("example.org/acme/api branch main in team"), "{sent:?}");
    let verified = publish(&runner, &api, &variables("main", "true"));
    assert!(verified.stdout.contains("verified: 0 differences"), "{verified:?}");
    // The name of a branch is a text, not a command.
    let odd = publish(&runner, &api, &variables("x\"; touch injected; $(touch injected)", "false"));
    assert_eq!(odd.code, Some(0), "{odd:?}");
    assert!(!api.root().join("injected").exists(), "{odd:?}");

    let reader = with_git().with_variable("RECALL_STORE_PLATFORM_KEY", "team-key");
    team::configure(&reader, "qdrant", &address, "deadline = \"10s\"\n");
    let shop = reader.project("shop", &[("src/cart.rs", "fn cart() {}\n")]);
    let found = json_of(&reader, &shop, &["search", "backoff with jitter before the next try"]);
    assert_eq!(paths(&found)[0], "platform/example.org/acme/api/src/retry.rs", "{found}");
}
