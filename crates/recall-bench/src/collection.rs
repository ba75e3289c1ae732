//! The dataset of a measurement: a folder of the user, or the collection that this program contains.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::quality::Dataset;
use recall_cli::{CliError, CommandContext};
use recall_client::Client;
use tempfile::TempDir;

use crate::error::BenchError;

/// The files of the built-in collection: documents and code of a payment system, with judged questions.
const PAYMENTS: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/payments.rs"));

/// A dataset, and where its folders are indexed.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) dataset: Dataset,
    /// The folder of the built-in collection and of the home in which it is indexed; `None` for a dataset of the user, whose folders
    /// are in the user's indexes. It is deleted with this.
    place: Option<TempDir>,
}

impl Collection {
    /// Reads the dataset in a folder; the built-in one without a folder.
    pub(crate) fn open(folder: Option<&Path>, context: &CommandContext) -> Result<Self, BenchError> {
        if let Some(folder) = folder {
            return Ok(Self { dataset: Dataset::read(&context.absolute(folder))?, place: None });
        }
        let place = temporary_folder()?;
        let folder = place.path().join("payments");
        write(&folder).map_err(|error| CliError::refusal("cannot write the built-in collection", &error))?;
        Ok(Self { dataset: Dataset::read(&folder)?, place: Some(place) })
    }

    /// Returns the home in which the folders are indexed, if it is not the user's.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.place.as_ref().map(|place| place.path().join("home"))
    }

    /// Connects to the daemon that indexes the folders.
    pub(crate) async fn connect(&self, context: &CommandContext) -> Result<Client, BenchError> {
        Ok(match self.home() {
            Some(home) => context.connect_apart(&home).await?,
            None => context.connect().await?,
        })
    }
}

pub(crate) fn temporary_folder() -> Result<TempDir, BenchError> {
    let made = tempfile::Builder::new().prefix("recall-bench-").tempdir();
    made.map_err(|error| CliError::refusal("cannot make a temporary folder", &error).into())
}

/// Writes the files of the built-in collection.
fn write(folder: &Path) -> io::Result<()> {
    for (below, bytes) in PAYMENTS {
        let path = folder.join(below);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_collection_is_a_dataset() {
        let place = tempfile::tempdir().expect("a temporary folder");
        write(place.path()).expect("written");
        let dataset = Dataset::read(place.path()).expect("a dataset");
        assert!(dataset.queries.len() >= 100 && dataset.corpora.len() == 1, "{}", dataset.queries.len());
    }
}
