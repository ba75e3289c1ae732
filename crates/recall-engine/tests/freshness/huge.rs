//! The first index of a huge project, and very many changes of one: a question is answered from the files that it needs.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use recall_chunk::{ChunkLimits, CodeParser, CodeParserError};
use recall_core::{ParsedDocument, Scope};
use recall_engine::{EmbeddingModel, Engine, EngineSettings, FirstIndex, FirstIndexStage, Indexing, Warning};
use recall_models::BuiltIn;
use recall_testkit::wait_until;
use recall_text::Language;

use super::write_files;
use crate::exact::literal;
use crate::support::{Sandbox, paths};

/// A parser that leaves all files to the engine, and holds up the file with a text until the sender of the channel is dropped, or for
/// a minute.
struct HeldUp {
    text: &'static str,
    until: Mutex<mpsc::Receiver<()>>,
}

impl CodeParser for HeldUp {
    fn parse(&self, _: &ChunkLimits, _: &Language, text: &str) -> Result<ParsedDocument, CodeParserError> {
        if text.contains(self.text) {
            // Without a limit, a search that waits for the file would never fail its test.
            let _ = self.until.lock().expect("no panic").recv_timeout(Duration::from_mins(1));
        }
        Err(CodeParserError::Unavailable)
    }
}

/// Writes more files than a first index reads before it answers a question.
fn write_huge_project(sandbox: &Sandbox) {
    write_files(&sandbox.root(), 1600);
    for (path, text) in [
        ("aaa/held_up.rs", "fn held_up() {}\n"),
        ("zzz/rotation.rs", "/// Rotates the key of a session.\nfn rotate_key() {}\n"),
        ("zzz/voucher.rs", "fn redeem() { log(\"no such voucher: {}\"); }\n"),
        ("zzz/tariff.rs", "fn night_tariff() {}\n"),
    ] {
        sandbox.write(path, text);
    }
}

/// Returns the progress of the index that the answer did not wait for; `None` if the answer is complete.
fn progress_of_partial(warnings: &[Warning]) -> Option<Indexing> {
    warnings.iter().find_map(|warning| match warning {
        Warning::NotIndexedYet(FirstIndex { stage: FirstIndexStage::LikelyIndexed(indexing), .. }) => Some(*indexing),
        _ => None,
    })
}

#[test]
fn the_first_question_to_a_huge_project_is_answered_from_the_files_with_its_words() {
    let sandbox = Sandbox::new();
    write_huge_project(&sandbox);
    let (release, until) = mpsc::channel();
    let parser = Arc::new(HeldUp { text: "held_up", until: Mutex::new(until) });
    let settings =
        EngineSettings { partial_after: Duration::ZERO, code_parser: Some(parser), ..EngineSettings::default() };
    let engine = sandbox.engine_by(settings);
    let answer = sandbox.search(&engine, "where is the session key rotated");
    assert_eq!(paths(&answer)[0], "zzz/rotation.rs", "{:?}", answer.warnings);
    let Indexing { files_done, files } = progress_of_partial(&answer.warnings).expect("a file is held up");
    assert!(files_done < files && files == 1604, "{files_done} of {files}");
    drop(release);
    wait_until("the whole index", || {
        let answer = sandbox.search(&engine, "night_tariff");
        (progress_of_partial(&answer.warnings).is_none() && answer.coverage[0].documents == 1604).then_some(())
    });
    assert_eq!(progress_of_partial(&sandbox.search(&engine, "rotate_key").warnings), None);
}

#[test]
fn questions_during_a_first_index_are_answered_from_the_files_that_they_need() {
    let sandbox = Sandbox::new();
    write_huge_project(&sandbox);
    let engine = sandbox.engine_by(EngineSettings { partial_after: Duration::ZERO, ..EngineSettings::default() });
    assert_eq!(paths(&sandbox.search(&engine, "where is the session key rotated"))[0], "zzz/rotation.rs");
    assert_eq!(paths(&sandbox.search(&engine, "night_tariff"))[0], "zzz/tariff.rs");
    let found = engine.find_exact(&sandbox.origin(), &literal("no such voucher: {}")).expect("an answer");
    assert_eq!(found.totals.lines, 1, "{:?}", found.warnings);
    assert_eq!(found.is_complete, progress_of_partial(&found.warnings).is_none());
}

#[test]
fn a_question_does_not_wait_until_all_that_is_indexed_so_far_is_embedded() {
    /// Two batches, one for each question.
    const MOST_EMBEDDED: u64 = 2 * 2048;
    let sandbox = Sandbox::new();
    write_huge_project(&sandbox);
    write_files(&sandbox.root(), 9000);
    let model = EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) };
    let settings = EngineSettings { partial_after: Duration::ZERO, model: Some(model), ..EngineSettings::default() };
    let engine = sandbox.engine_by(settings);
    let status = || engine.status(&sandbox.origin(), Scope::Project, 0).expect("a status").stores.remove(0);
    let first = sandbox.search(&engine, "where is the session key rotated");
    assert!(progress_of_partial(&first.warnings).is_some(), "{:?}", first.warnings);
    wait_until("indexed files", || {
        status().indexing.is_none_or(|indexing| indexing.files_done > MOST_EMBEDDED).then_some(())
    });
    // Before and after a second question.
    for _ in 0..2 {
        let store = status();
        // Everything is embedded at the end of the run, which a machine may reach before this thread looks.
        if store.indexing.is_some() {
            let embedded = store.embedded[0].1;
            assert!((1..=MOST_EMBEDDED).contains(&embedded), "{embedded}");
        }
        sandbox.search(&engine, "night_tariff");
    }
}

#[test]
fn the_files_of_a_trace_are_indexed_before_those_with_its_words() {
    let sandbox = Sandbox::new();
    write_huge_project(&sandbox);
    // More files with the words of the message than are indexed before an answer.
    for number in 0..250 {
        sandbox
            .write(&format!("aaa/loud_{number}.rs"), "// called option unwrap on a none value, thread main panicked\n");
    }
    sandbox.write("zzz/quiet.rs", "fn first() {}\nfn second() {}\nfn third() {}\n");
    let (release, until) = mpsc::channel();
    let parser = Arc::new(HeldUp { text: "held_up", until: Mutex::new(until) });
    let settings =
        EngineSettings { partial_after: Duration::ZERO, code_parser: Some(parser), ..EngineSettings::default() };
    let engine = sandbox.engine_by(settings);
    let panic = "thread 'main' panicked at zzz/quiet.rs:3:5:\ncalled `Option::unwrap()` on a `None` value\n";
    let answer = sandbox.search(&engine, panic);
    assert_eq!(paths(&answer)[0], "zzz/quiet.rs", "{:?}", answer.warnings);
    assert!(progress_of_partial(&answer.warnings).is_some(), "{:?}", answer.warnings);
    drop(release);
}

/// Indexes a huge project, then changes all its files while no engine runs. Returns the engine that opens it again, and what holds up
/// the indexing of the changes.
fn change_huge_project(sandbox: &mut Sandbox, few_files_wait: Duration) -> (Engine, mpsc::Sender<()>) {
    write_huge_project(sandbox);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    engine.close();
    for number in 0..1600 {
        sandbox.write(&format!("part_{number}.rs"), &format!("fn small_{number}() {{}}\n"));
    }
    sandbox.write("aaa/held_up.rs", "fn held_up_again() {}\n");
    sandbox.write("zzz/rotation.rs", "/// Rotates the key of a session.\nfn turn_key_again() {}\n");
    // The files are listed however slow the machine is: only what follows is held up.
    sandbox.limits.scan_wait = Duration::from_mins(1);
    // Long enough for the run to take the question.
    sandbox.ingest_wait = Duration::from_secs(10);
    let (release, until) = mpsc::channel();
    let parser = Arc::new(HeldUp { text: "held_up_again", until: Mutex::new(until) });
    let settings = EngineSettings { few_files_wait, code_parser: Some(parser), ..EngineSettings::default() };
    (sandbox.engine_by(settings), release)
}

/// Returns how many of very many changes are indexed; `None` if the answer has all.
fn changes_left(warnings: &[Warning]) -> Option<Indexing> {
    warnings.iter().find_map(|warning| match warning {
        Warning::NotIndexedYet(FirstIndex { stage: FirstIndexStage::ChangesLeft(indexing), .. }) => Some(*indexing),
        _ => None,
    })
}

#[test]
fn an_answer_before_very_many_changes_are_indexed_is_not_complete_and_has_no_old_text() {
    let mut sandbox = Sandbox::new();
    let (engine, release) = change_huge_project(&mut sandbox, Duration::ZERO);
    let answer = sandbox.search(&engine, "large_73");
    assert!(!answer.hits.iter().any(|hit| hit.text.contains("large_")), "{:?}", answer.hits);
    assert!(changes_left(&answer.warnings).is_some(), "{:?}", answer.warnings);
    let exact = engine.find_exact(&sandbox.origin(), &literal("fn small_1599()")).expect("an answer");
    assert!(!exact.is_complete && changes_left(&exact.warnings).is_some(), "{:?}", exact.warnings);
    drop(release);
}
