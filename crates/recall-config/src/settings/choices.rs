//! The values of settings that are one of a few words, or have a form that only one setting has.

use std::collections::BTreeMap;

use recall_core::{Admission, DocumentType, Scope, SessionShare};
use toml::Value;

use crate::table::{Kind, Shape};
use crate::value::{address, count, one_of, or_word};

/// A hundred years.
const MOST_DAYS: u32 = 36_500;

/// How the candidates of a search are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankerSetting {
    /// By the built-in rankers.
    #[default]
    BuiltIn,
    /// Without a ranker, by the weighted fusion of the retrievers' ranks.
    None,
}

impl RankerSetting {
    /// All choices, the default first.
    pub const ALL: [Self; 2] = [Self::BuiltIn, Self::None];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::None => "none",
        }
    }

    /// Finds a choice by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }
}

/// Which built-in model provides semantic search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelSetting {
    /// None: search is lexical only.
    None,
    /// The static model that is part of the program.
    #[default]
    Static,
    /// The hashes of words, without a model.
    Hash,
}

impl ModelSetting {
    /// All choices, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::None, Self::Static, Self::Hash];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Static => "static",
            Self::Hash => "hash",
        }
    }

    /// Finds a choice by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }
}

/// The severity of log events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Failures of the daemon or of a request.
    Error,
    /// Problems that do not stop the daemon.
    Warn,
    /// Starts and stops, and indexing.
    Info,
    /// Requests and their durations.
    Debug,
    /// Everything. The only level that may log the text of queries.
    Trace,
}

impl LogLevel {
    /// All levels, the most severe first.
    pub const ALL: [Self; 5] = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }

    /// Finds a level by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

/// The proxy for downloads of models and the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxySetting {
    /// As set by `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY` in the daemon's environment, except for the hosts in
    /// `NO_PROXY`.
    #[default]
    Environment,
    /// No proxy, whatever the environment says.
    None,
    /// The proxy at an address.
    At(String),
}

/// Parses the choice of a ranker.
pub(super) fn ranker() -> Kind<RankerSetting> {
    one_of(RankerSetting::ALL.map(RankerSetting::as_str), RankerSetting::from_name)
}

/// Parses the choice of a built-in model.
pub(super) fn model() -> Kind<ModelSetting> {
    one_of(ModelSetting::ALL.map(ModelSetting::as_str), ModelSetting::from_name)
}

/// Parses a log level.
pub(super) fn log_level() -> Kind<LogLevel> {
    one_of(LogLevel::ALL.map(LogLevel::as_str), LogLevel::from_name)
}

/// Parses the name of a scope.
pub(super) fn scope() -> Kind<Scope> {
    one_of(["project", "global", "domain", "all"], |name| name.parse().ok())
}

/// Parses the choice of the summaries that are shared.
pub(super) fn share() -> Kind<SessionShare> {
    one_of(SessionShare::ALL.map(SessionShare::as_str), SessionShare::from_name)
}

/// Parses what happens to memories that arrive.
pub(super) fn admission() -> Kind<Admission> {
    one_of(Admission::ALL.map(Admission::as_str), Admission::from_name)
}

/// Parses the setting of a proxy.
pub(super) fn proxy() -> Kind<ProxySetting> {
    Kind::new(Shape::Text, |value| match value.as_str() {
        Some("environment") => Ok(ProxySetting::Environment),
        Some("none") => Ok(ProxySetting::None),
        _ => address()
            .parse(value)
            .map(ProxySetting::At)
            .map_err(|expected| format!("{expected}, or \"environment\", or \"none\"")),
    })
}

/// Parses a number of days; `None` is never.
pub(super) fn days() -> Kind<Option<u32>> {
    or_word("never", count(1..=MOST_DAYS))
}

/// Parses a table from types to days; `None` is never.
pub(super) fn days_by_type() -> Kind<BTreeMap<DocumentType, Option<u32>>> {
    let days = days();
    Kind::new(Shape::Table(Box::new(days.shape().clone())), move |value: &Value| {
        let one =
            |(name, value): (&String, &Value)| Some((name.parse::<DocumentType>().ok()?, days.parse(value).ok()?));
        let read = value.as_table().and_then(|table| table.iter().map(one).collect());
        read.ok_or_else(|| {
            let types = DocumentType::ALL.map(DocumentType::as_str).join(", ");
            format!(
                "a table from types to days from 1 to {MOST_DAYS} or \"never\", such as {{ adr = 365, decision = \
                 \"never\" }}; the types are {types}"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_days() {
        let parse = |text: &str| days_by_type().parse(&Value::Table(text.parse().expect("TOML")));
        let expected = BTreeMap::from([(DocumentType::Adr, Some(365)), (DocumentType::Decision, None)]);
        assert_eq!(parse("adr = 365\ndecision = \"never\""), Ok(expected));
        for wrong in ["adr = 0", "adr = \"soon\"", "essay = 3", "adr = -1"] {
            assert!(parse(wrong).is_err_and(|expected| expected.contains("the types are code, ")), "{wrong}");
        }
    }

    #[test]
    fn what_is_shared_is_one_of_three_words() {
        assert_eq!(share().parse(&Value::String("decisions".to_owned())), Ok(SessionShare::Decisions));
        for other in [Value::String("always".to_owned()), Value::Boolean(true)] {
            assert_eq!(share().parse(&other), Err("one of never, decisions, all".to_owned()));
        }
    }

    #[test]
    fn another_word_is_refused_with_the_choices() {
        let word = |text: &str| Value::String(text.to_owned());
        assert_eq!(log_level().parse(&word("loud")), Err("one of error, warn, info, debug, trace".to_owned()));
        assert_eq!(ranker().parse(&word("best")), Err("one of built-in, none".to_owned()));
    }

    #[test]
    fn a_proxy_is_an_address_or_a_word() {
        let parse = |text: &str| proxy().parse(&Value::String(text.to_owned()));
        assert_eq!(parse("none"), Ok(ProxySetting::None));
        assert_eq!(parse("environment"), Ok(ProxySetting::Environment));
        assert_eq!(parse("http://proxy:8080"), Ok(ProxySetting::At("http://proxy:8080".to_owned())));
        let expected = "an address that begins with https:// or http://, or \"environment\", or \"none\"";
        assert_eq!(parse("ftp://proxy"), Err(expected.to_owned()));
    }
}
