//! `recall models`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use recall_client::Client;
use recall_proto::v1;

use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::output::Format;
use crate::output::human::models::{list, removed, row, used};
use crate::{Exit, transfer};

/// The commands of `recall models`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Lists the models that are there, and those that can be pulled.
    #[command(after_help = examples!("recall models list"))]
    List(ListArgs),
    /// Installs a model from a folder with `model.onnx`, `tokenizer.json` and the model's configuration.
    #[command(after_help = examples!("recall models add ~/models/minilm --name minilm"))]
    Add(AddArgs),
    /// Fetches a known model from a hub and installs it.
    #[command(after_help = examples!("recall models pull all-MiniLM-L6-v2"))]
    Pull(PullArgs),
    /// Uses a model from now on. What it is to embed is embedded in the background; until then the former one answers.
    #[command(after_help = examples!("recall models use embed minilm", "recall models use rerank none"))]
    Use(UseArgs),
    /// Deletes an installed model.
    #[command(after_help = examples!("recall models rm minilm"))]
    Rm(RmArgs),
    /// Installs the library that runs models.
    #[command(subcommand)]
    Runtime(RuntimeCommand),
}

/// Arguments of `recall models list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only models for this.
    #[arg(long)]
    role: Option<Role>,
}

/// Arguments of `recall models add`.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The model's folder.
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// Its name; otherwise that of the folder.
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
}

/// Arguments of `recall models pull`.
#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    /// The model's name, as `recall models list` has it.
    name: String,
    /// The address of a mirror of the hub; otherwise the setting `models.hub`.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "URL")]
    mirror: String,
}

/// Arguments of `recall models use`.
#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// For what.
    role: Role,
    /// The model's name; `none` for no installed one.
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
    /// Fetches ONNX Runtime, verifies it, and keeps it beside recall's data.
    #[command(after_help = examples!(
        "recall models runtime install",
        "recall models runtime install --from onnxruntime.whl",
    ))]
    Install(InstallArgs),
    /// Loads ONNX Runtime again after it ended the daemon while it was being loaded.
    #[command(after_help = examples!("recall models runtime retry"))]
    Retry,
}

/// Arguments of `recall models runtime install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The package, where it is at hand; otherwise it is fetched.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Makes embeddings.
    Embed,
    /// Scores texts against a query.
    Rerank,
}

impl Role {
    fn name(self) -> String {
        match self {
            Self::Embed => "embed",
            Self::Rerank => "rerank",
        }
        .to_owned()
    }
}

pub(super) async fn run(command: ModelsCommand, invocation: &Invocation) -> Result<Exit, CommandError> {
    let client = invocation.connect().await?;
    match command {
        ModelsCommand::List(args) => listing(&args, &client, invocation).await,
        ModelsCommand::Add(args) => add(args, &client, invocation).await,
        ModelsCommand::Pull(PullArgs { name, mirror }) => {
            let request = v1::PullModelRequest { context: Some(invocation.context()), name, mirror };
            transfer::follow(client.pull_model(request).await?, &invocation.output).await
        }
        ModelsCommand::Use(args) => use_model(args, &client, invocation).await,
        ModelsCommand::Rm(RmArgs { name }) => remove(name, &client, invocation).await,
        ModelsCommand::Runtime(RuntimeCommand::Install(InstallArgs { from })) => {
            let path = from.map(|path| invocation.absolute(&path).to_string_lossy().into_owned()).unwrap_or_default();
            let context = Some(invocation.context());
            let request = v1::InstallRuntimeRequest { context, path, provider: String::new(), retry: false };
            transfer::follow(client.install_runtime(request).await?, &invocation.output).await
        }
        ModelsCommand::Runtime(RuntimeCommand::Retry) => {
            let context = Some(invocation.context());
            let request = v1::InstallRuntimeRequest { context, retry: true, ..v1::InstallRuntimeRequest::default() };
            transfer::follow(client.install_runtime(request).await?, &invocation.output).await
        }
    }
}

async fn listing(args: &ListArgs, client: &Client, invocation: &Invocation) -> Result<Exit, CommandError> {
    let role = args.role.map(Role::name).unwrap_or_default();
    let answer = client.list_models(v1::ListModelsRequest { context: Some(invocation.context()), role }).await?;
    let output = &invocation.output;
    match output.format {
        Format::Json => output.json(&recall_json::models(&answer))?,
        Format::Human => output.text(&list(&answer.models, output.width))?,
    }
    Ok(if answer.models.is_empty() { Exit::NothingFound } else { Exit::Done })
}

async fn add(args: AddArgs, client: &Client, invocation: &Invocation) -> Result<Exit, CommandError> {
    let AddArgs { path, name } = args;
    let path = invocation.absolute(&path).to_string_lossy().into_owned();
    let answer = client.add_model(v1::AddModelRequest { context: Some(invocation.context()), path, name }).await?;
    let output = &invocation.output;
    match output.format {
        Format::Json => output.json(&recall_json::model_added(&answer))?,
        Format::Human => output.text(&answer.model.as_ref().map(row).unwrap_or_default())?,
    }
    Ok(Exit::Done)
}

async fn use_model(args: UseArgs, client: &Client, invocation: &Invocation) -> Result<Exit, CommandError> {
    let UseArgs { role, name } = args;
    let request = v1::UseModelRequest { context: Some(invocation.context()), role: role.name(), name };
    let answer = client.use_model(request).await?;
    let output = &invocation.output;
    match output.format {
        Format::Json => output.json(&recall_json::model_used(&answer))?,
        Format::Human => output.text(&used(&answer, &role.name()))?,
    }
    Ok(Exit::Done)
}

async fn remove(name: String, client: &Client, invocation: &Invocation) -> Result<Exit, CommandError> {
    let request = v1::RemoveModelRequest { context: Some(invocation.context()), name: name.clone() };
    let answer = client.remove_model(request).await?;
    let output = &invocation.output;
    match output.format {
        Format::Json => output.json(&recall_json::model_removed(&answer))?,
        Format::Human => output.text(&removed(&name, answer.bytes_freed))?,
    }
    Ok(Exit::Done)
}
