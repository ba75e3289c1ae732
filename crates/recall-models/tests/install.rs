//! Installation of the runtime over a network that fails, from a local server, with a package that contains a dummy
//! library.

#![expect(clippy::unwrap_used, reason = "a test's failure is a panic")]

#[path = "support/server.rs"]
mod server;

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use recall_models::{
    FetchError, FetchSettings, Fetcher, InstallError, Progress, RuntimePackage, install_runtime, install_runtime_from,
};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

use server::{Request, Served, Server};

const FILE: &str = "onnxruntime-0.1-py3-none-any.whl";
const MEMBER: &str = "onnxruntime/capi/libonnxruntime.so.0.1";
/// Larger than a socket buffer, and incompressible.
const LIBRARY_BYTES: usize = 3_000_000;

/// A package as listed in the index.
struct Package {
    wheel: Vec<u8>,
    about: RuntimePackage,
}

fn library() -> Vec<u8> {
    let mut state = 1_u32;
    let bytes = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    bytes.take(LIBRARY_BYTES).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
        .collect()
}

fn package(member: &str) -> Package {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [("onnxruntime/__init__.py", b"x = 1\n".to_vec()), (member, library())] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    let wheel = zip.finish().unwrap().into_inner();
    let sha256 = hex(&Sha256::digest(&wheel));
    let about = RuntimePackage {
        project: "onnxruntime",
        version: "0.1",
        file: FILE,
        sha256: sha256.leak(),
        member: MEMBER,
        library: "libonnxruntime.so",
    };
    Package { wheel, about }
}

fn serving(wheel: Served) -> Server {
    let server = Server::start();
    let page = format!("<!DOCTYPE html><a href=\"../../files/{FILE}#sha256=00\">{FILE}</a><br/>");
    server.serve("/simple/onnxruntime/", Served::whole(page));
    server.serve(&format!("/files/{FILE}"), wheel);
    server
}

fn install(server: &Server, about: &RuntimePackage, folder: &Path) -> Result<Vec<u8>, InstallError> {
    install_watched(server, about, folder, &mut |_| ControlFlow::Continue(()))
}

fn install_watched(
    server: &Server,
    about: &RuntimePackage,
    folder: &Path,
    watch: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Vec<u8>, InstallError> {
    let fetcher = Fetcher::new(FetchSettings { retries: 2, retry_after: Duration::ZERO, ..FetchSettings::default() });
    let mirror = format!("{}/simple/", server.address);
    let library = install_runtime(&fetcher.unwrap(), about, Some(&mirror), folder, watch)?;
    Ok(fs::read(library).unwrap())
}

fn ranges(server: &Server) -> Vec<Option<String>> {
    let of_wheel = |request: &Request| request.path.ends_with(FILE);
    server.requests().into_iter().filter(of_wheel).map(|request| request.range).collect()
}

fn files_in(folder: &Path, about: &RuntimePackage) -> Vec<String> {
    let entries = fs::read_dir(about.library_in(folder).parent().unwrap()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_library_is_extracted_from_the_package() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let server = serving(Served::whole(package.wheel.clone()));
    let mut reported = Vec::new();
    let installed = install_watched(&server, &package.about, folder.path(), &mut |progress| {
        reported.push((progress.file.to_owned(), progress.done_bytes, progress.total_bytes));
        ControlFlow::Continue(())
    });
    assert!(installed.unwrap() == library());
    assert_eq!(files_in(folder.path(), &package.about), ["libonnxruntime.so", "recall-runtime.json"]);
    let total = package.wheel.len() as u64;
    assert_eq!(reported.first(), Some(&(FILE.to_owned(), 0, Some(total))));
    assert_eq!(reported.last(), Some(&(FILE.to_owned(), total, Some(total))));
    assert!(reported.len() > 3, "{reported:?}");

    // An installed library is not downloaded again.
    let before = server.requests().len();
    assert!(install(&server, &package.about, folder.path()).unwrap() == library());
    assert_eq!(server.requests().len(), before);
}

#[test]
fn a_broken_download_is_resumed() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let server = serving(Served { cut: vec![1_000_000, 500_000], ..Served::whole(package.wheel.clone()) });
    assert!(install(&server, &package.about, folder.path()).unwrap() == library());
    assert_eq!(ranges(&server), [None, Some("bytes=1000000-".to_owned()), Some("bytes=1500000-".to_owned())]);
}

#[test]
fn a_server_without_ranges_restarts_the_download() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let server = serving(Served { cut: vec![1_000_000], has_ranges: false, ..Served::whole(package.wheel.clone()) });
    assert!(install(&server, &package.about, folder.path()).unwrap() == library());
}

#[test]
fn a_truncated_download_is_reported_and_resumed_by_the_next_attempt() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let server = serving(Served { cut: vec![100_000, 0, 0], ..Served::whole(package.wheel.clone()) });
    let error = install(&server, &package.about, folder.path()).unwrap_err();
    let total = package.wheel.len() as u64;
    assert!(
        matches!(error, InstallError::Fetch(FetchError::Truncated { done_bytes: 100_000, total_bytes: Some(reported), .. })
            if reported == total),
        "{error:?}"
    );
    assert_eq!(files_in(folder.path(), &package.about), [format!("{FILE}.part")]);

    assert!(install(&server, &package.about, folder.path()).unwrap() == library());
    assert_eq!(ranges(&server).last(), Some(&Some("bytes=100000-".to_owned())));
}

#[test]
fn a_wrong_checksum_installs_nothing() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let mut wheel = package.wheel.clone();
    wheel[1_000_000] ^= 1;
    let server = serving(Served::whole(wheel));
    let error = install(&server, &package.about, folder.path()).unwrap_err();
    let InstallError::Fetch(FetchError::WrongChecksum { expected, found, .. }) = &error else { panic!("{error:?}") };
    assert_eq!(expected, package.about.sha256);
    assert_ne!(found, expected);
    assert_eq!(files_in(folder.path(), &package.about), [""; 0]);
}

#[test]
fn a_local_package_is_installed_offline_if_it_is_the_pinned_one() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let at_hand = folder.path().join("at-hand.whl");
    std::fs::write(&at_hand, b"another one").unwrap();
    let error = install_runtime_from(&at_hand, &package.about, folder.path()).unwrap_err();
    assert!(matches!(&error, InstallError::OtherPackage { path, .. } if *path == at_hand), "{error:?}");
    assert!(!package.about.library_in(folder.path()).exists());

    std::fs::write(&at_hand, &package.wheel).unwrap();
    let installed = install_runtime_from(&at_hand, &package.about, folder.path()).unwrap();
    assert_eq!(installed, package.about.library_in(folder.path()));
    assert!(std::fs::read(installed).unwrap() == library());
    assert!(at_hand.is_file(), "the user's file is kept");

    let nowhere = install_runtime_from(&folder.path().join("nowhere.whl"), &package.about, folder.path());
    assert!(matches!(nowhere, Err(InstallError::Unreadable { .. })));
}

#[test]
fn a_partial_file_of_another_version_is_discarded() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let left = package.about.library_in(folder.path()).with_file_name(format!("{FILE}.part"));
    fs::create_dir_all(left.parent().unwrap()).unwrap();
    for left_bytes in [1000, package.wheel.len(), package.wheel.len() + 1000] {
        fs::write(&left, vec![7; left_bytes]).unwrap();
        let server = serving(Served::whole(package.wheel.clone()));
        assert!(install(&server, &package.about, folder.path()).unwrap() == library());
        fs::remove_file(package.about.library_in(folder.path())).unwrap();
    }
}

#[test]
fn a_refusal_is_not_retried_and_an_overload_is() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let server = serving(Served { refused: vec![403], ..Served::whole(package.wheel.clone()) });
    let error = install(&server, &package.about, folder.path()).unwrap_err();
    assert!(matches!(error, InstallError::Fetch(FetchError::Refused { status: 403, .. })), "{error:?}");

    let server = serving(Served { refused: vec![503, 429], ..Served::whole(package.wheel.clone()) });
    assert!(install(&server, &package.about, folder.path()).is_ok());
}

#[test]
fn the_progress_callback_can_cancel() {
    let (package, folder) = (package(MEMBER), tempfile::tempdir().unwrap());
    let server = serving(Served::whole(package.wheel.clone()));
    let mut watch = |progress: Progress<'_>| {
        if progress.done_bytes > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let error = install_watched(&server, &package.about, folder.path(), &mut watch).unwrap_err();
    assert!(matches!(error, InstallError::Fetch(FetchError::Cancelled { .. })), "{error:?}");
}

#[test]
fn an_index_or_package_that_lacks_the_library_is_reported() {
    let (package, folder) = (package("onnxruntime/capi/other.so"), tempfile::tempdir().unwrap());
    let server = serving(Served::whole(package.wheel.clone()));
    let error = install(&server, &package.about, folder.path()).unwrap_err();
    assert!(matches!(&error, InstallError::BadPackage { member, .. } if member == MEMBER), "{error:?}");

    server.serve("/simple/onnxruntime/", Served::whole("<a href=\"onnxruntime-0.2.whl\">x</a>"));
    let folder = tempfile::tempdir().unwrap();
    let error = install(&server, &package.about, folder.path()).unwrap_err();
    assert!(matches!(&error, InstallError::NotInIndex { file, .. } if file == FILE), "{error:?}");

    let mut unreachable = server;
    unreachable.address = "http://127.0.0.1:9".to_owned();
    let error = install(&unreachable, &package.about, folder.path()).unwrap_err();
    assert!(matches!(error, InstallError::Fetch(FetchError::Failed { .. })), "{error:?}");
}
