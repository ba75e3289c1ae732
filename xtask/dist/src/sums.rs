//! The checksums of the packages.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::Package;

/// Returns the SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the file that `sha256sum --check` reads.
pub(crate) fn file(name: &str, packages: &[Package]) -> Package {
    let line = |package: &Package| format!("{}  {}\n", hex(&sha256(&package.bytes)), package.name);
    Package { name: name.to_owned(), bytes: packages.iter().map(line).collect::<String>().into_bytes() }
}
