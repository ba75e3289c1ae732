//! Resolution of settings from the values of all layers.

use std::collections::BTreeMap;

use crate::layers::Entry;
use crate::origin::Layer;
use crate::table::{self, Described, Kind, Reach, Row, Table};
use crate::{ConfigError, Origin, Warning};

/// Resolves settings key by key.
///
/// The keys that are requested are the known settings. Keys that are left at the end are unknown.
pub(crate) struct Reader {
    given: BTreeMap<String, Vec<Entry>>,
    described: BTreeMap<String, Described<'static>>,
    rows: Vec<Row>,
    warnings: Vec<Warning>,
}

impl Reader {
    /// Takes the values of all layers, in ascending precedence.
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        let mut given: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            given.entry(entry.key.clone()).or_default().push(entry);
        }
        Self { given, described: table::descriptions(), rows: Vec::new(), warnings: Vec::new() }
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
        kind: &Kind<T>,
    ) -> Result<T, ConfigError> {
        let described = self.described.get(key).copied().expect("the default file has every setting");
        let mut chosen = default;
        let mut origin = Origin { layer: Layer::Default, place: None };
        let mut text = described.default.to_owned();
        for Entry { key: _, value, layer, place } in self.given.remove(key).unwrap_or_default() {
            if layer == Layer::Project && reach != Reach::Project {
                self.warnings.push(Warning::NotForProjects { place, key: key.to_owned() });
                continue;
            }
            chosen = kind.parse(&value).map_err(|expected| ConfigError::Value {
                place: place.clone(),
                key: key.to_owned(),
                expected,
                found: value_text(&value),
            })?;
            text = on_one_line(&value);
            origin = Origin { layer, place: Some(place) };
        }
        let shape = kind.shape().clone();
        self.rows.push(Row {
            key,
            reach,
            shape,
            value: text,
            origin,
            default: described.default,
            doc: described.doc(),
        });
        Ok(chosen)
    }

    /// Returns the values of a family of settings, `section.<name>`, by name. A project's file cannot set them. They are in no table,
    /// since their names are the user's.
    ///
    /// # Errors
    /// A layer set an invalid value, even if a later layer replaces it.
    pub(crate) fn family<T>(
        &mut self,
        section: &str,
        kind: impl Fn(String) -> Kind<T>,
    ) -> Result<BTreeMap<String, T>, ConfigError> {
        let name_of = |key: &str| Some(key.strip_prefix(section)?.strip_prefix('.')?.to_owned());
        let keys: Vec<(String, String)> =
            self.given.keys().filter_map(|key| Some((key.clone(), name_of(key)?))).collect();
        let mut family = BTreeMap::new();
        for (key, name) in keys {
            let kind = kind(name.clone());
            for Entry { key: _, value, layer, place } in self.given.remove(&key).unwrap_or_default() {
                if layer == Layer::Project {
                    self.warnings.push(Warning::NotForProjects { place, key: key.clone() });
                    continue;
                }
                let invalid =
                    |expected| ConfigError::Value { place, key: key.clone(), expected, found: value_text(&value) };
                family.insert(name.clone(), kind.parse(&value).map_err(invalid)?);
            }
        }
        Ok(family)
    }

    /// Returns the table of all settings, and the warnings, ordered by place.
    ///
    /// # Errors
    /// A flag names an unknown setting.
    pub(crate) fn finish(mut self) -> Result<(Table, Vec<Warning>), ConfigError> {
        let table: Table = self.rows.into_iter().collect();
        for Entry { key, layer, place, .. } in self.given.into_values().flatten() {
            let nearest = table.nearest(&key);
            if layer == Layer::Flag {
                return Err(ConfigError::UnknownFlag { key, nearest });
            }
            self.warnings.push(Warning::UnknownKey { place, key, nearest });
        }
        self.warnings.sort_by(|left, right| left.place().cmp(right.place()));
        Ok((table, self.warnings))
    }
}

/// The number of characters of a value that an error shows.
const SHOWN_CHARS: usize = 60;

/// Formats a value in TOML on one line. The user and password of an address are masked: they are for its server only.
pub(crate) fn on_one_line(value: &toml::Value) -> String {
    let text = value.to_string().replace('\n', " ");
    let mut shown = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once("://") {
        let host = after.find(['/', '"', '\'', ',', ' ']).unwrap_or(after.len());
        shown.push_str(before);
        shown.push_str("://");
        rest = match after[..host].rfind('@') {
            Some(at) => {
                shown.push_str(MASK);
                &after[at..]
            }
            None => after,
        };
    }
    shown + rest
}

/// Replaces the user and password of an address.
const MASK: &str = "[secret]";

/// Formats a value in TOML, on one line and truncated.
fn value_text(value: &toml::Value) -> String {
    let text = on_one_line(value);
    if text.chars().count() <= SHOWN_CHARS {
        return text;
    }
    text.chars().take(SHOWN_CHARS).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_an_address_is_not_shown() {
        let check = |value: &str, expected: &str| {
            assert_eq!(on_one_line(&toml::Value::String(value.to_owned())), format!("\"{expected}\""));
        };
        check("http://me:p@ss@proxy:8080/x@y", "http://[secret]@proxy:8080/x@y");
        check("https://proxy/a@b", "https://proxy/a@b");
        check("me@home", "me@home");
    }
}
