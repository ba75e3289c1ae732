//! The table of a shared store in the configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use recall_core::Scope;
use toml::{Table, Value};

use crate::kind::{Expected, Kind, Shape};
use crate::settings::{ReadFrom, StoreConfig, StoreKind};
use crate::value::duration;

/// The name of a tenant, if the configuration has none.
const TENANT: &str = "default";

/// How long a search waits for a store, if the configuration does not say.
const DEADLINE: Duration = Duration::from_millis(300);

/// How long a request of a publication may take, if the configuration does not say. Creating an index of a million vectors takes
/// minutes.
const PUBLISH_DEADLINE: Duration = Duration::from_mins(30);

/// The keys of a store's table, for messages.
const KEYS: &str = "kind, address, tenant, deadline, publish_deadline, read";

/// Returns whether a store may have this name: it is part of paths and of a variable's name.
fn is_store_name(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_plain && !name.is_empty() && name.parse::<Scope>().is_err()
}

/// Parses the table of one store. Its name is given for messages.
pub(crate) fn store(name: String) -> Kind<StoreConfig> {
    Kind::new(Shape::Table(Box::new(Shape::Text)), move |value| {
        if !is_store_name(&name) {
            return Err("a name of lower-case letters, digits and hyphens that is not a scope".to_owned());
        }
        read(value.as_table().ok_or_else(|| format!("a table with {KEYS}"))?)
    })
}

fn read(table: &Table) -> Result<StoreConfig, Expected> {
    let mut rest: BTreeMap<&str, &Value> = table.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let kind = match rest.remove("kind").and_then(Value::as_str) {
        Some("postgres") => StoreKind::Postgres,
        _ => return Err("a table with kind = \"postgres\"".to_owned()),
    };
    let address = rest.remove("address").and_then(Value::as_str).filter(|address| is_address(address));
    let address = address.ok_or("address = \"postgres://user@host/database\", without a password")?;
    let tenant = match rest.remove("tenant") {
        None => TENANT.to_owned(),
        Some(value) => {
            let name = value.as_str().filter(|name| !name.is_empty() && name.len() <= 64 && is_plain(name));
            name.ok_or("tenant: at most 64 letters, digits, hyphens and underscores")?.to_owned()
        }
    };
    let mut time = |key: &str, default, least| match rest.remove(key) {
        None => Ok(default),
        Some(value) => {
            let most = Duration::from_hours(24);
            duration(least..=most).parse(value).map_err(|expected| format!("{key}: {expected}"))
        }
    };
    let deadline = time("deadline", DEADLINE, Duration::from_millis(1))?;
    let publish_deadline = time("publish_deadline", PUBLISH_DEADLINE, Duration::from_secs(1))?;
    let read = match rest.remove("read").map(Value::as_str) {
        None | Some(Some("any")) => ReadFrom::Any,
        Some(Some("primary")) => ReadFrom::Primary,
        Some(_) => return Err("read = \"any\" or \"primary\"".to_owned()),
    };
    match rest.keys().next() {
        Some(unknown) => Err(format!("the keys {KEYS}, not `{unknown}`")),
        None => Ok(StoreConfig { kind, address: address.to_owned(), tenant, deadline, publish_deadline, read }),
    }
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Returns whether a text is an address without a password, which would be shown wherever settings are.
fn is_address(address: &str) -> bool {
    let schemes = ["postgres://", "postgresql://"];
    let Some(rest) = schemes.iter().find_map(|scheme| address.strip_prefix(scheme)) else { return false };
    let user = rest.rsplit_once('@').map_or("", |(user, _)| user);
    !rest.is_empty() && !user.contains(':') && !address.contains("password=") && !rest.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<StoreConfig, Expected> {
        let table: Table = text.parse().expect("valid TOML");
        store("platform".to_owned()).parse(&Value::Table(table))
    }

    #[test]
    fn a_store_needs_a_kind_and_an_address() {
        let store = parsed("kind = \"postgres\"\naddress = \"postgres://recall@db/team\"\n").expect("valid");
        assert_eq!((store.tenant.as_str(), store.deadline.as_millis()), ("default", 300));
        let text = "kind = \"postgres\"\naddress = \"postgres://a,b/team\"\nread = \"primary\"\ndeadline = \"1s\"\n";
        let store = parsed(text).expect("valid");
        assert_eq!((store.kind, store.read, store.deadline.as_secs()), (StoreKind::Postgres, ReadFrom::Primary, 1));
        for wrong in [
            "",
            "kind = \"redis\"\naddress = \"redis://x\"",
            "kind = \"postgres\"",
            "kind = \"postgres\"\naddress = \"https://db\"",
            "kind = \"postgres\"\naddress = \"postgres://a:secret@db/team\"",
            "kind = \"postgres\"\naddress = \"postgres://db/team?password=x\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\ntenant = \"a b\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\nkey = \"secret\"",
            "kind = \"postgres\"\naddress = \"postgres://db\"\nread = \"standby\"",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_part_of_paths_and_variables() {
        for (name, is_valid) in [("platform", true), ("team-2", true), ("All", false), ("global", false), ("", false)] {
            assert_eq!(is_store_name(name), is_valid, "{name}");
        }
    }
}
