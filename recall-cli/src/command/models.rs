//! `recall models`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use recall_api::v1;
use recall_client::Client;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::models::{format_remove, format_use, list, row};
use crate::{Exit, progress};

/// The commands of `recall models`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the installed models, and those that can be pulled.
    #[command(after_help = examples!("recall models list"))]
    List(ListArgs),
    /// Install a model from a folder with `model.onnx`, `tokenizer.json` and the model's configuration.
    #[command(after_help = examples!("recall models add ~/models/minilm --name minilm"))]
    Add(AddArgs),
    /// Download a known model from a hub and install it.
    #[command(after_help = examples!("recall models pull all-MiniLM-L6-v2"))]
    Pull(PullArgs),
    /// Select a model. Embedding runs in the background; the previous model is used until it is done.
    #[command(after_help = examples!(
        "recall models use embed minilm",
        "recall models use embed ollama:nomic-embed-text",
        "recall models use rerank none",
    ))]
    Use(UseArgs),
    /// Delete an installed model.
    #[command(after_help = examples!("recall models rm minilm"))]
    Rm(RmArgs),
    /// Install the library that runs models.
    #[command(subcommand)]
    Runtime(RuntimeCommand),
}

/// Arguments of `recall models list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List only models for this role.
    #[arg(long)]
    role: Option<Role>,
}

/// Arguments of `recall models add`.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The model's folder.
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// The model's name [default: the name of the folder].
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
}

/// Arguments of `recall models pull`.
#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// The model's name, as shown by `recall models list`.
    name: String,
    /// The URL of a mirror of the hub [default: the setting `models.hub`].
    #[arg(long, default_value = "", hide_default_value = true, value_name = "URL")]
    mirror: String,
}

/// Arguments of `recall models use`.
#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// The role of the model.
    role: Role,
    /// The model's name; `none` to use no installed model; PROVIDER:MODEL for one that runs elsewhere.
    name: String,
}

/// Arguments of `recall models rm`.
#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// The model's name.
    name: String,
}

/// The commands of `recall models runtime`.
#[derive(Debug, Subcommand)]
pub(crate) enum RuntimeCommand {
    /// Download ONNX Runtime, verify it, and store it with recall's data.
    #[command(after_help = examples!(
        "recall models runtime install",
        "recall models runtime install --from onnxruntime.whl",
    ))]
    Install(InstallArgs),
    /// Load ONNX Runtime again after loading it has crashed the daemon.
    #[command(after_help = examples!("recall models runtime retry"))]
    Retry,
}

/// Arguments of `recall models runtime install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// A local copy of the package [default: download it].
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

/// The role of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Makes embeddings.
    Embed,
    /// Scores texts against a query.
    Rerank,
    /// Scores more texts before `rerank`: a smaller model.
    Prerank,
    /// Is a language model that scores texts against a hard question.
    Judge,
    /// Is a language model that writes what a chunk is about, before the chunk is embedded.
    Describe,
    /// Is a language model that says whether two memories contradict each other.
    Compare,
}

impl Role {
    fn name(self) -> String {
        match self {
            Self::Embed => "embed",
            Self::Rerank => "rerank",
            Self::Prerank => "prerank",
            Self::Judge => "judge",
            Self::Describe => "describe",
            Self::Compare => "compare",
        }
        .to_owned()
    }
}

pub(super) async fn run(command: ModelsCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    let client = context.connect().await?;
    match command {
        ModelsCommand::List(args) => listing(&args, &client, context).await,
        ModelsCommand::Add(args) => add(args, &client, context).await,
        ModelsCommand::Pull(PullArgs { name, mirror }) => {
            let request = v1::PullModelRequest { context: Some(context.request_context()), name, mirror };
            progress::follow_transfer(client.pull_model(request).await?, &context.output).await
        }
        ModelsCommand::Use(args) => use_model(args, &client, context).await,
        ModelsCommand::Rm(RmArgs { name }) => remove(name, &client, context).await,
        ModelsCommand::Runtime(RuntimeCommand::Install(InstallArgs { from })) => {
            let path = from.map(|path| context.absolute(&path).to_string_lossy().into_owned()).unwrap_or_default();
            let request = v1::InstallRuntimeRequest {
                context: Some(context.request_context()),
                path,
                provider: String::new(),
                retry: false,
            };
            progress::follow_transfer(client.install_runtime(request).await?, &context.output).await
        }
        ModelsCommand::Runtime(RuntimeCommand::Retry) => {
            let request = v1::InstallRuntimeRequest {
                context: Some(context.request_context()),
                retry: true,
                ..v1::InstallRuntimeRequest::default()
            };
            progress::follow_transfer(client.install_runtime(request).await?, &context.output).await
        }
    }
}

async fn listing(args: &ListArgs, client: &Client, context: &CommandContext) -> Result<Exit, CommandError> {
    let role = args.role.map(Role::name).unwrap_or_default();
    let answer = client.list_models(v1::ListModelsRequest { context: Some(context.request_context()), role }).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&list(&answer.models, output.width))?,
    }
    Ok(if answer.models.is_empty() { Exit::NothingFound } else { Exit::Done })
}

async fn add(args: AddArgs, client: &Client, context: &CommandContext) -> Result<Exit, CommandError> {
    let AddArgs { path, name } = args;
    let path = context.absolute(&path).to_string_lossy().into_owned();
    let answer = client.add_model(v1::AddModelRequest { context: Some(context.request_context()), path, name }).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&answer.model.as_ref().map(row).unwrap_or_default())?,
    }
    Ok(Exit::Done)
}

async fn use_model(args: UseArgs, client: &Client, context: &CommandContext) -> Result<Exit, CommandError> {
    let UseArgs { role, name } = args;
    let request = v1::UseModelRequest { context: Some(context.request_context()), role: role.name(), name };
    let answer = client.use_model(request).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&format_use(&answer, &role.name()))?,
    }
    Ok(Exit::Done)
}

async fn remove(name: String, client: &Client, context: &CommandContext) -> Result<Exit, CommandError> {
    let request = v1::RemoveModelRequest { context: Some(context.request_context()), name: name.clone() };
    let answer = client.remove_model(request).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&format_remove(&name, answer.bytes_freed))?,
    }
    Ok(Exit::Done)
}
