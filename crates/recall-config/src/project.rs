//! Initialisation of a project, and checks of its root.
//!
//! The files of a project come with a clone, so they are made and read without following links. The home folder, `/` and `/tmp` are
//! refused as roots: a client that was started there by accident would index everything that the user has.

use std::path::{Path, PathBuf};

use recall_os::{Folder, OpenError, is_temporary_folder, project_root, write_git_files};
use recall_text::PROJECT_FOLDER;

/// A template with the settings that a project is likely to need, all commented out.
const CONFIGURATION: &str = include_str!("project/recall.toml");

/// The name of a project's configuration file.
pub(crate) const CONFIGURATION_FILE: &str = "recall.toml";

/// Whether `/`, the home folder and `/tmp` are accepted as a project's root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BroadRoot {
    /// They are refused: a scan would read everything that the user has.
    #[default]
    Refuse,
    /// They are accepted, because the user insists.
    Accept,
}

/// Checks a project's root. It must be a directory other than `/`, `home` and `/tmp`, after resolving links and `..`.
///
/// # Errors
/// The root fails one of these checks.
pub fn check_project_root(root: &Path, home: Option<&Path>, broad: BroadRoot) -> Result<(), ProjectError> {
    let path = || root.to_owned();
    let resolved = dunce::canonicalize(root).map_err(|_| ProjectError::Missing { path: path() })?;
    if !resolved.is_dir() {
        return Err(ProjectError::NotDirectory { path: path() });
    }
    let is_home = || home.and_then(|home| dunce::canonicalize(home).ok()).is_some_and(|home| home == resolved);
    if broad == BroadRoot::Refuse && (resolved.parent().is_none() || is_home() || is_temporary_folder(&resolved)) {
        return Err(ProjectError::TooBroad { path: path() });
    }
    Ok(())
}

/// Returns the root of the project whose file is a layer of the settings; `None` where no project may be.
///
/// `project` is the root that the user gave; without it, the root is found from the directory.
pub fn settings_root(
    directory: &Path,
    project: Option<&Path>,
    home: Option<&Path>,
    broad: BroadRoot,
) -> Option<PathBuf> {
    let root = project.map_or_else(|| project_root(directory, home), Path::to_owned);
    check_project_root(&root, home, broad).is_ok().then_some(root)
}

/// Creates the missing files of `.recall/`: its configuration and its files for git. Existing files are not changed.
/// Created files are readable only by their owner.
///
/// Returns the files that were written, in order.
///
/// # Errors
/// `.recall` or a file in it is a link or of another type, or cannot be read or written. Files before it have been
/// written.
pub fn initialise(root: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    let failed = |source: OpenError| ProjectError::Write { path: source.path().to_owned(), source };
    let folder = Folder::open(root).and_then(|root| root.make_folder(PROJECT_FOLDER)).map_err(failed)?;
    let mut written = Vec::new();
    if folder.metadata(CONFIGURATION_FILE).map_err(failed)?.is_none() {
        folder.replace(CONFIGURATION_FILE, CONFIGURATION.as_bytes()).map_err(failed)?;
        written.push(folder.path().join(CONFIGURATION_FILE));
    }
    written.extend(write_git_files(root).map_err(failed)?);
    Ok(written)
}

/// A folder cannot be a project's root, or cannot be initialised.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Nothing is at the path.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// Something other than a directory is at the path.
    #[error("`{}` is not a directory", path.display())]
    NotDirectory {
        /// The path as given.
        path: PathBuf,
    },
    /// It is `/`, the home folder or a folder for temporary files.
    #[error("`{}` is too broad for a project's root", path.display())]
    TooBroad {
        /// The path as given.
        path: PathBuf,
    },
    /// A file of `.recall/` cannot be read or written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The error of the file.
        #[source]
        source: OpenError,
    },
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Dirs, Environment, Settings};

    fn read(root: &Path, name: &str) -> String {
        fs::read_to_string(root.join(".recall").join(name)).expect("written")
    }

    #[test]
    fn an_invalid_root_is_refused() {
        let place = tempfile::tempdir().expect("a folder");
        let (home, file) = (place.path().join("home"), place.path().join("file"));
        fs::create_dir(&home).expect("made");
        fs::write(&file, "").expect("written");
        let check = |root: &Path, broad| check_project_root(root, Some(&home), broad);
        assert!(matches!(check(&place.path().join("no"), BroadRoot::Refuse), Err(ProjectError::Missing { .. })));
        assert!(matches!(check(&file, BroadRoot::Accept), Err(ProjectError::NotDirectory { .. })));
        assert!(matches!(check(&home.join("../home"), BroadRoot::Refuse), Err(ProjectError::TooBroad { .. })));
        assert!(matches!(check(Path::new("/"), BroadRoot::Refuse), Err(ProjectError::TooBroad { .. })));
        assert!(check(&home, BroadRoot::Accept).is_ok() && check(place.path(), BroadRoot::Refuse).is_ok());
    }

    #[test]
    fn initialisation_is_idempotent() {
        let root = tempfile::tempdir().expect("a folder");
        let written = initialise(root.path()).expect("writable");
        let names: Vec<_> = written.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["recall.toml", ".gitignore", ".gitattributes"]);
        assert_eq!(read(root.path(), ".gitignore"), "sessions/\n");
        assert_eq!(read(root.path(), ".gitattributes"), "*.jsonl merge=union\n");
        assert_eq!(initialise(root.path()).expect("readable"), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_users_lines_are_kept() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(".recall");
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join("recall.toml"), "[index]\nexclude = [\"x\"]\n").expect("written");
        fs::write(folder.join(".gitignore"), "other/\nmine").expect("written");
        initialise(root.path()).expect("writable");
        assert_eq!(read(root.path(), "recall.toml"), "[index]\nexclude = [\"x\"]\n");
        assert_eq!(read(root.path(), ".gitignore"), "other/\nmine\nsessions/\n");
    }

    #[test]
    fn a_link_in_place_of_a_file_or_the_folder_is_not_followed() {
        for link in [".recall", ".recall/.gitignore", ".recall/.gitattributes"] {
            let place = tempfile::tempdir().expect("a folder");
            let root = place.path().join("root");
            fs::create_dir_all(root.join(link).parent().expect("below the root")).expect("made");
            std::os::unix::fs::symlink(place.path().join("target"), root.join(link)).expect("linked");
            let error = initialise(&root).expect_err(link);
            let ProjectError::Write { source: OpenError::Link { path }, .. } = error else {
                panic!("{link}: {error:?}")
            };
            assert_eq!(path, root.join(link));
            assert!(!place.path().join("target").exists(), "{link}");
        }
    }

    /// Returns the template with its settings uncommented.
    fn uncommented() -> String {
        let setting = |line: &str| line.strip_prefix("#: ").map(ToOwned::to_owned);
        CONFIGURATION.lines().map(|line| setting(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
    }

    #[test]
    fn the_template_sets_nothing_and_offers_only_settings_that_a_project_may_set() {
        let place = tempfile::tempdir().expect("a folder");
        let loaded = |text: &str| {
            fs::create_dir_all(place.path().join(".recall")).expect("made");
            fs::write(place.path().join(".recall/recall.toml"), text).expect("written");
            let environment = Environment { recall_home: Some(PathBuf::from("/nowhere")), ..Environment::default() };
            let dirs = Dirs::from_environment(&environment).expect("dirs");
            Settings::load(&dirs, Some(place.path()), &environment, &[]).expect("loads")
        };
        let untouched = loaded(CONFIGURATION);
        assert_eq!((untouched.settings, untouched.warnings), (Settings::default(), Vec::new()));
        let everything = loaded(&uncommented());
        assert_eq!(everything.warnings, Vec::new());
        assert_ne!(everything.settings, Settings::default());
    }
}
