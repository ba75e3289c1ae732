//! The libraries that are linked into the programs: their list, their licences, and the bill of materials.
//!
//! Format: [CycloneDX 1.6](https://cyclonedx.org/docs/1.6/json/).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::Package;
use crate::contents::{self, Item};
use crate::release::{LICENCE, Release, System, VERSION};

/// The packages whose programs are in a release.
const ROOTS: [&str; 4] = ["recall-cli", "recalld", "recall-shim", "recall-bench"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Library {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its licence as an SPDX expression; empty if it names a file instead.
    pub(crate) licence: String,
    /// The SHA-256 of its package in the registry, in hexadecimal digits.
    pub(crate) checksum: String,
    pub(crate) manifest: PathBuf,
}

/// Returns the libraries in the programs for a system, sorted by name and version. Packages of the workspace are not among them.
pub(crate) fn list_libraries(system: &System) -> Result<Vec<Library>, String> {
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", system.target];
    let cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .current_dir(contents::workspace())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&cargo.stdout)
        .map_err(|error| format!("`cargo metadata` failed: {error}: {}", String::from_utf8_lossy(&cargo.stderr)))?;
    let lock = String::from_utf8_lossy(&contents::read(&contents::workspace().join("Cargo.lock"))?).into_owned();
    let checksums = checksums(&lock);
    let linked = linked_packages(&metadata);
    let packages = list(&metadata["packages"]).filter(|package| linked.contains(field(package, "id")));
    let libraries = packages.filter(|package| !package["source"].is_null()).map(|package| {
        let (name, version) = (field(package, "name").to_owned(), field(package, "version").to_owned());
        let checksum = checksums.get(&(name.as_str(), version.as_str())).copied().unwrap_or_default().to_owned();
        let licence = field(package, "license").to_owned();
        Library { name, version, licence, checksum, manifest: PathBuf::from(field(package, "manifest_path")) }
    });
    let mut libraries: Vec<Library> = libraries.collect();
    libraries.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(libraries)
}

/// Returns the checksums in `Cargo.lock`, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let value = |block: &'_ str, name: &str| -> Option<(usize, usize)> {
        let begin = block.find(&format!("\n{name} = \""))? + name.len() + 5;
        Some((begin, begin + block[begin..].find('"')?))
    };
    let of_block = |block: &'_ str| -> Option<[(usize, usize); 3]> {
        Some([value(block, "name")?, value(block, "version")?, value(block, "checksum")?])
    };
    let blocks = lock.split("[[package]]");
    blocks
        .filter_map(|block| {
            let [name, version, sum] = of_block(block)?.map(|(begin, end)| &block[begin..end]);
            Some(((name, version), sum))
        })
        .collect()
}

/// Returns the ids of the packages that the programs are linked from: not those for builds and tests only.
fn linked_packages(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|node| (field(node, "id"), node)).collect();
    let is_root = |package: &&Value| package["source"].is_null() && ROOTS.contains(&field(package, "name"));
    let mut waiting: Vec<&str> =
        list(&metadata["packages"]).filter(is_root).map(|package| field(package, "id")).collect();
    let mut linked = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if linked.insert(id) {
            let needs = nodes.get(id).into_iter().flat_map(|node| list(&node["deps"]));
            let needs = needs.filter(|need| list(&need["dep_kinds"]).any(|kind| kind["kind"].is_null()));
            waiting.extend(needs.map(|need| field(need, "pkg")));
        }
    }
    linked
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn field<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// Returns the list of the libraries with their licences and their licences' texts.
pub(crate) fn licences(libraries: &[Library]) -> Result<Item, String> {
    let mut text = "Libraries in the programs of recall, and their licences.\n".to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Library { name, version, licence, manifest, .. } in libraries {
        let name = format!("{name} {version}");
        let licence = if licence.is_empty() { "see its text below" } else { licence };
        let _ = writeln!(text, "{name}: {licence}");
        for licence in licence_texts(manifest)? {
            texts.entry(licence).or_default().push(name.clone());
        }
    }
    for (licence, names) in texts {
        let _ = write!(text, "\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), licence.trim_end());
    }
    Ok(Item::text("THIRD-PARTY-LICENSES", text))
}

/// Reads the files of a package whose names say that they are licences.
fn licence_texts(manifest: &Path) -> Result<BTreeSet<String>, String> {
    let folder = manifest.parent().unwrap_or(manifest);
    let unreadable = |error| format!("cannot read {}: {error}", folder.display());
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().to_ascii_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|start| name.starts_with(start));
        if is_licence && entry.path().is_file() {
            texts.insert(String::from_utf8_lossy(&contents::read(&entry.path())?).into_owned());
        }
    }
    Ok(texts)
}

/// Makes the bill of the programs of a system.
pub(crate) fn bill_of_materials(release: &Release) -> Package {
    let components: Vec<Value> = release.dependencies.iter().map(component).collect();
    let bill = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "recall",
                "name": "recall",
                "version": VERSION,
                "licenses": [{ "expression": LICENCE }],
            },
        },
        "components": components,
    });
    let name = format!("{}.cdx.json", release.system.archive_name());
    Package { name, bytes: format!("{bill:#}\n").into_bytes() }
}

fn component(library: &Library) -> Value {
    let Library { name, version, licence, checksum, manifest: _ } = library;
    let purl = format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"));
    let mut component = json!({ "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "scope": "required" });
    if !checksum.is_empty() {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if !licence.is_empty() {
        // Older manifests separate licences by a slash.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    component
}
