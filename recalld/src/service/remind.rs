//! `Remind`: what an agent should know about a prompt, a file, a command, a search or a failed command.

use std::time::Duration;

use recall_api::convert::{limits, remember};
use recall_api::v1::remind_request::Occasion as Asked;
use recall_api::v1::{self, FailedCommand, RemindRequest, RemindResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::{Limits, Provenance};
use recall_engine::{
    ItemUse, Occasion, Origin, RemindRequest as Request, Reminder, ReminderSubject, Reminders, SearchError,
};
use tonic::Status;

use super::{Service, context, warning};
use crate::daemon::Daemon;

pub(super) async fn handle(service: &Service, request: RemindRequest) -> Result<RemindResponse, Status> {
    let RemindRequest { context, occasion, budget_tokens, place_confidence, memory_confidence, shown, others_within_s } =
        request;
    let asked = Request {
        occasion: self::occasion(occasion, &service.daemon.settings.limits)?,
        budget_tokens: limits::reminder_tokens(budget_tokens)?,
        place_confidence: confidence("place_confidence", place_confidence)?,
        memory_confidence: confidence("memory_confidence", memory_confidence)?,
        shown: shown.into_iter().collect(),
        session: context.as_ref().map(|context| context.session_id.clone()).filter(|id| !id.is_empty()),
        others_within: Duration::from_secs(others_within_s.into()),
        scope: service.daemon.settings.search.scope,
    };
    let session = context::session(context.as_ref());
    let provenance = remember::provenance(&context.clone().unwrap_or_default());
    let origin = context::origin(context)?;
    let found = service.call_short(move |daemon| remind(daemon, &origin, &provenance, &asked)).await?;
    let Reminders { heading, reminders, footing, warnings } = found;
    let mut response = RemindResponse {
        heading,
        reminders: reminders.into_iter().map(to_proto).collect(),
        footing: footing.to_owned(),
        warnings: warning::to_proto(warnings),
    };
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

/// Answers an occasion, and notes that the session reads or edits the file.
fn remind(
    daemon: &Daemon,
    origin: &Origin,
    provenance: &Provenance,
    asked: &Request,
) -> Result<Reminders, SearchError> {
    if let Occasion::File(file) = &asked.occasion {
        daemon.engine.note_use(origin, provenance, ItemUse::Files(std::slice::from_ref(file)));
    }
    daemon.engine.remind(origin, asked)
}

fn occasion(asked: Option<Asked>, bounds: &Limits) -> Result<Occasion, InvalidRequest> {
    match asked {
        None => Err(InvalidRequest::new("occasion", Problem::Empty)),
        Some(Asked::Prompt(prompt)) => Ok(Occasion::Prompt(prompt)),
        Some(Asked::File(file)) if file.trim().is_empty() => Err(InvalidRequest::new("file", Problem::Empty)),
        Some(Asked::File(file)) => Ok(Occasion::File(file)),
        Some(Asked::Command(command)) => Ok(Occasion::Command(command)),
        Some(Asked::Search(pattern)) => Ok(Occasion::Search(pattern)),
        Some(Asked::Failure(FailedCommand { command, output })) => {
            limits::query_text("failure.output", &output, bounds)?;
            Ok(Occasion::Failure { command, output })
        }
    }
}

fn confidence(field: &'static str, value: f64) -> Result<f64, InvalidRequest> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    let expected = "a number from 0 to 1";
    Err(InvalidRequest::new(field, Problem::Malformed { value: value.to_string(), expected }))
}

fn to_proto(reminder: Reminder) -> v1::Reminder {
    let Reminder { key, subject, reason, text } = reminder;
    let reminder = v1::Reminder { key, text, reason, ..v1::Reminder::default() };
    match subject {
        ReminderSubject::Memory(id) => v1::Reminder { memory_id: id.to_string(), ..reminder },
        ReminderSubject::Place(path) => v1::Reminder { path, ..reminder },
        ReminderSubject::Session(session_id) => v1::Reminder { session_id, ..reminder },
    }
}
