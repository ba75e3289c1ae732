//! The origin of a request: the client's directory and project, and the files that its text may name.
//!
//! People and models write paths in many forms: absolute, relative to their directory or to the root, as a `file:` URI, with `\\`,
//! below the project's own name. A text is read here only; which reading is right, the disk or an index decides.

use std::path::{Path, PathBuf};

use recall_core::Citation;
use recall_text::{DocPath, path_spellings};
use recall_watch::root;

use crate::settings::Places;

/// The origin of a request. The daemon keeps no state about clients, so every request carries it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The client's working directory, absolute.
    pub directory: PathBuf,
    /// The project's root, absolute; `None` to find it from the directory.
    pub project: Option<PathBuf>,
    /// Whether a root that is refused by default is accepted.
    pub root_check: RootCheck,
    /// The domain that a request with the scope of domains is about; `None` for all that the project sees.
    pub domain: Option<String>,
}

/// Whether `/`, the home folder and drive roots are refused as project roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RootCheck {
    /// They are refused: their index would hold everything that the user has.
    #[default]
    Refuse,
    /// They are accepted, because a person asked for it.
    Force,
}

impl Origin {
    /// Returns the root of the client's project.
    ///
    /// # Errors
    /// The directory is relative, missing, not a directory, or refused as a root.
    pub(crate) fn root(&self, places: &Places) -> Result<PathBuf, OriginError> {
        let start = self.project.as_deref().unwrap_or(&self.directory);
        if !start.is_absolute() {
            return Err(OriginError::Relative { path: start.to_owned() });
        }
        let root =
            if self.project.is_some() { start.to_owned() } else { root::project_root(start, places.home.as_deref()) };
        let force = match self.root_check {
            RootCheck::Refuse => root::RootCheck::Checked,
            RootCheck::Force => root::RootCheck::Forced,
        };
        root::check_root(&root, places.home.as_deref(), force)
            .map_err(|source| OriginError::Root { path: root.clone(), source })
    }

    /// Returns whether the request is about the past of a project.
    pub(crate) fn is_past(&self, places: &Places) -> bool {
        self.project.as_deref().is_some_and(|root| root.starts_with(places.past()))
    }

    /// Resolves a path of the request against the client's working directory.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }
}

/// A request's project cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// The client's directory is not absolute.
    #[error("the project directory `{}` is not absolute", path.display())]
    Relative {
        /// The directory as the request has it.
        path: PathBuf,
    },
    /// The directory cannot be a project's root.
    #[error("`{}` cannot be searched as a project", path.display())]
    Root {
        /// The root that was found for the directory.
        path: PathBuf,
        /// Which property of the directory forbids it.
        #[source]
        source: root::RootError,
    },
}

/// Returns the absolute paths that a text may name, the likeliest first: relative to the client's directory, as a shell
/// completes it, then to the root, as a citation writes it, then to the folder above the root, for a text that begins with
/// the project's own name.
pub(crate) fn absolute_paths(root: &Path, origin: &Origin, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for spelling in path_spellings(text) {
        let spelled = Path::new(&*spelling);
        let named = root.file_name().and_then(|name| spelled.strip_prefix(name).ok()).map(|below| root.join(below));
        let readings = [Some(origin.absolute(spelled)), Some(root.join(spelled)), named];
        for path in readings.into_iter().flatten() {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// Returns the paths below the root that a text may name, the likeliest first. They need not exist.
pub(crate) fn paths_below(root: &Path, origin: &Origin, text: &str) -> Vec<DocPath> {
    let absolute = absolute_paths(root, origin, text);
    let resolved = absolute.iter().filter_map(|path| root::resolve_inside(root, path).ok());
    // A path through a link is indexed below the link.
    let literal = path_spellings(text);
    let literal =
        literal.iter().filter_map(|path| DocPath::new(path.trim_start_matches("./").trim_end_matches('/')).ok());
    let mut found = Vec::new();
    for path in resolved.chain(literal) {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// Returns the absolute path of the first thing that exists and that a text may name, if need be without lines at its end.
pub(crate) fn existing(root: &Path, origin: &Origin, text: &str) -> Option<PathBuf> {
    let documents = Citation::readings(text).map(|reading| reading.document);
    let mut paths = documents.flat_map(|document| absolute_paths(root, origin, document));
    paths.find(|path| path.symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::RootCheck;

    /// A project `shop` with `src/net/a b.rs`.
    fn project() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = dunce::canonicalize(folder.path()).expect("it is there").join("shop");
        std::fs::create_dir_all(root.join("src/net")).expect("folders");
        std::fs::write(root.join("src/net/a b.rs"), "").expect("a file");
        (folder, root)
    }

    fn origin(directory: PathBuf) -> Origin {
        Origin { directory, project: None, root_check: RootCheck::Refuse, domain: None }
    }

    #[test]
    fn every_form_of_a_path_names_the_file() {
        let (_folder, root) = project();
        let uri = format!("file://{}/src/net/a%20b.rs", root.display());
        let absolute = format!("{}/src/net/a b.rs", root.display());
        for (directory, text) in [
            ("", "src/net/a b.rs"),
            ("", "./src/net/a b.rs"),
            ("", r"src\net\a b.rs"),
            ("", "shop/src/net/a b.rs"),
            ("", &*absolute),
            ("", &*uri),
            ("", "src/net/a b.rs:7"),
            ("", "src/net/a b.rs:7:3"),
            ("", "src/net/a b.rs#L2-L9"),
            ("src", "net/a b.rs"),
            ("src", "../src/net/a b.rs"),
            ("src", "src/net/a b.rs"),
        ] {
            let origin = origin(root.join(directory));
            let found = existing(&root, &origin, text).and_then(|path| dunce::canonicalize(path).ok());
            assert_eq!(found, Some(root.join("src/net/a b.rs")), "{text} in {directory}");
        }
    }

    #[test]
    fn a_path_that_leaves_the_root_names_nothing_below_it() {
        let (_folder, root) = project();
        for text in ["../other/a.rs", "/etc/hosts", "file:///etc/hosts"] {
            assert_eq!(paths_below(&root, &origin(root.clone()), text), [], "{text}");
        }
    }
}
