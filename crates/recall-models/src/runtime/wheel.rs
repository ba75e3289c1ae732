//! How is one file taken out of an archive?

use std::fs::File;
use std::io;
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

/// The largest library that is taken out; that of the processor has 30 MB, those with a GPU's parts some hundred.
const MOST_BYTES: u64 = 2 << 30;

/// Writes one member of a zip archive to an open file. The archive's own checksum of the member is verified.
pub(super) fn extract(archive: &Path, member: &str, to: &mut File) -> Result<(), WheelError> {
    let mut archive = ZipArchive::new(File::open(archive)?)?;
    let mut member = archive.by_name(member)?;
    if member.size() > MOST_BYTES {
        return Err(WheelError::TooLarge { bytes: member.size() });
    }
    io::copy(&mut io::Read::take(&mut member, MOST_BYTES), to)?;
    Ok(())
}

/// The archive cannot be read, or lacks the file.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// It cannot be read or the file not written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no archive, or the file is not in it.
    #[error(transparent)]
    Zip(#[from] ZipError),
    /// The file is larger than any library.
    #[error("the library would have {bytes} bytes")]
    TooLarge {
        /// What the archive says.
        bytes: u64,
    },
}
