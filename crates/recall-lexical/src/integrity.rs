//! Are the files of an index what was written?
//!
//! Every segment file ends in a checksum of itself, but to verify them all reads the whole index. So an index that was closed
//! in order carries a *seal*: the lengths and times of its files, written once they are on disk. While the seal fits, the
//! files are trusted; when it does not (a crash, a loss of power, a copy, a foreign hand), every checksum is verified once
//! and the index is sealed again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use recall_folder::Folder;
use tantivy::directory::ManagedDirectory;
use tantivy::index::SegmentComponent as Part;
use tantivy::{IndexMeta, TantivyError};

use crate::directory::{TEMPORARY, replace};
use crate::format::checksum;
use crate::open::corruption;

pub(crate) const META: &str = "meta.json";
const SEAL: &str = "seal";

/// The bytes of the file that names the committed segments.
pub(crate) fn read_meta(dir: &Path) -> io::Result<Vec<u8>> {
    fs::read(dir.join(META))
}

/// Whether a folder without [`META`] holds files of segments all the same.
pub(crate) fn has_orphans(dir: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(dir)? {
        if is_segment_file(&entry?.file_name().to_string_lossy()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes what a killed writer left: files of segments that no commit names, and half-written temporary files.
///
/// Only for the holder of the writer's lock.
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

/// Verifies that every file of the committed segments is there and unaltered, unless the seal vouches for them.
pub(crate) fn verify(dir: &Path, directory: &ManagedDirectory, metas: &IndexMeta) -> Result<Sealed, TantivyError> {
    if fs::read_to_string(dir.join(SEAL)).is_ok_and(|seal| describe(dir, metas).is_ok_and(|now| seal == now)) {
        return Ok(Sealed::Yes);
    }
    for file in live_files(metas) {
        if !directory.validate_checksum(&file)? {
            return Err(corruption(format!("the checksum of {} does not fit", file.display())));
        }
    }
    Ok(Sealed::No)
}

/// Whether a seal vouches for the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sealed {
    /// It does.
    Yes,
    /// There is none, or it is of another state.
    No,
}

/// Waits until the files of the committed state are on disk, and seals them.
pub(crate) fn seal(dir: &Path, metas: &IndexMeta) -> io::Result<()> {
    for file in live_files(metas).iter().map(PathBuf::as_path).chain([Path::new(META)]) {
        fs::OpenOptions::new().write(true).open(dir.join(file))?.sync_data()?;
    }
    replace(&dir.join(SEAL), describe(dir, metas)?.as_bytes())
}

/// Name, length and time of every file of the committed state, and the checksum of the one that has none of its own.
fn describe(dir: &Path, metas: &IndexMeta) -> io::Result<String> {
    let mut text = String::new();
    for file in live_files(metas).iter().map(PathBuf::as_path).chain([Path::new(META)]) {
        let known = fs::metadata(dir.join(file))?;
        let time = known.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        writeln!(text, "{} {} {time}", file.display(), known.len()).expect("a string takes everything");
    }
    let meta = fs::read(dir.join(META))?;
    writeln!(text, "{:016x}", checksum(&String::from_utf8_lossy(&meta))).expect("a string takes everything");
    Ok(text)
}

/// The files that the committed segments consist of. Deletions exist only where there are some.
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

/// `<32 hexadecimal digits>.<extension>`, with an opstamp between them in the name of deletions.
fn is_segment_file(name: &str) -> bool {
    name.split_once('.').is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
