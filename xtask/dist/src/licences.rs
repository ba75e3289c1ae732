//! The licences of the libraries in the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::contents::{self, Item};
use crate::release::System;

/// The packages whose programs are in a release.
const ROOTS: [&str; 4] = ["recall-cli", "recalld", "recall-shim", "recall-bench"];

/// Returns the list of the libraries that are linked into the programs, with their licences and their licences' texts.
pub(crate) fn of_dependencies() -> Result<Item, String> {
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", System::host()?.target];
    let cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .current_dir(contents::workspace())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&cargo.stdout)
        .map_err(|error| format!("`cargo metadata` failed: {error}: {}", String::from_utf8_lossy(&cargo.stderr)))?;
    let linked = linked(&metadata);
    let mut text = "Libraries in the programs of recall, and their licences.\n".to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in list(&metadata["packages"]).filter(|package| linked.contains(field(package, "id"))) {
        // Packages of the workspace have no source.
        if package["source"].is_null() {
            continue;
        }
        let name = format!("{} {}", field(package, "name"), field(package, "version"));
        let licence = package["license"].as_str().unwrap_or("see its text below");
        let _ = writeln!(text, "{name}: {licence}");
        for licence in licence_texts(Path::new(field(package, "manifest_path")))? {
            texts.entry(licence).or_default().push(name.clone());
        }
    }
    for (licence, names) in texts {
        let _ = write!(text, "\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), licence.trim_end());
    }
    Ok(Item::text("THIRD-PARTY-LICENSES", text))
}

/// Returns the ids of the packages that the programs are linked from: not those for builds and tests only.
fn linked(metadata: &Value) -> BTreeSet<&str> {
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

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn field<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}
