//! Out of all values that were given, which one does a setting get?

use std::collections::BTreeMap;

use crate::layers::{Entry, Layer};
use crate::value::Expected;
use crate::{ConfigError, Origin, Warning};

/// Who may set a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A project may: it concerns that project's own files and answers.
    Project,
    /// Only the user may: it concerns the daemon as a whole or what may be read. A repository that somebody else
    /// wrote must not decide about it.
    User,
}

/// Hands out the values that were given, key by key.
///
/// The keys that are asked for are the settings that exist; what is left at the end is unknown.
pub(crate) struct Reader {
    given: BTreeMap<String, Vec<Entry>>,
    origins: BTreeMap<&'static str, Origin>,
    warnings: Vec<Warning>,
}

impl Reader {
    /// Takes what was given, the layer that counts least first.
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        let mut given: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            given.entry(entry.key.clone()).or_default().push(entry);
        }
        Self { given, origins: BTreeMap::new(), warnings: Vec::new() }
    }

    /// The value of a setting: that of the last layer that gave one, else the default.
    ///
    /// # Errors
    /// A value that was given does not fit, also where a later layer replaces it.
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

    /// Ends the reading: where each value came from, and what was passed over, in the order of places.
    ///
    /// # Errors
    /// A flag names a setting that nobody asked for.
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

/// The longest excerpt of a value that an error shows.
const SHOWN_CHARS: usize = 60;

/// A value in TOML, on one line, cut where it is long.
fn shown(value: &toml::Value) -> String {
    let text = value.to_string().replace('\n', " ");
    if text.chars().count() <= SHOWN_CHARS {
        return text;
    }
    text.chars().take(SHOWN_CHARS).chain(['…']).collect()
}
