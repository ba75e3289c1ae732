//! The kinds of values of settings.
//!
//! Each function returns one kind. It parses a TOML value to the typed value, or returns a description of what it expected.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use recall_core::{DocumentType, Provider, Scope};
use toml::Value;

use crate::table::{Kind, Shape};

/// Parses a whole number.
pub(crate) fn count(bounds: RangeInclusive<u32>) -> Kind<u32> {
    let shape = Shape::Whole { least: (*bounds.start()).into(), most: (*bounds.end()).into() };
    Kind::new(shape, move |value| {
        value
            .as_integer()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| format!("a whole number from {} to {}", bounds.start(), bounds.end()))
    })
}

/// Parses a positive whole number.
pub(crate) fn positive(most: u32) -> Kind<NonZero<usize>> {
    let count = count(1..=most);
    Kind::new(count.shape().clone(), move |value| {
        let number = count.parse(value)?;
        Ok(NonZero::new(number as usize).expect("the bounds exclude zero"))
    })
}

/// Parses a word that leaves the choice to recall, or a value of another kind.
pub(crate) fn or_word<T: 'static>(word: &'static str, other: Kind<T>) -> Kind<Option<T>> {
    let shape = Shape::Any(vec![Shape::OneOf(vec![word]), other.shape().clone()]);
    Kind::new(shape, move |value| match value.as_str() {
        Some(text) if text == word => Ok(None),
        _ => other.parse(value).map(Some).map_err(|expected| format!("{expected}, or \"{word}\"")),
    })
}

/// Parses a weight of the fusion: a number from 0 to 100.
pub(crate) fn weight() -> Kind<f32> {
    Kind::new(Shape::Number { least: 0.0, most: 100.0 }, |value| {
        number(value)
            .filter(|number| (0.0..=100.0).contains(number))
            .map(|number| number as f32)
            .ok_or_else(|| "a number from 0 to 100".to_owned())
    })
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

/// Parses a fraction: a number from 0 to 1.
pub(crate) fn part() -> Kind<f64> {
    Kind::new(Shape::Number { least: 0.0, most: 1.0 }, |value| {
        number(value).filter(|number| (0.0..=1.0).contains(number)).ok_or_else(|| "a number from 0 to 1".to_owned())
    })
}

/// Parses a number of bytes: `"1 MiB"`, `"10 KiB"`, `"512 MB"`, or a whole number of bytes.
pub(crate) fn size<N: TryFrom<u64>>(bounds: RangeInclusive<u64>) -> Kind<N> {
    Kind::new(Shape::Size, move |value| {
        let bytes = match value {
            Value::Integer(bytes) => u64::try_from(*bytes).ok(),
            Value::String(text) => parse_size(text),
            _ => None,
        };
        bytes.filter(|bytes| bounds.contains(bytes)).and_then(|bytes| N::try_from(bytes).ok()).ok_or_else(|| {
            let (least, most) = (in_units(*bounds.start(), SIZE_UNITS), in_units(*bounds.end(), SIZE_UNITS));
            format!("a size from {least} to {most}, such as \"1 MiB\"")
        })
    })
}

/// Units by name, the largest first. The last one divides every number.
type Units = [(&'static str, u64)];

const SIZE_UNITS: &Units = &[
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
    ("B", 1),
];

fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = leading_number(text.trim())?;
    number.checked_mul(unit_named(unit, SIZE_UNITS)?)
}

/// Parses a duration: `"20ms"`, `"5s"`, `"1h 30m"`, `"7d"`.
pub(crate) fn duration(bounds: RangeInclusive<Duration>) -> Kind<Duration> {
    Kind::new(Shape::Duration, move |value| {
        value.as_str().and_then(parse_duration).filter(|duration| bounds.contains(duration)).ok_or_else(|| {
            let shown = |bound: &Duration| in_units(bound.as_millis() as u64, MILLISECOND_UNITS);
            format!("a duration from {} to {}, such as \"1h 30m\"", shown(bounds.start()), shown(bounds.end()))
        })
    })
}

const MILLISECOND_UNITS: &Units =
    &[("d", 24 * 60 * 60 * 1_000), ("h", 60 * 60 * 1_000), ("m", 60 * 1_000), ("s", 1_000), ("ms", 1)];

fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let mut sum_ms = 0_u64;
    while !rest.is_empty() {
        let (number, after) = leading_number(rest)?;
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        sum_ms = sum_ms.checked_add(number.checked_mul(unit_named(unit, MILLISECOND_UNITS)?)?)?;
        rest = after.trim_start();
    }
    Some(Duration::from_millis(sum_ms))
}

/// Splits `10 KiB` into its number and the rest.
fn leading_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    Some((text[..end].parse().ok()?, text[end..].trim_start()))
}

fn unit_named(name: &str, units: &Units) -> Option<u64> {
    units.iter().find(|(known, _)| *known == name).map(|(_, size)| *size)
}

/// Formats a number in the largest unit that divides it.
fn in_units(number: u64, units: &Units) -> String {
    let (name, size) = units
        .iter()
        .find(|(_, size)| number >= *size && number.is_multiple_of(*size))
        .unwrap_or(&units[units.len() - 1]);
    format!("{} {name}", number / size)
}

/// Parses a list of globs.
pub(crate) fn globs() -> Kind<Vec<String>> {
    Kind::new(Shape::List(Box::new(Shape::Text)), |value| {
        list(value, |text| (!text.is_empty()).then(|| text.to_owned()))
            .ok_or_else(|| "a list of globs, such as [\"src/**\"]".to_owned())
    })
}

/// Parses a list of absolute paths.
pub(crate) fn folders() -> Kind<Vec<PathBuf>> {
    Kind::new(Shape::List(Box::new(Shape::Text)), |value| {
        list(value, |text| Some(PathBuf::from(text)).filter(|path| path.is_absolute()))
            .ok_or_else(|| "a list of absolute paths, such as [\"/srv/docs\"]".to_owned())
    })
}

/// Parses a list of domain names.
pub(crate) fn names() -> Kind<Vec<String>> {
    Kind::new(Shape::List(Box::new(Shape::Text)), |value| {
        list(value, |text| is_domain_name(text).then(|| text.to_owned()))
            .ok_or_else(|| "a list of names, such as [\"team\"]".to_owned())
    })
}

/// Parses a table from domain names to absolute paths.
pub(crate) fn domains() -> Kind<BTreeMap<String, PathBuf>> {
    Kind::new(Shape::Table(Box::new(Shape::Text)), |value| {
        let one = |(name, path): (&String, &Value)| {
            let path = path.as_str().map(PathBuf::from).filter(|path| path.is_absolute())?;
            is_domain_name(name).then(|| (name.clone(), path))
        };
        let read = value.as_table().and_then(|table| table.iter().map(one).collect());
        read.ok_or_else(|| {
            "a table from names to absolute paths, such as { team = \"/srv/team\" }; a name must not be that of a scope"
                .to_owned()
        })
    })
}

/// Returns whether a domain may have this name. The name of a scope would be ambiguous.
fn is_domain_name(name: &str) -> bool {
    !name.trim().is_empty() && name.parse::<Scope>().is_err()
}

/// Parses the absolute path of a file.
pub(crate) fn file() -> Kind<PathBuf> {
    Kind::new(Shape::Text, |value| {
        let path = value.as_str().map(PathBuf::from).filter(|path| path.is_absolute());
        path.ok_or_else(|| "an absolute path".to_owned())
    })
}

/// Parses a text on one line that is not blank.
pub(crate) fn text() -> Kind<String> {
    Kind::new(Shape::Text, |value| {
        let text = value.as_str().map(str::trim).filter(|text| !text.is_empty() && !text.contains(char::is_control));
        text.map(str::to_owned).ok_or_else(|| "a text on one line".to_owned())
    })
}

/// Parses the address of a server or a proxy.
pub(crate) fn address() -> Kind<String> {
    Kind::new(Shape::Text, |value| {
        let is_address = |text: &&str| {
            let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            host.is_some_and(|host| !host.is_empty() && !host.contains(char::is_whitespace))
        };
        let address = value.as_str().filter(is_address).map(|text| text.trim_end_matches('/').to_owned());
        address.ok_or_else(|| "an address that begins with https:// or http://".to_owned())
    })
}

/// Parses the address of a server without a user and a password, which would be kept in a file, and without a query.
pub(crate) fn server() -> Kind<String> {
    Kind::new(Shape::Text, |value| {
        let parsed = address().parse(value).ok().filter(|address| !address.contains(['@', '?', '#']));
        parsed.ok_or_else(|| {
            "an address that begins with https:// or http://, without a user, a password or a query".to_owned()
        })
    })
}

/// Parses a table from names of providers to addresses of servers. The names of built-in providers are taken.
pub(crate) fn servers() -> Kind<BTreeMap<String, String>> {
    const TAKEN: [&str; 4] = ["anthropic", "ollama", "openai", "voyage"];
    Kind::new(Shape::Table(Box::new(Shape::Text)), |value| {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.len() <= 40
                && name.chars().all(is_plain)
                && !TAKEN.contains(&name)
        };
        let one = |(name, address): (&String, &Value)| {
            let address = server().parse(address).ok()?;
            is_name(name).then(|| (name.clone(), address))
        };
        let read = value.as_table().and_then(|table| table.iter().map(one).collect());
        read.ok_or_else(|| {
            "a table from names to addresses, such as { lab = \"http://127.0.0.1:8000/v1\" }; a name has lower-case letters, digits and `-`, \
             and is not that of a built-in provider"
                .to_owned()
        })
    })
}

/// Parses a table from names of models to prices.
pub(crate) fn prices() -> Kind<BTreeMap<String, f64>> {
    Kind::new(Shape::Table(Box::new(Shape::Number { least: 0.0, most: 1_000_000.0 })), |value| {
        let one = |(name, price): (&String, &Value)| {
            number(price).filter(|price| (0.0..=1_000_000.0).contains(price)).map(|price| (name.clone(), price))
        };
        let read = value.as_table().and_then(|table| table.iter().map(one).collect());
        read.ok_or_else(|| "a table from names of models to dollars per million tokens".to_owned())
    })
}

/// Parses a link to a file in an editor. Schemes that a browser runs or shows itself are refused.
pub(crate) fn editor_link() -> Kind<String> {
    const EXPECTED: &str = "an address of an editor with `{path}`, such as \"vscode://file{path}:{line}\"";
    Kind::new(Shape::Text, |value| {
        let text = value.as_str().unwrap_or_default();
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_lowercase())
            && scheme.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c));
        let is_browsers = ["http", "https", "file", "data", "blob", "javascript", "ftp"].contains(&scheme);
        let is_printable = rest.chars().all(|c| c.is_ascii_graphic());
        let is_link = is_scheme && !is_browsers && is_printable && rest.contains("{path}");
        if is_link { Ok(text.to_owned()) } else { Err(EXPECTED.to_owned()) }
    })
}

/// Parses a list of providers.
pub(crate) fn providers() -> Kind<Vec<Provider>> {
    Kind::new(Shape::List(Box::new(Shape::OneOf(provider_names()))), |value| {
        list(value, Provider::from_name).ok_or_else(|| format!("a list of {}", provider_names().join(", ")))
    })
}

/// Parses a list of coding agents that keep files in the user's home.
pub(crate) fn agents() -> Kind<Vec<String>> {
    let names: Vec<&'static str> = recall_text::AGENT_FOLDERS.iter().map(|folder| folder.agent).collect();
    Kind::new(Shape::List(Box::new(Shape::OneOf(names.clone()))), move |value| {
        list(value, |text| names.contains(&text).then(|| text.to_owned()))
            .ok_or_else(|| format!("a list of {}", names.join(", ")))
    })
}

fn list<T>(value: &Value, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(|element| read(element.as_str()?)).collect()
}

/// Parses a table from globs to document types. The longest glob comes first.
pub(crate) fn types() -> Kind<Vec<(String, DocumentType)>> {
    Kind::new(Shape::Table(Box::new(Shape::OneOf(type_names()))), |value| {
        let read = || -> Option<Vec<(String, DocumentType)>> {
            value.as_table()?.iter().map(|(glob, name)| Some((glob.clone(), name.as_str()?.parse().ok()?))).collect()
        };
        let mut types = read().ok_or_else(|| {
            format!(
                "a table from globs to types, such as {{ \"notes/**\" = \"documentation\" }}; the types are {}",
                type_names().join(", ")
            )
        })?;
        types.sort_by(|(left, _), (right, _)| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        Ok(types)
    })
}

/// Parses a truth value.
pub(crate) fn yes_or_no() -> Kind<bool> {
    Kind::new(Shape::Bool, |value| value.as_bool().ok_or_else(|| "true or false".to_owned()))
}

/// Parses one of a few words.
pub(crate) fn one_of<T: 'static>(names: impl Into<Vec<&'static str>>, from_name: fn(&str) -> Option<T>) -> Kind<T> {
    let names = names.into();
    Kind::new(Shape::OneOf(names.clone()), move |value| {
        value.as_str().and_then(from_name).ok_or_else(|| format!("one of {}", names.join(", ")))
    })
}

fn provider_names() -> Vec<&'static str> {
    Provider::ALL.iter().map(|choice| choice.as_str()).collect()
}

fn type_names() -> Vec<&'static str> {
    DocumentType::ALL.iter().map(|known| known.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Expected;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn sizes_are_numbers_with_a_unit_or_bytes() {
        for (given, expected) in [
            ("1 MiB", Some(1 << 20)),
            ("10KiB", Some(10 << 10)),
            ("512 MB", Some(512_000_000)),
            ("7 B", Some(7)),
            ("7", None),
            ("", None),
            ("MiB", None),
            ("-1 MiB", None),
            ("1.5 MiB", None),
            ("1 mib", None),
            ("18446744073709551615 GiB", None),
        ] {
            assert_eq!(parse_size(given), expected, "{given:?}");
        }
        assert_eq!(size(0..=9).parse(&Value::Integer(7)), Ok(7_u64));
    }

    #[test]
    fn durations_are_sums_of_numbers_with_a_unit() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (given, expected) in [
            ("3h", seconds(3 * 60 * 60)),
            ("20ms", Some(Duration::from_millis(20))),
            ("1h 30m", seconds(90 * 60)),
            ("1h30m5s", seconds(90 * 60 + 5)),
            ("2 d", seconds(2 * 24 * 60 * 60)),
            ("0s", seconds(0)),
            ("", None),
            ("5", None),
            ("s", None),
            ("5 parsecs", None),
            ("5s 5", None),
            ("99999999999999999999s", None),
            ("9999999999999999999s", None),
        ] {
            assert_eq!(parse_duration(given), expected, "{given:?}");
        }
    }

    #[test]
    fn an_invalid_value_is_answered_with_what_is_expected() {
        let check = |refused: Result<(), Expected>, expected: &str| assert_eq!(refused, Err(expected.to_owned()));
        let hour = Duration::from_hours(1);
        check(count(1..=50).parse(&Value::Integer(51)).map(drop), "a whole number from 1 to 50");
        check(count(1..=50).parse(&text("5")).map(drop), "a whole number from 1 to 50");
        check(positive(9).parse(&Value::Integer(0)).map(drop), "a whole number from 1 to 9");
        check(size::<u64>(0..=1 << 20).parse(&text("2 MiB")).map(drop), "a size from 0 B to 1 MiB, such as \"1 MiB\"");
        check(
            or_word("never", duration(Duration::from_millis(1)..=hour)).parse(&text("soon")).map(drop),
            "a duration from 1 ms to 1 h, such as \"1h 30m\", or \"never\"",
        );
        check(weight().parse(&Value::Float(-0.5)).map(drop), "a number from 0 to 100");
        check(weight().parse(&Value::Float(f64::NAN)).map(drop), "a number from 0 to 100");
        check(
            folders().parse(&Value::Array(vec![text("docs")])).map(drop),
            "a list of absolute paths, such as [\"/srv/docs\"]",
        );
        check(globs().parse(&Value::Array(vec![text("")])).map(drop), "a list of globs, such as [\"src/**\"]");
        check(file().parse(&text("lib/libonnxruntime.so")).map(drop), "an absolute path");
        let gpu = Value::Array(vec![text("gpu")]);
        check(providers().parse(&gpu).map(drop), "a list of tensorrt, cuda, coreml, directml, cpu");
    }

    #[test]
    fn trailing_slashes_of_an_address_are_removed() {
        assert_eq!(address().parse(&text("http://mirror:8080/hub/")), Ok("http://mirror:8080/hub".to_owned()));
        for given in ["https://", "mirror", "http://a b", ""] {
            assert!(address().parse(&text(given)).is_err(), "{given:?}");
        }
    }

    #[test]
    fn the_longest_glob_comes_first() {
        let table = [("b/**", "adr"), ("a/**", "docs"), ("a/long/**", "runbook")];
        let table = Value::Table(table.into_iter().map(|(glob, name)| (glob.to_owned(), text(name))).collect());
        let read = types().parse(&table).expect("known types");
        assert_eq!(
            read,
            [
                ("a/long/**".to_owned(), DocumentType::Playbook),
                ("a/**".to_owned(), DocumentType::Documentation),
                ("b/**".to_owned(), DocumentType::Adr),
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn a_formatted_size_is_parsed_unchanged(bytes in 0_u64..1 << 40) {
            assert_eq!(parse_size(&in_units(bytes, SIZE_UNITS)), Some(bytes));
        }

        #[test]
        fn a_formatted_duration_is_parsed_unchanged(milliseconds in 0_u64..1 << 40) {
            let written = in_units(milliseconds, MILLISECOND_UNITS);
            assert_eq!(parse_duration(&written), Some(Duration::from_millis(milliseconds)));
        }

        #[test]
        fn parsing_never_panics(text in "\\PC*") {
            parse_size(&text);
            parse_duration(&text);
        }
    }
}
