//! Verification of an index's files.
//!
//! Every segment file ends in a checksum, but verifying all of them reads the whole index. An index that was closed
//! properly therefore has a *seal*: the sizes and modification times of its files, written after the files were synced.
//! While the seal matches, the files are trusted. If it does not match (after a crash, a loss of power, a copy or a
//! change by another program), every checksum is verified once and the index is sealed again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use recall_os::{Folder, share_file};
use tantivy::directory::ManagedDirectory;
use tantivy::index::SegmentComponent as Part;
use tantivy::{IndexMeta, TantivyError};

use crate::lexical::directory::{TEMPORARY, replace};
use crate::lexical::format::checksum;
use crate::lexical::open::corruption;

pub(crate) const META: &str = "meta.json";
const SEAL: &str = "seal";

/// The file in which tantivy lists the files that it may delete.
const MANAGED: &str = ".managed.json";

/// Reads the file that lists the committed segments.
pub(crate) fn read_meta(dir: &Path) -> io::Result<Vec<u8>> {
    fs::read(dir.join(META))
}

/// Whether a folder without [`META`] contains segment files.
pub(crate) fn has_orphans(dir: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(dir)? {
        if is_segment_file(&entry?.file_name().to_string_lossy()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes the leftovers of a killed writer: segment files that no commit names, and temporary files.
///
/// The caller must hold the writer's lock.
pub(crate) fn sweep(dir: &Path, metas: &IndexMeta) -> io::Result<()> {
    let live = live_files(metas);
    let folder = Folder::open(dir)?;
    for name in folder.names()?.iter().filter_map(|name| name.to_str()) {
        if (is_segment_file(name) || name.starts_with(TEMPORARY)) && !live.contains(Path::new(name)) {
            folder.remove(name)?;
        }
    }
    Ok(())
}

/// Verifies that every file of the committed segments exists and is unaltered, unless the seal matches.
pub(crate) fn verify(dir: &Path, directory: &ManagedDirectory, metas: &IndexMeta) -> Result<Sealed, TantivyError> {
    if fs::read_to_string(dir.join(SEAL)).is_ok_and(|seal| describe(dir, metas).is_ok_and(|now| seal == now)) {
        return Ok(Sealed::Yes);
    }
    for file in live_files(metas) {
        if !directory.validate_checksum(&file)? {
            return Err(corruption(format!("checksum mismatch in {}", file.display())));
        }
    }
    Ok(Sealed::No)
}

/// Whether the seal matches the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sealed {
    /// It does.
    Yes,
    /// There is no seal, or it describes another state.
    No,
}

/// Syncs the files of the committed state to disk and seals them.
pub(crate) fn seal(dir: &Path, metas: &IndexMeta) -> io::Result<()> {
    for file in live_files(metas).iter().map(PathBuf::as_path).chain([Path::new(META)]) {
        fs::OpenOptions::new().write(true).open(dir.join(file))?.sync_data()?;
    }
    replace(&dir.join(SEAL), describe(dir, metas)?.as_bytes())
}

/// Gives the files of the committed state a second name in another folder. The list of segments comes last, so that a crash
/// leaves no index.
pub(crate) fn fork(dir: &Path, metas: &IndexMeta, target: &Path) -> io::Result<()> {
    fs::create_dir_all(target)?;
    let meta = read_meta(dir)?;
    for file in live_files(metas) {
        share_file(&dir.join(&file), &target.join(file))?;
    }
    fs::copy(dir.join(MANAGED), target.join(MANAGED))?;
    replace(&target.join(META), &meta)?;
    // Not synced: what a loss of power takes away is found missing or fails its checksum.
    replace(&target.join(SEAL), describe(target, metas)?.as_bytes())
}

/// The name, size and modification time of every file of the committed state, and the checksum of the one file that
/// contains none.
fn describe(dir: &Path, metas: &IndexMeta) -> io::Result<String> {
    let mut text = String::new();
    for file in live_files(metas).iter().map(PathBuf::as_path).chain([Path::new(META)]) {
        let known = fs::metadata(dir.join(file))?;
        let time = known.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        writeln!(text, "{} {} {time}", file.display(), known.len()).expect("writing to a string cannot fail");
    }
    let meta = fs::read(dir.join(META))?;
    writeln!(text, "{:016x}", checksum(&String::from_utf8_lossy(&meta))).expect("writing to a string cannot fail");
    Ok(text)
}

/// The files of the committed segments. A file of deletions exists only for segments with deletions.
pub(crate) fn live_files(metas: &IndexMeta) -> BTreeSet<PathBuf> {
    metas
        .segments
        .iter()
        .flat_map(|segment| {
            let deletions = segment.has_deletes().then_some(Part::Delete);
            [Part::Postings, Part::Positions, Part::Terms, Part::Store, Part::FastFields, Part::FieldNorms]
                .into_iter()
                .chain(deletions)
                .map(|part| segment.relative_path(part))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// `<32 hexadecimal digits>.<extension>`, with an opstamp between them in the name of a file of deletions.
fn is_segment_file(name: &str) -> bool {
    name.split_once('.').is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
