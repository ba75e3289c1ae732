//! Extraction of one file from an archive.

use std::fs::File;
use std::io;
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

/// The size limit of an extracted library. That for the CPU has 30 MB, those for GPUs some hundred.
const MOST_BYTES: u64 = 2 << 30;

/// Extracts one member of a zip archive to an open file, and verifies the archive's checksum of the member.
pub(super) fn extract(archive: &Path, member: &str, to: &mut File) -> Result<(), WheelError> {
    let mut archive = ZipArchive::new(File::open(archive)?)?;
    let mut member = archive.by_name(member)?;
    if member.size() > MOST_BYTES {
        return Err(WheelError::TooLarge { bytes: member.size() });
    }
    io::copy(&mut io::Read::take(&mut member, MOST_BYTES), to)?;
    Ok(())
}

/// The archive cannot be read, or lacks the member.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// The archive cannot be read, or the file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a zip archive, or the member is missing.
    #[error(transparent)]
    Zip(#[from] ZipError),
    /// The member is larger than any library.
    #[error("the library is too large: {bytes} bytes")]
    TooLarge {
        /// The size in the archive.
        bytes: u64,
    },
}
