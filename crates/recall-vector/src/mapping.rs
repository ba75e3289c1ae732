//! Here is a file: where are its bytes in memory?

#![expect(unsafe_code, reason = "a map of a file that is cut by a foreign hand cannot be read")]

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;

/// The bytes of a file, read when they are touched.
#[derive(Debug)]
pub(crate) struct Mapping(Mmap);

impl Mapping {
    /// Maps a file whole.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the file is one of ours: written under another name and renamed when whole, never written again, only
        // unlinked, which keeps its bytes. Who overwrites or cuts it all the same while it is mapped is outside of what
        // can be defended, as with every mapped index; `tantivy` maps its segments on the same terms.
        unsafe { Mmap::map(file) }.map(Self)
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
