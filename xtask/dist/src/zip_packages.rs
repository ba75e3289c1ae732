//! The packages that are ZIP archives: the wheel for `PyPI`, and the bundle that desktop clients install, with its
//! entry in the registry of MCP servers.
//!
//! Format: [binary distribution format](https://packaging.python.org/en/latest/specifications/binary-distribution-format/).

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::contents::{Item, sha256};
use crate::release::{LICENCE, MCP_NAME, REGISTRY_NAME, Release, SUMMARY, VERSION};
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
    let record = format!("{info}/RECORD");
    let list = self::record(&items, &record);
    items.push(Item::text(&record, list));
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
