//! Progress of long operations: bars, spinners, and the streams of events of indexing runs and downloads.
//!
//! Bars and spinners are drawn on standard error, and only if it is a terminal: indicatif draws nothing otherwise.

use std::future::Future;
use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recall_api::v1::{self, index_event, transfer_event};
use recall_client::Client;
use tonic::Streaming;

use crate::Exit;
use crate::error::{CliError, CommandError};
use crate::output::human::quantity::{bytes, count};
use crate::output::human::text::printable;
use crate::output::{Format, Output, human};

/// The delay before a spinner appears. For faster work it would only flicker.
const PATIENCE: Duration = Duration::from_millis(300);

/// The interval between two requests for the progress.
const LOOK: Duration = Duration::from_millis(200);

/// The interval between two redraws of a bar.
const TICK: Duration = Duration::from_millis(80);

/// A bar for queries that run one after another.
#[derive(Debug)]
pub struct QueryBar {
    bar: ProgressBar,
}

impl QueryBar {
    /// Shows a bar for a number of queries.
    pub fn new(format: Format, queries: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(queries), target(format));
        bar.set_style(style("{spinner} {prefix} {wide_bar:.cyan/dim} {human_pos}/{human_len}"));
        bar.set_prefix("asking");
        Self { bar }
    }

    /// Counts one more finished query.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for QueryBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for an indexing run.
pub(crate) struct IndexBar {
    bar: ProgressBar,
}

impl IndexBar {
    pub(crate) fn new(format: Format) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), target(format));
        bar.set_style(style("{spinner} {prefix} {wide_bar:.cyan/dim} {human_pos}/{human_len} {msg}"));
        bar.set_prefix("indexing");
        Self { bar }
    }

    pub(crate) fn show(&self, progress: &v1::IndexProgress) {
        let v1::IndexProgress { files_done, files_total, bytes: read, current: _, phase } = progress;
        self.bar.set_length(*files_total);
        self.bar.set_position(*files_done);
        if *phase == i32::from(v1::IndexPhase::Discovering) {
            self.bar.set_message("looking for files");
        } else {
            self.bar.set_message(bytes(*read));
        }
    }

    /// Hides the bar during a call, so that its output is not overwritten.
    fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }
}

impl Drop for IndexBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A line for an export or an import, whose end is unknown.
pub(crate) struct RecordLine {
    bar: ProgressBar,
}

impl RecordLine {
    /// Shows a line that begins with a word.
    pub(crate) fn new(format: Format, doing: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, target(format));
        bar.set_style(style("{spinner} {prefix} {binary_bytes} {msg}"));
        bar.set_prefix(doing);
        Self { bar }
    }

    /// Shows how much was transferred, and how many records that are, unless they are not counted.
    pub(crate) fn show(&self, bytes_done: u64, records: Option<u64>) {
        self.bar.set_position(bytes_done);
        if let Some(records) = records {
            self.bar.set_message(format!("{} records", count(records)));
        }
    }
}

impl Drop for RecordLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for files that are downloaded one after another.
pub(crate) struct TransferBar {
    bar: ProgressBar,
    file: String,
}

impl TransferBar {
    pub(crate) fn new(format: Format) -> Self {
        let bar = ProgressBar::with_draw_target(None, target(format));
        bar.set_style(style("{spinner} {prefix} {wide_bar:.cyan/dim} {binary_bytes}/{binary_total_bytes} {eta} {msg}"));
        bar.set_prefix("fetching");
        Self { bar, file: String::new() }
    }

    pub(crate) fn show(&mut self, progress: &v1::TransferProgress) {
        let v1::TransferProgress { file, bytes_done, bytes_total } = progress;
        if self.file != *file {
            // The previous file must not affect the estimate of the remaining time.
            self.bar.reset();
            self.bar.set_message(printable(file).into_owned());
            self.file.clone_from(file);
        }
        if *bytes_total > 0 {
            self.bar.set_length(*bytes_total);
        }
        self.bar.set_position(*bytes_done);
        if bytes_done == bytes_total {
            self.bar.set_message(format!("{}, verifying", printable(file)));
        }
    }

    /// Hides the bar during a call, so that its output is not overwritten.
    fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }
}

impl Drop for TransferBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Shows the progress, warnings and result of an indexing run until it is over.
pub(crate) async fn follow_index(mut events: Streaming<v1::IndexEvent>, output: &Output) -> Result<Exit, CommandError> {
    let bar = IndexBar::new(output.format);
    while let Some(v1::IndexEvent { event }) = events.message().await? {
        // A newer daemon may send events that this program does not know.
        let Some(event) = event else { continue };
        if output.format == Format::Json {
            output.json_line(&recall_api::json::answer(&event))?;
        }
        match event {
            index_event::Event::Started(_) => {}
            index_event::Event::Progress(progress) => bar.show(&progress),
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
    let bar = IndexBar::new(output.format);
    while let Some(v1::IndexEvent { event }) = events.message().await? {
        match event {
            Some(index_event::Event::Progress(progress)) => bar.show(&progress),
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
    let mut bar = TransferBar::new(output.format);
    while let Some(v1::TransferEvent { event }) = events.message().await? {
        // A newer daemon may send events that this program does not know.
        let Some(event) = event else { continue };
        if output.format == Format::Json {
            output.json_line(&recall_api::json::answer(&event))?;
        }
        match event {
            transfer_event::Event::Progress(progress) => bar.show(&progress),
            transfer_event::Event::Warning(warning) => bar.aside(|| output.warn(&[warning])),
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
    if format == Format::Json || !io::stderr().is_terminal() {
        return answer.await;
    }
    tokio::select! {
        biased;
        done = &mut answer => return done,
        () = tokio::time::sleep(PATIENCE) => {}
    }
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    spinner.set_style(style("{spinner} {msg}"));
    spinner.enable_steady_tick(TICK);
    spinner.set_message("waiting for the daemon");
    let looking = async {
        loop {
            if let Some(text) = indexing(client, context.clone()).await {
                spinner.set_message(text);
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    let done = tokio::select! {
        biased;
        done = answer => done,
        () = looking => unreachable!("looking never ends"),
    };
    spinner.finish_and_clear();
    done
}

/// Describes the progress of the indexing run in the scope of this request; `None` if there is none.
async fn indexing(client: &Client, context: v1::RequestContext) -> Option<String> {
    let request = v1::StatusRequest { context: Some(context), ..v1::StatusRequest::default() };
    // An error here is ignored: the request itself reports it.
    let status = client.status(request).await.ok()?;
    let store = status.stores.into_iter().find(|store| store.indexing.is_some_and(|run| run.running))?;
    let v1::Indexing { done, total, running: _ } = store.indexing?;
    Some(format!("indexing {}: {} of {} files", printable(&store.name), count(done), count(total)))
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
    fn bars_can_be_drawn() {
        let bar = IndexBar::new(Format::Human);
        bar.show(&v1::IndexProgress { files_done: 3, files_total: 10, ..v1::IndexProgress::default() });
        assert_eq!((bar.bar.position(), bar.bar.length()), (3, Some(10)));
        let queries = QueryBar::new(Format::Human, 2);
        queries.step();
        assert_eq!((queries.bar.position(), queries.bar.length()), (1, Some(2)));
        style("{spinner} {msg}");
        let mut transfer = TransferBar::new(Format::Human);
        for (file, bytes_done) in [("model.onnx", 7), ("tokenizer.json", 3)] {
            transfer.show(&v1::TransferProgress { file: file.to_owned(), bytes_done, bytes_total: 10 });
        }
        assert_eq!((transfer.bar.position(), transfer.bar.length()), (3, Some(10)));
        assert_eq!(transfer.bar.message(), "tokenizer.json");
    }
}
