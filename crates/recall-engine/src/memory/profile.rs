//! The profiles that people write about themselves and their projects.

use std::path::Path;

use recall_os::Folder;
use recall_text::PROJECT_FOLDER;

/// The file name of a profile: of the user in the global store's root, of a project in its `.recall` folder.
pub(crate) const PROFILE: &str = "profile.md";

/// The most bytes read of a profile. It is part of every briefing, so a long one defeats its purpose.
const PROFILE_BYTES: u64 = 16 * 1024;

/// Returns the profile of the project with that root; `None` if there is none or it cannot be read.
pub(crate) fn profile_of(root: &Path) -> Option<Vec<u8>> {
    read(root, &Path::new(PROJECT_FOLDER).join(PROFILE))
}

/// Reads a profile at a plain path below a root. A link is not followed.
pub(crate) fn read(root: &Path, below: &Path) -> Option<Vec<u8>> {
    Folder::open(root).and_then(|root| root.read(below, PROFILE_BYTES)).ok()
}
