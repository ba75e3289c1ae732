//! Is what was read of a file still there?

use std::io;

use crate::StoredFile;
use crate::lines::read_some;

/// Up to which length all that was read is looked at again when a file grew: it takes a few milliseconds.
const WHOLE_BYTES: u64 = 8 * 1024 * 1024;

/// Of a longer file, how much is looked at of the beginning and of the end of what was read. An edit between them that leaves
/// the file the same one, moves nothing, and comes at once with an addition is noticed at the next full reading only.
const PART_BYTES: u64 = 256 * 1024;

/// How much is read at once.
const BLOCK_BYTES: usize = 64 * 1024;

/// The hash of the first bytes of a file, or of parts of them where they are many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Hashes the first `length` bytes of a file; those that are not there are none.
    pub(crate) fn of(file: &dyn StoredFile, length: u64) -> io::Result<Self> {
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
