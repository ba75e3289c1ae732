//! `recall promote`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{GOOD, PATH};
use crate::{Exit, complete};

/// Arguments of `recall promote`.
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    /// The id of the memory.
    #[arg(value_name = "ID", add = ArgValueCompleter::new(complete::memories))]
    id: String,
}

pub(super) async fn run(args: PromoteArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = context.connect().await?;
    let domain = context.global.domain.clone().unwrap_or_default();
    let request = v1::PromoteRequest {
        context: Some(context.request_context()),
        id: args.id,
        to: if domain.is_empty() { v1::Scope::Global } else { v1::Scope::Domain }.into(),
        domain,
    };
    let answer = client.promote(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            let v1::PromoteResponse { id, scope: store } = &answer;
            let store = scope::store_from_proto(*store).map_or("wider", |store| store.as_str());
            output.text(&format!("{GOOD}promoted{GOOD:#} {PATH}{id}{PATH:#} to the {store} store\n"))?;
        }
    }
    Ok(Exit::Done)
}
