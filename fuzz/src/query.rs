//! Texts of users: queries, citations, paths and ids.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use recall_core::{Citation, DocumentType, EventId, ItemId, MemoryId, Scope, understand};
use recall_text::{DocPath, Report, normalize_text, normalized_path, words};

/// Reads a text as a query and as everything else that a user may write on one line.
///
/// # Panics
/// If something found in the text is not in it, or if what was read is written as another thing.
pub fn query(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    understood(text);
    output(text);
    citation(text);
    path(text);
    words::split(text, |word| match word {
        words::Word::Plain(word) | words::Word::Compound(word) | words::Word::Part(word) => {
            assert!(!word.is_empty() && text.contains(word));
        }
    });
    reads_what_it_writes::<MemoryId>(text);
    reads_what_it_writes::<EventId>(text);
    reads_what_it_writes::<ItemId>(text);
    reads_what_it_writes::<DocumentType>(text);
    reads_what_it_writes::<Scope>(text);
}

/// A longer text that is not a report is condensed.
const MOST_QUESTION_BYTES: usize = 10 * 1024;

fn understood(query: &str) {
    let read = understand(query);
    assert_eq!(read, understand(query));
    if let Some(report) = &read.report {
        assert!(report.frames.iter().all(|frame| frame.line != Some(0)) && report.question.len() <= 2 * query.len());
        assert!(report.errors.iter().all(|message| query.contains(message)), "a message that is not in the query");
    }
    // A report is understood as its question, a log as its rare lines.
    let question = read.report.as_ref().map(|report| report.question.clone());
    let query = question.as_deref().unwrap_or(query);
    if query.len() > MOST_QUESTION_BYTES {
        return;
    }
    assert_eq!(read.text, read.text.split_whitespace().collect::<Vec<_>>().join(" "), "blanks");
    assert!(read.text.split(' ').all(|word| query.contains(word)), "a word that is not in the query");
    let lists = [&read.identifiers, &read.paths];
    for (at, name) in lists.iter().flat_map(|list| list.iter().enumerate()) {
        let is_there = read.text.contains(name) || read.text.replace('\\', "/").contains(name);
        assert!(!name.is_empty() && is_there, "{at}: `{name}`");
    }
    for list in lists {
        assert!(list.iter().enumerate().all(|(at, name)| !list[..at].contains(name)), "repeated: {list:?}");
    }
    assert!(read.phrases.iter().all(|phrase| query.contains(&format!("\"{phrase}\""))));
    assert!(read.filters.paths.iter().all(|path| !path.0.is_empty() && normalized_path(&path.0) == path.0));
    assert!(read.filters.tags.iter().all(|tag| !tag.is_empty() && normalize_text(tag) == *tag));
    assert!(read.filters.languages.iter().all(|language| !language.as_str().is_empty()));
    assert!(read.unknown_filters.iter().all(|filter| query.contains(&filter.word) && !filter.problem.is_empty()));
    // A text in which nothing is quoted or filtered is understood as itself.
    let again = understand(&read.text);
    if !query.contains([':', '"']) && again.report.is_none() {
        assert_eq!((&again.text, again.class), (&read.text, read.class));
        assert_eq!((&again.identifiers, &again.paths), (&read.identifiers, &read.paths));
    }
}

/// Reads a text as the output of a failed command.
fn output(text: &str) {
    let Some(report) = Report::read_output(text) else { return };
    assert!(!report.frames.is_empty() || !report.errors.is_empty());
    assert!(report.frames.iter().all(|frame| frame.line != Some(0)));
    assert!(report.errors.iter().all(|message| text.contains(message)), "a message that is not in the output");
}

fn citation(text: &str) {
    let read = Citation::split(text);
    let rest = text.strip_prefix(read.document).expect("the document comes first");
    assert!(read.hash.is_none_or(|hash| rest.ends_with(hash)));
    assert!(read.lines.is_none_or(|lines| lines.start <= lines.end && rest.starts_with([':', '#'])));
    assert_eq!(rest.is_empty(), read.lines.is_none() && read.hash.is_none());
}

fn path(text: &str) {
    let Ok(path) = DocPath::new(text) else { return };
    assert_eq!(path.as_str(), text);
    assert_eq!(path.components().collect::<Vec<_>>().join("/"), text);
    assert!(text.ends_with(path.file_name()) && path.file_name().starts_with(path.stem()));
    assert!(path.extension().is_none_or(|extension| path.file_name().ends_with(extension)));
    assert!(path.is_at_or_below(text) && path.components().all(|part| !matches!(part, "" | "." | "..")));
}

fn reads_what_it_writes<T: FromStr<Err: Debug + Display> + Display + Debug + PartialEq>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => assert_eq!(value.to_string().parse::<T>().expect("its own text"), value),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Queries, citations and ids of every form.
pub fn query_seeds() -> Vec<Vec<u8>> {
    const SEEDS: &[&str] = &[
        r#"type:adr lang:Rust path:"a b/*.rs" scope:global why "retry budget" in HttpClient, see src/net.rs"#,
        "who calls Store::open",
        "tag:release tag:\"two words\" scope:nonsense type:novel deployment runbook",
        "parse_header HTTPServer2 __init__ größeÄndern 日本語 e\u{301} ß İ",
        "src/lib.rs:10-20@0123456789ab",
        "a@b.rs:1-2",
        "a.rs:10:5 b.rs#L10-L20 c.rs:9-3 file:///w/a%20b.rs#L1",
        "L-1234567",
        "lesson-00000001",
        "0123456789abcdef0123456789abcdef",
        "C:\\x ..a/.b/c.tar.gz",
        "package.lock $scope @decorator x.y() a::b::",
    ];
    SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}
