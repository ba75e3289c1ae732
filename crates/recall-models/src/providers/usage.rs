//! What is kept of remote models in files: which ones the user chose, and what they have cost, tokens by model and the budget
//! of the day.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use parking_lot::Mutex;
use recall_core::Clock;
use recall_os::{Folder, OpenError};
use recall_text::error_chain;
use serde::{Deserialize, Serialize};

use crate::providers::error::ProviderError;
use crate::providers::model::RemoteModel;

/// The file, in the folder of models.
const FILE: &str = "remote-usage.json";

/// The most bytes of the file that are read.
const MOST_BYTES: u64 = 1 << 20;

const MILLISECONDS_A_DAY: i64 = 24 * 60 * 60 * 1_000;

/// Tokens by model, and the budget of the day, kept in a file. Requests to this machine are counted, but need no budget.
pub struct Usage {
    folder: PathBuf,
    /// The tokens a day; `None` for no limit.
    budget: Option<u64>,
    clock: Arc<dyn Clock>,
    ledger: Mutex<Option<Ledger>>,
}

/// What a model has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spent {
    /// The requests that were answered.
    pub requests: u64,
    /// The texts in them.
    pub texts: u64,
    /// The tokens that the provider counted; by estimate where it did not say.
    pub tokens: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ledger {
    /// Days since 1970, in UTC.
    day: i64,
    /// The budgeted tokens of that day.
    tokens: u64,
    models: BTreeMap<String, Spent>,
}

impl Usage {
    /// Uses a file in a folder. Reads nothing yet.
    pub fn new(folder: &Path, budget: Option<u64>, clock: Arc<dyn Clock>) -> Self {
        Self { folder: folder.to_owned(), budget, clock, ledger: Mutex::default() }
    }

    /// Returns the budget in tokens a day; `None` for no limit.
    pub fn budget(&self) -> Option<u64> {
        self.budget
    }

    /// Returns the tokens of today that count against the budget.
    pub fn today(&self) -> u64 {
        self.with(|ledger| ledger.tokens)
    }

    /// Returns what a model has cost in total.
    pub fn model_total(&self, model: &str) -> Spent {
        self.with(|ledger| ledger.models.get(model).copied().unwrap_or_default())
    }

    /// Takes tokens from today's budget before a request is sent.
    ///
    /// # Errors
    /// Less is left.
    pub(crate) fn reserve(&self, tokens: u64) -> Result<(), ProviderError> {
        let Some(budget) = self.budget else { return Ok(()) };
        self.with(|ledger| {
            if ledger.tokens.saturating_add(tokens) > budget {
                return Err(ProviderError::BudgetSpent { budget });
            }
            ledger.tokens += tokens;
            Ok(())
        })
    }

    /// Returns tokens that were reserved for a request that was not answered.
    pub(crate) fn give_back(&self, tokens: u64) {
        if self.budget.is_some() {
            self.with(|ledger| ledger.tokens = ledger.tokens.saturating_sub(tokens));
        }
    }

    /// Records a response, and writes the file. `reserved` tokens had been taken for it.
    pub(crate) fn record(&self, model: &str, texts: u64, tokens: u64, reserved: u64) {
        let ledger = self.with(|ledger| {
            if self.budget.is_some() && reserved > 0 {
                ledger.tokens = ledger.tokens.saturating_sub(reserved).saturating_add(tokens);
            }
            let spent = ledger.models.entry(model.to_owned()).or_default();
            spent.requests += 1;
            spent.texts += texts;
            spent.tokens += tokens;
            ledger.clone()
        });
        let written = serde_json::to_vec_pretty(&ledger).expect("names and numbers can be written");
        if let Err(error) = Folder::open(&self.folder).and_then(|folder| folder.replace(FILE, &written)) {
            tracing::warn!(error = error_chain(&error), "the tokens used by remote models were not written");
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Ledger) -> T) -> T {
        let mut kept = self.ledger.lock();
        let ledger = kept.get_or_insert_with(|| {
            self.read().unwrap_or_else(|error| {
                tracing::warn!(
                    error = error_chain(&error),
                    "the tokens used by remote models are counted again from 0"
                );
                Ledger::default()
            })
        });
        let day = self.clock.now().as_millis().div_euclid(MILLISECONDS_A_DAY);
        if ledger.day != day {
            (ledger.day, ledger.tokens) = (day, 0);
        }
        act(ledger)
    }

    fn read(&self) -> Result<Ledger, UsageError> {
        let bytes = match Folder::open(&self.folder).and_then(|folder| folder.read(FILE, MOST_BYTES)) {
            Err(OpenError::Missing { .. }) => return Ok(Ledger::default()),
            read => read?,
        };
        Ok(serde_json::from_slice(&bytes)?)
    }
}

/// The file of tokens cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It is not JSON, or has other fields.
    #[error("{FILE} is malformed")]
    Malformed(#[from] serde_json::Error),
}

/// The file, in the folder of models.
const CHOICE_FILE: &str = "remote.json";

/// The most bytes of the file that are read.
const MOST_CHOICE_BYTES: u64 = 1 << 20;

/// The format of the file.
const CHOICE_VERSION: u32 = 1;

/// The remote models that the user chose, with the addresses that the user was told. Texts are sent to no other.
#[derive(Clone, Debug)]
pub struct Remembered {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    models: Vec<RemoteModel>,
}

impl Remembered {
    /// Uses a file in a folder, which need not exist yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Lists the models, ordered by name.
    ///
    /// # Errors
    /// The file cannot be read, or is malformed.
    pub fn list(&self) -> Result<Vec<RemoteModel>, RememberedError> {
        let bytes = match Folder::open(&self.folder).and_then(|folder| folder.read(CHOICE_FILE, MOST_CHOICE_BYTES)) {
            Err(OpenError::Missing { .. }) => return Ok(Vec::new()),
            read => read.map_err(RememberedError::Open)?,
        };
        let path = || self.folder.join(CHOICE_FILE);
        let File { version, mut models } =
            serde_json::from_slice(&bytes).map_err(|source| RememberedError::Malformed { path: path(), source })?;
        if version != CHOICE_VERSION {
            return Err(RememberedError::Version { path: path(), found: version });
        }
        models.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(models)
    }

    /// Adds a model, or replaces the one of the same name.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn keep(&self, model: RemoteModel) -> Result<(), RememberedError> {
        let mut models = self.list()?;
        models.retain(|known| known.name != model.name);
        models.push(model);
        self.write(models)
    }

    /// Forgets a model; returns whether there was one.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn forget(&self, name: &str) -> Result<bool, RememberedError> {
        let mut models = self.list()?;
        let before = models.len();
        models.retain(|known| known.name != name);
        let is_known = models.len() < before;
        if is_known {
            self.write(models)?;
        }
        Ok(is_known)
    }

    fn write(&self, models: Vec<RemoteModel>) -> Result<(), RememberedError> {
        let text = serde_json::to_vec_pretty(&File { version: CHOICE_VERSION, models }).expect("strings and numbers");
        fs::create_dir_all(&self.folder)
            .map_err(|source| RememberedError::Create { path: self.folder.clone(), source })?;
        Folder::open(&self.folder).and_then(|folder| folder.replace(CHOICE_FILE, &text)).map_err(RememberedError::Open)
    }
}

/// The file of remote models cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RememberedError {
    /// It cannot be opened or written.
    #[error(transparent)]
    Open(OpenError),
    /// Its folder cannot be created.
    #[error("cannot create `{}`", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// It is not JSON, or has other fields.
    #[error("`{}` is malformed", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// It has another format.
    #[error("`{}` has version {found}, expected {CHOICE_VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: u32,
    },
}

#[cfg(test)]
mod tests {
    use recall_core::Timestamp;

    use super::*;

    struct Day(Mutex<i64>);

    impl Clock for Day {
        fn now(&self) -> Timestamp {
            Timestamp(*self.0.lock() * MILLISECONDS_A_DAY * 1_000_000)
        }
    }

    #[test]
    fn the_budget_is_of_a_day_and_survives_a_restart() {
        let place = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(Day(Mutex::new(20_000)));
        let usage = || Usage::new(place.path(), Some(100), Arc::clone(&clock) as Arc<dyn Clock>);
        let first = usage();
        first.reserve(60).expect("enough");
        first.record("openai:m", 2, 55, 60);
        assert!(matches!(first.reserve(46), Err(ProviderError::BudgetSpent { budget: 100 })));
        first.reserve(40).expect("enough");
        first.give_back(40);

        let second = usage();
        assert_eq!((second.today(), second.model_total("openai:m")), (55, Spent { requests: 1, texts: 2, tokens: 55 }));
        *clock.0.lock() += 1;
        assert_eq!(second.today(), 0);
        second.reserve(100).expect("a new day");
        assert_eq!(second.model_total("openai:m").tokens, 55);
    }

    #[test]
    fn a_damaged_file_is_replaced() {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join(FILE), "{").expect("written");
        let usage = Usage::new(place.path(), None, Arc::new(Day(Mutex::new(1))));
        usage.record("m", 1, 1, 0);
        assert_eq!(usage.model_total("m").texts, 1);
        assert!(std::fs::read_to_string(place.path().join(FILE)).expect("written").contains("\"m\""));
    }

    fn model(name: &str, dimensions: usize) -> RemoteModel {
        RemoteModel {
            name: name.to_owned(),
            address: "http://127.0.0.1:1/v1".to_owned(),
            dimensions,
            query_prefix: String::new(),
            document_prefix: String::new(),
            window_tokens: 512,
        }
    }

    #[test]
    fn models_are_kept_replaced_and_forgotten() {
        let place = tempfile::tempdir().expect("a folder");
        let remembered = Remembered::new(&place.path().join("models"));
        assert_eq!(remembered.list().expect("none"), []);
        for one in [model("b:m", 3), model("a:m", 4), model("b:m", 5)] {
            remembered.keep(one).expect("writable");
        }
        assert_eq!(remembered.list().expect("two"), [model("a:m", 4), model("b:m", 5)]);
        assert!(remembered.forget("a:m").expect("writable") && !remembered.forget("a:m").expect("writable"));
        assert_eq!(remembered.list().expect("one"), [model("b:m", 5)]);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays() {
        let place = tempfile::tempdir().expect("a folder");
        let remembered = Remembered::new(place.path());
        for damaged in ["{", r#"{"version":2,"models":[]}"#, r#"{"version":1,"models":[{}]}"#] {
            fs::write(place.path().join(CHOICE_FILE), damaged).expect("written");
            assert!(remembered.list().is_err() && remembered.keep(model("a:m", 1)).is_err(), "{damaged}");
            assert_eq!(fs::read_to_string(place.path().join(CHOICE_FILE)).expect("there"), damaged);
        }
    }
}
