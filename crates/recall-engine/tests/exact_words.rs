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

#[test]
fn a_question_about_the_users_of_a_name_lists_every_place() {
    let sandbox = Sandbox::new();
    let body = |name: &str| {
        let lines: Vec<String> = (0..30).map(|line| format!("    {name}_{line} = frame.{name}[{line}]\n")).collect();
        lines.concat()
    };
    let filler = |name: &str| format!("def {name}(frame):\n{}    return frame\n\n\n", body(name));
    let calling = |name: &str| format!("def {name}(frame):\n{}    return parse_frame(frame)\n\n\n", body(name));
    sandbox.write(
        "src/frames.py",
        &format!(
            "def parse_frame(text):\n    \"\"\"Parses a frame.\"\"\"\n    return text\n\n\n{}{}{}{}",
            filler("frame_parser"),
            calling("first"),
            filler("frames_parsed"),
            [calling("second"), calling("third")].concat()
        ),
    );
    sandbox.write("src/reader.py", &format!("from frames import parse_frame\n\n\n{}", calling("read")));
    sandbox.write("tests/test_frames.py", "def test_parse():\n    assert parse_frame('a') == 'a'\n");
    sandbox.write("docs/frames.md", "# Frames\n\n`parse_frame` parses a frame.\n");
    for number in 0..20 {
        let text = format!(
            "def parse_frames{number}(frame):\n    \"\"\"Who calls this parses a frame of calls.\"\"\"\n    return frame\n"
        );
        sandbox.write(&format!("src/like{number}.py"), &text);
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in [
        "who calls parse_frame",
        "where is parse_frame used?",
        "wer ruft parse_frame auf",
        "parse_frame を呼び出すのはどこ",
    ] {
        let answer = sandbox.search(&engine, query);
        let found: Vec<(&str, bool)> =
            answer.hits.iter().map(|hit| (hit.document.path.as_str(), hit.text.contains("parse_frame("))).collect();
        assert_eq!(answer.hits[0].text.lines().next(), Some("def parse_frame(text):"), "{query}: {found:?}");
        let calls = found.iter().take_while(|(path, calls)| path.starts_with("src/") && *calls).count();
        assert!(calls >= 5, "the definition, three callers in its file, one in another: {query}: {found:?}");
        let place = |path: &str| found.iter().position(|(found, _)| *found == path);
        let (test, page) = (place("tests/test_frames.py"), place("docs/frames.md"));
        assert!(test.is_some() && page.is_some(), "{query}: {found:?}");
        assert!(place("src/reader.py") < test.min(page), "{query}: {found:?}");
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn an_import_comes_after_the_calls_in_its_file() {
    let sandbox = Sandbox::new();
    sandbox.write("src/frames.py", "def parse_frame(text):\n    return text\n");
    let constants: Vec<String> =
        (0..60).map(|number| format!("LIMIT_{number} = {number} * FACTOR_{number}\n")).collect();
    let constants = constants.concat();
    let lines: Vec<String> = (0..60).map(|number| format!("    part_{number} = frame[{number}]\n")).collect();
    let lines = lines.concat();
    let reader = format!(
        "from frames import parse_frame\n\n{constants}\n\ndef read(frame):\n{lines}    return parse_frame(frame)\n"
    );
    sandbox.write("src/reader.py", &reader);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let answer = sandbox.search(&engine, "who calls parse_frame");
    let of_reader: Vec<&str> =
        answer.hits.iter().filter(|hit| hit.document.path.as_str() == "src/reader.py").map(|hit| &*hit.text).collect();
    assert!(of_reader.len() >= 2, "the call and the import are two passages: {of_reader:?}");
    assert!(of_reader[0].contains("return parse_frame(frame)"), "{of_reader:?}");
}

#[test]
fn tests_come_first_if_a_question_asks_for_the_tests_that_use_a_name() {
    let sandbox = Sandbox::new();
    sandbox.write("src/frames.py", "def parse_frame(text):\n    return text\n");
    sandbox.write("examples/shown.py", "def show_frame(text):\n    return text\n");
    sandbox.write("src/shower.py", "def run(text):\n    return show_frame(text)\n");
    sandbox.write("src/reader.py", "def read(text):\n    return parse_frame(text)\n");
    sandbox.write("tests/test_frames.py", "def test_parse():\n    assert parse_frame('a') == 'a'\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let answer = sandbox.search(&engine, "which tests call parse_frame");
    assert_eq!(paths(&answer).first(), Some(&"tests/test_frames.py"), "{:?}", paths(&answer));
    let answer = sandbox.search(&engine, "which functions call parse_frame");
    assert_eq!(
        paths(&answer)[..3],
        ["src/frames.py", "src/reader.py", "tests/test_frames.py"],
        "the definition, code, tests"
    );
    for query in ["tests for parse_frame", "is parse_frame tested?", "which tests cover parse_frame"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&"tests/test_frames.py"), "{query}: {:?}", paths(&answer));
    }
    let answer = sandbox.search(&engine, "who calls show_frame");
    assert_eq!(paths(&answer)[..2], ["examples/shown.py", "src/shower.py"], "the definition is first wherever it is");
}

#[test]
fn a_question_about_subtypes_lists_them_before_other_uses() {
    let sandbox = Sandbox::new();
    for number in 0..15 {
        let text = format!(
            "fn read{number}(reader: &dyn Reader) -> u8 {{\n    // An implementation of the Reader implements this.\n    reader.read()\n}}\n"
        );
        sandbox.write(&format!("src/use{number}.rs"), &text);
    }
    sandbox.write("src/reader.rs", "pub trait Reader {\n    fn read(&self) -> u8;\n}\n");
    sandbox.write(
        "src/slow.rs",
        "struct Slow;\n\nimpl crate::Reader for Slow {\n    fn read(&self) -> u8 {\n        1\n    }\n}\n",
    );
    sandbox.write("app/fast.py", "class Fast(io.Reader):\n    pass\n");
    sandbox.write("app/near.ts", "export class Near implements Closed, Reader {\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["what implements Reader", "implementations of the trait Reader", "subclasses of Reader"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(
            paths(&answer)[..4],
            ["src/reader.rs", "app/fast.py", "app/near.ts", "src/slow.rs"],
            "{query}: {:?}",
            paths(&answer)
        );
    }
}

/// A project whose files share the words of [`COPIED`], and one file that has them in a row.
fn project_with_a_sentence() -> (Sandbox, Engine) {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        let text = format!(
            "def merge{number}(values, option):\n    # The option is specified.\n    last = option.last(values)\n    if last.wins and last.both:\n        return option.specified(last)\n    return option.wins(values, last) or option.both(last)\n"
        );
        sandbox.write(&format!("src/merge{number}.py"), &text);
    }
    sandbox.write(
        "src/reader.py",
        "def read(values):\n    # So the last option wins when both are specified.\n    return values[-1]\n",
    );
    sandbox.write("docs/read.md", "# Reading\n\nThe last option wins when both are specified, says the code.\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    (sandbox, engine)
}

#[test]
fn a_text_without_quotation_marks_that_is_copied_from_a_file_leads_there() {
    let (sandbox, engine) = project_with_a_sentence();
    for query in [
        "# So the last option wins when both are specified.",
        "# So the last option\n    wins when both are specified.\n    return values[-1]",
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&"src/reader.py"), "{query}: {:?}", paths(&answer));
        assert!(!answer.is_doubtful, "{query}");
    }
    let answer = sandbox.search(&engine, "the last option wins when both are specified");
    assert_eq!(paths(&answer).first(), Some(&"src/reader.py"), "code before a page that has it too");
    // The same words in another order are not copied.
    let answer = sandbox.search(&engine, "both option values are specified when wins last");
    assert!(paths(&answer)[0].starts_with("src/merge"), "{:?}", paths(&answer));
}

#[test]
fn an_option_or_a_route_leads_to_the_file_that_has_it() {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        let text = format!(
            "def host{number}(users, host):\n    id = users.host(host)\n    return users.handles(id, host, {number})\n"
        );
        sandbox.write(&format!("src/host{number}.py"), &text);
    }
    sandbox.write("bench/run.sh", "#!/bin/sh\nserve --host localhost\n");
    sandbox.write("src/routes.py", "ROUTES = {\n    \"/users/{id}/host\": read_one,\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, expected) in
        [("what does --host do", "bench/run.sh"), ("which function handles /users/{id}/host", "src/routes.py")]
    {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&expected), "{query}: {:?}", paths(&answer));
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn a_mark_of_work_left_to_do_leads_to_the_comments_that_have_it() {
    let sandbox = Sandbox::new();
    for number in 0..20 {
        let text =
            format!("# Todo {number}\n\nTodo lo que hay, y todos los comments: a todo for the parser {number}.\n");
        sandbox.write(&format!("docs/page_{number}.md"), &text);
    }
    sandbox.write("src/parser.rs", "pub fn read_line() {\n    // TODO: report the column\n    let _ = 1;\n}\n");
    sandbox.write("src/writer.rs", "pub fn write_line() {\n    // FIXME: flush\n    let _ = 2;\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, expected) in [
        ("TODO", "src/parser.rs"),
        ("which TODOs are in the parser?", "src/parser.rs"),
        ("where are todo comments", "src/parser.rs"),
        ("FIXME", "src/writer.rs"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&expected), "{query}: {:?}", paths(&answer));
    }
}

#[test]
fn a_question_about_an_idiom_leads_to_the_code_that_has_it() {
    let sandbox = Sandbox::new();
    for number in 0..20 {
        let text = format!(
            "# Variables {number}\n\nWhich environment variables are read, and which functions are deprecated, depends on the day {number}.\n"
        );
        sandbox.write(&format!("docs/page_{number}.md"), &text);
    }
    sandbox.write("src/port.go", "package main\n\nfunc port() string {\n\treturn os.Getenv(\"PORT\")\n}\n");
    sandbox.write("web/host.ts", "export const host = process.env.HOST;\n");
    sandbox.write("src/Old.java", "class Old {\n    @Deprecated\n    void run() {\n    }\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, expected) in [
        ("which environment variables are read", &["src/port.go", "web/host.ts"][..]),
        ("list all env vars", &["src/port.go", "web/host.ts"]),
        ("deprecated functions", &["src/Old.java"]),
    ] {
        let answer = sandbox.search(&engine, query);
        let mut first: Vec<&str> = paths(&answer).into_iter().take(expected.len()).collect();
        first.sort_unstable();
        assert_eq!(first, expected, "{query}: {:?}", paths(&answer));
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn a_member_of_a_type_is_found_by_both_names() {
    let sandbox = Sandbox::new();
    let classes: Vec<String> = ["Reader", "Writer", "Option", "Choice"]
        .iter()
        .map(|name| {
            format!(
                "class {name}:\n    def __init__(self):\n        self.{name} = 1\n\n    def convert(self, option):\n        return {name}(option)\n\n\n"
            )
        })
        .collect();
    sandbox.write("src/types.py", &classes.concat());
    for number in 0..20 {
        sandbox.write(
            &format!("src/use{number}.py"),
            "# A method of Option.\ndef convert(option):\n    return Option.convert(option)\n",
        );
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, scope) in [
        ("method convert of Option", "Option"),
        ("the `convert` method of the class `Choice`", "Choice"),
        ("where is __init__ in Writer", "Writer"),
    ] {
        let answer = sandbox.search(&engine, query);
        let first = &answer.hits[0];
        assert_eq!(first.document.path.as_str(), "src/types.py", "{query}: {:?}", paths(&answer));
        assert!(
            first.text.contains(&format!("{scope}(option)")) || first.text.contains(&format!("self.{scope}")),
            "{query}: {}",
            first.text
        );
    }
}

#[test]
fn a_misspelled_name_in_a_question_leads_to_the_name() {
    let sandbox = Sandbox::new();
    for number in 0..20 {
        let text = format!(
            "def define{number}(where):\n    \"\"\"Says where it is defined.\"\"\"\n    return where.defined\n"
        );
        sandbox.write(&format!("src/define{number}.py"), &text);
    }
    sandbox.write("src/frames.py", "def parse_frame(text):\n    return text\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["where is prase_frame defined", "how does parse_farme work?"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&"src/frames.py"), "{query}: {:?}", paths(&answer));
    }
}

#[test]
fn a_name_in_words_leads_to_its_definition() {
    let sandbox = Sandbox::new();
    for number in 0..20 {
        let text = format!(
            "def command{number}(add):\n    \"\"\"A function to add the command of a reader.\"\"\"\n    return add.command(frame)\n"
        );
        sandbox.write(&format!("src/command{number}.py"), &text);
    }
    sandbox.write("src/group.py", "def add_command(group, name):\n    return group[name]\n");
    sandbox.write("src/frames.go", "package frames\n\nfunc newFrameReader(r io.Reader) io.Reader {\n\treturn r\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, expected) in
        [("the add command function", "src/group.py"), ("where is the function new frame reader", "src/frames.go")]
    {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&expected), "{query}: {:?}", paths(&answer));
    }
}

#[test]
fn a_quoted_text_is_shown_where_it_is_though_its_file_defines_a_name_in_it() {
    let sandbox = Sandbox::with(&[(
        "src/reader.py",
        "def settings(frame):\n    if frame.streamId != 0:\n        raise IOError(\"settings streamId != 0\")\n    return frame\n\n\n\
         class Source:\n    def __init__(self):\n        self.left = 0\n\n    def streamId(self):\n        return self.left\n",
    )]);
    let answer = sandbox.search(&sandbox.engine(), "\"settings streamId != 0\"");
    let text = &answer.hits[0].text;
    assert!(text.contains("raise IOError"), "{text}");
}
