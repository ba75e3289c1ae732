//! Where does a project begin, for what is written into it by hand?
//!
//! The daemon finds the root of every request itself; here it is needed by what makes files in the project with the
//! rights of whoever runs the command.

use std::path::{Path, PathBuf};

use recall_proto::Reason;

use crate::Exit;
use crate::complaint::{CommandError, Complaint};
use crate::invocation::Invocation;

/// The root of the project that the command is about: the one named, else that of the working directory.
pub(crate) fn of(invocation: &Invocation) -> PathBuf {
    invocation.project().unwrap_or_else(|| around(&invocation.surroundings.directory))
}

/// The nearest ancestor with `.recall/`, else with `.git`, else the directory itself.
pub(crate) fn around(directory: &Path) -> PathBuf {
    let with = |name: &str| directory.ancestors().find(|ancestor| ancestor.join(name).exists());
    with(".recall").or_else(|| with(".git")).unwrap_or(directory).to_owned()
}

/// Refuses a root that is none: no directory, `/`, or the home folder.
pub(crate) fn check(root: &Path, invocation: &Invocation) -> Result<(), CommandError> {
    let refusal = |reason, message: &str| {
        let message = format!("`{}` {message}", root.display());
        Complaint::new(Exit::Refused, reason, message)
    };
    // Compared as the file system sees them: neither a link nor `..` hides the home folder.
    let Ok(resolved) = root.canonicalize() else {
        return Err(refusal(Reason::NotFound, "does not exist").into());
    };
    if !resolved.is_dir() {
        return Err(refusal(Reason::InvalidArgument, "is not a directory").into());
    }
    let home = invocation.surroundings.environment.home.as_ref().and_then(|home| home.canonicalize().ok());
    let broad = resolved.parent().is_none() || home.is_some_and(|home| home == resolved);
    if broad && !invocation.global.allow_broad_root {
        let complaint = refusal(Reason::PermissionDenied, "is too broad for a project's root");
        return Err(complaint.with_hint("name a directory below it, or insist with --allow-broad-root").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_root_is_the_nearest_folder_that_says_so() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path();
        let deep = root.join("a/b/c");
        fs::create_dir_all(&deep).expect("made");
        assert_eq!(around(&deep), deep);
        fs::create_dir(root.join(".git")).expect("made");
        fs::write(root.join("a/b/.git"), "gitdir: elsewhere").expect("written");
        assert_eq!(around(&deep), root.join("a/b"));
        fs::create_dir(root.join("a/.recall")).expect("made");
        assert_eq!(around(&deep), root.join("a"));
    }
}
