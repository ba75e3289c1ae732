//! Output of a command during an indexing run.

use recall_proto::v1::IndexEvent;
use recall_proto::v1::index_event::Event;
use tonic::Streaming;

use crate::Exit;
use crate::complaint::{CommandError, Complaint};
use crate::output::{Format, Output, human};
use crate::progress::IndexBar;

/// Shows a run until it is over.
pub(crate) async fn follow(mut events: Streaming<IndexEvent>, output: &Output) -> Result<Exit, CommandError> {
    let bar = IndexBar::new(output.format);
    while let Some(IndexEvent { event }) = events.message().await? {
        // A newer daemon may send events that this program does not know.
        let Some(event) = event else { continue };
        if output.format == Format::Json {
            output.json_line(&recall_json::index_line(&event))?;
        }
        match event {
            Event::Started(_) => {}
            Event::Progress(progress) => bar.show(&progress),
            Event::Warning(warning) => bar.aside(|| output.warn(&[warning])),
            Event::Finished(finished) => {
                drop(bar);
                if output.format == Format::Human {
                    output.warn(&human::index::failures(&finished));
                    output.text(&human::index::render(&finished))?;
                }
                return Ok(human::index::exit(&finished));
            }
        }
    }
    Err(Complaint::indexing_broke_off().into())
}
