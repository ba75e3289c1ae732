//! Words that hardly any file contains decide, whatever the kind of the file and the form of the question.

use recall_engine::Engine;

use crate::support::{Sandbox, paths};

/// A project in which code shares every part of the rare words, and one file of each kind contains one of them whole.
fn project() -> (Sandbox, Engine) {
    let sandbox = Sandbox::new();
    let words = ["include", "build", "output", "package", "target", "suppress", "retry", "request", "limit", "marker"];
    for (number, word) in words.iter().cycle().take(40).enumerate() {
        let other = words[(number * 3 + 1) % words.len()];
        let text = format!(
            "class {word}{number}:\n    \"\"\"The {word} of the {other}.\"\"\"\n    def {word}_{other}(self, {other}):\n        return {other}\n"
        );
        sandbox.write(&format!("src/{word}{number}.py"), &text);
    }
    sandbox.write("README.md", "# Tool\n\nBuilds always include a suffix. The output of a build is a package.\n");
    sandbox.write("CONTRIBUTING.md", "# Contributing\n\n## Tests\n\nRun `make check` to run the tests.\n");
    sandbox.write("Makefile", "check:\n\tpytest\n");
    sandbox.write("tool.csproj", "<Project>\n  <IncludeBuildOutput>false</IncludeBuildOutput>\n</Project>\n");
    sandbox.write("app.ini", "[limits]\nchinchilla = yes\nx-request-marker = 1\n");
    sandbox.write("tests/test_limits.py", "def test_limits():\n    assert wallaby() == 1\n");
    sandbox.write("src/client.py", "class Client:\n    def recalculate_limit(self):\n        return 1\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    (sandbox, engine)
}

#[test]
fn a_file_that_alone_contains_the_word_is_first() {
    let (sandbox, engine) = project();
    for (query, expected) in [
        ("IncludeBuildOutput", "tool.csproj"),
        ("\"IncludeBuildOutput\"", "tool.csproj"),
        ("where is chinchilla configured", "app.ini"),
        ("where is wallaby used", "tests/test_limits.py"),
        ("x-request-marker", "app.ini"),
        ("\"output of a build\"", "README.md"),
        ("recalculate_limi", "src/client.py"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&expected), "{query}: {:?}", paths(&answer));
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn a_word_with_punctuation_in_a_question_leads_to_the_file_that_has_it() {
    let sandbox = Sandbox::new();
    // Each part of the words is everywhere, also next to the others.
    for number in 0..40 {
        let text = format!(
            "def request{number}(id, x, version):\n    marker = x.request(id)\n    return marker.id + 0 + 12 + {number}\n"
        );
        sandbox.write(&format!("src/request{number}.py"), &text);
    }
    let changes = "- A request has an id, and a marker of the version in which the request was made.\n".repeat(20);
    let versions: Vec<String> = (0..30).map(|minor| format!("## 0.{minor}.0\n\n{changes}\n")).collect();
    sandbox.write("CHANGES.md", &format!("# Release notes\n\n{}", versions.concat()));
    sandbox.write("app.ini", "[limits]\nx-request-marker = 1\nnavigation.request.id = 2\n");
    sandbox.write("ci/marker-request.yml", "on: push\n");
    for number in 0..6 {
        sandbox.write(&format!("docs/guide{number}.md"), "# Guide\n\nSince version 0.12.0, a request has an id.\n");
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, expected) in [
        ("what does x-request-marker do with a request", "app.ini"),
        ("what is navigation.request.id", "app.ini"),
        ("what does marker-request do", "ci/marker-request.yml"),
        ("marker-request", "ci/marker-request.yml"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&expected), "{query}: {:?}", paths(&answer));
    }
    // Several files have this one: it says which part of a file is meant.
    let answer = sandbox.search(&engine, "release notes of 0.12.0");
    let notes = answer.hits.iter().find(|hit| hit.document.path.as_str() == "CHANGES.md").expect("found");
    assert!(notes.text.starts_with("## 0.12.0"), "{}", notes.text);
}

#[test]
fn a_rare_word_in_a_long_question_keeps_its_file_among_the_first_five() {
    let (sandbox, engine) = project();
    let question =
        "how does the package include the build output of a target and suppress the retry of a request near wallaby";
    let answer = sandbox.search(&engine, question);
    let place = paths(&answer).iter().position(|path| *path == "tests/test_limits.py");
    assert!(place.is_some_and(|place| place < 5), "{:?}", paths(&answer));
}

#[test]
fn a_question_about_the_project_as_a_whole_leads_to_the_files_that_answer_it() {
    let (sandbox, engine) = project();
    for (question, expected) in [
        ("how do I run the tests", ["CONTRIBUTING.md", "Makefile"].as_slice()),
        ("what is this project", &["README.md"]),
        ("how can I contribute", &["CONTRIBUTING.md"]),
    ] {
        let answer = sandbox.search(&engine, question);
        let first = paths(&answer).into_iter().take(3).collect::<Vec<_>>();
        assert!(expected.contains(first.first().expect("a hit")), "{question}: {first:?}");
    }
}

#[test]
fn alternatives_with_a_slash_do_not_ask_for_tests() {
    let (sandbox, engine) = project();
    let answer = sandbox.search(&engine, "how is request/limit handled");
    assert!(!paths(&answer).iter().take(3).any(|path| path.starts_with("tests/")), "{:?}", paths(&answer));
    let answer = sandbox.search(&engine, "what is in tests/test_limits.py");
    assert_eq!(paths(&answer).first(), Some(&"tests/test_limits.py"));
}
