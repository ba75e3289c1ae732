//! The environment of the process, which names the session and the project that it serves, and the command line of the
//! program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use recall_api::v1::{Provenance, RequestContext};
use recall_client::Replace;
use recall_config::{BroadRoot, Dirs, DirsError, Environment, McpSettings, Settings, check_project_root, project_root};
use recall_text::PROJECT_FOLDER;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The part of the process's environment that recall uses. The rest is not kept.
#[derive(Clone, Debug)]
pub(crate) struct ProcessEnv {
    /// The folders in which the daemon is found.
    pub(crate) dirs: Result<Dirs, DirsError>,
    /// Whether to replace an older daemon.
    pub(crate) replace: Replace,
    /// The user's home folder; `None` if there is none.
    pub(crate) home: Option<PathBuf>,
    /// The context of every request, without the agent's name.
    pub(crate) context: RequestContext,
    /// Whether this process created the session, so that it must also end it.
    pub(crate) is_own_session: bool,
    /// Whether the working directory is that of a project: the client says so, or it or a directory above it is marked as one.
    pub(crate) is_in_project: bool,
    /// The settings of the server.
    pub(crate) mcp: McpSettings,
}

impl ProcessEnv {
    /// Reads the environment and the working directory of this process.
    #[expect(clippy::disallowed_methods, reason = "an agent starts the shim in the directory that it works in")]
    pub(crate) fn read() -> Self {
        let directory = std::env::current_dir().unwrap_or_default();
        let mut context = context(|name| std::env::var_os(name), &directory);
        let is_own_session = context.session_id.is_empty();
        if is_own_session {
            // A client that names no session usually starts one shim per session, so one id groups what happens in it.
            context.session_id = format!("mcp-{}", recall_client::unique_key());
        }
        let environment = Environment::capture();
        let dirs = Dirs::from_environment(&environment);
        let settings = dirs.as_ref().ok().and_then(|dirs| Settings::load(dirs, None, &environment, &[]).ok());
        let settings = settings.map(|loaded| loaded.settings);
        // With a wrong configuration a new daemon would not start, so a running one is kept.
        let replaces = settings.as_ref().is_some_and(|settings| settings.client.replace_older);
        let replace = if replaces { Replace::Older } else { Replace::Never };
        let mcp = settings.map(|settings| settings.mcp).unwrap_or_default();
        let home = environment.home;
        let names_project =
            PROJECT_VARIABLES.iter().any(|name| std::env::var_os(name).is_some_and(|at| !at.is_empty()));
        let named = Path::new(&context.working_directory);
        let is_in_project = (names_project && check_project_root(named, home.as_deref(), BroadRoot::Refuse).is_ok())
            || is_in_project(&directory, home.as_deref());
        Self { dirs, replace, home, context, is_own_session, is_in_project, mcp }
    }
}

/// The variables in which a client or EDI names the project.
const PROJECT_VARIABLES: [&str; 2] = ["CLAUDE_PROJECT_DIR", "EDI_PROJECT_PATH"];

/// Returns whether a directory, or one above it, is marked as the root of a project. The root of the file system, the home folder and
/// `/tmp` are none.
pub(crate) fn is_in_project(directory: &Path, home: Option<&Path>) -> bool {
    if check_project_root(directory, home, BroadRoot::Refuse).is_err() {
        return false;
    }
    let root = project_root(directory, home);
    root != directory || root.join(PROJECT_FOLDER).is_dir() || root.join(".git").exists()
}

/// Returns the context of requests, from the client's variables first, then from EDI's, then from the working directory.
///
/// EDI's session takes precedence over the client's, because a person started it.
fn context(variable: impl Fn(&str) -> Option<OsString>, directory: &Path) -> RequestContext {
    let value =
        |name: &str| variable(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty());
    let first = |names: [&str; 2]| names.into_iter().find_map(&value);
    let project = first(PROJECT_VARIABLES);
    // `join` resolves a relative project directory, and returns an absolute one unchanged.
    let working_directory = project.map_or_else(|| directory.to_owned(), |project| directory.join(project));
    RequestContext {
        working_directory: working_directory.to_string_lossy().into_owned(),
        session_id: first(["EDI_SESSION_ID", "CLAUDE_CODE_SESSION_ID"]).unwrap_or_default(),
        client_name: "recall-shim".to_owned(),
        client_version: VERSION.to_owned(),
        provenance: Some(Provenance {
            agent_mode: value("EDI_AGENT_MODE").unwrap_or_default(),
            git_branch: value("EDI_GIT_BRANCH").unwrap_or_default(),
            git_commit: value("EDI_GIT_SHA").unwrap_or_default(),
            project_path: value("EDI_PROJECT_PATH").unwrap_or_default(),
            project_name: value("EDI_PROJECT_NAME").unwrap_or_default(),
        }),
        ..RequestContext::default()
    }
}

/// recall for agents: MCP over standard input and output, in front of the recall daemon.
///
/// Agents start this program; `recall mcp install` registers it.
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "recall-shim", version, about)]
pub struct Options {
    /// Which tools are offered.
    #[arg(long, value_enum, default_value_t, value_name = "SET")]
    pub tools: ToolSet,

    /// List the tools without the prefix `recall_`, for agents that put the server's name before it. Both names are accepted.
    #[arg(long)]
    pub plain_names: bool,
}

/// Which tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ToolSet {
    /// What an agent needs in its work.
    #[default]
    Core,
    /// Everything that there is.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], directory: &str, expected: (&str, &str)) {
        let lookup =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        let context = context(lookup, Path::new(directory));
        assert_eq!((context.working_directory.as_str(), context.session_id.as_str()), expected, "{variables:?}");
    }

    #[test]
    fn a_directory_without_a_mark_is_in_no_project() {
        let folder = tempfile::tempdir().expect("a folder");
        let [marked, inside, plain] = ["marked", "marked/src", "plain"].map(|name| folder.path().join(name));
        for directory in [&marked.join(".git"), &inside, &plain] {
            std::fs::create_dir_all(directory).expect("folders");
        }
        let home = Some(folder.path());
        assert!(is_in_project(&marked, home) && is_in_project(&inside, home));
        assert!(!is_in_project(&plain, home) && !is_in_project(folder.path(), home));
        // Recall's own folder in the home folder does not make it a project.
        std::fs::create_dir(folder.path().join(PROJECT_FOLDER)).expect("a folder");
        assert!(!is_in_project(&plain, home) && !is_in_project(folder.path(), home));
    }

    #[test]
    fn the_project_is_the_clients_or_the_working_directory() {
        check(&[], "/here", ("/here", ""));
        check(&[("CLAUDE_PROJECT_DIR", "/p")], "/here", ("/p", ""));
        check(&[("CLAUDE_PROJECT_DIR", "sub")], "/here", ("/here/sub", ""));
        check(&[("CLAUDE_PROJECT_DIR", "")], "/here", ("/here", ""));
        check(&[("EDI_PROJECT_PATH", "/e")], "/here", ("/e", ""));
        check(&[("CLAUDE_PROJECT_DIR", "/p"), ("EDI_PROJECT_PATH", "/e")], "/here", ("/p", ""));
    }

    #[test]
    fn the_session_is_edis_or_the_clients() {
        check(&[("CLAUDE_CODE_SESSION_ID", "c")], "/w", ("/w", "c"));
        check(&[("CLAUDE_CODE_SESSION_ID", "c"), ("EDI_SESSION_ID", "e")], "/w", ("/w", "e"));
    }

    #[test]
    fn only_named_variables_are_read() {
        let asked = std::cell::RefCell::new(Vec::new());
        context(
            |name| {
                asked.borrow_mut().push(name.to_owned());
                None
            },
            Path::new("/w"),
        );
        let foreign = asked
            .take()
            .into_iter()
            .find(|name| !name.starts_with("EDI_") && name != "CLAUDE_PROJECT_DIR" && name != "CLAUDE_CODE_SESSION_ID");
        assert_eq!(foreign, None);
    }

    #[test]
    fn the_core_set_is_the_default() {
        let options = |arguments: &[&str]| Options::try_parse_from(arguments).map(|options| options.tools).ok();
        assert_eq!(options(&["recall-shim"]), Some(ToolSet::Core));
        assert_eq!(options(&["recall-shim", "--tools", "full"]), Some(ToolSet::Full));
        assert_eq!(options(&["recall-shim", "--tools", "all"]), None);
        let names = |arguments: &[&str]| Options::parse_from(arguments).plain_names;
        assert!(names(&["recall-shim", "--plain-names"]) && !names(&["recall-shim"]));
    }
}
