//! Which package holds the ONNX runtime for this platform?

use std::path::{Path, PathBuf};

/// Where Python packages are looked up (PEP 503), unless a mirror is set.
pub(crate) const PACKAGE_INDEX: &str = "https://pypi.org/simple";

/// A version of the runtime, as a package of its makers.
///
/// They publish the library for every platform as a part of a Python package: an archive of which one file is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimePackage {
    /// Its name in the index.
    pub project: &'static str,
    /// The version of the runtime.
    pub version: &'static str,
    /// The archive's file name.
    pub file: &'static str,
    /// The SHA-256 of the archive, in hexadecimal digits.
    pub sha256: &'static str,
    /// The library's path in the archive.
    pub member: &'static str,
    /// The name of the library's file once installed.
    pub library: &'static str,
}

/// Pinned: what other versions hold was not looked at. There is none for macOS on Intel processors: the last one is too old.
const VERSION: &str = "1.31.1";

macro_rules! package {
    ($platform:literal, $sha256:literal, $member:literal, $library:literal) => {
        RuntimePackage {
            project: "onnxruntime",
            version: VERSION,
            file: concat!("onnxruntime-1.31.1-cp312-cp312-", $platform, ".whl"),
            sha256: $sha256,
            member: concat!("onnxruntime/capi/", $member),
            library: $library,
        }
    };
}

impl RuntimePackage {
    /// The package for the platform that this program was built for, where there is one.
    pub fn of_this_platform() -> Option<Self> {
        Self::of(std::env::consts::OS, std::env::consts::ARCH)
    }

    /// The package for an operating system and a processor, in Rust's names.
    pub fn of(system: &str, processor: &str) -> Option<Self> {
        let package = match (system, processor) {
            ("linux", "x86_64") => package!(
                "manylinux_2_28_x86_64",
                "1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536",
                "libonnxruntime.so.1.31.1",
                "libonnxruntime.so"
            ),
            ("linux", "aarch64") => package!(
                "manylinux_2_28_aarch64",
                "0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc",
                "libonnxruntime.so.1.31.1",
                "libonnxruntime.so"
            ),
            ("macos", "aarch64") => package!(
                "macosx_14_0_arm64",
                "96dd2564b10ea7153ad9c207e7cd8e5917cb3ba521e0e0a62ac03486fdc8d56c",
                "libonnxruntime.1.31.1.dylib",
                "libonnxruntime.dylib"
            ),
            ("windows", "x86_64") => package!(
                "win_amd64",
                "ae8a9a351efda685cc59a66226cdefaa37a126c1d66872ca23a2de9425326130",
                "onnxruntime.dll",
                "onnxruntime.dll"
            ),
            ("windows", "aarch64") => package!(
                "win_arm64",
                "fe8b9ac1ae8e894e12c47ee82e4f6dfc1835768133687257866469fda80d0bf1",
                "onnxruntime.dll",
                "onnxruntime.dll"
            ),
            _ => return None,
        };
        Some(package)
    }

    /// Where the library is, or would be, below a folder of runtimes. Each version has a folder of its own, so that one can
    /// be installed while another is in use.
    pub fn library_in(&self, folder: &Path) -> PathBuf {
        self.folder_in(folder).join(self.library)
    }

    pub(super) fn folder_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}", self.project, self.version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Digest;

    #[test]
    fn every_package_is_of_the_pinned_version() {
        for (system, processor) in [
            ("linux", "x86_64"),
            ("linux", "aarch64"),
            ("macos", "aarch64"),
            ("windows", "x86_64"),
            ("windows", "aarch64"),
        ] {
            let package = RuntimePackage::of(system, processor).expect("there is one");
            assert!(package.file.starts_with(&format!("onnxruntime-{VERSION}-")), "{package:?}");
            assert!(Digest::sha256(package.sha256).is_some(), "{package:?}");
            assert!(package.member.contains(VERSION) || system == "windows", "{package:?}");
        }
        assert_eq!(RuntimePackage::of("macos", "x86_64"), None);
    }
}
