//! Exact search on the command line: what `grep` finds is found, counted and cited, after an edit too.

use recall_testkit::{Outcome, Project, Sandbox};
use recall_tests::sandbox;
use serde_json::Value;

fn project(sandbox: &Sandbox) -> Project {
    sandbox.project(
        "shop",
        &[
            ("src/version.rb", "class Version\n  def <=>(other)\n    major <=> other.major\n  end\nend\n"),
            ("src/zip.ts", "export const zip = (u?: User) => u?.zip ?? 1\n"),
            ("test/version_test.rb", "assert_equal 0, a <=> b\n"),
            ("notes.md", "# Notes\n\nConnection reset by peer, straße, 🦀.\n"),
        ],
    )
}

fn lines(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> (Option<i32>, Vec<String>, String) {
    let Outcome { code, stdout, stderr } = sandbox.recall(project, &[&["search"], arguments].concat());
    (code, stdout.lines().map(str::to_owned).collect(), stderr)
}

#[test]
fn every_line_is_cited_and_counted() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let (code, found, summary) = lines(&sandbox, &project, &["--exact", "<=>"]);
    let expected = [
        "src/version.rb:2:   def <=>(other)",
        "src/version.rb:3:     major <=> other.major",
        "test/version_test.rb:1: assert_equal 0, a <=> b",
    ];
    assert_eq!((code, &found[..]), (Some(0), &expected.map(str::to_owned)[..]));
    assert!(summary.contains("3 matches in 3 lines of 2 files"), "{summary}");

    let (_, found, summary) = lines(&sandbox, &project, &["--exact", "<=>", "-k", "1"]);
    assert_eq!(found, expected[..1]);
    assert!(summary.contains("1 shown, 2 more with --offset 1"), "{summary}");
    assert_eq!(lines(&sandbox, &project, &["--exact", "<=>", "-k", "1", "--offset", "2"]).1, expected[2..]);
    assert_eq!(lines(&sandbox, &project, &["--exact", "<=>", "--path", "test"]).1, expected[2..]);
    assert_eq!(lines(&sandbox, &project, &["--exact", "?."]).1.len(), 1);
    assert_eq!(lines(&sandbox, &project, &["--exact", "STRASSE", "-i"]).1.len(), 0, "one character is not two");
    assert_eq!(lines(&sandbox, &project, &["--exact", "STRAßE", "-i"]).1.len(), 1);
    assert_eq!(lines(&sandbox, &project, &["--regex", r"^\s+def \S+\("]).1, expected[..1]);

    project.write("new.txt", "a <=> c\n");
    assert_eq!(lines(&sandbox, &project, &["--exact", "<=>"]).1.len(), 4, "a saved file is in the next answer");
}

#[test]
fn nothing_found_is_a_proof_and_a_bad_pattern_an_error() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let (code, found, note) = lines(&sandbox, &project, &["--exact", "nowhere in it"]);
    assert_eq!((code, found.len()), (Some(1), 0));
    assert!(note.contains("no line matches in 4 files"), "{note}");
    let (_, _, note) = lines(&sandbox, &project, &["--exact", "x", "--path", "elsewhere"]);
    assert!(note.contains("no indexed file passes the filters"), "{note}");
    let (code, _, error) = lines(&sandbox, &project, &["--regex", "a(b"]);
    assert!(code != Some(0) && error.contains("invalid at character 2: unclosed group"), "{error}");

    let Outcome { stdout, .. } = sandbox.recall(&project, &["--json", "search", "--exact", "reset by"]);
    let answer: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(
        (&answer["total_matches"], &answer["complete"], &answer["query"]["class"]),
        (&1.into(), &true.into(), &"exact".into())
    );
    let hit = &answer["results"][0];
    assert_eq!((&hit["doc"]["path"], &hit["chunk"]["start_line"]), (&"notes.md".into(), &3.into()));
    assert!(hit["citation"].as_str().is_some_and(|citation| citation.starts_with("notes.md:3-3@")), "{hit}");
}

#[test]
fn a_plain_search_for_an_operator_finds_the_file_that_holds_it() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    for (query, path) in [("<=>", "src/version.rb"), ("??", "src/zip.ts"), ("🦀", "notes.md")] {
        let Outcome { stdout, .. } = sandbox.recall(&project, &["--json", "search", query]);
        let answer: Value = serde_json::from_str(&stdout).expect("JSON");
        assert_eq!(
            (&answer["results"][0]["doc"]["path"], &answer["low_confidence"]),
            (&path.into(), &false.into()),
            "{query}"
        );
    }
}
