//! The format of a backup (a tar archive in a gzip stream, whose first file, `manifest.json`, lists the others) and the
//! file that it is written to.
//!
//! `tar -xzf` unpacks it. A reader compares every header with the one that this module writes for the manifest's entry, so that a
//! link, a device, an extension of tar or another path is an error. It never holds more than one file, and reads no
//! more than the manifest says, whose sizes are bounded.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use recall_os::{Access, Folder, OpenError};
use serde::{Deserialize, Serialize};
use tar::{EntryType, Header};

use super::error::BackupError;
use super::layout::{Area, FILE_BYTES};

/// The most bytes of all files: a thousand times what is usual.
pub(super) const TOTAL_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The largest manifest: a hundred thousand files.
const MANIFEST_BYTES: u64 = 32 * 1024 * 1024;

/// The version of the format that is written, and the newest that is read.
pub(super) const FORMAT_VERSION: u64 = 1;

/// The name of the format in the manifest.
const FORMAT: &str = "recall-backup";

/// The name of the first file.
const MANIFEST: &str = "manifest.json";

/// The unit of tar.
const BLOCK: usize = 512;

/// The description of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: String,
    pub(super) format_version: u64,
    /// The version of the program that made it.
    pub(super) recall_version: String,
    /// When it was begun, in RFC 3339.
    pub(super) created: String,
    /// The root of the project that it was made in.
    pub(super) project: String,
    pub(super) scope: String,
    /// The files, in the order of the archive.
    pub(super) entries: Vec<Entry>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) area: Area,
    /// The path in the folder of the area, with `/` between names.
    pub(super) path: String,
    pub(super) bytes: u64,
    /// The BLAKE3 hash of the content, in hexadecimal digits.
    pub(super) blake3: String,
}

/// Why an archive is not accepted.
#[derive(Debug)]
pub(super) enum Refusal {
    NotABackup(String),
    Newer(u64),
    Damaged(String),
    TooLarge { what: String, bytes: u64, limit: u64 },
    ForeignEntry(String),
    Io(io::Error),
}

impl Manifest {
    pub(super) fn new(created: String, project: String, scope: String, entries: Vec<Entry>) -> Self {
        let recall_version = env!("CARGO_PKG_VERSION").to_owned();
        let format = FORMAT.to_owned();
        Self { format, format_version: FORMAT_VERSION, recall_version, created, project, scope, entries }
    }

    fn parse(json: &[u8]) -> Result<Self, Refusal> {
        #[derive(Deserialize)]
        struct ArchiveVersion {
            format: String,
            format_version: u64,
        }

        let version = serde_json::from_slice::<ArchiveVersion>(json).ok().filter(|version| version.format == FORMAT);
        let version = version.ok_or_else(|| Refusal::NotABackup(format!("its {MANIFEST} is another program's")))?;
        if version.format_version > FORMAT_VERSION {
            return Err(Refusal::Newer(version.format_version));
        }
        let manifest: Self =
            serde_json::from_slice(json).map_err(|error| Refusal::Damaged(format!("its {MANIFEST}: {error}")))?;
        manifest.check()?;
        Ok(manifest)
    }

    /// Refuses paths and sizes that no backup has.
    fn check(&self) -> Result<(), Refusal> {
        let (mut total, mut paths) = (0_u64, BTreeSet::new());
        for entry in &self.entries {
            let Entry { area, path, bytes, blake3: _ } = entry;
            if area.content(path).is_none() {
                return Err(Refusal::ForeignEntry(entry.name()));
            }
            if *bytes > FILE_BYTES {
                return Err(Refusal::TooLarge { what: entry.name(), bytes: *bytes, limit: FILE_BYTES });
            }
            if !paths.insert((area, path)) {
                return Err(Refusal::Damaged(format!("it has `{}` twice", entry.name())));
            }
            total = total.saturating_add(*bytes);
        }
        if total > TOTAL_BYTES {
            return Err(Refusal::TooLarge { what: "its files".to_owned(), bytes: total, limit: TOTAL_BYTES });
        }
        Ok(())
    }
}

impl Entry {
    /// Returns the path with the name of its folder, for messages and in the archive.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.area.label(), self.path)
    }

    fn header(&self, index: usize) -> Header {
        // A path that is too long for a plain header, or of a domain with an odd name, is in the manifest only.
        header(&self.name(), self.bytes)
            .unwrap_or_else(|| header(&format!("files/{index}"), self.bytes).expect("a short path fits into a header"))
    }
}

/// Writes an archive and syncs it. The content of each file is in `spool`, at the offset of the same index.
pub(super) fn write(manifest: &Manifest, spool: &mut File, offsets: &[u64], out: File) -> io::Result<u64> {
    let json = serde_json::to_vec_pretty(manifest).expect("a manifest serialises");
    let mut archive = GzEncoder::new(BufWriter::new(out), Compression::default());
    let first = header(MANIFEST, json.len() as u64).expect("a short path fits into a header");
    write_file(&mut archive, &first, &mut &json[..], json.len() as u64)?;
    for (index, (entry, offset)) in manifest.entries.iter().zip(offsets).enumerate() {
        spool.seek(SeekFrom::Start(*offset))?;
        write_file(&mut archive, &entry.header(index), &mut &*spool, entry.bytes)?;
    }
    archive.write_all(&[0; 2 * BLOCK])?;
    let out = archive.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.sync_all()?;
    Ok(out.metadata()?.len())
}

fn write_file(archive: &mut impl Write, header: &Header, content: &mut impl Read, bytes: u64) -> io::Result<()> {
    archive.write_all(header.as_bytes())?;
    if io::copy(&mut content.take(bytes), archive)? != bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    archive.write_all(&[0; BLOCK][..padding(bytes)])
}

/// An archive that is being read.
pub(super) struct Archive<'a> {
    input: GzDecoder<BufReader<&'a File>>,
    index: usize,
}

impl<'a> Archive<'a> {
    /// Reads the manifest from the start of a file, and checks it.
    pub(super) fn open(mut file: &'a File) -> Result<(Manifest, Self), Refusal> {
        file.seek(SeekFrom::Start(0)).map_err(Refusal::Io)?;
        let mut archive = Self { input: GzDecoder::new(BufReader::new(file)), index: 0 };
        let mut block = [0; BLOCK];
        archive.input.read_exact(&mut block).map_err(|error| match refusal(error) {
            Refusal::Damaged(_) => Refusal::NotABackup("it is not a compressed archive".to_owned()),
            other => other,
        })?;
        let given = Header::from_byte_slice(&block);
        if *given.path_bytes() != *MANIFEST.as_bytes() {
            return Err(Refusal::NotABackup(format!("its first file is not {MANIFEST}")));
        }
        let bytes = given.entry_size().map_err(refusal)?;
        if bytes > MANIFEST_BYTES {
            return Err(Refusal::TooLarge { what: MANIFEST.to_owned(), bytes, limit: MANIFEST_BYTES });
        }
        let expected = header(MANIFEST, bytes).expect("a short path fits into a header");
        if given.as_bytes() != expected.as_bytes() {
            return Err(Refusal::Damaged(format!("{MANIFEST} is not a plain file")));
        }
        let json = archive.content(bytes)?;
        Ok((Manifest::parse(&json)?, archive))
    }

    /// Reads the next file, which is described by `entry`, and checks it.
    pub(super) fn read(&mut self, entry: &Entry) -> Result<Vec<u8>, Refusal> {
        let mut block = [0; BLOCK];
        self.input.read_exact(&mut block).map_err(refusal)?;
        if block != *entry.header(self.index).as_bytes() {
            return Err(Refusal::Damaged(format!("there is something else in the place of `{}`", entry.name())));
        }
        self.index += 1;
        let content = self.content(entry.bytes)?;
        if blake3::hash(&content).to_hex().as_str() != entry.blake3 {
            return Err(Refusal::Damaged(format!("the checksum of `{}` is wrong", entry.name())));
        }
        Ok(content)
    }

    /// Checks that nothing follows the last file.
    pub(super) fn finish(mut self) -> Result<(), Refusal> {
        let mut rest = Vec::new();
        // Reading to the end compares the checksum of the stream too.
        (&mut self.input).take(2 * BLOCK as u64 + 1).read_to_end(&mut rest).map_err(refusal)?;
        let mut behind = [0];
        let more = self.input.into_inner().read(&mut behind).map_err(Refusal::Io)?;
        if rest == [0; 2 * BLOCK] && more == 0 {
            return Ok(());
        }
        Err(Refusal::Damaged("it has more than its manifest names".to_owned()))
    }

    fn content(&mut self, bytes: u64) -> Result<Vec<u8>, Refusal> {
        let mut content = Vec::new();
        (&mut self.input).take(bytes).read_to_end(&mut content).map_err(refusal)?;
        let mut block = [0; BLOCK];
        let zeros = &mut block[..padding(bytes)];
        self.input.read_exact(zeros).map_err(refusal)?;
        if content.len() as u64 != bytes || zeros.iter().any(|byte| *byte != 0) {
            return Err(Refusal::Damaged("it ends early".to_owned()));
        }
        Ok(content)
    }
}

/// Returns the header of a regular file; `None` if its path does not fit.
fn header(path: &str, bytes: u64) -> Option<Header> {
    let mut header = Header::new_ustar();
    header.set_path(path).ok()?;
    header.set_size(bytes);
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o600);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    Some(header)
}

/// Returns the number of bytes that fill the last block of a file.
fn padding(bytes: u64) -> usize {
    (BLOCK - (bytes % BLOCK as u64) as usize) % BLOCK
}

fn refusal(error: io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Refusal::Damaged("it ends early".to_owned()),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
            Refusal::Damaged(error.to_string())
        }
        _ => Refusal::Io(error),
    }
}

/// How a backup treats a file that has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingFile {
    /// The backup is refused.
    Keep,
    /// The backup replaces it.
    Replace,
}

/// The place of a new backup.
pub(super) struct Destination {
    folder: Folder,
    name: String,
    existing: ExistingFile,
}

impl Destination {
    /// Opens the folder of a new backup.
    ///
    /// # Errors
    /// The path is not absolute, its folder cannot be opened, or something has the name and is not to be replaced.
    pub(super) fn prepare(file: &Path, existing: ExistingFile) -> Result<Self, BackupError> {
        let not_absolute = || BackupError::NotAbsolute { path: file.to_owned() };
        let name = file.file_name().and_then(|name| name.to_str()).filter(|_| file.is_absolute());
        let name = name.ok_or_else(not_absolute)?.to_owned();
        let folder = Folder::open(file.parent().ok_or_else(not_absolute)?).map_err(BackupError::Folder)?;
        match folder.metadata(&name).map_err(BackupError::Folder)? {
            Some(found) if existing == ExistingFile::Keep || !found.is_file() => {
                Err(BackupError::Exists { path: file.to_owned() })
            }
            _ => Ok(Self { folder, name, existing }),
        }
    }

    /// Creates a file next to the backup, which is deleted if it is not renamed.
    pub(super) fn temporary(&self, what: &str) -> Result<Temporary<'_>, BackupError> {
        let name = format!(".{}.{what}-{}", self.name, std::process::id());
        let create = || self.folder.file(&name, Access::CreateNew);
        let created = create().or_else(|error| match error {
            // A process that had this id may have left it.
            OpenError::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => {
                self.folder.remove(&name).and_then(|()| create())
            }
            error => Err(error),
        });
        let file = created.map_err(|error| self.not_written(error.into()))?;
        Ok(Temporary { folder: &self.folder, name, file })
    }

    /// Writes the archive, and gives it its name.
    pub(super) fn write(
        &self,
        manifest: &Manifest,
        mut spool: Temporary<'_>,
        offsets: &[u64],
    ) -> Result<u64, BackupError> {
        let failed = |source| self.not_written(source);
        let written = self.temporary("unfinished")?;
        let out = written.file.try_clone().map_err(failed)?;
        let bytes = write(manifest, &mut spool.file, offsets, out).map_err(failed)?;
        let renamed = match self.existing {
            ExistingFile::Keep => self.folder.rename_new(&written.name, &self.name),
            ExistingFile::Replace => self.folder.rename(&written.name, &self.name),
        };
        renamed.map_err(|error| match std::io::Error::from(error) {
            error if error.kind() == std::io::ErrorKind::AlreadyExists => BackupError::Exists { path: self.path() },
            source => self.not_written(source),
        })?;
        self.folder.sync().map_err(failed)?;
        Ok(bytes)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn not_written(&self, source: std::io::Error) -> BackupError {
        BackupError::Write { path: self.path(), source }
    }
}

/// A file that is deleted when it is dropped, unless it was renamed.
pub(super) struct Temporary<'a> {
    folder: &'a Folder,
    name: String,
    pub(super) file: File,
}

impl Temporary<'_> {
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // It has been renamed, or has no data of its own.
        let _ = self.folder.remove(&self.name);
    }
}
