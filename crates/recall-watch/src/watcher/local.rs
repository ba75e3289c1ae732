//! Whether a file system tells of all changes.

use std::path::Path;

/// Magic numbers of file systems that others change as well, as `statfs` gives them (Linux, `magic.h` and the file systems' own
/// headers): NFS, SMB, CIFS, SMB2, 9P, FUSE, Ceph, AFS, Coda, `VirtualBox` shares.
#[cfg(target_os = "linux")]
const REMOTE: [u32; 10] = [
    0x0000_6969,
    0x0000_517b,
    0xff53_4d42,
    0xfe53_4d42,
    0x0102_1997,
    0x6573_5546,
    0x00c3_6400,
    0x5346_414f,
    0x7375_7245,
    0x786f_4256,
];

/// Whether every change of a file below the path comes from this system, so that an event tells of it.
#[cfg(target_os = "linux")]
pub(super) fn is_local(path: &Path) -> bool {
    // The type is a signed or an unsigned word, by architecture; the magic numbers have 32 bits.
    #[expect(clippy::allow_attributes, reason = "on some architectures the cast changes nothing")]
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "32 bits count"
    )]
    rustix::fs::statfs(path).is_ok_and(|stat| !REMOTE.contains(&(stat.f_type as u32)))
}

/// Elsewhere nothing is watched.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_local(_path: &Path) -> bool {
    false
}
