//! Files that stand for content which is elsewhere.

/// Returns whether a file is a pointer of Git LFS, as it is checked out before its content is fetched.
pub(super) fn is_lfs_pointer(bytes: &[u8]) -> bool {
    /// A pointer is shorter than this, by its specification.
    const LONGEST: usize = 1024;
    /// The first line; earlier versions of the program wrote the second form.
    const VERSIONS: [&[u8]; 2] =
        [b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/"];

    bytes.len() < LONGEST
        && VERSIONS.iter().any(|version| bytes.starts_with(version))
        && bytes.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"oid "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_file_with_version_and_oid_is_a_pointer() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
        let prose = "version https://git-lfs.github.com/spec/v1 is what a pointer begins with\n";
        for (text, expected) in [
            (pointer.to_owned(), true),
            (prose.to_owned(), false),
            (format!("# {pointer}"), false),
            (format!("{pointer}{}", "x".repeat(1024)), false),
            (String::new(), false),
        ] {
            assert_eq!(is_lfs_pointer(text.as_bytes()), expected, "{text}");
        }
    }
}
