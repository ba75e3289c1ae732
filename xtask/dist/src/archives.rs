//! Archives: the archive of everything and its writer, the package for npm, the wheel for `PyPI`, and the bundle that desktop
//! clients install, with its entry in the registry of MCP servers.
//!
//! Format of the wheel: [binary distribution format](https://packaging.python.org/en/latest/specifications/binary-distribution-format/).

use std::fmt::Write as _;
use std::io::{self, Cursor, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::contents::{Item, sha256};
use crate::release::{LICENCE, MCP_NAME, PROGRAMS, REGISTRY_NAME, Release, SUMMARY, VERSION};
use crate::{Package, failure_of};

/// Makes the wheel. Installers put its programs into the environment's folder of scripts.
pub(crate) fn wheel(release: &Release) -> Result<Package, String> {
    let name = format!("{}-{VERSION}", REGISTRY_NAME.replace('-', "_"));
    let (glibc, platform) = (release.needs.glibc, release.system.wheel);
    let tag = if release.system.has_glibc() {
        format!("py3-none-manylinux_{}_{}_{platform}", glibc.major, glibc.minor)
    } else {
        format!("py3-none-{platform}")
    };
    let info = format!("{name}.dist-info");
    let mut items: Vec<Item> =
        release.programs.iter().map(|program| program.below(&format!("{name}.data/scripts"))).collect();
    let licences = release.documents.iter().filter(|item| item.path.contains("LICENSE"));
    items.extend(licences.map(|item| item.below(&format!("{info}/licenses"))));
    items.push(Item::text(&format!("{info}/METADATA"), metadata(release)));
    let wheel = format!("Wheel-Version: 1.0\nGenerator: recall-dist {VERSION}\nRoot-Is-Purelib: false\nTag: {tag}\n");
    items.push(Item::text(&format!("{info}/WHEEL"), wheel));
    let record_path = format!("{info}/RECORD");
    let list = record(&items, &record_path);
    items.push(Item::text(&record_path, list));
    Ok(Package { name: format!("{name}-{tag}.whl"), bytes: zip(&items).map_err(failure_of("wheel"))? })
}

/// Returns a compressed archive in ZIP format. Its files have the format's first date.
pub(crate) fn zip(items: &[Item]) -> std::io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for item in items {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(item.mode());
        archive.start_file(&*item.path, options)?;
        archive.write_all(&item.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

fn metadata(release: &Release) -> String {
    let readme = release.documents.iter().find(|item| item.path == "README.md");
    let readme = readme.map(|item| String::from_utf8_lossy(&item.bytes)).unwrap_or_default();
    format!(
        "Metadata-Version: 2.4\nName: {REGISTRY_NAME}\nVersion: {VERSION}\nSummary: {SUMMARY}\n\
         License-Expression: {LICENCE}\nDescription-Content-Type: text/markdown\n\n\
         <!-- mcp-name: {MCP_NAME} -->\n\n{readme}"
    )
}

/// Returns the list of files with their checksums, itself without one.
fn record(items: &[Item], own: &str) -> String {
    let mut text = String::new();
    for item in items {
        let sum = URL_SAFE_NO_PAD.encode(sha256(&item.bytes));
        let _ = writeln!(text, "{},sha256={sum},{}", item.path, item.bytes.len());
    }
    let _ = writeln!(text, "{own},,");
    text
}

/// Makes the bundle: a ZIP archive with the programs and a manifest.
pub(crate) fn desktop_bundle(release: &Release) -> Result<Package, String> {
    let entry_point = format!("server/recall-shim{}", release.system.suffix);
    let command = format!("${{__dirname}}/{entry_point}");
    let manifest = json!({
        "manifest_version": "0.3",
        "name": "recall",
        "display_name": "recall",
        "version": VERSION,
        "description": SUMMARY,
        "author": { "name": env!("CARGO_PKG_AUTHORS") },
        "license": LICENCE,
        "server": {
            "type": "binary",
            "entry_point": entry_point,
            "mcp_config": { "command": command, "args": [], "env": {} },
        },
        "tools_generated": true,
        "compatibility": { "platforms": [release.system.npm.0] },
    });
    let mut items = vec![Item::text("manifest.json", format!("{manifest:#}\n"))];
    items.extend(release.programs.iter().map(|program| program.below("server")));
    items.extend(release.documents.iter().cloned());
    let name = format!("recall-{VERSION}-{}.mcpb", release.system.target);
    Ok(Package { name, bytes: zip(&items).map_err(failure_of("bundle"))? })
}

/// Returns `server.json`, with which `mcp-publisher` registers the packages of npm and `PyPI`.
pub(crate) fn mcp_registry_entry(_: &Release) -> Package {
    let package = |registry: &str| {
        json!({
            "registryType": registry,
            "identifier": REGISTRY_NAME,
            "version": VERSION,
            "transport": { "type": "stdio" },
        })
    };
    let entry = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": MCP_NAME,
        "description": SUMMARY,
        "version": VERSION,
        "packages": [package("npm"), package("pypi")],
    });
    Package { name: "server.json".to_owned(), bytes: format!("{entry:#}\n").into_bytes() }
}

/// Makes the archive: one folder with the programs and all other files.
pub(crate) fn tarball_package(release: &Release) -> Result<Package, String> {
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
    Ok(Package { name: format!("{REGISTRY_NAME}-{VERSION}-npm-{}.tgz", release.system.npm_system()), bytes })
}

fn manifest(release: &Release) -> String {
    let bin: Map<String, Value> = PROGRAMS
        .iter()
        .map(|name| ((*name).to_owned(), json!(format!("bin/{name}{}", release.system.suffix))))
        .collect();
    let (os, cpu) = release.system.npm;
    let mut manifest = json!({
        "name": release.system.npm_name(),
        "version": VERSION,
        "description": SUMMARY,
        "license": LICENCE,
        "bin": bin,
        "os": [os],
        "cpu": [cpu],
    });
    if release.system.has_glibc() {
        manifest["libc"] = json!(["glibc"]);
    } else if release.system.has_musl() {
        manifest["libc"] = json!(["musl"]);
    }
    format!("{manifest:#}\n")
}
