//! Detection of network file systems.
//!
//! SQLite's write-ahead log needs shared memory between processes and reliable locks. Network file systems have
//! neither.

use std::path::Path;

/// The name of the network file system that contains the file's directory. `None` if it is local or cannot be
/// determined.
#[cfg(target_os = "linux")]
pub(super) fn file_system(path: &Path) -> Option<String> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let kind = rustix::fs::statfs(directory).ok()?.f_type;
    if kind as u32 == FUSE {
        let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
        let directory = directory.canonicalize().ok()?;
        return fuse_kind(&mounts, &directory).filter(|name| NETWORK_FUSE.contains(&name.as_str()));
    }
    name_of(kind as u32).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn file_system(_path: &Path) -> Option<String> {
    None
}

/// FUSE programs serve local disks too, so the mount table decides.
#[cfg(target_os = "linux")]
const FUSE: u32 = 0x6573_5546;

#[cfg(target_os = "linux")]
const NETWORK_FUSE: &[&str] =
    &["fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.davfs", "fuse.curlftpfs", "fuse.glusterfs", "fuse.gcsfuse"];

/// Magic numbers from `linux/magic.h` and from the file systems' own headers.
#[cfg(target_os = "linux")]
fn name_of(magic: u32) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "nfs",
        0xFF53_4D42 => "cifs",
        0xFE53_4D42 => "smb2",
        0x517B => "smb",
        0x0102_1997 => "9p",
        0x5346_414F => "afs",
        0x00C3_6400 => "ceph",
        0x7375_7245 => "coda",
        0x0BD0_0BD0 => "lustre",
        0x564C => "ncp",
        _ => return None,
    })
}

/// The type of the innermost mount that contains a directory, such as `fuse.sshfs`.
#[cfg(target_os = "linux")]
fn fuse_kind(mounts: &str, directory: &Path) -> Option<String> {
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let point = fields.nth(1)?;
            Some((point.replace("\\040", " "), fields.next()?))
        })
        .filter(|(point, _)| directory.starts_with(point))
        .max_by_key(|(point, _)| point.len())
        .map(|(_, kind)| kind.to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_temporary_directory_is_local() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(file_system(&folder.path().join("catalog.db")), None);
    }

    #[test]
    fn network_file_systems_are_named() {
        assert_eq!(name_of(0x6969), Some("nfs"));
        assert_eq!(name_of(0xFF53_4D42), Some("cifs"));
        assert_eq!(name_of(0xEF53), None, "ext4 is local");
    }

    #[test]
    fn the_innermost_mount_point_gives_the_kind() {
        let mounts = "/dev/vda / ext4 rw 0 0\nme@host:/x /home/me/far\\040away fuse.sshfs rw 0 0\n";
        let kind = |directory: &str| fuse_kind(mounts, Path::new(directory));
        assert_eq!(kind("/home/me/far away/project").as_deref(), Some("fuse.sshfs"));
        assert_eq!(kind("/home/me/near").as_deref(), Some("ext4"));
    }
}
