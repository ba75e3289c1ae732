//! What an agent should know about a command that failed, and about a file.

use std::collections::BTreeSet;

use recall_core::{AddMemory, MemoryType, Scope};
use recall_engine::{Engine, Occasion, RemindRequest, Reminders};

use crate::support::{Sandbox, new_memory};

const CART: &str = "class Cart:\n    def total(self):\n        prices = load_prices()\n        return sum(prices[item] for item in self.items)\n";

const FILES: &[(&str, &str)] = &[
    ("src/shop/cart.py", CART),
    ("src/web/app.js", "export function start() {\n  return listen(8080)\n}\n"),
    ("src/api/app.js", "export function stop() {\n  return close(8080)\n}\n"),
    ("tests/test_cart.py", "def test():\n    assert 'no item called pear in this cart'\n"),
    (
        "src/shop/item.py",
        "def check(item):\n    if item is None:\n        raise KeyError(f\"no item called {item} in this cart\")\n",
    ),
];

fn request(occasion: Occasion) -> RemindRequest {
    RemindRequest {
        occasion,
        budget_tokens: 400,
        place_confidence: 0.2,
        memory_confidence: 0.1,
        shown: BTreeSet::new(),
        scope: Scope::All,
    }
}

fn failed(sandbox: &Sandbox, engine: &Engine, output: &str) -> Reminders {
    let occasion = Occasion::Failure { command: "make test".to_owned(), output: output.to_owned() };
    engine.remind(&sandbox.origin(), &request(occasion)).expect("an answer")
}

/// The first line of each reminder.
fn titles(reminders: &Reminders) -> Vec<&str> {
    reminders.reminders.iter().filter_map(|reminder| reminder.text.lines().next()).collect()
}

#[test]
fn a_place_counts_if_its_file_is_certain() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let check = |output: &str, expected: &[&str]| assert_eq!(titles(&failed(&sandbox, &engine, output)), expected);
    let named = "- src/shop/cart.py:3 (the output names this line)";
    let trace = |path: &str, function: &str| format!("  File \"{path}\", line 3, in {function}\nError: x y\n");
    let root = sandbox.root();
    check(&trace("src/shop/cart.py", "<module>"), &[named]);
    check(&trace(&format!("{}/src/shop/cart.py", root.display()), "gone"), &[named]);
    // In a container, and from another folder of the project.
    check(&trace("/app/shop/cart.py", "total"), &[named]);
    check(&trace("shop/cart.py", "<module>"), &[named]);
    check(&trace("/app/shop/cart.py", "<module>"), &[]);
    check(&trace("/usr/lib/python3/site-packages/cart.py", "total"), &[]);
    check(&trace("/app/cart.py", "total"), &[]);
    check("Error: x\n    at start (/app/app.js:2:3)\n", &[]);
    check("Error: x\n    at start (/app/web/app.js:2:3)\n", &["- src/web/app.js:2 (the output names this line)"]);
    check(&trace("src/shop/cart.py", "total").replace("line 3", "line 99"), &[]);
}

#[test]
fn a_message_finds_the_line_of_the_program_that_raises_it() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let found = failed(&sandbox, &engine, "Error: no item called apple in this cart\n");
    assert_eq!(titles(&found), ["- src/shop/item.py:3 (this line has the words of the message)"]);
    for unknown in ["Error: no such file called apple\n", "Error: no rule for apples in this shop\n"] {
        assert_eq!(failed(&sandbox, &engine, unknown), Reminders::default(), "{unknown}");
    }
}

#[test]
fn secrets_in_the_lines_are_masked() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let sandbox = Sandbox::with(&[("src/push.py", &format!("def push():\n    send(\"{secret}\")\n"))]);
    let found = failed(&sandbox, &sandbox.engine(), "  File \"src/push.py\", line 2, in push\nError: x\n");
    let text = &found.reminders.first().expect("a place").text;
    assert!(text.contains("[secret: ") && !text.contains(&secret), "{text}");
}

#[test]
fn a_file_that_was_just_changed_is_shown_as_it_is() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.search(&engine, "cart");
    sandbox.write("src/shop/cart.py", &CART.replace("load_prices()", "read_prices()"));
    let found = failed(&sandbox, &engine, "  File \"src/shop/cart.py\", line 3, in total\nError: x\n");
    let text = &found.reminders.first().expect("a place").text;
    assert!(text.contains("  > 3:         prices = read_prices()\n"), "{text}");
}

#[test]
fn the_memories_about_a_file_are_those_that_matter_most_to_a_change() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.search(&engine, "cart");
    let texts = [
        (MemoryType::Note, "The cart was written in spring."),
        (MemoryType::Lesson, "Prices are read once a request, or the sum changes."),
        (MemoryType::Decision, "The cart rounds at the end."),
    ];
    for (kind, text) in texts {
        let memory = AddMemory { related_files: vec!["src/shop/cart.py".to_owned()], ..new_memory(kind, text, text) };
        engine.add_memory(&sandbox.origin(), &memory).expect("added");
    }
    let ask = |file: &str, request: RemindRequest| {
        let request = RemindRequest { occasion: Occasion::File(file.to_owned()), ..request };
        engine.remind(&sandbox.origin(), &request).expect("an answer")
    };
    let base = request(Occasion::File(String::new()));
    let kinds = |found: &Reminders| -> Vec<String> {
        titles(found).iter().filter_map(|title| title.split(' ').nth(2)).map(str::to_owned).collect()
    };
    for file in ["src/shop/cart.py", "./src/shop/cart.py", &sandbox.root().join("src/shop/cart.py").to_string_lossy()] {
        assert_eq!(kinds(&ask(file, base.clone())), ["decision", "lesson", "note"], "{file}");
    }
    let all = ask("src/shop/cart.py", base.clone());
    let shown = all.reminders.iter().skip(1).map(|reminder| reminder.key.clone()).collect();
    assert_eq!(kinds(&ask("src/shop/cart.py", RemindRequest { shown, ..base.clone() })), ["decision"]);
    assert_eq!(ask("src/web/app.js", base.clone()), Reminders::default());
    assert_eq!(ask("src/new.py", base), Reminders::default());
}
