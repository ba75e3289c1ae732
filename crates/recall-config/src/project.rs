//! Where does a project begin, and which files make one of a folder?
//!
//! For what is written into a project with the rights of whoever asks for it. The daemon finds the root of every request
//! itself, by the same rule.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use recall_core::{GIT_FILES, missing_lines};

/// Settings that a project is likely to want, all of them commented out.
const CONFIGURATION: &str = include_str!("project/recall.toml");

/// The root of the project that a directory belongs to.
///
/// The nearest ancestor (or the directory itself) that holds a directory `.recall`, else the nearest that holds `.git`, else
/// the directory itself. The search ends below `home` and what holds it; `home` is looked at where it is itself the
/// directory asked about. `directory` is absolute; it need not exist.
pub fn project_root(directory: &Path, home: Option<&Path>) -> PathBuf {
    let is_above_projects = |ancestor: &Path| home.is_some_and(|home| home.starts_with(ancestor));
    let candidates = || directory.ancestors().take_while(|at| *at == directory || !is_above_projects(at));
    let marked = candidates().find(|at| at.join(".recall").is_dir());
    marked.or_else(|| candidates().find(|at| at.join(".git").exists())).unwrap_or(directory).to_owned()
}

/// Whether `/` and the home folder are taken as a project's root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BroadRoot {
    /// They are refused.
    #[default]
    Refuse,
    /// The user insists.
    Accept,
}

/// Refuses a root that is none: no directory, `/`, or `home`. Neither a link nor `..` hides them.
///
/// # Errors
/// It is one of these.
pub fn check_project_root(root: &Path, home: Option<&Path>, broad: BroadRoot) -> Result<(), ProjectError> {
    let path = || root.to_owned();
    let resolved = root.canonicalize().map_err(|_| ProjectError::Missing { path: path() })?;
    if !resolved.is_dir() {
        return Err(ProjectError::NotDirectory { path: path() });
    }
    let is_home = || home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == resolved);
    if broad == BroadRoot::Refuse && (resolved.parent().is_none() || is_home()) {
        return Err(ProjectError::TooBroad { path: path() });
    }
    Ok(())
}

/// Makes what a project lacks of `.recall/`, its configuration and its files for git, and leaves what is there as it is.
///
/// Returns the files that were written, in order; none where nothing was missing.
///
/// # Errors
/// A file cannot be read or written; those before it stand.
pub fn initialise(root: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    let folder = root.join(".recall");
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| ProjectError::Write { path, source }
    };
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let mut written = Vec::new();
    let configuration = folder.join("recall.toml");
    if write_new(&configuration, CONFIGURATION).map_err(failed(&configuration))? {
        written.push(configuration);
    }
    for (name, lines) in GIT_FILES {
        let path = folder.join(name);
        if add_lines(&path, lines).map_err(failed(&path))? {
            written.push(path);
        }
    }
    Ok(written)
}

/// A folder cannot be a project, or be made one.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Nothing is there.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// What was named.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("`{}` is not a directory", path.display())]
    NotDirectory {
        /// What was named.
        path: PathBuf,
    },
    /// It is `/` or the home folder.
    #[error("`{}` is too broad for a project's root", path.display())]
    TooBroad {
        /// What was named.
        path: PathBuf,
    },
    /// A file of `.recall/` cannot be read or written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Writes a file unless there is one.
fn write_new(path: &Path, text: &str) -> io::Result<bool> {
    match fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Adds lines that a file lacks.
fn add_lines(path: &Path, lines: &[&str]) -> io::Result<bool> {
    let known = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let Some(added) = missing_lines(&known, lines) else { return Ok(false) };
    fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(added.as_bytes())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, Homes, Settings};

    fn read(root: &Path, name: &str) -> String {
        fs::read_to_string(root.join(".recall").join(name)).expect("written")
    }

    #[test]
    fn the_root_is_the_nearest_folder_that_says_so() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path();
        let deep = root.join("a/b/c");
        fs::create_dir_all(&deep).expect("made");
        assert_eq!(project_root(&deep, None), deep);
        fs::create_dir(root.join(".git")).expect("made");
        assert_eq!(project_root(&deep, Some(root)), deep, "a repository of dotfiles");
        fs::write(root.join("a/b/.git"), "gitdir: elsewhere").expect("written");
        assert_eq!(project_root(&deep, None), root.join("a/b"));
        fs::create_dir(root.join("a/.recall")).expect("made");
        assert_eq!(project_root(&deep, None), root.join("a"));
    }

    #[test]
    fn what_is_no_root_is_refused() {
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
    fn a_project_is_prepared_once() {
        let root = tempfile::tempdir().expect("a folder");
        let written = initialise(root.path()).expect("writable");
        let names: Vec<_> = written.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["recall.toml", ".gitignore", ".gitattributes"]);
        assert_eq!(read(root.path(), ".gitignore"), "index/\nsessions/\n");
        assert_eq!(read(root.path(), ".gitattributes"), "*.jsonl merge=union\n");
        assert_eq!(initialise(root.path()).expect("readable"), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_the_user_wrote_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(".recall");
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join("recall.toml"), "[index]\nexclude = [\"x\"]\n").expect("written");
        fs::write(folder.join(".gitignore"), "sessions/\nmine").expect("written");
        initialise(root.path()).expect("writable");
        assert_eq!(read(root.path(), "recall.toml"), "[index]\nexclude = [\"x\"]\n");
        assert_eq!(read(root.path(), ".gitignore"), "sessions/\nmine\nindex/\n");
    }

    /// The template without the marks of comments before its settings.
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
            let homes = Homes::from_environment(&environment).expect("homes");
            Settings::load(&homes, Some(place.path()), &environment, &[]).expect("loads")
        };
        let untouched = loaded(CONFIGURATION);
        assert_eq!((untouched.settings, untouched.warnings), (Settings::default(), Vec::new()));
        let everything = loaded(&uncommented());
        assert_eq!(everything.warnings, Vec::new());
        assert_ne!(everything.settings, Settings::default());
    }
}
