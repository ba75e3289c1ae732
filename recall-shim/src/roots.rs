//! The project of a call.
//!
//! A client says in several ways where it works, and the nearest to the call counts first:
//!
//! 1. the argument `project`: the name or the root of one of the open folders;
//! 2. an absolute path among the arguments, if it is in one of the open folders;
//! 3. `CLAUDE_PROJECT_DIR` or `EDI_PROJECT_PATH`, which a client sets on purpose;
//! 4. the working directory, if it is in a project;
//! 5. the first of the client's folders that exists (`roots/list`), or the working directory if one of them holds it.
//!
//! The open folders are the project of the process and the client's folders. Some clients start their servers in `/`, in the home folder
//! or in a folder of their own, and tell where they work only if they are asked; from revision 2026-07-28 on, a server cannot ask. `/`, the
//! home folder and `/tmp` are never a project, also if a client names them: they would index everything that is there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use recall_config::{BroadRoot, check_project_root, project_root};
use recall_text::path_of_uri;
use rmcp::model::JsonObject;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::error::{Code, ToolError};

/// The argument that names a project. Every tool takes it.
pub(crate) const PROJECT_ARGUMENT: &str = "project";

/// The arguments that may hold an absolute path.
const PATH_ARGUMENTS: [&str; 6] = ["path", "file_path", "id", "item_id", "node", "related_files"];

/// The folders in which the client and this process work.
#[derive(Debug)]
pub(crate) struct Roots {
    own: OwnFolder,
    home: Option<PathBuf>,
    wait: Duration,
    answer: Mutex<RootsAnswer>,
}

/// The folder of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnFolder {
    pub(crate) directory: PathBuf,
    /// Whether it is in a project.
    pub(crate) is_in_project: bool,
}

/// What is known about the client's folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum RootsAnswer {
    /// It was not asked, or its folders changed since.
    #[default]
    None,
    /// The folders that exist.
    Given(Vec<PathBuf>),
}

/// What a call says about its project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectHint {
    project: Option<String>,
    /// The absolute paths among the arguments.
    paths: Vec<PathBuf>,
}

impl ProjectHint {
    /// Reads what the arguments of a call say about its project.
    pub(crate) fn read(arguments: &JsonObject) -> Self {
        let text = |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let values = PATH_ARGUMENTS.iter().filter_map(|name| arguments.get(*name));
        let texts = values.flat_map(|value| value.as_array().map_or_else(|| vec![value], |all| all.iter().collect()));
        let path = |text: String| PathBuf::from(path_of_uri(&text).unwrap_or(text));
        Self {
            project: arguments.get(PROJECT_ARGUMENT).and_then(text),
            paths: texts.filter_map(text).map(path).filter(|path| path.is_absolute()).collect(),
        }
    }
}

impl Roots {
    pub(crate) fn new(own: OwnFolder, home: Option<PathBuf>, wait: Duration) -> Self {
        Self { own, home, wait, answer: Mutex::default() }
    }

    /// Returns the folder to work in; `None` for that of the process. Asks the client for its folders only if that decides, and once;
    /// further calls wait for that answer.
    ///
    /// # Errors
    /// The call names a project that is not open.
    pub(crate) async fn directory(
        &self,
        request: &RequestContext<RoleServer>,
        hint: &ProjectHint,
    ) -> Result<Option<PathBuf>, ToolError> {
        let own_root = self.own_root();
        let is_inside = |path: &PathBuf| own_root.as_ref().is_some_and(|root| path.starts_with(root));
        if own_root.is_some() && hint.project.is_none() && hint.paths.iter().all(is_inside) {
            return Ok(None);
        }
        let folders = self.folders(request).await;
        self.choose(&folders, hint)
    }

    /// Chooses among the client's folders and that of the process.
    fn choose(&self, folders: &[PathBuf], hint: &ProjectHint) -> Result<Option<PathBuf>, ToolError> {
        let own_root = self.own_root();
        if let Some(project) = &hint.project {
            let named = own_root.iter().chain(folders).find(|folder| is_named(folder, project));
            return named.map(|folder| Some(folder.clone())).ok_or_else(|| self.unknown(project, folders));
        }
        if let Some(path) = hint.paths.first() {
            if own_root.as_ref().is_some_and(|root| path.starts_with(root)) {
                return Ok(None);
            }
            // Of nested folders the inner one is meant.
            let holds = folders.iter().filter(|folder| path.starts_with(folder));
            if let Some(folder) = holds.max_by_key(|folder| folder.components().count()) {
                return Ok(Some(folder.clone()));
            }
            if own_root.is_none() && folders.is_empty() {
                return Ok(self.marked_root(path));
            }
        }
        let stays = own_root.is_some() || folders.iter().any(|folder| self.own.directory.starts_with(folder));
        Ok(if stays { None } else { folders.first().cloned() })
    }

    fn own_root(&self) -> Option<PathBuf> {
        self.own.is_in_project.then(|| project_root(&self.own.directory, self.home.as_deref()))
    }

    /// Returns the project around a path, if there is one.
    fn marked_root(&self, path: &Path) -> Option<PathBuf> {
        let directory = path.ancestors().find(|at| at.is_dir())?;
        crate::process_env::is_in_project(directory, self.home.as_deref())
            .then(|| project_root(directory, self.home.as_deref()))
    }

    fn unknown(&self, project: &str, folders: &[PathBuf]) -> ToolError {
        let own_root = self.own_root();
        let open: Vec<String> =
            own_root.iter().chain(folders).map(|folder| format!("`{}`", folder.display())).collect();
        let error = ToolError::new(Code::InvalidArgument, format!("`project` names no open project: `{project}`"));
        error.with_hint(match open.as_slice() {
            [] => "the client has told no folder; give an absolute path instead".to_owned(),
            open => format!("open are {}", open.join(", ")),
        })
    }

    /// Returns the client's folders that exist and can be projects. A client that does not answer is not asked again, so that it delays
    /// one call only.
    async fn folders(&self, request: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        let has_roots = request.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if !has_roots {
            return Vec::new();
        }
        let mut answer = self.answer.lock().await;
        if let RootsAnswer::Given(folders) = &*answer {
            return folders.clone();
        }
        let uris = tokio::time::timeout(self.wait, uris(request)).await.unwrap_or_default();
        let folders = existing_folders(uris.iter().map(String::as_str), self.home.as_deref());
        *answer = RootsAnswer::Given(folders.clone());
        folders
    }

    /// Returns the folder that a call without hints works in, if the client was asked; `None` for that of the process.
    pub(crate) async fn known_root(&self) -> Option<PathBuf> {
        match &*self.answer.lock().await {
            RootsAnswer::Given(folders) => self.choose(folders, &ProjectHint::default()).ok().flatten(),
            RootsAnswer::None => None,
        }
    }

    /// Notes that the client has other folders now: the next call asks.
    pub(crate) async fn forget(&self) {
        *self.answer.lock().await = RootsAnswer::None;
    }
}

/// Whether a folder has a name, or holds an absolute path.
fn is_named(folder: &Path, project: &str) -> bool {
    let path = PathBuf::from(path_of_uri(project).unwrap_or_else(|| project.to_owned()));
    if path.is_absolute() {
        path.starts_with(folder)
    } else {
        folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(project))
    }
}

/// Asks the client for the addresses of its folders; returns none if it refuses.
#[expect(deprecated, reason = "clients of earlier revisions tell their folders in no other way")]
async fn uris(request: &RequestContext<RoleServer>) -> Vec<String> {
    let listed = request.peer.list_roots().await;
    listed.map(|listed| listed.roots.into_iter().map(|root| root.uri).collect()).unwrap_or_default()
}

/// Returns the folders that exist and can be projects, in their order.
fn existing_folders<'u>(uris: impl Iterator<Item = &'u str>, home: Option<&Path>) -> Vec<PathBuf> {
    let folders = uris.filter_map(path_of_uri).map(PathBuf::from);
    folders.filter(|path| check_project_root(path, home, BroadRoot::Refuse).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Here {
        folder: tempfile::TempDir,
    }

    impl Here {
        fn path(&self, below: &str) -> PathBuf {
            self.folder.path().join(below)
        }

        fn uri(&self, below: &str) -> String {
            format!("file://{}", self.path(below).display()).replace(' ', "%20")
        }

        /// Chooses for a process in a folder, with the client's folders and the arguments of a call.
        fn choose(&self, own: (&str, bool), folders: &[&str], arguments: &Value) -> Result<Option<PathBuf>, Code> {
            let own = OwnFolder { directory: self.path(own.0), is_in_project: own.1 };
            let roots = Roots::new(own, Some(self.path("home")), Duration::ZERO);
            let folders: Vec<PathBuf> = folders.iter().map(|folder| self.path(folder)).collect();
            let hint = ProjectHint::read(arguments.as_object().expect("an object"));
            roots.choose(&folders, &hint).map_err(|error| error.code)
        }
    }

    fn here() -> Here {
        let folder = tempfile::tempdir().expect("a folder");
        for below in ["home", "my work/src", "apps/other", "shop/.git", "lone/.git"] {
            std::fs::create_dir_all(folder.path().join(below)).expect("folders");
        }
        Here { folder }
    }

    #[test]
    fn folders_that_cannot_be_projects_are_left_out() {
        let here = here();
        let uris = [here.uri("gone"), "https://host/x".to_owned(), "file:///".to_owned(), "file:///tmp".to_owned()];
        let uris: Vec<String> =
            uris.into_iter().chain([here.uri("home"), here.uri("my work"), here.uri("apps")]).collect();
        let found = existing_folders(uris.iter().map(String::as_str), Some(&here.path("home")));
        assert_eq!(found, [here.path("my work"), here.path("apps")]);
    }

    #[test]
    fn without_a_hint_the_process_or_the_first_folder_decides() {
        let here = here();
        let check = |own, folders: &[&str], expected: Option<&str>| {
            let expected = Ok(expected.map(|below| here.path(below)));
            assert_eq!(here.choose(own, folders, &json!({"query": "/x"})), expected, "{own:?} {folders:?}");
        };
        check(("home", false), &["my work", "apps"], Some("my work"));
        check(("apps/other", false), &["my work", "apps"], None);
        check(("home", false), &[], None);
        check(("shop", true), &["my work"], None);
    }

    #[test]
    fn a_call_names_its_project_or_has_an_absolute_path_in_it() {
        let here = here();
        let folders = &["my work", "apps", "apps/other"];
        let check = |arguments: Value, expected: Result<Option<&str>, Code>| {
            let expected = expected.map(|below| below.map(|below| here.path(below)));
            assert_eq!(here.choose(("shop", true), folders, &arguments), expected, "{arguments}");
        };
        check(json!({"project": "Apps"}), Ok(Some("apps")));
        check(json!({"project": "shop", "id": here.path("apps/a.rs")}), Ok(Some("shop")));
        check(json!({"project": here.path("my work/src")}), Ok(Some("my work")));
        check(json!({"project": "lone"}), Err(Code::InvalidArgument));
        check(json!({"project": here.path("lone")}), Err(Code::InvalidArgument));
        check(json!({"id": here.path("apps/other/a.rs:3")}), Ok(Some("apps/other")));
        check(json!({"related_files": ["x", here.uri("my work/src/a.rs")]}), Ok(Some("my work")));
        check(json!({"path": here.path("shop/a.rs")}), Ok(None));
        check(json!({"path": here.path("lone/a.rs")}), Ok(None));
        // A process without a project and without folders of the client takes the project around the path.
        let alone = here.choose(("home", false), &[], &json!({"path": here.path("lone/src/a.rs")}));
        assert_eq!(alone, Ok(Some(here.path("lone"))));
        let alone = here.choose(("home", false), &[], &json!({"path": here.path("my work/src/a.rs")}));
        assert_eq!(alone, Ok(None));
    }
}
