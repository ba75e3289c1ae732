//! The loop's session, in which its milestones are recorded.

use recall_api::v1::{self, RequestContext};
use recall_client::Client;
use recall_core::EndReason;
use uuid::Uuid;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::human::style::WARNING;
use crate::output::human::text::printable;

/// Records events. The loop does not depend on the daemon: if a record fails, a warning says so once.
pub(super) struct Recorder<'a> {
    client: Option<Client>,
    request_context: RequestContext,
    context: &'a CommandContext,
    /// Whether the environment names no session, so that the loop has begun its own and must end it.
    is_own: bool,
}

impl<'a> Recorder<'a> {
    /// Joins the session of the environment, or starts one.
    pub(super) async fn start(goal: &str, context: &'a CommandContext) -> Self {
        let mut request_context = context.request_context();
        let is_own = request_context.session_id.is_empty();
        if is_own {
            request_context.session_id = Uuid::new_v4().to_string();
        }
        let mut recorder = Self { client: None, request_context, context, is_own };
        match context.connect().await {
            Ok(client) => recorder.client = Some(client),
            Err(error) => recorder.give_up(error),
        }
        let request = v1::StartSessionRequest {
            context: Some(recorder.request_context.clone()),
            goal: goal.to_owned(),
            briefing: false,
        };
        if let Some(client) = recorder.client.clone().filter(|_| is_own)
            && let Err(error) = client.start_session(request).await
        {
            recorder.give_up(error.into());
        }
        recorder
    }

    /// The session's id, for the agents.
    pub(super) fn session(&self) -> &str {
        &self.request_context.session_id
    }

    /// Records an event.
    pub(super) async fn log(&mut self, event_type: &str, content: String) {
        let Some(client) = self.client.clone() else { return };
        let request = v1::LogEventRequest {
            context: Some(self.request_context.clone()),
            r#type: event_type.to_owned(),
            content,
            ..v1::LogEventRequest::default()
        };
        if let Err(error) = client.log_event(request).await {
            self.give_up(error.into());
        }
    }

    /// Ends the loop's own session.
    pub(super) async fn end(mut self) {
        let Some(client) = self.client.clone().filter(|_| self.is_own) else { return };
        let request = v1::EndSessionRequest {
            context: Some(self.request_context.clone()),
            reason: EndReason::End.as_str().to_owned(),
            ..v1::EndSessionRequest::default()
        };
        if let Err(error) = client.end_session(request).await {
            self.give_up(error.into());
        }
    }

    fn give_up(&mut self, error: CommandError) {
        self.client = None;
        let why = match error {
            CommandError::Failed(error) => {
                let CliError { message, .. } = *error;
                message
            }
            CommandError::ReaderGone => return,
        };
        let output = &self.context.output;
        output.note(&format!("{WARNING}warning{WARNING:#}: events of this loop are not recorded: {}", printable(&why)));
    }
}
