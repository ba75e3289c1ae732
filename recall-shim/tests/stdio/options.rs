//! The command line.

use std::process::{Command, Output};

use serde_json::json;

use crate::session::{Session, modern};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_recall-shim")).args(arguments).output().expect("it runs")
}

#[test]
fn version_and_help_are_printed() {
    let version = run(&["--version"]);
    assert_eq!(String::from_utf8_lossy(&version.stdout), concat!("recall-shim ", env!("CARGO_PKG_VERSION"), "\n"));
    let help = run(&["--help"]);
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--tools <SET>"));
    assert_eq!(run(&["--no-such-option"]).status.code(), Some(2));
}

#[test]
fn a_name_without_the_prefix_is_found_with_it_too() {
    let mut session = Session::start_with(&["--tools", "full"]);
    for name in ["rebuild", "recall_rebuild"] {
        // An unknown argument is the tool's own mistake, so the tool was found.
        let call = json!({"name": name, "arguments": {"no_such_argument": 1}});
        let answer = session.ask(&modern(1, "tools/call", call));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}

#[test]
fn the_full_set_contains_the_core_set() {
    let names = |set: &str| {
        let mut session = Session::start_with(&["--tools", set]);
        let answer = session.ask(&modern(1, "tools/list", json!({})));
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        tools.into_iter().map(|tool| tool["name"].to_string()).collect::<Vec<_>>()
    };
    let (core, full) = (names("core"), names("full"));
    assert!(core.iter().all(|name| full.contains(name)));
}
