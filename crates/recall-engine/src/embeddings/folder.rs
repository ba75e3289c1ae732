//! The folder of a store's embeddings, with its lock and the claims on its subfolders.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use recall_core::{ModelFingerprint, Timestamp};

/// How many digits of a model's fingerprint are the name of its folder.
const NAME_DIGITS: usize = 16;

/// The folder of a store's embeddings, with a subfolder for each model.
#[derive(Debug)]
pub(crate) struct EmbeddingsFolder {
    dir: PathBuf,
    /// The suffix of the last quarantined folder: the time of opening plus the number of folders quarantined since.
    aside: Mutex<i64>,
    /// The lock, as long as it is held.
    lock: Mutex<Weak<File>>,
    /// The models whose embeddings are open.
    claims: Mutex<HashMap<ModelFingerprint, Weak<Claim>>>,
}

/// A guard that marks the embeddings by a model as open.
#[derive(Debug)]
pub(crate) struct Claim;

impl EmbeddingsFolder {
    pub(crate) fn new(dir: PathBuf, now: Timestamp) -> Self {
        Self { dir, aside: Mutex::new(now.as_millis()), lock: Mutex::default(), claims: Mutex::default() }
    }

    /// Returns the folder of the embeddings by a model.
    pub(crate) fn model_folder(&self, model: ModelFingerprint) -> PathBuf {
        self.dir.join(name_of(model))
    }

    /// Returns whether there are embeddings by a model.
    pub(crate) fn has(&self, model: ModelFingerprint) -> bool {
        self.model_folder(model).is_dir()
    }

    /// Creates the same embeddings by each model in another folder.
    pub(crate) fn fork(&self, target: &Path) -> io::Result<()> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Ok(()) };
        for entry in entries {
            let name = entry?.file_name();
            // A quarantined folder has a longer name.
            if name.len() == NAME_DIGITS {
                recall_index::vector::fork(&self.dir.join(&name), &target.join(&name))?;
            }
        }
        Ok(())
    }

    /// Takes the lock on the files, for as long as the returned value lives. The lock file is next to the folder, so that it is not
    /// quarantined with it.
    pub(crate) fn lock(&self) -> Result<Arc<File>, FolderError> {
        let mut held = self.lock.lock();
        if let Some(lock) = held.upgrade() {
            return Ok(lock);
        }
        let path = self.dir.with_extension("lock");
        let failed = |source| FolderError::Lock { path: path.clone(), source };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Taken),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        fs::create_dir_all(&self.dir).map_err(failed)?;
        let lock = Arc::new(file);
        *held = Arc::downgrade(&lock);
        Ok(lock)
    }

    /// Claims the embeddings by a model for one user.
    ///
    /// The files of a model that is deselected and selected again must not be open twice: the thread that updates them may still
    /// be running.
    pub(crate) fn claim(&self, model: ModelFingerprint) -> Result<Arc<Claim>, FolderError> {
        let mut claims = self.claims.lock();
        if claims.get(&model).is_some_and(|claim| claim.strong_count() > 0) {
            return Err(FolderError::Open);
        }
        let claim = Arc::new(Claim);
        claims.insert(model, Arc::downgrade(&claim));
        Ok(claim)
    }

    /// Quarantines the embeddings by a model. Users that have them open continue with the quarantined files.
    pub(crate) fn quarantine(&self, model: ModelFingerprint) -> Result<(), FolderError> {
        let path = self.model_folder(model);
        let mut name = self.aside.lock();
        *name += 1;
        let quarantined = recall_index::vector::quarantine(&path, &name.to_string());
        quarantined.map_err(|source| FolderError::Quarantine { path, source })?;
        self.claims.lock().remove(&model);
        Ok(())
    }

    /// Deletes the embeddings of all other models, unless another process holds the lock.
    pub(crate) fn sweep(&self, models: &[ModelFingerprint]) {
        let Ok(folder) = recall_os::Folder::open(&self.dir) else { return };
        let Ok(_lock) = self.lock() else { return };
        let known: Vec<String> = models.iter().map(|model| name_of(*model)).collect();
        for name in folder.names().unwrap_or_default() {
            // A quarantined folder has its model's name with a suffix.
            let text = name.to_string_lossy();
            let model = text.split('.').next().unwrap_or_default();
            if !known.iter().any(|known| known == model)
                && let Err(error) = folder.remove(&name)
            {
                let path = self.dir.join(&name);
                tracing::warn!(path = %path.display(), %error, "embeddings that no model needs were not deleted");
            }
        }
    }
}

fn name_of(model: ModelFingerprint) -> String {
    let mut name = model.to_string();
    name.truncate(NAME_DIGITS);
    name
}

/// The embeddings cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    #[error("another recall daemon has the embeddings of this index open")]
    Taken,
    #[error("the embeddings by this model are still being closed")]
    Open,
    #[error("cannot lock `{}`", path.display())]
    Lock { path: PathBuf, source: std::io::Error },
    #[error("cannot set `{}` aside", path.display())]
    Quarantine { path: PathBuf, source: std::io::Error },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_holds_the_lock_and_unused_embeddings_are_deleted() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let dir = place.path().join("vectors");
        let folder = EmbeddingsFolder::new(dir.clone(), Timestamp(0));
        let (used, previous) = (ModelFingerprint([1; 32]), ModelFingerprint([2; 32]));
        let lock = folder.lock().expect("free");
        assert!(Arc::ptr_eq(&lock, &folder.lock().expect("ours")));
        for model in [used, previous] {
            fs::create_dir_all(folder.model_folder(model)).expect("writable");
        }
        folder.quarantine(used).expect("it is there");
        fs::create_dir_all(folder.model_folder(used)).expect("writable");
        fs::write(dir.join("base-1"), "of an older layout").expect("writable");

        let other = EmbeddingsFolder::new(dir.clone(), Timestamp(0));
        assert!(matches!(other.lock(), Err(FolderError::Taken)));
        other.sweep(&[]);
        assert!(folder.has(used) && folder.has(previous), "another process must not delete them");
        folder.sweep(&[used]);
        assert!(folder.has(used) && !folder.has(previous));
        let left = fs::read_dir(&dir).expect("readable").count();
        assert_eq!(left, 2, "the embeddings and those that are quarantined");
        drop(lock);
        assert!(other.lock().is_ok());
    }

    #[test]
    fn embeddings_are_open_once_except_quarantined_ones() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let folder = EmbeddingsFolder::new(place.path().join("vectors"), Timestamp(0));
        let model = ModelFingerprint([1; 32]);
        fs::create_dir_all(folder.model_folder(model)).expect("writable");
        let first = folder.claim(model).expect("they are not open");
        assert!(matches!(folder.claim(model), Err(FolderError::Open)));
        folder.quarantine(model).expect("they are there");
        let second = folder.claim(model).expect("the new ones are not open");
        drop(first);
        assert!(matches!(folder.claim(model), Err(FolderError::Open)));
        drop(second);
        assert!(folder.claim(model).is_ok());
    }
}
