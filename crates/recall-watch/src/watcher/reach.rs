//! How far one watch of the operating system reaches, and which file systems report all changes.

use std::path::Path;

/// What one watch of the operating system covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// One directory (inotify). After a rename, its events have the old name.
    Directory,
    /// A directory and everything below it (`FSEvents`). All watches are one stream, which restarts with each further
    /// watch: what happens meanwhile is lost. An event may be reported twice.
    Tree,
}

impl Reach {
    /// The reach on this system; `None` if the events of all watches do not arrive in order. A marker proves nothing then, so
    /// nothing is watched.
    ///
    /// On Windows, each watch has a queue of its own.
    pub(super) const HERE: Option<Self> = if cfg!(target_os = "linux") {
        Some(Self::Directory)
    } else if cfg!(target_os = "macos") {
        Some(Self::Tree)
    } else {
        None
    };
}

/// The magic numbers (`statfs`) of file systems that other machines may change: NFS, SMB, CIFS, SMB2, 9P, FUSE, Ceph,
/// AFS, Coda, `VirtualBox` shares. They are from Linux's `magic.h` and the file systems' own headers.
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

/// Returns whether all changes below a path are made by this system, so that events report them.
#[cfg(target_os = "linux")]
pub(super) fn is_local(path: &Path) -> bool {
    // The type is a signed or unsigned word, depending on the architecture; magic numbers have 32 bits.
    #[expect(clippy::allow_attributes, reason = "on some architectures the cast changes nothing")]
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the magic numbers have 32 bits"
    )]
    rustix::fs::statfs(path).is_ok_and(|stat| !REMOTE.contains(&(stat.f_type as u32)))
}

/// Returns whether all changes below a path are made by this system, so that events report them.
#[cfg(target_os = "macos")]
pub(super) fn is_local(path: &Path) -> bool {
    /// `MNT_LOCAL` of macOS's `sys/mount.h`.
    const LOCAL: u32 = 0x1000;
    rustix::fs::statfs(path).is_ok_and(|stat| stat.f_flags & LOCAL != 0)
}

/// On other systems nothing is watched.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn is_local(_path: &Path) -> bool {
    false
}
