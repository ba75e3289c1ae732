//! What did the files look like at a commit?

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};

use recall_core::DocPath;

use super::error::{CheckoutError, GitError};
use super::git::{self, Running};

/// A folder that holds the files of one commit after another.
///
/// Moving writes and removes only what differs, so that all other files keep their modification times. Objects are read
/// and written as they are, without the repository's index, attributes, filters or hooks: a line ends as it was
/// committed, a symbolic link is a file with its target, a file kept elsewhere (LFS) is its pointer, and a submodule is
/// left out.
#[derive(Debug)]
pub struct Checkout {
    git_dir: PathBuf,
    folder: PathBuf,
    /// The object of each file that is in the folder.
    present: BTreeMap<String, String>,
    objects: Objects,
}

/// What moving a [`Checkout`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many files were written.
    pub written: usize,
    /// How many files were removed.
    pub removed: usize,
    /// Paths of the commit that are not in the folder, sorted: their objects are not in the repository, which is a
    /// partial clone, or they are no paths of files below the folder.
    pub left_out: Vec<String>,
}

impl Checkout {
    /// Takes a folder for the files of a repository; it is made where it does not exist. No commit is in it yet.
    ///
    /// # Errors
    /// The folder is not empty or cannot be made, or `git` cannot be run.
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

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder hold the files of a commit.
    ///
    /// # Errors
    /// There is no such commit, or a file cannot be written or removed. The folder then holds some files of the commit
    /// before and some of this one; moving on repairs it.
    pub fn at(&mut self, commit: &str) -> Result<Moved, CheckoutError> {
        if self.objects.unanswered > 0 {
            // The last move ended early, and the answers that it did not read are still to come.
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
            self.objects.ask(batch.iter().map(|(_, object)| object.as_str()))?;
            for (path, object) in batch {
                self.write(path, object, &mut moved)?;
            }
        }
        moved.left_out.sort_unstable();
        Ok(moved)
    }

    /// Writes the file that is answered with next.
    fn write(&mut self, path: &str, object: &str, moved: &mut Moved) -> Result<(), CheckoutError> {
        // Of no object until it is whole, so that the next move writes or removes what this one leaves half done.
        let was_present = self.present.insert(path.to_owned(), String::new()).is_some();
        match self.objects.answer_to(&self.folder.join(path))? {
            Answer::Written => {
                self.present.insert(path.to_owned(), object.to_owned());
                moved.written += 1;
            }
            Answer::Absent => {
                self.remove(path)?;
                moved.removed += usize::from(was_present);
                moved.left_out.push(path.to_owned());
            }
        }
        Ok(())
    }

    /// Removes a file, and the folders that it leaves empty.
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

/// The files of a commit, each with its object.
fn files(git_dir: &Path, commit: &str, left_out: &mut Vec<String>) -> Result<BTreeMap<String, String>, GitError> {
    let mut git = git::in_repository(git_dir)?;
    // With the suffix nothing that is no commit passes, an option neither.
    git.args(["ls-tree", "-r", "-z", "--full-tree"]).arg(format!("{commit}^{{commit}}"));
    let mut listing = Running::start(git, "ls-tree", git_dir)?;
    let mut files = BTreeMap::new();
    while let Some(field) = listing.field()? {
        let text = String::from_utf8_lossy(&field);
        let Some((entry, path)) = text.split_once('\t') else { return Err(listing.nonsense(&field)) };
        let [_mode, kind, object] = entry.split(' ').collect::<Vec<_>>()[..] else {
            return Err(listing.nonsense(&field));
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

/// Whether a path of a tree, which anybody may have written, stays inside the folder on every system and makes no
/// repository of it.
fn is_below_a_folder(path: &str) -> bool {
    let Ok(path) = DocPath::new(path) else { return false };
    // Neither a drive nor another separator; a byte that was no text has become a replacement character.
    let is_plain = |part: &str| !part.contains(['\\', ':', '\u{fffd}']) && !part.eq_ignore_ascii_case(".git");
    path.components().all(is_plain)
}

/// The objects of a repository, read by one `git` that stays.
#[derive(Debug)]
struct Objects {
    running: Running,
    requests: ChildStdin,
    /// How many objects were asked for and not yet read to their end.
    unanswered: usize,
}

enum Answer {
    Written,
    /// The repository does not hold the object.
    Absent,
}

/// How many objects are asked for at once. Their ids, 64 digits at most, fit into a pipe that holds 16 KiB on the least
/// of systems, so that asking never waits for the answers to be read.
const BATCH: usize = 200;

impl Objects {
    fn open(git_dir: &Path) -> Result<Self, GitError> {
        let mut git = git::in_repository(git_dir)?;
        git.args(["cat-file", "--batch"]).stdin(Stdio::piped());
        let mut running = Running::start(git, "cat-file", git_dir)?;
        let requests = running.child.stdin.take().expect("it was piped");
        Ok(Self { running, requests, unanswered: 0 })
    }

    /// Asks for at most [`BATCH`] objects, which are answered in this order.
    fn ask<'o>(&mut self, objects: impl Iterator<Item = &'o str>) -> Result<(), GitError> {
        let mut ids = String::new();
        for object in objects {
            ids.push_str(object);
            ids.push('\n');
            self.unanswered += 1;
        }
        self.requests.write_all(ids.as_bytes()).map_err(|source| self.running.broken(source))
    }

    /// Writes the next answer into a file, its folders on the way.
    fn answer_to(&mut self, path: &Path) -> Result<Answer, CheckoutError> {
        let Some(length_bytes) = self.length()? else {
            self.unanswered -= 1;
            return Ok(Answer::Absent);
        };
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).map_err(|source| unwritable(folder, source))?;
        let mut file = File::create(path).map_err(|source| unwritable(path, source))?;
        let mut content = self.running.stdout.by_ref().take(length_bytes);
        let copied = io::copy(&mut content, &mut file).map_err(|source| unwritable(path, source))?;
        let mut end = [0];
        self.running.stdout.read_exact(&mut end).map_err(|source| self.running.broken(source))?;
        if copied == length_bytes && end == *b"\n" {
            self.unanswered -= 1;
            Ok(Answer::Written)
        } else {
            Err(self.running.nonsense(&end).into())
        }
    }

    /// Reads the beginning of an answer: how long the object is; `None` when the repository does not hold it.
    fn length(&mut self) -> Result<Option<u64>, GitError> {
        let mut line = String::new();
        self.running.stdout.read_line(&mut line).map_err(|source| self.running.broken(source))?;
        match line.trim_end().split(' ').collect::<Vec<_>>()[..] {
            [_, "missing"] => Ok(None),
            [_, "blob", length] => length.parse().map(Some).map_err(|_| self.running.nonsense(line.as_bytes())),
            _ => Err(self.running.nonsense(line.as_bytes())),
        }
    }
}
