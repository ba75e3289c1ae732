//! The hook of a command that failed: the lines that its output names, and what is remembered about its error.

use std::path::Path;

use recall_testkit::Project;
use recall_tests::Sandbox;
use recall_text::tokens::count;
use serde_json::{Value, json};

use super::{event, hook, json_of, patient};

const CART: &str = "PRICES = {\"pear\": 2}\n\n\ndef total(items):\n    prices = [PRICES[item] for item in items]\n    return sum(prices)\n";

const RUST: &str = "//! Adds.\n\npub fn add(a: u32, b: u32) -> u32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        let sum = super::add(1, 2);\n        assert_eq!(sum, 3);\n    }\n}\n";

const LOADER: &str = "def load(path):\n    if not path:\n        raise SystemExit(f\"the price list {path} has no currency in its header\")\n";

fn project(sandbox: &Sandbox) -> Project {
    let files = [
        ("shop/cart.py", CART),
        ("shop/loader.py", LOADER),
        ("shop/main.py", "from shop.cart import total\n\nprint(total([\"apple\"]))\n"),
        ("src/lib.rs", RUST),
        ("docs/zoo.md", "# Zoo\n\nKeepers feed at noon.\n"),
    ];
    let project = sandbox.project("shop", &files);
    std::fs::create_dir(project.path(".recall")).expect("made");
    json_of(sandbox, &project, &["search", "zoo"]);
    project
}

/// The output of `python -m shop.main`.
fn traceback(root: &Path) -> String {
    let root = root.display();
    format!(
        "Exit code 1\nTraceback (most recent call last):\n  File \"/usr/lib/python3.12/runpy.py\", line 88, in _run_code\n    \
         exec(code, run_globals)\n  File \"{root}/shop/main.py\", line 3, in <module>\n    print(total([\"apple\"]))\n  File \
         \"{root}/shop/cart.py\", line 5, in total\n    prices = [PRICES[item] for item in items]\nKeyError: 'apple'\n"
    )
}

/// Tells the hook that a command failed, as Claude Code does, and returns the text for the model.
#[track_caller]
fn fail(sandbox: &Sandbox, project: &Project, session: &str, command: &str, output: &str) -> Option<String> {
    let fields =
        json!({"tool_name": "Bash", "tool_input": {"command": command}, "error": output, "is_interrupt": false});
    let told = hook(sandbox, &["post-tool"], &event(project, session, "PostToolUseFailure", fields));
    if let Some(told) = &told {
        assert!(told.contains("no instructions") && count(told) <= 400, "{told}");
    }
    told
}

fn remember(sandbox: &Sandbox, project: &Project, text: &str, kind: &str) -> String {
    json_of(sandbox, project, &["remember", text, "--type", kind])["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_trace_brings_the_lines_of_the_project_once() {
    let sandbox = patient();
    let project = project(&sandbox);
    let trace = traceback(project.root());
    let told = fail(&sandbox, &project, "one", "python -m shop.main", &trace).expect("an answer");
    let cart = "- shop/cart.py:5 (the output names this line)\n  > 4: def total(items):\n  > 5:     prices = [PRICES[item] for \
                item in items]\n  > 6:     return sum(prices)\n";
    let at = |part: &str| told.find(part).unwrap_or_else(|| panic!("{part}: {told}"));
    assert!(at(cart) < at("- shop/main.py:3 (the output names this line)\n"), "{told}");
    assert!(!told.contains("runpy"), "{told}");
    assert_eq!(fail(&sandbox, &project, "one", "python -m shop.main", &trace), None, "it was shown");
    assert!(fail(&sandbox, &project, "two", "python -m shop.main", &trace).is_some());
    // The same code elsewhere in its file is the same fact; other code is a new one.
    project.write("shop/cart.py", CART.replace("PRICES = ", "# Prices.\nPRICES = "));
    let moved = trace.replace("line 5", "line 6");
    assert_eq!(fail(&sandbox, &project, "one", "python -m shop.main", &moved), None);
    project.write("shop/cart.py", CART.replace("item in items]", "item in set(items)]"));
    let told = fail(&sandbox, &project, "one", "python -m shop.main", &trace).expect("an answer");
    assert!(told.contains("for item in set(items)]") && !told.contains("main.py"), "{told}");
}

#[test]
fn a_failing_test_brings_its_line_and_the_lesson_about_its_message() {
    let sandbox = patient();
    let project = project(&sandbox);
    let output = "Exit code 101\nwarning: unused variable: `x`\n --> shop/cart.py:2:1\n  |\n\nrunning 1 test\ntest tests::adds ... \
                  FAILED\n\nfailures:\n\n---- tests::adds stdout ----\n\nthread 'tests::adds' panicked at src/lib.rs:12:9:\nassertion \
                  `left == right` failed\n  left: 4294967295\n right: 3\n\nerror: test failed, to rerun pass `--lib`\n";
    let told = fail(&sandbox, &project, "one", "cargo test 2>&1", output).expect("an answer");
    assert!(told.contains("- src/lib.rs:12 (") && told.contains("  > 12:         assert_eq!(sum, 3);\n"), "{told}");
    assert!(!told.contains("cart.py"), "a warning did not fail: {told}");
    let lesson = "A price list without a currency in its header comes from the old exporter: export it again.";
    let id = remember(&sandbox, &project, lesson, "failure");
    remember(&sandbox, &project, "Keepers of the zoo feed the animals at noon.", "note");
    let message = "the price list p.csv has no currency in its header\n";
    let told = fail(&sandbox, &project, "one", "python -m shop.load p.csv", message).expect("an answer");
    assert!(told.contains("- shop/loader.py:3 (this line has the words of the message)\n"), "{told}");
    assert!(told.contains(&format!("- {id} failure (")) && told.contains("old exporter"), "{told}");
    assert!(!told.contains("Keepers"), "{told}");
    assert_eq!(fail(&sandbox, &project, "one", "python -m shop.load p.csv", message), None, "it was shown");
}

#[test]
fn what_is_not_about_the_project_is_answered_with_nothing() {
    let sandbox = patient();
    let project = project(&sandbox);
    remember(&sandbox, &project, "Retries of webhooks need jitter, or all clients retry at once.", "lesson");
    remember(&sandbox, &project, "The price list is loaded at the start.", "note");
    let named = format!("{}/shop/cart.py:4:def total(items):\nshop/cart.py:5:    prices\n", project.root().display());
    for (command, output) in [
        ("make", "make: *** No rule to make target 'all'.  Stop.\n"),
        ("curl x", "curl: (6) Could not resolve host: x\n"),
        (
            "python x.py",
            "Traceback (most recent call last):\n  File \"/elsewhere/cart.py\", line 5, in total\n    f()\nModuleNotFoundError: No module named 'numpy'\n",
        ),
        ("cargo build", "error[E0432]: unresolved import `serde`\n --> /elsewhere/src/main.rs:1:5\n"),
        ("false", "Exit code 1"),
        ("grep -rn total shop missing", &named),
        ("cd shop && rg total", &named),
    ] {
        assert_eq!(fail(&sandbox, &project, "one", command, output), None, "{command}");
    }
    let interrupted = json!({"tool_name": "Bash", "tool_input": {"command": "python -m shop.main"},
        "error": traceback(project.root()), "is_interrupt": true});
    assert_eq!(hook(&sandbox, &["post-tool"], &event(&project, "one", "PostToolUseFailure", interrupted)), None);
}

#[test]
fn a_failure_is_answered_without_a_record_and_a_record_without_an_answer() {
    let sandbox = patient().with_variable("RECALL_HOOKS__EVENTS", "false");
    let project = project(&sandbox);
    let trace = traceback(project.root());
    assert!(fail(&sandbox, &project, "one", "python -m shop.main", &trace).is_some());
    assert_eq!(json_of(&sandbox, &project, &["session", "list"])["results"], json!([]));
    let sandbox = patient().with_variable("RECALL_HOOKS__FAILURES", "false");
    let project = self::project(&sandbox);
    assert_eq!(fail(&sandbox, &project, "one", "python -m shop.main", &trace), None);
    let shown = json_of(&sandbox, &project, &["session", "show", "one"]);
    assert_eq!(shown["events"].as_array().map(Vec::len), Some(2), "the start and the failure: {shown}");
}

/// Codex and Gemini CLI report a failure in the event of a tool that has run.
#[test]
fn other_clients_get_the_name_of_their_event() {
    let sandbox = patient();
    let project = project(&sandbox);
    let trace = traceback(project.root());
    for (client, tool, name, response) in [
        ("codex", "Bash", "PostToolUse", json!({"exit_code": 1, "output": trace})),
        ("gemini", "run_shell_command", "AfterTool", json!({"error": {"message": trace}})),
        ("qwen", "run_shell_command", "PostToolUseFailure", json!({"exitCode": 1, "stderr": trace})),
    ] {
        let fields =
            json!({"tool_name": tool, "tool_input": {"command": "python -m shop.main"}, "tool_response": response});
        let input = event(&project, client, name, fields).to_string();
        let outcome = super::care::run(&sandbox, &["post-tool", "--client", client], input.as_bytes());
        let answer: Value =
            serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], name);
    }
}
