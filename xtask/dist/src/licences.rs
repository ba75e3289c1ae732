//! The licences of the libraries in the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::contents::{self, Item};
use crate::dependencies::Library;

/// Returns the list of the libraries with their licences and their licences' texts.
pub(crate) fn text(libraries: &[Library]) -> Result<Item, String> {
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
