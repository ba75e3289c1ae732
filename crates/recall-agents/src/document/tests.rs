use serde_json::json;

use super::*;

fn entry() -> Value {
    json!({ "command": "/opt/recall-shim", "args": [] })
}

fn with(format: Format, text: &str) -> String {
    format.with(text, "servers", "recall", &entry()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn without(format: Format, text: &str, empty: EmptySection) -> String {
    format.without(text, "servers", "recall", empty).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn json_keeps_its_comments_order_and_layout() {
    let text = "// mine\n{\n    \"zeta\": 1.50, // why\n    \"servers\": {\n        \"other\": {\"command\": \"x\"},\n    },\n    \"alpha\": [1,2]\n}\n";
    insta::assert_snapshot!(with(Format::Json, text), @r#"
    // mine
    {
        "zeta": 1.50, // why
        "servers": {
            "other": {"command": "x"},
            "recall": {
                "command": "/opt/recall-shim",
                "args": [],
            },
        },
        "alpha": [1,2]
    }
    "#);
    insta::assert_snapshot!(with(Format::Json, ""), @r#"
    {
      "servers": {
        "recall": {
          "command": "/opt/recall-shim",
          "args": []
        }
      }
    }
    "#);
    insta::assert_snapshot!(with(Format::Json, "{}"), @r#"
    {
      "servers": {
        "recall": {
          "command": "/opt/recall-shim",
          "args": []
        }
      }
    }
    "#);
    insta::assert_snapshot!(with(Format::Json, "{\"a\":1,\"servers\":{\"b\":{}}}"), @r#"
    {"a":1,"servers":{
        "b":{},
        "recall": {
          "command": "/opt/recall-shim",
          "args": []
        }
      }}
    "#);
}

#[test]
fn toml_keeps_its_comments_order_and_layout() {
    let text = "# mine\nmodel   = \"x\" # why\n\n[servers.other]\ncommand = 'y'\n# the end";
    insta::assert_snapshot!(with(Format::Toml, text), @r#"
    # mine
    model   = "x" # why

    [servers.other]
    command = 'y'
    # the end

    [servers.recall]
    command = "/opt/recall-shim"
    args = []
    "#);
    insta::assert_snapshot!(with(Format::Toml, ""), @r#"
    [servers.recall]
    command = "/opt/recall-shim"
    args = []
    "#);
    insta::assert_snapshot!(with(Format::Toml, "servers = { a = { command = \"b\" } } # why\n"), @r#"servers = { a = { command = "b" } , recall = { command = "/opt/recall-shim", args = [] } } # why"#);
}

#[test]
fn yaml_keeps_its_comments_order_and_layout() {
    let text = "# mine\nmodel: x # why\nservers:\n    # theirs\n    other:\n        cmd: y\nlast: |\n  a\n  b\n";
    insta::assert_snapshot!(with(Format::Yaml, text), @r#"
    # mine
    model: x # why
    servers:
        recall:
          command: "/opt/recall-shim"
          args: []
        # theirs
        other:
            cmd: y
    last: |
      a
      b
    "#);
    insta::assert_snapshot!(with(Format::Yaml, "model: x\n"), @r#"
    servers:
      recall:
        command: "/opt/recall-shim"
        args: []
    model: x
    "#);
    insta::assert_snapshot!(with(Format::Yaml, "# only a comment"), @r#"
    # only a comment
    servers:
      recall:
        command: "/opt/recall-shim"
        args: []
    "#);
    insta::assert_snapshot!(with(Format::Yaml, "a: 1\nservers: {} # none\nb: 2\n"), @r#"
    a: 1
    servers: # none
      recall:
        command: "/opt/recall-shim"
        args: []
    b: 2
    "#);
}

/// The comments of a text, in their order.
fn comments(text: &str) -> Vec<&str> {
    let mut comments = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some((start, end)) = rest.split_once("/*").and_then(|(_, rest)| Some((rest, rest.find("*/")?))) {
            comments.push(start[..end].trim());
            rest = &start[end..];
        }
        comments.extend(["//", "# "].iter().filter_map(|mark| Some(rest.split_once(mark)?.1.trim())));
    }
    comments
}

/// Texts of each format that the entry can be added to.
const TEXTS: &[(Format, &[&str])] = &[
    (
        Format::Json,
        &[
            "{}",
            "{ }\n",
            "{\n}\n",
            "{\"a\":1}",
            "{\"servers\":{}}",
            "{\"servers\":{\"b\":{\"c\":[1,{}]}}}",
            "{\r\n\t\"a\": 1,\r\n\t\"servers\": {\r\n\t\t\"b\": {}\r\n\t}\r\n}\r\n",
            "// a\n{ /* b */ \"servers\": /* c */ { /* d */ } // e\n} // f\n",
            "{\n  \"servers\": {\n    \"b\": {}, // b\n    // \"c\": {},\n  },\n}\n",
            "\u{feff}{\"a\": \"ä\"}",
        ],
    ),
    (
        Format::Toml,
        &[
            "a = 1\n",
            "# only a comment\n",
            "a = 1\n[servers]\n",
            "[servers.b]\nc = 1\n\n[servers.b.env]\nd = 2\n\n# about e\n[e]\nf = 3\n",
            "servers = {}\n",
            "servers.b.c = 1\n",
            "[servers]\nb = { c = 1 }\n# end\n",
            "when = 2026-11-25T00:00:00Z\r\n[[list]]\r\na = 1\r\n",
        ],
    ),
    (
        Format::Yaml,
        &[
            "a: 1\n",
            "---\na: 1\n",
            "servers:\n  b:\n    c: 1\n",
            "servers:\n  b:\n    c: |\n      text\n\n      more\n\nd: >-\n  x\n  y\n",
            "servers:\n",
            "servers: # none\na: 1\n",
            "a: &x [1, 2]\nb: *x\nservers:\n    c: {d: *x}\n",
            "\"servers\":\n  b: {}\n",
            "a: ä # ö\nservers:\n  \"ü\":\n    - 1\n",
        ],
    ),
];

#[test]
fn an_entry_is_added_and_nothing_else_changes() {
    for (format, texts) in TEXTS {
        for text in *texts {
            let edited = with(*format, text);
            assert_eq!(format.entry(&edited, "servers", "recall"), Ok(Some(entry())), "{edited}");
            assert_eq!(comments(&edited), comments(text), "{edited}");
        }
    }
}

#[test]
fn an_entry_is_removed_and_nothing_else_changes() {
    for (format, texts) in TEXTS {
        for text in *texts {
            let had_section = format.value(text).expect("valid").get("servers").is_some();
            let empty = if had_section { EmptySection::Keep } else { EmptySection::Remove };
            let rest = without(*format, &with(*format, text), empty);
            let meaning = |text: &str| {
                let mut value = format.value(text).expect("valid");
                // A key without a value is an empty section.
                if value.get("servers").is_some_and(Value::is_null) {
                    value["servers"] = json!({});
                }
                value
            };
            assert_eq!(meaning(&rest), meaning(text), "{rest}");
            assert_eq!(comments(&rest), comments(text), "{rest}");
        }
    }
}

#[test]
fn a_text_that_is_not_understood_is_rejected() {
    let check = |format: Format, text: &str, expected: &str| {
        let error = format.with(text, "servers", "recall", &entry()).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    };
    check(Format::Json, "{\"a\": ", "not valid JSON");
    check(Format::Json, "{a: 1}", "not valid JSON");
    check(Format::Json, "[1]", "the document is not an object");
    check(Format::Json, "{\"servers\": []}", "`servers` is not an object");
    check(Format::Json, "{\"servers\": {}, \"servers\": {\"a\": {}}}", "`servers` occurs more than once");
    check(Format::Toml, "a = ", "not valid TOML");
    check(Format::Toml, "servers = 1\n", "`servers` is not an object");
    check(Format::Yaml, "a: [1\n", "not valid YAML");
    check(Format::Yaml, "- 1\n", "the document is not an object");
    check(Format::Yaml, "servers: 1\n", "`servers` is not an object");
    check(Format::Yaml, "servers: {a: 1}\n", "cannot be edited");
    check(Format::Yaml, "a: 1\n---\nb: 2\n", "more than one document");
}

#[test]
fn a_text_of_deep_nesting_is_rejected_or_edited_but_never_ends_the_program() {
    let depth = 50_000;
    for (format, open) in [(Format::Json, "[".repeat(depth)), (Format::Toml, "a=".to_owned() + &"[".repeat(depth))] {
        assert!(format.with(&open, "servers", "recall", &entry()).is_err(), "{format:?}");
    }
    for deep in ["- ".repeat(depth), "[".repeat(depth), "a: ".to_owned() + &"{b: ".repeat(depth)] {
        assert!(Format::Yaml.with(&deep, "servers", "recall", &entry()).is_err(), "{}", &deep[..8]);
    }
}
