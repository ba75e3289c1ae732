//! Runtimes that are missing, too old or invalid are refused. These tests need no runtime.

#[path = "support/library.rs"]
mod library;

use std::fs;

use recall_models::{Runtime, RuntimeError, RuntimePackage, find_runtime};

use library::{OLD_RUNTIME, built};

#[test]
fn a_missing_runtime_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = RuntimeError::NotInstalled { folder: folder.path().to_owned() };
    assert_eq!(find_runtime(None, folder.path()), Err(nothing));

    let path = folder.path().join("libonnxruntime.so");
    assert_eq!(find_runtime(Some(&path), folder.path()), Ok(path.clone()));
    assert_eq!(Runtime::open(&path).unwrap_err(), RuntimeError::Missing { path });
}

#[test]
fn a_file_that_is_not_a_runtime_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libonnxruntime.so");
    for bytes in [&b""[..], b"garbage", b"\x7fELF\x02\x01\x01"] {
        fs::write(&path, bytes).unwrap();
        let error = Runtime::open(&path).unwrap_err();
        assert!(matches!(&error, RuntimeError::Unusable { path: reported, .. } if *reported == path), "{error}");
    }
    let other = built(folder.path(), "other", "pub fn nothing() {}");
    let error = Runtime::open(&other).unwrap_err();
    assert!(error.to_string().contains("OrtGetApiBase"), "{error}");
}

#[test]
fn a_runtime_that_is_too_old_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = built(folder.path(), "old", OLD_RUNTIME);
    let error = Runtime::open(&path).unwrap_err();
    assert_eq!(error, RuntimeError::TooOld { path, found: "1.17.3".to_owned() });
    assert!(error.to_string().ends_with("is 1.17.3; at least 1.24 is needed"), "{error}");
}

#[test]
fn an_installed_runtime_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let Some(package) = RuntimePackage::for_this_platform() else {
        assert!(find_runtime(None, folder.path()).is_err());
        return;
    };
    let library = package.library_in(folder.path());
    fs::create_dir_all(library.parent().unwrap()).unwrap();
    fs::write(&library, "").unwrap();
    assert_eq!(find_runtime(None, folder.path()), Ok(library));
}
