//! The package with ONNX Runtime for each platform.

use std::path::{Path, PathBuf};

/// The default index of Python packages (PEP 503).
pub(crate) const PACKAGE_INDEX: &str = "https://pypi.org/simple";

/// A version of the runtime, as a package of its publishers.
///
/// They publish the library for every platform as part of a Python package: an archive from which a single file is
/// extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimePackage {
    /// The name of the project in the index.
    pub project: &'static str,
    /// The version of the runtime.
    pub version: &'static str,
    /// The file name of the archive.
    pub file: &'static str,
    /// The SHA-256 of the archive, in hexadecimal.
    pub sha256: &'static str,
    /// The path of the library in the archive.
    pub member: &'static str,
    /// The file name of the library once installed.
    pub library: &'static str,
}

/// Pinned, since the content of other versions was not checked. There is none for macOS on Intel: its last version is
/// too old.
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
    /// Returns the package for the platform of this program, if there is one.
    pub fn for_this_platform() -> Option<Self> {
        Self::for_platform(std::env::consts::OS, std::env::consts::ARCH)
    }

    /// Returns the package for an operating system and a processor, by Rust's names.
    pub fn for_platform(system: &str, processor: &str) -> Option<Self> {
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

    /// Returns the path at which the library is or would be installed in a folder of runtimes. Each version has its own
    /// subfolder, so that one can be installed while another is in use.
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
    fn every_package_has_the_pinned_version() {
        for (system, processor) in [
            ("linux", "x86_64"),
            ("linux", "aarch64"),
            ("macos", "aarch64"),
            ("windows", "x86_64"),
            ("windows", "aarch64"),
        ] {
            let package = RuntimePackage::for_platform(system, processor).expect("there is one");
            assert!(package.file.starts_with(&format!("onnxruntime-{VERSION}-")), "{package:?}");
            assert!(Digest::sha256(package.sha256).is_some(), "{package:?}");
            assert!(package.member.contains(VERSION) || system == "windows", "{package:?}");
        }
        assert_eq!(RuntimePackage::for_platform("macos", "x86_64"), None);
    }
}
