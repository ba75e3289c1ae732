//! `recall hook`

use std::time::Instant;

use clap::Args;
use recall_agents::HookEvent;

use crate::Exit;
use crate::agents;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::hook;
use crate::hook::contract::Contract;

/// Arguments of `recall hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    // Not an enumeration: the settings of a newer client may name events that this version does not know.
    #[arg(value_name = "EVENT", help = event_help())]
    event: String,
    #[arg(long, default_value = "claude-code", value_name = "AGENT", help = client_help())]
    client: String,
    /// The hook is the plugin's: if recall's hooks are in the settings of Claude Code too, print and record nothing.
    #[arg(long)]
    from_plugin: bool,
}

fn event_help() -> String {
    let events = HookEvent::ALL.map(|event| format!("`{}`", event.as_str())).join(", ");
    format!("The event: {events}. An unknown one is ignored")
}

fn client_help() -> String {
    let agents = recall_agents::agents().iter().filter(|agent| agent.has_hook_contract());
    let names: Vec<_> = agents.map(|agent| format!("`{}`", agent.name)).collect();
    format!("The agent: {}. Events that it does not have are ignored", names.join(", "))
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
