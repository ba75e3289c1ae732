//! The mapping of errors of models to reasons for clients, with a hint if the error needs one of its own.

use std::io;

use recall_api::{Failure, Reason};
use recall_models::providers::{NameError, ProviderError, ProviderSetError};
use recall_models::{
    AddError, DescribeError, FetchError, FolderError, InstallError, LoadError, PullError, RuntimeError,
};
use recall_text::error_chain;

use super::IntoFailure;
use crate::models::{ModelsError, RemoteError};

/// The hint if the runtime is missing.
const INSTALL: &str = "install it with `recall models runtime install`";

/// The hint if the runtime is damaged.
const REINSTALL: &str = "install it again with `recall models runtime install`";

/// The hint if the runtime crashed the daemon.
const RETRY: &str = "install it again with `recall models runtime install`, or name another library in `models.runtime`; \
                     `recall models runtime retry` loads the same one again";

/// The hint if the network or a server failed.
const MIRROR: &str = "run the command again: what arrived is kept. Behind a proxy set `models.proxy`; `models.hub` and \
                      `models.index` name mirrors";

/// The hint if the files in a folder are not a model.
const LAYOUT: &str = "the folder of a model holds `model.onnx` (or `onnx/model.onnx`), `tokenizer.json` and the model's \
                      configuration; `recall-model.json` may say what that does not";

/// The hint if a model is damaged.
const AGAIN: &str = "remove the model and install it again";

impl IntoFailure for ModelsError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::Folder(error) => folder_failure(&error, message),
            Self::Add(error) => add_failure(&error, message),
            Self::Pull(error) => pull_failure(&error, message),
            Self::Runtime(error) => runtime_failure(&error, message),
            Self::Install(error) => install_failure(&error, message),
            Self::Remote(error) => remote_failure(&error, message),
            Self::Fetch(error) => fetch_failure(&error, message),
            Self::NoFolder { path } => {
                Failure::new(Reason::NotFound, message).with_detail("path", path.to_string_lossy())
            }
            Self::Unknown { name } => Failure::new(Reason::NotFound, message)
                .with_detail("name", name)
                .with_hint("`recall models list` shows those that can be pulled; `recall models add` takes any folder"),
            Self::Vanished { .. } => Failure::new(Reason::Conflict, message).with_hint(AGAIN),
            Self::NothingDescribed => Failure::new(Reason::InvalidArgument, message).with_hint(
                "choose one first: `recall models use embed …`; `recall models list --role embed` shows them",
            ),
            Self::BuiltInIsOff => Failure::new(Reason::InvalidArgument, message)
                .with_detail("setting", "search.model")
                .with_hint("set `search.model = \"static\"` in your recall.toml and restart the daemon"),
            Self::BuiltInStays => Failure::new(Reason::InvalidArgument, message)
                .with_detail("setting", "search.model")
                .with_hint("set `search.model = \"none\"` in your recall.toml to leave it out"),
            Self::NoPackage { path } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("path", path.to_string_lossy())
                .with_hint("name the library in the setting `models.runtime` and restart the daemon"),
            Self::NoProvider { .. } => Failure::new(Reason::Unsupported, message).with_hint(
                "install an ONNX Runtime with that provider, name its library in `models.runtime`, and set \
                 `models.providers`",
            ),
        }
    }
}

fn folder_failure(error: &FolderError, message: String) -> Failure {
    match error {
        FolderError::BadName { name } => Failure::new(Reason::InvalidArgument, message)
            .with_detail("name", name)
            .with_hint("give it another name with `--name`"),
        FolderError::NotInstalled { name } => Failure::new(Reason::NotFound, message)
            .with_detail("name", name)
            .with_hint("`recall models list` shows the installed ones; `recall models pull` and `add` install one"),
        FolderError::InUse { role, .. } => Failure::new(Reason::Conflict, message)
            .with_hint(format!("use another one first, or none: `recall models use {role} none`")),
        FolderError::OtherRole { found, name, .. } => Failure::new(Reason::InvalidArgument, message)
            .with_detail("name", name)
            .with_hint(format!("it can be used to {found}")),
        FolderError::Manifest(_) => Failure::new(Reason::EmbeddingFailed, message).with_hint(AGAIN),
        FolderError::Malformed { path, .. } => Failure::new(Reason::EmbeddingFailed, message)
            .with_detail("path", path.to_string_lossy())
            .with_hint("delete the file, and choose the models again with `recall models use`"),
        FolderError::Unreadable { source, .. } | FolderError::Unwritable { source, .. } => io_failure(source, message),
    }
}

fn add_failure(error: &AddError, message: String) -> Failure {
    let refused = |message| Failure::new(Reason::InvalidArgument, message);
    match error {
        AddError::Folder(error) => folder_failure(error, message),
        AddError::AlreadyThere { name } => Failure::new(Reason::Conflict, message)
            .with_detail("name", name)
            .with_hint("remove it first, or add it under another name with `--name`"),
        AddError::Missing { path } => refused(message).with_detail("path", path.to_string_lossy()).with_hint(LAYOUT),
        AddError::OnlyWeights { folder, weights } => {
            let hint = format!(
                "recall runs ONNX networks: take the folder `onnx` of the model's repository, or export one in Python with \
                 `pip install optimum[onnx]` and `optimum-cli export onnx --model {} OUTPUT`, then add OUTPUT",
                folder.display()
            );
            refused(message).with_detail("path", weights.to_string_lossy()).with_hint(hint)
        }
        AddError::Describe(error) => {
            let (DescribeError::Unreadable { path, .. }
            | DescribeError::Malformed { path, .. }
            | DescribeError::UnknownPooling { path }) = error;
            refused(message)
                .with_detail("path", path.to_string_lossy())
                .with_hint("correct the file, or say in `recall-model.json` how the model is used")
        }
        AddError::Load(error) => load_failure(error, message),
        AddError::Run(_) => Failure::new(Reason::EmbeddingFailed, message)
            .with_hint("the network does not work; export it again, in fp32 if it is quantised"),
        AddError::WrongDimensions { .. } => refused(message)
            .with_hint("correct `dimensions` in `recall-model.json`, or take the network that belongs to it"),
        AddError::Unwritable { source, .. } => io_failure(source, message),
    }
}

fn load_failure(error: &LoadError, message: String) -> Failure {
    let refused = |path: &std::path::Path| {
        Failure::new(Reason::InvalidArgument, message.clone()).with_detail("path", path.to_string_lossy())
    };
    match error {
        LoadError::Manifest(_) => Failure::new(Reason::EmbeddingFailed, message).with_hint(AGAIN),
        LoadError::Unreadable { source, .. } => io_failure(source, message),
        LoadError::Changed { path, .. } => {
            Failure::new(Reason::EmbeddingFailed, message).with_detail("path", path.to_string_lossy()).with_hint(AGAIN)
        }
        LoadError::Tokenizer { path, .. } => {
            refused(path).with_hint("take the `tokenizer.json` that belongs to the model")
        }
        LoadError::Network { path, .. } => {
            refused(path).with_hint("check that the file is whole, and an ONNX network that the runtime knows")
        }
        LoadError::NotAnEncoder { path, .. } => refused(path).with_hint(
            "recall runs networks that take `input_ids` and return one embedding per text or one state per token",
        ),
        LoadError::OtherKind { path, .. } => refused(path),
    }
}

fn remote_failure(error: &RemoteError, message: String) -> Failure {
    let refused = |message| Failure::new(Reason::InvalidArgument, message);
    let failed = |message| Failure::new(Reason::EmbeddingFailed, message);
    match error {
        RemoteError::Name(NameError::Malformed { name }) => refused(message)
            .with_detail("name", name)
            .with_hint("a remote model is named PROVIDER:MODEL; an installed one has no colon in its name"),
        RemoteError::Provider(ProviderSetError::Unknown { name, .. }) => refused(message)
            .with_detail("name", name)
            .with_hint("add the server's address to `remote.compatible` in your recall.toml, and restart the daemon"),
        RemoteError::NotChosen { name } => Failure::new(Reason::NotFound, message)
            .with_detail("name", name)
            .with_hint(format!("choose it with `recall models use embed {name}`")),
        RemoteError::Moved { name, now, .. } => failed(message).with_hint(format!(
            "nothing is sent to {now} until you choose the model again: `recall models use embed {name}`"
        )),
        RemoteError::OtherRole { name, .. } => refused(message)
            .with_detail("name", name)
            .with_hint(format!("a language model can be used to judge: `recall models use judge {name}`")),
        RemoteError::Remembered(_) => {
            failed(message).with_hint("delete the file, and choose the model again with `recall models use embed`")
        }
        RemoteError::Request(error @ (ProviderError::NoEmbeddings { .. } | ProviderError::NoLanguageModels { .. })) => {
            refused(message).with_hint(request_hint(error))
        }
        RemoteError::Request(error) => failed(message).with_hint(request_hint(error)),
    }
}

/// Returns the hint for a request to a provider that failed.
fn request_hint(error: &ProviderError) -> String {
    match error {
        ProviderError::NoKey { variable, .. } => format!(
            "the key is read from the environment of the daemon only: `export {variable}=…`, then `recall daemon restart`"
        ),
        ProviderError::NoEmbeddings { .. } => {
            "Anthropic recommends Voyage for embeddings: `recall models use embed voyage:voyage-code-3`".to_owned()
        }
        ProviderError::NoLanguageModels { .. } => {
            "take one of Anthropic, OpenAI, Ollama or `remote.compatible`".to_owned()
        }
        ProviderError::ExposedKey { .. } => {
            "use an address that begins with https://, or run the server on this machine".to_owned()
        }
        ProviderError::Network { .. } | ProviderError::Late { .. } => {
            "check that the server runs, and its address in the section [remote] of your recall.toml".to_owned()
        }
        ProviderError::Refused { status: 401 | 403, .. } => {
            "check the key in the environment of the daemon, and run `recall daemon restart`".to_owned()
        }
        ProviderError::Refused { status: 404, .. } => {
            "check the name of the model; Ollama fetches one with `ollama pull MODEL`".to_owned()
        }
        ProviderError::Refused { .. } => "check the name of the model and its dimensions".to_owned(),
        ProviderError::Busy { .. } | ProviderError::Paused { .. } => "try again later".to_owned(),
        ProviderError::BadAnswer { .. } => {
            "check that the model makes embeddings, and that the address is right".to_owned()
        }
        ProviderError::BudgetSpent { .. } => "raise `remote.daily_tokens` in your recall.toml".to_owned(),
        ProviderError::Proxy { .. } => "correct `models.proxy` in your recall.toml".to_owned(),
    }
}

fn pull_failure(error: &PullError, message: String) -> Failure {
    match error {
        PullError::Busy { name } => Failure::new(Reason::Conflict, message).with_detail("name", name),
        PullError::Fetch(error) => fetch_failure(error, message),
        PullError::Malformed { url, .. } | PullError::NoChecksum { url } => Failure::new(Reason::FetchFailed, message)
            .with_detail("url", url)
            .with_hint("check that the server is a hub of models, or a mirror of one"),
        PullError::NotInHub { file, .. } => {
            Failure::new(Reason::FetchFailed, message).with_detail("file", file).with_hint(MIRROR)
        }
        PullError::Add(error) => add_failure(error, message),
        PullError::Unwritable { source, .. } => io_failure(source, message),
    }
}

fn fetch_failure(error: &FetchError, message: String) -> Failure {
    let failed = |message| Failure::new(Reason::FetchFailed, message);
    match error {
        FetchError::Refused { url, status: _ } | FetchError::Failed { url, .. } | FetchError::Truncated { url, .. } => {
            failed(message).with_detail("url", url).with_hint(MIRROR)
        }
        FetchError::WrongChecksum { url, .. } => failed(message).with_detail("url", url).with_hint(
            "the file was deleted: it is not the one that the server lists. Try again, or use another mirror",
        ),
        FetchError::Unwritable { source, .. } => io_failure(source, message),
        FetchError::Cancelled { .. } => Failure::new(Reason::Cancelled, message),
    }
}

fn runtime_failure(error: &RuntimeError, message: String) -> Failure {
    let failed = |message, hint: &str| Failure::new(Reason::EmbeddingFailed, message).with_hint(hint);
    match error {
        RuntimeError::NotInstalled { .. } => failed(message, INSTALL),
        RuntimeError::Missing { .. } => failed(
            message,
            "correct `models.runtime` in your recall.toml, or leave it out and run `recall models runtime install`",
        ),
        RuntimeError::TooOld { .. } => failed(
            message,
            "name a newer one in `models.runtime`, or leave it out and run `recall models runtime install`",
        ),
        RuntimeError::Unusable { .. } => failed(
            message,
            "name the library of an ONNX Runtime for this machine in `models.runtime`, or leave it out and run \
             `recall models runtime install`",
        ),
        RuntimeError::Damaged { .. } | RuntimeError::Unverified { .. } => failed(message, REINSTALL),
        RuntimeError::Crashed { .. } => failed(message, RETRY),
        RuntimeError::Unmarked { folder, .. } => {
            failed(message, "check who may write the folder, and how much room its disk has")
                .with_detail("path", folder.to_string_lossy())
        }
        RuntimeError::AnotherIsOpen { .. } => {
            Failure::new(Reason::Conflict, message).with_hint("run `recall daemon restart`")
        }
    }
}

fn install_failure(error: &InstallError, message: String) -> Failure {
    match error {
        InstallError::NoPackage { .. } => Failure::new(Reason::Unsupported, message)
            .with_hint("install ONNX Runtime 1.24 or newer yourself, and name its library in `models.runtime`"),
        InstallError::Busy => Failure::new(Reason::Conflict, message),
        InstallError::NotInIndex { index, .. } => {
            Failure::new(Reason::FetchFailed, message).with_detail("url", index).with_hint(MIRROR)
        }
        InstallError::Fetch(error) => fetch_failure(error, message),
        InstallError::OtherPackage { path, file, .. } => Failure::new(Reason::InvalidArgument, message)
            .with_detail("path", path.to_string_lossy())
            .with_hint(format!("take {file}, as the public index of Python packages has it")),
        InstallError::BadPackage { path, .. } => {
            Failure::new(Reason::FetchFailed, message).with_detail("path", path.to_string_lossy())
        }
        InstallError::Unreadable { source, .. } | InstallError::Unwritable { source, .. } => {
            io_failure(source, message)
        }
        InstallError::Unusable(error) => runtime_failure(error, message),
    }
}

fn io_failure(error: &io::Error, message: String) -> Failure {
    match error.kind() {
        io::ErrorKind::StorageFull => Failure::new(Reason::DiskFull, message),
        io::ErrorKind::PermissionDenied => {
            Failure::new(Reason::PermissionDenied, message).with_hint("check who may read and write the file")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            Failure::new(Reason::ReadOnly, message).with_hint("set RECALL_HOME to a folder that you may write to")
        }
        io::ErrorKind::NotFound => Failure::new(Reason::NotFound, message),
        _ => Failure::new(Reason::EmbeddingFailed, message),
    }
}

#[cfg(test)]
mod tests {
    use recall_models::{Role, RunError};

    use super::*;

    fn check(error: impl Into<ModelsError>, reason: Reason, hint: &str) {
        let failure = error.into().into_failure();
        assert_eq!(failure.reason, reason, "{failure}");
        assert!(failure.hint.as_deref().unwrap_or_default().contains(hint), "{:?}", failure.hint);
    }

    #[test]
    fn a_missing_runtime_has_a_hint_how_to_install_it() {
        check(
            RuntimeError::NotInstalled { folder: "/r".into() },
            Reason::EmbeddingFailed,
            "recall models runtime install",
        );
        let old = RuntimeError::TooOld { path: "/r/lib".into(), found: "1.17.3".to_owned() };
        check(old, Reason::EmbeddingFailed, "`models.runtime`");
    }

    #[test]
    fn a_faulty_folder_is_reported_with_the_faulty_file() {
        let missing = AddError::Missing { path: "/m/tokenizer.json".into() };
        let failure = ModelsError::Add(missing).into_failure();
        assert_eq!(failure.message, "there is no `/m/tokenizer.json`");
        assert_eq!(failure.details["path"], "/m/tokenizer.json");
        let only_weights = AddError::OnlyWeights { folder: "/m".into(), weights: "/m/model.safetensors".into() };
        check(only_weights, Reason::InvalidArgument, "optimum-cli export onnx --model /m ");
        check(AddError::Run(RunError::NotFinite { component: 3 }), Reason::EmbeddingFailed, "export it again");
        check(AddError::WrongDimensions { expected: 4, found: 3 }, Reason::InvalidArgument, "`dimensions`");
    }

    #[test]
    fn a_full_disk_has_its_reason_in_every_operation() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        check(FolderError::Unwritable { path: "/m".into(), source: full() }, Reason::DiskFull, "");
        check(PullError::Unwritable { path: "/m".into(), source: full() }, Reason::DiskFull, "");
        check(InstallError::Unwritable { path: "/m".into(), source: full() }, Reason::DiskFull, "");
    }

    #[test]
    fn a_model_in_use_has_a_hint_how_to_release_it() {
        let used = FolderError::InUse { name: "tiny".to_owned(), role: Role::Embed };
        check(used, Reason::Conflict, "recall models use embed none");
    }
}
