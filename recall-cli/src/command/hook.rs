//! `recall hook`

use std::time::Instant;

use clap::Args;

use crate::Exit;
use crate::agents;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::hook;
use crate::hook::contract::Contract;

/// Arguments of `recall hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The event: `session-start`, `prompt`, `pre-tool`, `post-tool`, `pre-compact`, `stop`, `session-end`, `subagent-start`.
    /// An unknown one is ignored.
    // Not an enumeration: the settings of a newer client may name events that this version does not know.
    #[arg(value_name = "EVENT")]
    event: String,
    /// The agent: `claude-code`, `codex`, `gemini`, `qwen`. Events that it does not have are ignored.
    #[arg(long, default_value = "claude-code", value_name = "AGENT")]
    client: String,
    /// The hook is the plugin's: if recall's hooks are in the settings of Claude Code too, print and record nothing.
    #[arg(long)]
    from_plugin: bool,
}

pub(super) fn run(args: &HookArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let began = Instant::now();
    let HookArgs { event, client, from_plugin } = args;
    if *from_plugin && agents::settings_have_hooks(context) {
        hook::discard_input(context, began);
        return Ok(Exit::Done);
    }
    let Some(contract) = Contract::find(client, event) else {
        context.output.note(&format!("recall hook: `{client}` has no event `{event}` that recall answers"));
        return Ok(Exit::Done);
    };
    match hook::answer(contract, context, began) {
        Ok(Some(answer)) => hook::write(&answer)?,
        Ok(None) => {}
        Err(error) => hook::note(context, &error),
    }
    Ok(Exit::Done)
}
