//! The profiles that people write about themselves and their projects.

use std::path::Path;

use recall_core::PROJECT_FOLDER;
use recall_folder::Folder;

/// What a person says of themselves and of how they work, in the global store's root; of a project, in its `.recall`.
pub(crate) const PROFILE: &str = "profile.md";

/// How much of a profile is read. It is to be read at the beginning of every session, so that a long one defeats itself.
const PROFILE_BYTES: u64 = 16 * 1024;

/// The profile of the project with that root, as far as it is read; `None` if there is none.
pub(crate) fn profile_of(root: &Path) -> Option<Vec<u8>> {
    read(root, &Path::new(PROJECT_FOLDER).join(PROFILE))
}

/// Reads a profile at a plain path below a root. A link is not followed.
pub(crate) fn read(root: &Path, below: &Path) -> Option<Vec<u8>> {
    Folder::open(root).and_then(|root| root.read(below, PROFILE_BYTES)).ok()
}
