//! Checkout of commits into a folder, without a work tree.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};

use recall_text::DocPath;

use super::error::{CheckoutError, GitError};
use super::git::{self, GitProcess};

/// A folder that holds the files of one commit at a time.
///
/// Moving to another commit writes and removes only the files that differ; all others keep their modification times.
/// Objects are written unchanged, without the repository's index, attributes, filters or hooks: line endings are as
/// committed, a symbolic link becomes a file with its target, a file in LFS is its pointer, and submodules are skipped.
#[derive(Debug)]
pub struct Checkout {
    git_dir: PathBuf,
    folder: PathBuf,
    /// The object of each file in the folder.
    present: BTreeMap<String, String>,
    objects: Objects,
}

/// The result of moving a [`Checkout`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The number of files written.
    pub written: usize,
    /// The number of files removed.
    pub removed: usize,
    /// The paths of the commit that are missing in the folder, sorted. Their objects are not in the repository, which
    /// is a partial clone, or the paths are not valid below the folder.
    pub left_out: Vec<String>,
}

impl Checkout {
    /// Opens a folder for the files of a repository. The folder is created if it does not exist, and stays empty until
    /// the first move.
    ///
    /// # Errors
    /// The folder is not empty or cannot be created, or `git` cannot be run.
    pub fn new(git_dir: &Path, folder: &Path) -> Result<Self, CheckoutError> {
        fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))?;
        let mut entries = fs::read_dir(folder).map_err(|source| unwritable(folder, source))?;
        if entries.next().is_some() {
            return Err(CheckoutError::NotEmpty { path: folder.to_owned() });
        }
        Ok(Self {
            git_dir: git_dir.to_owned(),
            folder: folder.to_owned(),
            present: BTreeMap::new(),
            objects: Objects::open(git_dir)?,
        })
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Moves the folder to the files of a commit.
    ///
    /// # Errors
    /// The commit does not exist, or a file cannot be written or removed. The folder then has files of both commits;
    /// the next move repairs it.
    pub fn at(&mut self, commit: &str) -> Result<Moved, CheckoutError> {
        if self.objects.outstanding > 0 {
            // The last move failed early, and some of its requested objects were not read.
            self.objects = Objects::open(&self.git_dir)?;
        }
        let mut moved = Moved::default();
        let wanted = files(&self.git_dir, commit, &mut moved.left_out)?;
        let vanished: Vec<String> = self.present.keys().filter(|path| !wanted.contains_key(*path)).cloned().collect();
        // First, because a folder may have become a file.
        for path in vanished {
            self.remove(&path)?;
            moved.removed += 1;
        }
        let differs = |(path, object): &(String, String)| self.present.get(path) != Some(object);
        let wanted: Vec<_> = wanted.into_iter().filter(differs).collect();
        for batch in wanted.chunks(BATCH) {
            self.objects.request(batch.iter().map(|(_, object)| object.as_str()))?;
            for (path, object) in batch {
                self.write(path, object, &mut moved)?;
            }
        }
        moved.left_out.sort_unstable();
        Ok(moved)
    }

    /// Writes the file whose object is returned next.
    fn write(&mut self, path: &str, object: &str, moved: &mut Moved) -> Result<(), CheckoutError> {
        // Recorded without an object until it is complete, so that the next move rewrites or removes a partial file.
        let was_present = self.present.insert(path.to_owned(), String::new()).is_some();
        match self.objects.write_next(&self.folder.join(path))? {
            ObjectOutcome::Written => {
                self.present.insert(path.to_owned(), object.to_owned());
                moved.written += 1;
            }
            ObjectOutcome::Absent => {
                self.remove(path)?;
                moved.removed += usize::from(was_present);
                moved.left_out.push(path.to_owned());
            }
        }
        Ok(())
    }

    /// Removes a file, and the folders that become empty.
    fn remove(&mut self, path: &str) -> Result<(), CheckoutError> {
        let file = self.folder.join(path);
        match fs::remove_file(&file) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(unwritable(&file, source)),
            _ => self.present.remove(path),
        };
        for above in file.ancestors().skip(1).take_while(|above| *above != self.folder) {
            if fs::remove_dir(above).is_err() {
                break;
            }
        }
        Ok(())
    }
}

fn unwritable(path: &Path, source: io::Error) -> CheckoutError {
    CheckoutError::Write { path: path.to_owned(), source }
}

/// Lists the files of a commit with their objects.
fn files(git_dir: &Path, commit: &str, left_out: &mut Vec<String>) -> Result<BTreeMap<String, String>, GitError> {
    let mut git = git::in_repository(git_dir)?;
    // With this suffix the argument can only be a commit, not an option.
    git.args(["ls-tree", "-r", "-z", "--full-tree"]).arg(format!("{commit}^{{commit}}"));
    let mut listing = GitProcess::start(git, "ls-tree", git_dir)?;
    let mut files = BTreeMap::new();
    while let Some(field) = listing.field()? {
        let text = String::from_utf8_lossy(&field);
        let Some((entry, path)) = text.split_once('\t') else { return Err(listing.malformed_output(&field)) };
        let [_mode, kind, object] = entry.split(' ').collect::<Vec<_>>()[..] else {
            return Err(listing.malformed_output(&field));
        };
        if kind != "blob" {
            continue;
        }
        if is_below_a_folder(path) {
            files.insert(path.to_owned(), object.to_owned());
        } else {
            left_out.push(path.to_owned());
        }
    }
    listing.finish()?;
    Ok(files)
}

/// Whether a path of a tree, which is untrusted, stays inside the folder on every system and does not create a
/// repository.
fn is_below_a_folder(path: &str) -> bool {
    let Ok(path) = DocPath::new(path) else { return false };
    // No drive letter and no other separator. U+FFFD replaces a byte that is not UTF-8.
    let is_plain = |part: &str| !part.contains(['\\', ':', '\u{fffd}']) && !part.eq_ignore_ascii_case(".git");
    path.components().all(is_plain)
}

/// Reads objects of a repository through one long-running `git cat-file`.
#[derive(Debug)]
struct Objects {
    process: GitProcess,
    requests: ChildStdin,
    /// The number of objects that were requested and not yet read completely.
    outstanding: usize,
}

enum ObjectOutcome {
    Written,
    /// The repository does not have the object.
    Absent,
}

/// The number of objects requested at once. Their ids, of at most 64 digits, fit into the smallest pipe buffer (16
/// KiB), so that writing the requests never blocks on unread responses.
const BATCH: usize = 200;

impl Objects {
    fn open(git_dir: &Path) -> Result<Self, GitError> {
        let mut git = git::in_repository(git_dir)?;
        git.args(["cat-file", "--batch"]).stdin(Stdio::piped());
        let mut process = GitProcess::start(git, "cat-file", git_dir)?;
        let requests = process.child.stdin.take().expect("stdin is piped");
        Ok(Self { process, requests, outstanding: 0 })
    }

    /// Requests at most [`BATCH`] objects, which are returned in this order.
    fn request<'o>(&mut self, objects: impl Iterator<Item = &'o str>) -> Result<(), GitError> {
        let mut ids = String::new();
        for object in objects {
            ids.push_str(object);
            ids.push('\n');
            self.outstanding += 1;
        }
        self.requests.write_all(ids.as_bytes()).map_err(|source| self.process.pipe_error(source))
    }

    /// Writes the next object into a file, and creates its folders.
    fn write_next(&mut self, path: &Path) -> Result<ObjectOutcome, CheckoutError> {
        let Some(length_bytes) = self.length()? else {
            self.outstanding -= 1;
            return Ok(ObjectOutcome::Absent);
        };
        let folder = path.parent().expect("a file has a parent folder");
        fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))?;
        let mut file = File::create(path).map_err(|source| unwritable(path, source))?;
        let mut content = self.process.stdout.by_ref().take(length_bytes);
        let copied = io::copy(&mut content, &mut file).map_err(|source| unwritable(path, source))?;
        let mut end = [0];
        self.process.stdout.read_exact(&mut end).map_err(|source| self.process.pipe_error(source))?;
        if copied == length_bytes && end == *b"\n" {
            self.outstanding -= 1;
            Ok(ObjectOutcome::Written)
        } else {
            Err(self.process.malformed_output(&end).into())
        }
    }

    /// Reads the header of the next object: its length, or `None` if the repository does not have it.
    fn length(&mut self) -> Result<Option<u64>, GitError> {
        let mut line = String::new();
        self.process.stdout.read_line(&mut line).map_err(|source| self.process.pipe_error(source))?;
        match line.trim_end().split(' ').collect::<Vec<_>>()[..] {
            [_, "missing"] => Ok(None),
            [_, "blob", length] => length.parse().map(Some).map_err(|_| self.process.malformed_output(line.as_bytes())),
            _ => Err(self.process.malformed_output(line.as_bytes())),
        }
    }
}
