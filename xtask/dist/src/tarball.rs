//! The archive of everything, the writer of compressed archives, and the package for npm.

use std::io::{self, Write as _};

use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value, json};

use crate::contents::Item;
use crate::release::{LICENCE, MCP_NAME, PROGRAMS, REGISTRY_NAME, Release, SUMMARY, VERSION};
use crate::zip_packages::zip;
use crate::{Package, failure_of};

/// Makes the archive: one folder with the programs and all other files.
pub(crate) fn package(release: &Release) -> Result<Package, String> {
    let folder = release.system.archive_name();
    let units = if release.system.npm.0 == "linux" { &release.units[..] } else { &[] };
    let below = |items: &[Item], name: &str| items.iter().map(|item| item.below(name)).collect::<Vec<_>>();
    let items = [
        below(&release.programs, &folder),
        below(&release.documents, &folder),
        below(&release.completions, &format!("{folder}/completions")),
        below(&release.pages, &format!("{folder}/man")),
        below(units, &format!("{folder}/systemd")),
    ]
    .concat();
    let ending = release.system.archive_ending();
    let bytes = if ending == ".zip" { zip(&items) } else { archive(&items, release.time, Folders::Implied) };
    Ok(Package { name: format!("{folder}{ending}"), bytes: bytes.map_err(failure_of("archive"))? })
}

/// Whether an archive has entries for folders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folders {
    /// It has, as dpkg wants it.
    Listed,
    Implied,
}

/// Returns a compressed archive of files, in their order, that belong to the superuser.
pub(crate) fn archive(items: &[Item], time: u64, folders: Folders) -> io::Result<Vec<u8>> {
    let gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    let mut known = Vec::new();
    for item in items {
        if folders == Folders::Listed {
            for folder in parents(&item.path) {
                if !known.contains(&folder) {
                    let mut header = header(0, 0o755, time);
                    header.set_entry_type(tar::EntryType::Directory);
                    archive.append_data(&mut header, format!("{folder}/"), io::empty())?;
                    known.push(folder);
                }
            }
        }
        let mut header = header(item.bytes.len() as u64, item.mode(), time);
        archive.append_data(&mut header, &item.path, &*item.bytes)?;
    }
    let mut gzip = archive.into_inner()?;
    gzip.flush()?;
    gzip.finish()
}

fn header(size: u64, mode: u32, time: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(mode);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// Returns the folders of a path, outermost first.
fn parents(path: &str) -> Vec<String> {
    path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect()
}

/// Makes the package. npm links its programs, so that no Node process stands between an agent and the shim.
pub(crate) fn npm_package(release: &Release) -> Result<Package, String> {
    let mut items = vec![Item::text("package/package.json", manifest(release))];
    items.extend(release.programs.iter().map(|program| program.below("package/bin")));
    items.extend(release.documents.iter().map(|document| document.below("package")));
    let bytes = archive(&items, release.time, Folders::Implied).map_err(failure_of("npm package"))?;
    Ok(Package {
        name: format!("{REGISTRY_NAME}-{VERSION}-npm-{}-{}.tgz", release.system.npm.0, release.system.npm.1),
        bytes,
    })
}

fn manifest(release: &Release) -> String {
    let bin: Map<String, Value> = PROGRAMS
        .iter()
        .map(|name| ((*name).to_owned(), json!(format!("bin/{name}{}", release.system.suffix))))
        .collect();
    let (os, cpu) = release.system.npm;
    let mut manifest = json!({
        "name": REGISTRY_NAME,
        "version": VERSION,
        "description": SUMMARY,
        "license": LICENCE,
        "mcpName": MCP_NAME,
        "bin": bin,
        "os": [os],
        "cpu": [cpu],
    });
    if release.system.has_glibc() {
        manifest["libc"] = json!(["glibc"]);
    }
    format!("{manifest:#}\n")
}
