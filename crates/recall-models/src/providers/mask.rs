//! The masker of secrets.

use std::sync::LazyLock;

use recall_secrets::{Masker, Settings};

/// The masker of the process. A pattern is compiled on first use and kept.
pub(crate) static MASKER: LazyLock<Masker> =
    LazyLock::new(|| Masker::new(Settings::default()).expect("these settings turn off no rule"));
