//! Hashes of what was read of a file, to detect edits of it.

use std::io;

use crate::StoredFile;
use crate::lines::read_some;

/// Up to this length, all of the content is hashed again if a file grew; this takes a few milliseconds.
const WHOLE_BYTES: u64 = 8 * 1024 * 1024;

/// The number of bytes hashed at the beginning and at the end of longer content. An edit between them that keeps the
/// file's identity, shifts nothing and comes together with an append is only noticed by the next full read.
const PART_BYTES: u64 = 256 * 1024;

/// The number of bytes read at once.
const BLOCK_BYTES: usize = 64 * 1024;

/// The hash of the first bytes of a file; of their beginning and end if they are long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Hashes the first `length` bytes of a file, or fewer if the file is shorter.
    pub(crate) fn compute(file: &dyn StoredFile, length: u64) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&length.to_le_bytes());
        if length <= WHOLE_BYTES {
            update(&mut hasher, file, 0, length)?;
        } else {
            update(&mut hasher, file, 0, PART_BYTES)?;
            update(&mut hasher, file, length - PART_BYTES, length)?;
        }
        Ok(Self(*hasher.finalize().as_bytes()))
    }
}

fn update(hasher: &mut blake3::Hasher, file: &dyn StoredFile, mut from: u64, to: u64) -> io::Result<()> {
    let mut block = vec![0; BLOCK_BYTES];
    while from < to {
        let wanted = usize::try_from(to - from).unwrap_or(BLOCK_BYTES).min(BLOCK_BYTES);
        let count = read_some(file, &mut block[..wanted], from)?;
        if count == 0 {
            break;
        }
        hasher.update(&block[..count]);
        from += count as u64;
    }
    Ok(())
}
