//! The folders of the client, for a server that was started outside of any project.
//!
//! Some clients start their servers in `/`, in the home folder or in a folder of their own, and tell where they work only if they
//! are asked: by `roots/list`. From revision 2026-07-28 on, a server cannot ask.

use std::path::{Path, PathBuf};
use std::time::Duration;

use recall_text::path_of_uri;
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::Mutex;

/// The client's folders.
#[derive(Debug)]
pub(crate) struct Roots {
    /// The directory that the process was started in; `None` if it is in a project, so that no client is asked.
    started_in: Option<PathBuf>,
    wait: Duration,
    answer: Mutex<RootsAnswer>,
}

/// What is known about the client's folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum RootsAnswer {
    /// It was not asked, or its folders changed since.
    #[default]
    None,
    /// The folder to work in; `None` if it names none that is better than the working directory.
    Given(Option<PathBuf>),
}

impl Roots {
    pub(crate) fn new(started_in: Option<PathBuf>, wait: Duration) -> Self {
        Self { started_in, wait, answer: Mutex::default() }
    }

    /// Returns the client's folder to work in; `None` for the working directory. Asks the client if it was not asked yet; further
    /// calls wait for that answer.
    pub(crate) async fn directory(&self, request: &RequestContext<RoleServer>) -> Option<PathBuf> {
        let started_in = self.started_in.as_deref()?;
        let has_roots = request.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if !has_roots {
            return None;
        }
        let mut answer = self.answer.lock().await;
        if let RootsAnswer::Given(directory) = &*answer {
            return directory.clone();
        }
        // A client that does not answer is not asked again, so that it delays one call only.
        let uris = tokio::time::timeout(self.wait, uris(request)).await.unwrap_or_default();
        let directory = choose(uris.iter().map(String::as_str), started_in);
        *answer = RootsAnswer::Given(directory.clone());
        directory
    }

    /// Returns the client's folder, if it was asked for one.
    pub(crate) async fn known_root(&self) -> Option<PathBuf> {
        match &*self.answer.lock().await {
            RootsAnswer::Given(directory) => directory.clone(),
            RootsAnswer::None => None,
        }
    }

    /// Notes that the client has other folders now: the next call asks.
    pub(crate) async fn forget(&self) {
        *self.answer.lock().await = RootsAnswer::None;
    }
}

/// Asks the client for the addresses of its folders; returns none if it refuses.
#[expect(deprecated, reason = "clients of earlier revisions tell their folders in no other way")]
async fn uris(request: &RequestContext<RoleServer>) -> Vec<String> {
    let listed = request.peer.list_roots().await;
    listed.map(|listed| listed.roots.into_iter().map(|root| root.uri).collect()).unwrap_or_default()
}

/// Returns the first of the folders that exists; `None` if one of them holds the working directory already, and if none exists.
fn choose<'u>(uris: impl Iterator<Item = &'u str>, started_in: &Path) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = uris.filter_map(path_of_uri).map(PathBuf::from).filter(|path| path.is_dir()).collect();
    let holds = |folder: &PathBuf| started_in.starts_with(folder);
    if folders.iter().any(holds) { None } else { folders.into_iter().next() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_exists_is_chosen_unless_one_holds_the_working_directory() {
        let folder = tempfile::tempdir().expect("a folder");
        let [work, apps, other] = ["my work", "apps", "apps/other"].map(|name| folder.path().join(name));
        for directory in [&work, &other] {
            std::fs::create_dir_all(directory).expect("folders");
        }
        let uri = |path: &Path| format!("file://{}", path.display()).replace(' ', "%20");
        let [gone, at_work, at_apps] = [folder.path().join("gone"), work.clone(), apps.clone()].map(|path| uri(&path));
        let check = |uris: &[&str], started_in: &Path, expected: Option<&PathBuf>| {
            assert_eq!(choose(uris.iter().copied(), started_in).as_ref(), expected, "{uris:?} in {started_in:?}");
        };
        check(&[&gone, "https://host/x", &at_work, &at_apps], Path::new("/"), Some(&work));
        check(&[&at_work], &apps, Some(&work));
        check(&[&at_work, &at_apps], &other, None);
        check(&[&gone], &apps, None);
        check(&[], &apps, None);
    }
}
