//! Memory-mapped files.

#![expect(unsafe_code, reason = "reading a map of a file that another program truncates is undefined")]

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;

/// The bytes of a file, loaded on access.
#[derive(Debug)]
pub(crate) struct Mapping(Mmap);

impl Mapping {
    /// Maps a whole file.
    pub(crate) fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the file is one of ours. It was written under another name and renamed when complete. It is never
        // written again, only unlinked, which keeps its bytes. Another program that overwrites or truncates it while it
        // is mapped cannot be defended against, as with every mapped index; `tantivy` maps its segments on the same
        // terms.
        unsafe { Mmap::map(file) }.map(Self)
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
