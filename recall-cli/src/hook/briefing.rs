//! Briefings: at the start of a session, or with the first prompt after a late one, and at the start of a subagent.

use std::str::FromStr as _;

use recall_api::v1;
use recall_client::Client;
use recall_config::HookSettings;
use recall_core::MemoryId;
use recall_text::tokens::count;
use tonic::Status;

use super::input::Input;
use super::{Hook, HookError, OWES_BRIEFING, SHOWN, note, seen};

/// The line about the `recall` command for a subagent, which may have no MCP tools.
const COMMAND: &str = "The command `recall search \"words\"` finds code, documents and memories of this project; `recall get` prints \
                       one of them.\n";

impl Hook {
    /// Starts the session and returns its briefing.
    pub(super) async fn session_start(&self, input: &Input) -> Result<Option<String>, HookError> {
        seen::remove_old(self.context.dirs(), self.context.process_env.started);
        let HookSettings { briefing, events, briefing_budget_tokens, .. } = self.settings;
        let briefing = briefing && self.adds_context(input);
        if !briefing && !events {
            return Ok(None);
        }
        if briefing {
            // Before the daemon is asked: if it answers too late, the process ends, and the next prompt knows what is owed.
            self.owe(input);
        }
        let client = self.connect().await?;
        let context = Some(self.request_context(input));
        let start = v1::StartSessionRequest { context: context.clone(), ..v1::StartSessionRequest::default() };
        let started = async { if events { client.start_session(start).await.map(drop) } else { Ok(()) } };
        // Compaction removes from the agent's context what it did, not what it began with.
        let subject =
            if input.source == "compact" { v1::BriefingSubject::Session } else { v1::BriefingSubject::Unspecified };
        let told = async {
            if !briefing {
                return Ok(None);
            }
            self.briefing(&client, context, briefing_budget_tokens, subject).await
        };
        // Both are asked at once. A briefing is useful without a record of the session.
        let (started, told) = tokio::join!(started, told);
        match told? {
            Some(told) => Ok(Some(self.briefing_text(input, told))),
            None => Ok(started.map(|()| None)?),
        }
    }

    /// Keeps that the session has no briefing yet. If that fails, a late briefing is lost.
    fn owe(&self, input: &Input) {
        let kept = self.open_seen(input).and_then(|mut seen| {
            seen.add(OWES_BRIEFING);
            self.save(seen)
        });
        if let Err(error) = kept {
            note(&self.context, &error);
        }
    }

    /// Returns the briefing that was not ready when the session started; `None` if it was.
    pub(super) async fn late_briefing(&self, client: &Client, input: &Input) -> Option<String> {
        let (context, budget) = (Some(self.request_context(input)), self.settings.briefing_budget_tokens);
        match self.briefing(client, context, budget, v1::BriefingSubject::Unspecified).await {
            Ok(told) => told.map(|told| self.briefing_text(input, told)),
            Err(status) => {
                note(&self.context, &status.into());
                None
            }
        }
    }

    pub(super) async fn subagent_start(&self, input: &Input) -> Result<Option<String>, HookError> {
        let client = self.connect().await?;
        let budget = self.settings.subagent_budget_tokens.saturating_sub(count(COMMAND)).max(1);
        let subject = v1::BriefingSubject::Unspecified;
        let briefing = self.briefing(&client, Some(self.request_context(input)), budget, subject).await?;
        let briefing = briefing.map(|told| self.briefing_text(input, told) + "\n");
        Ok(Some(format!("{}{COMMAND}", briefing.unwrap_or_default())))
    }

    /// Returns the briefing; `None` if it has no sections.
    async fn briefing(
        &self,
        client: &Client,
        context: Option<v1::RequestContext>,
        budget_tokens: u32,
        subject: v1::BriefingSubject,
    ) -> Result<Option<v1::BriefingResponse>, Status> {
        let budget_tokens = Some(budget_tokens);
        let request =
            v1::BriefingRequest { context, budget_tokens, subject: subject.into(), ..v1::BriefingRequest::default() };
        let answer = client.briefing(request).await?;
        Ok(Some(answer).filter(|answer| !answer.sections.is_empty()))
    }

    /// Returns the text of a briefing, and keeps that its memories were shown.
    ///
    /// A briefing is shown even if that cannot be kept: it comes once.
    fn briefing_text(&self, input: &Input, told: v1::BriefingResponse) -> String {
        let kept = self.open_seen(input).and_then(|mut seen| {
            seen.remove(OWES_BRIEFING);
            if input.source == "compact" {
                seen.remove_all(SHOWN);
            }
            for cited in told.sections.iter().flat_map(|section| &section.citations) {
                if MemoryId::from_str(cited).is_ok() {
                    seen.add(&format!("{SHOWN}memory {cited}"));
                }
            }
            self.save(seen)
        });
        if let Err(error) = kept {
            note(&self.context, &error);
        }
        told.text
    }
}
