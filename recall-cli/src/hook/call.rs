//! The call of a tool that is about to run.

use recall_api::v1::remind_request::Occasion;
use recall_config::HookSettings;
use recall_core::ContentHash;

use super::input::{Input, ToolCall, ToolKind};
use super::{Hook, HookError, MOST_SENT_BYTES, SHOWN, spent};

impl Hook {
    /// Returns what is known about the call of a tool that is about to run: about its file, its command or its pattern. The same call is
    /// answered once a session. Only who else edits the same definitions is told before each edit.
    pub(super) async fn tool_call(&self, input: &Input) -> Result<Option<String>, HookError> {
        let HookSettings { files, commands, file_budget_tokens, command_budget_tokens, .. } = self.settings;
        let Some(ToolCall { kind, subject, replacements, .. }) = &input.call else { return Ok(None) };
        if !self.adds_context(input) {
            return Ok(None);
        }
        let subject = subject[..subject.floor_char_boundary(MOST_SENT_BYTES)].to_owned();
        let (is_asked, budget_tokens) = match kind {
            ToolKind::Read | ToolKind::Edit => (files, file_budget_tokens),
            ToolKind::Search | ToolKind::Command => (commands, command_budget_tokens),
        };
        // The entry is kept in a file, and a command may contain a secret.
        let key = format!("{SHOWN}call {}", ContentHash::hash(subject.as_bytes()).short());
        let seen = self.open_seen(input)?;
        // A call that comes when the budget is spent is answered in a later turn.
        let spent = spent(&seen);
        if !is_asked || spent >= self.settings.turn_budget_tokens {
            return Ok(None);
        }
        let is_answered = seen.has(&key);
        drop(seen);
        let occasion = match kind {
            // Another session may have come to the same place since.
            ToolKind::Edit if is_answered && !replacements.is_empty() => Occasion::Edit(subject),
            _ if is_answered => return Ok(None),
            ToolKind::Read | ToolKind::Edit => Occasion::File(subject),
            ToolKind::Search => Occasion::Search(subject),
            ToolKind::Command => Occasion::Command(subject),
        };
        let client = self.connect().await?;
        let told = self.remind(&client, input, occasion, budget_tokens).await?;
        // Without an answer, what is left of the budget may have been too little.
        if told.is_some() || spent == 0 {
            let mut seen = self.open_seen(input)?;
            seen.add(&key);
            self.save(seen)?;
        }
        Ok(told)
    }
}
