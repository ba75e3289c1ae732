//! Resolution of settings from the values of all layers.

use std::collections::BTreeMap;

use crate::layers::{Entry, Layer};
use crate::value::Expected;
use crate::{ConfigError, Origin, Warning};

/// Which layers may set a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Any layer: the setting concerns the project's own files and results.
    Project,
    /// All layers except the project: the setting concerns the daemon as a whole, or what may be read. An untrusted
    /// repository must not decide about it.
    User,
}

/// Resolves settings key by key.
///
/// The keys that are requested are the known settings. Keys that are left at the end are unknown.
pub(crate) struct Reader {
    given: BTreeMap<String, Vec<Entry>>,
    origins: BTreeMap<&'static str, Origin>,
    warnings: Vec<Warning>,
}

impl Reader {
    /// Takes the values of all layers, in ascending precedence.
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        let mut given: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            given.entry(entry.key.clone()).or_default().push(entry);
        }
        Self { given, origins: BTreeMap::new(), warnings: Vec::new() }
    }

    /// Returns the value of a setting: that of the last layer that set it, or the default.
    ///
    /// # Errors
    /// A layer set an invalid value, even if a later layer replaces it.
    pub(crate) fn key<T>(
        &mut self,
        key: &'static str,
        reach: Reach,
        default: T,
        read: impl Fn(&toml::Value) -> Result<T, Expected>,
    ) -> Result<T, ConfigError> {
        let mut chosen = default;
        let mut origin = Origin { layer: Layer::Default, place: None };
        for Entry { key, value, layer, place } in self.given.remove(key).unwrap_or_default() {
            if layer == Layer::Project && reach == Reach::User {
                self.warnings.push(Warning::NotForProjects { place, key });
                continue;
            }
            chosen = read(&value).map_err(|expected| ConfigError::Value {
                place: place.clone(),
                key,
                expected,
                found: shown(&value),
            })?;
            origin = Origin { layer, place: Some(place) };
        }
        self.origins.insert(key, origin);
        Ok(chosen)
    }

    /// Returns the origin of each value and the warnings, ordered by place.
    ///
    /// # Errors
    /// A flag names an unknown setting.
    pub(crate) fn finish(mut self) -> Result<(BTreeMap<&'static str, Origin>, Vec<Warning>), ConfigError> {
        for Entry { key, layer, place, .. } in self.given.into_values().flatten() {
            if layer == Layer::Flag {
                return Err(ConfigError::UnknownFlag { key });
            }
            self.warnings.push(Warning::UnknownKey { place, key });
        }
        self.warnings.sort_by(|left, right| left.place().cmp(right.place()));
        Ok((self.origins, self.warnings))
    }
}

/// The number of characters of a value that an error shows.
const SHOWN_CHARS: usize = 60;

/// Formats a value in TOML, on one line and truncated.
fn shown(value: &toml::Value) -> String {
    let text = value.to_string().replace('\n', " ");
    if text.chars().count() <= SHOWN_CHARS {
        return text;
    }
    text.chars().take(SHOWN_CHARS).chain(['…']).collect()
}
