//! The conversion of warnings to messages.

use std::time::Duration;

use recall_api::convert::time;
use recall_api::v1::Severity;
use recall_api::{Failure, INDEX, NOT_INDEXED_YET, json, v1};
use recall_core::Timestamp;
use recall_engine::{
    FirstIndex, FirstIndexStage, IndexedProject, Indexing, LeftOutGroup, RemovingCommit, UnreadLines, Warning,
};
use recall_text::Condensed;
use recall_text::quantity::{count, count_noun};

use crate::models::ModelProblem;

/// The code of the warning about unreadable lines in the journals.
pub(crate) const JOURNAL_LINES_UNREAD: &str = "JOURNAL_LINES_UNREAD";

/// The code of the warning about unreadable lines in the selection.
pub(crate) const SELECTION_LINES_UNREAD: &str = "SELECTION_LINES_UNREAD";

/// The hint if a file contains secrets.
pub(super) const ROTATE: &str = "remove them from the file and rotate them";

/// Describes the past that an answer is about, and what it does not have.
fn as_of(at: Timestamp, commit: Option<&str>, left_out: u64) -> v1::Warning {
    let time = json::rfc3339(&time::to_proto(at)).unwrap_or_default();
    let of_files = match commit {
        Some(commit) => format!("files are those of commit {}", &commit[..commit.len().min(12)]),
        None => "no commit is known by then, so there are no files".to_owned(),
    };
    let missing = match left_out {
        0 => String::new(),
        _ => format!(
            "; {} of the commit not looked at",
            count_noun(left_out, "link, submodule or large file", "links, submodules and large files")
        ),
    };
    let message = format!(
        "as of {time}: {of_files}, memories those recorded by then{missing}; sessions of this machine, domains, the global store and other \
         projects are not looked at"
    );
    new("AS_OF", Severity::Warning, message, "")
}

/// Converts the engine's warnings.
pub(super) fn to_proto(warnings: Vec<Warning>) -> Vec<v1::Warning> {
    warnings.into_iter().map(one).collect()
}

/// Names a project by its folder, and by the time if it is a past one.
fn describe_project(project: &IndexedProject) -> String {
    let IndexedProject { root, as_of } = project;
    let time = as_of.and_then(|at| json::rfc3339(&time::to_proto(at)));
    time.map_or_else(|| format!("`{}`", root.display()), |time| format!("`{}` as of {time}", root.display()))
}

/// Says of a first index what it waits for.
fn describe_stage(first: &FirstIndex) -> String {
    let done = |Indexing { files_done, files }: Indexing| format!("{} of {} files", count(files_done), count(files));
    match first.stage {
        FirstIndexStage::Queued => "it is queued after other projects".to_owned(),
        FirstIndexStage::LikelyIndexed(indexing) => {
            format!("{} are, first those with the words of the question", done(indexing))
        }
        FirstIndexStage::ChangesLeft(indexing) if indexing.files_done < indexing.files => {
            format!("{} that are new or changed are", done(indexing))
        }
        FirstIndexStage::Indexing(indexing) if indexing.files_done < indexing.files => {
            format!("{} are done", done(indexing))
        }
        FirstIndexStage::ChangesLeft(_) => "the latest changes are being written".to_owned(),
        FirstIndexStage::Scanning | FirstIndexStage::Indexing(_) => "its files are being listed and read".to_owned(),
    }
}

/// What to do while a project is not indexed yet.
const ASK_AGAIN: &str = "ask again in a moment; `recall status` shows the progress";

/// Says that nothing found says nothing, and what the first index waits for.
fn not_indexed_yet(first: &FirstIndex) -> v1::Warning {
    let (stage, project) = (describe_stage(first), describe_project(&first.project));
    let is_in_part = matches!(first.stage, FirstIndexStage::LikelyIndexed(_) | FirstIndexStage::ChangesLeft(_));
    let whole = if is_in_part { "not wholly indexed" } else { "not indexed" };
    let message = format!("{project} is {whole} yet: {stage}; what is not found may be there");
    new(NOT_INDEXED_YET, Severity::Warning, message, ASK_AGAIN)
}

/// Says of something that was not found that it may be there.
pub(super) fn not_known_yet(failure: Failure, first: &FirstIndex) -> Failure {
    let message = format!(
        "{}, but {} is not indexed yet: {}",
        failure.message,
        describe_project(&first.project),
        describe_stage(first)
    );
    Failure { message, ..failure }.with_detail(INDEX, NOT_INDEXED_YET).with_hint(ASK_AGAIN)
}

#[expect(clippy::too_many_lines, reason = "one arm for each warning")]
fn one(warning: Warning) -> v1::Warning {
    match warning {
        Warning::IndexedOnTheWay { project, files, took } => indexed_first(&project, files, took),
        Warning::Indexing { files_done, files } => {
            // Once every file is read, or while they are counted, the numbers say nothing.
            let message = if files_done < files {
                format!("the project is being indexed: {} of {} files are done", count(files_done), count(files))
            } else {
                "the latest edits are being indexed".to_owned()
            };
            new("INDEXING", Severity::Warning, message, "ask again in a moment")
        }
        Warning::AsOf { at, commit, left_out } => as_of(at, commit.as_deref(), left_out),
        Warning::Undated { files } => {
            let message =
                format!("{} not looked at: git knows no commit of them", count_noun(files, "file was", "files were"));
            new("UNDATED_FILES", Severity::Notice, message, "memories and sessions have their own times")
        }
        Warning::PeriodFromWords { words } => {
            let message = format!("limited to what was made at the time that \"{words}\" names");
            new("PERIOD_FROM_WORDS", Severity::Notice, message, "put the words in quotes to search for them")
        }
        Warning::PeriodWithoutHits { words } => {
            let message = format!("nothing was found in the time that \"{words}\" names; these hits are of any time");
            new("NOTHING_IN_PERIOD", Severity::Warning, message, "")
        }
        Warning::SharedStore { store, reason, is_new } => shared_store(&store, &reason, is_new),
        Warning::SharedNotFiltered { store, compared, is_uncounted } => {
            shared_not_filtered(&store, compared, is_uncounted)
        }
        Warning::SharedOfAnotherVersion { store, left_out } => {
            let message = format!(
                "of the shared store `{store}`, {left_out} documents that match were left out: another version of recall published them"
            );
            new(
                "SHARED_OTHER_VERSION",
                Severity::Warning,
                message,
                "`recall publish` with this version sends them again",
            )
        }
        Warning::SharedNotScanned { store, compared } => shared_not_scanned(&store, compared),
        Warning::SharedWithoutTimes { stores } => shared_without_times(&stores),
        Warning::IndexingWaits => {
            let message = "the project is queued for indexing, after other projects".to_owned();
            new(
                "INDEXING_QUEUED",
                Severity::Warning,
                message,
                "ask again in a moment; `recall status` shows the progress",
            )
        }
        Warning::NotIndexedYet(first) => not_indexed_yet(&first),
        Warning::ScanRunning => {
            let message = "still scanning for changed files; the latest edits may be missing".to_owned();
            new("SCAN_RUNNING", Severity::Notice, message, "")
        }
        Warning::LinksBehind => {
            let message = "links between files are still being read; the order may still change".to_owned();
            new("LINKS_BEHIND", Severity::Notice, message, "")
        }
        Warning::NotCompared { ago } => {
            let message = format!("files were last compared {ago:.1?} ago; edits since then may be missing");
            let hint = "this project takes long to scan, and its changes are not watched: `recall status` says why";
            new("NOT_COMPARED", Severity::Notice, message, hint)
        }
        Warning::NamedByEnd { path } => {
            let message = format!(
                "this is `{path}`, whose path ends with the name that was asked for, in the same or another case"
            );
            v1::Warning { path, ..new("NAMED_BY_END", Severity::Notice, message, "") }
        }
        Warning::NameRemoved { name, commit } => name_removed(&name, &commit),
        Warning::NameHistoryUnread { name, is_running } => name_history_unread(&name, is_running),
        Warning::LeftOut { path } => {
            let message = format!("`{path}` changed while the query ran and was left out");
            v1::Warning { path, ..new("FILE_CHANGED", Severity::Warning, message, "ask again") }
        }
        Warning::FilesLeftOut { groups } => files_left_out(&groups),
        Warning::TranscriptsOff => {
            let message = "transcripts are not read: `transcripts.read` is off".to_owned();
            let hint =
                "`recall config set transcripts.read true` lets recall read those of this project's agents in place";
            new("TRANSCRIPTS_OFF", Severity::Warning, message, hint)
        }
        Warning::TranscriptsLeftOut { files } => {
            let message = format!("{} not read", count_noun(files, "transcript was", "transcripts were"));
            let hint = "`recall session search` says why; `[transcripts]` in the settings has the bounds";
            new("TRANSCRIPTS_LEFT_OUT", Severity::Notice, message, hint)
        }
        Warning::SecretsMasked { path } => {
            let message = format!("`{path}` seems to contain secrets; they are masked here");
            v1::Warning { path, ..new("SECRET_MASKED", Severity::Warning, message, ROTATE) }
        }
        Warning::PutBack { ids } => {
            let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let message = format!(
                "put back, because a journal had lost it and nothing says that a person took it out: {}",
                names.join(", ")
            );
            new("MEMORY_PUT_BACK", Severity::Notice, message, "`recall rm ID` deletes a memory for good")
        }
        Warning::Repaired { what } => {
            let message = format!("a damaged index was quarantined and rebuilt: {what}");
            new("INDEX_REPAIRED", Severity::Notice, message, "")
        }
        Warning::NotRefreshed { reason } => {
            let message = format!("the index could not be updated and may be behind the files: {reason}");
            new("NOT_REFRESHED", Severity::Warning, message, "`recall status` shows more")
        }
        Warning::StoreUnavailable { scope, reason } => {
            let message = format!("the {scope} store could not be searched: {reason}");
            new("STORE_UNAVAILABLE", Severity::Error, message, "`recall status` shows more")
        }
        Warning::HistoryUnread { path } => history_unread(path),
        Warning::LinesLeftOut { last, limit } => lines_left_out(last, limit),
        Warning::TracesUnread { records } => traces_unread(records),
        Warning::StoresLeftOut { left_out, limit } => stores_left_out(left_out, limit),
        Warning::SeveralDefinitions { name, definitions, shown } => {
            let of_them = if shown < definitions { format!("; {shown} of them are shown") } else { String::new() };
            let message = format!("`{name}` is the name of {definitions} definitions{of_them}");
            new("SEVERAL_DEFINITIONS", Severity::Notice, message, "name its scope too, as in `Store::open`")
        }
        Warning::EmbeddingsToCome => {
            let message = "still embedding new files; keyword matches only for now".to_owned();
            new(
                "EMBEDDINGS_TO_COME",
                Severity::Notice,
                message,
                "ask again in a moment; `recall status` shows the progress",
            )
        }
        Warning::EmbeddingsUnusable { reason, instead } => unusable(&reason, instead),
        Warning::NotReranked { reason } => without_reranking(&reason),
        Warning::NotJudged { reason } => without_judge(&reason),
        Warning::UnknownFilter { word, problem } => {
            let message = format!("`{word}` is searched as a word and is not a filter: {problem}");
            new("UNKNOWN_FILTER", Severity::Notice, message, "")
        }
        Warning::PathMissing { path, near } => path_missing(path, near),
        Warning::PathNotIndexed { path } => unindexed_path(path),
        Warning::PathWithoutHits { path, documents } => path_without_hits(path, documents),
        Warning::WeightsDecide => weights_decide(),
        Warning::MemoriesBehind => {
            let message = "new memories are not indexed yet and may be missing".to_owned();
            new("INDEXING", Severity::Warning, message, "ask again in a moment")
        }
        Warning::JournalsUnread { reason } => {
            let message = format!("the journals of memories could not be read: {reason}");
            new("JOURNALS_UNREAD", Severity::Error, message, "check who may read `.recall/`")
        }
        Warning::JournalLinesUnread(lines) => unread(JOURNAL_LINES_UNREAD, "journals of memories", lines),
        Warning::SelectionLinesUnread(lines) => unread(SELECTION_LINES_UNREAD, "selection of paths", lines),
        Warning::Configuration { message } => new("CONFIGURATION", Severity::Warning, message, ""),
    }
}

/// Returns the warning that files which may hold text are not indexed.
fn files_left_out(groups: &[LeftOutGroup]) -> v1::Warning {
    /// The most reasons that are named.
    const REASONS: usize = 3;

    let files: u64 = groups.iter().map(|group| group.files).sum();
    let mut named: Vec<String> =
        groups.iter().take(REASONS).map(|group| format!("{} {}", count(group.files), group.reason)).collect();
    if groups.len() > REASONS {
        let rest = groups[REASONS..].iter().map(|group| group.files).sum();
        named.push(format!("{} for other reasons", count(rest)));
    }
    let message = format!("{} left out of the index: {}", count_noun(files, "file is", "files are"), named.join(", "));
    new("FILES_LEFT_OUT", Severity::Notice, message, "`recall status --failures` lists them, with the settings")
}

/// Returns the warning that not every nested repository or other project was searched.
fn stores_left_out(left_out: u64, limit: u64) -> v1::Warning {
    let message = format!("{left_out} further repositories were not searched: the limit is {limit}");
    let hint = "raise `daemon.max_stores_per_request` in your `recall.toml`, or name the projects";
    new("STORES_LEFT_OUT", Severity::Warning, message, hint)
}

/// Returns the warning that of a long query not all is searched for.
pub(super) fn condensed_warning(condensed: &Condensed) -> v1::Warning {
    const SHOWN_CHARS: usize = 160;
    let Condensed { text, lines, kept } = condensed;
    let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = match shown.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    };
    let are = if *kept == 1 { "is" } else { "are" };
    let message = format!("the query is long: {kept} of its {lines} lines {are} searched for, `{shown}`");
    new("QUERY_CONDENSED", Severity::Notice, message, "ask in a few words for other hits")
}

/// Returns the warning that a path filter names nothing.
fn path_missing(path: String, near: Option<String>) -> v1::Warning {
    let message = format!("the project has no file or directory `{path}`");
    let hint = near.map_or_else(String::new, |near| format!("did you mean `{near}`?"));
    v1::Warning { path, ..new("PATH_MISSING", Severity::Warning, message, &hint) }
}

/// Returns the warning that nothing below a path filter is indexed.
fn unindexed_path(path: String) -> v1::Warning {
    let message = format!("nothing in `{path}` is indexed");
    v1::Warning { path, ..new("PATH_NOT_INDEXED", Severity::Warning, message, "`recall status` says what is left out") }
}

/// Returns the warning that nothing was found in the documents below a path filter.
fn path_without_hits(path: String, documents: u64) -> v1::Warning {
    let message = match documents {
        1 => format!("`{path}` has one indexed file, and it does not match"),
        _ => format!("`{path}` has {documents} indexed files, and none matches"),
    };
    v1::Warning { path, ..new("PATH_WITHOUT_HITS", Severity::Notice, message, "") }
}

/// Returns the warning that weights of the retrievers replace the learned rankers.
fn weights_decide() -> v1::Warning {
    let message = "the order follows the given weights of the retrievers, without the learned rankers".to_owned();
    let hint = "remove the weights, here and in `recall.toml`, to use the learned rankers";
    new("WEIGHTS_DECIDE", Severity::Notice, message, hint)
}

/// Returns the warning that the first search of a project indexed it.
fn shared_store(store: &str, reason: &str, is_new: bool) -> v1::Warning {
    let message = format!("the shared store `{store}` did not answer: {reason}");
    let severity = if is_new { Severity::Warning } else { Severity::Notice };
    new("SHARED_STORE", severity, message, "the answer, or its counts, are from this machine's stores")
}

fn shared_not_filtered(store: &str, compared: u64, is_uncounted: bool) -> v1::Warning {
    let counts = if is_uncounted { ", and none of its documents are counted" } else { "" };
    let message = format!(
        "of the shared store `{store}`, the filter expression was checked on the {compared} documents that match the query best; \
         others may pass{counts}"
    );
    let hint =
        "the server checks all documents for types, languages, paths and tags: `--type`, `--lang`, `--path`, `--tag`";
    new("SHARED_NOT_FILTERED", Severity::Warning, message, hint)
}

fn shared_not_scanned(store: &str, compared: u64) -> v1::Warning {
    let message = format!(
        "of the shared store `{store}`, only {compared} documents were compared with the text: the others took too long, or another \
         version of recall published them"
    );
    let hint = "narrow the search with `--path`, `--type` or `--lang`";
    new("SHARED_NOT_SCANNED", Severity::Warning, message, hint)
}

fn shared_without_times(stores: &[String]) -> v1::Warning {
    let message =
        format!("shared stores do not know when something was made, and were not searched: {}", stores.join(", "));
    new("SHARED_WITHOUT_TIMES", Severity::Notice, message, "leave out the time to search them")
}

fn history_unread(path: String) -> v1::Warning {
    let message = format!("git did not list the commits of `{path}` in time");
    v1::Warning { path, ..new("HISTORY_UNREAD", Severity::Warning, message, "`git log -- PATH` shows them") }
}

fn lines_left_out(last: u32, limit: u32) -> v1::Warning {
    let message = format!("the answer ends with line {last}: it explains {limit} lines at most");
    new("LINES_LEFT_OUT", Severity::Warning, message, "ask for the lines after it, or raise `why.lines`")
}

fn traces_unread(records: u64) -> v1::Warning {
    let records = count_noun(records, "record", "records");
    let message = format!("{records} of Agent Trace cannot be read, and were not used");
    new("TRACE_UNREAD", Severity::Notice, message, "`git notes --ref agent-trace show COMMIT` shows them")
}

fn indexed_first(project: &IndexedProject, files: u64, took: Duration) -> v1::Warning {
    let (files, took) = (count_noun(files, "file", "files"), took.as_secs_f64());
    let which = if project.as_of.is_some() { "first search at this time" } else { "first search in this project" };
    let message = format!("indexed {files} of {} in {took:.1} s ({which})", describe_project(project));
    new("INDEXED_FIRST", Severity::Notice, message, "")
}

/// Returns the warning that a commit removed a name.
fn name_removed(name: &str, commit: &RemovingCommit) -> v1::Warning {
    let RemovingCommit { commit, day, subject } = commit;
    let message = format!(
        "no indexed file has `{name}` any more: commit {commit} of {day} removed its last place, \"{subject}\""
    );
    new("NAME_REMOVED", Severity::Notice, message, &format!("`git show {commit}` shows what replaced it"))
}

/// Returns the warning that nobody knows yet whether a commit removed a name.
fn name_history_unread(name: &str, is_running: bool) -> v1::Warning {
    let code = "NAME_HISTORY_UNREAD";
    if is_running {
        let message = format!("no indexed file has `{name}`; git is still looking for a commit that removed it");
        return new(code, Severity::Notice, message, "ask again in a moment");
    }
    let message = format!("no indexed file has `{name}`; git did not find in time whether a commit removed it");
    new(
        code,
        Severity::Notice,
        message,
        &format!("`git log -S {name}` looks for it without a limit; so does a longer `why.wait`"),
    )
}

/// Returns the warning that the selected model's embeddings cannot be used; `instead` is the model used in its place.
fn unusable(reason: &str, instead: Option<String>) -> v1::Warning {
    let message = match instead {
        Some(model) => format!("semantic search uses the model {model} in place of another: {reason}"),
        None => format!("semantic search is off, showing keyword matches only: {reason}"),
    };
    new("EMBEDDINGS_UNUSABLE", Severity::Notice, message, "`recall status` shows more")
}

/// Returns the warning that a cross-encoder did not take part.
fn without_reranking(reason: &str) -> v1::Warning {
    let message = format!("the first hits are in the order without a cross-encoder: {reason}");
    let hint = "ask again; `recall models list` shows the models; `recall models use rerank none` or `use prerank none` turns it off";
    new("NOT_RERANKED", Severity::Warning, message, hint)
}

/// Returns the warning that the language model did not take part.
fn without_judge(reason: &str) -> v1::Warning {
    let message = format!("the first hits are in the order without the language model: {reason}");
    let hint = "ask again, or without it: `--no-judge`; `recall models use judge none` turns it off";
    new("NOT_JUDGED", Severity::Warning, message, hint)
}

/// Converts the problem of a selected model to a warning.
pub(crate) fn model_warning(problem: ModelProblem) -> v1::Warning {
    let ModelProblem { message, hint, path } = problem;
    let path = path.to_string_lossy().into_owned();
    v1::Warning { path, ..new("MODEL_UNUSABLE", Severity::Warning, message, &hint) }
}

/// Returns the warning that lines of a file cannot be read.
fn unread(code: &str, of: &str, lines: UnreadLines) -> v1::Warning {
    let UnreadLines { file, line, reason, count } = lines;
    let path = file.to_string_lossy().into_owned();
    let message = match (line, count) {
        (0, _) => format!("the {of} cannot be read: `{path}`: {reason}"),
        (_, 1) => format!("line {line} of `{path}` cannot be read and is ignored: {reason}"),
        _ => format!(
            "{count} lines of the {of} cannot be read and are ignored; the first is line {line} of `{path}`: {reason}"
        ),
    };
    v1::Warning { path, ..new(code, Severity::Error, message, "`recall doctor` lists them and what to do") }
}

/// Returns a warning without a path.
pub(crate) fn new(code: &str, severity: Severity, message: String, hint: &str) -> v1::Warning {
    v1::Warning {
        code: code.to_owned(),
        message,
        hint: hint.to_owned(),
        path: String::new(),
        severity: severity.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_of_the_past_is_named_with_its_time() {
        for (as_of, expected) in [
            (None, "indexed 2 files of `/p` in 0.5 s (first search in this project)"),
            (
                Some(Timestamp(0)),
                "indexed 2 files of `/p` as of 1970-01-01T00:00:00Z in 0.5 s (first search at this time)",
            ),
        ] {
            let project = IndexedProject { root: "/p".into(), as_of };
            assert_eq!(indexed_first(&project, 2, Duration::from_millis(500)).message, expected);
        }
    }
}
