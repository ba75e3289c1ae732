//! Output of a command during a download.

use recall_proto::v1::TransferEvent;
use recall_proto::v1::transfer_event::Event;
use tonic::Streaming;

use crate::Exit;
use crate::complaint::{CommandError, Complaint};
use crate::output::{Format, Output, human};
use crate::progress::TransferBar;

/// Shows a transfer until it is over.
pub(crate) async fn follow(mut events: Streaming<TransferEvent>, output: &Output) -> Result<Exit, CommandError> {
    let mut bar = TransferBar::new(output.format);
    while let Some(TransferEvent { event }) = events.message().await? {
        // A newer daemon may send events that this program does not know.
        let Some(event) = event else { continue };
        if output.format == Format::Json {
            output.json_line(&recall_json::transfer_line(&event))?;
        }
        match event {
            Event::Progress(progress) => bar.show(&progress),
            Event::Warning(warning) => bar.aside(|| output.warn(&[warning])),
            Event::Finished(finished) => {
                drop(bar);
                if output.format == Format::Human {
                    output.text(&human::models::fetched(&finished))?;
                }
                return Ok(Exit::Done);
            }
        }
    }
    Err(Complaint::transfer_broke_off().into())
}
