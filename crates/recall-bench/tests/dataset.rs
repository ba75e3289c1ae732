//! Reading and writing of datasets and runs, and their errors.

use std::fs;
use std::path::Path;

use recall_bench::quality::{Answer, Corpus, CorpusKind, Dataset, ForeignQuery, Lines, Query, Relevant, Run, Scores};
use tempfile::TempDir;

const MANIFEST: &str = "name = \"d\"\ndescription = \"About d.\"\nlicence = \"MIT\"\n";
const QUERY: &str = r#"{"id":"q1","text":"how","category":"question","relevant":[{"path":"a.md"}]}"#;

fn folder(manifest: &str, queries: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("corpus/b")).expect("made");
    for (path, text) in
        [("dataset.toml", manifest), ("queries.jsonl", queries), ("corpus/a.md", "a"), ("corpus/b/b.rs", "b")]
    {
        fs::write(folder.path().join(path), text).expect("written");
    }
    folder
}

fn relevant(path: &str) -> Relevant {
    Relevant { path: path.to_owned(), lines: None, grade: 1 }
}

/// The error of reading a dataset, without the path of its folder.
fn complaint(manifest: &str, queries: &str) -> String {
    let folder = folder(manifest, queries);
    let error = Dataset::read(folder.path()).expect_err("it is wrong");
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(source) = cause {
        said = format!("{said}: {source}");
        cause = source.source();
    }
    said.replace(&format!("{}/", folder.path().display()), "")
}

#[track_caller]
fn check_query(queries: &str, expected: &str) {
    assert_eq!(complaint(MANIFEST, queries), expected);
}

#[test]
fn a_folder_is_read() {
    let queries = format!(
        "{QUERY}\n\n{}\n",
        r#"{"id":"q2","text":"b","corpus":"corpus","category":"symbol","language":"rust",
            "relevant":[{"path":"b/b.rs","start_line":1,"end_line":3,"grade":2},{"path":"a.md"}]}"#
            .replace('\n', " ")
    );
    let folder = folder(MANIFEST, &queries);
    let dataset = Dataset::read(folder.path()).expect("it is well-formed");
    assert_eq!(
        (dataset.name.as_str(), dataset.description.as_str(), dataset.licence.as_str()),
        ("d", "About d.", "MIT")
    );
    let corpus = Corpus { path: folder.path().join("corpus"), kind: CorpusKind::Folder };
    assert_eq!(dataset.corpora.into_iter().collect::<Vec<_>>(), [("corpus".to_owned(), corpus)]);
    let first = Query {
        id: "q1".to_owned(),
        text: "how".to_owned(),
        corpus: "corpus".to_owned(),
        tree: None,
        category: "question".to_owned(),
        language: None,
        relevant: vec![relevant("a.md")],
    };
    let lines = Some(Lines { start: 1, end: 3 });
    let second = Query {
        id: "q2".to_owned(),
        text: "b".to_owned(),
        category: "symbol".to_owned(),
        language: Some("rust".to_owned()),
        relevant: vec![Relevant { path: "b/b.rs".to_owned(), lines, grade: 2 }, relevant("a.md")],
        ..first.clone()
    };
    assert_eq!(dataset.queries, [first, second]);
}

#[test]
fn a_dataset_survives_writing_and_reading() {
    let folder = folder(
        &format!("{MANIFEST}[corpora]\nhere = \"corpus\"\n[repositories]\nthere = \"/repository\"\n"),
        concat!(
            r#"{"id":"q1","text":"how","corpus":"here","category":"c","relevant":[{"path":"a.md","grade":3}]}"#,
            "\n",
            r#"{"id":"q2","text":"how","corpus":"there","tree":"abc","category":"c","language":"go","#,
            r#""relevant":[{"path":"x.go","start_line":2,"end_line":2}]}"#,
        ),
    );
    let dataset = Dataset::read(folder.path()).expect("it is well-formed");
    assert_eq!(dataset.corpora["there"].kind, CorpusKind::Repository);
    let copy = folder.path().join("copy");
    dataset.write(&copy).expect("written");
    assert_eq!(Dataset::read(&copy).expect("it is well-formed"), dataset);
    let error = dataset.write(&copy).expect_err("it would be overwritten").to_string();
    assert_eq!(error, format!("`{}` already exists", copy.join("dataset.toml").display()));
}

#[test]
fn errors_in_queries_have_their_line() {
    let second = |line: &str| format!("{QUERY}\n{line}\n");
    check_query(
        &second(r#"{"id":"q2","text":"x","category":"c","relevant":[{"path":"b.rs"}]}"#),
        "queries.jsonl:2: query `q2`: the relevant file `b.rs` is not in `corpus`",
    );
    check_query(
        QUERY.replace("a.md", "../dataset.toml").as_str(),
        "queries.jsonl:1: `../dataset.toml` is not a path below the corpus",
    );
    check_query(&second(QUERY), "queries.jsonl:2: the id `q1` is used by an earlier line");
    check_query(&QUERY.replace("how", " "), "queries.jsonl:1: `text` is empty");
    check_query(&QUERY.replace(r#"{"path":"a.md"}"#, ""), "queries.jsonl:1: `relevant` is empty");
    let place = |place: &str| QUERY.replace(r#""a.md""#, &format!(r#""a.md",{place}"#));
    let lines = "queries.jsonl:1: `a.md` needs both `start_line` and `end_line`, with 1 ≤ `start_line` ≤ `end_line`";
    check_query(&place(r#""start_line":3,"end_line":2"#), lines);
    check_query(&place(r#""start_line":0,"end_line":2"#), lines);
    check_query(&place(r#""end_line":2"#), lines);
    check_query(&place(r#""grade":0"#), "queries.jsonl:1: the grade of `a.md` is 0, expected at least 1");
    let twice = QUERY.replace(r#"{"path":"a.md"}"#, r#"{"path":"a.md"},{"path":"a.md","grade":2}"#);
    check_query(&twice, "queries.jsonl:1: `a.md` is relevant twice with the same lines");
    let with = |field: &str| QUERY.replace(r#""text""#, &format!(r#"{field},"text""#));
    check_query(&with(r#""corpus":"x""#), "queries.jsonl:1: the dataset has no corpus `x`");
    check_query(&with(r#""tree":"x""#), "queries.jsonl:1: `tree` is given, and the corpus `corpus` is a folder");
    check_query("\n", "`queries.jsonl` contains no queries");
    let unknown = complaint(MANIFEST, &with(r#""tags":[]"#));
    assert!(unknown.starts_with("queries.jsonl:1: not a valid query: unknown field `tags`"), "{unknown}");
    let torn = complaint(MANIFEST, &second("{\"id\":"));
    assert!(torn.starts_with("queries.jsonl:2: not a valid query: EOF"), "{torn}");
}

#[test]
fn errors_in_manifests_are_reported() {
    let unknown = complaint(&format!("{MANIFEST}author = \"x\"\n"), QUERY);
    assert!(
        unknown.starts_with("`dataset.toml` is not a valid dataset manifest: TOML parse error at line 4"),
        "{unknown}"
    );
    let two = format!("{MANIFEST}[corpora]\na = \"corpus\"\n[repositories]\na = \"x\"\n");
    assert_eq!(complaint(&two, QUERY), "`dataset.toml` defines the corpus `a` twice");
    let several = format!("{MANIFEST}[corpora]\na = \"corpus\"\nb = \"corpus\"\n");
    assert_eq!(complaint(&several, QUERY), "queries.jsonl:1: `corpus` is missing, and the dataset has several");
    let repository = format!("{MANIFEST}[repositories]\na = \"x\"\n");
    assert_eq!(complaint(&repository, QUERY), "queries.jsonl:1: `tree` is missing, and the corpus `a` is a repository");
    let missing = Dataset::read(Path::new("/nowhere")).expect_err("there is none").to_string();
    assert_eq!(missing, "cannot read `/nowhere/dataset.toml`");
}

fn run() -> Run {
    let mut run = Run::default();
    let answer = |path: &str, lines| Answer { path: path.to_owned(), lines };
    run.push("q1", vec![answer("x", None), answer("a.md", Some(Lines { start: 1, end: 9 }))]);
    run
}

#[test]
fn a_run_survives_writing_and_reading() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    run().write(&path).expect("written");
    let text = fs::read_to_string(&path).expect("written");
    assert_eq!(text, "{\"qid\":\"q1\",\"results\":[{\"path\":\"x\"},{\"path\":\"a.md\",\"start\":1,\"end\":9}]}\n");
    assert_eq!(Run::read(&path).expect("well-formed"), run());
    for (line, expected) in [
        (text.as_str(), ":2: the query `q1` has already been answered"),
        ("{}", ":2: not a valid line of a run"),
        (r#"{"qid":"q2","results":[{"path":"x","start":3,"end":1}]}"#, ":2: not a valid line of a run"),
    ] {
        fs::write(&path, format!("{text}{line}")).expect("written");
        let error = Run::read(&path).expect_err(line).to_string();
        assert_eq!(error, format!("{}{expected}", path.display()));
    }
}

#[test]
fn a_run_is_scored_against_its_dataset() {
    let folder = folder(MANIFEST, &format!("{QUERY}\n{}\n", QUERY.replace("q1", "q2")));
    let dataset = Dataset::read(folder.path()).expect("well-formed");
    let metric = "mrr@10".parse().expect("a metric");
    let scores = Scores::compute(&dataset, &run(), &[metric]).expect("of this dataset");
    assert_eq!(scores.column(metric), Some(vec![0.5, 0.0]));
    let mut foreign = run();
    foreign.push("q9", Vec::new());
    assert_eq!(Scores::compute(&dataset, &foreign, &[metric]), Err(ForeignQuery { id: "q9".to_owned() }));
}
