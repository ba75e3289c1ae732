//! The errors of operations on models, and the problems of the selected models.
//!
//! Every answer asks for them, so the models' folder is read at most once per [`AT_MOST_EVERY`].

use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_api::hint::{self, Audience};
use recall_api::v1;
use recall_models::providers::RemoteName;
use recall_models::{
    AddError, FetchError, FolderError, InstallError, Installed, ModelsFolder, PullError, Role, RuntimeError,
};

use crate::failure::IntoFailure as _;
use crate::models::remote::{RemoteError, RemoteModels};

/// How often the files are read at most. A client that sends one request per second gets a new problem with the next
/// answer.
const AT_MOST_EVERY: Duration = Duration::from_secs(1);

/// The hint if a selected model cannot be used.
const CHOOSE_ANOTHER: &str = "remove the model and install it again, or choose another one with `recall models use`; \
                              `recall models list` shows them";

/// The hint if the file with the selected models cannot be read.
const CHOOSE_AGAIN: &str =
    "check who may read the file, or delete it and choose the models again with `recall models use`";

/// The reason why a selected model cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelProblem {
    /// The problem as a sentence.
    pub(crate) message: String,
    /// How to solve it.
    pub(crate) hint: String,
    /// The file or folder; empty if there is none.
    pub(crate) path: PathBuf,
}

/// The problems found by the latest check, and its time.
#[derive(Debug, Default)]
pub(super) struct CachedProblems {
    at: Option<Instant>,
    problems: Vec<ModelProblem>,
}

impl CachedProblems {
    /// Returns the problems in the folder, read again if the last check is too old.
    pub(super) fn read(&mut self, folder: &ModelsFolder, remote: &RemoteModels) -> Vec<ModelProblem> {
        if self.at.is_none_or(|at| at.elapsed() >= AT_MOST_EVERY) {
            self.problems = problems_in(folder, remote);
            self.at = Some(Instant::now());
        }
        self.problems.clone()
    }
}

/// Returns the problems in the folder, read without the cache, with the errors of loading the selected models.
pub(super) fn problems_now(folder: &ModelsFolder, remote: &RemoteModels, in_use: Vec<v1::Model>) -> Vec<ModelProblem> {
    let mut problems = problems_in(folder, remote);
    for model in in_use.into_iter().filter(|model| !model.problem.is_empty()) {
        let path = PathBuf::from(model.path);
        let is_nowhere = path.as_os_str().is_empty();
        let is_known = |known: &ModelProblem| {
            if is_nowhere { known.message.contains(&model.name) } else { known.path == path }
        };
        if !problems.iter().any(is_known) {
            let message = format!("the model {} cannot be used: {}", model.name, model.problem);
            problems.push(ModelProblem { message, hint: CHOOSE_ANOTHER.to_owned(), path });
        }
    }
    problems
}

fn problems_in(folder: &ModelsFolder, remote: &RemoteModels) -> Vec<ModelProblem> {
    match folder.roles().and_then(|roles| Ok((roles, folder.list()?))) {
        Ok((roles, installed)) => {
            let problem = |(role, name): (Role, String)| used_model_problem(role, &name, &installed, folder, remote);
            roles.into_iter().filter_map(problem).collect()
        }
        Err(error) => {
            let path = match &error {
                FolderError::Unreadable { path, .. } | FolderError::Malformed { path, .. } => path.clone(),
                _ => PathBuf::new(),
            };
            let failure = ModelsError::from(error).into_failure();
            let message = format!("the installed models are not used: {}", failure.message);
            let hint = hint::for_failure(&failure, Audience::Command).unwrap_or_else(|| CHOOSE_AGAIN.to_owned());
            vec![ModelProblem { message, hint, path }]
        }
    }
}

/// Returns the problem of a selected model, if any.
fn used_model_problem(
    role: Role,
    name: &str,
    installed: &[Installed],
    folder: &ModelsFolder,
    remote: &RemoteModels,
) -> Option<ModelProblem> {
    if RemoteName::is_remote(name) {
        return remote.check(role, name).err().map(|error| remote_problem(role, name, error));
    }
    let problem = |reason: &str, path| ModelProblem {
        message: format!("the model {name}, which is used to {role}, cannot be used: {reason}"),
        hint: CHOOSE_ANOTHER.to_owned(),
        path,
    };
    match installed.iter().find(|model| model.name == name) {
        None => Some(problem("it is not installed", folder.path_of(name).unwrap_or_default())),
        Some(Installed { path, manifest: Err(error), .. }) => {
            Some(problem(&recall_text::error_chain(error), path.clone()))
        }
        Some(Installed { path, manifest: Ok(manifest), .. }) if !manifest.kind.roles().contains(&role) => {
            Some(problem(&format!("it is made to {}", manifest.kind), path.clone()))
        }
        Some(_) => None,
    }
}

/// Returns the problem of a selected remote model.
fn remote_problem(role: Role, name: &str, error: RemoteError) -> ModelProblem {
    let failure = ModelsError::from(error).into_failure();
    ModelProblem {
        message: format!("the model {name}, which is used to {role}, cannot be used: {}", failure.message),
        hint: hint::for_failure(&failure, Audience::Command).unwrap_or_else(|| CHOOSE_ANOTHER.to_owned()),
        path: PathBuf::new(),
    }
}

/// An operation on models failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelsError {
    /// The folder of models cannot be used, or a model does not fit the request.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A model was not installed.
    #[error(transparent)]
    Add(#[from] AddError),
    /// A model was not pulled.
    #[error(transparent)]
    Pull(#[from] PullError),
    /// The runtime cannot be used.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The runtime was not installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// A remote model cannot be used.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A download failed, or none is possible.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The folder does not exist.
    #[error("there is no folder {}", path.display())]
    NoFolder {
        /// The folder that the client named.
        path: PathBuf,
    },
    /// No model that can be pulled has that name.
    #[error("no model that can be pulled is called `{name}`")]
    Unknown {
        /// The name that the client gave.
        name: String,
    },
    /// A model was removed from the folder during the operation.
    #[error("the model {name} has been removed")]
    Vanished {
        /// Its name.
        name: String,
    },
    /// The built-in model was selected, but the settings turn it off.
    #[error("the built-in model is off")]
    BuiltInIsOff,
    /// No encoder would embed what a language model writes about chunks.
    #[error("no encoder is selected, which would embed the descriptions")]
    NothingDescribed,
    /// The built-in model cannot be removed.
    #[error("the built-in model is a part of the program")]
    BuiltInStays,
    /// The given file is a library, not a package.
    #[error("{} is a library, not the package that holds it", path.display())]
    NoPackage {
        /// The file that the client named.
        path: PathBuf,
    },
    /// There is no package with that provider.
    #[error("no package of the runtime with the provider `{provider}` is known")]
    NoProvider {
        /// The provider.
        provider: String,
    },
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const MANIFEST: &str = r#"{"version":1,"role":"embed","dimensions":3,"pooling":"mean","normalise":true,"query_prefix":"",
        "document_prefix":"","window_tokens":8,"batching":"together","licence":null,"origin":null,"files":[
        {"name":"model.onnx","bytes":1,"sha256":"0"},{"name":"tokenizer.json","bytes":1,"sha256":"0"}]}"#;

    #[track_caller]
    fn check(roles: &[u8], manifest: Option<&str>, expected: Option<&str>) {
        let place = tempfile::tempdir().expect("a folder");
        fs::write(place.path().join("roles.json"), roles).expect("written");
        if let Some(manifest) = manifest {
            let model = place.path().join("tiny");
            fs::create_dir(&model).expect("made");
            fs::write(model.join("recall-model.json"), manifest).expect("written");
        }
        let network = recall_models::providers::Network::default();
        let (environment, settings) = Default::default();
        let remote = RemoteModels::new(place.path(), &environment, &settings, network);
        let found = problems_in(&ModelsFolder::new(place.path()), &remote);
        match (expected, &found[..]) {
            (None, []) => {}
            (Some(expected), [one]) if one.message.contains(expected) && !one.hint.is_empty() => {}
            _ => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn a_selected_model_that_cannot_be_used_is_reported() {
        let used = br#"{"embed":"tiny"}"#;
        check(used, Some(MANIFEST), None);
        check(b"{}", Some("damaged"), None);
        check(br#"{"rerank":"tiny"}"#, Some(MANIFEST), Some("it is made to embed"));
        check(used, Some(&MANIFEST[..40]), Some("not a model manifest"));
        check(used, None, Some("it is not installed"));
        check(br#"{"embed":"ollama:m"}"#, None, Some("the remote model `ollama:m` was not chosen"));
        for damaged in [&b""[..], b"{\"embed\":", b"\xff\xfe", br#"{"embed":1}"#, br#"{"imbed":"tiny"}"#] {
            check(damaged, Some(MANIFEST), Some("the installed models are not used"));
        }
    }
}
