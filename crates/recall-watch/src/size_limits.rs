//! The sizes up to which files are read.

use recall_core::Limits;

use crate::SkipReason;

/// The sizes up to which files are read, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeLimits {
    /// The largest file, and the most text that is kept of a notebook.
    pub file_bytes: u64,
    /// The largest notebook, whose pictures are left out while it is read.
    pub notebook_bytes: u64,
}

impl SizeLimits {
    /// Returns the reason if a file of that name and size is too large to be read.
    pub(crate) fn check(&self, name: &str, bytes: u64) -> Option<SkipReason> {
        let (limit_bytes, setting) = if is_notebook(name) && self.notebook_bytes > self.file_bytes {
            (self.notebook_bytes, "limits.notebook_bytes")
        } else {
            (self.file_bytes, FILE_BYTES)
        };
        (bytes > limit_bytes).then_some(SkipReason::TooLarge { bytes, limit_bytes, setting })
    }

    /// Returns the reason if a text is too large to be indexed.
    pub fn check_text(&self, bytes: u64) -> Option<SkipReason> {
        let limit_bytes = self.file_bytes;
        (bytes > limit_bytes).then_some(SkipReason::TooLarge { bytes, limit_bytes, setting: FILE_BYTES })
    }
}

impl From<&Limits> for SizeLimits {
    fn from(limits: &Limits) -> Self {
        Self { file_bytes: limits.file_bytes, notebook_bytes: limits.notebook_bytes }
    }
}

/// The setting of the largest file.
const FILE_BYTES: &str = "limits.file_bytes";

/// Returns whether a name is that of a Jupyter notebook.
pub(crate) fn is_notebook(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("ipynb"))
}
