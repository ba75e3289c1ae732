//! Progress of long operations: one kind of line, and the streams of events of indexing runs and downloads.
//!
//! Lines are drawn on standard error, and only if it is a terminal: indicatif draws nothing otherwise. A log gets a line of its own now
//! and then.

use std::fmt::Write as _;
use std::future::Future;
use std::io::{self, IsTerminal, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recall_api::v1::{self, index_event, transfer_event};
use recall_client::Client;
use tonic::Streaming;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::human::quantity::{bytes, count, span};
use crate::output::human::text::{fit, printable};
use crate::output::{Format, Output, human};

/// The delay before a line appears. For faster work it would only flicker.
const PATIENCE: Duration = Duration::from_millis(300);

/// The interval between two requests for the progress.
const LOOK: Duration = Duration::from_millis(200);

/// The interval between two lines in a log. Whoever reads it later wants to see what took the time, and not each step.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The interval between two redraws of a line.
const TICK: Duration = Duration::from_millis(80);

/// The time after which a rate is shown. Before, it says little.
const RATED_FROM: Duration = Duration::from_secs(1);

/// The most columns of what a line says is being done, so that a long name leaves room for the rest.
const DOING_COLUMNS: usize = 32;

/// The files of an indexing run.
const FILES: Unit = Unit::Things("files");

/// What a line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes.
    Bytes,
    /// Anything else, by its name in the plural.
    Things(&'static str),
}

impl Unit {
    fn amount(self, number: u64) -> String {
        match self {
            Self::Bytes => bytes(number),
            Self::Things(_) => count(number),
        }
    }
}

/// The progress of a long operation: a bar, how much of how much, how much a second, and the time that is left. A line without a bar
/// if the end is unknown.
#[derive(Debug)]
pub struct ProgressLine {
    bar: ProgressBar,
    unit: Unit,
}

impl ProgressLine {
    /// Shows a line that begins with what is being done.
    pub(crate) fn new(format: Format, doing: &str, unit: Unit) -> Self {
        let bar = ProgressBar::with_draw_target(None, target(format));
        bar.set_style(style("{spinner} {prefix} {msg}"));
        let line = Self { bar, unit };
        line.rename(doing);
        line.bar.enable_steady_tick(TICK);
        line
    }

    /// Shows a bar for a number of queries that run one after another.
    pub fn queries(format: Format, total: u64) -> Self {
        let line = Self::new(format, "asking", Unit::Things("queries"));
        line.show(0, Some(total), "");
        line
    }

    /// Shows a bar for a number of runs of an agent, one after another.
    pub fn runs(format: Format, total: u64) -> Self {
        let line = Self::new(format, "running", Unit::Things("runs"));
        line.show(0, Some(total), "");
        line
    }

    /// Counts one more finished query or run.
    pub fn step(&self) {
        self.show(self.bar.position() + 1, self.bar.length(), "");
    }

    fn rename(&self, doing: &str) {
        self.bar.set_prefix(fit(&printable(doing), Some(DOING_COLUMNS)).into_owned());
    }

    /// Shows how much is done, of how much unless that is unknown, and a remark.
    pub(crate) fn show(&self, done: u64, total: Option<u64>, remark: &str) {
        if let Some(total) = total.filter(|total| self.bar.length() != Some(*total)) {
            self.bar.set_length(total);
            self.bar.set_style(style("{spinner} {prefix} {wide_bar:.cyan/dim} {msg}"));
        }
        self.bar.set_position(done);
        let pace = (self.bar.elapsed() >= RATED_FROM).then(|| self.bar.per_sec());
        self.bar.set_message(status_text(self.unit, done, total, pace, remark));
    }

    /// Shows the progress of an indexing run.
    pub(crate) fn show_indexing(&self, progress: &v1::IndexProgress) {
        let v1::IndexProgress { files_done, files_total, bytes: _, current: _, phase } = progress;
        match v1::IndexPhase::try_from(*phase) {
            Ok(v1::IndexPhase::Discovering) => self.bar.set_message("looking for files"),
            _ => self.show(*files_done, Some(*files_total), ""),
        }
    }

    /// Shows what is waited for. The pace counts from the beginning of the wait.
    fn show_wait(&mut self, wait: &Wait) {
        if self.unit != wait.unit {
            self.bar.reset();
            self.unit = wait.unit;
        }
        self.rename(&wait.doing);
        self.show(wait.done, wait.total, "");
    }

    /// Whether everything that was counted is done.
    fn is_full(&self) -> bool {
        self.bar.length() == Some(self.bar.position())
    }

    /// Hides the line during a call, so that its output is not overwritten.
    fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// `1,362 of 2,325 files · 120 a second · 8 s left`. `pace` is the number a second.
fn status_text(unit: Unit, done: u64, total: Option<u64>, pace: Option<f64>, remark: &str) -> String {
    let mut text = unit.amount(done);
    if let Some(total) = total {
        let _ = write!(text, " of {}", unit.amount(total));
    }
    if let Unit::Things(name) = unit {
        let _ = write!(text, " {name}");
    }
    if let Some(pace) = pace.filter(|pace| *pace >= 1.0) {
        let _ = write!(text, " · {} a second", unit.amount(pace.round() as u64));
        let left = total.map(|total| total.saturating_sub(done) as f64 / pace).filter(|left| *left >= 1.0);
        if let Some(left) = left {
            let _ = write!(text, " · {} left", span(Duration::from_secs(left.round() as u64)));
        }
    }
    if !remark.is_empty() {
        let _ = write!(text, " · {}", printable(remark));
    }
    text
}

/// Shows the files of a download, one after another.
#[derive(Debug)]
struct TransferLine {
    line: ProgressLine,
    file: String,
}

impl TransferLine {
    fn new(format: Format) -> Self {
        Self { line: ProgressLine::new(format, "fetching", Unit::Bytes), file: String::new() }
    }

    fn show(&mut self, progress: &v1::TransferProgress) {
        let v1::TransferProgress { file, bytes_done, bytes_total } = progress;
        if self.file != *file {
            // The previous file must not affect the estimate of the remaining time.
            self.line.bar.reset();
            self.line.rename(&format!("fetching {file}"));
            self.file.clone_from(file);
        }
        let is_whole = bytes_done == bytes_total;
        let total = (*bytes_total > 0).then_some(*bytes_total);
        self.line.show(*bytes_done, total, if is_whole { "verifying" } else { "" });
    }
}

/// Shows the progress, warnings and result of an indexing run until it is over.
pub(crate) async fn follow_index(
    mut events: Streaming<v1::IndexEvent>,
    client: &Client,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let output = &context.output;
    let mut bar = ProgressLine::new(output.format, "indexing", FILES);
    loop {
        let happened = tokio::select! {
            happened = events.message() => happened?,
            // After the files come the embeddings, of which the run itself says nothing.
            () = tokio::time::sleep(LOOK), if output.format == Format::Human && bar.is_full() => {
                if let Some(wait) = embedding(client, context.request_context()).await {
                    bar.show_wait(&wait);
                }
                continue;
            }
        };
        let Some(v1::IndexEvent { event }) = happened else { break };
        // A newer daemon may send events that this program does not know.
        let Some(event) = event else { continue };
        if output.format == Format::Json {
            output.json_line(&recall_api::json::answer(&event))?;
        }
        match event {
            index_event::Event::Started(_) => {}
            index_event::Event::Progress(progress) => bar.show_indexing(&progress),
            index_event::Event::Warning(warning) => bar.aside(|| output.warn(&[warning])),
            index_event::Event::Finished(finished) => {
                drop(bar);
                if output.format == Format::Human {
                    output.warn(&human::index::failures(&finished));
                    output.text(&human::index::render(&finished))?;
                }
                return Ok(human::index::exit(&finished));
            }
        }
    }
    Err(CliError::indexing_broke_off().into())
}

/// Shows the progress of an indexing run until it is over, and what could not be indexed.
pub(crate) async fn wait_for_index(mut events: Streaming<v1::IndexEvent>, output: &Output) -> Result<(), CommandError> {
    let bar = ProgressLine::new(output.format, "indexing", FILES);
    while let Some(v1::IndexEvent { event }) = events.message().await? {
        match event {
            Some(index_event::Event::Progress(progress)) => bar.show_indexing(&progress),
            Some(index_event::Event::Warning(warning)) => bar.aside(|| output.warn(&[warning])),
            Some(index_event::Event::Finished(finished)) => {
                drop(bar);
                output.warn(&human::index::failures(&finished));
                return Ok(());
            }
            Some(index_event::Event::Started(_)) | None => {}
        }
    }
    Err(CliError::indexing_broke_off().into())
}

/// Shows the progress, warnings and result of a download until it is over.
pub(crate) async fn follow_transfer(
    mut events: Streaming<v1::TransferEvent>,
    output: &Output,
) -> Result<Exit, CommandError> {
    let mut bar = TransferLine::new(output.format);
    while let Some(v1::TransferEvent { event }) = events.message().await? {
        // A newer daemon may send events that this program does not know.
        let Some(event) = event else { continue };
        if output.format == Format::Json {
            output.json_line(&recall_api::json::answer(&event))?;
        }
        match event {
            transfer_event::Event::Progress(progress) => bar.show(&progress),
            transfer_event::Event::Warning(warning) => bar.line.aside(|| output.warn(&[warning])),
            transfer_event::Event::Finished(finished) => {
                drop(bar);
                if output.format == Format::Human {
                    output.text(&human::models::format_transfer(&finished))?;
                }
                return Ok(Exit::Done);
            }
        }
    }
    Err(CliError::transfer_broke_off().into())
}

/// Waits for a response. If it takes long, shows the progress of the indexing that it waits for.
pub(crate) async fn patiently<T>(
    client: &Client,
    context: v1::RequestContext,
    format: Format,
    answer: impl Future<Output = T>,
) -> T {
    let mut answer = std::pin::pin!(answer);
    if format == Format::Json {
        return answer.await;
    }
    if !io::stderr().is_terminal() {
        let logging = async {
            loop {
                tokio::time::sleep(LOG_INTERVAL).await;
                if let Some(wait) = wait_reason(client, context.clone()).await {
                    // A closed standard error must not stop the request.
                    let _ = io::stderr().write_all(log_line(&wait).as_bytes());
                }
            }
        };
        return tokio::select! {
            biased;
            done = answer => done,
            () = logging => unreachable!("logging never ends"),
        };
    }
    tokio::select! {
        biased;
        done = &mut answer => return done,
        () = tokio::time::sleep(PATIENCE) => {}
    }
    let mut line = ProgressLine::new(format, "waiting for the daemon", FILES);
    let looking = async {
        loop {
            if let Some(wait) = wait_reason(client, context.clone()).await {
                line.show_wait(&wait);
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::select! {
        biased;
        done = answer => done,
        () = looking => unreachable!("looking never ends"),
    }
}

/// The line of a log about what a request waits for.
fn log_line(wait: &Wait) -> String {
    let Wait { doing, done, total, unit } = wait;
    format!("{}: {}\n", printable(doing), status_text(*unit, *done, *total, None, ""))
}

/// What a request waits for.
struct Wait {
    doing: String,
    done: u64,
    /// `None` while it is not known.
    total: Option<u64>,
    unit: Unit,
}

/// Returns what the daemon is doing for this project: a long operation, else an indexing run; `None` for neither.
async fn wait_reason(client: &Client, context: v1::RequestContext) -> Option<Wait> {
    let request = v1::StatusRequest { context: Some(context), ..v1::StatusRequest::default() };
    // An error here is ignored: the request itself reports it.
    let status = client.status(request).await.ok()?;
    if let Some((v1::Operation { done, total, .. }, (doing, unit))) =
        status.operations.iter().find_map(|running| Some((running, operation_words(&running.name)?)))
    {
        let total = (*total > 0).then_some(*total);
        return Some(Wait { doing: doing.to_owned(), done: *done, total, unit });
    }
    let store = status.stores.into_iter().find(|store| store.indexing.is_some_and(|run| run.running))?;
    let v1::Indexing { done, total, running: _ } = store.indexing?;
    Some(Wait { doing: format!("indexing {}", store.name), done, total: Some(total), unit: FILES })
}

/// Returns what a line says of an operation. A newer daemon may have operations that this program does not know.
fn operation_words(name: &str) -> Option<(&'static str, Unit)> {
    match name {
        "backup" => Some(("backing up", FILES)),
        "restore" => Some(("restoring", FILES)),
        "publish" => Some(("publishing", Unit::Things("documents"))),
        _ => None,
    }
}

/// Returns how far the embeddings of the project are; `None` if none is missing.
async fn embedding(client: &Client, context: v1::RequestContext) -> Option<Wait> {
    let request = v1::StatusRequest { context: Some(context), ..v1::StatusRequest::default() };
    let status = client.status(request).await.ok()?;
    let store = status.stores.into_iter().next()?;
    let (_, part) = store.embedded.iter().find(|(_, part)| **part < 1.0)?;
    let done = (part * store.chunks as f64).round() as u64;
    Some(Wait { doing: "embedding".to_owned(), done, total: Some(store.chunks), unit: Unit::Things("chunks") })
}

fn target(format: Format) -> ProgressDrawTarget {
    match format {
        Format::Human => ProgressDrawTarget::stderr(),
        Format::Json => ProgressDrawTarget::hidden(),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is written here and tested")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_much_how_fast_and_how_long() {
        let files = Unit::Things("files");
        let check = |unit, done, total, pace, remark, expected: &str| {
            assert_eq!(status_text(unit, done, total, pace, remark), expected);
        };
        check(files, 1_362, Some(2_325), Some(120.4), "", "1,362 of 2,325 files · 120 a second · 8 s left");
        check(files, 0, Some(2_325), None, "", "0 of 2,325 files");
        check(files, 2_325, Some(2_325), Some(120.0), "", "2,325 of 2,325 files · 120 a second");
        check(files, 10, Some(100_010), Some(10.0), "", "10 of 100,010 files · 10 a second · 2 h 46 min left");
        check(files, 10, Some(20), Some(0.2), "", "10 of 20 files");
        check(Unit::Bytes, 5 << 20, None, Some(2048.0), "1,234 records", "5.0 MiB · 2.0 KiB a second · 1,234 records");
        check(Unit::Bytes, 7, Some(7), None, "verifying", "7 B of 7 B · verifying");
    }

    #[test]
    fn a_log_says_what_is_waited_for() {
        let wait = |total| Wait { doing: "publishing".to_owned(), done: 0, total, unit: Unit::Things("documents") };
        assert_eq!(log_line(&wait(None)), "publishing: 0 documents\n");
        assert_eq!(log_line(&wait(Some(1_200))), "publishing: 0 of 1,200 documents\n");
    }

    #[test]
    fn lines_can_be_drawn() {
        let line = ProgressLine::new(Format::Human, "indexing", FILES);
        line.show_indexing(&v1::IndexProgress { files_done: 3, files_total: 10, ..v1::IndexProgress::default() });
        assert_eq!((line.bar.position(), line.bar.length(), &*line.bar.message()), (3, Some(10), "3 of 10 files"));
        let queries = ProgressLine::queries(Format::Human, 2);
        queries.step();
        assert_eq!((queries.bar.position(), queries.bar.length()), (1, Some(2)));
        let mut transfer = TransferLine::new(Format::Human);
        for (file, bytes_done) in [("model.onnx", 7), ("tokenizer.json", 3)] {
            transfer.show(&v1::TransferProgress { file: file.to_owned(), bytes_done, bytes_total: 10 });
        }
        assert_eq!((transfer.line.bar.position(), transfer.line.bar.length()), (3, Some(10)));
        assert_eq!(transfer.line.bar.prefix(), "fetching tokenizer.json");
    }
}
