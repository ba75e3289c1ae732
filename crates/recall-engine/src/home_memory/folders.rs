//! The folders of agents in the user's home: which of them is a project's, and which files are below it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use recall_os::{FileStamp, Folder};
use recall_text::{Concern, DocPath, HomePlace};
use serde::Deserialize;

use crate::auto_memory::slug;

/// What a list of files depends on: files and folders, with their stamps when they were listed.
pub(super) type Stamps = Vec<(PathBuf, Option<FileStamp>)>;

/// The most files of a folder; the latest count.
const MOST_FILES: usize = 1000;

/// The most folders that are listed below a place.
const MOST_FOLDERS: usize = 100;

/// The most bytes of the file of projects.
const REGISTRY_BYTES: u64 = 1024 * 1024;

/// The file in which Gemini CLI names the folders of projects.
const REGISTRY: &str = "projects.json";

/// The part of that file that is read.
#[derive(Debug, Deserialize)]
struct ProjectRegistry {
    projects: BTreeMap<PathBuf, String>,
}

/// Returns the paths below an agent's folder at which a place is: one for each root whose name is part of it.
pub(super) fn paths_of_place(place: HomePlace, folder: &Path, roots: &[PathBuf], stamps: &mut Stamps) -> Vec<String> {
    let names: Vec<String> = match place.concern {
        Concern::Slug => roots.iter().map(|root| slug(root)).collect(),
        Concern::Registry => {
            let path = folder.join(REGISTRY);
            stamps.push((path.clone(), FileStamp::read(&path)));
            let bytes = Folder::open(folder).and_then(|folder| folder.read(REGISTRY, REGISTRY_BYTES));
            let known = bytes.ok().and_then(|bytes| serde_json::from_slice::<ProjectRegistry>(&bytes).ok());
            let projects = known.map(|known| known.projects).unwrap_or_default();
            roots.iter().filter_map(|root| projects.get(root).cloned()).collect()
        }
        _ => return vec![place.below.to_owned()],
    };
    let is_plain = |name: &String| !name.contains(['/', '\\']) && DocPath::new(name).is_ok();
    names.iter().filter(|name| is_plain(name)).map(|name| place.below.replace("{project}", name)).collect()
}

/// Lists the files with these endings in a folder and those below it, without following links: the latest if there are many.
pub(super) fn paths_below(base: &Path, below: &str, endings: &[&str], stamps: &mut Stamps) -> Vec<String> {
    let top = base.join(below);
    stamps.push((top.clone(), FileStamp::read(&top)));
    // Nothing on the way is a link.
    if dunce::canonicalize(&top).ok().as_ref() != Some(&top) {
        return Vec::new();
    }
    let (mut found, mut waiting, mut listed) = (Vec::new(), vec![String::new()], 0);
    while let Some(at) = waiting.pop() {
        listed += 1;
        let folder = if at.is_empty() { top.clone() } else { top.join(&at) };
        if !at.is_empty() {
            stamps.push((folder.clone(), FileStamp::read(&folder)));
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let path = if at.is_empty() { name.clone() } else { format!("{at}/{name}") };
            if kind.is_dir() && !name.starts_with('.') && listed + waiting.len() < MOST_FOLDERS {
                waiting.push(path);
            } else if kind.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
                let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
                found.push((std::cmp::Reverse(modified), path));
            }
        }
    }
    found.sort_unstable();
    found.truncate(MOST_FILES);
    found.into_iter().map(|(_, path)| path).collect()
}
