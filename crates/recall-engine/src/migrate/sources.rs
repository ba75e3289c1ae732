//! Which foreign items a request is about.

use std::path::{Path, PathBuf};

use recall_agents::foreign::{Belonging, LeftOutReason, places};
use recall_core::{ForeignKind, Scope, StoreScope};

use super::MigrateError;
use crate::backup::RestoreMode;
use crate::settings::Places;
use crate::store::Store;

/// A request to import what a tool remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrateRequest {
    /// The tool, and which of its items.
    pub source: ForeignSource,
    /// Whether anything is written.
    pub mode: RestoreMode,
    /// The most items that are imported; `None` for the built-in limit.
    pub limit: Option<u64>,
}

/// A tool, where its items are, and whose they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignSource {
    /// The tool whose formats are read.
    pub kind: ForeignKind,
    /// The file or folder; `None` for the usual places of the tool.
    pub path: Option<PathBuf>,
    /// The store that it is for. All means the project's.
    pub scope: Scope,
    /// The projects whose items are read.
    pub projects: ForeignProjects,
}

/// The foreign projects whose items belong to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignProjects {
    /// The one with the path or the name of the store's root.
    Own,
    /// Those with one of these names or paths too.
    Named(Vec<String>),
    /// Every project of the tool.
    Every,
}

impl ForeignSource {
    /// Returns the files and folders to read.
    pub(super) fn paths(&self, store: &Store, user: &Places) -> Result<Vec<PathBuf>, MigrateError> {
        if let Some(path) = &self.path {
            return Ok(vec![path.clone()]);
        }
        let codex = user.agents.get("codex").map(PathBuf::as_path);
        let places = places(self.kind, store.scope, &store.root, user.home.as_deref(), codex);
        let mut there: Vec<PathBuf> = places.iter().filter(|place| place.exists()).cloned().collect();
        if there.is_empty() {
            return Err(MigrateError::NotFound { kind: self.kind, places });
        }
        if self.kind == ForeignKind::BasicMemory {
            // The database is an index of the notes.
            there.truncate(1);
        }
        Ok(there)
    }

    /// Returns why an item does not belong to the store; `None` if it does.
    pub(super) fn reason_to_leave_out(&self, store: &Store, item: &Belonging) -> Option<LeftOutReason> {
        let Belonging { scope, project } = item;
        match (scope, store.scope) {
            (Some(StoreScope::Global), StoreScope::Project) | (Some(StoreScope::Project), StoreScope::Global) => {
                return Some(LeftOutReason::OtherScope);
            }
            (_, StoreScope::Global | StoreScope::Domain) => return None,
            (_, StoreScope::Project) => {}
        }
        let Some(project) = project else { return None };
        let is_known = match &self.projects {
            ForeignProjects::Every => true,
            ForeignProjects::Own => is_own(store, project),
            ForeignProjects::Named(names) => {
                let is_named = |name: &String| project == name || last(project) == name.as_str();
                is_own(store, project) || names.iter().any(is_named)
            }
        };
        (!is_known).then_some(LeftOutReason::OtherProject)
    }
}

/// Returns whether a foreign project is that of the store: by its path, or by its name.
fn is_own(store: &Store, project: &str) -> bool {
    let path = Path::new(project);
    if path.is_absolute() {
        return path.starts_with(&store.root)
            || dunce::canonicalize(path).is_ok_and(|path| path.starts_with(&store.root));
    }
    store.root.file_name().is_some_and(|name| name.to_string_lossy() == project)
}

fn last(project: &str) -> &str {
    project.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(project)
}
